"""Forecasts where something matters that hardly ever happens, against exact expectations."""

from math import comb, sqrt

import numpy as np
import pytest
from scipy.stats import binom, chisquare

from caldp_core.mechanisms import catalogue
from caldp_core.privacy.context import Context
from caldp_core.theory.expected_error import (
    Budget,
    SampledPeople,
    SampledWithRare,
    expected_error,
    strata,
)

ERRORS = 4.9
"""Standard errors: a two-sided significance of 1e-6."""


def census(share: float, n: int) -> tuple[float, float]:
    """Mean and deviation of |K/n − share|, K ~ Bin(n, share): de Moivre's formula."""
    v = int(n * share) + 1
    mean = 2 * v * comb(n, v) * share**v * (1 - share) ** (n - v + 1) / n
    return mean, sqrt(share * (1 - share) / n - mean**2)


@pytest.mark.parametrize("people", [0.004, 0.04, 0.4, 1.0, 3.0])
@pytest.mark.parametrize("budget", [Budget.quick(2), Budget.single(2)])
def test_a_rare_value_that_nobody_hides(people: float, budget: Budget) -> None:
    n = 100_000
    p = np.array([1 - people / n, people / n])
    open_to_all = catalogue.in_context(Context.high_low([False, False], 1.0), "hadamard")
    mean, deviation = census(people / n, n)
    found = expected_error(open_to_all, p, n, "none", budget=budget)
    assert abs(found.error - mean) <= ERRORS * found.standard_error + 1e-3 * mean
    assert found.standard_error < 0.1 * mean
    assert found.deviation == pytest.approx(deviation, rel=0.25)


def test_a_rare_block_adds_what_its_few_people_do() -> None:
    """Blocks apart: what the rare one adds is what its own forecasts say, by how many come."""
    n, share = 20_000, 2e-7
    p = np.array([1 - share, share / 2, share / 2])
    mechanism = catalogue.in_context(Context.of([0, 1, 1], [True] * 3, 1.0), "randomized-response")
    found = expected_error(mechanism, p, n, "none")
    one = expected_error(mechanism, p, n, "none", people=np.array([n - 1, 1, 0]))
    never = (1 - share) ** n
    expected = never * share + (1 - never) * one.error
    error = sqrt(found.standard_error**2 + ((1 - never) * one.standard_error) ** 2)
    assert abs(found.error - expected) <= ERRORS * error + 0.01 * expected
    assert found.error > 1.5 * share


def test_both_ways_together_are_a_draw_of_people() -> None:
    n, p = 30, np.array([0.0, 0.004, 0.006, 0.02, 0.97])
    without, some = strata(p, n)
    assert isinstance(without, SampledPeople)
    assert isinstance(some, SampledWithRare)
    assert some.rare.tolist() == [False, True, True, True, False]
    assert without.weight + some.weight == pytest.approx(1)
    assert without.weight == pytest.approx(0.97**n)
    rng, draws = np.random.default_rng(3), 20_000
    assert {int(without.people(rng)[:4].sum()) for _ in range(50)} == {0}
    counts = np.array([some.people(rng) for _ in range(draws)])
    assert (counts.sum(axis=1) == n).all()
    rare = np.minimum(counts[:, :4].sum(axis=1), 5)
    law = binom.pmf(np.arange(1, 5), n, 0.03) / some.weight
    law = np.append(law, 1 - law.sum())
    assert chisquare(np.bincount(rare, minlength=6)[1:], draws * law).pvalue > 1e-6
    assert rare.min() == 1
    own = counts[:, :4].sum(axis=0)
    assert own[0] == 0
    assert chisquare(own[1:], own.sum() * p[1:4] / 0.03).pvalue > 1e-6


def test_where_rare_values_hardly_matter_people_are_drawn_at_once() -> None:
    k = 1000
    p = np.append(np.full(k - 1, (1 - 1e-9) / (k - 1)), 1e-9)
    assert len(strata(p, 1_000_000)) == 1
    assert len(strata(np.full(4, 0.25), 100)) == 1


@pytest.mark.parametrize("shares", [(0.25,) * 4, (0.1, 0.2, 0.7), (0.0, 1.0)])
def test_one_person_is_one_draw(shares: tuple[float, ...]) -> None:
    # Every value is rare then, and nobody is left beside them.
    (only,) = strata(np.array(shares), 1)
    assert isinstance(only, SampledPeople)
    assert only.people(np.random.default_rng(0)).sum() == 1
