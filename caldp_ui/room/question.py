"""A question to a class: its answers, its coin, how well reports are guessed, and its estimates.

Ranges are first for the class itself, in which only the noise is random
(`caldp_core.estimation.class_range`), and second for all people of whom it may be a sample.

The coin is the core's randomized response in the context of the sensitive answers.

CALDP = Acharya, Bonawitz, Kairouz, Ramage, Sun 2020. Who guesses which of two equally likely
answers a phone has is right with probability (1 + TV)/2 at best, TV the total variation between
the two rows of the channel. Between a sensitive and an open answer that is up to 1 − e^{−ε}/2,
between two sensitive ones up to e^ε/(1 + e^ε). Into estimates goes only what phones sent.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, combinations
from typing import Any, Final

import numpy as np
from scipy.special import betaln, xlog1py, xlogy

from caldp_core.audit.pairwise import Channel
from caldp_core.basics.errors import check_epsilon, require
from caldp_core.basics.types import Floats, Ints
from caldp_core.datasets.own import is_line
from caldp_core.estimation.class_range import (
    ClassRange,
    NamingChances,
    epsilon_for_class,
    honest_chance,
)
from caldp_core.estimation.estimators import estimator
from caldp_core.estimation.evidence import Evidence, default_estimator
from caldp_core.mechanisms import in_context
from caldp_core.mechanisms.base import Tally
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.randomness import WORD
from caldp_core.privacy.context import Context
from caldp_ui.session.links import check_names

ANSWERS_MAX: Final = 12
TEXT_MAX: Final = 160
"""Characters of a question."""
ANSWER_MAX: Final = 72
"""Characters of an answer."""


@dataclass(frozen=True)
class PollQuestion:
    """A question to a room.

    `answers`: 2 to 12 different texts; `sensitive`: numbers of those that a report must not reveal,
    ascending; `epsilon`: in [0.001, 20]; `right`: the number of the right answer, where the
    room is to guess one; `by_hands`: the truth is no secret, so that hands may show it afterwards.
    Raises `CaldpError` for anything else.
    """

    text: str
    answers: tuple[str, ...]
    sensitive: tuple[int, ...]
    epsilon: float
    right: int | None = None
    by_hands: bool = False

    def __post_init__(self) -> None:
        require(
            bool(self.text.strip()) and is_line(self.text),
            "The question is empty or holds signs that can't be shown; write one sentence.",
        )
        require(
            len(self.text) <= TEXT_MAX,
            f"The question may have at most {TEXT_MAX} characters, it has {len(self.text):,}; "
            "shorten it.",
        )
        check_names(self.answers, ANSWERS_MAX, ANSWER_MAX, "A question", "answers", "An answer")
        require(
            list(self.sensitive) == sorted(set(self.sensitive) & set(range(self.k))),
            f"sensitive must be ascending numbers of answers from 0 to {self.k - 1}, "
            f"got {self.sensitive!r}; mark answers that are there.",
        )
        require(
            self.right is None or self.right in range(self.k),
            f"right must be the number of an answer from 0 to {self.k - 1}, got {self.right!r}; "
            "choose an answer that is there.",
        )
        require(
            not self.by_hands or self.right is None,
            "A guess has no truth that hands could show; take away the right answer, or the hands.",
        )
        check_epsilon(self.epsilon)

    @property
    def k(self) -> int:
        """Number of answers."""
        return len(self.answers)


def guess_of(asked: Mapping[str, Any]) -> PollQuestion:
    """What a class guesses before it sees a station, as a question that protects no answer.

    `asked`: the text `ask`, the `answers`, and the number `right` of the right one.
    """
    return PollQuestion(asked["ask"], tuple(asked["answers"]), (), 1.0, asked["right"])


def mechanism_of(question: PollQuestion) -> ContextMechanism:
    """The core's randomized response for the question's sensitive set."""
    return _mechanism(question.k, question.sensitive, question.epsilon)


@lru_cache(maxsize=256)
def _mechanism(k: int, sensitive: tuple[int, ...], epsilon: float) -> ContextMechanism:
    # Cached by numbers, not by the question: its texts are forgotten with the room.
    flags = np.zeros(k, np.bool_)
    flags[list(sensitive)] = True
    return in_context(Context.high_low(flags, epsilon), "randomized-response")


def columns_of(question: PollQuestion) -> Ints:
    """(k,) column of the mechanism's channel that names each answer."""
    partition = mechanism_of(question).symbol_partition
    columns = np.empty(question.k, np.int64)
    columns[np.concatenate([partition.hidden, partition.clear])] = np.arange(question.k)
    return columns


def channel_of(question: PollQuestion) -> Channel:
    """k rows: chances that a phone with each true answer names answer 0, 1, … in its report."""
    columns = columns_of(question).tolist()
    rows = mechanism_of(question).exact_channel()
    return tuple(tuple(row[column] for column in columns) for row in rows)


@dataclass(frozen=True)
class IntegerChannel:
    """A channel in whole numbers, for phones: r is drawn evenly from 0 … `whole` − 1.

    A phone with true answer x reports the first y with r < `steps`[x][y]. `whole` ≤ 2^64.
    """

    whole: int
    steps: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, channel: Channel) -> "IntegerChannel":
        """The law with exactly the channel's probabilities; `CaldpError` for `whole` over 2^64."""
        whole = math.lcm(*(entry.denominator for row in channel for entry in row))
        require(whole <= WORD, "This channel needs finer coins than phones throw; use another.")
        sums = (accumulate(int(entry * whole) for entry in row) for row in channel)
        return cls(whole, tuple(map(tuple, sums)))


def most_right(question: PollQuestion) -> float:
    """The largest chance of a right guess between any two equally likely answers, in [0.5, 1]."""
    return max(
        _right(question, first, second) for first, second in combinations(range(question.k), 2)
    )


def most_right_about(question: PollQuestion, answer: int) -> float:
    """The largest chance of a right guess between this answer and another, in [0.5, 1]."""
    others = (x for x in range(question.k) if x != answer)
    return max(_right(question, answer, other) for other in others)


def _right(question: PollQuestion, first: int, second: int) -> float:
    channel = channel_of(question)
    difference = sum(abs(p - q) for p, q in zip(channel[first], channel[second], strict=True))
    return float(Fraction(1, 2) + difference / 4)


def truthful_answers(question: PollQuestion) -> list[int]:
    """Answers whose reports are all true: no phone with another answer sends them."""
    columns = list(zip(*channel_of(question), strict=True))
    return [y for y, sent in enumerate(columns) if not any(sent[:y]) and not any(sent[y + 1 :])]


LEVEL: Final = 0.95
_TWO: Final = 2
_HALVINGS: Final = 40
_STEP: Final = 2**0.5
"""Between numbers of reports at which the past ranges are shown."""


@dataclass(frozen=True, eq=False)
class PollShares:
    """(k,) estimated shares of people, and the range of each, in [0, 1]."""

    estimate: Floats
    low: Floats
    high: Floats


def naming_chances(question: PollQuestion) -> tuple[NamingChances, ...]:
    """How often a report names each answer, by its own people and by everybody else.

    A phone with another answer reports this one with one chance, whatever its own.
    """
    channel = channel_of(question)
    rows = range(question.k)
    return tuple(NamingChances(float(channel[x][x]), float(channel[x - 1][x])) for x in rows)


def level_of(question: PollQuestion) -> float:
    """The level of each answer's range, so that all ranges of a question hold with `LEVEL`.

    Of two answers one range is the other's mirror; of more, each has its part (Bonferroni).
    """
    return LEVEL if question.k == _TWO else 1 - (1 - LEVEL) / question.k


def class_shares(question: PollQuestion, reports: Sequence[int], people: int) -> PollShares:
    """The shares of true answers in a class, with ranges that hold together, at every look.

    `reports`: numbers of answers, at least one; `people`: phones of the class, at least as many,
    fixed before the first report. Phones that are missing stay as room in the ranges.
    """
    counts = np.bincount(reports, minlength=question.k).tolist()
    ends = [
        ClassRange(people, chances, level_of(question)).so_far(named, len(reports))
        for chances, named in zip(naming_chances(question), counts, strict=True)
    ]
    if question.k == _TWO:
        ends[1] = (people - ends[0][1], people - ends[0][0])
    low, high = (np.array(each, np.float64) / people for each in zip(*ends, strict=True))
    # Where answers were fitted together, the estimate of one may leave its range.
    return PollShares(np.clip(estimate_of(question, reports), low, high), low, high)


def half_width_of(question: PollQuestion, people: int) -> float:
    """Half of the range's width in a full class, a share: the mean for the widest true count.

    Of the first sensitive answer, else of the first.
    """
    first = question.sensitive[0] if question.sensitive else 0
    chances = naming_chances(question)[first]
    return _half_width(people, chances, level_of(question))


@lru_cache(maxsize=1024)
def _half_width(people: int, chances: NamingChances, level: float) -> float:
    return ClassRange(people, chances, level).half_width()


def epsilon_for(question: PollQuestion, people: int, half_width: float) -> float | None:
    """The smallest ε at which `half_width_of` is at most this share; None where none is enough."""
    return _epsilon_for(question.k, question.sensitive, people, half_width)


@lru_cache(maxsize=256)
def _epsilon_for(
    k: int, sensitive: tuple[int, ...], people: int, half_width: float
) -> float | None:
    # By numbers, not by the question: its texts are forgotten with the room.
    names = tuple(map(str, range(k)))
    first = sensitive[0] if sensitive else 0

    def chances_at(epsilon: float) -> NamingChances:
        return naming_chances(PollQuestion("?", names, sensitive, epsilon))[first]

    level = level_of(PollQuestion("?", names, sensitive, 1.0))
    return epsilon_for_class(people, half_width, chances_at, level)


HONEST_CHANCE_MIN: Final = 0.001
"""Honest classes send reports that are less likely than this once in a thousand polls at most."""


def are_doubtful(question: PollQuestion, reports: Sequence[int], people: int) -> bool:
    """Whether honest phones would hardly send these reports, in this order, whatever is true."""
    return honest_chance(people, naming_chances(question), reports) < HONEST_CHANCE_MIN


def estimate_of(question: PollQuestion, reports: Sequence[int]) -> Floats:
    """(k,) estimated shares of true answers. `reports`: numbers of answers, at least one."""
    evidence = Evidence.of(mechanism_of(question), tally_of(question, reports))
    return estimator(default_estimator()).apply(evidence)


def sample_shares(question: PollQuestion, reports: Sequence[int]) -> PollShares:
    """The shares among all people of whom these are a random sample, at every look at once.

    The likelihood of a share, mixed by Beta(½, ½), is over 20 times that of the true share at any
    time with probability 1/20 at most (Ville 1939, Robbins 1970). Reports beyond what people who
    all have the answer send on average count as that average, and so do fewer than people without
    it send: else a range could have no width.
    """
    n, counts = len(reports), np.bincount(reports, minlength=question.k)
    chances = naming_chances(question)
    own = np.array([each.own for each in chances])
    other = np.array([each.other for each in chances])
    lowest, _ = mixture_ends(np.minimum(counts, np.floor(n * own)), n)
    _, highest = mixture_ends(np.maximum(counts, np.ceil(n * other)), n)
    low, high = (np.clip((end - other) / (own - other), 0, 1) for end in (lowest, highest))
    shares = estimate_of(question, reports)
    return PollShares(shares, np.minimum(low, shares), np.maximum(high, shares))


def mixture_ends(counts: Floats, n: int) -> tuple[Floats, Floats]:
    """(k,) chances of each outcome at which its mixture is 1/(1 − `LEVEL`) times as likely.

    `counts`: (k,) how often each came, of `n`.
    """
    middle = counts / n
    most = betaln(0.5, 0.5) - betaln(counts + 0.5, n - counts + 0.5) - math.log(1 - LEVEL)

    def end(outer: float) -> Floats:
        inside, outside = middle, np.full(middle.shape, outer)
        for _ in range(_HALVINGS):
            half = (inside + outside) / 2
            is_inside = -xlogy(counts, half) - xlog1py(n - counts, -half) < most
            inside = np.where(is_inside, half, inside)
            outside = np.where(is_inside, outside, half)
        return np.asarray(outside)

    return end(0.0), end(1.0)


def tally_of(question: PollQuestion, reports: Sequence[int]) -> Tally:
    """The reports, numbers of answers, as the mechanism's tally."""
    return mechanism_of(question).tally(columns_of(question)[np.asarray(reports, np.int64)])


def history(
    question: PollQuestion,
    reports: Sequence[int],
    people: int,
    known: dict[int, PollShares] | None = None,
) -> list[tuple[int, PollShares]]:
    """The class's shares after 1, 2, 3, 4, 6, 8, … reports, and after all of them.

    `people`: see `class_shares`. `known`: earlier results for the same reports, by their number;
    new ones are added to it.
    """
    by_number = {} if known is None else known
    stops, stop = [], 1.0
    while stop < len(reports):
        stops.append(round(stop))
        stop = max(stop * _STEP, stop + 1)
    for n in [*stops, len(reports)] if reports else []:
        if n not in by_number:
            by_number[n] = class_shares(question, reports[:n], people)
    return [(n, by_number[n]) for n in sorted({*stops, len(reports)} & by_number.keys())]
