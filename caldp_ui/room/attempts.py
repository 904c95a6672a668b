"""How often one address may open rooms and report, so that no script takes them all.

A whole class may share one address: what pupils do is far below these bounds, what scripts do far
above. Addresses are kept as salted hashes, for a minute, and never beside a room or a report. Wrong
codes need no bound: there are too many of them, and it would shut out the guesser's own class.
"""

import hashlib
import secrets
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from threading import Lock
from typing import Final

import streamlit as st

from caldp_core.basics.errors import CaldpError

OPEN: Final = (6, 60.0, "Too many polls were opened from here")
"""Limit on opening rooms: most attempts, within how many seconds, and the message beyond."""
REPORT: Final = (200, 10.0, "Very many phones report from here")
"""Limit on reports, likewise."""
_WINDOW_S: Final = 60.0
"""Seconds for which an address is remembered."""
_KNOWN_MAX: Final = 10_000
"""Addresses remembered at once; the one quiet for longest is forgotten first."""


class Busy(CaldpError):
    """Too many attempts at once; the same may succeed a moment later."""


class AttemptLimiter:
    """Counts the recent attempts of each address; thread-safe. `now`: a clock in seconds."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = Lock()
        self._salt = secrets.token_bytes(16)
        self._times: OrderedDict[bytes, deque[float]] = OrderedDict()

    def record_attempt(self, limit: tuple[int, float, str], address: str) -> None:
        """Note one more attempt; raises `Busy`, and notes nothing, where it is one too many.

        `limit`: `OPEN` or `REPORT`.
        """
        most, span, message = limit
        with self._lock:
            now = self._now()
            self._forget(now)
            times = self._times.setdefault(self._hash(message, address), deque())
            record_event(times, now, span, most, message)
            self._times.move_to_end(self._hash(message, address))

    def _forget(self, now: float) -> None:
        """Drop addresses quiet for a minute, and the quietest where there are too many."""
        while self._times:
            oldest = next(iter(self._times.values()))
            if now - oldest[-1] <= _WINDOW_S and len(self._times) < _KNOWN_MAX:
                return
            self._times.popitem(last=False)

    def _hash(self, message: str, address: str) -> bytes:
        text = f"{message}\0{address}".encode()
        return hashlib.blake2b(text, key=self._salt, digest_size=16).digest()


def record_event(times: deque[float], now: float, span: float, most: int, message: str) -> None:
    """Note one more event; raises `Busy` if it is one more than `most` within `span` seconds.

    `times`: of the latest events, in seconds, ascending; changed in place.
    """
    while times and now - times[0] > span:
        times.popleft()
    if len(times) >= most:
        raise Busy(f"{message}; try again in a moment.")
    times.append(now)


@st.cache_resource
def attempt_limiter() -> AttemptLimiter:
    """The limiter of this server."""
    return AttemptLimiter()
