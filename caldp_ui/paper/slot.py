"""What the page of the paper's results shows: which result, how often it is run, and with what."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from caldp_core.basics.errors import check_number, check_whole, require
from caldp_core.basics.numerals import read_number, read_whole
from caldp_core.experiments.reproduce import PAPER
from caldp_core.scenarios.policies import BinaryQuestion
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.session.scenarios import WithScenario, read_scenario, scenario_query, unknown_keys
from caldp_ui.session.slot import Slot

RUNS: Final = (1, 3, 10, 30, 100)
VIEWS: Final = {
    "table-1": "Table 1",
    "figure-1": "Figure 1",
    "figure-2": "Figure 2",
    "figure-3": "Figure 3",
    "sensitive-sets": "Sensitive sets",
    "unchecked": "Not checked",
}
"""Results by their name in links, and as the tabs call them."""
VALUES: Final = (20, 100, 1000, 10_000)
SHARES: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""What can be chosen for sensitive sets: values in all, people with a sensitive one."""
_VIEW, _RUNS, _QUESTION = "view", "runs", "levels"
_VALUES, _SHARE = "values", "share"


@dataclass(frozen=True)
class Paper(WithScenario):
    """The page's record. `scenario`: what all columns and points share; its blocks are theirs.

    `question`: the two levels of Figure 1. `values`, `share`: of sensitive sets, how many values
    there are and the share of people who have a sensitive one, None for the worst case.
    """

    scenario: Scenario = PAPER
    view: str = "table-1"
    runs: int = 10
    question: BinaryQuestion = BinaryQuestion(0.5, 2.0)
    values: int = 1000
    share: float | None = None


class PaperLink:
    """How the record is written into a link: the scenario's own keys, and what is looked at."""

    browser: tuple[str, ...] = ()

    def fresh(self) -> Paper:
        """See `Codec`."""
        return Paper()

    def write(self, record: Paper) -> dict[str, str]:
        """See `Codec`."""
        fresh = Paper()
        flat = {} if record.scenario == PAPER else scenario_query(record.scenario)
        if record.view != fresh.view:
            flat[_VIEW] = record.view
        if record.runs != fresh.runs:
            flat[_RUNS] = str(record.runs)
        if record.question != fresh.question:
            flat[_QUESTION] = f"{record.question.epsilon_01:g};{record.question.epsilon_10:g}"
        if record.values != fresh.values:
            flat[_VALUES] = str(record.values)
        if record.share is not None:
            flat[_SHARE] = f"{record.share:g}"
        return flat

    def read(self, query: Mapping[str, str]) -> Paper:
        """See `Codec`."""
        flat, fresh = dict(query), Paper()
        view = flat.pop(_VIEW, fresh.view)
        runs_text, levels = flat.pop(_RUNS, str(fresh.runs)), flat.pop(_QUESTION, None)
        values, share = flat.pop(_VALUES, str(fresh.values)), flat.pop(_SHARE, None)
        found = read_scenario(flat) if flat else PAPER
        same = replace(found, policy=PAPER.policy, n=None)
        return Paper(
            same.with_context(epsilon=found.context.epsilon),
            view,
            check_whole("runs", read_whole(runs_text), 1, max(RUNS)),
            fresh.question if levels is None else _levels(levels),
            _whole_of(VALUES, values),
            None if share is None else check_number("share", read_number(share), 0.0, 1.0),
        )

    def strangers(self, query: Mapping[str, str]) -> list[str]:
        """See `Codec`."""
        known = (_VIEW, _RUNS, _QUESTION, _VALUES, _SHARE)
        return [key for key in unknown_keys(query) if key not in known]

    def check(self, record: Paper) -> None:
        """See `Codec`: unknown results, other data and mechanisms that do not fit are refused."""
        require(record.view in VIEWS, f"view must be one of {', '.join(VIEWS)}.")
        runs.map_of(runs.dataset(record.scenario))
        runs.setup(record.scenario)


def _whole_of(allowed: tuple[int, ...], text: str) -> int:
    value = read_whole(text)
    require(value in allowed, f"values must be one of {allowed}, got {text!r}.")
    return int(value or 0)


def _levels(text: str) -> BinaryQuestion:
    parts = [math.inf if part == "inf" else read_number(part) for part in text.split(";")]
    require(
        len(parts) == 2 and None not in parts,
        f"levels must be two numbers (or inf) with a semicolon between them, got {text!r}.",
    )
    first, second = (float(part or 0.0) for part in parts)
    return BinaryQuestion(first, second)


SLOT: Final = Slot("paper", PaperLink())
