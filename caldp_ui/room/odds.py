"""How well an attacker guesses from a report, by the exact channel of the question.

CALDP = Acharya, Bonawitz, Kairouz, Ramage, Sun 2020. Who guesses which of two equally likely
answers a phone has is right with probability (1 + TV)/2 at best, TV the total variation between
the two rows of the channel. Between a sensitive and an open answer that is up to 1 − e^{−ε}/2,
between two sensitive ones up to e^ε/(1 + e^ε).
"""

from fractions import Fraction
from itertools import combinations

from caldp_ui.room.question import Question, channel_of


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
