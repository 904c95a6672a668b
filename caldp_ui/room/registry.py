"""The rooms that are open on this server: who asks what, and the reports that came.

Room: room. Everything is in memory and ends with the server, or when its teacher ends it; nothing
is written to disk. Phones come from anywhere, so each bound is checked here, under one lock.
"""

import hmac
import secrets
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Final

import streamlit as st

from caldp_core.basics.errors import CaldpError, check_whole, require
from caldp_ui.room.question import Question

ROOMS_MAX: Final = 40
OPENED_A_MINUTE: Final = 20
REPORTS_MAX: Final = 500
"""Reports to one question."""
REPORTS_A_SECOND: Final = 200
"""Of one room; a phone whose report comes too quickly sends it again."""
IDLE_MAX: Final = 6 * 3600.0
"""Seconds without a question or a report after which a room may be ended to make way."""
CODE_LENGTH: Final = 5
TOKEN_LENGTH: Final = 32
"""Hexadecimal digits of the random number by which no phone is counted twice."""
SECOND: Final = "This phone has answered this question already; its first report counts."
_LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"
"""No vowels, so that no code is a word, and nothing that looks like a digit."""
_ENDED_MAX: Final = 1_000


class Busy(CaldpError):
    """Too much at once: the same a moment later is welcome."""


@dataclass(frozen=True)
class Held:
    """What lets a teacher steer a room: its code, which everybody sees, and its secret key."""

    code: str
    key: str


@dataclass(frozen=True)
class Seen:
    """A room as it is at one moment.

    `mark`: names this room's question for phones, never the same twice. `reports`: numbers of
    answers in the order in which they came.
    """

    code: str
    mark: str
    question: Question
    is_open: bool
    reports: tuple[int, ...] = ()


@dataclass
class _Room:
    key: str
    seen: Seen
    heard: float
    sent: dict[str, int] = field(default_factory=dict)
    lately: deque[float] = field(default_factory=deque)


class Rooms:
    """All rooms of a server; every method may be called from any thread.

    `now`: a clock in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = Lock()
        self._rooms: dict[str, _Room] = {}
        self._ended: deque[str] = deque(maxlen=_ENDED_MAX)
        self._opened: deque[float] = deque()

    def open(self, question: Question) -> Held:
        """A new room with its first question; `CaldpError` where there are too many."""
        with self._lock:
            now = self._now()
            _within(self._opened, now, 60.0, OPENED_A_MINUTE, "Too many polls were opened just now")
            self._make_way(now)
            code = self._new_code()
            held = Held(code, secrets.token_urlsafe(24))
            self._rooms[code] = _Room(held.key, _asked(code, question), now)
            return held

    def ask(self, held: Held, question: Question) -> None:
        """The room's next question; the reports to the one before are forgotten."""
        with self._lock:
            room = self._steered(held)
            room.seen = _asked(held.code, question)
            room.sent.clear()
            room.heard = self._now()

    def accept(self, held: Held, is_open: bool) -> None:
        """Take reports from now on, or no more."""
        with self._lock:
            room = self._steered(held)
            room.seen = replace(room.seen, is_open=is_open)

    def end(self, held: Held) -> None:
        """End the poll; all that it held is gone."""
        with self._lock:
            self._steered(held)
            self._forget(held.code)

    def look(self, code: str) -> Seen:
        """The room of that code; `CaldpError` where there is none."""
        with self._lock:
            return self._room(code).seen

    def steer(self, held: Held) -> Seen:
        """The same for its teacher; `CaldpError` for a wrong key as well."""
        with self._lock:
            return self._steered(held).seen

    def report(self, code: str, mark: str, token: str, answer: object) -> None:
        """Count one phone's report; the same one that comes again is counted once.

        `mark`: of the question that was answered. `token`: the phone's random number for it.
        Raises `CaldpError` with one sentence for the phone, `Busy` where it may try again.
        """
        with self._lock:
            room = self._room(code)
            seen = room.seen
            named = check_whole("A report", answer, 0, seen.question.k - 1)
            require(mark == seen.mark, "This question is over; your report was not counted.")
            if token in room.sent:
                require(room.sent[token] == named, SECOND)
                return
            require(_is_token(token), "This report does not come from this page; reload the page.")
            require(seen.is_open, "The question is closed; your report was not counted.")
            require(
                len(seen.reports) < REPORTS_MAX,
                f"The poll is full: {REPORTS_MAX} reports are in; yours was not counted.",
            )
            room.heard = self._now()
            _within(room.lately, room.heard, 1.0, REPORTS_A_SECOND, "Very many phones report")
            room.sent[token] = named
            room.seen = replace(seen, reports=(*seen.reports, named))

    def _room(self, code: str) -> _Room:
        if code in self._rooms:
            return self._rooms[code]
        shown = "".join(c for c in code[: 2 * CODE_LENGTH] if c.isalnum())
        if code in self._ended:
            raise CaldpError(f"Poll {shown} has ended; its reports are gone.")
        raise CaldpError(f"There is no poll “{shown}”; type the code as the projector shows it.")

    def _steered(self, held: Held) -> _Room:
        room = self._room(held.code)
        right = hmac.compare_digest(room.key.encode(), held.key.encode())
        require(right, "Only the browser that opened this poll can steer it.")
        return room

    def _make_way(self, now: float) -> None:
        for code, room in list(self._rooms.items()):
            if now - room.heard > IDLE_MAX:
                self._forget(code)
        require(
            len(self._rooms) < ROOMS_MAX,
            f"All {ROOMS_MAX} polls of this server are in use; end one, or try again later.",
        )

    def _forget(self, code: str) -> None:
        del self._rooms[code]
        self._ended.append(code)

    def _new_code(self) -> str:
        while True:
            code = "".join(secrets.choice(_LETTERS) for _ in range(CODE_LENGTH))
            if code not in self._rooms and code not in self._ended:
                return code


def _asked(code: str, question: Question) -> Seen:
    return Seen(code, secrets.token_hex(8), question, is_open=True)


def _is_token(token: str) -> bool:
    return len(token) == TOKEN_LENGTH and set(token) <= set("0123456789abcdef")


def _within(times: deque[float], now: float, span: float, most: int, what: str) -> None:
    """Note one more event; `Busy` if that were more than `most` within `span` seconds."""
    while times and now - times[0] > span:
        times.popleft()
    if len(times) >= most:
        raise Busy(f"{what}; try again in a moment.")
    times.append(now)


def tidy(code: str) -> str:
    """A code as people type it, as the registry has it."""
    return "".join(code.split()).upper()[: 2 * CODE_LENGTH]


@st.cache_resource
def rooms() -> Rooms:
    """The rooms of this server."""
    return Rooms()
