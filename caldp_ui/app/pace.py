"""A visit's pace: how many messages its socket may send, so that no flood stops the others.

What people and pages send comes in bursts: a key that is held, ticks of several parts. A burst is
handed on at once; what comes faster for longer waits, in order, and is handed on at the visit's
pace. Nobody is ahead of that by two hundred messages: a socket that is gets closed.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import monotonic
from typing import Final

from starlette.types import Message, Receive, Scope, Send

from caldp_ui.app.gate import VisitSockets

BURST: Final = 60
"""Messages that are handed on at once."""
PACE: Final = 20.0
"""Messages a second after that: twice what a page with several bars of progress sends by itself."""
AHEAD_MAX: Final = 200
"""Messages that may wait; with one more, the socket is closed."""
AHEAD_MAX_BYTES: Final = 8 * 2**20
"""Bytes of messages that may wait, besides the one that came last."""
_TOO_MANY: Final = 1008
"""Of RFC 6455, 7.4.1: the message breaks a policy."""


class Bucket:
    """Computes how long the next message must wait: `burst` at once, then `pace` a second.

    `clock`: seconds.
    """

    def __init__(self, burst: int, pace: float, clock: Callable[[], float]) -> None:
        self._burst, self._pace, self._clock = burst, pace, clock
        self._left, self._at = float(burst), clock()

    def take(self) -> float:
        """Take a place for one message; returns the seconds until it may go."""
        now = self._clock()
        self._left = min(self._left + (now - self._at) * self._pace, self._burst) - 1.0
        self._at = now
        return max(-self._left / self._pace, 0.0)


class PacedSocket:
    """One socket's messages, each handed on when its time has come. Read it by `receive`.

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
        if self._ends(self._waiting[-1]):
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
                with suppress(Exception):  # it may have gone by itself
                    await self._close()
                message = {"type": "websocket.disconnect", "code": _TOO_MANY}
            self._waiting.append(message)
            self._bytes += _size(message)
            self._came.set()
            if self._ends(message):
                return

    @staticmethod
    def _ends(message: Message) -> bool:
        return bool(message["type"] == "websocket.disconnect")


def _size(message: Message) -> int:
    return len(message.get("bytes") or b"") + len(message.get("text") or "")


class Pace(VisitSockets):
    """Holds each visit's socket to its pace; all else goes on as it comes."""

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a visit's socket at its pace."""
        socket = _Socket(send)
        paced = PacedSocket(receive, socket.close)
        try:
            await self._app(scope, paced.receive, socket.send)
        finally:
            paced.end()


class _Socket:
    """The way out of a socket, which is silent once it was closed from here."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._closed = False

    async def send(self, message: Message) -> None:
        if not self._closed:
            await self._send(message)

    async def close(self) -> None:
        self._closed = True
        await self._send({"type": "websocket.close", "code": _TOO_MANY})
