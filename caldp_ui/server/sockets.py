"""Visits' sockets keep their pace.

A burst of messages is passed on at once; faster ones for longer wait, in order, for the visit's
pace, and a socket that is ahead by two hundred is closed.
"""

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import monotonic
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from caldp_ui.server.pace import Bucket

_STREAM: Final = "_stcore/stream"


class VisitSockets(ABC):
    """Passes on all connections; those of visits by its `serve`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on one connection (ASGI)."""
        path = scope["path"].rstrip("/") if scope["type"] == "websocket" else ""
        if path.endswith(_STREAM):
            await self.serve(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    @abstractmethod
    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on the socket of one visit."""


BURST: Final = 60
"""Messages that are passed on at once."""
PACE: Final = 20.0
"""Messages a second after that: twice what a page with several bars of progress sends alone."""
AHEAD_MAX: Final = 200
"""Messages that may wait; with one more, the socket is closed."""
AHEAD_MAX_BYTES: Final = 8 * 2**20
"""Bytes of messages that may wait, besides the one that came last."""
_DISCONNECT: Final = "websocket.disconnect"
_TOO_MANY: Final = 1008
"""Of RFC 6455, 7.4.1: the message breaks a policy."""


class PacedSocket:
    """One socket's messages, each passed on when its time has come. Read it by `receive`.

    `close`: called once too many wait; then `receive` returns that the socket was disconnected.
    """

    def __init__(
        self,
        receive: Receive,
        close: Callable[[], Awaitable[None]],
        *,
        clock: Callable[[], float] = monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._receive, self._close, self._sleep = receive, close, sleep
        self._bucket = Bucket(BURST, PACE, clock)
        self._waiting: deque[Message] = deque()
        self._bytes = 0
        self._came = asyncio.Event()
        self._reader: asyncio.Task[None] | None = None

    async def receive(self) -> Message:
        """The next message, as ASGI has them; the end of the socket comes before all that waits."""
        if self._reader is None:
            self._reader = asyncio.create_task(self._read())
        await self._came.wait()
        if self._waiting[-1]["type"] == _DISCONNECT:
            return self._waiting[-1]
        message = self._waiting.popleft()
        self._bytes -= _size(message)
        if not self._waiting:
            self._came.clear()
        if message["type"] != "websocket.receive":
            return message
        pause = self._bucket.take()
        if pause:
            await self._sleep(pause)
        return message

    def end(self) -> None:
        """Stop reading."""
        if self._reader is not None:
            self._reader.cancel()

    async def _read(self) -> None:
        while True:
            message = await self._receive()
            if len(self._waiting) >= AHEAD_MAX or self._bytes >= AHEAD_MAX_BYTES:
                with suppress(Exception):  # it may have ended already
                    await self._close()
                message = {"type": _DISCONNECT, "code": _TOO_MANY}
            self._waiting.append(message)
            self._bytes += _size(message)
            self._came.set()
            if message["type"] == _DISCONNECT:
                return


def _size(message: Message) -> int:
    return len(message.get("bytes") or b"") + len(message.get("text") or "")


class Pace(VisitSockets):
    """Limits the pace of each visit's socket; other requests pass unchanged."""

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a visit's socket at its pace."""
        is_closed = False

        async def close() -> None:
            nonlocal is_closed
            is_closed = True
            await send({"type": "websocket.close", "code": _TOO_MANY})

        async def send_while_open(message: Message) -> None:
            if not is_closed:
                await send(message)

        paced = PacedSocket(receive, close)
        try:
            await self._app(scope, paced.receive, send_while_open)
        finally:
            paced.end()
