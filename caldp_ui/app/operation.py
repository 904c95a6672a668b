"""What an operator asks of a server: lines of a log and figures for Prometheus, off at first.

They say that visits begin and end, which answers were refusals and which runs were slow. They say
nothing of who a visitor is, what was opened or what was chosen. Figures have a separate port, open
to this machine alone: visitors should not see when others come.
"""

import json
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from time import monotonic
from typing import Final

from prometheus_client import Counter, Gauge, Histogram, start_http_server
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from caldp_ui.app.theme import METRICS, Settings, settings

_VISITS: Final = Gauge("caldp_visits", "Visits that are open.")
_RUNS: Final = Histogram(
    "caldp_run_seconds",
    "Runs of whole pages, with their waits for a turn.",
    buckets=(0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30),
)
_REFUSED: Final = Counter("caldp_refused", "Requests and sockets that were refused.", ["code"])
_OF_REFUSALS: Final = frozenset({1008, *range(400, 600)} - {404})
"""Codes of sockets that are closed by policy, and of answers that refuse; not found is none."""
_SLOW_S: Final = 2.0
_LINES_A_SECOND: Final = 10


class Log:
    """Writes one line an event, ten a second at most; the next line says how many were left out.

    `own`: the form of lines and the worker's name; `write`: takes a line; `clock`: seconds.
    """

    def __init__(
        self,
        own: Settings,
        write: Callable[[str], object] = sys.stderr.write,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._form, self._worker = own.log, own.worker
        self._write, self._clock = write, clock
        self._recent: deque[float] = deque(maxlen=_LINES_A_SECOND)
        self._left_out = 0

    def write(self, event: str, **figures: float) -> None:
        """Write what has happened, with its figures by name."""
        now = self._clock()
        is_full = len(self._recent) == _LINES_A_SECOND and now - self._recent[0] < 1.0
        if not self._form or is_full:
            self._left_out += is_full
            return
        self._recent.append(now)
        more, self._left_out = {"left_out": self._left_out} if self._left_out else {}, 0
        named = {name: round(figure, 3) for name, figure in (figures | more).items()}
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        record = {"time": at, "worker": self._worker, "event": event} | named
        plain = " ".join(f"{name}={json.dumps(value)}" for name, value in record.items())
        self._write(f"{json.dumps(record) if self._form == 'json' else plain}\n")


@cache
def _log() -> Log:
    return Log(settings())


@contextmanager
def operating(own: Settings) -> Iterator[None]:
    """Have the log say when the server starts and ends, and its port show figures meanwhile."""
    if own.metrics:
        address, _, port = own.metrics.rpartition(":")
        try:
            server, thread = start_http_server(int(port), address or "127.0.0.1")
        except (OSError, OverflowError) as error:  # of a port that is too large
            raise ValueError(f"{METRICS} {own.metrics} can't be opened: {error}.") from error
    _log().write("server starts")
    try:
        yield
    finally:
        _log().write("server ends")
        if own.metrics:
            server.shutdown()
            server.server_close()
            thread.join()


@contextmanager
def timed_run() -> Iterator[None]:
    """Count a run of a page, and have the log name it if it takes longer than two seconds."""
    began = monotonic()
    try:
        yield
    finally:
        seconds = monotonic() - began
        _RUNS.observe(seconds)
        if seconds > _SLOW_S:
            _log().write("slow run", seconds=seconds)


class Operation:
    """Counts the visits and refusals of all connections, which pass unchanged; the outermost."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on one connection (ASGI)."""
        began: float | None = None

        async def send_counting(message: Message) -> None:
            nonlocal began
            code = message.get("status") or message.get("code") or 0
            if message["type"] == "websocket.accept":
                began = monotonic()
                _VISITS.inc()
                _log().write("visit begins")
            elif code in _OF_REFUSALS:
                _REFUSED.labels(code).inc()
                _log().write("refused", code=code)
            await send(message)

        try:
            await self._app(scope, receive, send_counting)
        finally:
            if began is not None:
                _VISITS.dec()
                _log().write("visit ends", seconds=monotonic() - began)
