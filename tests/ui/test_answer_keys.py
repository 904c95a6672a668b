"""Every key of every question of the lesson is the one that its numbers make right, and alone."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.basics.types import no_progress
from caldp_ui.app.theme import LIGHT
from caldp_ui.classroom.page import STATIONS
from caldp_ui.classroom.page_state import NAMES, Lesson
from caldp_ui.compute import runs
from caldp_ui.handout import lesson
from caldp_ui.offline import records
from caldp_ui.offline.records import Part, Question
from caldp_ui.values import view as films
from caldp_ui.values.page_state import AFFAIR as ANSWERS
from tests.contract.checks import naming
from tests.ui.lessons import number

REASONS = ("Why ", "Who should", "What does the second", "What does “ε a report”")
"""In questions for a reason or a choice: their feedback has no result to hold."""


def figures(name: str, **changes: Any) -> dict[str, float]:
    """The numbers of a station's headline, unrounded, with the lesson changed."""
    lesson = replace(Lesson(name), **changes)
    return dict(STATIONS[name].open(lesson).headline.figures)


def at_both(name: str, figure: str, dial: str, low: float, high: float) -> tuple[float, float]:
    first, last = (figures(name, **{dial: at})[figure] for at in (low, high))
    return first, last


def _more_epsilon(moves: Sequence[Any]) -> list[bool]:
    wrong = [lesson.wrong(step) for step in moves[0].steps]
    sharper = all(b < a for a, b in pairwise(wrong) if a > 0.1)
    guessed = [max_guess_accuracy(step.value) for step in moves[0].steps]
    rises = guessed == sorted(set(guessed))
    return [sharper and rises, sharper and not rises, not sharper and not rises]


def _from_which_step(moves: Sequence[Any]) -> list[bool]:
    (question,) = (q for q in lesson.of_maps(moves) if q.ask.startswith("Move ε"))
    limit = number(question.ask.split("at most")[1])
    steps = moves[0].steps
    first = next(step.label for step in steps if lesson.wrong(step) <= limit)
    return [answer == first for answer in question.answers]


def _which_protects(moves: Sequence[Any]) -> list[bool]:
    facts = moves[0].steps[-1].facts
    names = {"plain LDP": "plain", "One stored report": "kept", "Fresh reports under this": "ours"}
    (question,) = (q for q in lesson.of_attacker(moves) if "Which of the three" in q.ask)
    chances = []
    for answer in question.answers:
        (name,) = (name for part, name in names.items() if part in answer)
        shown = facts[name].number
        assert shown in question.because  # the feedback shows each
        chances.append(number(shown))
    return [chance == min(chances) for chance in chances]


def _ten_reports(moves: Sequence[Any]) -> list[bool]:
    once, last = (number(moves[0].steps[day].facts["ours"].number) for day in (1, -1))
    return [last > once, last == once, last < once]


def _answers_spread(moves: Sequence[Any]) -> tuple[float, float, float]:
    """Mean variance of a share: with the fewest and the most sensitive answers, and plain LDP's."""
    values = [step.value for step in moves[0].steps]
    scenarios = [films.SCENARIO_AT_STEP[films.SENSITIVE](ANSWERS, at) for at in values]
    setups = [
        runs.setup(each)
        for each in (scenarios[0], scenarios[-1], runs.best_plain_ldp(scenarios[-1]))
    ]
    few, most, plain = (
        float(setup.mechanism.variance(setup.dataset.distribution, setup.n).mean())
        for setup in setups
    )
    return few, most, plain


def _unmarked(moves: Sequence[Any]) -> list[bool]:
    few, most, _ = _answers_spread(moves)
    read = "true answer of each of them" in "".join(moves[0].steps[0].replacements.values())
    return [few < most and read, few < most and not read, few == most]


def _all_sensitive(moves: Sequence[Any]) -> list[bool]:
    few, most, plain = _answers_spread(moves)
    return [most == pytest.approx(plain) and most > few, most < few, most == few]


def _stolen(_: Sequence[Any]) -> list[bool]:
    right = figures("trust")["right"]  # of 100; a thief reads all 100 of the trusted server's
    return [right < 100, right > 100, right == 100]


def _hundred_times(_: Sequence[Any]) -> list[bool]:
    few, many = at_both("sum", "local", "n", 10**4, 10**6)
    shares = at_both("sum", "share", "n", 10**4, 10**6)
    ten = many == pytest.approx(10 * few) and shares[1] == pytest.approx(shares[0] / 10)
    return [ten, many == pytest.approx(100 * few), many == pytest.approx(few)]


def _more_items(_: Sequence[Any]) -> list[bool]:
    few, many = at_both("selection", "one bit per item", "items", 4, 1024)
    return [many > few, many < few, many == few]


def _sixty_days(_: Sequence[Any]) -> list[bool]:
    after = figures("rappor", days=60)
    right, limit = after["right"], after["limit"]
    return [right <= limit + 0.2 and limit < 99, right > 99.5, abs(right - 50) < 0.5]


def _long_or_short(_: Sequence[Any]) -> list[bool]:
    both = figures("bits")
    ratio = both["wide"] / both["short"]
    return [abs(math.log(ratio)) < math.log(1.2), ratio < 0.5, ratio > 2]


def _one_function(_: Sequence[Any]) -> list[bool]:
    few, many = (figures("bits", n=n, broken=True)["floor"] for n in (10**4, 10**9))
    return [few == many > 0, many == pytest.approx(few / 2), many < few]


def _wide_buckets(_: Sequence[Any]) -> list[bool]:
    few, many = at_both("means", "nearest", "n", 10**6, 10**9)
    return [many == pytest.approx(few, rel=0.01) and many > 1, many < few / 2, many < 0.01]


def _crowds(_: Sequence[Any]) -> list[bool]:
    few, many = at_both("shuffling", "mixed", "n", 10**4, 10**6)
    return [many < few, many > few, many == few]


def _hundred_blocks(_: Sequence[Any]) -> list[bool]:
    blocks = figures("shuffling", n=10**6, blocks=100)
    alone = figures("shuffling", n=10**4)["mixed"]
    return [blocks["mixed"] == alone, blocks["mixed"] == blocks["one block"], alone == 1.0]


CHECKS: dict[str, Callable[[Sequence[Any]], list[bool]]] = {
    "Before you move anything: ε goes up": _more_epsilon,
    "Move ε. From which of these": _from_which_step,
    "Before you move anything: an answer is no longer": _unmarked,
    "Let the sensitive set grow": _all_sensitive,
    "Before you play the days": _ten_reports,
    "Play to": _which_protects,
    "Before you move anything: somebody copies": _stolen,
    "Before you move anything: 100 times as many": _hundred_times,
    "Before you move anything: there are more items": _more_items,
    "Before you move anything: a phone reports the same page": _sixty_days,
    "Before you move anything: a phone may send 16 bits": _long_or_short,
    "All phones use one hash function": _one_function,
    "Before you move anything: minutes are rounded": _wide_buckets,
    "Before you move anything: reports are shuffled": _crowds,
    "Reports name their block": _hundred_blocks,
}


def hold_reading(question: Question) -> None:
    """A number read at one step: it stands in the feedback, and no other answer is as near."""
    right, *wrong = (number(answer) for answer in question.answers)
    stated = [number(text) for text in re.findall(r"[0-9](?:[0-9,.]*[0-9])?", question.because)]
    assert right in stated
    assert right not in wrong
    assert not re.search(r"[0-9][.,](?![0-9])", question.answers[0])


def hold(part: Part, used: set[str]) -> None:
    """The first answer of each question of a part is true by its numbers, and the others not."""
    moves = [move(no_progress) for move in part.moves]
    for question in part.questions(moves):
        with naming(question.ask):
            begins = [each for each in CHECKS if question.ask.startswith(each)]
            if begins:
                used.add(begins[0])
                right, *wrong = CHECKS[begins[0]](moves)
                assert right
                assert not any(wrong)
            elif not any(each in question.ask for each in REASONS):
                hold_reading(question)


def test_keys_are_right_by_their_feedback_and_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    # Numbers are the same in both themes, and colours are not what is asked here.
    monkeypatch.setattr(records, "in_both_themes", lambda page, record: page.render(record, LIGHT))
    used: set[str] = set()
    for part in (*lesson.page_parts(), *lesson.station_parts()):
        hold(part, used)
    assert used == set(CHECKS)
    assert len(NAMES) == len(lesson.station_parts())
