"""Messages of a page that a visit has left: they end here.

A part of a page asks by itself to be drawn again: a progress bar every so often, a picture when its
next steps may come. Such a message can cross the visitor's step to another page. Streamlit then
runs the part as one of the page before: the browser throws the new page away to draw it, and fails,
or shows the wrong address. The same happens when a whole run of that page begins as it is left.
"""

from typing import Final, TypeVar

from google.protobuf.message import DecodeError
from google.protobuf.message import Message as Protobuf
from starlette.types import Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

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
