"""No part of a page that a visit has left is drawn again: what asks for it ends on its way."""

import asyncio
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from google.protobuf.message import Message as Protobuf
from starlette.types import Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import app_session
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.fragment import MemoryFragmentStorage

from caldp_ui.app.server import middleware
from caldp_ui.app.stale_messages import (
    CurrentPage,
    Parts,
    StaleMessages,
    run_page_for_missing_parts,
)


def ask(page: str, part: str = "") -> bytes:
    """The browser asks for a page, or for a part of one."""
    message = BackMsg()
    message.rerun_script.page_script_hash = page
    message.rerun_script.fragment_id = part
    return message.SerializeToString()


def begin(page: str, *parts: str) -> bytes:
    """The server says that a page is run, or parts of one."""
    message = ForwardMsg()
    message.new_session.page_script_hash = page
    message.metadata.run.script_run_id = "run"
    message.metadata.run.fragment_ids.extend(parts)
    return message.SerializeToString()


def navigate(page: str) -> bytes:
    """The server says which page `st.navigation` has found."""
    message = ForwardMsg()
    message.navigation.page_script_hash = page
    message.metadata.run.script_run_id = "run"
    return message.SerializeToString()


def visit(*pages: str) -> CurrentPage:
    """A visit that has gone from page to page, each of which has come."""
    current = CurrentPage()
    for page in pages:
        assert current.accepts(ask(page))
        assert current.sends(begin(page))
        assert current.sends(navigate(page))
    return current


def test_parts_of_the_page_on_show_are_drawn_and_those_of_a_page_before_are_not() -> None:
    current = visit("values", "places")
    assert current.accepts(ask("places", "bar"))
    assert not current.accepts(ask("values", "bar"))
    assert current.sends(begin("values", "bar"))
    assert not current.accepts(ask("values", "bar"))
    assert current.accepts(ask("values"))
    assert current.accepts(ask("values", "bar"))


def test_a_run_of_the_page_before_that_had_begun_does_not_bring_it_back() -> None:
    current = visit("values")
    assert current.accepts(ask("places"))
    assert not current.sends(begin("values"))
    assert not current.sends(navigate("values"))
    assert not current.accepts(ask("values", "bar"))
    assert current.sends(begin("places"))
    assert current.accepts(ask("places", "bar"))


def test_a_page_that_sends_on_to_another_takes_the_visit_along() -> None:
    current = visit("values", "home")
    assert current.sends(begin("values"))
    assert current.accepts(ask("values", "bar"))
    assert not current.accepts(ask("home", "bar"))


def test_a_page_opened_by_its_address_is_known_once_navigation_has_found_it() -> None:
    current = CurrentPage()
    assert current.accepts(ask(""))
    assert current.sends(begin("app.py"))
    assert current.sends(navigate("values"))
    assert current.accepts(ask("values", "bar"))
    assert not current.accepts(ask("home", "bar"))


def test_a_visit_that_names_no_page_is_where_the_server_says() -> None:
    current = CurrentPage()
    assert current.accepts(ask("", "bar"))
    assert current.accepts(ask(""))
    current.sends(begin("home"))
    assert current.accepts(ask("home", "bar"))
    assert not current.accepts(ask("values", "bar"))


def test_other_messages_pass_and_say_nothing() -> None:
    current = visit("values")
    other, large = BackMsg(stop_script=True), ForwardMsg()
    large.ParseFromString(begin("places"))
    large.new_session.name = "x" * 2**16
    assert current.accepts(other.SerializeToString())
    assert current.accepts(b"\xff none of Streamlit's")
    assert current.accepts(b"")
    for message in (large.SerializeToString(), b"\xff none of Streamlit's", b""):
        assert current.sends(message)
    assert current.accepts(ask("values", "bar"))


def pass_through(requests: Iterable[bytes], scope: Scope) -> list[bytes | None]:
    """What reaches an app that tells of each page asked for; at last its socket is closed."""
    coming = iter([{"type": "websocket.receive", "bytes": data} for data in requests])
    end: Message = {"type": "websocket.disconnect", "code": 1000}
    sent, received = list[Message](), list[bytes | None]()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        while (message := await receive())["type"] != "websocket.disconnect":
            received.append(message["bytes"])
            await send(message)

    async def receive() -> Message:
        return next(coming, end)

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(StaleMessages(app)(scope, receive, send))
    assert [message["bytes"] for message in sent] == received
    return received


def test_only_the_socket_of_a_visit_is_read() -> None:
    requests = [ask("values"), ask("places"), ask("values", "bar"), ask("places", "bar")]
    visits: Scope = {"type": "websocket", "path": "/caldp/_stcore/stream"}
    other: Scope = {"type": "websocket", "path": "/other"}
    assert pass_through(requests, visits) == [requests[0], requests[1], requests[3]]
    assert pass_through(requests, other) == requests


def test_streamlit_speaks_of_pages_and_parts_where_they_are_looked_for() -> None:
    """Else each message would pass, and Back would lose pages again."""

    def names(message: Protobuf) -> set[str]:
        return {field.name for field in message.DESCRIPTOR.fields}

    assert {"fragment_id", "page_script_hash"} <= names(BackMsg().rerun_script)
    assert "page_script_hash" in names(ForwardMsg().new_session)
    assert "page_script_hash" in names(ForwardMsg().navigation)
    assert "fragment_ids" in names(ForwardMsg().metadata.run)


def test_the_server_has_it() -> None:
    assert StaleMessages in [vars(each)["cls"] for each in middleware()]


def test_only_a_user_s_request_for_a_part_that_is_gone_runs_the_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    passed = list[str]()
    monkeypatch.setattr(
        AppSession, "request_rerun", lambda _, asked: passed.append(asked.fragment_id)
    )
    monkeypatch.setattr(app_session, "MemoryFragmentStorage", MemoryFragmentStorage)
    run_page_for_missing_parts()
    parts = app_session.MemoryFragmentStorage()  # type: ignore[attr-defined]
    parts.register("here", lambda: None)
    session: Any = SimpleNamespace(_fragment_storage=parts)
    for part, is_timer in (("here", True), ("gone", True), ("here", False), ("gone", False)):
        AppSession.request_rerun(session, ClientState(fragment_id=part, is_auto_rerun=is_timer))
    assert passed == ["here", "here", ""]


def test_a_used_part_that_goes_before_its_run_has_the_page_run_and_a_timer_s_nothing() -> None:
    parts = Parts()
    parts.register("used", test_the_server_has_it)
    parts.used.add("used")
    assert parts.lookup("used") is test_the_server_has_it
    parts.used.add("used")
    parts.clear()
    assert parts.lookup("used") is st.rerun
    assert parts.lookup("used")() is None
