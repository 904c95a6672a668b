"""Links with extreme or broken values: every tab of every page draws, or says one sentence.

What a link opens depends only on the record that is read from it, so each record is walked once,
however many links open it: of 2,010 links some 230.
"""

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.scenarios.scenario import Scenario
from caldp_ui.session.links import Received, understand
from tests.conftest import THOROUGH
from tests.contract.checks import naming
from tests.ui.driver import leave, open_page
from tests.ui.pages import PAGES, Page

EXTREMES = (
    "", "x", "0", "-1", "1", "20", "0.001", "1e8", "1e300", "inf", "nan", "∞", "1;2", "10000",
    "1000000000000",
)  # fmt: skip
SEED = 20261125
LINKS = 134 if THOROUGH else 12
"""Of each page, every night: 2,010 in all."""
EXAMPLES_STEP = 1 if THOROUGH else 6
"""Of the examples each, or every sixth."""
EXAMPLES = Path(__file__).parents[2] / "examples"


def opened(page: Page, link: dict[str, str]) -> Received[Any]:
    """What the page makes of a link."""
    state = page.state
    return understand(state.codec, state.page, list(link.items()), state.other_keys)


def own_keys(page: Page) -> dict[str, str]:
    """Every key of the page's own with what it says at the beginning."""
    codec: Any = page.state.codec
    fresh = codec.fresh()
    if not hasattr(codec, "_fields"):
        return {}
    found = {k: (f, getattr(fresh, name)) for k, (name, f) in codec._fields().items()}
    return {key: form.write(value) for key, (form, value) in found.items() if value is not None}


@cache
def starts(name: str) -> list[dict[str, str]]:
    """Links that the page opens: its own, and of every example that it can show."""
    page = PAGES[name]
    first = page.state.codec.write(page.state.codec.fresh())
    examples = (
        Scenario.from_file(path) for path in sorted(EXAMPLES.glob("*.json"))[::EXAMPLES_STEP]
    )
    links = [first, *(example.to_query() for example in examples)]
    whole = ({**own_keys(page), **link} for link in links)
    return [link for link in whole if not opened(page, link).fault] or [first]


@cache
def texts() -> dict[str, list[str]]:
    """What any link of any page says under a key."""
    links = [link for name, page in PAGES.items() for link in (*starts(name), *page.bad)]
    return {key: sorted({link.get(key, "") for link in links}) for link in links for key in link}


def mutated(name: str, count: int, seed: int) -> Iterator[dict[str, str]]:
    """Links with one or two keys that say something else, the same for a seed."""
    page, rng = PAGES[name], random.Random(seed)
    known = [key for key in texts() if not page.state.codec.unknown_keys({key: ""})]
    for _ in range(count):
        link = dict(rng.choice(starts(name)))
        keys = sorted({*link, *known})
        for key in rng.sample(keys, min(rng.choice((1, 1, 2)), len(keys))):
            others = texts().get(key, [""])
            now = link.get(key, rng.choice(others))
            link[key] = rng.choice(
                (near(now, rng), near(now, rng), rng.choice(EXTREMES), rng.choice(others))
            )
        yield link


def near(text: str, rng: random.Random) -> str:
    """The text with one of its numbers changed, as it is without any."""
    parts = text.split(";")
    at = rng.randrange(len(parts))
    try:
        x = float(parts[at])
    except ValueError:
        return text
    y = rng.choice((10 * x, x / 10, 2 * x, x / 2, x + 1, x - 1, -x, 0.0, 1.0))
    return ";".join([*parts[:at], f"{y:.6g}", *parts[at + 1 :]])


@cache
def records(name: str, seed: int = SEED) -> dict[tuple[str, bool], dict[str, str]]:
    """One link for each record that the page's mutated links open, with a fault or without."""
    found: dict[tuple[str, bool], dict[str, str]] = {}
    for link in mutated(name, LINKS, seed):
        received = opened(PAGES[name], link)
        assert "\n" not in received.fault, link
        found.setdefault((repr(received.record), bool(received.fault)), link)
    return found


def walk(page: Page, link: dict[str, str], tabs: int | None = None, seed: int = 0) -> AppTest:
    """The page with its tabs opened, each or some of them; no run ends in an exception."""
    at = open_page(page.path, link)
    titles = [tab.label for tab in at.tabs]
    if tabs is not None:
        titles = random.Random(seed).sample(titles, min(tabs, len(titles)))
    for title in titles:
        at.session_state[page.state.key("tabs")] = title
        at.run()
        assert not at.exception, (title, [each.value for each in at.exception])
    return at


@pytest.mark.parametrize("name", PAGES)
def test_extreme_links_end_in_pages_or_sentences(name: str) -> None:
    """One of each page's records, and one of its tabs."""
    link = random.Random(SEED).choice([*records(name).values()])
    with naming(f"{name} {link}"):
        leave(walk(PAGES[name], link, tabs=1))


@pytest.mark.thorough
@pytest.mark.parametrize("name", PAGES)
def test_every_tab_of_what_extreme_links_open(name: str) -> None:
    for link in records(name).values():
        with naming(f"{name} {link}"):
            leave(walk(PAGES[name], link))


def test_walk_meets_an_exception_of_a_tab(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OverflowError

    monkeypatch.setattr("caldp_ui.words.policies.answers", fail)
    with pytest.raises(AssertionError):
        walk(PAGES["yesno"], {})


def test_curves_of_one_value_have_an_axis() -> None:
    """Nobody is ever under a wrong answer, so all errors are 0."""
    one = {"v": "2", "dataset": "geometric", "dataset.k": "1", "dataset.rate": "0.5", "n": "5000"}
    at = open_page(PAGES["values"].path, {**one, "policy": "line", "epsilon": "0.8"})
    at.session_state["values-tabs"] = "Error curves"
    assert not at.run().exception
