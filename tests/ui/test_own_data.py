"""A user's data: shown, refused in a sentence, or escaped; uploads within bounds."""

import asyncio
import gzip
import random
import re
import tempfile
import tracemalloc
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
import streamlit as st
from starlette.datastructures import Headers
from starlette.formparsers import MultiPartParser
from starlette.types import Message, Receive, Scope, Send
from streamlit import config
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime.uploaded_file_manager import DeletedFile, UploadedFile, UploadedFileRec
from streamlit.testing.v1 import AppTest
from urllib3 import encode_multipart_formdata

from caldp_core.basics.types import no_progress
from caldp_core.datasets import OwnTable
from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.blocks import EverythingSensitive, GroupBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app import navigation
from caldp_ui.compute import runs
from caldp_ui.parts import pack, sharing
from caldp_ui.server.uploads import (
    TOTAL_BYTES_MAX,
    Uploads,
    keep_uploads_in_memory,
    take_content,
    was_taken,
)
from caldp_ui.session import visit
from caldp_ui.values import page as upload
from caldp_ui.values import view as chart
from caldp_ui.values.page_state import (
    BEGIN,
    TABLES,
    switch_table,
    table_of,
)
from caldp_ui.words.formats import ANSWERS
from tests import servers
from tests.contract.checks import naming
from tests.datasets.files import read_table
from tests.ui.driver import (
    accepted,
    as_read,
    checked,
    data_of,
    go,
    jobs_done,
    mark,
    open_page,
    open_values,
    query_of,
    reload,
    step_to,
    values_page_assert_shows,
    values_page_scenario_of,
)
from tests.ui.readings import run_exported

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


@pytest.mark.parametrize("by_file", [False, True])
def test_a_name_is_taken_without_its_unseen_marks(by_file: bool) -> None:
    at, text, name = open_values(), "a,100\nb,200\n", "\u200eשם\u200f\u00a0Schul\u00adzeit"
    show(at, file=(f"{name}.csv", text.encode())) if by_file else show(at, text, name=name)
    assert not errors(at)
    assert at.selectbox(key="values-table").value == "Yours: שם Schulzeit"


def is_open(at: AppTest) -> bool:
    return any(area.key == "values-own-text" for area in at.text_area)


def errors(at: AppTest) -> list[str]:
    return [item.value for item in (*at.error, *at.warning)]


def test_an_example_is_ready_and_is_shown_with_everything_hidden() -> None:
    at = open_values()
    assert not is_open(at)
    show(at)
    scenario = scenario_of_text(upload.FORM.example, upload.FORM.name)
    ours, plain = values_page_assert_shows(at, scenario)
    assert ours.first.errors.tv == plain.first.errors.tv
    assert (is_open(at), errors(at)) == (False, [])
    assert at.toast[0].value.startswith("All answers are hidden at first")
    assert at.selectbox(key="values-table").value == "Yours: Conditions (made up)"
    mark(at, sensitive="3-5")
    marked = at.session_state["values/state"].record.scenario
    values_page_assert_shows(at, marked)
    ours_error, plain_error = map(runs.expected_error, (marked, runs.best_plain_ldp(marked)))
    assert ours_error is not None
    assert plain_error is not None
    assert ours_error.error < 0.8 * plain_error.error
    values_page_assert_shows(reload(at, navigation.VALUES), marked)
    checked(at.selectbox(key="values-table").set_value(TABLES[1].title).run())
    assert "Yours: Conditions (made up)" in str(at.selectbox(key="values-table").options)
    mark(at, step="undo")
    assert values_page_scenario_of(at) == marked


def clicks(at: AppTest, key: str, text: str) -> Callable[[], AppTest]:
    """A click on that button of the form with this text and file, as often as it is called.

    A browser sends the form's widgets with each click, also those of a file that was read.
    """
    form(at)
    at.text_area(key="values-own-text").set_value(text)
    at.file_uploader(key="values-own-file").set_value(("a.csv", text.encode(), "text/csv"))
    clicked = at.button(key=key).click().root.get_widget_states()

    def click() -> AppTest:
        jobs_done(checked(at._run(clicked)))
        for widget in clicked.widgets:
            for each in widget.file_uploader_state_value.uploaded_file_info:
                each.file_id = "gone"
        return at

    return click


@pytest.mark.parametrize("key", ["values-own-show", "values-own-file-show"])
def test_a_second_click_on_a_form_that_the_first_has_closed_reads_nothing(key: str) -> None:
    at = open_values()
    click = clicks(at, key, "a,1\nb,2\nc,3")
    click()
    click()
    accepted(at, "values")
    assert (errors(at), is_open(at)) == ([], False)


def test_a_file_that_was_refused_is_refused_again_and_its_content_is_gone() -> None:
    at = open_values()
    click = clicks(at, "values-own-file-show", "\0\1\2")
    click()
    (refused,) = errors(at)
    assert "is not a text file" in refused
    kept = at.session_state["values-own-file"]
    assert kept is None or kept.getvalue() == b""
    click()
    assert errors(at) == [refused]


def test_what_is_wrong_is_told_in_the_form_and_nothing_is_lost() -> None:
    at = show(open_values(), "a,1\na,2")
    (error,) = errors(at)
    assert "needs two answers" in error
    assert values_page_scenario_of(at) == BEGIN
    assert at.text_area(key="values-own-text").value == "a,1\na,2"
    for wrong, words in (
        ("{}", "must be GeoJSON with points"),
        ('{"caldp_scenario": 7}', "starts with"),
        ('{"caldp_scenario": 2, "n": ', "is not JSON"),
        (Scenario().to_json(), "places are on the page"),
    ):
        show(at, wrong)
        assert words in errors(at)[0]
    show(at, "a,1\nb,2\nc,3")
    assert (errors(at), is_open(at)) == ([], False)
    values_page_assert_shows(at, scenario_of_text("a,1\nb,2\nc,3"))


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
            assert (values_page_scenario_of(at), query_of(at)) == (BEGIN, {})
    show(at, file=("good.csv", b"a,1\nb,2"))
    assert (errors(at), is_open(at)) == ([], False)
    values_page_assert_shows(at, scenario_of_text("a,1\nb,2", "good"))


def test_a_file_is_read_whatever_the_text_says() -> None:
    saved = "Antwort;Leute;Gruppe\nja;5;Nord\nnein;7;Nord\nweiß nicht;2;Süd"
    at = show(open_values(), file=("saved.csv", saved.encode("utf-16")))
    values_page_assert_shows(at, scenario_of_text(saved, "saved"))
    assert [group["name"] for group in data_of(at, "values-chart")["groups"]] == ["Nord", "Süd"]
    show(at, file=("saved.csv.gz", gzip.compress("weiß;1\nrot;2".encode("latin-1"))))
    values_page_assert_shows(at, scenario_of_text("weiß;1\nrot;2", "saved.csv"))


def test_what_was_understood_can_be_changed_before_anything_is_shown() -> None:
    rows = [
        f"{i},{'mf'[i % 2]},{('young', 'old')[i % 3 > 0]},{['yes', 'no'][i % 5 > 1]}"
        for i in range(60)
    ]
    at = form(open_values())
    file = ("survey.csv", "\n".join(("id,sex,age,smokes", *rows)).encode(), "text/csv")
    at.file_uploader(key="values-own-file").set_value(file)
    jobs_done(checked(at.button(key="values-own-file-show").click().run()))
    assert (values_page_scenario_of(at), query_of(at)) == (BEGIN, {})
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
    assert values_page_scenario_of(at).context.blocks == GroupBlocks()
    assert values_page_scenario_of(at).context.sensitive == EverythingSensitive()
    table = values_page_scenario_of(at).dataset
    assert isinstance(table, OwnTable)
    assert dict(zip(table.names, table.counts, strict=True)) == {
        "no; old": 24,
        "no; young": 12,
        "yes; old": 16,
        "yes; young": 8,
    }
    assert (set(table.groups), table.title) == ({"old", "young"}, "survey")
    assert table.reading == "chosen by hand: “smokes” as answer, “age” as group"
    state = at.session_state._state.filtered_state
    assert held.source().open().read() == b""
    assert not [name for name in state if name.endswith(("own-look/job", "own-count/job"))]


def test_data_stay_with_the_visit_and_its_tab_and_the_link_waits_for_them() -> None:
    at = mark(show(open_values(), LONG), sensitive="3-5")
    scenario, query = values_page_scenario_of(at), query_of(at)
    assert (query.keys() & {visit.OWN, "dataset"}, errors(at)) == ({visit.OWN}, [])
    for _ in range(2):
        mark(at, step="undo")
    assert (values_page_scenario_of(at), query_of(at)) == (BEGIN, {})
    checked(step_to(at, "values", query).run())
    assert (values_page_scenario_of(at), query_of(at), errors(at)) == (scenario, query, [])
    again = reload(at, navigation.VALUES)
    assert (values_page_scenario_of(again), query_of(again), list(again.info)) == (
        scenario,
        query,
        [],
    )
    assert not again.session_state["values/state"].past
    other = open_values(query)
    (sentence,) = other.info
    asked = "This link holds settings and no data: bring its file “"
    assert as_read(sentence.value).startswith(asked)
    assert (values_page_scenario_of(other), query_of(other)) == (BEGIN, query)
    show(other, LONG)
    assert (values_page_scenario_of(other), errors(other), list(other.info)) == (scenario, [], [])
    assert query_of(other)[visit.OWN] != query[visit.OWN]


def test_other_data_than_those_of_a_link_do_not_get_its_settings() -> None:
    at = mark(show(open_values(), "a,1\nb,2\nc,3"), sensitive="0")
    other = show(open_values(query_of(at)), "a,1\nb,2\nd,3")
    assert values_page_scenario_of(other) == scenario_of_text("a,1\nb,2\nd,3")
    (sentence,) = errors(other)
    assert "not the data of the link" in sentence
    assert not other.info


def test_a_link_s_name_for_data_says_nothing_of_their_counts() -> None:
    """Whoever tries all counts finds no text of the link that goes with the right ones alone."""
    table = scenario_of_text("a,1\nb,2\nc,3")
    data = table.dataset
    assert isinstance(data, OwnTable)
    queries = [
        visit.query(replace(table, dataset=replace(data, counts=counts)))
        for counts in ((1, 2, 3), (3, 2, 1), (500, 0, 7))
    ]
    names = {query.pop(visit.OWN) for query in queries}
    assert len(names) == 3
    assert queries[0] == queries[1] == queries[2]
    st.session_state.clear()
    assert visit.query(table)[visit.OWN] not in names


def test_a_link_that_holds_data_still_opens_and_gives_them_away_no_longer() -> None:
    scenario = scenario_of_text("a,1\nb,2\nc,3")
    at = open_values(scenario.to_query())
    assert (values_page_scenario_of(at), errors(at)) == (scenario, [])
    assert visit.OWN in query_of(at)
    assert "dataset" not in query_of(at)


def test_a_scenario_file_that_holds_data_opens_and_runs() -> None:
    scenario = scenario_of_text(LONG)
    file = scenario.to_json()
    other = show(open_values(), file=("scenario-internal.json", file.encode()))
    assert values_page_scenario_of(other) == scenario
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


@pytest.mark.slow
def test_names_are_nothing_but_names_on_the_page() -> None:
    rows = zip(ODD.names, ODD.counts, ODD.groups, strict=True)
    text = "\n".join(f"{name}\t{count}\t{group}" for name, count, group in rows)
    at = show(open_values(), text, name=HOSTILE)
    at.session_state["values-more"] = at.session_state["values-protection"] = True
    checked(at.button(key="values-pin").click().run())
    assert values_page_scenario_of(at).dataset == ODD
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
    assert runs.literal(scenario) == 'Scenario.from_file("scenario-internal.json")'
    marked = pack.mark("scenario.json", scenario.to_json().encode())
    assert Scenario.from_json(marked.decode()) == scenario


def test_a_record_says_how_a_file_was_read() -> None:
    reading = "the question “total” was answered “Leave it out”"
    table = OwnTable(("yes", "no"), (300, 700), reading=reading)
    scenario = Scenario(dataset=table).plain()
    content = sharing.ReportContent(run(prepare(scenario)), "It is so.", {})
    checks = sharing.audit_scenario(scenario, no_progress)
    assert reading in sharing.html(ANSWERS, content, checks, "")
    plain = replace(
        content, ours=run(prepare(Scenario(dataset=replace(table, reading="")).plain()))
    )
    assert "as read" not in sharing.html(ANSWERS, plain, checks, "")


TRIPS = ["a,tram", "a,tram", "a,bus", "b,bus", "b,foot", "c,foot"]


def test_the_protection_of_a_row_is_told_apart_from_that_of_a_person() -> None:
    """Both are stated on the page and in the memo."""
    at = form(open_values())
    text = "\n".join(["rider id,answer", *TRIPS])
    at.text_area(key="values-own-text").set_value(text)
    checked(at.button(key="values-own-show").click().run())
    at = jobs_done(at)
    assert types_of(at)["rider id"] == "person-id"
    unit = next(each for each in at.selectbox if str(each.key).endswith("unit"))
    checked(unit.set_value("trips").run())
    at = accepted(jobs_done(at), "values")
    table = values_page_scenario_of(at).dataset
    assert isinstance(table, OwnTable)
    assert (table.unit, table.person_rows, table.cap) == ("trips", (3, 2, 3), 0)
    epsilon = values_page_scenario_of(at).policy.plain_epsilon
    together = f"together they have 3 times the ε of one trip (ε = {3 * epsilon:g})"
    assert f"Up to 3 trips are of one person (median: 2): {together}" in htmls(at)
    assert "of 100 trips under the wrong answer" in htmls(at)
    capped = Scenario(dataset=replace(table, person_rows=(3, 2, 2), cap=2)).plain()
    for scenario, number in ((Scenario(dataset=table).plain(), "3 times"), (capped, "2 times")):
        content = sharing.ReportContent(run(prepare(scenario)), "It is so.", {})
        checks = sharing.audit_scenario(scenario, no_progress)
        assert number in sharing.html(ANSWERS, content, checks, "", "memo.html")


def test_the_first_page_leads_to_the_open_form() -> None:
    at = open_page("")
    checked(at.button(key="start-go-own-0").click().run())
    at = go(at, navigation.PLACES)
    assert "places-own-text" in {area.key for area in at.text_area}


@pytest.mark.slow
def test_a_table_that_was_brought_can_be_compared_with() -> None:
    at = show(open_values(), "a,1\nb,2\nc,300", name=HOSTILE)
    go(at, navigation.CURVES)
    checked(at.selectbox(key="curves-data").set_value(f"Yours: {HOSTILE}").run())
    found = at.session_state["curves/state"].record.scenario
    assert found.dataset == scenario_of_text("a,1\nb,2\nc,300", HOSTILE).dataset
    assert errors(at) == []
    again = reload(at, navigation.CURVES)
    assert again.session_state["curves/state"].record.scenario == found
    assert again.selectbox(key="curves-data").value == f"Yours: {HOSTILE}"


MB = 2**20


def put(size: bytes | None, path: str = "/_stcore/upload_file/visit/file") -> Scope:
    headers = [] if size is None else [(b"content-length", size)]
    return {"type": "http", "method": "PUT", "path": path, "headers": headers}


async def statuses(scopes: Sequence[Scope]) -> list[int]:
    """What is answered to each, all being under way at once."""
    come, go_on = asyncio.Event(), asyncio.Event()

    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        come.set()
        await go_on.wait()
        await send({"type": "http.response.start", "status": 204, "headers": []})

    uploads = Uploads(inner)
    found: list[int] = []

    async def receive() -> Message:
        raise AssertionError("nothing is read before there is room")

    async def ask(scope: Scope) -> None:
        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                found.append(message["status"])

        await uploads(scope, receive, send)

    tasks = [asyncio.create_task(ask(scope)) for scope in scopes]
    await come.wait()
    await asyncio.sleep(0)
    go_on.set()
    await asyncio.gather(*tasks)
    await ask(scopes[0])  # room is given back
    return found


def test_there_is_room_for_so_many_bytes_at_a_time() -> None:
    most = config.get_option("server.maxUploadSize") * MB
    fit = TOTAL_BYTES_MAX // most
    for name, scopes in {
        "as long as they say": [put(str(most).encode())] * (fit + 1),
        "without a length": [put(None)] * (fit + 1),
        "with a false one": [put(b"-1")] * (fit + 1),
    }.items():
        with naming(name):
            assert sorted(servers.run(statuses(scopes))) == [204] * (fit + 1) + [429]
    small = [put(b"1000")] * (fit + 1)
    assert servers.run(statuses(small)) == [204] * (fit + 2)
    other = [put(None, "/elsewhere")] * (fit + 1)
    assert servers.run(statuses(other)) == [204] * (fit + 2)


def test_files_that_come_in_share_one_pace() -> None:
    time, piece = 0.0, b"x" * 2**16
    taken: list[float] = []

    async def sleep(seconds: float) -> None:
        nonlocal time
        woken = time + seconds
        await asyncio.sleep(0)  # the other upload asks at the same time
        time = max(time, woken)

    async def read_all(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive()).get("more_body", True):
            taken.append(time)

    async def bring(uploads: Uploads, visit: str) -> None:
        messages = iter([{"body": piece}] * (32 * MB // len(piece)) + [{"more_body": False}])

        async def receive() -> Message:
            return next(messages)

        async def send(_: Message) -> None: ...

        await uploads(put(None, f"/_stcore/upload_file/{visit}/file"), receive, send)

    async def bring_two() -> None:
        uploads = Uploads(read_all, lambda: time, sleep)
        await asyncio.gather(*(bring(uploads, visit) for visit in ("a", "b")))

    servers.run(bring_two())
    assert sum(at == 0.0 for at in taken) == 4 * MB // len(piece)
    assert time == pytest.approx((64 - 4) / 16)


@pytest.mark.parametrize("is_kept", [True, False])
def test_what_comes_in_is_never_on_the_disk(
    monkeypatch: pytest.MonkeyPatch, *, is_kept: bool
) -> None:
    """Without the change, Starlette writes what is larger than 1 MB to the disk."""
    written = list[str]()
    monkeypatch.setattr(MultiPartParser, "spool_max_size", MultiPartParser.spool_max_size)
    if is_kept:
        keep_uploads_in_memory()
    else:
        monkeypatch.setattr(MultiPartParser, "spool_max_size", MB)
    make_file = tempfile.TemporaryFile

    def note_file(*arguments: Any, **options: Any) -> Any:
        written.append("a file on the disk")
        return make_file(*arguments, **options)

    monkeypatch.setattr(tempfile, "TemporaryFile", note_file)
    data = random.Random(1).randbytes(3 * MB)
    body, kind = encode_multipart_formdata({"file": ("a.csv", data)})

    async def pieces() -> AsyncGenerator[bytes, None]:
        for start in range(0, len(body), 2**16):
            yield body[start : start + 2**16]

    async def parse() -> bytes:
        form = await MultiPartParser(Headers({"content-type": kind}), pieces()).parse()
        file: Any = form["file"]
        content = bytes(await file.read())
        await form.close()
        return content

    assert servers.run(parse()) == data
    assert bool(written) is not is_kept


def test_the_content_of_a_file_is_taken_once_and_never_copied() -> None:
    record = UploadedFileRec(file_id="a", name="a.csv", type="text/csv", data=bytes(8 * MB))
    file = UploadedFile(record, FileURLs())
    tracemalloc.start()
    assert not was_taken(file)
    assert take_content(file) is record.data
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < MB
    assert (was_taken(file), file.getvalue()) == (True, b"")
    assert [was_taken(each) for each in (None, DeletedFile("a"))] == [False, True]
