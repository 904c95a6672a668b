"""Fields of 2^m elements: the axioms by enumeration, and inner products by their masks."""

from itertools import product as pairs_of

import numpy as np
import pytest

from caldp_core.basics.types import Ints
from caldp_core.mechanisms.oracles import hyperplanes
from caldp_core.mechanisms.oracles.hyperplanes import (
    DEGREE_MAX,
    inner_product,
    inner_product_masks,
    inverse,
    modulus,
    product,
)


def table(m: int) -> Ints:
    """(q, q) all products."""
    every = np.arange(1 << m)
    return product(every[:, None], every, m)


def without_carry(a: int, b: int) -> int:
    """Product of two polynomials over F_2."""
    total = 0
    for bit in range(b.bit_length()):
        total ^= (a << bit) * (b >> bit & 1)
    return total


@pytest.mark.parametrize("m", range(1, DEGREE_MAX + 1))
def test_the_modulus_is_no_product_of_two_polynomials(m: int) -> None:
    factors = {d: range(1 << d, 2 << d) for d in range(1, m)}
    split = {
        without_carry(a, b)
        for d in range(1, m // 2 + 1)
        for a, b in pairs_of(factors[d], factors[m - d])
    }
    assert modulus(m) == min(set(range(1 << m, 2 << m)) - split)


@pytest.mark.parametrize("m", range(1, DEGREE_MAX + 1))
def test_each_element_but_0_has_its_inverse(m: int) -> None:
    some = np.arange(1, 1 << m)
    np.testing.assert_array_equal(product(some, inverse(some, m), m), 1)
    assert np.unique(inverse(some, m)).size == some.size


def check_axioms(m: int) -> None:
    times, every = table(m), np.arange(1 << m)
    a, b, c = every[:, None, None], every[:, None], every
    np.testing.assert_array_equal(times, times.T)
    np.testing.assert_array_equal(times[1], every)
    np.testing.assert_array_equal(times[0], 0)
    np.testing.assert_array_equal(times[times[a, b], c], times[a, times[b, c]])
    np.testing.assert_array_equal(times[a, b ^ c], times[a, b] ^ times[a, c])
    assert (times[1:, 1:] != 0).all(), "two elements that are not 0 have the product 0"


@pytest.mark.parametrize("m", [1, 2, 3, 4, 5])
def test_multiplication_is_a_field_s(m: int) -> None:
    check_axioms(m)


def test_a_modulus_that_splits_makes_no_field(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hyperplanes, "modulus", lambda m: 1 << m | 1)  # (t + 1)·(…)
    with pytest.raises(AssertionError, match="product 0"):
        check_axioms(3)


@pytest.mark.parametrize(("m", "d"), [(1, 4), (2, 3), (3, 2), (4, 2)])
def test_packed_vectors_are_multiplied_digit_by_digit(m: int, d: int) -> None:
    times, vectors = table(m), np.arange(1 << m * d)
    for scalar in range(1 << m):
        digits = [times[scalar, vectors >> m * i & (1 << m) - 1] << m * i for i in range(d)]
        expected = np.bitwise_or.reduce(digits)
        np.testing.assert_array_equal(product(np.array(scalar), vectors, m, d), expected)


@pytest.mark.parametrize(("m", "d"), [(1, 4), (2, 3), (3, 2), (4, 2)])
def test_parities_with_the_masks_are_inner_products(m: int, d: int) -> None:
    times, every = table(m), np.arange(1 << m * d)
    low = (1 << m) - 1
    sums = np.zeros((every.size, every.size), np.int64)
    for i in range(d):
        sums ^= times[every[:, None] >> m * i & low, every >> m * i & low]
    masks = inner_product_masks(every, m, d)
    np.testing.assert_array_equal(inner_product(every[:, None], masks[:, None]), sums)
