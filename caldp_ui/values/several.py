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
    Asking,
    Marginal,
    Question,
    answered_openly,
    ask,
    best_asking,
    hidden_in_order,
    hidden_whole,
    wrong_share,
)
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs

COUNTS: Final = tuple(range(2, OWN_QUESTIONS_MAX + 1))
"""How many questions like the one that is shown."""


@dataclass(frozen=True)
class Ways:
    """One question a person, ε shared by all questions, and the way with the least error."""

    one: Asking
    every: Asking
    best: Asking


@dataclass(frozen=True)
class Compared:
    """What stands side by side: a row a question, or a row a number of questions, by its name.

    `errors`: of each row the expected shares of people under the wrong answer, for each of
    `Ways`; the best only where it is neither of the others. `average`: the first two of the average
    sensitive question; of the number of questions that is asked about, where there are several.
    """

    ways: Ways
    errors: Mapping[str, tuple[float, float, float | None]]
    average: tuple[float, float]

    @property
    def has_between(self) -> bool:
        """Whether some, not all, questions a person are best."""
        return 1 < self.ways.best.asked < self.ways.every.asked


@dataclass(frozen=True, eq=False)
class Table:
    """A question's answers as one survey, asked the best way, gives them."""

    question: OwnTable
    marginal: Marginal
    mean: Mean | None


def level(scenario: Scenario) -> float:
    """ε of all answers of a person together."""
    return scenario.policy.plain_epsilon


def ways(scenario: Scenario, count: int, openly: frozenset[int]) -> Ways:
    """The ways to ask what is not asked `openly`, by number; `CaldpError` where ε is too small."""
    epsilon, n = level(scenario), runs.setup(scenario).n
    asked = _questions(scenario, count, openly)
    questions = [each for at, each in enumerate(asked) if at not in openly]
    count = len(questions)
    one, every = Asking(count, 1, epsilon), Asking(count, count, epsilon)
    return Ways(one, every, best_asking(questions, epsilon, n))


@cached_by(lambda scenario, *rest: (runs.key(replace(scenario, seed=0)), *rest[:-1]))
def compared(
    scenario: Scenario, count: int, openly: frozenset[int], progress: Progress
) -> Compared:
    """All errors, by forecasts; `count` is the survey's own number of questions, where it is one.

    `openly`: numbers of its questions that are asked in the clear and need no ε. Takes up to
    seconds; raises `CaldpError` as `ways` does.
    """
    shown = ways(scenario, count, openly)
    errors: dict[str, tuple[float, float, float | None]] = {}
    rows = _rows(scenario, count, openly)
    for number, (name, (asked, question)) in enumerate(rows.items()):
        progress(number / len(rows))
        found = _wrong(scenario, asked, question)
        between = 1 < shown.best.asked < asked and bool(titles(scenario))
        errors[name] = (*found, _error(scenario, shown.best, question) if between else None)
    return Compared(shown, errors, _average(list(errors.values()), scenario, count, openly))


def _average(
    rows: Sequence[tuple[float, float, float | None]],
    scenario: Scenario,
    count: int,
    openly: frozenset[int],
) -> tuple[float, float]:
    if titles(scenario):
        rows = [row for at, row in enumerate(rows) if at not in openly]
    else:
        rows = [rows[COUNTS.index(count)]]
    one, every = sum(row[0] for row in rows), sum(row[1] for row in rows)
    return min(1.0, one / len(rows)), min(1.0, every / len(rows))


def _rows(
    scenario: Scenario, count: int, openly: frozenset[int]
) -> dict[str, tuple[int, Question]]:
    """Rows by name: with how many questions each shares ε, and which it is."""
    names = titles(scenario)
    if names:
        asked = _questions(scenario, count, openly)
        return {
            name: (1 if at in openly else count - len(openly), question)
            for at, (name, question) in enumerate(zip(names, asked, strict=True))
        }
    (question,) = _questions(scenario, 1, openly)
    return {f"{number} questions": (number, question) for number in COUNTS}


def _wrong(scenario: Scenario, count: int, question: Question) -> tuple[float, float]:
    epsilon = level(scenario)
    one, every = Asking(count, 1, epsilon), Asking(count, count, epsilon)
    return _error(scenario, one, question), _error(scenario, every, question)


def _error(scenario: Scenario, asking: Asking, question: Question) -> float:
    return wrong_share(asking, question, runs.setup(scenario).n, scenario.estimator)


def titles(scenario: Scenario) -> list[str]:
    """Of the questions of a survey of one's own; none for another table."""
    spec = scenario.dataset
    return [table.title for table in spec.tables()] if isinstance(spec, OwnSurvey) else []


def _questions(scenario: Scenario, count: int, openly: frozenset[int]) -> Sequence[Question]:
    spec = scenario.dataset
    if isinstance(spec, OwnSurvey):
        shares = [table.load().distribution for table in spec.tables()]
        numbers = _numbers_in_order(scenario, spec)
        return [
            Question(answered_openly(p.size), p)
            if at in openly
            else hidden_in_order(p)
            if at in numbers
            else Question(hidden_whole(p.size), p)
            for at, p in enumerate(shares)
        ]
    p = runs.dataset(scenario).distribution
    if not isinstance(scenario.policy, ContextPolicy):
        return [Question(hidden_whole(p.size), p)] * count
    same = replace(scenario, seed=0)
    return [Question(lambda e: runs.setup(same.with_epsilon(e)).mechanism, p)] * count


def _numbers_in_order(scenario: Scenario, spec: OwnSurvey) -> frozenset[int]:
    """The questions that the square wave is for, if it is the page's method."""
    if scenario.kind("mechanism") != "square-wave":
        return frozenset()
    tables = enumerate(spec.tables())
    return frozenset(at for at, table in tables if scale_of(table.names) is not None)


def tables(scenario: Scenario, asking: Asking, openly: frozenset[int]) -> list[Table]:
    """One survey of a reader's own, asked that way; none for another table."""
    spec = scenario.dataset
    if not isinstance(spec, OwnSurvey):
        return []
    all_of_it = spec.tables()
    questions, n = _questions(scenario, len(all_of_it), openly), runs.setup(scenario).n
    everybody = Asking(1, 1, asking.epsilon)
    asked = [everybody if at in openly else asking for at in range(len(all_of_it))]
    found = ask(asked, questions, n, scenario.estimator, scenario.seed)
    return [
        Table(table, marginal, _mean(table, question, marginal, way))
        for table, question, marginal, way in zip(all_of_it, questions, found, asked, strict=True)
    ]


def _mean(table: OwnTable, question: Question, marginal: Marginal, asking: Asking) -> Mean | None:
    values = scale_of(table.names)
    if values is None:
        return None
    mechanism, n = question.make(asking.each), int(marginal.people.sum())
    return mean_of(mechanism, question.p, marginal.unbiased, n, values)
