"""Links with extreme or broken values: every tab of every page draws, or says one sentence."""

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.scenarios.scenario import Scenario
from tests.contract.checks import naming
from tests.ui.driver import leave, open_page
from tests.ui.pages import PAGES, Page

EXTREMES = (
    "", "x", "0", "-1", "1", "20", "0.001", "1e8", "1e300", "inf", "nan", "∞", "1;2", "10000",
    "1000000000000",
)  # fmt: skip
SEED = 20261125


def whole_link(page: Page) -> dict[str, str]:
    """A link of the page that names as much as it can."""
    fresh: Any = page.state.codec.fresh()
    scenario = getattr(fresh, "scenario", None)
    own = scenario.to_query() if isinstance(scenario, Scenario) else {}
    changed = page.other or {"scenario": replace(fresh.scenario, seed=7)}
    return {**own, **page.state.codec.write(replace(fresh, **changed))}


def mutated(page: Page, count: int, seed: int) -> Iterator[dict[str, str]]:
    """Links with one or two values replaced by extremes, the same for a seed."""
    rng, link = random.Random(seed), whole_link(page)
    for _ in range(count):
        keys = rng.sample(sorted(link), min(rng.choice((1, 1, 2)), len(link)))
        yield {**link, **{key: rng.choice(EXTREMES) for key in keys}}


def walk(page: Page, link: dict[str, str]) -> AppTest:
    """The page with each of its tabs opened once; no run ends in an exception."""
    at = open_page(page.path, link)
    for title in [tab.label for tab in at.tabs]:
        at.session_state[page.state.key("tabs")] = title
        at.run()
        assert not at.exception, (title, [each.value for each in at.exception])
    return at


QUICK = ("yesno", "matrix", "room")
"""Pages that every run looks at; the others have their turn at night."""


@pytest.mark.parametrize(
    ("name", "count"),
    [
        *((name, 2) for name in QUICK),
        *(pytest.param(name, 134, marks=pytest.mark.thorough) for name in PAGES),
    ],
)
def test_extreme_links_end_in_pages_or_sentences(name: str, count: int) -> None:
    for number, link in enumerate(mutated(PAGES[name], count, SEED)):
        with naming(f"{name} {number} {link}"):
            leave(walk(PAGES[name], link))


def test_walk_meets_an_exception_of_a_tab(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OverflowError

    monkeypatch.setattr("caldp_ui.words.promise_levels.answers", fail)
    with pytest.raises(AssertionError):
        walk(PAGES["yesno"], {})
