"""Whole numbers rounded from powers of e: the private side, and not a coin more than it asks."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN, K_MAX
from caldp_core.basics.powers import ceiling_of, exp_below, floor_of
from caldp_core.mechanisms.direct.geometric_axis import GeometricAxis
from caldp_core.mechanisms.oracles.unary import unary_thresholds
from caldp_core.mechanisms.randomness import (
    COIN_ONE,
    thresholds,
    truth_threshold,
    uniform_threshold,
)

EPSILON = st.floats(EPSILON_MIN, EPSILON_MAX)
Ratio = Callable[[int], Fraction]
"""A threshold → the largest ratio of probabilities that it leads to."""


def series_of(epsilon: float) -> tuple[Fraction, Fraction]:
    """Rationals below and above e^ε, 1e-40 of it apart, from its series: no decimals."""
    x = Fraction(epsilon) / 32
    term, total = Fraction(1), Fraction(1)
    for j in range(1, 40):
        term = term * x / j
        total += term
    # The rest of the series is below the last term, because x < 1.
    return total**32, (total + term) ** 32


def check_private_side(ratio: Ratio, whole: int, bolder: int, epsilon: float) -> None:
    """`whole` keeps ε; `bolder`, one coin off, does not."""
    low, high = series_of(epsilon)
    assert ratio(whole) <= low
    assert ratio(bolder) > high


def truth(whole: int) -> Fraction:
    return Fraction(whole, COIN_ONE - whole)


@given(EPSILON)
@example(EPSILON_MIN)
@example(EPSILON_MAX)
def test_coins_lie_on_the_private_side(epsilon: float) -> None:
    level = np.array([epsilon])
    coin = int(truth_threshold(level)[0])
    check_private_side(truth, coin, coin + 1, epsilon)
    alpha = GeometricAxis(3, epsilon).whole
    # The axis keeps back a margin of 2^-48 of ε, so a coin less may still be within ε.
    assert 1 / Fraction(alpha, COIN_ONE) <= series_of(epsilon)[0]


@given(EPSILON, st.integers(1, K_MAX), st.floats(0, 1))
def test_uniform_subsets_lie_on_the_private_side(epsilon: float, size: int, part: float) -> None:
    omega = max(1, round(part * (size - 1)))
    arrays = np.array([size]), np.array([omega]), np.array([epsilon])

    def ratio(whole: int) -> Fraction:
        lie = Fraction(whole, COIN_ONE)
        return (lie + (1 - lie) * Fraction(size, omega)) / lie

    least = int(uniform_threshold(*arrays)[0])
    check_private_side(ratio, least, least - 1, epsilon)


@given(EPSILON, st.integers(COIN_ONE // 1000, COIN_ONE - COIN_ONE // 1000))
def test_unary_coins_lie_on_the_private_side(epsilon: float, true: int) -> None:
    stray, covering = unary_thresholds(np.array([true], np.uint64), np.array([epsilon]))
    own, cover = int(stray[0]), int(covering[0])
    check_private_side(lambda d: truth(true) * Fraction(COIN_ONE - d, d), own, own - 1, epsilon)
    check_private_side(lambda n: Fraction(true * COIN_ONE, own * n), cover, cover - 1, epsilon)


def test_a_coin_on_the_other_side_is_found() -> None:
    coin = int(truth_threshold(np.array([1.0]))[0])
    for wrong in (coin - 1, coin + 1):
        with pytest.raises(AssertionError):
            check_private_side(truth, wrong, wrong + 1, 1.0)


def test_too_few_digits_would_round_to_the_wrong_side() -> None:
    """Twelve digits are fewer than a threshold of 48 bits has."""

    def formula(power: Decimal) -> Decimal:
        return COIN_ONE * power / (1 + power)

    coin = floor_of(formula, 1.0)
    assert coin == floor_of(formula, 1.0, digits=200)
    assert coin != floor_of(formula, 1.0, digits=12)
    assert ceiling_of(formula, 1.0) == coin + 1


@given(st.floats(-20, 20), st.fractions(-20, 20, max_denominator=10**6))
def test_exponents_are_floats_or_fractions(first: float, second: Fraction) -> None:
    def formula(one: Decimal, other: Decimal) -> Decimal:
        return 10**30 * one * other

    both = floor_of(formula, first, second)
    together = Fraction(first) + second
    assert abs(both - floor_of(lambda power: 10**30 * power, together)) <= 1


def test_nothing_is_left_at_minus_infinity() -> None:
    assert floor_of(lambda power: 1000 * power + 7, float("-inf")) == 7


def test_equal_entries_are_reckoned_once_and_land_in_place() -> None:
    calls: list[tuple[int, float]] = []

    def rule(size: int, epsilon: float) -> int:
        calls.append((size, epsilon))
        return size * 10 + int(epsilon)

    sizes, levels = np.array([[3, 1], [3, 2]]), np.array([[2.0, 5.0], [2.0, 5.0]])
    found = thresholds(rule, sizes, levels)
    np.testing.assert_array_equal(found, [[32, 15], [32, 25]])
    assert found.dtype == np.uint64
    assert len(calls) == len(set(calls)) == 3
    assert all(isinstance(size, int) for size, _ in calls)


@given(EPSILON)
def test_the_audit_s_bound_is_below_e_to_epsilon(epsilon: float) -> None:
    low, high = series_of(epsilon)
    bound = exp_below(epsilon)
    assert bound < high
    assert low - bound <= low / 10**38
