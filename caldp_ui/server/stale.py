"""Messages of pages that a visit has left are dropped from its socket, whose end is noted.

Requests to redraw a part of a page that the visit has left end here, as does what a run of that
page still sends: the browser would write the address of the page that was left. What cannot be read
is passed on, so that another version of Streamlit's messages ends no socket.
"""

import logging
from collections.abc import Callable
from typing import Final, TypeVar

from google.protobuf.message import DecodeError
from google.protobuf.message import Message as Protobuf
from starlette.types import Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from caldp_ui.server.guard import Patch
from caldp_ui.server.messages import is_step
from caldp_ui.server.sockets import VisitSockets
from caldp_ui.server.vault import vaults

_READ_MAX_BYTES: Final = 2**16
"""Messages that say which page is run are small; larger ones need not be read."""
Proto = TypeVar("Proto", bound=Protobuf)
_LOG: Final = logging.getLogger(__name__)
_logged = set[type[Exception]]()
"""Kinds of errors that were logged: one line each is enough."""


class CurrentPage:
    """The page on which a visit is, by the messages of its browser and of the server.

    Pages are known by the hash that Streamlit gives their script. `visit`: the name that the server
    has given the visit; "" until it has said so.
    """

    def __init__(self) -> None:
        self._page = self._left = self.visit = ""

    def accepts(self, data: bytes) -> bool:
        """Whether this message of the browser may reach the server: no part of another page."""
        run = _parsed(BackMsg(), data).rerun_script
        if run.fragment_id:
            return self._page in ("", run.page_script_hash)
        if is_step(run) and run.page_script_hash != self._page:
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
        message = _parsed(ForwardMsg(), data)
        self._note_visit(message.new_session.initialize.session_id)
        page = message.new_session.page_script_hash or message.navigation.page_script_hash
        if not page or message.metadata.run.fragment_ids:
            return True
        if page == self._left:
            return False
        self._page, self._left = page, ""
        return True

    def _note_visit(self, visit: str) -> None:
        if visit and not self.visit:
            self.visit = visit
            vaults().note_open_socket(visit)


def _parsed(message: Proto, data: bytes) -> Proto:
    """The message in the data; an empty one if they hold none of Streamlit's."""
    try:
        message.ParseFromString(data)
    except DecodeError:
        message.Clear()
    return message


_UNKNOWN: Final = 1005
"""Of RFC 6455, 7.4.1: the other side gave no code."""
_BROKEN: Final = 1002
"""Of RFC 6455, 7.4.1: a protocol error, which Streamlit ends a socket with, too."""


class StaleMessages(VisitSockets):
    """Drops messages of pages that a visit has left from its socket; all others pass unchanged.

    A frame that is no message ends the socket, as it does with Streamlit, which would write a
    traceback into the log for each.
    """

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a visit's socket without stale messages."""
        page, is_closed = CurrentPage(), False

        async def receive_current() -> Message:
            nonlocal is_closed
            message = await receive()
            while _is_message(message) and not _passes(page.accepts, message):
                message = await receive()
            if message["type"] == "websocket.disconnect":
                vaults().note_end_of_socket(page.visit, message.get("code", _UNKNOWN))
            if _is_message(message):
                return message
            is_closed = True
            await send({"type": "websocket.close", "code": _BROKEN})
            return {"type": "websocket.disconnect", "code": _BROKEN}

        async def send_current(message: Message) -> None:
            if not is_closed and _passes(page.sends, message):
                await send(message)

        await self._app(scope, receive_current, send_current)


def _is_message(message: Message) -> bool:
    """Whether the data of a frame are encoded as messages are, whatever they say."""
    try:
        BackMsg().ParseFromString(message.get("bytes") or b"")
    except DecodeError:
        return False
    return True


def _passes(judge: Callable[[bytes], bool], message: Message) -> bool:
    """What `judge` says of the data of a message; what it can't read passes, logged once a kind."""
    try:
        return judge(message.get("bytes") or b"")
    except Exception as error:  # noqa: BLE001 — another version's messages must not end a socket
        if type(error) not in _logged:
            _logged.add(type(error))
            _LOG.warning("A message of Streamlit can't be read, and is passed on: %r", error)
        return True


PATCH: Final = Patch(
    name="messages of pages that were left",
    reason="A run that had begun before a step goes on sending, and the browser shows its address.",
    upstream="streamlit issue 13963",
    without="a page that was left may write its address",
    rests_on={
        "streamlit.proto.ForwardMsg_pb2.ForwardMsg.metadata.run.fragment_ids": "",
        "streamlit.proto.ForwardMsg_pb2.ForwardMsg.new_session.page_script_hash": "",
        "streamlit.proto.ForwardMsg_pb2.ForwardMsg.new_session.initialize.session_id": "",
        "streamlit.proto.ForwardMsg_pb2.ForwardMsg.navigation.page_script_hash": "",
        "streamlit.proto.BackMsg_pb2.BackMsg.rerun_script.fragment_id": "",
    },
)
