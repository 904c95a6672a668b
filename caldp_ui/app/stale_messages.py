"""Messages of a page that a visit has left, or of a part that is gone: they end here.

A part of a page asks by itself to be drawn again: a progress bar every so often, a picture when its
next steps may come. Such a message can cross the visitor's step to another page. Streamlit then
runs the part as one of the page before: the browser throws the new page away to draw it, and fails,
or shows the wrong address. The same happens when a whole run of that page begins as it is left.

A part may also be gone because a run of its own page left it out. Streamlit then drops what its
controls ask for, and says so in the log: a reader who had just opened a drawer saw it empty until
the next move. Such a request has the whole page run instead.
"""

from typing import Final, TypeVar

import streamlit as st
from google.protobuf.message import DecodeError
from google.protobuf.message import Message as Protobuf
from starlette.types import Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import app_session
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.fragment import Fragment, MemoryFragmentStorage

from caldp_ui.app.gate import VisitSockets

_READ_MAX_BYTES: Final = 2**16
"""Messages that say which page is run are small; larger ones need not be read."""
P = TypeVar("P", bound=Protobuf)


class CurrentPage:
    """The page on which a visit is, by the messages of its browser and of the server.

    Pages are known by the hash that Streamlit gives their script.
    """

    def __init__(self) -> None:
        self._page = self._left = ""

    def accepts(self, data: bytes) -> bool:
        """Whether this message of the browser may reach the server: no part of another page."""
        run = _read(BackMsg(), data).rerun_script
        if run.fragment_id:
            return self._page in ("", run.page_script_hash)
        if run.page_script_hash and run.page_script_hash != self._page:
            self._page, self._left = run.page_script_hash, self._page
        return True

    def sends(self, data: bytes) -> bool:
        """Whether this message of the server may reach the browser: no run of the page just left.

        Such a run had begun before the server learned of the step, and the browser would write the
        address of its page. Any other page that is run is where the visit is from then on: pages
        send visits on to others, and one that is opened by its address has its hash only once
        `st.navigation` has found it.
        """
        if len(data) > _READ_MAX_BYTES:
            return True
        message = _read(ForwardMsg(), data)
        page = message.new_session.page_script_hash or message.navigation.page_script_hash
        if not page or message.metadata.run.fragment_ids:
            return True
        if page == self._left:
            return False
        self._page, self._left = page, ""
        return True


def _read(message: P, data: bytes) -> P:
    """The message in the data; an empty one if they hold none of Streamlit's."""
    try:
        message.ParseFromString(data)
    except DecodeError:
        message.Clear()
    return message


class StaleMessages(VisitSockets):
    """Drops messages of pages that a visit has left from its socket; all others pass unchanged."""

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a visit's socket without stale messages."""
        page = CurrentPage()

        async def receive_current() -> Message:
            while not page.accepts((message := await receive()).get("bytes") or b""):
                pass
            return message

        async def send_current(message: Message) -> None:
            if page.sends(message.get("bytes") or b""):
                await send(message)

        await self._app(scope, receive_current, send_current)


class Parts(MemoryFragmentStorage):
    """The parts of a visit's page; one that is gone, but that a user has used, runs the page.

    `used`: ids of parts whose controls were used, until they have run.
    """

    def __init__(self) -> None:
        super().__init__()
        self.used = set[str]()

    def lookup(self, key: str) -> Fragment:
        """The part of that id, or what runs in its place: the page, or nothing for a timer."""
        is_used = key in self.used
        self.used.discard(key)
        if self.contains(key):
            return super().lookup(key)
        return st.rerun if is_used else lambda: None


def run_page_for_missing_parts() -> None:
    """Have requests of users for parts that are gone run the page; those of timers end."""
    pass_on = AppSession.request_rerun

    def request(session: AppSession, asked: ClientState | None) -> None:
        parts = session._fragment_storage  # noqa: SLF001 — no public name
        if asked and asked.fragment_id and isinstance(parts, Parts):
            is_there, is_timer = parts.contains(asked.fragment_id), asked.is_auto_rerun
            if is_timer and not is_there:
                return
            if not is_timer and is_there:
                parts.used.add(asked.fragment_id)
            elif not is_timer:
                asked.fragment_id = ""
        pass_on(session, asked)

    app_session.MemoryFragmentStorage = Parts  # type: ignore[attr-defined]
    AppSession.request_rerun = request  # type: ignore[method-assign, assignment]
