"""Forecasts of few trials know how far they are off: against a simulation of the definitions."""

from functools import cache

import pytest
from scipy.stats import binom, t

from caldp_core.mechanisms import catalogue
from caldp_core.privacy.context import Context
from caldp_core.theory.expected_error import Budget, expected_error
from tests.products import thinned
from tests.theory.test_plans_reached import nearest, reached, shares

K, PEOPLE, EPSILON, FORECASTS = 20, 1_000, 1.0, 120
BEYOND = 0.05


@cache
def cached_truth() -> tuple[float, float]:
    return reached("hadamard", shares(K), PEOPLE, EPSILON, nearest)


@pytest.mark.parametrize("case", thinned([(4, 3), (8, 6), (16, 12)], one_in=3))
def test_95_of_100_forecasts_are_off_by_no_more_than_they_say(case: tuple[int, int]) -> None:
    """With three controls four trials claimed to be certain, and eight knew half of their error.

    `case`: trials, and the freedom of Student's t, with a control for each four trials.
    Significance 1e-6; half of the error is found with power .99, as 27 of 100 forecasts are then
    beyond, and 21 of 120 are seen.
    """
    p, (trials, freedom) = shares(K), case
    truth, _ = cached_truth()
    made = catalogue.in_context(Context.plain(K, EPSILON), "hadamard")
    budget = Budget(trials, trials, 0.01)
    found = [
        expected_error(made, p, PEOPLE, "simplex", seed=seed, budget=budget)
        for seed in range(FORECASTS)
    ]
    most = t.ppf(1 - BEYOND / 2, freedom)
    beyond = sum(abs(each.error - truth) > most * each.standard_error for each in found)
    assert beyond <= binom.isf(1e-6, FORECASTS, BEYOND)
