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
"""Most, within how many seconds, and what is said then: opening rooms."""
REPORT: Final = (200, 10.0, "Very many phones report from here")
_KEPT: Final = 60.0
"""Seconds for which an address is known."""
_KNOWN_MAX: Final = 10_000
"""Addresses known at once; whoever has been quiet for longest is forgotten first."""


class Busy(CaldpError):
    """Too much at once: the same a moment later is welcome."""


class AttemptLimiter:
    """What addresses tried lately; may be called from any thread. `now`: a clock in seconds."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = Lock()
        self._salt = secrets.token_bytes(16)
        self._times: OrderedDict[bytes, deque[float]] = OrderedDict()

    def record_attempt(self, limit: tuple[int, float, str], address: str) -> None:
        """Note one more attempt; `Busy`, and nothing noted, where that were one too many."""
        most, span, said = limit
        with self._lock:
            now = self._now()
            self._forget(now)
            times = self._times.setdefault(self._hash(said, address), deque())
            record_event(times, now, span, most, said)
            self._times.move_to_end(self._hash(said, address))

    def _forget(self, now: float) -> None:
        """Drop whoever has been quiet for a minute, and the quietest where they are too many."""
        while self._times:
            oldest = next(iter(self._times.values()))
            if now - oldest[-1] <= _KEPT and len(self._times) < _KNOWN_MAX:
                return
            self._times.popitem(last=False)

    def _hash(self, said: str, address: str) -> bytes:
        told = f"{said}\0{address}".encode()
        return hashlib.blake2b(told, key=self._salt, digest_size=16).digest()


def record_event(times: deque[float], now: float, span: float, most: int, message: str) -> None:
    """Note one more event; `Busy` if that were more than `most` within `span` seconds."""
    while times and now - times[0] > span:
        times.popleft()
    if len(times) >= most:
        raise Busy(f"{message}; try again in a moment.")
    times.append(now)


@st.cache_resource
def attempt_limiter() -> AttemptLimiter:
    """What addresses tried lately on this server."""
    return AttemptLimiter()
