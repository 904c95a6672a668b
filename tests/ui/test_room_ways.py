"""Polls where several workers stand behind one address, and after a worker's end."""

import dataclasses
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from caldp_ui.app.settings import WORKER
from caldp_ui.room import poll_links
from caldp_ui.room.registry import format_code, rooms
from tests.ui.driver import checked, trigger
from tests.ui.test_room import hall, opened


@pytest.fixture(autouse=True)
def worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(WORKER, "w1")
    rooms.clear()
    yield
    rooms.clear()


def typed(text: str) -> AppTest:
    at = opened()
    return checked(at.text_input(key="room-join").set_value(text).run())


def test_link_and_code_name_the_worker_that_holds_the_poll() -> None:
    teacher, seen = hall()
    (link,) = [each.value for each in teacher.code]
    assert link.endswith(f"/room?code={seen.code}&worker=w1")
    (html,) = [each.proto.body for each in teacher.get("html") if "room-code" in each.proto.body]
    assert f"W1 {format_code(seen.code)}" in html
    assert opened(code=seen.code, worker="w1").info == []


def test_alone_a_worker_has_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(WORKER)
    assert poll_links.query_of("BCDFGHJK") == {"code": "BCDFGHJK"}
    assert poll_links.display_code("BCDFGHJK") == "BCDF GHJK"


def test_a_code_is_typed_with_or_without_its_worker() -> None:
    _, seen = hall()
    for text in (seen.code.lower(), f" w1 {seen.code}", f"W1 - {format_code(seen.code)}"):
        phone = typed(text)
        assert not phone.info
        assert not phone.get("link_button")
        assert "".join(phone.query_params["code"]) == seen.code


def test_a_code_of_another_worker_leads_there() -> None:
    (button,) = typed("w2 bcdf-ghjk").get("link_button")
    assert button.proto.url.endswith("/room?code=BCDFGHJK&worker=w2")


def test_a_phone_whose_worker_is_gone_is_told_so() -> None:
    (said,) = opened(code="BCDFGHJK", worker="w2").info
    assert said.value.startswith("The server that held poll BCDF GHJK is gone")
    (said,) = opened(code="BCDFGHJK", worker="w1").info
    assert said.value.startswith("There is no poll")


def test_a_teacher_whose_server_was_started_again_is_told_so() -> None:
    teacher, seen = hall()
    held = teacher.session_state["room/held"]
    rooms.clear()  # as a new server is
    checked(teacher.run())
    assert teacher.warning[0].value.startswith(
        f"Poll {poll_links.display_code(seen.code)} is gone with its reports"
    )
    anew = opened()  # the page loaded again, in a browser that kept what steers the poll
    kept = [{"event": "teacher", "value": dataclasses.asdict(held)}]
    trigger(anew, kept, "room-keeper")
    assert anew.warning[0].value.startswith(
        f"Poll {poll_links.display_code(seen.code)} is gone with its reports"
    )
    assert not checked(anew.button(key="room-open").click().run()).warning
