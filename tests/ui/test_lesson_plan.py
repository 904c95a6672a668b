"""The plan of a lesson: fifty minutes, parts that open as they should, one text twice."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from caldp_ui.adversary.page_state import AttackerState
from caldp_ui.app.navigation import (
    ADVERSARY,
    CLASSROOM,
    MATRIX,
    PAGES,
    PAPER,
    PLACES,
    ROOM,
    START,
)
from caldp_ui.classroom import plan
from caldp_ui.classroom.page import STATIONS
from caldp_ui.classroom.page_state import NAMES, STATE, Lesson
from caldp_ui.classroom.plan import STATION_QUESTIONS
from caldp_ui.lesson import steps
from caldp_ui.matrix.page_state import BUG, MatrixState
from caldp_ui.room.page_state import OPENING
from caldp_ui.session import page_state
from tests import ROOT
from tests.contract.checks import naming
from tests.ui.driver import checked, open_page, trigger

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
    """What the bar is told, if there is one."""
    found = [c.proto for c in at.get("bidi_component") if c.proto.id.endswith(f"-{steps.KEY}")]
    return json.loads(found[0].json)[0] if found else None


def go(at: AppTest, number: object) -> AppTest:
    """Choose a step in the bar, as a browser tells it."""
    return trigger(at, [{"event": "go", "value": number}], steps.KEY)


def test_the_class_is_asked_before_each_station_shows_the_answer() -> None:
    for part in plan.PARTS:
        assert (part.ask is not None) == (part.page == CLASSROOM)
    for part, name in zip(STATIONED, NAMES, strict=True):
        asked = STATION_QUESTIONS[name]["predict"]
        assert part.ask is not None
        right = part.ask["answers"][part.ask["right"]]  # type: ignore[index]
        assert f"{right}." == asked.answers[0]


def test_the_bar_is_on_every_page_of_a_lesson_and_nowhere_else() -> None:
    assert bar_of(open_plan()) is None
    for number in (0, 9, 11):
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


def test_a_step_s_page_opens_as_the_plan_needs_it() -> None:
    at = go(begin_lesson(), 6)
    assert at.session_state["classroom/state"].record == Lesson("means")
    assert any(slider.key == "classroom-width" for slider in at.select_slider)


def test_the_step_is_what_the_teacher_chose_and_not_what_page_is_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session: dict[str, Any] = {}
    monkeypatch.setattr(st, "session_state", session)
    steps.begin(plan.PARTS)
    assert steps.page_to_open() == ROOM
    assert steps.page_to_open() is None

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
    assert steps.page_to_open() == CLASSROOM
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
