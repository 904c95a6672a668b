"""Several questions a person: the formula against simulated surveys, the odds against channels."""

from fractions import Fraction

import numpy as np
import pytest

from caldp_core.audit.adversary import max_guess_accuracy, max_record_guess_accuracy
from caldp_core.audit.pairwise import release_both
from caldp_core.basics.errors import CaldpError
from caldp_core.experiments.questions import (
    Question,
    QuestionPlan,
    ask_questions,
    best_plan,
    open_mechanism_maker,
    plain_mechanism_maker,
    squared_error,
    wrong_share,
)
from tests.stats import SIGNIFICANCE, assert_mean

SHARES = (np.array([0.5, 0.2, 0.2, 0.1]), np.full(9, 1 / 9), np.array([0.97, 0.03]))
QUESTIONS = tuple(Question(plain_mechanism_maker(p.size), p) for p in SHARES)
N, SURVEYS = 3000, 200
"""A mean of squares is known to 1/10 or better, so that one a third as large is found."""


@pytest.mark.parametrize("questions", [1, 3])
def test_what_surveys_miss_by_is_what_the_formula_says(questions: int) -> None:
    asking = QuestionPlan(3, questions, 2.0)
    surveys = [ask_questions([asking] * 3, QUESTIONS, N, "none", seed) for seed in range(SURVEYS)]
    for at, question in enumerate(QUESTIONS):
        missed = np.array([survey[at].unbiased - question.p for survey in surveys])
        squares = np.square(missed).sum(axis=1, keepdims=True)
        formula = np.array([squared_error(asking, question, N)])
        spread = squares.std(axis=0)
        assert_mean(squares, formula, spread, SIGNIFICANCE / 6)
        # All people asked each question at all of ε: what two surveys would take, or three times ε.
        cheap = question.make(2.0).variance(question.p, N).sum(keepdims=True)
        with pytest.raises(AssertionError):
            assert_mean(squares, cheap, spread, SIGNIFICANCE)
        wrong = 0.5 * np.abs(missed).sum(axis=1, keepdims=True)
        forecast = np.array([wrong_share(asking, question, N, "none")])
        assert abs(wrong.mean() / forecast[0] - 1) < 0.25  # 3 % by trials, 6 standard errors


def test_a_guess_between_whole_records_is_that_of_the_composed_channel() -> None:
    keeps = Fraction(3, 4)  # ε = ln 3
    one = [[keeps, 1 - keeps], [1 - keeps, keeps]]
    several = one
    for reports in range(1, 6):
        apart = sum(abs(a - b) for a, b in zip(*several, strict=True)) / 2
        accuracy = max_record_guess_accuracy(np.log(3), reports)
        assert accuracy == pytest.approx(float((1 + apart) / 2), rel=1e-12)
        assert accuracy <= max_guess_accuracy(np.log(3), reports) + 1e-12
        several = release_both(several, one)


def test_few_questions_a_person_are_best_at_little_epsilon_and_many_at_much() -> None:
    assert [best_plan(QUESTIONS, epsilon, N).per_person for epsilon in (0.5, 1.0, 20.0)] == [
        1,
        1,
        3,
    ]
    openly = open_mechanism_maker(4)(1.0).variance(SHARES[0], N)
    np.testing.assert_allclose(openly, SHARES[0] * (1 - SHARES[0]) / N, rtol=1e-6)
    one, every = QuestionPlan(6, 1, 1.0), QuestionPlan(6, 6, 1.0)
    assert (one.people(N), every.people(N), one.answer_epsilon, every.answer_epsilon) == (
        500,
        N,
        1.0,
        1 / 6,
    )
    assert one.answer_guess_accuracy == pytest.approx((max_guess_accuracy(1.0) + 5 * 0.5) / 6)
    assert (
        every.record_guess_accuracy
        < one.record_guess_accuracy
        == pytest.approx(max_guess_accuracy(1.0))
    )


@pytest.mark.parametrize(
    "wrong", [{"questions": 0}, {"questions": 11}, {"per_person": 7}, {"epsilon": 0.005}]
)
def test_what_cannot_be_asked_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(CaldpError):
        QuestionPlan(**{"questions": 6, "per_person": 6, "epsilon": 1.0, **wrong})  # type: ignore[arg-type]
