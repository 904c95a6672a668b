"""Several questions per person: the error of each way to ask them, and a survey's tables.

Nothing here draws. An uploaded survey has its own questions, with every answer hidden from every
other. For any other table they are so many like the one that is shown, under the page's protection.

An attacker's guesses of several answers, by how they are asked, and how ε adds up.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import pandas as pd
import streamlit as st

from caldp_core.audit.adversary import max_guess_accuracy, max_record_guess_accuracy
from caldp_core.basics.cache import cached_by
from caldp_core.basics.limits import OWN_QUESTIONS_MAX
from caldp_core.basics.types import Progress
from caldp_core.datasets import OwnSurvey, OwnTable
from caldp_core.domain.scale import scale_of
from caldp_core.experiments.questions import (
    Marginal,
    Mean,
    Question,
    QuestionPlan,
    ask_questions,
    best_plan,
    mean_of,
    open_mechanism_maker,
    ordered_question,
    plain_mechanism_maker,
    wrong_share,
)
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.words import formats

COUNTS: Final = tuple(range(2, OWN_QUESTIONS_MAX + 1))
"""Choices for the number of questions like the one that is shown."""


@dataclass(frozen=True)
class AskingOptions:
    """Ways to ask: one question a person, ε shared by all, and the one with the least error."""

    one: QuestionPlan
    every: QuestionPlan
    best: QuestionPlan


@dataclass(frozen=True)
class QuestionComparison:
    """Errors of the ways to ask: a row per question of a survey, else per number of questions.

    `errors`: by name of the row, the expected share of people under the wrong answer for each of
    `AskingOptions`; the best only where it is neither of the others. `average`: the first two, over
    the sensitive questions of a survey, else of the chosen number of questions.
    """

    options: AskingOptions
    errors: Mapping[str, tuple[float, float, float | None]]
    average: tuple[float, float]

    @property
    def is_subset_best(self) -> bool:
        """Whether it is best to ask each person several questions, but not all."""
        return 1 < self.options.best.per_person < self.options.every.per_person


@dataclass(frozen=True, eq=False)
class QuestionTable:
    """A question as one simulated survey answers it; `mean`: None where answers are no numbers."""

    question: OwnTable
    marginal: Marginal
    mean: Mean | None


def total_epsilon(scenario: Scenario) -> float:
    """ε of all answers of a person together."""
    return scenario.policy.plain_epsilon


def asking_options(scenario: Scenario, count: int, open_questions: frozenset[int]) -> AskingOptions:
    """The ways to ask all but the `open_questions` (indices); `CaldpError` if ε is too small."""
    epsilon, n = total_epsilon(scenario), runs.setup(scenario).n
    all_questions = _questions(scenario, count, open_questions)
    questions = [each for at, each in enumerate(all_questions) if at not in open_questions]
    count = len(questions)
    one, every = QuestionPlan(count, 1, epsilon), QuestionPlan(count, count, epsilon)
    return AskingOptions(one, every, best_plan(questions, epsilon, n))


@cached_by(lambda scenario, *rest: (runs.key(replace(scenario, seed=0)), *rest[:-1]))
def compare_options(
    scenario: Scenario, count: int, open_questions: frozenset[int], progress: Progress
) -> QuestionComparison:
    """All errors, by forecasts; `count` is the survey's own number of questions, where it is one.

    `open_questions`: indices of its questions that are asked in the clear and need no ε. Takes up
    to seconds; raises `CaldpError` as `asking_options` does.
    """
    options = asking_options(scenario, count, open_questions)
    errors: dict[str, tuple[float, float, float | None]] = {}
    rows = _rows(scenario, count, open_questions)
    for number, (name, (sharing, question)) in enumerate(rows.items()):
        progress(number / len(rows))
        both = _option_errors(scenario, sharing, question)
        is_between = 1 < options.best.per_person < sharing and bool(survey_titles(scenario))
        errors[name] = (
            *both,
            _asking_error(scenario, options.best, question) if is_between else None,
        )
    return QuestionComparison(
        options, errors, _average(list(errors.values()), scenario, count, open_questions)
    )


def _average(
    rows: Sequence[tuple[float, float, float | None]],
    scenario: Scenario,
    count: int,
    open_questions: frozenset[int],
) -> tuple[float, float]:
    if survey_titles(scenario):
        rows = [row for at, row in enumerate(rows) if at not in open_questions]
    else:
        rows = [rows[COUNTS.index(count)]]
    one, every = sum(row[0] for row in rows), sum(row[1] for row in rows)
    return min(1.0, one / len(rows)), min(1.0, every / len(rows))


def _rows(
    scenario: Scenario, count: int, open_questions: frozenset[int]
) -> dict[str, tuple[int, Question]]:
    """By name of the row: the number of questions that share ε, and the question."""
    names = survey_titles(scenario)
    if names:
        questions = _questions(scenario, count, open_questions)
        return {
            name: (1 if at in open_questions else count - len(open_questions), question)
            for at, (name, question) in enumerate(zip(names, questions, strict=True))
        }
    (question,) = _questions(scenario, 1, open_questions)
    return {f"{number} questions": (number, question) for number in COUNTS}


def _option_errors(scenario: Scenario, count: int, question: Question) -> tuple[float, float]:
    epsilon = total_epsilon(scenario)
    one, every = QuestionPlan(count, 1, epsilon), QuestionPlan(count, count, epsilon)
    return _asking_error(scenario, one, question), _asking_error(scenario, every, question)


def _asking_error(scenario: Scenario, asking: QuestionPlan, question: Question) -> float:
    return wrong_share(asking, question, runs.setup(scenario).n, scenario.estimator)


def survey_titles(scenario: Scenario) -> list[str]:
    """Titles of the questions of an uploaded survey; empty for any other table."""
    spec = scenario.dataset
    return [table.title for table in spec.tables()] if isinstance(spec, OwnSurvey) else []


def _questions(
    scenario: Scenario, count: int, open_questions: frozenset[int]
) -> Sequence[Question]:
    spec = scenario.dataset
    if isinstance(spec, OwnSurvey):
        shares = [table.load().distribution for table in spec.tables()]
        numbers = _ordered_questions(scenario, spec)
        return [
            Question(open_mechanism_maker(p.size), p)
            if at in open_questions
            else ordered_question(p)
            if at in numbers
            else Question(plain_mechanism_maker(p.size), p)
            for at, p in enumerate(shares)
        ]
    p = runs.dataset(scenario).distribution
    if not isinstance(scenario.policy, ContextPolicy):
        return [Question(plain_mechanism_maker(p.size), p)] * count
    same = replace(scenario, seed=0)
    return [Question(lambda e: runs.setup(same.with_epsilon(e)).mechanism, p)] * count


def _ordered_questions(scenario: Scenario, spec: OwnSurvey) -> frozenset[int]:
    """Indices of the questions on a scale, if the page's method is the square wave."""
    if scenario.kind("mechanism") != "square-wave":
        return frozenset()
    tables = enumerate(spec.tables())
    return frozenset(at for at, table in tables if scale_of(table.names) is not None)


def survey_tables(
    scenario: Scenario, asking: QuestionPlan, open_questions: frozenset[int]
) -> list[QuestionTable]:
    """One simulated run of an uploaded survey, asked that way; empty for any other table."""
    spec = scenario.dataset
    if not isinstance(spec, OwnSurvey):
        return []
    tables = spec.tables()
    questions, n = _questions(scenario, len(tables), open_questions), runs.setup(scenario).n
    open_plan = QuestionPlan(1, 1, asking.epsilon)
    plans = [open_plan if at in open_questions else asking for at in range(len(tables))]
    marginals = ask_questions(plans, questions, n, scenario.estimator, scenario.seed)
    return [
        QuestionTable(table, marginal, _mean(table, question, marginal, plan))
        for table, question, marginal, plan in zip(tables, questions, marginals, plans, strict=True)
    ]


def _mean(
    table: OwnTable, question: Question, marginal: Marginal, asking: QuestionPlan
) -> Mean | None:
    values = scale_of(table.names)
    if values is None:
        return None
    mechanism, n = question.make(asking.answer_epsilon), int(marginal.people.sum())
    return mean_of(mechanism, question.p, marginal.unbiased, n, values)


def show(comparison: QuestionComparison) -> None:
    """The table of right guesses by way to ask, and without sharing ε."""
    options, epsilon = comparison.options, comparison.options.one.epsilon
    count = options.every.questions
    plans = [("one, at random", options.one), (f"all {count}, ε shared", options.every)]
    if comparison.is_subset_best:
        plans.insert(1, (f"{options.best.per_person}, at random", options.best))
    unshared = max_record_guess_accuracy(epsilon, count)
    rows = {
        name: {
            "ε of an answer": formats.digits(plan.answer_epsilon),
            "right of 100: one answer": formats.hundred(plan.answer_guess_accuracy),
            "right of 100: two people": formats.hundred(plan.record_guess_accuracy),
        }
        for name, plan in plans
    }
    rows[f"all {count}, ε not shared"] = {
        "ε of an answer": formats.digits(epsilon),
        "right of 100: one answer": formats.hundred(max_guess_accuracy(epsilon)),
        "right of 100: two people": formats.hundred(unshared),
    }
    st.table(pd.DataFrame(rows).T.rename_axis("questions a person"))
    st.caption(composition_text(options.one, count))


def composition_text(one: QuestionPlan, count: int) -> str:
    """How the ε of a person's answers add up, in words."""
    chance = formats.hundred(max_guess_accuracy(one.epsilon))
    return (
        "Right guesses of 100, at most, by an attacker who starts from 50. One answer: between two "
        "answers to one question that hide each other, on average over the questions "
        f"({chance} for the one that a person was asked, 50 for the others). Two people: who "
        f"differ in all {count} answers, each within what hides it. Levels of one person's answers "
        "add up: shared, they stay at "
        f"ε = {one.epsilon:g} together; not shared, they come to {count} × {one.epsilon:g}."
    )
