"""How often one address may open rooms and report, so that no script takes them all.

A whole class may share one address: what pupils do is far below these bounds, what scripts do far
above. Addresses are kept as salted hashes, for a minute, and never beside a room or a report. Wrong
codes need no bound: there are too many of them, and it would shut out the guesser's own class.

How well an attacker guesses from a report, by the exact channel of the question.

CALDP = Acharya, Bonawitz, Kairouz, Ramage, Sun 2020. Who guesses which of two equally likely
answers a phone has is right with probability (1 + TV)/2 at best, TV the total variation between
the two rows of the channel. Between a sensitive and an open answer that is up to 1 − e^{−ε}/2,
between two sensitive ones up to e^ε/(1 + e^ε).
"""

import hashlib
import secrets
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from threading import Lock
from typing import Final

import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_ui.room.question import Question, channel_of

OPEN: Final = (6, 60.0, "Too many polls were opened from here")
"""Limit on opening rooms: most attempts, within how many seconds, and the message beyond."""
REPORT: Final = (600, 10.0, "Very many phones report from here")
"""Limit on reports, likewise: a full hall of 500 behind one address, within ten seconds."""
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


@st.cache_resource(show_spinner=False)
def attempt_limiter() -> AttemptLimiter:
    """The limiter of this server."""
    return AttemptLimiter()


def most_right(question: Question) -> float:
    """The largest chance of a right guess between any two equally likely answers, in [0.5, 1]."""
    return max(
        _right(question, first, second) for first, second in combinations(range(question.k), 2)
    )


def most_right_about(question: Question, answer: int) -> float:
    """The largest chance of a right guess between this answer and another, in [0.5, 1]."""
    others = (x for x in range(question.k) if x != answer)
    return max(_right(question, answer, other) for other in others)


def is_sent_as_it_is(question: Question, answer: int) -> bool:
    """Whether a phone with this answer always reports it."""
    return channel_of(question)[answer][answer] == 1


def _right(question: Question, first: int, second: int) -> float:
    channel = channel_of(question)
    difference = sum(abs(p - q) for p, q in zip(channel[first], channel[second], strict=True))
    return float(Fraction(1, 2) + difference / 4)


def truthful_answers(question: Question) -> list[int]:
    """Answers whose reports are all true: no phone with another answer sends them."""
    columns = list(zip(*channel_of(question), strict=True))
    return [y for y, sent in enumerate(columns) if not any(sent[:y]) and not any(sent[y + 1 :])]
