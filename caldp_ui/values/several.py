"""Several questions a person: errors of both ways to ask them, and what a survey's tables say.

Nothing here draws. Of a survey of a reader's own the questions are its own, with every answer
hidden from every other; of any other table they are so many like the one that is shown, under the
page's protection.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from caldp_core.basics.cache import cached
from caldp_core.basics.limits import OWN_QUESTIONS_MAX
from caldp_core.basics.types import Progress
from caldp_core.datasets import OwnSurvey, OwnTable
from caldp_core.domain.scale import scale_of
from caldp_core.experiments.means import Mean, mean_of
from caldp_core.experiments.questions import (
    Asking,
    Marginal,
    Question,
    ask,
    best_asking,
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
    `Ways`; the best only where it is neither of the others.
    """

    ways: Ways
    errors: Mapping[str, tuple[float, float, float | None]]

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


def ways(scenario: Scenario, count: int) -> Ways:
    """The ways to ask; raises `CaldpError` where ε is too small to be shared."""
    epsilon, n = level(scenario), runs.setup(scenario).n
    questions = _questions(scenario, count)
    one, every = Asking(count, 1, epsilon), Asking(count, count, epsilon)
    return Ways(one, every, best_asking(questions, epsilon, n))


def compared(scenario: Scenario, count: int, progress: Progress) -> Compared:
    """All errors, by forecasts; `count` is the survey's own number of questions, where it is one.

    Takes up to seconds; raises `CaldpError` as `ways` does.
    """
    return _compared(runs.key(replace(scenario, seed=0)), count, scenario, progress)


@cached
def _compared(text: str, _count: int, _scenario: Scenario, _progress: Progress) -> Compared:
    del text
    shown = ways(_scenario, _count)
    errors = {}
    rows = _rows(_scenario, _count)
    for number, (name, (asked, question)) in enumerate(rows.items()):
        _progress(number / len(rows))
        found = _wrong(_scenario, asked, question)
        between = 1 < shown.best.asked < _count and len(_names(_scenario)) > 0
        best = _error(_scenario, shown.best, question) if between else None
        errors[name] = (*found, best)
    return Compared(shown, errors)


def _rows(scenario: Scenario, count: int) -> dict[str, tuple[int, Question]]:
    """Rows by name: of how many questions each is, and which."""
    names = _names(scenario)
    if names:
        return {
            name: (count, each)
            for name, each in zip(names, _questions(scenario, count), strict=True)
        }
    (question,) = _questions(scenario, 1)
    return {f"{number} questions": (number, question) for number in COUNTS}


def _wrong(scenario: Scenario, count: int, question: Question) -> tuple[float, float]:
    epsilon = level(scenario)
    one, every = Asking(count, 1, epsilon), Asking(count, count, epsilon)
    return _error(scenario, one, question), _error(scenario, every, question)


def _error(scenario: Scenario, asking: Asking, question: Question) -> float:
    return wrong_share(asking, question, runs.setup(scenario).n, scenario.estimator)


def _names(scenario: Scenario) -> list[str]:
    """Of the questions of a survey of one's own; none for another table."""
    spec = scenario.dataset
    return [table.title for table in spec.tables()] if isinstance(spec, OwnSurvey) else []


def _questions(scenario: Scenario, count: int) -> Sequence[Question]:
    spec = scenario.dataset
    if isinstance(spec, OwnSurvey):
        shares = [table.load().distribution for table in spec.tables()]
        return [Question(hidden_whole(p.size), p) for p in shares]
    p = runs.dataset(scenario).distribution
    if not isinstance(scenario.policy, ContextPolicy):
        return [Question(hidden_whole(p.size), p)] * count
    same = replace(scenario, seed=0)
    return [Question(lambda e: runs.setup(same.with_epsilon(e)).mechanism, p)] * count


def own_count(scenario: Scenario) -> int | None:
    """How many questions a survey of one's own has; None for another table."""
    return len(_names(scenario)) or None


def tables(scenario: Scenario, asking: Asking) -> list[Table]:
    """One survey of a reader's own, asked that way; none for another table."""
    spec = scenario.dataset
    if not isinstance(spec, OwnSurvey):
        return []
    questions, n = _questions(scenario, asking.questions), runs.setup(scenario).n
    found = ask(asking, questions, n, scenario.estimator, scenario.seed)
    return [
        Table(table, marginal, _mean(table, question, marginal, asking))
        for table, question, marginal in zip(spec.tables(), questions, found, strict=True)
    ]


def _mean(table: OwnTable, question: Question, marginal: Marginal, asking: Asking) -> Mean | None:
    values = scale_of(table.names)
    if values is None:
        return None
    mechanism, n = question.make(asking.each), int(marginal.people.sum())
    return mean_of(mechanism, question.p, marginal.unbiased, n, values)
