"""A teacher's screens: the presenter's and the projector's steer one room, by its key."""

import json
from contextlib import suppress
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from caldp_ui.app.navigation import ROOM
from caldp_ui.classroom.plan import PARTS
from caldp_ui.lesson import steps
from caldp_ui.room import screens
from caldp_ui.room.page_state import EXAMPLES, STATE, Draft, DraftLink
from caldp_ui.room.poll import STEER, Busy, TeacherKey, attempt_limiter, rooms
from tests.loops import run
from tests.ui.driver import checked, container, data_of, headline_of, open_page, trigger
from tests.ui.phones import Phone, fresh_rooms

no_rooms = pytest.fixture(autouse=True)(fresh_rooms)
GUESS = DraftLink().write(Draft(EXAMPLES["Guess"]))


def open_screen(teacher_key: TeacherKey, screen: str, **wrong: str) -> AppTest:
    """A fresh browser with the presenter's link, or with a wrong one."""
    stored = {**vars(teacher_key), "screen": screen, **wrong}
    return trigger(open_page(ROOM), [{"event": "teacher", "value": stored}], STATE.key("keeper"))


def teacher(**query: str) -> tuple[AppTest, TeacherKey]:
    at = open_page(ROOM, query)
    checked(at.button(key="room-open").click().run())
    if not query:
        return at, at.session_state["room/held"]
    checked(at.button(key="room-unprotected").click().run())
    return at, at.session_state["room/held"]


def buttons(at: AppTest) -> set[str]:
    return {str(each.key) for each in at.button}


def test_the_projector_shows_question_way_in_and_picture_alone() -> None:
    _, key = teacher()
    projector = open_screen(key, screens.PROJECTOR)
    assert projector.header[0].value == EXAMPLES["Cheating"].text
    for there in ("qr", "room-question", "headline"):
        assert container(projector, there) is not None
    assert buttons(projector) == {"room-leave"}
    assert not projector.tabs
    assert key.key not in repr(projector.main)
    checked(projector.button(key="room-leave").click().run())
    assert {"room-close", "room-next", "room-end"} <= buttons(projector)


def test_what_the_presenter_does_the_projector_shows() -> None:
    _, key = teacher()
    presenter, projector = (
        open_screen(key, each) for each in (screens.PRESENTER, screens.PROJECTOR)
    )
    assert container(presenter, "qr") is None
    first = rooms().get_poll(key.code)
    run(Phone(key.code).send(first.mark, 1))
    checked(presenter.button(key="room-next").click().run())
    checked(presenter.selectbox(key="room-ready").set_value("Vote").run())
    checked(presenter.button(key="room-ask").click().run())
    checked(projector.run())
    assert projector.header[0].value == EXAMPLES["Vote"].text
    checked(presenter.selectbox(key="room-asked").set_value(first.mark).run())
    checked(projector.run())
    assert projector.header[0].value == EXAMPLES["Cheating"].text
    checked(presenter.button(key="room-end").click().run())
    checked(projector.run())
    assert headline_of(projector).startswith("Thank you!")


def test_answers_are_on_the_presenter_s_screen_before_the_class_sees_them() -> None:
    _, key = teacher(**GUESS)
    poll = rooms().get_poll(key.code)
    run(Phone(key.code).send(poll.mark, 0))
    for screen, seen in ((screens.PRESENTER, True), (screens.PROJECTOR, False)):
        at = open_screen(key, screen)
        board: dict[str, Any] = json.loads(data_of(at, STATE.key("board"))["content"])
        assert any(each["right"] for each in board["answers"]) == seen
        assert (board["reports"] == [0]) == seen


def test_the_presenter_s_link_regains_poll_and_lesson_and_steers_its_steps() -> None:
    projector, key = teacher()
    link = screens.presenter_link(key)
    assert link.endswith(f"#presenter={key.code}.{key.key}")
    steps_of_visit = projector.session_state["lesson/running"]
    steps_of_visit.lesson = steps.LessonState(PARTS, 2, 0.0)
    checked(projector.run())
    presenter = open_screen(key, screens.PRESENTER)
    text = " ".join(each.value for each in presenter.markdown)
    assert f"Step 3 of {len(PARTS)}: {PARTS[2].title}" in text
    assert PARTS[2].do in text
    checked(presenter.button(key="room-step-show").click().run())
    assert steps_of_visit.lesson.is_shown
    checked(presenter.button(key="room-step-next").click().run())
    assert (steps_of_visit.lesson.at, steps_of_visit.wanted) == (2, 3)  # the projector opens it
    regained = open_screen(key, screens.ALL)
    assert regained.session_state["lesson/running"].lesson.at == 2
    assert steps_of_visit.is_watched


def test_a_wrong_key_is_refused_in_a_sentence_and_tries_are_bounded() -> None:
    _, key = teacher()
    for wrong in ("guess", "", "\ud800", key.key[:-1], f"{key.key}x"):
        at = open_screen(key, screens.PRESENTER, key=wrong)
        half = f"{key.code[:4]} {key.code[4:]}"
        sentence = f"This key does not steer poll {half}; open its presenter's link."
        assert [each.value for each in at.warning] == [sentence]
        assert "room/held" not in at.session_state
    at = open_screen(key, screens.PRESENTER, code="BCDFGHJK")
    assert "Poll BCDF GHJK is gone" in at.warning[0].value
    with suppress(Busy):
        for _ in range(STEER[0]):  # the clock stands still
            attempt_limiter().record_attempt(STEER, "")
    at = open_screen(key, screens.PRESENTER)
    assert "Too many keys of polls were tried from here" in at.warning[0].value
    assert "room/held" not in at.session_state
