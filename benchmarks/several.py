"""Several questions a person: our error and that of multi-freq-ldpy, on the same people."""

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, Final

import numpy as np

from benchmarks.figures import Figure
from benchmarks.sizes import Sizes
from caldp_core.basics.types import Floats, Ints
from caldp_core.experiments.questions import (
    Question,
    QuestionPlan,
    ask_questions,
    plain_mechanism_maker,
)

EPSILONS: Final = (1.0, 4.0)
_K: Final = (2, 3, 5, 17, 31)
"""Answers to each question: yes or no, a place, a grade, ages and incomes in steps."""
_DRAWS: Final = 5
Survey = Callable[[Ints, float], list[Floats]]
"""(n, questions) answers and ε → the estimated shares of each question."""


def figures(sizes: Sizes) -> Iterator[Figure]:
    """People under the wrong answer in the average question, in percent."""
    n = sizes.surveyed
    shares = [_falling(k) for k in _K]
    for epsilon in EPSILONS:
        for title, asked in (("one question a person", 1), ("ε shared by all", len(_K))):
            plan = QuestionPlan(len(_K), asked, epsilon)
            work = f"{len(_K)} questions, {n:,} people, ε = {epsilon:g}: {title}"
            errors = [_our_error(plan, shares, n, seed) for seed in range(_DRAWS)]
            yield Figure.of(work, "%", errors)
        for title, survey in _PEERS.items():
            work = f"the same by multi-freq-ldpy, {title}"
            try:
                errors = [_peer_error(survey, shares, n, epsilon, seed) for seed in range(_DRAWS)]
                yield Figure.of(work, "%", errors)
            except ImportError as error:
                yield Figure(work, "%", None, note=str(error))


def _falling(k: int) -> Floats:
    p = 1.0 / np.arange(1.0, k + 1.0)
    return np.asarray(p / p.sum())


def _our_error(plan: QuestionPlan, shares: list[Floats], n: int, seed: int) -> float:
    questions = [Question(plain_mechanism_maker(p.size), p) for p in shares]
    marginals = ask_questions([plan] * len(questions), questions, n, "simplex", seed)
    return _wrong([each.estimate for each in marginals], shares)


def _wrong(estimates: list[Floats], shares: list[Floats]) -> float:
    pairs = zip(estimates, shares, strict=True)
    return 100 * float(np.mean([0.5 * np.abs(estimate - p).sum() for estimate, p in pairs]))


def _peer_error(survey: Survey, shares: list[Floats], n: int, epsilon: float, seed: int) -> float:
    np.random.seed(seed)  # noqa: NPY002 — the only coins that they take
    rng = np.random.default_rng(seed)
    answers = np.stack([rng.choice(p.size, n, p=p) for p in shares], axis=1)
    return _wrong(survey(answers, epsilon), shares)


def _peer_survey(solution: str, name: str) -> Survey:
    """One of its solutions for several questions; its estimates are clipped to distributions."""

    def survey(answers: Ints, epsilon: float) -> list[Floats]:
        module: Any = import_module(f"multi_freq_ldpy.mdim_freq_est.{solution}_solution")
        client = getattr(module, f"{solution}_{name}_Client")
        aggregator = getattr(module, f"{solution}_{name}_Aggregator_MI")
        k, d = list(_K), len(_K)
        reports = [client(tuple(row), k, d, epsilon) for row in answers.tolist()]
        return [np.asarray(each, float) for each in aggregator(reports, k, d, epsilon)]

    return survey


_PEERS: Final[dict[str, Survey]] = {
    "one question a person (SMP, adaptive)": _peer_survey("SMP", "ADP"),
    "ε shared by all (SPL, adaptive)": _peer_survey("SPL", "ADP"),
    "one true answer among made-up ones (RS+FD, adaptive)": _peer_survey("RSpFD", "ADP"),
}
