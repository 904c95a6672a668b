"""Every number on a page is that of `python -m caldp_core run` of the scenario it hands on.

`agreement_pages.PAGES` says for each page which numbers it shows and where in the run each is.
"""

import io
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any, Final

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.collect.protocol import can_be_collected
from caldp_ui.compute import runs as plain_ldp
from caldp_ui.parts import pins
from tests.ui.agreement import (
    EXPECTED,
    check_csv,
    check_expected,
    check_numbers,
)
from tests.ui.agreement_pages import ODDS, OURS, PAGES, VALUES, YES_OR_NO, Page, PageContent, Query
from tests.ui.driver import checked, container, headline_of, jobs_done, open_page, scene_of
from tests.ui.exported import (
    Files,
    Run,
    capture_files,
    run_command,
    run_exported,
    run_with_forecast,
)
from tests.ui.readings import ROUNDING


def load_page(page: Page, link: Query) -> PageContent:
    """The page with its numbers on show, and what it hands on."""
    tabs = f"{page.name}-tabs"
    with capture_files() as files:
        at = jobs_done(open_page(f"pages/{page.name}.py", link, {tabs: "Share and export"}))
    at.session_state[tabs] = "Numbers"
    checked(at.run())
    return read_page(page, jobs_done(at), files)


ODDS_OF_THEIR_OWN: Final = ("distances", "personal")
"""Pages whose odds are other sentences, held by their own tests."""


def read_page(page: Page, at: AppTest, files: Files) -> PageContent:
    """All that is checked of the page, read once."""
    headline = headline_of(at)
    drawn = scene_of(at, f"{page.name}-maps") if page.facts else {}
    pictures = [*drawn.get("pictures", ()), *drawn.get("differences", ())]
    odds_drawn = container(at, "odds") if page.name not in ODDS_OF_THEIR_OWN else None
    return PageContent(
        headline,
        [each.value for each in at.table],
        [each.value for each in at.dataframe],
        files,
        pd.read_csv(io.BytesIO(bytes(files["estimate.csv"]))),  # type: ignore[arg-type]
        [html.proto.body for html in odds_drawn.get("html")] if odds_drawn else [],
        [(each["id"], " ".join(each["fact"])) for each in pictures if each["fact"]],
    )


def check(page: Page, content: PageContent, runs: Mapping[str, Run]) -> None:
    """Every number that is listed of the page."""
    page.headline.check(content.headline, runs)
    check_numbers(content.tables[1 if page is YES_OR_NO else 0], page.numbers, runs)
    check_csv(content.csv, runs[OURS])
    page.more(content, runs)
    for html in content.odds:
        ODDS.check(html, runs)
    for name, fact in content.facts:
        page.facts[name.removeprefix("off-")].check(fact, runs)


@pytest.fixture
def no_forecast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves out what takes seconds of trials: the expected error has a test of its own."""

    unknown = pins.ExpectedErrors(None, None, None)
    monkeypatch.setattr(pins, "expect_errors", lambda *scenarios: unknown)


NOT_SHOWN: Final = {"km", "precision"}
"""Of the printed errors what no table has: a box's width, and what follows from recall and F1."""
CASES: Final = [
    pytest.param(
        name, case, marks=() if case in by_default else pytest.mark.thorough, id=f"{name}-{case}"
    )
    for name, by_default in (
        ("places", {5}), ("values", {18}), ("yesno", {3}), ("distances", {4}),
        ("personal", {4}),
    )
    for case in range(PAGES[name].how_many)
    if case in by_default or case % 10 in {0, 1}
]  # fmt: skip


@pytest.mark.usefixtures("no_forecast")
@pytest.mark.parametrize(("name", "case"), CASES)
def test_every_number_is_that_of_the_command_line(name: str, case: int) -> None:
    page = PAGES[name]
    links = page.links()
    assert len(links) == page.how_many
    content = load_page(page, links[case])
    protocol = content.files.pop("protocol.json", None)
    scenarios = {name: str(text) for name, text in content.files.items() if name.endswith(".json")}
    runs = {name: run_exported(text) for name, text in scenarios.items()}
    check(page, content, runs)
    setup = runs["scenario.json"].result.setup
    assert (protocol is not None) == can_be_collected(setup)
    if isinstance(protocol, bytes):
        assert protocol.decode() == run_command(["protocol"], str(content.files["scenario.json"]))
    for file, run in runs.items():
        same = [other for other, its in runs.items() if its is run]
        for number, summary in alter_numbers(run.summary):
            wrong = dict.fromkeys(same, replace(run, summary=summary))
            assert disagrees(page, content, {**runs, **wrong}), f"{file}: {number}"


def disagrees(page: Page, content: PageContent, runs: Mapping[str, Run]) -> bool:
    try:
        check(page, content, runs)
    except AssertionError:
        return True
    return False


def alter_numbers(summary: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """What the command line would print were one of its numbers a quarter larger, or its next."""
    for path, error in means(summary["errors"]):
        if error["mean"] and error["mean"] > ROUNDING and not NOT_SHOWN & set(path):
            wrong = deepcopy(summary)
            of: Any = wrong["errors"]
            for key in path:
                of = of[key]
            of["mean"] *= 1.25
            yield str(path), wrong
    for name in ("n", "blocks", "bits_per_report"):
        yield name, {**summary, name: summary[name] + 1}


def means(errors: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Where in the printed errors each mean is, and what is printed there."""
    if isinstance(errors, dict) and "mean" in errors:
        yield path, errors
        return
    inner = errors.items() if isinstance(errors, dict) else enumerate(errors)
    for key, each in inner:
        if isinstance(each, dict | list):
            yield from means(each, (*path, key))


def test_the_expected_error_is_that_of_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_ldp, "people_plain_needs", lambda scenario: None)
    page = VALUES
    content = load_page(page, page.links()[0])
    for title in content.tables[0].columns:
        cell, text = content.tables[0][title][EXPECTED], str(content.files[page.numbers(title)])
        run = run_with_forecast(text)
        check_expected(cell, run)
        wrong = {**run.summary["expected"], "tv": 1.1 * run.summary["expected"]["tv"]}
        with pytest.raises(AssertionError):
            check_expected(cell, replace(run, summary={**run.summary, "expected": wrong}))
