"""One poll: its question, the reports that came, and which phones have answered.

It knows which phones have answered, and what was reported, but not who reported what: of a phone's
random number it holds a salted hash, apart from the reports, until the next question.
"""

import hashlib
import secrets
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from caldp_core.basics.errors import check_whole, require
from caldp_ui.room.attempts import record_event
from caldp_ui.room.question import Question
from caldp_ui.words import formats

REPORTS_MAX: Final = 500
"""Reports to one question at most, whatever its teacher asks for."""
REPORTS_FIRST: Final = 100
"""Reports to one question until its teacher lets in more."""
REPORTS_A_SECOND: Final = 200
"""A phone whose report comes too quickly sends it again."""
BURST_MAX: Final = 5 * 60.0
"""Seconds for which a poll knows when a report came, so that its teacher can throw out a burst."""
TOKEN_LENGTH: Final = 32
"""Hexadecimal digits of the random number by which no phone is counted twice."""


@dataclass(frozen=True)
class PollState:
    """A room as it is at one moment.

    `mark`: names this room's question for phones, never the same twice. `reports`: numbers of
    answers in the order in which they came, at most `most` of them. `is_shown`: phones and
    projector say which answer is right.
    """

    code: str
    mark: str
    question: Question
    is_open: bool
    reports: tuple[int, ...] = ()
    most: int = REPORTS_FIRST
    is_shown: bool = False


@dataclass
class Poll:
    """All that a server holds of one question.

    `state`: what teacher and phones may read. `sent`: hashes of the numbers of phones that have
    answered, with this question's `salt`. `came`: when the latest reports came, in seconds.
    """

    state: PollState
    salt: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    sent: set[bytes] = field(default_factory=set)
    came: deque[float] = field(default_factory=deque)

    @classmethod
    def ask(cls, code: str, question: Question, most: int = REPORTS_FIRST) -> "Poll":
        """Ask the room of that code a question; the poll is open, without reports."""
        return cls(PollState(code, secrets.token_hex(8), question, is_open=True, most=most))

    def report(self, mark: str, token: str, answer: object, clock: Callable[[], float]) -> None:
        """Count one phone's report; what comes again with the same number is not counted.

        `mark`: of the question that was answered. `token`: the phone's random number for it.
        `clock`: in seconds.
        Raises `CaldpError` with one sentence for the phone, `Busy` where it may try again.
        """
        state = self.state
        number = check_whole("A report", answer, 0, state.question.k - 1)
        require(mark == state.mark, "This question is over; your report was not counted.")
        require(_is_token(token), "This report does not come from this page; reload the page.")
        if self.has_answered(mark, token):
            return
        require(state.is_open, "The question is closed; your report was not counted.")
        require(
            len(state.reports) < state.most,
            f"The poll is full: {formats.count(state.most, 'report is', 'reports are')} in; "
            "yours was not counted.",
        )
        now = clock()
        lately = deque(came for came in self.came if now - came <= 1.0)
        record_event(lately, now, 1.0, REPORTS_A_SECOND, "Very many phones report")
        self.came = deque(came for came in (*self.came, now) if now - came <= BURST_MAX)
        self.sent.add(self._hash(token))
        self.state = replace(state, reports=(*state.reports, number))

    def has_answered(self, mark: str, token: str) -> bool:
        """Whether the report of the phone with this number to this question was counted."""
        return mark == self.state.mark and self._hash(token) in self.sent

    def set_open(self, is_open: bool) -> None:
        """Take reports from now on, or no more; `CaldpError` to reopen once the answer is shown."""
        require(
            not (is_open and self.state.is_shown),
            "The answer is known by now; start the question again for new guesses.",
        )
        self.state = replace(self.state, is_open=is_open)

    def show_answer(self) -> None:
        """Say which answer is right, and take no more guesses; `CaldpError` where none is."""
        require(self.state.question.right is not None, "This question has no right answer.")
        self.state = replace(self.state, is_open=False, is_shown=True)

    def set_report_limit(self, most: int) -> None:
        """Take up to `most` reports from now on, 1 to 500; those that are in stay."""
        check_whole("The number of reports", most, 1, REPORTS_MAX)
        self.state = replace(self.state, most=most)

    def discard_recent(self, seconds: float, now: float) -> int:
        """Forget the reports of the last so many seconds, 0 to 300; returns how many they were.

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


def _is_token(token: str) -> bool:
    return len(token) == TOKEN_LENGTH and set(token) <= set("0123456789abcdef")
