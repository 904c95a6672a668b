"""Polls: each with its question, its reports and its room, and how often one address may try.

A poll knows which phones have answered, and what was reported, but not who reported what: of a
phone's random number it holds a salted hash, apart from the reports, until the next question. Of
earlier questions it holds the counts of reports, and not their order. A room is in the memory of
one worker alone; it ends with the server, with the teacher's next one, or a while after the teacher
has left. A class may share one address: limits are far above what pupils do, and right and wrong
codes both count, or a guesser would know the right one by its answer. Addresses are kept as salted
hashes, for a minute, and never beside a report.
"""

import hashlib
import hmac
import json
import secrets
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Final
from urllib.parse import urlencode

import streamlit as st
from streamlit import runtime

from caldp_core.basics.errors import CaldpError, check_whole, require
from caldp_ui.app.gate import QUERY, network_of, visitor_address
from caldp_ui.app.theme import settings
from caldp_ui.lesson.steps import Course
from caldp_ui.room.question import PollQuestion, are_doubtful
from caldp_ui.server.current_run import this_visit

OPEN: Final = (6, 60.0, "Too many polls were opened from here")
"""Limit on opening rooms: most attempts, within how many seconds, and the message beyond."""
KEY: Final = (6, 60.0, "Too many keys were tried from here")
"""Limit on the server's key for opening rooms, likewise."""
STEER: Final = (60, 60.0, "Too many keys of polls were tried from here")
"""Limit on the keys that steer a poll, likewise: a school may stand behind one address."""
REPORT: Final = (600, 10.0, "Very many phones report from here")
"""Limit on reports, likewise: a full hall of 500 behind one address, within ten seconds."""
LOOK: Final = (600, 10.0, "Very many phones ask from here")
"""Limit on asking for a poll by its code alone, likewise; who has seen its question may go on."""
_WINDOW_S: Final = 60.0
"""Seconds for which an address is remembered."""
_KNOWN_MAX: Final = 10_000
"""Addresses remembered at once; the one quiet for longest is forgotten first."""


WORDS: Final = Path(__file__).with_name("web") / "phone_words.json"
"""What phones say, by language and key."""
_ENGLISH: Final = json.loads(WORDS.read_text("utf-8"))["en"]


class Refusal(CaldpError):
    """Why a phone's report is not counted, or its poll missing. `key`: of the sentence; `code`."""

    def __init__(self, key: str, code: str = "") -> None:
        super().__init__(_ENGLISH[key].replace("{x}", code))
        self.key = key
        self.code = code


def refuse_unless(accepted: bool, key: str) -> None:
    """Raise the `Refusal` of this key unless the report is accepted."""
    if not accepted:
        raise Refusal(key)


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

        `limit`: `OPEN`, `LOOK` or `REPORT`.
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
        return _hash_network(address, self._salt + message.encode()[:32])


def _hash_network(address: str, salt: bytes) -> bytes:
    return hashlib.blake2b(network_of(address).encode(), key=salt, digest_size=16).digest()


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


REPORTS_MAX: Final = 500
"""Reports to one question at most, whatever its teacher asks for."""
REPORTS_FIRST: Final = 100
"""Phones of a class whose teacher has not said how many there are."""
REPORTS_A_SECOND: Final = 200
"""A phone whose report comes too quickly sends it again."""
BURST_MAX: Final = 5 * 60.0
"""Seconds for which a poll knows when a report came, so that its teacher can throw out a burst."""
TOKEN_LENGTH: Final = 32
"""Hexadecimal digits of the random number by which no phone is counted twice."""


@dataclass(frozen=True)
class PollState:
    """A question to a room as it is at one moment.

    `mark`: names this room's question for phones, never the same twice. `reports`: numbers of
    answers in the order in which they came. `phones`: of the class, at most as many reports are
    taken. `is_seen`: somebody saw a range while phones could still report. `hands`: how many people
    have shown that the first answer is theirs; None before. `addresses`: from how many networks
    reports came; `from_one`: most from one. `doubted`: of an earlier question, whose order is not
    known any more, whether honest phones would hardly send its reports. `is_shown`: phones and
    projector say which answer is right. `hides`: no estimate is shown before it is closed.
    `is_over`: the teacher has ended the poll.
    """

    code: str
    mark: str
    question: PollQuestion
    is_open: bool
    reports: tuple[int, ...] = ()
    phones: int = REPORTS_FIRST
    is_seen: bool = False
    hands: int | None = None
    addresses: int = 0
    from_one: int = 0
    doubted: bool | None = None
    is_shown: bool = False
    hides: bool = False
    is_over: bool = False

    @property
    def is_hidden(self) -> bool:
        """Whether its results would sway those who have not answered yet."""
        waits = self.is_open and self.hides
        return waits if self.question.right is None else not (self.is_shown or self.is_over)

    def with_open(self, is_open: bool) -> "PollState":
        """Take reports from now on, or no more; `CaldpError` to reopen once the answer is shown."""
        require(
            not (is_open and self.is_shown),
            "The answer is known by now; start the question again for new guesses.",
        )
        # Whoever closes a question sees its range; the class then cannot shrink to those who came.
        is_seen = self.is_seen or (is_open and bool(self.reports))
        return replace(self, is_open=is_open, is_seen=is_seen, hands=None)

    @property
    def people(self) -> int:
        """Of the class that ranges are for: all its phones, or those that came to a hidden poll.

        A teacher who saw ranges might have closed when one suited, so missing phones stay in it.
        """
        return self.phones if self.is_open or self.is_seen else max(1, len(self.reports))

    @property
    def is_doubtful(self) -> bool:
        """Whether honest phones would hardly send these reports."""
        if self.doubted is not None:
            return self.doubted
        return are_doubtful(self.question, self.reports, self.phones)

    def with_answer(self) -> "PollState":
        """Say which answer is right, and take no more guesses; `CaldpError` where none is."""
        require(self.question.right is not None, "This question has no right answer.")
        return replace(self, is_open=False, is_shown=True)

    def as_past(self) -> "PollState":
        """The question once another is asked: closed, its answer known, its reports in no order."""
        is_shown, reports = self.question.right is not None, tuple(sorted(self.reports))
        state = replace(self, is_open=False, is_shown=is_shown, doubted=self.is_doubtful)
        return replace(state, reports=reports)

    def with_phones(self, phones: int) -> "PollState":
        """Let the class have this many phones, 1 to 500; with reports in, no fewer than before."""
        check_whole("The number of phones", phones, 1, REPORTS_MAX)
        require(
            phones >= self.phones or not self.reports,
            f"Reports are in, so the class cannot get smaller than {self.phones}; start the "
            "question again.",
        )
        return replace(self, phones=phones)

    def with_hands(self, hands: int | None) -> "PollState":
        """Note how many people showed that the first answer is theirs; `CaldpError`."""
        require(
            self.question.by_hands and not self.is_open,
            "Hands are counted once a question is closed whose truth is no secret.",
        )
        if hands is not None:
            check_whole("The number of hands", hands, 0, self.people)
        return replace(self, hands=hands)


@dataclass
class Poll:
    """All that a server holds of one question.

    `state`: what teacher and phones may read. `sent`: hashes of the numbers of phones that have
    answered, with this question's `salt`. `came`: when the latest reports came, in seconds.
    `networks`: how many reports came from each network, by a hash; not which.
    """

    state: PollState
    salt: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    sent: set[bytes] = field(default_factory=set)
    came: deque[float] = field(default_factory=deque)
    networks: Counter[bytes] = field(default_factory=Counter)

    @classmethod
    def ask(
        cls, code: str, question: PollQuestion, phones: int, before: PollState | None
    ) -> "Poll":
        """Ask the room of that code a question; the poll is open, without reports.

        `phones`: of the class. `before`: the question before, whose switch holds on; None for none.
        """
        state = PollState(code, secrets.token_hex(8), question, is_open=True, phones=phones)
        return cls(state if before is None else replace(state, hides=before.hides))

    def report(
        self, mark: str, token: str, answer: object, address: str, clock: Callable[[], float]
    ) -> None:
        """Count one phone's report; what comes again with the same number is not counted.

        `mark`: of the question that was answered. `token`: the phone's random number for it.
        `address`: the phone's. `clock`: in seconds.
        Raises `Refusal` with one sentence for the phone, `Busy` where it may try again.
        """
        state = self.state
        number = check_whole("A report", answer, 0, state.question.k - 1)
        refuse_unless(mark == state.mark, "refusedOver")
        is_token = len(token) == TOKEN_LENGTH and set(token) <= set("0123456789abcdef")
        refuse_unless(is_token, "refusedForeign")
        if self.has_answered(mark, token):
            return
        refuse_unless(state.is_open, "refusedClosed")
        refuse_unless(len(state.reports) < state.phones, "refusedFull")
        now = clock()
        lately = deque(came for came in self.came if now - came <= 1.0)
        record_event(lately, now, 1.0, REPORTS_A_SECOND, "Very many phones report")
        self.came = deque(came for came in (*self.came, now) if now - came <= BURST_MAX)
        self.sent.add(self._hash(token))
        self.networks[_hash_network(address, self.salt)] += 1
        self.state = replace(
            state,
            reports=(*state.reports, number),
            addresses=len(self.networks),
            from_one=max(self.networks.values()),
        )

    def has_answered(self, mark: str, token: str) -> bool:
        """Whether the report of the phone with this number to this question was counted."""
        return mark == self.state.mark and self._hash(token) in self.sent

    def discard_recent(self, seconds: float, now: float) -> int:
        """Forget the reports of the last 0 to 300 seconds; returns how many they were.

        Their phones still count as having answered, so that who sent them cannot send them again.
        """
        require(0 <= seconds <= BURST_MAX, f"A burst lasts at most {BURST_MAX:.0f} seconds.")
        burst = sum(now - came <= seconds for came in self.came)
        for _ in range(burst):
            self.came.pop()
        self.state = replace(self.state, reports=self.state.reports[: -burst or None])
        return burst

    def _hash(self, token: str) -> bytes:
        return hashlib.blake2b(token.encode(), key=self.salt, digest_size=16).digest()


ROOMS_MAX: Final = 200
ROOMS_FROM_ONE_MAX: Final = 40
"""Rooms that one address may have open: a large school behind one."""
ROOMS_BY_KEY_MAX: Final = 50
"""Rooms beside all others for those who have the server's key."""
QUESTIONS_MAX: Final = 50
"""Earlier questions that a room keeps."""
OPENED_A_MINUTE: Final = 60
ABSENT_MAX: Final = 15 * 60.0
"""Seconds after which a room ends whose teacher's browser is no longer connected."""
ABSENT_UNJOINED_MAX: Final = 60.0
"""The same for a room that no phone has joined: its teacher may load the page again meanwhile."""
CODE_LENGTH: Final = 8
"""Of 20 letters: 120 guesses a second, an address's most, find one of 200 rooms in 296 hours."""
_LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"
"""No vowels, so that no code is a word, and nothing that looks like a digit."""
_ENDED_MAX: Final = 1_000


@dataclass(frozen=True)
class TeacherKey:
    """The right to steer a room: its code, which everybody sees, and its secret key."""

    code: str
    key: str


@dataclass(frozen=True)
class Timer:
    """Closes a question at a time: `mark` names the question, `ends_at` is in seconds."""

    mark: str
    ends_at: float

    def left(self, poll: "PollState", now: float) -> float | None:
        """Seconds until it closes this poll, at least 0; None where it has nothing to close."""
        if poll.mark != self.mark or not poll.is_open:
            return None
        return max(0.0, self.ends_at - now)


@dataclass
class Desk:
    """What the screens of a teacher share; changed in place.

    `on_show`: the mark of an earlier question that is shown again; "" for none. `handed`: the next
    question, which the projector's screen has handed to one with a form; None for none. `course`:
    the lesson that the teacher holds. `timer`: what closes the question that is asked, if anything.
    """

    on_show: str = ""
    handed: PollQuestion | None = None
    course: Course = field(default_factory=Course)
    timer: "Timer | None" = None


@dataclass
class _Room:
    """`connected_at`: when `visit`, the teacher's, was last known to be connected.

    `opened_from`: a hash of its teacher's network; None where the server's key opened it.
    `past`: earlier questions with their reports, sorted. `desk`: of its teacher.
    """

    key: str
    poll: Poll
    connected_at: float
    visit: str
    opened_from: bytes | None
    is_joined: bool = False
    past: tuple[PollState, ...] = ()
    desk: Desk = field(default_factory=Desk)


class Rooms:
    """All rooms of a server; every method may be called from any thread.

    `now`: a clock in seconds. `connected`: whether the browser of a visit is there.
    """

    def __init__(
        self,
        now: Callable[[], float] = time.monotonic,
        connected: Callable[[str], bool] = lambda visit: False,  # noqa: ARG005 — nobody
    ) -> None:
        self._now = now
        self._connected = connected
        self._lock = Lock()
        self._salt = secrets.token_bytes(16)
        self._rooms: dict[str, _Room] = {}
        self._ended: deque[str] = deque(maxlen=_ENDED_MAX)
        self._opened: deque[float] = deque()

    def open(
        self,
        question: PollQuestion,
        visit: str = "",
        address: str = "",
        phones: int = REPORTS_FIRST,
    ) -> TeacherKey:
        """Open a room with its first question; raises `CaldpError` where there are too many.

        `visit`: the teacher's; `address`: where it comes from; `phones`: of the class.
        """
        with self._lock:
            now, network = self._now(), _hash_network(address, self._salt)
            message = "Too many polls were opened just now"
            record_event(self._opened, now, 60.0, OPENED_A_MINUTE, message)
            self._end_deserted(now)
            others = [room.opened_from for room in self._rooms.values()]
            require(
                len(others) - others.count(None) < ROOMS_MAX,
                f"All {ROOMS_MAX} polls of this server are in use; end one, or try again later.",
            )
            require(
                others.count(network) < ROOMS_FROM_ONE_MAX,
                f"All {ROOMS_FROM_ONE_MAX} polls that one address may have are in use; end one.",
            )
            return self._open(question, visit, network, phones)

    def open_by_key(
        self, question: PollQuestion, visit: str = "", phones: int = REPORTS_FIRST
    ) -> TeacherKey:
        """Open a room beside all others, for a visit that has the server's key; `CaldpError`."""
        with self._lock:
            self._end_deserted(self._now())
            opened = sum(room.opened_from is None for room in self._rooms.values())
            require(
                opened < ROOMS_BY_KEY_MAX,
                f"All {ROOMS_BY_KEY_MAX} polls for this server's key are in use; end one.",
            )
            return self._open(question, visit, None, phones)

    def _open(
        self, question: PollQuestion, visit: str, opened_from: bytes | None, phones: int
    ) -> TeacherKey:
        code = self._new_code()
        teacher_key = TeacherKey(code, secrets.token_urlsafe(24))
        poll = Poll.ask(code, question, phones, None)
        self._rooms[code] = _Room(teacher_key.key, poll, self._now(), visit, opened_from)
        return teacher_key

    def ask(self, teacher_key: TeacherKey, question: PollQuestion) -> None:
        """Ask the room's next question; of the one before, the counts of its answers stay."""
        with self._lock:
            room = self._own_room(teacher_key)
            before = room.poll.state
            require(
                len(room.past) < QUESTIONS_MAX,
                f"A poll keeps {QUESTIONS_MAX} questions; end it, and open another one.",
            )
            if before.reports:
                room.past = (*room.past, before.as_past())
            room.desk.on_show, room.desk.handed = "", None
            room.poll = Poll.ask(teacher_key.code, question, before.phones, before)

    def ask_again(self, teacher_key: TeacherKey) -> None:
        """Ask the same question once more, and forget its reports."""
        with self._lock:
            room, state = self._own_room(teacher_key), self._own_room(teacher_key).poll.state
            room.poll = Poll.ask(teacher_key.code, state.question, state.phones, state)

    def change(self, teacher_key: TeacherKey, change: Callable[[PollState], PollState]) -> None:
        """Change the state of the question that is asked."""
        with self._lock:
            poll = self._own_room(teacher_key).poll
            poll.state = change(poll.state)

    def discard_recent(self, teacher_key: TeacherKey, seconds: float) -> int:
        """Forget the reports of the last 0 to 300 seconds; returns how many they were."""
        with self._lock:
            return self._own_room(teacher_key).poll.discard_recent(seconds, self._now())

    def end(self, teacher_key: TeacherKey) -> None:
        """Take no more reports; results stay for the teacher, and phones are thanked."""
        self.change(teacher_key, lambda state: replace(state, is_open=False, is_over=True))

    def forget(self, teacher_key: TeacherKey) -> None:
        """Forget the room, with all that it held."""
        with self._lock:
            self._own_room(teacher_key)
            self._forget(teacher_key.code)

    def get_poll(self, code: str) -> PollState:
        """The state of that room's poll for a phone, which joins; raises `CaldpError` without one.

        It is called for each request of each phone.
        """
        with self._lock:
            self._end_deserted(self._now())
            room = self._room(code)
            room.is_joined = True
            return room.poll.state

    def get_own_polls(self, teacher_key: TeacherKey, visit: str = "") -> tuple[PollState, ...]:
        """The room's questions, the one asked now last, for its teacher, who counts as present.

        Raises `CaldpError` for a wrong key. `visit`: the teacher's.
        """
        with self._lock:
            room = self._own_room(teacher_key)
            room.connected_at, room.visit = self._now(), visit or room.visit
            return (*room.past, room.poll.state)

    def get_desk(self, teacher_key: TeacherKey) -> Desk:
        """What the screens of the room's teacher share."""
        with self._lock:
            return self._own_room(teacher_key).desk

    def report(self, code: str, mark: str, token: str, answer: object, address: str = "") -> None:
        """Count one phone's report, see `Poll.report`."""
        with self._lock:
            self._room(code).poll.report(mark, token, answer, address, self._now)

    def note_seen(self, teacher_key: TeacherKey, mark: str) -> None:
        """Note that a range of the open question of this mark is seen."""
        with self._lock:
            poll = self._own_room(teacher_key).poll
            if poll.state.mark == mark and poll.state.is_open:
                poll.state = replace(poll.state, is_seen=True)

    def has_answered(self, code: str, mark: str, token: str) -> bool:
        """Whether the report of the phone with this number to this question was counted."""
        with self._lock:
            return self._room(code).poll.has_answered(mark, token)

    def _room(self, code: str) -> _Room:
        if code in self._rooms:
            return self._rooms[code]
        display = format_code("".join(c for c in code[: 2 * CODE_LENGTH] if c.isalnum()))
        raise Refusal("goneEnded" if code in self._ended else "goneUnknown", display)

    def _own_room(self, teacher_key: TeacherKey) -> _Room:
        room = self._room(teacher_key.code)
        given = teacher_key.key.encode(errors="replace")  # half a character may come from anywhere
        right = hmac.compare_digest(room.key.encode(), given)
        display = format_code(teacher_key.code)
        require(right, f"This key does not steer poll {display}; open its presenter's link.")
        return room

    def _end_deserted(self, now: float) -> None:
        """End the rooms whose teachers have been away for too long."""
        for code, room in list(self._rooms.items()):
            if self._connected(room.visit):
                room.connected_at = now
            elif now - room.connected_at > (ABSENT_MAX if room.is_joined else ABSENT_UNJOINED_MAX):
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


def open_room(question: PollQuestion, phones: int, key: str = "") -> TeacherKey:
    """Open a room for this visit; raises `CaldpError` where there are too many, or for a wrong key.

    `phones`: of the class. `key`: the server's, which its limits on strangers do not stop; "" for
    none.
    """
    address = visitor_address()
    if not key:
        attempt_limiter().record_attempt(OPEN, address)
        return rooms().open(question, this_visit(), address, phones)
    attempt_limiter().record_attempt(KEY, address)
    is_right = hmac.compare_digest(key.encode(), settings().poll_key.encode())
    require(is_right, "This is not the key of this server; it is in the log of the server.")
    return rooms().open_by_key(question, this_visit(), phones)


def _is_connected(visit: str) -> bool:
    return runtime.exists() and runtime.get_instance().is_active_session(visit)


CODE: Final = "code"
"""The link's key of a room; a phone's link has nothing else but the worker that holds it."""
_TYPED_MAX: Final = 60
"""Characters that are looked at of a code as it is typed."""


def query_of(code: str) -> dict[str, str]:
    """The query of a phone's link: the code, and the worker where there are several."""
    return {CODE: code, **worker_query()}


def worker_query() -> dict[str, str]:
    """The query that leads to this worker; empty where there is only one."""
    worker = settings().worker
    return {QUERY: worker} if worker else {}


def display_code(code: str) -> str:
    """The code as the projector shows it, with the worker's name where there are several."""
    worker = settings().worker
    return f"{worker.upper()} {format_code(code)}" if worker else format_code(code)


def typed_link(typed: str) -> str:
    """The link of a code with a worker's name before it, relative to any phone's; "" without one.

    `typed`: what somebody has typed.
    """
    signs = "".join(filter(str.isalnum, typed[:_TYPED_MAX]))
    worker, code = signs[:-CODE_LENGTH].lower(), normalize_code(signs[-CODE_LENGTH:])
    return f"?{urlencode({CODE: code, QUERY: worker})}" if worker else ""
