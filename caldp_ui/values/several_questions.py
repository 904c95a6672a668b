"""Several questions a person: errors of both ways to ask them, and what a survey's tables say.

Nothing here draws. Of a survey of a reader's own the questions are its own, with every answer
hidden from every other; of any other table they are so many like the one that is shown, under the
page's protection.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from caldp_core.basics.cache import cached_by
from caldp_core.basics.limits import OWN_QUESTIONS_MAX
from caldp_core.basics.types import Progress
from caldp_core.datasets import OwnSurvey, OwnTable
from caldp_core.domain.scale import scale_of
from caldp_core.experiments.means import Mean, mean_of
from caldp_core.experiments.questions import (
    Marginal,
    Question,
    QuestionPlan,
    ask_questions,
    best_plan,
    open_mechanism_maker,
    ordered_question,
    plain_mechanism_maker,
    wrong_share,
)
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs

COUNTS: Final = tuple(range(2, OWN_QUESTIONS_MAX + 1))
"""How many questions like the one that is shown."""


@dataclass(frozen=True)
class AskingOptions:
    """One question a person, ε shared by all questions, and the way with the least error."""

    one: QuestionPlan
    every: QuestionPlan
    best: QuestionPlan


@dataclass(frozen=True)
class QuestionComparison:
    """What stands side by side: a row a question, or a row a number of questions, by its name.

    `errors`: of each row the expected shares of people under the wrong answer, for each of
    `AskingOptions`; the best only where it is neither of the others. `average`: the first two of
    the average sensitive question; of the number of questions that is asked about, where there are
    several.
    """

    options: AskingOptions
    errors: Mapping[str, tuple[float, float, float | None]]
    average: tuple[float, float]

    @property
    def is_subset_best(self) -> bool:
        """Whether some, not all, questions a person are best."""
        return 1 < self.options.best.asked < self.options.every.asked


@dataclass(frozen=True, eq=False)
class QuestionTable:
    """A question's answers as one survey, asked the best way, gives them."""

    question: OwnTable
    marginal: Marginal
    mean: Mean | None


def total_epsilon(scenario: Scenario) -> float:
    """ε of all answers of a person together."""
    return scenario.policy.plain_epsilon


def asking_options(scenario: Scenario, count: int, open_questions: frozenset[int]) -> AskingOptions:
    """The ways to ask what is not in `open_questions` (numbers); `CaldpError` if ε is too small."""
    epsilon, n = total_epsilon(scenario), runs.setup(scenario).n
    asked = _questions(scenario, count, open_questions)
    questions = [each for at, each in enumerate(asked) if at not in open_questions]
    count = len(questions)
    one, every = QuestionPlan(count, 1, epsilon), QuestionPlan(count, count, epsilon)
    return AskingOptions(one, every, best_plan(questions, epsilon, n))


@cached_by(lambda scenario, *rest: (runs.key(replace(scenario, seed=0)), *rest[:-1]))
def compare_options(
    scenario: Scenario, count: int, open_questions: frozenset[int], progress: Progress
) -> QuestionComparison:
    """All errors, by forecasts; `count` is the survey's own number of questions, where it is one.

    `open_questions`: numbers of its questions that are asked in the clear and need no ε. Takes up
    to seconds; raises `CaldpError` as `asking_options` does.
    """
    shown = asking_options(scenario, count, open_questions)
    errors: dict[str, tuple[float, float, float | None]] = {}
    rows = _rows(scenario, count, open_questions)
    for number, (name, (asked, question)) in enumerate(rows.items()):
        progress(number / len(rows))
        found = _option_errors(scenario, asked, question)
        between = 1 < shown.best.asked < asked and bool(survey_titles(scenario))
        errors[name] = (*found, _asking_error(scenario, shown.best, question) if between else None)
    return QuestionComparison(
        shown, errors, _average(list(errors.values()), scenario, count, open_questions)
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
    """Rows by name: with how many questions each shares ε, and which it is."""
    names = survey_titles(scenario)
    if names:
        asked = _questions(scenario, count, open_questions)
        return {
            name: (1 if at in open_questions else count - len(open_questions), question)
            for at, (name, question) in enumerate(zip(names, asked, strict=True))
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
    """Of the questions of a survey of one's own; none for another table."""
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
    """The questions that the square wave is for, if it is the page's method."""
    if scenario.kind("mechanism") != "square-wave":
        return frozenset()
    tables = enumerate(spec.tables())
    return frozenset(at for at, table in tables if scale_of(table.names) is not None)


def survey_tables(
    scenario: Scenario, asking: QuestionPlan, open_questions: frozenset[int]
) -> list[QuestionTable]:
    """One survey of a reader's own, asked that way; none for another table."""
    spec = scenario.dataset
    if not isinstance(spec, OwnSurvey):
        return []
    all_of_it = spec.tables()
    questions, n = _questions(scenario, len(all_of_it), open_questions), runs.setup(scenario).n
    everybody = QuestionPlan(1, 1, asking.epsilon)
    asked = [everybody if at in open_questions else asking for at in range(len(all_of_it))]
    found = ask_questions(asked, questions, n, scenario.estimator, scenario.seed)
    return [
        QuestionTable(table, marginal, _mean(table, question, marginal, way))
        for table, question, marginal, way in zip(all_of_it, questions, found, asked, strict=True)
    ]


def _mean(
    table: OwnTable, question: Question, marginal: Marginal, asking: QuestionPlan
) -> Mean | None:
    values = scale_of(table.names)
    if values is None:
        return None
    mechanism, n = question.make(asking.answer_epsilon), int(marginal.people.sum())
    return mean_of(mechanism, question.p, marginal.unbiased, n, values)
