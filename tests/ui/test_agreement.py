"""Every number on a page is that of the command line, or of runs of the scenario it exports.

`agreement.PAGES` says for each page which numbers it shows and where in the run each is.
"""

import io
import json
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from copy import deepcopy
from dataclasses import replace
from itertools import product
from typing import Any, Final

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from streamlit.testing.v1 import AppTest

from caldp_core.basics.types import no_progress
from caldp_core.collect.protocol import can_be_collected, unprotected_text
from caldp_core.datasets import DatasetSpec, Survey, Uniform
from caldp_core.experiments.reproduce import PAPER, TABLE_1, MeanError
from caldp_core.experiments.run import Setup, prepare
from caldp_core.mechanisms.catalogue import MECHANISMS, PublishedUrap
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.adversary.page_state import LINK as SUSPECT_LINK
from caldp_ui.adversary.page_state import AttackerState
from caldp_ui.compute import runs as plain_ldp
from caldp_ui.controls.choices import NAMES
from caldp_ui.maps import scene
from caldp_ui.paper import view as paper_words
from caldp_ui.paper.page_state import LINK as PAPER_LINK
from caldp_ui.paper.page_state import PaperRecord
from caldp_ui.paper.view import column_title
from caldp_ui.parts import layout, pins
from caldp_ui.plan import page_state as plans
from caldp_ui.plan import view as words
from caldp_ui.plan.page_state import DEPLOYMENTS, Margins, Plan
from caldp_ui.plan.page_state import LINK as PLAN_LINK
from caldp_ui.words import formats
from caldp_ui.words.formats import ANSWERS, PLACES, Headline
from caldp_ui.words.policies import describe_promise
from tests.conftest import THOROUGH
from tests.strategies import thinned
from tests.ui.agreement import (
    EXPECTED,
    OURS,
    PAGES,
    VALUES,
    YES_OR_NO,
    Page,
    PageContent,
    Query,
    agree,
    check_csv,
    check_expected,
    check_numbers,
    drawn_names,
    odds,
    protected,
    read_by_one,
    read_elsewhere,
)
from tests.ui.driver import (
    both_lines,
    capture_headlines,
    checked,
    container,
    headline_of,
    jobs_done,
    open_page,
    scene_of,
)
from tests.ui.readings import (
    ROUNDING,
    Files,
    Reading,
    Run,
    capture_files,
    numbers_without_source,
    read,
    run_command,
    run_exported,
    run_with_forecast,
    to_three_digits,
    to_two_digits,
)


def load_page(page: Page, link: Query) -> PageContent:
    """The page with its numbers on show, and what it hands on."""
    tabs = f"{page.name}-tabs"
    with capture_files() as files:
        at = jobs_done(open_page(f"pages/{page.name}.py", link, {tabs: "Share and export"}))
    at.session_state[tabs] = "Numbers"
    checked(at.run())
    with capture_headlines() as headlines:
        jobs_done(at.run())
    return read_page(page, at, files, headlines[-1])


ODDS_OF_THEIR_OWN: Final = ("distances", "personal")
"""Pages whose odds are other sentences, held by their own tests."""


def read_page(page: Page, at: AppTest, files: Files, headline: Headline) -> PageContent:
    """All that is checked of the page, read once."""
    assert headline_of(at) == both_lines(headline)
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
        [(each["id"], each["fact"]) for each in pictures if each["fact"]],
    )


def check(page: Page, content: PageContent, runs: Mapping[str, Run]) -> None:
    """Every number that is listed of the page."""
    check_figures(page, content.headline, runs)
    check_numbers(content.tables[1 if page is YES_OR_NO else 0], page.numbers, runs)
    check_csv(content.csv, runs[OURS])
    page.more(content, runs)
    for html in content.odds:
        check_odds(page, html, runs[OURS])
    for name, (number, unit) in content.facts:
        file, source = page.facts[name.removeprefix("off-")]
        counted = unit.removesuffix(" on average").partition(" people ")[0]
        agree(f"{number} {counted}", source(runs[file]), name)


OF_TEN_MILLION: Final = 5 * math.sqrt(0.25 / 1e7)
"""What a share of ten million random reports may be off by: five standard errors, p < 6e-7."""


def check_figures(page: Page, headline: Headline, runs: Mapping[str, Run]) -> None:
    """Figures of the headline, to the last digit, and each number of its lines by a figure."""
    for name, value in headline.figures.items():
        everybody = name == "readable" and headline.figures["protected"] == 1
        if name in page.figures and not everybody:
            file, source = page.figures[name]
            off = OF_TEN_MILLION if source in (read_by_one, read_elsewhere) else 1e-9
            assert value == pytest.approx(source(runs[file]), rel=1e-9, abs=off), name
    assert set(headline.figures) <= {*page.figures, "warner_factor"}
    settings = [run.summary[name] for run in runs.values() for name in ("scenario", "n")]
    assert numbers_without_source(headline, settings) == []


def check_odds(page: Page, html: str, run: Run) -> None:
    """Who is protected and an attacker's odds, as numbers; their sentence is made from them."""
    nouns = ANSWERS if page.name in {"values", "yesno"} else PLACES
    setup = run.result.setup
    texts = describe_promise(nouns, setup)
    assert html == layout.odds_html(nouns, setup)
    assert texts.protected_share == pytest.approx(protected(run))
    if texts.protected_share > 0:
        assert texts.chance == pytest.approx(odds(run) / 100)
    if texts.protected_share < 1:
        assert texts.readable == pytest.approx(drawn_names(setup), abs=OF_TEN_MILLION)


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
        ("places", {5}),
        ("values", {18}),
        ("yesno", {3}),
        ("distances", {4}),
        ("personal", {4}),
    )
    for case in range(PAGES[name].how_many)
    if case in by_default or case % 10 in {0, 1}
]


@pytest.mark.slow
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
    # A policy that leaves a sensitive value unprotected is asked about first.
    assert (protocol is not None) == (can_be_collected(setup) and not unprotected_text(setup))
    if isinstance(protocol, bytes):
        assert protocol.decode() == run_command(["protocol"], str(content.files["scenario.json"]))
    for file, run in runs.items():
        same = [other for other, its in runs.items() if its is run]
        for number, summary in list(alter_numbers(run.summary))[:: 1 if THOROUGH else 5]:
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


def open_with_files(page: str, link: dict[str, str], **state: Any) -> tuple[AppTest, Files]:
    """The page with everything that it passes on."""
    there = {f"{page}-{name}": value for name, value in {"sharing": True, **state}.items()}
    with capture_files() as files:
        return jobs_done(open_page(f"pages/{page}.py", link, there)), files


def table(files: Files, name: str) -> pd.DataFrame:
    data = files[name]
    return pd.read_csv(io.BytesIO(data if isinstance(data, bytes) else data.encode()))


def scenario_of(text: Any) -> Scenario:
    return Scenario.from_dict(json.loads(text))


def people_for(setup: Setup, floor: float, within: float) -> float:
    """People for which the worst 95 % range of all common values is as wide as that, by hand."""
    p = setup.dataset.distribution
    of_one = setup.mechanism.variance(p, 1)  # falls with 1/n exactly
    common = p >= floor
    return float(((norm.ppf(0.975) / (within * p[common])) ** 2 * of_one[common]).max())


@pytest.mark.slow
@pytest.mark.parametrize(
    "record", thinned([Plan(), Plan(floor=0.02, within=0.2, protection="more-blocks")], one_in=2)
)
def test_people_of_a_plan_reach_its_goal(record: Plan) -> None:
    at, files = open_with_files("plan", PLAN_LINK.write(record), tabs="Share and export")
    planned = run_exported(str(files["scenario.json"]))
    needed = people_for(planned.result.setup, record.floor, record.within)
    assert needed <= planned.summary["n"] <= 1.002 * needed
    found = re.search(r"needs (.+?) people, plain LDP (.+?) \((.+?) times as", at.code[1].value)
    assert found is not None
    plain = prepare(planned.result.setup.scenario.plain())
    more = people_for(plain, record.floor, record.within)
    for figure, value, as_read in (
        (found[1], planned.summary["n"], to_three_digits),
        (found[2], 1.001 * more, lambda text: _within(to_three_digits(text), 0.001)),
        (found[3], more / needed, lambda text: _within(read(text), 0.003)),
    ):
        agree(figure, value, "headline", as_read)
    check_points(table(files, "people.csv"), record)
    for tab, check in (
        ("Which method", check_methods),
        ("What others' ε would mean here", check_deployments),
    ):
        at.session_state["plan-tabs"] = tab
        (element,) = jobs_done(at.run()).table
        check(element.value, record)


def _within(reading: Reading, share: float) -> Reading:
    return replace(reading, low=reading.low * (1 - share), high=reading.high * (1 + share))


def check_points(frame: pd.DataFrame, record: Plan) -> None:
    """A point of the picture each: its people by its own method."""
    titles = {words.protection_title(record, name): name for name in NAMES}
    for row in frame.sample(8, random_state=1).to_dict("records"):
        setup = prepare(record.protected_scenario(titles[row["protection"]], row["epsilon"]))
        assert MECHANISMS[setup.mechanism_name].title == row["method"]
        needed = people_for(setup, record.floor, record.within)
        assert needed * (1 - 1e-6) <= row["people"] <= max(1.002 * needed, needed + 1)


def check_methods(frame: Any, record: Plan) -> None:
    """By method and protection, the fewest marked."""
    by_title = {entry.title: entry for entry in MECHANISMS.values()}
    for name in (record.protection, "plain"):
        column = frame[words.protection_title(record, name)]
        fewest = math.inf
        for title, cell in column.items():
            spec = by_title[str(title)].spec()
            setup = prepare(
                replace(record.protected_scenario(name, record.epsilon), mechanism=spec)
            )
            needed = people_for(setup, record.floor, record.within)
            fewest = min(fewest, needed)
            as_read = to_three_digits(cell.removesuffix(" ✓"))
            assert _within(as_read, 0.001).holds(needed), (name, title, cell, needed)
        marked = [cell for cell in column if cell.endswith(" ✓")]
        assert marked
        assert all(_within(read(s.removesuffix(" ✓")), 0.01).holds(fewest) for s in marked)


def check_deployments(frame: pd.DataFrame, record: Plan) -> None:
    """Published ε's: odds by hand, and people under plain LDP."""
    for each in DEPLOYMENTS:
        row: Any = frame.loc[each.title]
        agree(row["ε per report"], each.epsilon, each.title)
        right = 1 / (1 + math.exp(-each.epsilon))
        agree(f"{row['right guesses of 100, one report']} of 100", right, each.title)
        needed = people_for(
            prepare(record.protected_scenario("plain", each.epsilon)), record.floor, record.within
        )
        reading = _within(to_three_digits(row["people for your goal, plain LDP"]), 0.001)
        assert reading.holds(needed), each.title


@pytest.mark.parametrize("days", thinned([4, 1], one_in=2))
def test_what_an_attacker_believes_is_what_the_code_prints(days: int) -> None:
    record = AttackerState(scene.PRESETS[2].apply(AttackerState().scenario), days=days)
    at, files = open_with_files("adversary", SUSPECT_LINK.write(record), tabs="Share and export")
    (code,) = (each.value for each in at.code if each.value.startswith("import numpy"))
    scenarios = {name: scenario_of(files[name]) for name in ("scenario.json", "plain-ldp.json")}
    beliefs = {name: believed(code, scenario) for name, scenario in scenarios.items()}
    ours, plain = beliefs["scenario.json"], beliefs["plain-ldp.json"]
    frame = table(files, "days.csv")
    np.testing.assert_allclose(frame["this protection"], ours, rtol=1e-12)
    np.testing.assert_allclose(frame["plain LDP"], plain, rtol=1e-12)
    assert frame["reports"].tolist() == list(range(11))
    assert (frame["this protection"] <= frame["at most, by the promise"] + 1e-12).all()
    pattern = (
        r"After (\d+) fresh reports? the attacker gives the true place an? (.+?) % chance\. The "
        r"chance is "
        r"(?:(.+?) % if the phone repeats one stored report, )?(.+?) % with plain LDP,? and "
        r"(.+?) % before any report\. Every report shows the state\."
    )
    found = re.fullmatch(pattern, headline_of(at))
    assert found is not None, headline_of(at)
    assert int(found[1]) == days
    believes = (ours[days], ours[1], plain[days], ours[0])
    for figure, value in zip(found.groups()[1:], believes, strict=True):
        if figure is not None:
            agree(f"{figure} of 100", value, "headline")
    assert (found[3] is None) == (days == 1)
    at.session_state["adversary-tabs"] = "Numbers"
    numbers: Any = checked(at.run()).table[0].value
    for title, name in (("this protection", "scenario.json"), ("plain LDP", "plain-ldp.json")):
        summary = run_exported(str(files[name])).summary
        assert numbers[title]["method"] == MECHANISMS[summary["mechanism"]].title
        for row, day in (
            ("chance of the true place, before any report", 0),
            ("after a fresh report every day", days),
            ("after one stored report", min(days, 1)),
        ):
            agree(numbers[title][row], beliefs[name][day], f"{title}, {row}", to_two_digits)


def believed(code: str, scenario: Scenario) -> list[float]:
    """What the page's code prints of a scenario, day by day."""
    start, end = code.index("Scenario.from_dict("), code.index("\nplace, days")
    text = io.StringIO()
    with redirect_stdout(text):
        exec(f"{code[:start]}Scenario.from_dict({scenario.to_dict()!r}){code[end:]}", {})
    return [float(line.split()[1]) for line in text.getvalue().splitlines()]


@pytest.mark.slow
def test_table_1_is_that_of_the_command_line() -> None:
    record = replace(PaperRecord(), runs=2)
    at, files = open_with_files("paper", PAPER_LINK.write(record))
    (command,) = (each.value for each in at.code if "table1" in each.value)
    arguments = command.split()[3:-1]
    columns = json.loads(
        run_command([*arguments[:2], "--json", *arguments[2:]], str(files["scenario.json"]))
    )
    frame = at.table[0].value
    assert len(frame.columns) == len(columns)
    download = table(files, "table-1.csv")
    assert download["mean TV"].tolist() == [column["mean"] for column in columns]
    assert download["printed"].tolist() == [column["paper"] for column in columns]
    for column in columns:
        cells: Any = frame[column_title(next(c for c in TABLE_1 if c.title == column["title"]))]
        agree(cells["recomputed, mean"], column["mean"], column["title"])
        agree(cells["standard error"], column["standard_error"], column["title"])
        agree(cells["printed"], column["paper"], column["title"])
        gap, _, side = cells["difference"].replace("\N{NO-BREAK SPACE}", " ").partition(" % ")
        off = column["mean"] / column["paper"] - 1
        agree(f"{gap} %", abs(off), column["title"])
        assert side.startswith("above" if off >= 0 else "below")


def test_the_epsilon_of_every_plan_is_enough_and_hardly_less_is() -> None:
    """It was read off between points of the picture, where fewer people need not be enough."""
    data: tuple[DatasetSpec, ...] = (Survey("income"), Uniform(12))
    for each, name, people in product(data, NAMES, (10**5, 10**7)):
        scenario = replace(Plan().scenario, dataset=each, n=people)
        record = replace(Plan(), scenario=scenario, protection=name)
        points = plans.needs_by_protection(record, list(plans.compute_needs(record, no_progress)))
        level = words.sufficient_epsilon(record, points) or 0.0
        if level > points[name][0].epsilon:
            less = (record.protected_scenario(name, e) for e in (level, 0.9 * level))
            enough, more = (plans.compute_need(record, name, s).people or 0 for s in less)
            assert enough <= people < more, (each, name, people)


def test_margins_of_more_than_all_people_are_no_numbers() -> None:
    """A memo said “± 19,000 percentage points”."""
    many = Margins(("a", "b"), np.array([0.6, 0.4]), np.array([0.042, 190.0]))
    text = words.margins_text(Plan(), many, 0.1)
    assert "to ± 4.2 percentage points for “a” and to ± more than 100 for “b”" in text
    none = replace(many, margins=np.array([1.1, 190.0]))
    assert "nothing can be said of any" in words.margins_text(Plan(), none, 0.1)
    assert formats.points(190.0) == "more than 100 percentage points"


def test_a_method_has_its_title_and_no_difference_is_all_of_a_number_unless_it_is() -> None:
    """The published RAPPOR was named as in files, and an error of 0.0001 was “100 % below”."""
    record = replace(PAPER.with_context(epsilon=20.0), mechanism=PublishedUrap())
    shown = paper_words.headline(record, [(TABLE_1[0], MeanError(1, 1e-4, None))])
    assert "differs by at most 99.98" in shown.sentence
    assert f"“{MECHANISMS['published-urap'].title}”" in shown.second
