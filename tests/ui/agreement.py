"""Where on the pages numbers are, and where in a run of the exported scenario each comes from.

A table is held row by row, and a row that is not listed here is an error.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import pandas as pd
import pytest
from scipy.special import betaincinv

from caldp_core.domain.domains import Domain
from caldp_core.estimation.estimators import ESTIMATORS, compare_groups
from caldp_core.estimation.intervals import ranges, simultaneous
from caldp_core.experiments.run import Setup
from caldp_core.experiments.table import group_columns
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.mechanisms.personalised import PersonalisedMechanism
from caldp_core.privacy.matrix import coverage
from caldp_ui.distances import page_state as distances
from caldp_ui.distances.page_state import LINK as FAR_LINK
from caldp_ui.distances.page_state import DistanceState
from caldp_ui.maps import scene as places
from caldp_ui.personal import page_state as personal
from caldp_ui.personal.page_state import LINK as PERSONAL_LINK
from caldp_ui.personal.page_state import PersonalState
from caldp_ui.places.page_state import LINK as PLACES_LINK
from caldp_ui.places.page_state import PlacesState
from caldp_ui.values import page_state as tables
from caldp_ui.values.page_state import LINK as VALUES_LINK
from caldp_ui.values.page_state import ValuesState, initial_scenario
from caldp_ui.words.formats import Headline
from caldp_ui.yesno import page_state as yesno
from caldp_ui.yesno.page_state import LINK as QUESTION_LINK
from caldp_ui.yesno.page_state import YesNoState
from tests.ui.readings import Files, Reading, Run, read, to_two_digits

Source = Callable[[Run], float]
"""Where in a run a number is."""


def total_variation(run: Run) -> float:
    return run.error("tv")


def earth_mover(run: Run) -> float:
    return run.error("earth_movers_km")


def people(run: Run) -> float:
    return float(run.summary["n"])


def odds(run: Run) -> float:
    """Of 100 even guesses about protected people those that become right, at most."""
    if run.policy["kind"] != "context":
        distances = run.policy.get("rows", [[1.0]])
        return 100 * guessed_right(run.policy["epsilon"] * max(map(max, distances)))
    beside = [1 - math.exp(-e) / 2 for e in _levels(run, lambda hidden, size: 0 < hidden < size)]
    return max([100 * each for each in beside] + [both_ways(run)])


def both_ways(run: Run) -> float:
    """The same between two protected values alone."""
    within = _levels(run, lambda hidden, size: hidden > 1)
    return max((100 * guessed_right(e) for e in within), default=0.0)


def _levels(run: Run, chosen: Callable[[int, int], bool]) -> list[float]:
    """The ε of the blocks that are chosen by how many of their values hide, of how many."""
    setup, level = run.result.setup, run.policy["epsilon"]
    labels = setup.partition.labels
    hidden = np.bincount(labels[hides(run)], minlength=setup.partition.m)
    return [
        level[block] if isinstance(level, list) else level
        for block, size in enumerate(setup.partition.sizes().tolist())
        if chosen(int(hidden[block]), size)
    ]


def unprotected(run: Run) -> float:
    """The share of people, by the truth, whose value does not hide."""
    return 1.0 - protected(run)


def read_by_one(run: Run) -> float:
    """Of all people the share whose one report names their value: none of the protected."""
    return unprotected(run) * drawn_names(run.result.setup)


def drawn_names(setup: Setup) -> float:
    """Of ten million unprotected people the share whose one report names their value."""
    made: Any = setup.mechanism
    channel: Any = made.after_pre_processing() if isinstance(made, PersonalisedMechanism) else made
    people = np.zeros(channel.k)
    left = ~coverage(setup.policy).protected
    people[: left.size] = setup.dataset.distribution * left
    counts = np.round(1e7 * people / people.sum()).astype(np.int64)
    tally = channel.sample_tally(counts, np.random.default_rng(1))
    return float(channel.clear_counts(tally).sum() / counts.sum())


def guessed_right(epsilon: float | str) -> float:
    return 1.0 if epsilon == "infinity" else 1 / (1 + math.exp(-float(epsilon)))


def hidden(run: Run) -> float:
    return float(hides(run).sum())


def protected(run: Run) -> float:
    """The share of people, by the truth, whose value hides."""
    return float(run.result.setup.dataset.distribution[hides(run)].sum())


def hides(run: Run) -> Any:
    """(k,) whether a value hides: in a context, if it is sensitive and others are in its block."""
    setup = run.result.setup
    if run.policy["kind"] == "context":
        return setup.sensitive & (setup.partition.sizes() > 1)[setup.partition.labels]
    return np.ones(setup.mechanism.k, np.bool_)


# What the table of numbers shows under every page, whatever its columns are runs of.
NUMBERS: Final[Mapping[str, Source]] = {
    "total variation (TV)": total_variation,
    "sampling alone, without privacy (TV)": lambda run: run.error("sampling_tv"),
    "l1 distance": lambda run: run.error("l1"),
    "l2 distance": lambda run: run.error("l2"),
    "Kullback–Leibler divergence": lambda run: run.error("kl"),
    "earth mover's distance": earth_mover,
    "bits per report": lambda run: float(run.summary["bits_per_report"]),
    "blocks": lambda run: float(run.summary["blocks"]),
    "hidden symbols": hidden,
    "reports": people,
}
BOXES: Final = re.compile(r"boxes of (\d+) × \1 cells \(TV\)")
LARGEST: Final = re.compile(r"largest found, of (\d+)")
TEXTS: Final[Mapping[str, Callable[[Run], str]]] = {
    "method": lambda run: MECHANISMS[run.summary["mechanism"]].title,
    "estimate": lambda run: ESTIMATORS[run.summary["scenario"]["estimator"]].title,
}
EXPECTED: Final = "expected TV"


def agree(text: str, value: float, where: str, as_read: Callable[[str], Reading] = read) -> None:
    assert as_read(text).holds(value), f"{where}: {text!r} is shown, the run has {value!r}"


def of_boxes(run: Run, cells: int) -> float:
    (found,) = [each for each in run.summary["errors"]["boxes"] if each["cells"] == cells]
    return float(found["tv"]["mean"])


def check_largest(text: str, number: int, run: Run, where: str) -> None:
    """Say how many of the largest are found, and the F1 score beside it."""
    largest = run.summary["errors"]["largest"]
    assert number == largest["number"], where
    found = re.fullmatch(r"(\S+) \(F1 (\S+)\)", text)
    assert found is not None, f"{where}: {text!r}"
    # In one trial a whole number, shown in three digits.
    right = number * largest["recall"]["mean"]
    assert abs(float(found[1].replace(",", "")) - right) <= 5e-3 * right, where
    agree(found[2], largest["f1"]["mean"], where)


def check_numbers(
    frame: pd.DataFrame, file_of: Callable[[str], str], runs: Mapping[str, Run]
) -> None:
    """The table of numbers; `file_of`: by a column's title, the file that it is a run of."""
    assert {"total variation (TV)", *TEXTS} <= set(frame.index)
    for title in frame.columns:
        run = runs[file_of(title)]
        for row, text in zip(map(str, frame.index), frame[title], strict=True):
            where = f"{title}, {row}"
            if boxes := BOXES.fullmatch(row):
                agree(text, of_boxes(run, int(boxes[1])), where, to_two_digits)
            elif largest := LARGEST.fullmatch(row):
                check_largest(text, int(largest[1]), run, where)
            elif row in TEXTS:
                assert text == TEXTS[row](run), where
            elif row == EXPECTED:
                check_expected(text, run)
            elif text.startswith("needs "):
                assert run.summary["errors"]["earth_movers_km"]["mean"] is None
            else:
                agree(text, NUMBERS[row](run), where, to_two_digits)


def check_expected(text: str, run: Run) -> None:
    """An expected error with the 95 % range of one outcome's, and how it was found."""
    expected = run.summary["expected"]
    # The NaN that `run_exported` puts in the place of what takes many trials.
    if math.isnan(expected["tv"]):
        assert text.startswith("not known")
        return
    if expected["tv"] == 0:
        assert text.startswith("0: nothing is hidden")
        return
    found = re.fullmatch(r"(.+) ± (.+), 95 % range \((.+)\)", text)
    assert found is not None, text
    agree(found[1], expected["tv"], EXPECTED)
    agree(found[2], 1.959964 * expected["tv_standard_deviation"], "its 95 % range")
    assert found[3] == expected["method"]


ESTIMATED = ("estimated share", "estimated people")
WITHIN = "share of its group"
MARGINS = ("low", "high", "level", "relative error", "may be noise")


def check_csv(frame: pd.DataFrame, run: Run) -> None:
    """Every digit of estimate.csv; of people, 11 digits of the most."""
    setup, first = run.result.setup, run.result.first
    known = {"number", "latitude", "longitude", "answer", "group", "block", *ESTIMATED, *MARGINS}
    if WITHIN in frame:
        wholes = frame.groupby("group")[ESTIMATED[0]].transform("sum")
        np.testing.assert_allclose(frame[WITHIN] * wholes, frame[ESTIMATED[0]], atol=1e-12)
    compared = group_columns(compare_groups(first.evidence))
    assert set(frame.columns) <= known | {WITHIN} | set(compared)
    for name, column in compared.items():
        np.testing.assert_allclose(frame[name], np.array(column, float), atol=1e-12)
    assert frame["number"].tolist() == list(range(run.summary["k"]))
    assert frame[ESTIMATED[0]].tolist() == first.estimate.tolist()
    people = first.estimate * run.summary["n"]
    np.testing.assert_allclose(frame[ESTIMATED[1]], people, rtol=0, atol=0.5e-10 * people.max())
    assert frame["block"].nunique() <= run.summary["blocks"]
    if "latitude" in frame:
        domain: Any = setup.dataset.domain
        cells = domain.locate(frame["latitude"].to_numpy(), frame["longitude"].to_numpy())
        assert cells.tolist() == frame["number"].tolist()


@dataclass(frozen=True)
class Coin:
    """A yes-or-no question by its two levels alone: `f`, `g` are CALDP's (9), worked out anew."""

    f: float
    g: float
    run: Run

    @classmethod
    def of(cls, run: Run) -> "Coin":
        no, yes = (math.exp(float(run.policy[f"epsilon_{pair}"])) for pair in ("01", "10"))
        if math.isinf(no) or math.isinf(yes):
            return cls(0.0 if math.isinf(yes) else 1 / yes, 0.0 if math.isinf(no) else 1 / no, run)
        return cls((no - 1) / (no * yes - 1), (yes - 1) / (no * yes - 1), run)

    @property
    def estimate(self) -> float:
        return float(self.run.result.first.unbiased[1])

    @property
    def deviation(self) -> float:
        yes = float(self.run.result.setup.dataset.distribution[1])
        sent = self.f + (1 - self.f - self.g) * yes
        return math.sqrt(sent * (1 - sent) / self.run.summary["n"]) / (1 - self.f - self.g)

    def end(self, level: float) -> float:
        """Jeffreys' limit of the share of yes reports, with the coin taken out."""
        n = self.run.summary["n"]
        count = n * (self.f + (1 - self.f - self.g) * self.estimate)
        share = float(betaincinv(count + 0.5, n - count + 0.5, level))
        return min(max((share - self.f) / (1 - self.f - self.g), 0.0), 1.0)


Query = dict[str, str]
OURS, PLAIN = "scenario.json", "plain-ldp.json"


@dataclass(frozen=True, eq=False)
class PageContent:
    """What a page shows and exports: its headline, tables, files, odds, and maps' large numbers."""

    headline: Headline
    tables: list[pd.DataFrame]
    answers: list[pd.DataFrame]
    files: Files
    csv: pd.DataFrame
    odds: list[str]
    facts: list[tuple[str, list[str]]]


@dataclass(frozen=True)
class Page:
    """A page that passes on a scenario, the links that are checked, and where its numbers are.

    `links`: the page as it begins, then its presets; `how_many` there are of them. `figures`: by
    name of a figure of the headline, the file whose run has it, and where. `numbers`: by title of
    the table of numbers' columns, the file that each is a run of. `facts`: by the id of a picture
    of the map, its large number in the same way. `more`: what is this page's alone.
    """

    name: str
    links: Callable[[], list[Query]]
    how_many: int
    figures: Mapping[str, tuple[str, Source]]
    numbers: Callable[[str], str]
    facts: Mapping[str, tuple[str, Source]] = field(default_factory=dict)
    more: Callable[[PageContent, Mapping[str, Run]], None] = lambda content, runs: None


_ERRORS: Final[Mapping[str, tuple[str, Source]]] = {
    "tv": (OURS, total_variation),
    "plain_tv": (PLAIN, total_variation),
    "protected": (OURS, protected),
    "readable": (OURS, read_by_one),
}


def _of_places() -> list[Query]:
    begin = PlacesState()
    return [
        PLACES_LINK.write(replace(begin, scenario=preset.apply(begin.scenario)))
        for preset in places.PRESETS
    ]


PLACES: Final = Page(
    "places",
    _of_places,
    len(places.PRESETS),
    _ERRORS,
    {"this protection": OURS, "plain LDP": PLAIN}.__getitem__,
    {"plain": (PLAIN, total_variation), "ours": (OURS, total_variation)},
)


def _of_values() -> list[Query]:
    links = []
    for table in tables.TABLES:
        begin = initial_scenario(table)
        domain = begin.dataset.load().domain
        assert isinstance(domain, Domain)
        made = [preset.apply(begin) for preset in tables.presets_of(table.spec, domain)]
        links += [VALUES_LINK.write(ValuesState(scenario)) for scenario in made]
    return links


def _answers(content: PageContent, runs: Mapping[str, Run]) -> None:
    """The table of answers: shares, their ranges and simultaneous intervals."""
    (frame,) = content.answers
    assert len(frame.columns) in (13, 14)
    for who, file in (("this", OURS), ("plain", PLAIN)):
        first = runs[file].result.first
        assert frame[who].tolist() == (100 * first.estimate).tolist()
        one, every = ranges(first.evidence, first.estimate), simultaneous(first.evidence)
        for found, some in ((one, ""), (every, "all ")):
            assert frame[f"{who} {some}low"].tolist() == (100 * found.low).tolist()
            assert frame[f"{who} {some}high"].tolist() == (100 * found.high).tolist()
    setup = runs[OURS].result.setup
    assert frame["truth"].tolist() == (100 * setup.dataset.distribution).tolist()
    everything = list(range(setup.policy.k))
    finite = [
        np.isfinite(setup.policy.between([x] * len(everything), everything)).sum()
        for x in everything
    ]
    assert frame["protected"].tolist() == [count > 1 for count in finite], "beside its own 0"


VALUES: Final = Page(
    "values",
    _of_values,
    46,
    _ERRORS,
    PLACES.numbers,
    more=_answers,
)

WARNER: Final = "warners-coin.json"
_PLAIN: Final = "plain LDP (Warner's coin)"


def _of_question() -> list[Query]:
    begin = YesNoState()
    made = [replace(begin.scenario, policy=preset.policy) for preset in yesno.PRESETS]
    return [QUESTION_LINK.write(YesNoState(scenario)) for scenario in (begin.scenario, *made)]


def _needs(runs: Mapping[str, Run]) -> float:
    ours, warner = (Coin.of(runs[file]).deviation for file in (OURS, WARNER))
    return (warner / ours) ** 2


def _coins(content: PageContent, runs: Mapping[str, Run]) -> None:
    """The table of coins, and how many people Warner's takes."""
    frame = content.tables[0]
    for title, file in (("this protection", OURS), (_PLAIN, WARNER)):
        column, coin = frame[title].to_dict(), Coin.of(runs[file])
        low, _, high = column.pop("95 % range").removesuffix(" %").partition(" to ")
        numbers = {
            "ε of yes": float(runs[file].policy["epsilon_10"]),
            "ε of no": float(runs[file].policy["epsilon_01"]),
            "with yes, send yes": 1 - coin.g,
            "with no, send yes": coin.f,
            "right after “yes”, from 50:50": (1 - coin.g) / (1 - coin.g + coin.f),
            "right after “no”, from 50:50": (1 - coin.f) / (1 - coin.f + coin.g),
            "estimate of yes": coin.estimate,
            "standard error (exact)": coin.deviation,
        }
        assert set(column) == set(numbers)
        agree(f"{low} %", coin.end(0.025), "low end")
        agree(f"{high} %", coin.end(0.975), "high end")
        for row, value in numbers.items():
            agree(column[row].replace(" percentage points", " %"), value, f"{title}, {row}")
    assert content.headline.figures["warner_factor"] == pytest.approx(_needs(runs), rel=1e-9)


def _share_of(answer: int) -> Source:
    """The true share of people with an answer."""
    return lambda run: float(run.result.setup.dataset.distribution[answer])


YES_OR_NO: Final = Page(
    "yesno",
    _of_question,
    1 + len(yesno.PRESETS),
    {
        "open_no": (OURS, _share_of(0)),
        "open_yes": (OURS, _share_of(1)),
        "low": (OURS, lambda run: Coin.of(run).end(0.025)),
        "high": (OURS, lambda run: Coin.of(run).end(0.975)),
    },
    {"this protection": OURS, _PLAIN: WARNER}.__getitem__,
    more=_coins,
)

BLOCKS: Final = "blocks-beside.json"


def _open(run: Run) -> float:
    """The share of people who are at no place of their own, nor at one that all hide."""
    setup = run.result.setup
    common = float(setup.dataset.distribution[setup.sensitive].sum())
    return (1 - common) * (1 - sum(run.policy["shares"]))


def _of_distances() -> list[Query]:
    begin = DistanceState()
    made = [replace(begin.scenario, policy=preset.policy) for preset in distances.PRESETS]
    return [FAR_LINK.write(replace(begin, scenario=scenario)) for scenario in made]


DISTANCES: Final = Page(
    "distances",
    _of_distances,
    len(distances.PRESETS),
    {
        "earth_movers_km": (OURS, earth_mover),
        "plain_earth_movers_km": (PLAIN, earth_mover),
        "blocks_earth_movers_km": (BLOCKS, earth_mover),
    },
    lambda title: {"this protection": OURS, "plain LDP": PLAIN}.get(title, BLOCKS),
    {"noise": (OURS, earth_mover), "blocks": (BLOCKS, earth_mover)},
)

KNOWN, NOTHING = "places-known.json", "nothing-own.json"


def _of_personal() -> list[Query]:
    begin = PersonalState()
    made = [preset.apply(begin.scenario) for preset in personal.PRESETS]
    return [PERSONAL_LINK.write(PersonalState(scenario)) for scenario in made]


def read_elsewhere(run: Run) -> float:
    """Of all people the share whose one report names their place, at none of their own."""
    return _open(run) * drawn_names(run.result.setup)


def _tags(content: PageContent, runs: Mapping[str, Run]) -> None:
    """Shares of people at own places: true, and from the reports."""
    run = runs[OURS]
    setup, mechanism = run.result.setup, run.result.setup.mechanism
    assert isinstance(mechanism, PersonalisedMechanism)
    elsewhere = 1 - float(setup.dataset.distribution[setup.sensitive].sum())
    found = mechanism.common.estimate(run.result.first.evidence.tally)[mechanism.k :]
    frame = content.tables[1]
    assert len(frame) == len(run.policy["shares"])
    for row, share, estimate in zip(frame.index, run.policy["shares"], found, strict=True):
        agree(frame.loc[row, "truth"], share * elsewhere, f"{row}, truth")
        agree(frame.loc[row, "from the reports"], float(estimate), f"{row}, reports")


PERSONAL: Final = Page(
    "personal",
    _of_personal,
    len(personal.PRESETS),
    {
        "tv": (OURS, total_variation),
        "known_tv": (KNOWN, total_variation),
        "plain_tv": (PLAIN, total_variation),
        "protected": (OURS, lambda run: 1 - _open(run)),
        "readable": (OURS, read_elsewhere),
    },
    lambda title: {
        "nothing hidden": NOTHING,
        "everything hidden": PLAIN,
        "homes known": KNOWN,
    }.get(title, OURS),
    {
        "everything": (PLAIN, total_variation),
        "known": (KNOWN, total_variation),
        "assumed": (OURS, total_variation),
    },
    _tags,
)

PAGES: Final = {page.name: page for page in (PLACES, VALUES, YES_OR_NO, DISTANCES, PERSONAL)}
"""By name, what each page shows and where it is in the run."""
