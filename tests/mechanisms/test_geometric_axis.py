"""The noise of one axis: its exact channel, its fast products and its draws."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from caldp_core.basics.types import Words
from caldp_core.mechanisms.direct.geometric_axis import GeometricAxis
from caldp_core.mechanisms.randomness import COIN_ONE, WORD, ExactInversion

F = Fraction


def axis_by_definition(size: int, alpha: Fraction) -> list[list[Fraction]]:
    """Two-sided geometric noise, summed up at the ends by the geometric series."""

    def tail(t: int) -> Fraction:  # P(Z ≥ t) for t ≥ 0, and P(Z ≤ −t)
        return alpha**t / (1 + alpha)

    def point(z: int) -> Fraction:
        return (1 - alpha) / (1 + alpha) * alpha ** abs(z)

    return [
        [tail(x), *(point(y - x) for y in range(1, size - 1)), tail(size - 1 - x)]
        for x in range(size)
    ]


@pytest.mark.parametrize("size", [2, 3, 6])
def test_the_axis_is_truncated_geometric_noise(size: int) -> None:
    axis = GeometricAxis(size, 0.7)
    alpha = F(axis.whole, COIN_ONE)
    assert math.exp(-0.7) < alpha < math.exp(-0.7) + 2.0**-46
    assert axis.exact_channel() == axis_by_definition(size, alpha)


@pytest.mark.parametrize("size", [1, 2, 5, 40])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 15.0])
def test_fast_products_are_the_dense_ones(size: int, epsilon: float) -> None:
    axis = GeometricAxis(size, epsilon)
    channel = np.array([[float(q) for q in row] for row in axis.exact_channel()])
    inverse = np.linalg.inv(channel)
    values = np.random.default_rng(1).random((3, size))
    rtol = 1e-6 if epsilon == 0.01 else 1e-10  # the dense inverse loses digits where Q is flat
    np.testing.assert_allclose(axis.apply(values), values @ channel, rtol=1e-10)
    large = float(np.abs(inverse).max())
    for fast, exact, scale in (
        (axis.inverse(values), values @ inverse, large),
        (axis.score(values), values @ inverse.T, large),
        (axis.inverse_squared(values), values @ inverse**2, large**2),
    ):
        np.testing.assert_allclose(fast, exact, rtol=rtol, atol=rtol * scale)


def words_of(*values: int) -> Any:
    """A source that gives these words one after the other, and fails when they are used up."""
    rest = list(values)

    def words(n: int) -> Words:
        return np.array([rest.pop(0) for _ in range(n)], dtype=np.uint64)

    return words


@pytest.mark.parametrize("epsilon", [0.001, 0.9, 20.0])
def test_the_steps_of_the_noise_are_those_of_the_law(epsilon: float) -> None:
    axis = GeometricAxis(25, epsilon)
    alpha = F(axis.whole, COIN_ONE)
    # P(Z ≤ z) for z = −24 … 23, summed from the definition of Z.
    mass = [(1 - alpha) / (1 + alpha) * alpha ** abs(z) for z in range(-23, 24)]
    law = [alpha**24 / (1 + alpha)]
    for point in mass:
        law.append(law[-1] + point)
    np.testing.assert_array_equal(axis.noise.floors, [int(step * WORD) for step in law])
    assert axis.noise.steps() == law


def test_a_long_axis_is_ready_at_once() -> None:
    # 2^20 cells; the noise of a step beyond 2^-64 has floor 0 or 2^64 − 1.
    floors = GeometricAxis(2**20, 20.0).noise.floors
    assert floors.size == 2 * (2**20 - 1)
    assert floors[0] == 0
    assert int(floors[-1]) == WORD - 1


def test_a_tie_is_settled_by_more_bits() -> None:
    third = WORD // 3
    inversion = ExactInversion.of([F(1, 3), F(2, 3)])
    drawn = inversion.draw(4, words_of(third - 1, third + 1, 2 * third + 1, WORD - 1))
    np.testing.assert_array_equal(drawn, [0, 1, 2, 2])
    # ⌊2^64/3⌋ ties with 1/3, whose next 64 bits are ⌊2^64/3⌋ again: below, tied again, above.
    for more, place in (([third - 1], 0), ([third, third - 1], 0), ([third, third + 1], 1)):
        np.testing.assert_array_equal(inversion.draw(1, words_of(third, *more)), [place])
    # A step of whole words is passed by its own word; steps below 2^-64 are told apart.
    half = ExactInversion.of([F(1, 2)])
    np.testing.assert_array_equal(half.draw(2, words_of(WORD // 2 - 1, WORD // 2, 0)), [0, 1])
    tiny = ExactInversion.of([F(1, 2**70), F(1, 2**66)])
    for last, place in ((0, 0), (2**58, 1), (2**62 - 1, 1), (2**62, 2)):
        np.testing.assert_array_equal(tiny.draw(1, words_of(0, last)), [place])
