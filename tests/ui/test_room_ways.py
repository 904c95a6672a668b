"""Polls where several workers stand behind one address, and after a worker's end."""

import dataclasses
from collections.abc import Iterator

import pytest

from caldp_ui.app.theme import WORKER
from caldp_ui.room.poll import display_code, format_code, query_of, rooms
from tests.ui.driver import checked, trigger
from tests.ui.phones import Phone, fresh_rooms
from tests.ui.test_room import hall, open_room_page
from tests.waiting import run


@pytest.fixture(autouse=True)
def worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(WORKER, "w1")
    yield from fresh_rooms()


def test_link_and_code_name_the_worker_that_holds_the_poll() -> None:
    teacher, poll = hall()
    (link,) = [each.value for each in teacher.code]
    assert link.endswith(f"/room?code={poll.code}&worker=w1")
    (html,) = [each.proto.body for each in teacher.get("html") if "room-code" in each.proto.body]
    assert f"W1 {format_code(poll.code)}" in html
    assert run(Phone(poll.code, "w1").state()).status == 200


def test_alone_a_worker_has_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(WORKER)
    assert query_of("BCDFGHJK") == {"code": "BCDFGHJK"}
    assert display_code("BCDFGHJK") == "BCDF GHJK"


def test_a_teacher_whose_server_was_started_again_is_told_so() -> None:
    teacher, poll = hall()
    held = teacher.session_state["room/held"]
    rooms.clear()  # as a new server is
    checked(teacher.run())
    assert teacher.warning[0].value.startswith(
        f"Poll {display_code(poll.code)} is gone with its reports"
    )
    anew = open_room_page()  # the page loaded again, in a browser that kept what steers the poll
    kept = [{"event": "teacher", "value": dataclasses.asdict(held)}]
    trigger(anew, kept, "room-keeper")
    assert anew.warning[0].value.startswith(
        f"Poll {display_code(poll.code)} is gone with its reports"
    )
    assert not checked(anew.button(key="room-open").click().run()).warning
