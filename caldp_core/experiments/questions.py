"""Several questions a person, ε shared by all or each asked some at random; means of numbers.

Both promise ε for a person's answers together (CALDP Proposition 2: levels add up). Where ε is
small, few questions a person are more accurate (Wang et al. 2019, section V); where it is large,
the error that is left comes from asking fewer people.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Final

import numpy as np

from caldp_core.audit.adversary import max_guess_accuracy, max_record_guess_accuracy
from caldp_core.basics.errors import check_n, check_number, check_whole
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN, OWN_QUESTIONS_MAX
from caldp_core.basics.types import EqualByFields, Floats, Ints
from caldp_core.domain.domains import Domain, scale_of
from caldp_core.estimation.estimators import estimator
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.intervals import ranges
from caldp_core.experiments.run import Result
from caldp_core.mechanisms import Mechanism
from caldp_core.mechanisms.catalogue import MechanismSpec, SquareWave
from caldp_core.mechanisms.randomness import generators
from caldp_core.privacy.context import Context
from caldp_core.scenarios.scenario import Best
from caldp_core.theory.expected_error import Budget, expected_error

_BEST: Final = Best()
BUDGET: Final = Budget(8, 32, 0.03)


@dataclass(frozen=True)
class QuestionPlan:
    """Each person answers `per_person` of the `questions`, drawn evenly, ε shared among them.

    `questions`: 1 to 10, which share ε. `epsilon`: of all answers of a person together. Raises
    `CaldpError`, also where so little is left for one answer that no coin is as fine.
    """

    questions: int
    per_person: int
    epsilon: float

    def __post_init__(self) -> None:
        check_whole("questions", self.questions, 1, OWN_QUESTIONS_MAX)
        check_whole("per_person", self.per_person, 1, self.questions)
        check_number("epsilon", self.epsilon, EPSILON_MIN * self.per_person, EPSILON_MAX)

    @property
    def answer_epsilon(self) -> float:
        """ε of one answer."""
        return self.epsilon / self.per_person

    def people(self, n: int) -> int:
        """How many of n people are asked each question: at least one."""
        return max(1, check_n(n) * self.per_person // self.questions)

    @property
    def answer_guess_accuracy(self) -> float:
        """Most that an even guess at one answer of a person becomes right, in [0.5, 1].

        On average over the questions; those that the person was not asked leave it at 0.5.
        """
        share = self.per_person / self.questions
        return share * max_guess_accuracy(self.answer_epsilon) + (1.0 - share) * 0.5

    @property
    def record_guess_accuracy(self) -> float:
        """Most that a guess between two records that differ in all answers becomes right."""
        return max_record_guess_accuracy(self.answer_epsilon, self.per_person)


@dataclass(frozen=True, eq=False)
class Question(EqualByFields):
    """`make(epsilon)`: the mechanism that protects its answers at ε; `p`: (k,) true shares.

    `estimator`: its own, by name; None for that of all questions.
    """

    make: Callable[[float], Mechanism]
    p: Floats
    estimator: str | None = None


def plain_mechanism_maker(k: int, spec: MechanismSpec = _BEST) -> Callable[[float], Mechanism]:
    """For `Question`: every one of k answers hidden from every other, by the best method.

    `spec`: another method.
    """

    @lru_cache(OWN_QUESTIONS_MAX)
    def make(epsilon: float) -> Mechanism:
        return spec.make(Context.plain(k, epsilon))

    return make


def ordered_question(p: Floats) -> Question:
    """Answers that are numbers in their order, all hidden: the square wave, smoothed."""
    return Question(plain_mechanism_maker(p.size, SquareWave()), p, "smoothed")


def open_mechanism_maker(k: int) -> Callable[[float], Mechanism]:
    """For `Question`: none of k answers hidden, whatever ε; only people drawn are uncertain."""
    blocks, flags = np.zeros(k, dtype=np.int64), np.zeros(k, dtype=np.bool_)
    return lambda epsilon: Best().make(Context.of(blocks, flags, epsilon))


def squared_error(plan: QuestionPlan, question: Question, n: int) -> float:
    """Exact E Σ(p̂−p)² of a question's unbiased estimate, n people drawn in all."""
    mechanism = question.make(plan.answer_epsilon)
    return float(mechanism.variance(question.p, plan.people(n)).sum())


def best_plan(questions: Sequence[Question], epsilon: float, n: int) -> QuestionPlan:
    """The number of questions a person with the least squared error, summed over all questions."""
    most = min(len(questions), int(epsilon / EPSILON_MIN))
    plans = [QuestionPlan(len(questions), per_person, epsilon) for per_person in range(1, most + 1)]
    return min(plans, key=lambda plan: sum(squared_error(plan, each, n) for each in questions))


def wrong_share(plan: QuestionPlan, question: Question, n: int, name: str) -> float:
    """Expected share of people under the wrong answer (total variation) by the named estimator."""
    mechanism, people = question.make(plan.answer_epsilon), plan.people(n)
    own = question.estimator or name
    return expected_error(mechanism, question.p, people, own, budget=BUDGET).error


@dataclass(frozen=True, eq=False)
class Marginal(EqualByFields):
    """One question's answer: (k,) `people` who were asked, estimated shares and their 95 % ranges.

    `low` and `high` include the estimate, see `ranges`.
    """

    people: Ints
    unbiased: Floats
    estimate: Floats
    low: Floats
    high: Floats


def ask_questions(
    plans: Sequence[QuestionPlan],
    questions: Sequence[Question],
    n: int,
    name: str,
    seeds: np.random.SeedSequence,
) -> tuple[Marginal, ...]:
    """Ask n people drawn from the questions' shares, once; each question by its own plan and coins.

    No question's count depends on who answers which others, so each is drawn alone. `seeds`: those
    of the draw, as `seed_sequence` has them for a number.
    """
    marginals = []
    of_questions = seeds.spawn(len(questions))
    for plan, question, own in zip(plans, questions, of_questions, strict=True):
        marginals.append(_marginal(plan, question, n, name, own))
    return tuple(marginals)


def _marginal(
    plan: QuestionPlan, question: Question, n: int, name: str, seeds: np.random.SeedSequence
) -> Marginal:
    who, coins = generators(seeds, 2)
    people = who.multinomial(plan.people(n), question.p)
    mechanism = question.make(plan.answer_epsilon)
    evidence = Evidence.of(mechanism, mechanism.sample_tally(people, coins))
    estimate = estimator(question.estimator or name).apply(evidence)
    ends = ranges(evidence, estimate)
    return Marginal(people, evidence.unbiased, estimate, ends.low, ends.high)


_Z: Final = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class EstimatedMean:
    """A mean in the units of the answers: true, estimated without bias, and its 95 % interval.

    The ends follow from the exact variance over people drawn and coins (normal approximation) and
    are cut to the scale, but never exclude the `estimate`, which may lie beyond it.
    """

    truth: float
    estimate: float
    low: float
    high: float


def mean_in(result: Result) -> EstimatedMean | None:
    """The mean from the first trial of a run; None where values are not numbers."""
    setup = result.setup
    domain = setup.dataset.domain
    values = scale_of(domain.names) if isinstance(domain, Domain) else None
    if values is None:
        return None
    p = setup.dataset.distribution
    return mean_of(setup.mechanism, p, result.first.unbiased, setup.n, values)


def mean_of(
    mechanism: Mechanism, p: Floats, unbiased: Floats, n: int, values: Floats
) -> EstimatedMean:
    """The mean of `values`, (k,) rising, from (k,) `unbiased` shares of n people drawn from p.

    Shares need not sum to 1, so values are taken from the middle of the scale: what is missing or
    too much counts as an answer there, not as 0.
    """
    middle = 0.5 * float(values[0] + values[-1])
    centred = values - middle
    estimate = middle + float(centred @ unbiased)
    half = _Z * float(np.sqrt(max(mechanism.sum_variance(p, centred, n), 0.0)))
    low, high = np.clip((estimate - half, estimate + half), values[0], values[-1])
    return EstimatedMean(
        float(p @ values), estimate, min(float(low), estimate), max(float(high), estimate)
    )
