"""What every page owes its reader, and that tests catch a page with one slip.

A default without a word of warning, and a way back to it; a link that opens what it was made from;
one sentence for a link that is none; tabs that can all be drawn; ready settings with links of their
own; what was set stays while other pages are looked at; and who pins keeps the pin beside what is
tried, and in the link. A drawer says of every ε what it means, statements are those of the
documentation, and the first page answers what people ask.

What a page shows of a record is held against the core in the page's own file; cards of the first
page in `test_app.py`; a real browser's step back in `browser/test_links.py`.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import Snap
from caldp_core.experiments.run import prepare, run
from caldp_core.mechanisms import mechanism
from caldp_core.privacy.context import Context
from caldp_core.scenarios.blocks import SensitiveSymbols
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app import navigation
from caldp_ui.app.navigation import CLASSROOM
from caldp_ui.app.navigation import PAGES as NAVIGATION_PAGES
from caldp_ui.app.theme import BOTH, DARK, LIGHT
from caldp_ui.charts import show
from caldp_ui.charts.show import Figure
from caldp_ui.classroom import questions
from caldp_ui.compute import runs
from caldp_ui.parts.comparison import USES
from caldp_ui.plan.page_state import DEPLOYMENTS
from caldp_ui.room import view
from caldp_ui.room.page_state import STATE as ROOM
from caldp_ui.room.poll import PollState
from caldp_ui.room.question import class_shares
from caldp_ui.room.sets import EXAMPLES
from caldp_ui.session import page_state
from caldp_ui.session.page_state import PinPageState
from caldp_ui.values.page_state import AFFAIR, BEGIN, ValuesState
from caldp_ui.words import formats, policies, promise
from caldp_ui.words.accuracy import DEFINITIONS, OF_PAGES, OF_STATIONS, Statement
from caldp_ui.words.formats import ANSWERS, PLACES, Headline
from tests.conftest import THOROUGH
from tests.contract.checks import naming
from tests.strategies import thinned
from tests.test_docs_mathematics import rows
from tests.ui.driver import (
    capture_headlines,
    checked,
    container,
    go,
    jobs_done,
    leave,
    open_every_tab,
    open_page,
    open_record,
    page_record,
    pictures,
    query_of,
    step_to,
    unpin,
)
from tests.ui.pages import PAGES, Page, assert_none_opens_otherwise
from tests.ui.readings import drawn, numbers_without_source

WITH_READY = [name for name, page in PAGES.items() if page.ready]
PINNING = [name for name, page in PAGES.items() if isinstance(page.state, PinPageState)]
WITH_TABS = (
    *("places", "values", "yesno", "distances", "personal", "adversary", "coarser", "matrix"),
    "room",
)
WITH_PINNED_MAPS = ("places", "distances")
"""Pages whose pinned maps are those that the page drew before."""
SAFE = "Is this ε safe?"
"""The question that stands beside every ε."""
ERROR = "total variation (TV)"


def pinned_record(at: AppTest, page: Page) -> Any:
    return at.session_state[f"{page.state.page}/pinned"]


def sentences(at: AppTest) -> list[str]:
    return [item.value for item in (*at.error, *at.warning)]


def move_slider(at: AppTest, page: Page) -> AppTest:
    """The page after its slider has been moved."""
    assert page.slider is not None
    name, value = page.slider
    return checked(at.select_slider(key=page.state.key(name)).set_value(value).run())


def test_every_page_of_the_menu_is_held_to_it() -> None:
    assert {page.path for page in PAGES.values()} == {entry.path for entry in navigation.PAGES}
    assert {name for name, page in PAGES.items() if page.state.page != name} == set()
    assert [name for name in PINNING if PAGES[name].slider is None] == []


@pytest.fixture
def headlines() -> Iterator[list[Headline]]:
    """All headlines that pages draw in the test, in order."""
    with capture_headlines() as drawn:
        yield drawn


def assert_sources(headlines: list[Headline], record: object) -> None:
    """The numbers of the headlines that were drawn since are figures or settings of the record."""
    missing = [text for each in headlines for text in numbers_without_source(each, record)]
    headlines.clear()
    assert missing == []


def colours_of_words(figure: Figure) -> set[str]:
    """The colours of names, notes and labels that a chart writes on its plane."""
    fonts = [trace.get("textfont", {}) for trace in figure.traces]
    fonts += [note["font"] for note in figure.layout.get("annotations", ())]
    fonts += [shape.get("label", {}).get("font", {}) for shape in figure.layout.get("shapes", ())]
    found: set[str] = set()
    for font in fonts:
        colour = font.get("color", ())
        found.update([colour] if isinstance(colour, str) else colour)
    return found


@pytest.fixture(autouse=True)
def _charts_that_plotly_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    """What pages draw is such that Plotly's own library takes it, and its words can be read."""
    write = show.figure_json

    def write_checked(figure: Figure, alt: str) -> str:
        drawn(figure)
        assert not colours_of_words(figure) & {LIGHT.faint, DARK.faint, BOTH.faint}
        return write(figure, alt)

    monkeypatch.setattr(show, "figure_json", write_checked)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_with_its_default_leads_back_to_it_and_draws_every_tab(
    name: str, headlines: list[Headline]
) -> None:
    page = PAGES[name]
    at = open_record(page.state)
    assert_sources(headlines, page_record(at, page.state))
    fresh = page.state.codec.fresh()
    assert (page_record(at, page.state), query_of(at), sentences(at)) == (fresh, {}, [])
    asks = any(each.label == SAFE for each in at.button)
    assert asks == any("ε" in each.label for each in at.select_slider) or name == "classroom"
    changed = page.other or {"scenario": replace(fresh.scenario, seed=7)}
    other = replace(fresh, **changed)
    query = page.state.codec.write(other)
    checked(step_to(at, name, query).run())
    assert (page_record(at, page.state), query_of(at), sentences(at)) == (other, query, [])
    checked(step_to(at, name, {}).run())
    assert (page_record(at, page.state), query_of(at), sentences(at)) == (fresh, {}, [])
    if name in WITH_TABS:
        open_every_tab(at, page.state.key("tabs"))


SLOW_READY = ("plan", "paper")
"""Their ready settings take trials."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.thorough if n in SLOW_READY else ()) for n in WITH_READY],
)
def test_every_ready_setting_is_shown_and_has_a_link_of_its_own(
    name: str, headlines: list[Headline]
) -> None:
    page = PAGES[name]
    assert page.ready is not None
    ways, key = page.ready
    at, queries = open_record(page.state), []
    for after in ways(at, key):
        record, query = page_record(checked(after), page.state), query_of(at)
        with naming(str(query)):
            assert sentences(at) == []
            assert_sources(headlines, record)
            assert page.state.codec.read(query) == record
            queries.append(query)
    assert len({str(query) for query in queries}) > 2
    assert_none_opens_otherwise(page.state, max(queries, key=len), every=41)
    last = page_record(at, page.state)
    leave(at)
    again = open_page(page.path, query_of(at))
    assert (page_record(again, page.state), sentences(again)) == (last, [])


@pytest.mark.parametrize("name", PAGES)
def test_a_link_that_is_none_is_told_in_one_sentence_and_the_page_starts_afresh(name: str) -> None:
    page = PAGES[name]
    codec = page.state.codec
    for query in page.bad:
        with naming(str(query)):
            assert codec.unknown_keys(query) == []
            with pytest.raises(CaldpError) as refused:
                codec.check(codec.read(query))
            assert len(str(refused.value)) < 600
    # The first page opens the map with it: `test_app.py`. All others give the same answer.
    if page.path == navigation.START or (list(PAGES).index(name) % 3 and not THOROUGH):
        return
    at = open_page(page.path, page.bad[0])
    (sentence,) = sentences(at)
    assert "starts afresh" in sentence
    assert (page_record(at, page.state), query_of(at)) == (codec.fresh(), {})


@pytest.mark.slow
def test_every_page_keeps_what_was_set_on_it() -> None:
    at, set_to = open_page(""), {}
    pages = list(PAGES.items())[slice(None) if THOROUGH else slice(1, None, 2)]
    for name, page in pages:
        go(at, page.path)
        if page.slider:
            before = query_of(at)
            assert query_of(move_slider(at, page)) != before, name
        set_to[name] = query_of(at)
        leave(at)  # what it computes beside is not what is asked here
    assert sum(page.slider is not None for _, page in pages) > len(pages) // 2
    for name, query in set_to.items():
        assert query_of(go(at, PAGES[name].path)) == query, name
        leave(at)


def tables(at: AppTest, page: Page) -> list[Any]:
    """Of what is pinned beside what is shown; curves have none, as they are the numbers."""
    beside = container(at, page.state.key("pinned"))
    return list(beside.table) if beside else []


def error_of(scenario: Scenario) -> str:
    """As pages say it, by a run of the core."""
    return formats.share(run(prepare(scenario)).first.errors.tv)


@pytest.mark.slow
@pytest.mark.parametrize("name", thinned(PINNING, one_in=2))
def test_a_pin_stays_beside_what_is_tried_and_in_the_link(name: str) -> None:
    page = PAGES[name]
    at = open_record(page.state)
    first = page_record(at, page.state)
    assert not tables(at, page)
    checked(at.button(key=f"{name}-pin").click().run())
    now = page_record(move_slider(at, page), page.state)
    assert now != first
    assert pinned_record(at, page) == first
    if name == "plan":  # its numbers come with the picture
        jobs_done(at)
    assert len(tables(at, page)) == (name != "curves")
    for table in tables(at, page):
        assert "reports" not in table.value.index, "the same in both"
        if ERROR in table.value.index:
            errors = [error_of(now.scenario), error_of(first.scenario)]
            assert list(table.value.loc[ERROR]) == errors
    again = open_page(page.path, query_of(at))
    assert (page_record(again, page.state), pinned_record(again, page)) == (now, first)
    if name in WITH_PINNED_MAPS:
        drawn, kept = pictures(again, f"{name}-maps"), pictures(again, f"{name}-pinned-maps")
        assert drawn["truth"] == kept["truth"]
        assert kept == pictures(open_record(page.state), f"{name}-maps") != drawn
    go(at, navigation.START)
    go(at, page.path)
    assert pinned_record(at, page) == first
    unpin(at, name)
    assert "pinned" not in query_of(at)
    assert not tables(at, page)


POLL = PollState("", "", EXAMPLES["Vote"], True, (0, 1, 1, 2, 0, 4, 1, 3, 1, 1) * 6, 62)


def test_a_poll_s_headline_and_table_have_the_range_of_its_board() -> None:
    table, shares = view.numbers(POLL), class_shares(POLL.question, POLL.reports, POLL.people)
    sentence = view.live_headline(POLL, shares).sentence
    low, high = round(62 * float(shares.low[0])), round(62 * float(shares.high[0]))
    assert f"60 of 62 phones have answered: {low} to {high} of 62 people would" in sentence
    shown = shares
    for name, column in (("estimate", shown.estimate), ("from", shown.low), ("to", shown.high)):
        assert table[f"{name}, %"].tolist() == pytest.approx((100 * column).round(1).tolist())
    assert (table["from, %"] < table["to, %"]).all()
    assert table["reports"].tolist() == [12, 30, 6, 6, 6]


def test_a_link_runs_one_trial_and_no_file_that_its_sender_chose_is_read() -> None:
    """Were it there or not."""
    assert page_state.make_safe(replace(BEGIN, trials=500)).trials == 1
    with pytest.raises(CaldpError, match="SNAP's file, which is not on this machine"):
        page_state.make_safe(replace(BEGIN, dataset=Snap(path=__file__)))


def test_no_spreadsheet_runs_what_a_name_begins_with() -> None:
    for name in ("=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1"):
        assert b"\n'" in runs.csv({"name": [name]}).replace(b'"', b"")


NO_VERDICT = "**No ε is safe for everybody.**"


def open_drawer(name: str, record: Any = None) -> AppTest:
    state = PAGES[name].state
    return checked(open_record(state, record).button(key=state.key("safe")).click().run())


def is_open(at: AppTest) -> bool:
    return any(each.value.startswith(NO_VERDICT) for each in at.markdown)


def test_drawer_names_the_unprotected_before_any_odds_and_gives_no_verdict() -> None:
    at = open_drawer("values", ValuesState(AFFAIR))
    texts = [each.value for each in at.markdown]
    begin = next(at for at, text in enumerate(texts) if text.startswith(NO_VERDICT))
    assert policies.describe_promise(ANSWERS, prepare(AFFAIR)).grades[0].word == "none"
    assert texts[begin + 1] == "**Here: ε = 1**"
    assert texts[begin + 2].startswith(r"- Only 32 of 100 people are protected")


def test_drawer_stays_while_the_page_runs_by_itself_and_goes_with_the_page() -> None:
    at = open_drawer("curves")
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


ALL = [each for column in questions.frequent_questions().values() for each in column]


LIES = "Can people lie and spoil it?"


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


def test_a_lie_adds_what_the_channel_says() -> None:
    """A lie that is sent without a coin: one count more, divided by what a coin leaves of one."""
    found = re.findall(r"([\d.]+)(?: people[^,]*)? at ε = (\d(?:\.\d)?)", answer_to(LIES))
    assert [level for _, level in found] == ["1", "0.1"]
    for added, level in found:
        no, yes = mechanism(Context.plain(2, float(level)), "randomized-response").exact_channel()
        exact = (1 - no[1]) / (yes[1] - no[1])
        assert float(added) == pytest.approx(float(exact), rel=0.05)
        assert float(added) > 1


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


def test_they_are_below_the_stations_of_the_classroom_with_all_words() -> None:
    at = open_page("pages/classroom.py")
    texts: list[Any] = list(at.get("html"))
    (made,) = (each.body for each in texts if 'class="questions"' in each.body)
    assert made.count("<summary>") == len(ALL) + 1
    assert all(f"<dt>{name}</dt>" in made for name in DEFINITIONS)
