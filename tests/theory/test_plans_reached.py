"""Plans by total variation reach their target: simulated from the definitions of the families.

Channels, estimates and the projection are written here again; nothing of the package is used but
the number of people and the ε that it plans.
"""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from caldp_core.mechanisms import catalogue
from caldp_core.privacy.context import Context
from caldp_core.theory.planner import Goal, epsilon_for, people_for, total_variation
from tests.contract.checks import naming

Reports = Callable[[Any, int, float, np.random.Generator, int], Any]
OFF = 0.02
"""Part of the target by which a plan may miss it."""
ERRORS = 4.9
"""Standard errors: a two-sided significance of 1e-6."""


def direct_encoding(p: Any, n: int, epsilon: float, rng: np.random.Generator, draws: int) -> Any:
    """(draws, k) unbiased estimates of randomized response."""
    other = 1 / (p.size - 1 + np.exp(epsilon))
    own = np.exp(epsilon) * other
    reports = rng.multinomial(n, other + (own - other) * p, size=draws)
    return (reports / n - other) / (own - other)


def parities(p: Any, n: int, epsilon: float, rng: np.random.Generator, draws: int) -> Any:
    """(draws, k) unbiased estimates of Hadamard response."""
    rows = np.array([[1.0]])
    while len(rows) < p.size + 1:
        rows = np.block([[rows, rows], [rows, -rows]])
    used, scale = rows[1 : p.size + 1], (np.exp(epsilon) + 1) / (np.exp(epsilon) - 1)
    law = (1 + (p @ used) / scale) / len(rows)
    return scale * (rng.multinomial(n, law / law.sum(), size=draws) @ used.T) / n


def unary(p: Any, n: int, epsilon: float, rng: np.random.Generator, draws: int) -> Any:
    """(draws, k) unbiased estimates of optimized unary encoding."""
    noise = 1 / (np.exp(epsilon) + 1)
    people = rng.multinomial(n, p, size=draws)
    bits = rng.binomial(people, 0.5) + rng.binomial(n - people, noise)
    return (bits / n - noise) / (0.5 - noise)


FAMILIES: dict[str, Reports] = {
    "randomized-response": direct_encoding,
    "hadamard": parities,
    "oue": unary,
}


def nearest(estimates: Any) -> Any:
    """(draws, k) rows projected on the distributions: sorted, and cut at the largest threshold."""
    falling = -np.sort(-estimates, axis=1)
    excess = np.cumsum(falling, axis=1) - 1
    thresholds = excess / np.arange(1, estimates.shape[1] + 1)
    kept = (falling > thresholds).sum(axis=1)
    return np.maximum(estimates - thresholds[np.arange(len(kept)), kept - 1, None], 0.0)


def reached(
    family: str, p: Any, n: int, epsilon: float, after: Callable[[Any], Any]
) -> tuple[float, float]:
    """The mean total variation and its standard error."""
    rng, draws = np.random.default_rng(8), 15_000 if p.size < 10 else 4_000
    estimates = after(FAMILIES[family](p, n, epsilon, rng, draws))
    errors = 0.5 * np.abs(estimates - p).sum(axis=1)
    return float(errors.mean()), float(errors.std() / np.sqrt(draws))


def shares(k: int) -> Any:
    weights = 1 / np.arange(1.0, k + 1)
    return weights / weights.sum()


CASES = [
    (2, 0.5, "hadamard"),
    (2, 1.0, "randomized-response"),
    (2, 2.0, "oue"),
    (3, 2.0, "randomized-response"),
    (10, 0.5, "randomized-response"),
    (50, 4.0, "oue"),
]


@pytest.mark.parametrize("estimator", ["simplex-per-block", "none"])
def test_people_reach_the_target_and_a_tenth_fewer_do_not(estimator: str) -> None:
    """Of two values plans were 10 % above it, of ten 5 %: 11 to 20 % too few people."""
    after = nearest if estimator == "simplex-per-block" else np.asarray
    for k, epsilon, family in CASES:
        p, target = shares(k), 0.05
        made = catalogue.in_context(Context.plain(k, epsilon), family)
        n = people_for(made, p, Goal(total_variation(estimator), target))
        assert n is not None
        with naming(f"{family}, k = {k}, ε = {epsilon}, n = {n:,}"):
            mean, error = reached(family, p, n, epsilon, after)
            assert abs(mean / target - 1) < OFF + ERRORS * error / target
            mean, error = reached(family, p, round(0.85 * n), epsilon, after)
            assert mean / target - 1 > OFF + ERRORS * error / target


def test_epsilons_reach_the_target_and_a_tenth_less_does_not() -> None:
    for k, n, family in (
        (2, 600, "hadamard"),
        (3, 1_000, "randomized-response"),
        (10, 9_000, "oue"),
    ):
        p, target = shares(k), 0.05
        goal = Goal(total_variation("simplex-per-block"), target)
        epsilon = epsilon_for(Context.plain(k, 1.0), family, p, n, goal)
        assert epsilon is not None
        with naming(f"{family}, k = {k}, ε = {epsilon:.3f}, n = {n:,}"):
            mean, error = reached(family, p, n, epsilon, nearest)
            assert abs(mean / target - 1) < OFF + ERRORS * error / target
            mean, error = reached(family, p, n, 0.9 * epsilon, nearest)
            assert mean / target - 1 > OFF + ERRORS * error / target


@pytest.mark.thorough
@pytest.mark.parametrize("k", [2, 3, 10, 50])
def test_people_reach_the_target_at_every_setting(k: int) -> None:
    """Where few people are enough, whose estimates are far from normal, too."""
    p, target = shares(k), 0.07
    for epsilon, family in product((0.5, 1.0, 2.0, 4.0), FAMILIES):
        made = catalogue.in_context(Context.plain(k, epsilon), family)
        n = people_for(made, p, Goal(total_variation("simplex-per-block"), target))
        assert n is not None
        with naming(f"{family}, k = {k}, ε = {epsilon}, n = {n:,}"):
            mean, error = reached(family, p, n, epsilon, nearest)
            assert abs(mean / target - 1) < OFF + ERRORS * error / target
