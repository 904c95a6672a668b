"""The trusted curator: audited exactly, and its numbers by two routes each."""

from fractions import Fraction

import numpy as np
import pytest

from caldp_core.audit.pairwise import audit_channel
from caldp_core.basics.errors import CaldpError
from caldp_core.lecture.counts import CentralCount, GeometricNoise, NoisyMax
from tests.stats import SIGNIFICANCE, assert_fits, assert_mean

EPSILONS = (0.1, 1.0, 3.0)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_count_keeps_its_epsilon_and_a_twentieth_more_is_caught(epsilon: float) -> None:
    claimed = CentralCount(4, epsilon).policy
    assert audit_channel(CentralCount(4, epsilon).exact_channel(), claimed).holds
    assert not audit_channel(CentralCount(4, 1.05 * epsilon).exact_channel(), claimed).holds


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_noisy_maximum_keeps_its_epsilon(epsilon: float) -> None:
    claimed = NoisyMax(3, epsilon).policy(3)
    assert audit_channel(NoisyMax(3, epsilon).exact_channel(3), claimed).holds


def test_the_noisy_maximum_with_noise_for_one_count_only_is_caught() -> None:
    # A change of vote moves two counts; noise as for one of them is that of 2ε.
    claimed = NoisyMax(2, 3.0).policy(18)
    assert audit_channel(NoisyMax(2, 3.0).exact_channel(18), claimed).holds
    for wrong in (2.0, 1.05):  # few people would leave slack: it goes with the lead
        assert not audit_channel(NoisyMax(2, wrong * 3.0).exact_channel(18), claimed).holds


def test_chances_of_the_maximum_are_a_distribution_and_what_draws_give() -> None:
    mechanism = NoisyMax(4, 1.0)
    exact = mechanism.exact_chances((5, 3, 3, 0))
    assert sum(exact) == 1
    votes, draws = np.array([5, 3, 3, 0]), 20_000
    chosen = mechanism.choose(votes, draws, np.random.default_rng(5))
    expected = draws * np.array([float(q) for q in exact])
    assert_fits(np.bincount(chosen, minlength=4), expected, SIGNIFICANCE)
    wrong = NoisyMax(4, 1.1).choose(votes, draws, np.random.default_rng(5))
    with pytest.raises(AssertionError):
        assert_fits(np.bincount(wrong, minlength=4), expected, SIGNIFICANCE)


def test_the_chance_for_even_rivals_is_the_exact_one() -> None:
    # The winner comes last, as ties count for the rivals.
    mechanism = NoisyMax(3, 0.5)
    exact = [float(mechanism.exact_chances((4, 4, 4 + lead))[-1]) for lead in (0, 1, 7)]
    np.testing.assert_allclose(mechanism.chance(np.array([0, 1, 7])), exact, rtol=1e-9)
    assert abs(mechanism.chance(np.array(1)) - exact[0]) > 0.01


def test_noise_has_the_stated_moments_and_law() -> None:
    noise = GeometricNoise(0.7)
    a = noise.alpha
    law = {z: (1 - a) / (1 + a) * a ** abs(z) for z in range(-60, 61)}
    assert noise.variance == pytest.approx(float(sum(q * z * z for z, q in law.items())))
    sums = [float(sum((q for z, q in law.items() if z <= t), Fraction(0))) for t in (-3, -1, 0, 4)]
    np.testing.assert_allclose(noise.cdf(np.array([-3, -1, 0, 4])), sums, rtol=1e-9)
    drawn = noise.draw((200_000,), np.random.default_rng(7)).astype(np.float64)
    square = np.stack([drawn, drawn**2], axis=1)
    spread = square.std(axis=0)
    assert_mean(square, np.array([0.0, noise.variance]), spread, SIGNIFICANCE)
    wrong = GeometricNoise(0.7 * 1.05).variance
    with pytest.raises(AssertionError):
        assert_mean(square, np.array([0.0, wrong]), spread, SIGNIFICANCE)


def test_the_error_is_that_of_the_lecture_whatever_n_is() -> None:
    rng = np.random.default_rng(2)
    for n in (1_000, 10**9):
        error = np.abs(CentralCount(n, 0.1).publish(n // 2, 4_000, rng) - n // 2)
        assert abs(error.mean() - 10) < 1


def test_bad_input_is_told() -> None:
    with pytest.raises(CaldpError, match="epsilon must be a number in"):
        GeometricNoise(0.0)
    with pytest.raises(CaldpError, match=r"yes must be a whole number in \[0, 10\], got 11"):
        CentralCount(10, 1.0).publish(11, 1, np.random.default_rng(1))
    with pytest.raises(CaldpError, match="d must be a whole number"):
        NoisyMax(1, 1.0)
