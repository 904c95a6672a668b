"""Your data: what is pasted, chosen or opened is shown, told what is wrong with it, or escaped."""

import gzip
import re
from dataclasses import replace
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from caldp_core.basics.types import no_progress
from caldp_core.datasets import OwnTable
from caldp_core.domain.answers import Domain
from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.blocks import EverythingSensitive, GroupBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app import navigation
from caldp_ui.app.errors import escape_markdown
from caldp_ui.compute import exports, runs
from caldp_ui.parts import internal, sharing
from caldp_ui.session import links, visitor_data
from caldp_ui.values import page as upload
from caldp_ui.values import view as chart
from caldp_ui.values.page_state import (
    BEGIN,
    LINK,
    TABLES,
    ValuesState,
    presets_of,
    switch_table,
    table_of,
)
from caldp_ui.words.formats import ANSWERS
from tests.contract.checks import naming
from tests.datasets.files import read_table
from tests.ui.driver import (
    accepted,
    as_read,
    checked,
    data_of,
    go,
    jobs_done,
    open_page,
    query_of,
    reload,
)
from tests.ui.exported import run_exported
from tests.ui.values_page import assert_shows, mark, open_values, scenario_of

HOSTILE = "<script>alert(1)</script> **b** $x$ :material/home: `c` [l](//x) &amp;"
LONG = "\n".join(f"answer number {i:03} of a long list,{i + 2}" for i in range(120))


def scenario_of_text(text: str, name: str = OwnTable.title) -> Scenario:
    """What the page shows of a text."""
    table = table_of(read_table(text, name).table)
    assert table is not None
    return switch_table(BEGIN, table)


def form(at: AppTest) -> AppTest:
    """The page with its form open."""
    at.session_state["values-own"] = True
    return checked(at.run())


def show(
    at: AppTest,
    text: str | None = None,
    file: tuple[str, bytes] | None = None,
    name: str | None = None,
) -> AppTest:
    """Paste a text or choose a file, and press the button."""
    form(at)
    if text is not None:
        at.text_area(key="values-own-text").set_value(text)
    if name is not None:
        at.text_input(key="values-own-name").set_value(name)
    if file is None:
        checked(at.button(key="values-own-show").click().run())
    else:
        at.file_uploader(key="values-own-file").set_value((*file, "text/plain"))
        checked(at.button(key="values-own-file-show").click().run())
    return accepted(at, "values")


def is_open(at: AppTest) -> bool:
    return any(area.key == "values-own-text" for area in at.text_area)


def errors(at: AppTest) -> list[str]:
    return [item.value for item in (*at.error, *at.warning)]


def test_an_example_is_ready_and_is_shown_with_everything_hidden() -> None:
    at = open_values()
    assert not is_open(at)
    show(at)
    scenario = scenario_of_text(upload.FORM.example, upload.FORM.name)
    ours, plain = assert_shows(at, scenario)
    assert ours.first.errors.tv == plain.first.errors.tv
    assert (is_open(at), errors(at)) == (False, [])
    assert at.toast[0].value.startswith("All answers are hidden at first")
    assert at.selectbox(key="values-table").value == "Yours: Conditions (made up)"
    mark(at, sensitive="3-5")
    marked = at.session_state["values/state"].record.scenario
    assert_shows(at, marked)
    ours_error, plain_error = map(runs.expected_error, (marked, runs.best_plain_ldp(marked)))
    assert ours_error is not None
    assert plain_error is not None
    assert ours_error.error < 0.8 * plain_error.error
    assert_shows(reload(at, navigation.VALUES), marked)
    checked(at.selectbox(key="values-table").set_value(TABLES[1].title).run())
    assert "Yours: Conditions (made up)" in str(at.selectbox(key="values-table").options)
    mark(at, step="undo")
    assert scenario_of(at) == marked


def test_what_is_wrong_is_told_in_the_form_and_nothing_is_lost() -> None:
    at = show(open_values(), "a,1\na,2")
    (error,) = errors(at)
    assert "needs two answers" in error
    assert scenario_of(at) == BEGIN
    assert at.text_area(key="values-own-text").value == "a,1\na,2"
    for wrong, words in (
        ("{}", "must be GeoJSON with points"),
        ('{"caldp_scenario": 7}', "starts with"),
        ('{"caldp_scenario": 2, "n": ', "is not JSON"),
        (exports.scenario_json(Scenario()), "places are on the page"),
    ):
        show(at, wrong)
        assert words in errors(at)[0]
    show(at, "a,1\nb,2\nc,3")
    assert (errors(at), is_open(at)) == ([], False)
    assert_shows(at, scenario_of_text("a,1\nb,2\nc,3"))


def types_of(at: AppTest) -> dict[str, str]:
    """The type of each column, by its name."""
    return {box.label: str(box.value) for box in at.selectbox if "-type-" in str(box.key)}


def choose_type(at: AppTest, name: str, kind: str) -> None:
    """Choose the type of a column."""
    (menu,) = (box for box in at.selectbox if box.label == name)
    jobs_done(checked(menu.set_value(kind).run()))


def first_rows(at: AppTest) -> list[list[str]]:
    """The first cells of each column of the preview."""
    return [re.findall("<li>(.*?)</li>", text) for text in htmls(at).split("<ol>")[1:]]


def test_a_column_has_one_type() -> None:
    at = form(open_values())
    at.text_area(key="values-own-text").set_value("answer,n\na,3\nb,4")
    jobs_done(checked(at.button(key="values-own-show").click().run()))
    assert types_of(at) == {"answer": "answer", "n": "people"}
    choose_type(at, "answer", "group")
    assert types_of(at) == {"answer": "group", "n": "people"}
    assert not [button for button in at.button if button.key == "values-own-accept"]
    choose_type(at, "n", "answer")
    assert types_of(at) == {"answer": "group", "n": "answer"}
    assert any("2 people" in item.value for item in at.markdown)


XLSX = b"PK\x03\x04\x14\x00\x06\x00"
HELD_BACK: dict[str, tuple[tuple[str, bytes] | None, str]] = {
    "too large, or refused by the browser": (None, "no file to read: files may have up to 200 MB"),
    "half a workbook": (("table.xlsx", XLSX), "is packed and damaged or unfinished"),
    "half a gzip": (("table.csv.gz", gzip.compress(b"a,1\nb,2")[:-9]), "is packed and damaged"),
    "a picture": (
        ("table.csv", b"\x89PNG\r\n\x1a\n\0\0"),
        "is not a text file; .* save it as “CSV UTF-8”",
    ),
    "free text": (("table.csv", b"a" * 200_000), "more than 100,000 characters"),
    "the same answer": (("table.csv", b"asthma\nasthma\nasthma"), "needs two answers"),
}


def test_a_file_that_is_refused_never_shows_anything_else() -> None:
    at = form(open_values())
    for way, (file, words) in HELD_BACK.items():
        if file is not None:
            at.file_uploader(key="values-own-file").set_value((*file, "text/plain"))
        jobs_done(checked(at.button(key="values-own-file-show").click().run()))
        with naming(way):
            (error,) = errors(at)
            assert re.search(words, error.replace("\\", ""))
            assert is_open(at)
            assert (scenario_of(at), query_of(at)) == (BEGIN, {})
    show(at, file=("good.csv", b"a,1\nb,2"))
    assert (errors(at), is_open(at)) == ([], False)
    assert_shows(at, scenario_of_text("a,1\nb,2", "good"))


def test_a_file_is_read_whatever_the_text_says() -> None:
    saved = "Antwort;Leute;Gruppe\nja;5;Nord\nnein;7;Nord\nweiß nicht;2;Süd"
    at = show(open_values(), file=("saved.csv", saved.encode("utf-16")))
    assert_shows(at, scenario_of_text(saved, "saved"))
    assert [group["name"] for group in data_of(at, "values-chart")["groups"]] == ["Nord", "Süd"]
    show(at, file=("saved.csv.gz", gzip.compress("weiß;1\nrot;2".encode("latin-1"))))
    assert_shows(at, scenario_of_text("weiß;1\nrot;2", "saved.csv"))


def test_what_was_understood_can_be_changed_before_anything_is_shown() -> None:
    rows = [
        f"{i},{'mf'[i % 2]},{('young', 'old')[i % 3 > 0]},{['yes', 'no'][i % 5 > 1]}"
        for i in range(60)
    ]
    at = form(open_values())
    file = ("survey.csv", "\n".join(("id,sex,age,smokes", *rows)).encode(), "text/csv")
    at.file_uploader(key="values-own-file").set_value(file)
    jobs_done(checked(at.button(key="values-own-file-show").click().run()))
    assert (scenario_of(at), query_of(at)) == (BEGIN, {})
    assert any("60 people" in item.value for item in at.markdown)
    before = {"id": "id", "sex": "answer", "age": "leave-out", "smokes": "leave-out"}
    assert types_of(at) == before
    assert first_rows(at)[0] == [str(i) for i in range(8)]
    choose_type(at, "smokes", "answer")
    assert types_of(at) == before | {"sex": "leave-out", "smokes": "answer"}
    choose_type(at, "age", "group")
    held = at.session_state["values/own-held"]
    (hidden,) = (radio for radio in at.radio if radio.key == "values-own-hidden")
    assert hidden.value == "the answer and the group"
    checked(hidden.set_value(hidden.options[1]).run())
    accepted(at, "values")
    assert scenario_of(at).context.blocks == GroupBlocks()
    assert scenario_of(at).context.sensitive == EverythingSensitive()
    table = scenario_of(at).dataset
    assert isinstance(table, OwnTable)
    assert dict(zip(table.names, table.counts, strict=True)) == {
        "no; old": 24, "no; young": 12, "yes; old": 16, "yes; young": 8,
    }  # fmt: skip
    assert (set(table.groups), table.title) == ({"old", "young"}, "survey")
    assert table.reading == "chosen by hand: “smokes” as answer, “age” as group"
    state = at.session_state._state.filtered_state
    assert held.source().open().read() == b""
    assert not [name for name in state if name.endswith(("own-look/job", "own-count/job"))]


def test_what_nobody_can_tell_from_a_file_is_asked() -> None:
    at = form(open_values())
    at.file_uploader(key="values-own-file").set_value(
        ("list.csv", b"illness\nasthma\nasthma\nflu", "text/csv")
    )
    jobs_done(checked(at.button(key="values-own-file-show").click().run()))
    assert not [button for button in at.button if button.key == "values-own-accept"]
    (head,) = (box for box in at.selectbox if box.label.startswith("The first row"))
    assert head.value is None
    checked(head.set_value(True).run())
    accepted(at, "values")
    wanted = scenario_of_text("answer\nasthma\nasthma\nflu", "list")
    assert isinstance(wanted.dataset, OwnTable)
    reading = "chosen by hand: a row of column names"
    assert_shows(at, replace(wanted, dataset=replace(wanted.dataset, reading=reading)))


@pytest.mark.parametrize("text", [upload.FORM.example, LONG])
def test_data_stay_with_the_visit_and_its_tab_and_the_link_waits_for_them(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = mark(show(open_values(), text), sensitive="3-5")
    scenario, query = scenario_of(at), query_of(at)
    assert (query.keys() & {visitor_data.OWN, "dataset"}, errors(at)) == ({visitor_data.OWN}, [])
    for _ in range(2):
        mark(at, step="undo")
    assert (scenario_of(at), query_of(at)) == (BEGIN, {})
    for key, value in query.items():
        at.query_params[key] = value
    with monkeypatch.context() as step:
        step.setattr(links, "is_history_navigation", lambda: True)  # as after a browser's step
        checked(at.run())
    assert (scenario_of(at), query_of(at), errors(at)) == (scenario, query, [])
    again = reload(at, navigation.VALUES)
    assert (scenario_of(again), query_of(again), list(again.info)) == (scenario, query, [])
    assert not again.session_state["values/state"].past
    other = open_values(query)
    (sentence,) = other.info
    asked = "This link holds settings and no data: bring its file “"
    assert as_read(sentence.value).startswith(asked)
    assert (scenario_of(other), query_of(other)) == (BEGIN, query)
    show(other, text)
    assert (scenario_of(other), errors(other), list(other.info)) == (scenario, [], [])
    assert query_of(other)[visitor_data.OWN] != query[visitor_data.OWN]


def test_other_data_than_those_of_a_link_do_not_get_its_settings() -> None:
    at = mark(show(open_values(), "a,1\nb,2\nc,3"), sensitive="0")
    other = show(open_values(query_of(at)), "a,1\nb,2\nd,3")
    assert scenario_of(other) == scenario_of_text("a,1\nb,2\nd,3")
    (sentence,) = errors(other)
    assert "not the data of the link" in sentence
    assert not other.info


def test_a_link_s_name_for_data_says_nothing_of_their_counts() -> None:
    """Whoever tries all counts finds no text of the link that goes with the right ones alone."""
    table = scenario_of_text("a,1\nb,2\nc,3")
    data = table.dataset
    assert isinstance(data, OwnTable)
    queries = [
        visitor_data.query(replace(table, dataset=replace(data, counts=counts)))
        for counts in ((1, 2, 3), (3, 2, 1), (500, 0, 7))
    ]
    names = {query.pop(visitor_data.OWN) for query in queries}
    assert len(names) == 3
    assert queries[0] == queries[1] == queries[2]
    st.session_state.clear()
    assert visitor_data.query(table)[visitor_data.OWN] not in names


def test_a_link_that_holds_data_still_opens_and_gives_them_away_no_longer() -> None:
    scenario = scenario_of_text("a,1\nb,2\nc,3")
    at = open_values(scenario.to_query())
    assert (scenario_of(at), errors(at)) == (scenario, [])
    assert visitor_data.OWN in query_of(at)
    assert "dataset" not in query_of(at)


def test_a_scenario_file_that_holds_data_opens_and_runs() -> None:
    scenario = scenario_of_text(LONG)
    file = exports.scenario_json(scenario)
    other = show(open_values(), file=("scenario-internal.json", file.encode()))
    assert scenario_of(other) == scenario
    (sent, found) = data_of(other, "values-chart")["ours"][0], run_exported(file)
    assert found.error("tv") == runs.result(scenario).first.errors.tv
    assert sent == pytest.approx(found.result.first.estimate.tolist(), rel=1e-4)


SIGNS = ("<script", "**b**", "$x$", ":material/home:", "`c`", "[l](")
"""Of `HOSTILE`; where one stands without a backslash before it, Markdown acts on it."""
ODD = OwnTable((HOSTILE, "other"), (12, 30), (f"{HOSTILE} 2", "third"), HOSTILE)


def markdown_text(at: AppTest) -> str:
    """All texts of a page in which signs may have a meaning."""
    kinds = (at.markdown, at.caption, at.warning, at.error, at.info, at.title, at.toast)
    return "\n".join(str(item.value) for kind in kinds for item in kind)


def htmls(at: AppTest) -> str:
    found: list[Any] = list(at.get("html"))
    return "\n".join(item.proto.body for item in found)


def test_names_are_nothing_but_names_on_the_page() -> None:
    rows = zip(ODD.names, ODD.counts, ODD.groups, strict=True)
    text = "\n".join(f"{name}\t{count}\t{group}" for name, count, group in rows)
    at = show(open_values(), text, name=HOSTILE)
    at.session_state["values-more"] = at.session_state["values-protection"] = True
    checked(at.button(key="values-pin").click().run())
    assert scenario_of(at).dataset == ODD
    for tab in upload._TABS:
        at.session_state["values-tabs"] = tab
        checked(at.run())
        for sign in SIGNS:
            with naming(f"{tab}: {sign}"):
                assert not re.search(rf"(?<!\\){re.escape(sign)}", markdown_text(at))
        assert "<script" not in htmls(at)
    at.session_state["values-tabs"] = next(iter(upload._TABS))
    assert "&lt;script" in htmls(checked(at.run()))


def test_names_are_nothing_but_names_in_files() -> None:
    table = table_of(ODD)
    assert table is not None
    scenario = switch_table(BEGIN, table)
    ours, plain = (run(prepare(each)) for each in (scenario, runs.best_plain_ldp(scenario)))
    content = sharing.ReportContent(ours, "It is so.", {"Truth": chart.png(ours, plain)})
    checks = sharing.audit_scenario(scenario, no_progress)
    for address in ("", "http://x/?a=1"):
        page = sharing.html(ANSWERS, content, checks, address)
        assert "<script" not in page
        assert ("so does" in page) == bool(address)
    assert exports.literal(scenario) == 'Scenario.from_file("scenario-internal.json")'
    marked = internal.mark("scenario.json", exports.scenario_json(scenario).encode())
    assert Scenario.from_text(marked.decode()) == scenario


def test_the_internal_record_says_how_a_file_was_read_and_no_other_does() -> None:
    reading = "the question “total” was answered “Leave it out”"
    table = OwnTable(("yes", "no"), (300, 700), reading=reading)
    scenario = Scenario(dataset=table).plain()
    content = sharing.ReportContent(run(prepare(scenario)), "It is so.", {})
    checks = sharing.audit_scenario(scenario, no_progress)
    assert reading in sharing.html(ANSWERS, content, checks, "")
    assert "was answered" not in sharing.publishable_html(ANSWERS, content, checks, "")
    plain = replace(
        content, ours=run(prepare(Scenario(dataset=replace(table, reading="")).plain()))
    )
    assert "as read" not in sharing.html(ANSWERS, plain, checks, "")


def test_the_first_page_leads_to_the_open_form() -> None:
    at = open_page("")
    checked(at.button(key="start-yours-values").click().run())
    assert is_open(go(at, navigation.VALUES))


@pytest.mark.parametrize("page", ["plan", "curves"])
def test_a_table_that_was_brought_can_be_planned_and_compared_with(page: str) -> None:
    at = show(open_values(), "a,1\nb,2\nc,300", name=HOSTILE)
    go(at, f"pages/{page}.py")
    checked(at.selectbox(key=f"{page}-data").set_value(f"Yours: {HOSTILE}").run())
    found = at.session_state[f"{page}/state"].record.scenario
    assert found.dataset == scenario_of_text("a,1\nb,2\nc,300", HOSTILE).dataset
    assert errors(at) == []
    again = reload(at, f"pages/{page}.py")
    assert again.session_state[f"{page}/state"].record.scenario == found
    assert again.selectbox(key=f"{page}-data").value == f"Yours: {HOSTILE}"


def test_a_plan_that_is_pinned_names_its_data_and_nothing_else() -> None:
    at = show(open_values(), "a,1\nb,2\nc,300", name=HOSTILE)
    go(at, navigation.PLAN)
    data = at.selectbox(key="plan-data")
    checked(data.set_value(f"Yours: {HOSTILE}").run())
    checked(at.button(key="plan-pin").click().run())
    checked(at.selectbox(key="plan-data").set_value(data.options[0]).run())
    (cell,) = (table.value.loc["data"].iloc[1] for table in at.table if "data" in table.value.index)
    assert cell == escape_markdown(HOSTILE)


def test_groups_of_one_s_own_may_be_blocks() -> None:
    domain = ODD.load().domain
    assert isinstance(domain, Domain)
    ready = {preset.title: preset for preset in presets_of(ODD, domain)}
    table = table_of(ODD)
    assert table is not None
    for preset in ready.values():
        LINK.check(ValuesState(preset.apply(switch_table(BEGIN, table))))
    assert "Hide the answer, not the group" in ready
