"""Coins: whole thresholds whose realised ε is just within the stated one, and unbiased draws."""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN, K_MAX
from caldp_core.basics.types import Words
from caldp_core.mechanisms.randomness import (
    COIN_ONE,
    flip_coins,
    noise_threshold,
    seeded_words,
    system_words,
    truth_threshold,
    uniform_below,
)
from tests.stats import SIGNIFICANCE, assert_fits

EPSILON = st.floats(EPSILON_MIN, EPSILON_MAX)
FIXED = (EPSILON_MIN, 0.01, 0.1, 0.5, np.log(2), 1.0, np.log(3), 2.0, 4.0, 7.5, 13.0, EPSILON_MAX)


def power_series(epsilon: float) -> tuple[Fraction, Fraction]:
    """Rationals below and above e^ε from its series: a route of its own, without decimals."""
    x, halvings = Fraction(epsilon) / 32, 5
    term, total = Fraction(1), Fraction(1)
    for j in range(1, 30):
        term = term * x / j
        total += term
    # The rest of the series is below the last term, because x/30 < 1/2.
    low, high = total, total + term
    for _ in range(halvings):
        low, high = low * low, high * high
    return low, high


@pytest.mark.parametrize("epsilon", FIXED)
def test_truth_keeps_epsilon_and_the_next_coin_would_not(epsilon: float) -> None:
    low, high = power_series(epsilon)
    truth = int(truth_threshold(np.array([epsilon]))[0])
    assert Fraction(truth, COIN_ONE - truth) <= low
    assert Fraction(truth + 1, COIN_ONE - truth - 1) > high


@pytest.mark.parametrize("epsilon", FIXED)
def test_truth_among_several_lies_keeps_epsilon_and_the_next_coin_would_not(epsilon: float) -> None:
    low, high = power_series(epsilon)
    several = np.array([1, 3, 63, 2 * K_MAX - 1])
    coins = truth_threshold(np.full(several.size, epsilon), several)
    for lies, truth in zip(several.tolist(), coins.tolist(), strict=True):
        assert Fraction(truth * lies, COIN_ONE - truth) <= low
        assert Fraction((truth + 1) * lies, COIN_ONE - truth - 1) > high
    assert coins[:1] == truth_threshold(np.array([epsilon]))


@pytest.mark.parametrize("epsilon", FIXED)
def test_noise_keeps_epsilon_and_the_next_coin_would_not(epsilon: float) -> None:
    for size in (1, 2, 3, 7, 64, 1000, 43_750, K_MAX):
        check_noise(size, epsilon)


def check_noise(size: int, epsilon: float) -> None:
    low, high = power_series(epsilon)
    noise = int(noise_threshold(np.array([size]), np.array([epsilon]))[0])

    def ratio(n: int) -> Fraction:
        lie = Fraction(n, COIN_ONE * size)
        return (1 - Fraction(n, COIN_ONE) + lie) / lie

    assert 0 < noise < COIN_ONE
    assert ratio(noise) <= low
    assert ratio(noise - 1) > high


@given(EPSILON)
def test_truth_is_the_floor_in_decimals(epsilon: float) -> None:
    with localcontext() as context:
        context.prec = 80
        power = Decimal(epsilon).exp()
        exact = COIN_ONE * power / (1 + power)
    truth = int(truth_threshold(np.array([epsilon]))[0])
    assert truth <= exact < truth + 1


@given(EPSILON, st.integers(1, K_MAX))
def test_noise_is_the_ceiling_in_decimals(epsilon: float, size: int) -> None:
    with localcontext() as context:
        context.prec = 80
        exact = COIN_ONE * size / (size + Decimal(epsilon).exp() - 1)
    noise = int(noise_threshold(np.array([size]), np.array([epsilon]))[0])
    assert noise - 1 < exact <= noise


def test_thresholds_of_arrays_are_those_of_their_entries() -> None:
    epsilon = np.array([[1.0, 0.5], [20.0, 1.0]])
    each = [[int(truth_threshold(np.array([e]))[0]) for e in row] for row in epsilon]
    np.testing.assert_array_equal(truth_threshold(epsilon), each)
    sizes, levels = np.array([3, 0, 5, 3]), np.array([1.0, 1.0, 0.2, 1.0])
    noise = noise_threshold(sizes, levels)
    assert noise.dtype == np.uint64
    assert noise[1] == 0
    assert noise[0] == noise[3]
    for j in (0, 2):
        assert noise[j] == noise_threshold(sizes[j : j + 1], levels[j : j + 1])[0]


def test_a_coin_looks_at_48_bits() -> None:
    threshold = np.array([5], np.uint64)
    words = np.array([4 << 16 | 0xFFFF, 5 << 16, 0, 2**64 - 1], np.uint64)
    assert flip_coins(words, threshold).tolist() == [True, False, True, False]
    assert not flip_coins(words, np.array([0], np.uint64)).any()
    assert flip_coins(words, np.array([COIN_ONE], np.uint64)).all()


def test_coins_come_up_as_often_as_they_say() -> None:
    # 4,000,000 coins, standard deviation 0.00025 at most: 0.0025 (0.5 %) off is ten of them.
    words = seeded_words(np.random.default_rng(1))(4_000_000)
    for share in (0.1, 0.5, 0.731, 0.9):
        threshold = np.array([round(share * COIN_ONE)], np.uint64)
        heads = int(flip_coins(words, threshold).sum())
        observed = np.array([heads, words.size - heads])
        expected = words.size * np.array([share, 1 - share])
        assert_fits(observed, expected, SIGNIFICANCE / 4)
        with pytest.raises(AssertionError):
            assert_fits(observed, words.size * np.array([share - 0.0025, 1.0025 - share]), 1e-6)


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 7, 64, 100])
def test_draws_below_a_bound_are_uniform(bound: int) -> None:
    words = seeded_words(np.random.default_rng(bound))
    drawn = uniform_below(np.full(300_000, bound, np.uint64), words)
    observed = np.bincount(drawn.astype(np.int64), minlength=bound)
    assert observed.size == bound
    assert_fits(observed, np.full(bound, 300_000 / bound), SIGNIFICANCE / 7)


class Tape:
    """A source of words that are written down beforehand."""

    def __init__(self, *words: int) -> None:
        self.words = list(words)

    def __call__(self, n: int) -> Words:
        taken, self.words = self.words[:n], self.words[n:]
        assert len(taken) == n, "more words were asked for than expected"
        return np.array(taken, np.uint64)


@given(st.integers(1, 2**64 - 1))
def test_words_are_drawn_again_exactly_above_the_largest_fair_one(bound: int) -> None:
    fair = 2**64 - 2**64 % bound
    kept = Tape(fair - 1, 0)
    assert uniform_below(np.array([bound], np.uint64), kept)[0] == (fair - 1) % bound
    assert kept.words == [0]
    if fair < 2**64:
        drawn_again = Tape(fair, 2**64 - 1, 0)
        assert uniform_below(np.array([bound], np.uint64), drawn_again)[0] == 0
        assert drawn_again.words == []


def test_only_the_unfair_entries_are_drawn_again() -> None:
    bounds = np.array([3, 10, 3], np.uint64)
    tape = Tape(2**64 - 1, 2**64 - 1, 4, 5, 8, 0)
    # 2^64 − 1 is the one unfair word for 3, and one of six for 10.
    assert uniform_below(bounds, tape).tolist() == [2, 8, 1]
    assert tape.words == [0]


def test_word_sources() -> None:
    words = system_words(1000)
    assert words.dtype == np.uint64
    assert words.shape == (1000,)
    # Two equal among 1000 random 64-bit words: p < 1e6/2^65 = 3e-14.
    assert np.unique(words).size == 1000
    one, again = (seeded_words(np.random.default_rng(3))(5) for _ in range(2))
    np.testing.assert_array_equal(one, again)
