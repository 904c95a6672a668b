"""The classroom, the plan of its lesson, and the lesson as a file."""

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path
from threading import current_thread
from typing import Any

import pytest
import streamlit as st
from starlette.applications import Starlette
from streamlit.testing.v1 import AppTest

from caldp_ui.adversary.page_state import AttackerState
from caldp_ui.app.delivery import THREAD_PREFIX
from caldp_ui.app.navigation import ADVERSARY, CLASSROOM, MATRIX, PAGES, PAPER, PLACES, ROOM, START
from caldp_ui.app.theme import DARK, LIGHT
from caldp_ui.classroom import page as plan
from caldp_ui.classroom import station as charts
from caldp_ui.classroom import trust
from caldp_ui.classroom.page import STATIONS
from caldp_ui.classroom.page_state import LINK, NAMES, STATE, Lesson
from caldp_ui.handout import lesson as handout_lesson
from caldp_ui.handout.route import lesson_file, route
from caldp_ui.lesson import steps
from caldp_ui.matrix.page_state import BUG, MatrixState
from caldp_ui.room.page_state import OPENING
from caldp_ui.session import page_state
from tests import ROOT
from tests.contract.checks import naming
from tests.servers import run
from tests.ui.driver import (
    checked,
    headline_of,
    open_page,
    open_record,
    page_record,
    query_of,
    trigger,
)
from tests.ui.pages import ENDS, read_headline
from tests.ui.phones import Answer, ask
from tests.ui.readings import drawn


def assert_shows(at: AppTest, lesson: Lesson) -> None:
    """Sentence and link are those of the lesson."""
    assert page_record(at, STATE) == lesson
    assert not at.error
    assert headline_of(at) == " ".join(read_headline(lesson).split())
    assert LINK.read(query_of(at)) == lesson


@pytest.mark.slow
def test_breaking_it_changes_the_sentence_or_the_picture_and_the_expanders_open() -> None:
    at = open_record(STATE)
    assert_shows(at, Lesson())
    assert query_of(at) == {}
    for name in NAMES:
        checked(at.segmented_control(key="classroom-station").set_value(name).run())
        assert_shows(at, Lesson(name))  # each begins unbroken
        assert not at.latex
        tabs = ("The exact audit", "Numbers", "Share and export")
        tab = tabs[NAMES.index(name) % 3]
        at.session_state["classroom-tabs"] = tab
        at.session_state["classroom-formula"] = True
        checked(at.toggle(key="classroom-broken").set_value(True).run())
        assert_shows(at, Lesson(name, broken=True))
        if name != "trust":  # there it is the picture that changes
            assert read_headline(Lesson(name)) != read_headline(Lesson(name, broken=True))
        assert at.latex
        assert at.table if tab != "Share and export" else at.code
        at.session_state["classroom-formula"] = False


def test_the_way_onward_leads_through_the_lecture() -> None:
    at = open_record(STATE, Lesson(broken=True))
    for name in NAMES[1:]:
        checked(at.button(key="classroom-onward").click().run())
        assert_shows(at, Lesson(name))
    assert not any(button.key == "classroom-onward" for button in at.button)


def test_every_control_changes_what_it_names_and_undo_takes_it_back() -> None:
    lesson = Lesson("rappor")
    at = open_record(STATE, lesson)
    steps: tuple[tuple[str, Any], ...] = (("epsilon", 3.0), ("days", 30), ("values", 3))
    for name, value in steps:
        checked(at.select_slider(key=f"classroom-{name}").set_value(value).run())
        lesson = replace(lesson, **{name: value})
        assert_shows(at, lesson)
    checked(at.segmented_control(key="classroom-view").set_value("crowd").run())
    assert not any(toggle.key == "classroom-broken" for toggle in at.toggle)
    checked(at.select_slider(key="classroom-n").set_value(10**6).run())
    checked(at.button(key="classroom-another").click().run())
    assert_shows(at, replace(lesson, view="crowd", n=10**6, seed=2))
    checked(at.button(key="classroom-undo").click().run())
    assert_shows(at, replace(lesson, view="crowd", n=10**6))
    for station, name, value in (
        ("means", "width", 60),
        ("shuffling", "blocks", 50),
        ("bits", "items", 64),
    ):
        checked(at.segmented_control(key="classroom-station").set_value(station).run())
        checked(at.select_slider(key=f"classroom-{name}").set_value(value).run())
        assert getattr(page_record(at, STATE), name) == value
        assert_shows(at, page_record(at, STATE))


def test_links_open_as_they_were_at_the_ends_of_all_ranges() -> None:
    link = LINK
    for lesson in ENDS:
        with naming(str(lesson)):
            link.check(lesson)
            assert link.read(link.write(lesson)) == lesson
            assert read_headline(lesson)
    assert_shows(open_record(STATE, ENDS[0]), ENDS[0])
    assert_shows(open_record(STATE, ENDS[-1]), ENDS[-1])


def test_trust_icons_are_the_people_and_what_they_sent() -> None:
    for lesson in (Lesson(n=50, broken=True), Lesson(n=10**6)):
        data = trust.trust_data(lesson)
        (html,) = (
            each.proto.body
            for each in open_record(STATE, lesson).get("html")
            if 'class="trust' in each.proto.body
        )
        arrays = re.findall(r'class="people".*?</div>', html)
        full = [array.count("<i>") for array in arrays]
        assert full == [data.truth.sum(), data.truth.sum(), data.sent.sum()]
        crowd = "50 people" if lesson.n == 50 else "The first 100 of 1 million people"
        assert f"<h2>{crowd}</h2>" in html
        assert all(len(re.findall("<[is]>", a)) == min(lesson.n, 100) for a in arrays)
        right = int((data.truth == data.sent).sum())
        assert f"{right} of {data.truth.size} right in this draw" in html
        assert ('class="trust open"' in html) == lesson.broken  # only then it is seen (`style.css`)


def test_one_draw_is_told_apart_from_the_average_that_the_headline_bounds() -> None:
    lesson = Lesson(broken=True)
    data = trust.trust_data(lesson)
    right = int((data.sent == data.truth).sum())
    assert right > 73  # more than the headline allows on average
    assert "at most 73 times" in read_headline(lesson)
    sentence = trust.attacker(data.sent, data)
    assert sentence == f"Attacker: {right} of 100 right in this draw, 73 of 100 on average"
    assert trust.attacker(data.truth, data) == "Attacker: reads 100 of 100 true answers"


def test_the_three_items_have_no_sliders_that_say_otherwise() -> None:
    at = open_record(STATE, Lesson("selection", items=1024))
    assert at.select_slider
    checked(at.toggle(key="classroom-broken").set_value(True).run())
    assert not at.select_slider
    assert "elects 111, which nobody chose" in headline_of(at)
    checked(at.toggle(key="classroom-broken").set_value(False).run())
    assert at.select_slider(key="classroom-items").value == 1024


def test_each_dotted_line_of_a_station_says_where_it_stands() -> None:
    """At the side of the line where there is room."""
    for colours in (LIGHT, DARK):
        for at, side in ((10_000, "left"), (10**9, "right")):
            label = charts.upright(at, colours, charts.MIDDLE)["label"]
            assert (label["text"], label["xanchor"]) == (f"you: {at:,}", side)
            assert label["font"]["color"] == colours.text  # the line alone is faint
    lesson = replace(Lesson("sum"), n=1_000_000)
    (mark,) = drawn(trust.figure(trust.sums_data(lesson), lesson, LIGHT)).layout.shapes
    assert (mark.x0, mark.label.text) == (1_000_000, "you: 1,000,000")


def test_new_noise_is_offered_where_something_is_drawn() -> None:
    for lesson, is_offered in (
        (Lesson("trust"), True),
        (Lesson("selection"), True),
        (Lesson("selection", broken=True), False),
        (Lesson("bits"), False),
        (Lesson("shuffling"), False),
    ):
        at = open_record(STATE, lesson)
        with naming(str(lesson)):
            assert ("classroom-another" in {each.key for each in at.button}) == is_offered
        # A seed changes what is seen there, and nowhere else.
        board, again = (
            STATIONS[lesson.station].open(replace(lesson, seed=seed)) for seed in (1, 2)
        )
        before, after = board.shown(LIGHT), again.shown(LIGHT)
        same = (before.pictures, before.texts) == (after.pictures, after.texts)
        assert same != is_offered


def test_a_unit_is_chosen_for_sums_and_selection_and_kept_between_them() -> None:
    at = open_record(STATE, Lesson("sum"))
    checked(at.segmented_control(key="classroom-view").set_value("percent").run())
    assert_shows(at, Lesson("sum", view="percent"))
    checked(at.segmented_control(key="classroom-station").set_value("selection").run())
    assert_shows(at, Lesson("selection", view="percent"))
    assert at.segmented_control(key="classroom-view").value == "percent"
    checked(at.segmented_control(key="classroom-station").set_value("rappor").run())
    assert at.segmented_control(key="classroom-view").value == "phone"


STATIONED = [part for part in plan.PARTS if part.page == CLASSROOM]


def open_plan() -> AppTest:
    at = open_page(CLASSROOM)
    return checked(at.button(key="classroom-plan").click().run())


def test_it_takes_fifty_minutes_and_goes_through_all_stations() -> None:
    assert sum(part.minutes for part in plan.PARTS) == steps.MINUTES
    assert plan.starts()[-1] + plan.PARTS[-1].minutes == steps.MINUTES
    for number, (part, name) in enumerate(zip(STATIONED, NAMES, strict=True), 1):
        assert part.title == f"{number} {STATIONS[name].title}"
        assert STATIONS[name].naive[0] in re.findall(r"\*\*(.+?)\*\*", part.do)
    assert {part.page for part in plan.PARTS} <= {entry.path for entry in PAGES}


def test_a_short_lesson_and_one_for_a_seminar_take_their_minutes() -> None:
    assert list(plan.TRACKS) == [steps.length(parts) for parts in plan.TRACKS.values()]
    assert list(plan.TRACKS) == [15, 50, 90]
    seminar = plan.TRACKS[90]
    assert [part for part in seminar if part in plan.PARTS] == list(plan.PARTS)
    assert PAPER in {part.page for part in seminar}
    context = {MATRIX, ADVERSARY, PLACES}  # pages that need the idea of a context
    assert not context & {part.page for part in plan.TRACKS[15]}


@pytest.mark.slow
def test_the_short_lesson_is_held_from_its_choice_to_its_end() -> None:
    """Coin, estimate, ε, repetition: each step opens its page, and the clock is of 15 minutes."""
    at = open_plan()
    at.session_state["classroom-track"] = 15
    checked(at.run())
    checked(at.button(key="classroom-begin").click().run())
    held = at.session_state["lesson/running"]
    assert held.lesson.steps == plan.TRACKS[15]
    for number, part in enumerate(plan.TRACKS[15]):
        at = go(open_page("", state={"lesson/running": held}), number)
        payload = bar_of(at)
        assert payload is not None
        with naming(part.title):
            assert payload["at"] == number
            assert sum(each["minutes"] for each in payload["steps"]) == 15
            station = at.session_state["classroom/state"].record.station if part.ask else None
            assert station == {2: "sum", 3: "rappor"}.get(number)
            assert at.session_state["lesson/running"].lesson.step == part
    trigger(at, [{"event": "end", "value": True}], steps.KEY)
    assert bar_of(at) is None


def test_the_drawer_shows_the_plan_and_opens_each_part_as_it_is_needed() -> None:
    at = open_plan()
    text = " ".join(each.value for each in at.markdown)
    for begins, part in zip(plan.starts(), plan.PARTS, strict=True):
        assert part.do in text
        assert part.home in text
        label = at.button(key=f"classroom-plan-{begins}").label
        assert label == f"{begins} to {begins + part.minutes} min · {part.title}"
    wanted = {
        "classroom": Lesson("means"),
        "adversary": AttackerState(days=1),
        "matrix": replace(MatrixState().with_template("ldp", 1.0), channel=BUG),
    }
    for page, title in (
        ("classroom", "6 Means"),
        ("adversary", "What an attacker learns"),
        ("matrix", "The privacy matrix"),
    ):
        number = [part.title for part in plan.PARTS].index(title)
        at = open_plan()
        checked(at.button(key=f"classroom-plan-{plan.starts()[number]}").click().run())
        checked(at.switch_page(plan.PARTS[number].page).run())
        with naming(title):
            assert at.session_state[f"{page}/state"].record == wanted[page]
            assert not at.warning


def test_the_drawer_stays_open_while_the_page_is_run_by_itself() -> None:
    """A preview that came half a second after the click closed it."""
    at = open_plan()
    again = checked(at.run())
    assert again.button(key="classroom-begin").label == "Begin the lesson"
    checked(again.button(key="classroom-begin").click().run())
    assert "classroom-begin" not in {each.key for each in checked(again.run()).button}


def test_the_file_is_the_same_plan() -> None:
    text = (ROOT / "docs" / "lesson.md").read_text("utf-8")
    rows = [
        f"| {begins}–{begins + part.minutes} | {part.title} | {part.do} | {part.home} |"
        for begins, part in zip(plan.starts(), plan.PARTS, strict=True)
    ]
    head = ["| minute | page | what to do | to take home |", "|---|---|---|---|"]
    assert "\n".join([*head, *rows]) in text
    assert "docs/lesson.md" in (ROOT / "README.md").read_text("utf-8")


def begin_lesson() -> AppTest:
    """A lesson begun in the drawer, as another visit that is on the start page.

    AppTest finds no way out of a dialog, and runs pages without what is around them unless they
    are opened by the app itself.
    """
    at = open_plan()
    checked(at.button(key="classroom-begin").click().run())
    held = at.session_state["lesson/running"]
    return open_page("", state={"lesson/running": held})


def bar_of(at: AppTest) -> dict[str, Any] | None:
    """What the bar receives, if there is one."""
    found = [c.proto for c in at.get("bidi_component") if c.proto.id.endswith(f"-{steps.KEY}")]
    return json.loads(found[0].json)[0] if found else None


def go(at: AppTest, number: object) -> AppTest:
    """Choose a step in the bar, as a browser reports it."""
    return trigger(at, [{"event": "go", "value": number}], steps.KEY)


def test_the_bar_is_on_every_page_of_a_lesson_and_nowhere_else() -> None:
    assert bar_of(open_plan()) is None
    for number in (9,):
        part = plan.PARTS[number]
        with naming(part.title):
            payload = bar_of(go(begin_lesson(), number))
            assert payload is not None
            assert payload["at"] == number
            assert payload["steps"][number] == {
                "title": part.title,
                "minutes": part.minutes,
                "do": part.do,
                "home": part.home,
                "ask": part.ask,
            }
            assert 0 <= payload["elapsed"] < 600
    at = begin_lesson()
    for wrong in (-1, len(plan.PARTS), "1", None):
        payload = bar_of(go(at, wrong))
        assert payload is not None
        assert payload["at"] == 0
    trigger(at, [{"event": "end", "value": True}], steps.KEY)
    assert bar_of(at) is None


def test_a_page_that_is_loaded_again_goes_on_with_the_lesson_and_its_clock() -> None:
    def kept(value: object) -> dict[str, Any] | None:
        return bar_of(trigger(open_page(""), [{"event": "lesson", "value": value}], steps.KEEPER))

    payload = kept({"at": 11, "elapsed": 1500.0, "minutes": 50})
    assert payload is not None
    assert 1500 <= payload["elapsed"] < 1620
    for wrong in ({"at": 99}, {"elapsed": -1}, {"at": "1"}, {"minutes": 51}, {"minutes": None}):
        assert kept({"at": 1, "elapsed": 3.0, "minutes": 50, **wrong}) is None
    assert kept(None) is None
    assert kept(7) is None
    short = kept({"at": 3, "elapsed": 700.0, "minutes": 15})
    assert short is not None
    assert [each["title"] for each in short["steps"]] == [s.title for s in plan.TRACKS[15]]


def test_the_step_is_what_the_teacher_chose_and_not_what_page_is_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session: dict[str, Any] = {}
    monkeypatch.setattr(st, "session_state", session)
    steps.begin(plan.PARTS)
    assert steps.page_to_open(START) == ROOM
    assert steps.page_to_open(START) == ROOM  # a timer's request has run the page before again
    assert steps.page_to_open(ROOM) is None
    assert steps.page_to_open(START) is None

    def title_after(page: str, station: str) -> str:
        STATE.open_with(Lesson(station, items=64))
        steps.follow_page(page)
        held = steps.running()
        assert held is not None
        return held.step.title

    assert title_after(CLASSROOM, "trust") == "Live poll"  # opened by hand: an aside
    steps.go_to_step(3)
    for page, station, title in (
        (ROOM, "selection", "3 Selection"),  # the class is asked
        (MATRIX, "selection", "3 Selection"),
        (START, "selection", "3 Selection"),
        (CLASSROOM, "means", "6 Means"),  # another station of the strip
        (CLASSROOM, "selection", "3 Selection"),
    ):
        assert title_after(page, station) == title
    steps.go_to_step(3)  # back from the question, to the station as it was left
    assert steps.page_to_open(ROOM) == CLASSROOM
    assert STATE.current() == Lesson("selection", items=64)
    steps.go_to_step(4)
    assert STATE.current() == Lesson("rappor")
    steps.set_step(3)  # the browser's Back
    assert title_after(CLASSROOM, "selection") == "3 Selection"
    steps.end()
    assert steps.running() is None


def test_the_last_step_shows_the_opening_question_again() -> None:
    plan.PARTS[-1].prepare()
    assert page_state.take_part(Path(plan.PARTS[-1].page).stem, OPENING)


PHONES = 30


def test_thirty_phones_get_the_lesson_that_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def make(progress: object) -> bytes:
        made.append(current_thread().name)
        return b"<!doctype html>"

    monkeypatch.setattr(handout_lesson, "make_lesson", make)
    lesson_file.clear()
    app = Starlette(routes=[route("/lesson")])

    async def hall() -> list[Answer]:
        return await asyncio.gather(*(ask(app, "/lesson") for _ in range(PHONES)))

    answers = run(hall())
    lesson_file.clear()
    # In a thread of whose missing page Streamlit says nothing in the log: it did 17 times.
    assert made == [f"{THREAD_PREFIX}lesson"]
    assert {(each.status, each.body) for each in answers} == {(200, b"<!doctype html>")}
    assert handout_lesson.FILE in answers[0].headers["content-disposition"]
