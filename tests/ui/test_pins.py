"""Pins beside what is shown, and pages as files: both hold what the pages show."""

import io
import json
import re
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from threading import current_thread
from typing import Any, Final
from urllib.parse import urlencode

import pandas as pd
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from caldp_core.basics.errors import Cancelled
from caldp_core.basics.types import no_progress
from caldp_core.datasets import OwnTable
from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.blocks import EverythingSensitive, OneBlock
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory import planner
from caldp_ui.adversary import page as adversary
from caldp_ui.adversary.page import PAGE as ATTACKER_PAGE
from caldp_ui.adversary.page_state import LINK as SUSPECT_LINK
from caldp_ui.adversary.page_state import AttackerState, load_data
from caldp_ui.app import navigation
from caldp_ui.app.delivery import THREAD_PREFIX
from caldp_ui.app.theme import DARK, LIGHT
from caldp_ui.classroom import page as classroom
from caldp_ui.classroom.page import STATION_QUESTIONS, STATIONS
from caldp_ui.classroom.page_state import Lesson
from caldp_ui.coarser.page import PAGE as COARSER_PAGE
from caldp_ui.coarser.page_state import CENSUS_BLOCK, Publication
from caldp_ui.curves import page_state
from caldp_ui.curves.page_state import BEGIN, Curves
from caldp_ui.distances import page as distances
from caldp_ui.handout import lesson
from caldp_ui.handout.lesson import make_question
from caldp_ui.maps.scene import BEGIN as MAP
from caldp_ui.offline.document import (
    Board,
    Component,
    Dial,
    Part,
    QuizQuestion,
    document,
)
from caldp_ui.parts import layout, pack, pins
from caldp_ui.personal import page as personal
from caldp_ui.places.page import PAGE as MAPS_PAGE
from caldp_ui.plan import page_state as people_needed
from caldp_ui.plan import view as plan_view
from caldp_ui.plan.page_state import LINK as PLAN_LINK
from caldp_ui.plan.page_state import Plan
from caldp_ui.room.page_state import STATE as POLL
from caldp_ui.room.page_state import Draft
from caldp_ui.stage.records import Film, Scene
from caldp_ui.values.page import PAGE as ANSWERS_PAGE
from caldp_ui.values.page_state import BEGIN as ANSWERS
from caldp_ui.values.page_state import STATE, ValuesState
from caldp_ui.words import formats
from caldp_ui.yesno import page as yesno
from caldp_ui.yesno.page_state import YesNoState
from tests.contract.checks import naming
from tests.ui.driver import (
    checked,
    container,
    jobs_done,
    open_page,
    page_record,
    pictures,
    query_of,
    step_to,
    unpin,
)
from tests.ui.pages import number
from tests.ui.readings import drawn, in_theme

WITH_PICTURES = (
    MAPS_PAGE,
    ANSWERS_PAGE,
    distances.PAGE,
    yesno.PAGE,
    personal.PAGE,
    ATTACKER_PAGE,
)


def error_of(scenario: Scenario) -> str:
    """As the page says it, by a run of the core."""
    return formats.share(run(prepare(scenario)).first.errors.tv)


def at_level(at: AppTest, epsilon: float) -> ValuesState:
    """The record after the slider of ε has been moved."""
    return page_record(
        checked(at.select_slider(key="values-epsilon").set_value(epsilon).run()), STATE
    )


@pytest.mark.slow
def test_up_to_six_are_pinned_compared_chosen_and_let_go() -> None:
    at = open_page(navigation.VALUES, {})
    records = [page_record(at, STATE)]
    checked(at.button(key="values-pin").click().run())
    assert at.button(key="values-pin").disabled  # it is pinned already
    for level in (0.2, 0.5, 2.0, 4.0, 10.0):
        records.append(at_level(at, level))
        checked(at.button(key="values-pin").click().run())
    now = at_level(at, 3.0)
    assert at.session_state["values/pins"] == tuple(records)
    assert at.session_state["values/pinned"] == records[-1]
    assert at.button(key="values-pin").disabled
    (table,) = container(at, "values-pinned").table
    errors = [error_of(each.scenario) for each in (now, *records)]
    assert list(table.value.loc["total variation (TV)"]) == errors
    assert table.value.columns[0] == "now"
    at.session_state["values-pins"] = True
    checked(at.run())
    checked(at.button(key="values-choose-2").click().run())
    assert at.session_state["values/pinned"] == records[1]
    again = open_page(navigation.VALUES, query_of(at))  # as a reload or a link that was sent
    assert page_record(again, STATE) == now
    assert again.session_state["values/pins"] == tuple(records)
    assert again.session_state["values/pinned"] == records[1]
    assert query_of(again) == query_of(at)
    unpin(at, "values", 2)
    assert at.session_state["values/pins"] == (records[0], *records[2:])
    assert at.session_state["values/pinned"] == records[-1]
    assert not at.button(key="values-pin").disabled
    at.session_state["values-pins"] = True
    checked(at.run())
    checked(at.button(key="values-unpin-all").click().run())
    assert at.session_state["values/pins"] == ()
    assert not container(at, "values-pinned").table


def test_all_pins_are_one_file_that_gives_their_numbers() -> None:
    beside, record = ANSWERS_PAGE, ValuesState()
    other = replace(record, scenario=record.scenario.with_context(epsilon=4.0))
    entries = {
        name: (each, beside.load(each)) for name, each in (("now", other), ("pin-1", record))
    }
    table = {name: beside.numbers(data) for name, (_, data) in entries.items()}
    packed = zipfile.ZipFile(io.BytesIO(beside._pack(table, entries)))
    frame = pd.read_csv(io.BytesIO(packed.read("compare.csv")), index_col="number", dtype=str)
    assert list(frame.columns) == ["now", "pin-1"]
    assert len(frame) > len(pins.differing_rows(table))
    for name, (each, _) in entries.items():
        again = Scenario.from_json(packed.read(f"{name}/scenario.json").decode())
        assert again == each.scenario
        assert frame.loc["total variation (TV)", name] == error_of(again)
        drawn = [path for path in packed.namelist() if re.fullmatch(rf"{name}/.*png", path)]
        assert len(drawn) == len(beside.images(beside.load(each))) > 0
        for path in drawn:
            Image.open(io.BytesIO(packed.read(path))).verify()


@pytest.mark.parametrize("page", WITH_PICTURES, ids=lambda page: page.state.page)
def test_each_picture_of_a_file_of_pins_says_what_it_shows(page: Any) -> None:
    """Title, result, scale and ε are written above it, and are its description for programs."""
    record = page.state.codec.begin
    data = page.load(record)
    packed = zipfile.ZipFile(io.BytesIO(page._pack({}, {"now": (record, data)})))
    drawn = [path for path in packed.namelist() if path.endswith(".png")]
    assert len(drawn) == len(page.images(data)) > 0
    for path in drawn:
        picture: Any = Image.open(io.BytesIO(packed.read(path)))
        words = " ".join(picture.text["Description"].split())
        for said in (f"{Path(path).stem}:", page.pin_title(record), page.describe(data)):
            assert " ".join(said.split()) in words
        assert re.search(r"ε( of yes:| = | from )", words)
        assert re.search(r"logarithmic scale|Right end: |\(left edge\)", words)
        assert len(picture.crop((0, 0, picture.width, 40)).getcolors()) > 1, "no words are drawn"
        kept: Any = Image.open(io.BytesIO(pack.mark(path, packed.read(path))))
        assert kept.text["Description"] == picture.text["Description"]
        assert kept.text["Comment"] == pack.LINE


def test_a_file_of_pins_has_a_visitor_s_names_as_they_are() -> None:
    """Backslashes of Markdown once stood in its table and on its pictures."""
    own = OwnTable(("a", "b"), (5, 60), title='=T: "x" www.a@b_c')
    everything = replace(ANSWERS, dataset=own).with_context(
        blocks=OneBlock(), sensitive=EverythingSensitive()
    )
    record = ValuesState(everything)
    data, title = ANSWERS_PAGE.load(record), ANSWERS_PAGE.pin_title(record)
    whole = ANSWERS_PAGE._pack({title: ANSWERS_PAGE.numbers(data)}, {"now": (record, data)})
    packed = zipfile.ZipFile(io.BytesIO(whole))
    picture: Any = Image.open(io.BytesIO(packed.read("now/picture.png")))
    for text in (packed.read("compare.csv").decode(), picture.text["Description"]):
        assert '=T: "x" www.a@b_c' in text.replace('""', '"')
        assert "\\" not in text


def test_names_in_pictures_have_the_letters_of_their_language() -> None:
    """Pillow's own font drew ä, é and ε as one box; this one is Streamlit's, which may move it."""
    font = pack.font_of(20)
    drawn = [bytes(font.getmask(letter)) for letter in ("\uffff", *"aäöüßéçñłőžε×θЯ…“")]
    assert len(set(drawn)) == len(drawn)


def test_a_step_back_to_a_link_without_a_pin_keeps_the_others() -> None:
    at = open_page(navigation.VALUES, {})
    first = page_record(at, STATE)
    checked(at.button(key="values-pin").click().run())
    checked(step_to(at, "values", {}).run())
    assert at.session_state["values/pinned"] is None
    assert at.session_state["values/pins"] == (first,)
    assert "pinned" not in query_of(at)


def test_pins_in_a_link_that_is_cut_are_told_of_and_the_others_are_kept() -> None:
    begin = STATE.codec.fresh()
    others = [replace(begin, scenario=begin.scenario.with_context(epsilon=e)) for e in (2.0, 4.0)]
    two, four = (urlencode(STATE.codec.write(each)) for each in others)
    kept = "|".join(("fresh", two, "v=2&epsilon=none", *[four] * 9))
    at = open_page(navigation.VALUES, {"pins": kept})
    assert at.session_state["values/pins"] == (begin, *others)
    assert at.session_state["values/pinned"] is None
    assert "pinned in the link" in " ".join(each.value for each in at.error)


def test_a_pinned_plan_is_a_point_and_a_column_of_the_table() -> None:
    first, now = Plan(), replace(Plan(), protection="plain")
    query = {"pinned": "fresh", **PLAN_LINK.write(now)}
    at = jobs_done(open_page(navigation.PLAN, query))
    (table,) = container(at, "plan-pinned").table
    needs = [plan_view.own_need(each) for each in (now, first)]
    texts = [plan_view.rounded_people_text(need.people) for need in needs if need.people]
    assert list(table.value.loc["people needed"]) == texts
    assert "ε" not in table.value.index
    figure = plan_view.figure(now, people_needed.needs_by_protection(now, needs), needs[1], LIGHT)
    (point,) = (trace for trace in drawn(figure).data if trace.name == "pinned")
    assert (point.name, *point.x, *point.y) == ("pinned", needs[1].epsilon, needs[1].people)


def test_a_pinned_plan_is_computed_beside_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not by the page's run, which nobody could cancel."""
    threads, find = list[str](), planner.people_for

    def people_for(*arguments: Any) -> int | None:
        threads.append(current_thread().name)
        return find(*arguments)

    monkeypatch.setattr(planner, "people_for", people_for)
    now = replace(Plan(), goal="values", floor=0.05, within=0.5)
    first = urlencode(PLAN_LINK.write(replace(now, floor=0.02)))
    at = jobs_done(open_page(navigation.PLAN, {"pinned": first, **PLAN_LINK.write(now)}))
    assert container(at, "plan-pinned").table
    assert threads
    assert [name for name in threads if not name.startswith(THREAD_PREFIX)] == []


def test_pinned_curves_are_those_that_are_not_there_and_none_along_another_axis() -> None:
    now = replace(Curves(), scenario=BEGIN.with_context(epsilon=4.0), protections=("plain",))
    assert [line.title for line in page_state.pinned_lines(now, now)] == []
    kept = page_state.pinned_lines(now, Curves())
    own = page_state.record_lines(Curves())
    assert [line.title for line in kept] == [f"pinned: {line.title}" for line in own]
    assert [line.scenarios for line in kept] == [line.scenarios for line in own]
    assert all(line.is_pinned for line in kept)
    assert page_state.pinned_lines(replace(now, against="epsilon"), Curves()) == []
    assert page_state.pinned_lines(now, None) == []


def test_a_pinned_attacker_has_maps_and_numbers_of_its_own() -> None:
    now = replace(AttackerState(), days=1)
    at = open_page(navigation.ADVERSARY, {"pinned": "fresh", **SUSPECT_LINK.write(now)})
    kept = pictures(open_page(navigation.ADVERSARY, {}), "adversary-maps")
    assert pictures(at, "adversary-pinned-maps") == kept != pictures(at, "adversary-maps")
    (table,) = container(at, "adversary-pinned").table
    assert list(table.value.loc["days"]) == ["1", str(AttackerState().days)]
    data = load_data(AttackerState())
    share = formats.share(data.ours.chance_of_truth(AttackerState().days))
    assert table.value.loc["after a fresh report every day"].iloc[1] == share


SMALL: Final = replace(MAP, n=20_000)


class Links(HTMLParser):
    """Whatever a browser would ask somebody for."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del tag
        self.addresses += [str(value) for name, value in attrs if name in ("src", "href", "action")]


def parts_of(whole: str) -> list[dict[str, Any]]:
    """What the browser's side receives of each part."""
    found = re.search(
        r'<script type="application/json" id="parts">(.*?)</script>', whole, re.DOTALL
    )
    assert found
    data: list[dict[str, Any]] = json.loads(found[1])
    return data


def dials_of(part: Part) -> list[Dial]:
    return [made for made in (make(no_progress) for make in part.moves) if isinstance(made, Dial)]


def test_a_file_asks_nobody_and_holds_each_step_of_each_slider() -> None:
    part = yesno.PAGE.part(YesNoState())
    assert part is not None
    whole = document("Yes or no", [part], no_progress)
    assert len(whole.encode()) < 5e6
    links = Links()
    links.feed(whole)
    assert links.addresses == []
    assert "default-src 'none'" in whole
    assert not re.search(r"\bimport\s[^;]*from\s*[\"']", whole)  # the modules are one
    (data,) = parts_of(whole)
    assert [dial["title"] for dial in data["dials"]] == [
        "ε of yes",
        "ε of no",
        "People",
        "Truly yes",
    ]
    for dial in data["dials"]:
        now = dial["steps"][dial["at"]]
        assert now["pictures"] == data["first"]["pictures"]
        assert now["words"] == data["first"]["words"]
    assert 'id="hand-in"' not in whole  # a page alone asks nothing


def test_pages_of_maps_and_of_answers_have_their_own_scenario() -> None:
    few = SMALL.with_context(epsilon=2.0)
    for part, kind, moves in (
        (lesson.maps(few), Scene, 1),
        (lesson.answers(ANSWERS), Component, 2),
        (adversary.PAGE.part(AttackerState()), Scene, 2),
        (COARSER_PAGE.part(Publication(scenario=few)), Scene, 1),
    ):
        assert part is not None
        with naming(part.id):
            assert isinstance(part.picture, kind)
            assert len(part.moves) == moves
            if isinstance(part.picture, Scene):  # nobody answers a click
                assert not part.picture.actions
                assert not any(each.invitation for each in part.picture.pictures)
            assert next(iter(part.words)) == layout.SENTENCE
    assert (
        COARSER_PAGE.part(Publication().with_attack(CENSUS_BLOCK)) is None
    )  # seven people have no slider


def test_both_themes_are_told_at_once() -> None:
    lesson = Lesson("sum")
    part = classroom.part(lesson)
    assert part is not None
    assert isinstance(part.picture, Board)
    for key, picture in part.picture.pictures.items():
        for name, colours in (("light", LIGHT), ("dark", DARK)):
            page = classroom.view(lesson, None, colours).pictures[key]
            assert in_theme(picture, dark=name == "dark") == page


@pytest.mark.parametrize("name", ["trust", pytest.param("means", marks=pytest.mark.thorough)])
def test_a_station_is_what_its_page_shows_and_its_answers_are_read_there(name: str) -> None:
    part, lesson = classroom.part(Lesson(name)), Lesson(name)
    assert part is not None
    dials, sliders = dials_of(part), STATIONS[name].dials(lesson)
    assert [dial.title for dial in dials] == [*(s.title for s in sliders), STATIONS[name].naive[0]]
    for dial, slider in zip(dials, (s.slider for s in sliders), strict=False):
        for step, value in zip(dial.steps, slider.steps, strict=True):
            board = STATIONS[name].open(slider.with_value(lesson, value))
            assert step.reading == slider.format_value(value)
            assert step.replacements[layout.SENTENCE] == layout.headline_html(board.headline)
    move = STATION_QUESTIONS[name]["move"]
    question = make_question(move, dials)
    assert len(set(question.answers)) == len(question.answers) == 3
    (moved,) = (each.slider for each in sliders if each.title == move.dial)
    (there,) = (value for value in moved.steps if moved.format_value(value) == move.reading)
    sentence = STATIONS[name].open(moved.with_value(lesson, there)).headline.sentence
    assert number(question.answers[0]) in [number(word) for word in sentence.split()]


def test_each_question_stands_before_what_answers_it() -> None:
    """The prediction before the sentence and the picture, all before what is to be taken home."""

    def three(_: Sequence[Film]) -> tuple[QuizQuestion, ...]:
        return tuple(
            QuizQuestion(f"{each}?", ("a", "b"), "") for each in ("predict", "move", "why")
        )

    picture = Component({}, "chart", "", "")
    words = {"h1": "<p>the sentence</p>"}
    part = Part("a", "Title", "the task", words, picture, (), "the aim", "at home", three)
    whole = document("a", [part], no_progress)
    order = (
        "Title",
        "the aim",
        "predict?",
        "the task",
        "the sentence",
        'class="picture',
        "move?",
        "why?",
        "at home",
    )
    places = [whole.index(each, whole.index("<section")) for each in order]
    assert places == sorted(places)


def test_texts_are_texts_and_a_cancel_stops() -> None:
    evil = "</script><img src=x onerror=alert(1)>"

    def one(_: Sequence[Film]) -> tuple[QuizQuestion, ...]:
        return (QuizQuestion(evil, (evil, "b"), evil),)

    picture = Component({"names": [evil]}, "chart", "", evil)
    part = Part("a", evil, evil, {"h1": "<p></p>"}, picture, (), evil, evil, one)
    made = document(evil, [part], no_progress)
    assert evil not in made
    assert escape(evil) in made

    def enough(share: float) -> None:
        raise Cancelled

    station = classroom.part(Lesson())
    assert station is not None
    with pytest.raises(Cancelled):
        document("a", [station], enough)


def test_the_class_is_asked_each_station_s_prediction_and_the_right_answer_is_not_the_first() -> (
    None
):
    for name, station in STATION_QUESTIONS.items():
        guess = lesson.question(name)
        with naming(name):
            assert guess.right not in (None, 0)
            answers = [answer.removesuffix(".") for answer in station["predict"].answers]
            assert guess.answers[guess.right or 0] == answers[0]
            assert set(guess.answers) == set(answers)
            assert POLL.codec.read(POLL.codec.write(Draft(guess))) == Draft(guess)
