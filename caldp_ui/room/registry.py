"""The rooms that are open on this server, each with its poll and the key of its teacher.

Everything is in memory and ends with the server, when its teacher ends it, or a while after its
teacher has left; nothing is written to disk. Phones come from anywhere, so all is done under one
lock; how often one address may try is in `attempts.py`.
"""

import hmac
import secrets
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Final

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from caldp_core.basics.errors import CaldpError, require
from caldp_ui.room.attempts import record_event
from caldp_ui.room.poll import Poll, PollState
from caldp_ui.room.question import Question

ROOMS_MAX: Final = 200
OPENED_A_MINUTE: Final = 60
ABSENT_MAX: Final = 15 * 60.0
"""Seconds after which a room ends whose teacher's browser is no longer connected."""
CODE_LENGTH: Final = 8
"""Of 20 letters: 90 guesses a second for an hour find one of 200 rooms once in 400 hours."""
ALREADY_ANSWERED: Final = "This phone has answered this question already; its first report counts."
_LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"
"""No vowels, so that no code is a word, and nothing that looks like a digit."""
_ENDED_MAX: Final = 1_000


@dataclass(frozen=True)
class TeacherKey:
    """The right to steer a room: its code, which everybody sees, and its secret key."""

    code: str
    key: str


@dataclass
class _Room:
    """`connected_at`: when `visit`, the teacher's, was last known to be connected."""

    key: str
    poll: Poll
    connected_at: float
    visit: str


def _nobody(visit: str) -> bool:
    del visit
    return False


class Rooms:
    """All rooms of a server; every method may be called from any thread.

    `now`: a clock in seconds. `connected`: whether the browser of a visit is there.
    """

    def __init__(
        self,
        now: Callable[[], float] = time.monotonic,
        connected: Callable[[str], bool] = _nobody,
    ) -> None:
        self._now = now
        self._connected = connected
        self._lock = Lock()
        self._rooms: dict[str, _Room] = {}
        self._ended: deque[str] = deque(maxlen=_ENDED_MAX)
        self._opened: deque[float] = deque()

    def open(self, question: Question, visit: str = "") -> TeacherKey:
        """Open a room with its first question; raises `CaldpError` where there are too many.

        `visit`: the teacher's.
        """
        with self._lock:
            now = self._now()
            message = "Too many polls were opened just now"
            record_event(self._opened, now, 60.0, OPENED_A_MINUTE, message)
            self._end_deserted(now)
            require(
                len(self._rooms) < ROOMS_MAX,
                f"All {ROOMS_MAX} polls of this server are in use; end one, or try again later.",
            )
            code = self._new_code()
            teacher_key = TeacherKey(code, secrets.token_urlsafe(24))
            self._rooms[code] = _Room(teacher_key.key, Poll.ask(code, question), now, visit)
            return teacher_key

    def ask(self, teacher_key: TeacherKey, question: Question) -> None:
        """Ask the room's next question; all that it held of the one before is forgotten."""
        with self._lock:
            room = self._own_room(teacher_key)
            room.poll = Poll.ask(teacher_key.code, question, room.poll.state.most)

    def set_open(self, teacher_key: TeacherKey, is_open: bool) -> None:
        """Take reports from now on, or no more."""
        with self._lock:
            self._own_room(teacher_key).poll.set_open(is_open)

    def show_answer(self, teacher_key: TeacherKey) -> None:
        """Say which answer is right, and take no more guesses; `CaldpError` where none is."""
        with self._lock:
            self._own_room(teacher_key).poll.show_answer()

    def set_report_limit(self, teacher_key: TeacherKey, most: int) -> None:
        """Take up to `most` reports from now on, 1 to 500."""
        with self._lock:
            self._own_room(teacher_key).poll.set_report_limit(most)

    def discard_recent(self, teacher_key: TeacherKey, seconds: float) -> int:
        """Forget the reports of the last so many seconds, 0 to 300; returns how many they were."""
        with self._lock:
            return self._own_room(teacher_key).poll.discard_recent(seconds, self._now())

    def end(self, teacher_key: TeacherKey) -> None:
        """End the poll; all that it held is forgotten."""
        with self._lock:
            self._own_room(teacher_key)
            self._forget(teacher_key.code)

    def get_poll(self, code: str) -> PollState:
        """The state of that room's poll; raises `CaldpError` where there is none."""
        with self._lock:
            self._end_deserted(self._now())
            return self._room(code).poll.state

    def get_own_poll(self, teacher_key: TeacherKey, visit: str = "") -> PollState:
        """The poll's state for its teacher, who counts as present; `CaldpError` for a wrong key.

        `visit`: the teacher's.
        """
        with self._lock:
            room = self._own_room(teacher_key)
            room.connected_at, room.visit = self._now(), visit or room.visit
            return room.poll.state

    def report(self, code: str, mark: str, token: str, answer: object) -> None:
        """Count one phone's report, see `Poll.report`."""
        with self._lock:
            self._room(code).poll.report(mark, token, answer, self._now)

    def has_answered(self, code: str, mark: str, token: str) -> bool:
        """Whether the report of the phone with this number to this question was counted."""
        with self._lock:
            return self._room(code).poll.has_answered(mark, token)

    def _room(self, code: str) -> _Room:
        if code in self._rooms:
            return self._rooms[code]
        display = format_code("".join(c for c in code[: 2 * CODE_LENGTH] if c.isalnum()))
        if code in self._ended:
            raise CaldpError(f"Poll {display} has ended; its reports are gone.")
        raise CaldpError(f"There is no poll “{display}”; type the code as the projector shows it.")

    def _own_room(self, teacher_key: TeacherKey) -> _Room:
        room = self._room(teacher_key.code)
        right = hmac.compare_digest(room.key.encode(), teacher_key.key.encode())
        require(right, "Only the browser that opened this poll can steer it.")
        return room

    def _end_deserted(self, now: float) -> None:
        """End the rooms whose teachers have been away for too long."""
        for code, room in list(self._rooms.items()):
            if self._connected(room.visit):
                room.connected_at = now
            elif now - room.connected_at > ABSENT_MAX:
                self._forget(code)

    def _forget(self, code: str) -> None:
        del self._rooms[code]
        self._ended.append(code)

    def _new_code(self) -> str:
        while True:
            code = "".join(secrets.choice(_LETTERS) for _ in range(CODE_LENGTH))
            if code not in self._rooms and code not in self._ended:
                return code


def normalize_code(code: str) -> str:
    """A code as people type it, in the registry's form."""
    return "".join(code.replace("-", " ").split()).upper()[: 2 * CODE_LENGTH]


def format_code(code: str) -> str:
    """A code as people read it: in two halves."""
    half = CODE_LENGTH // 2
    return f"{code[:half]} {code[half:]}".strip()


@st.cache_resource(show_spinner=False)
def rooms() -> Rooms:
    """The rooms of this server."""
    return Rooms(connected=_is_connected)


def this_visit() -> str:
    """The name of the visit whose page is being run."""
    run = get_script_run_ctx()
    return "" if run is None else run.session_id


def _is_connected(visit: str) -> bool:
    return runtime.exists() and runtime.get_instance().is_active_session(visit)
