"""Who is not protected comes first; statements and questions of pages follow from the core."""

import re
from dataclasses import replace
from fractions import Fraction
from html import unescape
from typing import Any, Final

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from caldp_core import Protocol, Scenario, prepare, run
from caldp_core.basics.types import no_progress
from caldp_core.collect.collected_tally import CollectedTally
from caldp_core.collect.estimate import Results, Tallies
from caldp_core.domain.domains import GridDomain
from caldp_core.experiments.run import Result
from caldp_core.mechanisms import mechanism
from caldp_core.privacy.context import Context
from caldp_core.scenarios.blocks import (
    EvenRuns,
    EverythingSensitive,
    RegionBlocks,
    SensitiveSymbols,
)
from caldp_ui.app.navigation import CLASSROOM
from caldp_ui.app.navigation import PAGES as NAVIGATION_PAGES
from caldp_ui.compute import runs
from caldp_ui.compute.runs import PrivacySummary
from caldp_ui.parts import comparison, layout, pins, sharing
from caldp_ui.parts.comparison import USES
from caldp_ui.personal.page_state import LINK as PERSONAL_LINK
from caldp_ui.places.page_state import LINK as PLACES_LINK
from caldp_ui.plan import page_state
from caldp_ui.plan import view as plan_view
from caldp_ui.plan.page_state import DEPLOYMENTS, Plan
from caldp_ui.results import view as result_words
from caldp_ui.room.page_state import STATE as ROOM
from caldp_ui.start import page as start_page
from caldp_ui.values.page_state import AFFAIR, STATE, ValuesState
from caldp_ui.values.page_state import LINK as VALUES_LINK
from caldp_ui.words import accuracy as sentences
from caldp_ui.words import policies, promise
from caldp_ui.words.accuracy import DEFINITIONS, OF_PAGES, OF_STATIONS, Statement
from caldp_ui.words.formats import ANSWERS, PLACES, place_name
from tests.contract.checks import naming
from tests.strategies import thinned
from tests.test_docs_mathematics import rows
from tests.ui.agreement import PERSONAL, drawn_names
from tests.ui.agreement import PLACES as PLACES_PAGE
from tests.ui.agreement import VALUES as VALUES_PAGE
from tests.ui.driver import checked, go, open_page, open_record, page_record
from tests.ui.pages import PAGES
from tests.ui.readings import read

NAMES: Final = ["hiv*", "flu", "cold", "cough", "none"]
FIRST: Final = "“hiv*” is protected by nothing and sent in clear."
POLICY: Final = {
    "kind": "context",
    "blocks": {"kind": "groups"},
    "sensitive": {"kind": "everything"},
    "epsilon": [7.5, 1.0],
}


def scenario(hiv: int = 0, **policy: Any) -> Scenario:
    """Everything is sensitive, "hiv*" is alone in its block of ε = 7.5, and `hiv` people have it.

    Where nobody has it, 100 of 100 people are protected.
    """
    data = {"kind": "table", "names": NAMES, "counts": [hiv, 60, 60, 60, 60], "groups": [*"ABBBB"]}
    parts = {"caldp_scenario": 2, "dataset": data, "policy": POLICY | policy}
    return Scenario.from_dict(parts)


@pytest.fixture(scope="module")
def result() -> Result:
    return run(prepare(scenario()))


def collected(protocol: Protocol) -> Results:
    tally = protocol.mechanism.sample_tally(np.array([0, 60, 60, 60, 60]), 1)
    return Tallies.of(protocol, (("day", CollectedTally(protocol.fingerprint, tally)),)).results(
        0.95
    )


def test_the_headline_the_odds_and_the_promise_begin_with_them(result: Result) -> None:
    setup = result.setup
    texts = policies.describe_promise(ANSWERS, setup)
    assert texts.protected_share == 1.0, "nobody has it, and shares of people hide it"
    assert not texts.protects_all
    shown = layout.headline_html(sentences.headline(ANSWERS, setup, *[result.first.errors.tv] * 2))
    assert f"<h1>{FIRST}" in unescape(shown)
    assert "unprotected" in shown
    assert unescape(layout.odds_html(ANSWERS, setup)).index(FIRST) < layout.odds_html(
        ANSWERS, setup
    ).index("Protection")
    assert "orange, not" in layout.picture(texts)
    assert policies.promise_summary(ANSWERS, setup).startswith(FIRST)
    assert pins.odds_numbers(ANSWERS, setup)["protected by nothing"].startswith(FIRST)
    assert dict(texts.levels)["ε"] == "1"
    assert policies.setting_text(setup).startswith("ε = 1 ·")
    content = sharing.ReportContent(result, "All is well.", {})
    report = sharing.audit_scenario(setup.scenario, no_progress)
    page = unescape(sharing.html(ANSWERS, content, report, ""))
    assert page.index(FIRST) < page.index("All is well.")
    assert "7.5" not in page.partition('"caldp_scenario"')[0]


def test_a_place_alone_in_its_block_is_named_though_nobody_is_there() -> None:
    """The coarse map cuts single cells off from islands: the largest town, or degrees."""
    setup = prepare(Scenario().with_context(blocks=RegionBlocks()))
    alone = np.flatnonzero((setup.partition.sizes() == 1)[setup.partition.labels])
    exposed = policies.describe_promise(PLACES, setup).exposed
    domain = setup.dataset.domain
    assert isinstance(domain, GridDomain)
    first = place_name(domain, int(alone[0]))
    assert exposed.startswith(
        f"{alone.size} places, such as {first}, are protected by nothing and "
    )


def test_where_nobody_is_protected_no_level_is_said() -> None:
    marks = {"kind": "symbols", "runs": ["0"]}
    setup = prepare(scenario(30, sensitive=marks))
    texts = policies.describe_promise(ANSWERS, setup)
    said = policies.promise_summary(ANSWERS, setup)
    assert said.startswith(FIRST)
    assert "Nobody is protected" in said
    assert dict(texts.levels)["ε"] == "none: nobody is protected"
    assert policies.setting_text(setup).startswith("nobody is protected ·")
    report = sharing.audit_scenario(setup.scenario, no_progress)
    page = sharing.html(ANSWERS, sharing.ReportContent(run(setup), "", {}), report, "")
    assert "It holds" not in page
    assert "Nothing is promised" in page
    assert "Nothing is promised" in comparison._audit_text(report.summary)


def test_a_loss_that_reads_like_its_level_is_said_to_be_above_it() -> None:
    found = PrivacySummary(False, "all", 1.00000000000001, 1.0, excess=1e-14)
    assert "where ε = 1 is promised: less than 0.0001 above it." in sharing._audit(found)
    assert ": 0.0500 above it." in sharing._audit(replace(found, loss=1.05, excess=0.05))
    assert "above" not in sharing._audit(PrivacySummary(True, "all", 1.0, 1.0))


def test_a_plan_and_its_memo_begin_with_them(
    monkeypatch: pytest.MonkeyPatch, result: Result
) -> None:
    plan = Plan(scenario())
    # Of the plan's own protections, places alone in their state or country are such.
    monkeypatch.setattr(plan_view, "setup_at", lambda record, level: result.setup)
    points = page_state.needs_by_protection(list(page_state.compute_needs(plan, no_progress)))
    assert plan_view.headline(plan, points).sentence.startswith(FIRST)
    assert plan_view.plain_memo(plan, points, None).startswith(FIRST)


def test_results_of_a_collection_begin_with_them() -> None:
    results = collected(Protocol.of(prepare(scenario()), allow_unprotected=True))
    shown = result_words.headline(results, is_example=False)
    assert shown.sentence.startswith(FIRST)
    assert shown.unprotected
    sentences = result_words.promise_sentences(results)
    assert sentences[0].startswith(FIRST)
    assert not any("7.5" in each for each in sentences)


def test_the_protocol_is_offered_once_it_is_asked_for() -> None:
    first = page_record(open_record(STATE), STATE)
    every_answer_alone = EvenRuns(runs.setup(first.scenario).mechanism.k)
    alone = first.scenario.with_context(blocks=every_answer_alone, sensitive=EverythingSensitive())
    at = open_record(STATE, replace(first, scenario=alone))
    at.session_state["values-tabs"] = "Share and export"
    checked(at.run())
    offered = _files(at)
    assert "scenario.json" in offered
    assert "protocol.json" not in offered
    (warning,) = at.warning
    assert "are protected by nothing" in warning.value
    checked(at.checkbox(key="values-allow-unprotected").check().run())
    assert "protocol.json" in _files(at)


def _files(at: AppTest) -> list[str]:
    """Names of the files that the page offers."""
    found: Any = at.get("download_button")
    return [each.label for each in found]


_PAGES: Final[list[Any]] = [
    (PLACES_PAGE, PLACES_LINK),
    (VALUES_PAGE, VALUES_LINK),
    (PERSONAL, PERSONAL_LINK),
]


def test_presets_say_of_how_many_unprotected_people_one_report_names_the_value() -> None:
    """By reports of ten million of them: who sends a cover report can't be read from it."""
    said = set()
    for page, link in _PAGES:
        for query in page.links():
            setup = runs.setup(link.read(query).scenario)
            texts = policies.describe_promise(ANSWERS, setup)
            if texts.protected_share >= 1.0:
                continue
            share = drawn_names(setup)
            with naming(f"{page.name} {query}"):
                sentence = promise.unprotected_text(ANSWERS, texts.protected_share, texts.readable)
                of = "(?:people|of the others|of them)"
                numbers = re.findall(rf"names the \w+ of (.+?) {of}", sentence)
                assert all(read(number).holds(share) for number in numbers)
                assert len(numbers) == (share < 0.995)
                assert ("can be read" in sentence) == (share >= 0.995)
                said.add(len(numbers))
    assert said == {0, 1}


NO_VERDICT = "**No ε is safe for everybody.**"


def opened(name: str, record: Any = None) -> AppTest:
    state = PAGES[name].state
    return checked(open_record(state, record).button(key=state.key("safe")).click().run())


def is_open(at: AppTest) -> bool:
    return any(each.value.startswith(NO_VERDICT) for each in at.markdown)


def test_drawer_names_the_unprotected_before_any_odds_and_gives_no_verdict() -> None:
    at = opened("values", ValuesState(AFFAIR))
    texts = [each.value for each in at.markdown]
    begin = next(at for at, text in enumerate(texts) if text.startswith(NO_VERDICT))
    assert policies.describe_promise(ANSWERS, prepare(AFFAIR)).grades[0].word == "none"
    assert texts[begin + 1] == "**Here: ε = 1**"
    assert texts[begin + 2].startswith(r"- Only 32 of 100 people are protected")


def test_drawer_stays_while_the_page_runs_by_itself_and_goes_with_the_page() -> None:
    at = opened("curves")
    assert is_open(at)
    assert is_open(checked(at.run()))
    assert not is_open(go(at, "pages/yesno.py"))
    assert not is_open(go(at, "pages/curves.py"))


def test_a_drawer_that_opens_closes_the_one_before() -> None:
    at = open_record(ROOM)
    for key in ("by-hand", "safe", "by-hand"):
        checked(at.button(key=ROOM.key(key)).click().run())
        assert is_open(at) == (key == "safe")
    assert len(at.number_input) == 2


@pytest.mark.parametrize("kind", ["device", "holder"])
def test_levels_of_others_rise_and_say_what_they_cover(kind: str) -> None:
    uses = USES[kind]
    assert [use["epsilon"] for use in uses] == sorted(use["epsilon"] for use in uses)
    assert all(use["who"] and use["covers"].startswith("one ") for use in uses)


def test_levels_on_devices_are_those_of_the_plan_s_table() -> None:
    planned = {each.title: round(each.epsilon_after(1), 2) for each in DEPLOYMENTS}
    shown = {use["who"]: use["epsilon"] for use in USES["device"]}
    same = {
        "Apple, types of health data": "Health types, phones",
        "Apple, emoji (2017)": "Emoji, phones",
        "Apple, new words of the keyboard": "Keyboard words (QuickType), phones",
        "Google Chrome, web domains by RAPPOR (until about 2019)": (
            "Web domains, the browser's source"
        ),
    }
    assert {who: shown[who] for who in same} == {who: planned[same[who]] for who in same}


Table = set[tuple[str, str, str]]
TITLES = {
    entry.path.removeprefix("pages/").removesuffix(".py"): entry.title for entry in NAVIGATION_PAGES
}


def table_rows(*sections: str) -> Table:
    """Statement, code and place of the rows of these tables."""
    return {(says, code, where) for section in sections for says, code, where in rows(section)}


def row_of(statement: Statement, where: str) -> tuple[str, str, str]:
    return statement.says, f"`{statement.code}`" if statement.code else "–", where


def test_the_tables_are_those_of_the_pages() -> None:
    by_page = {row_of(s, TITLES[page]) for page, those in OF_PAGES.items() for s in those}
    by_station = {row_of(s, station) for station, those in OF_STATIONS.items() for s in those}
    assert table_rows("Theory", "Audits") == by_page
    assert table_rows("The lecture") == by_station
    assert len(by_page) + len(by_station) == sum(
        len(those) for table in (OF_PAGES, OF_STATIONS) for those in table.values()
    )


def code_names(at: AppTest) -> list[str]:
    """Names of the code in what is shown of statements."""
    texts = [item.value for item in at.main.markdown]
    return [name for text in texts for name in re.findall(r" · `(caldp_core\.[\w.]+)`$", text)]


@pytest.mark.parametrize("page", thinned(OF_PAGES, one_in=3))
def test_a_page_shows_its_statements(page: str) -> None:
    at = open_page(f"pages/{page}.py", {}, {f"{page}-mathematics": True})
    assert code_names(at) == [each.code for each in OF_PAGES[page] if each.code]
    formulas = {"$$\n" + s.formula + "\n$$" for s in OF_PAGES[page] if s.formula}
    assert formulas <= {item.value for item in at.latex}


@pytest.mark.parametrize("station", thinned(OF_STATIONS, one_in=4))
def test_a_station_shows_its_statements(station: str) -> None:
    at = open_page(CLASSROOM, {"station": station}, {"classroom-formula": True})
    assert code_names(at) == [each.code for each in OF_STATIONS[station] if each.code]
    assert at.latex
    assert not open_page(CLASSROOM, {"station": station}).latex


def test_statements_wait_until_they_are_asked_for() -> None:
    assert not code_names(open_page("pages/yesno.py"))


def test_what_mixing_leaves_is_worked_out_once_it_is_asked_for() -> None:
    sentence = promise.scenario_text(PLACES, prepare(Scenario()))
    for is_open in (False, True):
        at = open_page("pages/places.py", {}, {"if-mixed": is_open})
        texts = [item.value for item in at.main.markdown]
        assert (sentence in texts) == is_open
        assert (f"**δ**: {DEFINITIONS['δ']}" in texts) == is_open
    assert not promise.is_known(prepare(Scenario().with_context(sensitive=SensitiveSymbols(()))))


ALL = [each for column in start_page.frequent_questions().values() for each in column]


def answer_to(question: str) -> str:
    (found,) = (each.answer for each in ALL if each.question == question)
    return found


def test_odds_are_those_of_two_answers_under_the_channel_itself() -> None:
    found = re.findall(
        r"ε = (\d+)[^.]*?([\d.]+|more than 99.9)(?= of 100|, at|\.)", answer_to("Is my ε safe?")
    )
    assert [int(epsilon) for epsilon, _ in found] == [1, 4, 8]
    for epsilon, percent in found:
        context = Context.plain(2, float(epsilon))
        one, other = mechanism(context, "randomized-response").exact_channel()
        right = 50 * sum(max(pair) for pair in zip(one, other, strict=True))  # the best rule
        assert abs(float(percent.removeprefix("more than ")) - float(right)) <= 0.5


def test_ten_reports_are_at_most_what_a_binomial_says() -> None:
    right = Fraction(0)
    yes = Fraction(731, 1000)  # of a report at ε = 1, rounded down
    for agree in range(11):
        ways = Fraction(1)
        for i in range(agree):
            ways = ways * (10 - i) / (i + 1)
        both = yes**agree * (1 - yes) ** (10 - agree), (1 - yes) ** agree * yes ** (10 - agree)
        right += ways * max(both) / 2
    assert "more than 99.9 times in 100" in answer_to("What if I answer every day?")
    assert right < 1  # the bound is reported as one: “may be right”


def test_pages_and_uses_that_are_named_exist() -> None:
    titles = {entry.title for entry in NAVIGATION_PAGES}
    named = [title for each in ALL for title in re.findall("See “([^”]*)”", each.answer)]
    assert len(named) >= 8
    assert set(named) <= titles
    levels = {use.title: use.epsilon for use in DEPLOYMENTS}
    assert levels["Emoji, phones"] == 4.0
    assert levels["Keyboard words (QuickType), phones"] == 8.0


def test_they_are_on_the_first_page_with_all_words() -> None:
    at = open_page("pages/start.py")
    texts: list[Any] = list(at.get("html"))
    (made,) = (each.body for each in texts if 'class="questions"' in each.body)
    assert made.count("<summary>") == len(ALL) + 1
    assert all(f"<dt>{name}</dt>" in made for name in DEFINITIONS)
