"""Coins, whole thresholds from powers of e, binomial draws, subsets and packed bits."""

from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import binom

from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN, K_MAX
from caldp_core.basics.powers import ceiling_of, exp_below, floor_of
from caldp_core.basics.types import Floats, Ints, Words, WordSource
from caldp_core.mechanisms.direct.planar import GeometricAxis
from caldp_core.mechanisms.oracles import subset_selection as subsets
from caldp_core.mechanisms.oracles.subset_selection import random_subsets
from caldp_core.mechanisms.oracles.supports import (
    bit_counts,
    every_row,
    full_mask,
    set_bits,
    unpack_bits,
    words_for,
)
from caldp_core.mechanisms.oracles.unary import product_law, unary_thresholds
from caldp_core.mechanisms.randomness import (
    COIN_ONE,
    acceptance,
    binomial_half,
    flip_coins,
    log_binomial_half,
    noise_threshold,
    seeded_words,
    squeeze,
    system_words,
    thresholds,
    truth_threshold,
    uniform_below,
    uniform_threshold,
)
from tests.stats import SIGNIFICANCE, assert_fits, assert_mean
from tests.strategies import thinned

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


def test_equal_entries_are_computed_once_and_land_in_place() -> None:
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


ENUMERATED = (*range(65, 200), 255, 256, 1000, 1001, 4096, 10_007, 10**5, 10**6)
SIZES = (1, 7, 63, 64, 65, 66, 100, 1000, 8191, 8192, 10**6)
PER_SIZE = SIGNIFICANCE / (4 * len(SIZES))
DRAWS = 4_000_000
"""Power: p = 0.5025 moves the mean of g draws by 0.005·√g standard deviations, which adds at least
4,000,000·0.005²·g = 100·g to χ². A rounded normal misses Binomial(g, ½) by the factor
1 + (−z⁴/12 + z²/3 − 1/12)/g, mean square 0.22/g², which adds 4,000,000·0.22/66² = 200 at g = 66 on
40 degrees of freedom; PER_SIZE = 3e-8 needs 105."""

Draw = Callable[[Ints, np.random.Generator], Ints]


def window(g: int) -> Floats:
    """Every k that a normal can propose: within 9.5 standard deviations of the mean, 0 and g."""
    reach = int(np.ceil(9.5 * np.sqrt(g) / 2))
    return np.arange(max(0, g // 2 - reach), min(g, g // 2 + reach) + 1, dtype=np.float64)


def test_acceptance_is_a_probability() -> None:
    for g in ENUMERATED:
        k = window(g)
        ratio = acceptance(k, np.full(k.size, float(g)))
        assert ratio.min() >= 0, g
        # M is large enough: were it not, the ratio would pass 1 and the law would be cut there.
        assert ratio.max() <= 1, g
        # And it is not needlessly large.
        assert ratio.max() >= 1 - 0.1 / g, g


def test_squeeze_passes_only_what_acceptance_would() -> None:
    for g in ENUMERATED:
        k = window(g)
        rejected = g * (1 - acceptance(k, np.full(k.size, float(g))))
        # Scores that round to k lie within 1/√g of k's; the smallest square allows most.
        nearest = np.maximum(np.abs(2 * k - g) / np.sqrt(g) - 1 / np.sqrt(g), 0.0)
        assert (rejected <= squeeze(nearest**2)).all(), g


def test_a_lower_squeeze_would_pass_too_much() -> None:
    # The must-fail side: without its constant the squeeze breaks at every enumerated size.
    for g in ENUMERATED:
        k = window(g)
        rejected = g * (1 - acceptance(k, np.full(k.size, float(g))))
        z = np.abs(2 * k - g) / np.sqrt(g)
        assert (rejected > squeeze(z**2) - 1.5).any()


@pytest.mark.parametrize("g", [10**9, 10**12])
def test_acceptance_of_very_many_is_one_to_rounding(g: int) -> None:
    k = g // 2 + np.rint(np.linspace(-2, 2, 100_001) * np.sqrt(g) / 2)
    ratio = acceptance(k, np.full(k.size, float(g)))
    # Beyond 10^8 the true 1 − r/M < 4/g is below the rounding of floats, 1e-8 at most.
    np.testing.assert_allclose(ratio, 1.0, rtol=0, atol=1e-8)


@pytest.mark.parametrize("g", [65, 66, 100, 501])
def test_outside_is_never_accepted(g: int) -> None:
    k = np.array([-2.0, -1.0, g + 1.0, g + 2.0])
    assert (acceptance(k, np.full(4, float(g))) == 0).all()


@pytest.mark.parametrize("g", [1, 2, 15, 16, 17, 33, 65, 100, 501, 1000])
def test_probabilities_are_those_of_whole_numbers(g: int) -> None:
    exact = np.array([float(Fraction(comb(g, k), 2**g)) for k in range(g + 1)])
    k = np.arange(g + 1, dtype=np.float64)
    ours = np.exp(log_binomial_half(k, np.full(g + 1, float(g))))
    np.testing.assert_allclose(ours, exact, rtol=2e-12)


def log_factorial(n: int) -> Decimal:
    """Stirling's series to 40 digits, for n ≥ 10^6."""
    x = Decimal(n)
    series = 1 / (12 * x) - 1 / (360 * x**3) + 1 / (1260 * x**5)
    half_log_two_pi = Decimal("0.91893853320467274178032973640561763986139747363778")
    return (x + Decimal("0.5")) * x.ln() - x + half_log_two_pi + series


@pytest.mark.parametrize("g", [10**7, 10**9, 10**12])
@pytest.mark.parametrize("score", [0, -1, 2.5, -6, 8])
def test_probabilities_of_very_many_are_those_of_decimals(g: int, score: float) -> None:
    k = round(g / 2 + score * np.sqrt(g) / 2)
    with localcontext() as context:
        context.prec = 50
        terms = log_factorial(g) - log_factorial(k) - log_factorial(g - k)
        exact = float(terms - g * Decimal(2).ln())
    ours = float(log_binomial_half(np.array([float(k)]), np.array([float(g)]))[0])
    assert abs(ours - exact) <= 1e-9


def bins(g: int) -> Ints:
    """Upper ends of cells to count in: every number if they are few, else about sixty cells."""
    if g <= 200:
        return np.arange(g + 1)
    inner = np.rint(g / 2 + np.linspace(-3.5, 3.5, 60) * np.sqrt(g) / 2).astype(np.int64)
    return np.append(np.unique(inner), g)


def assert_binomial(draw: Draw, g: int, draws: int = DRAWS) -> None:
    """`draw` gives Binomial(g, ½): chi-square."""
    ends = bins(g)
    expected = draws * np.diff(binom.cdf(np.append(-1, ends), g, 0.5))
    drawn = draw(np.full(draws, g), np.random.default_rng(g))
    assert drawn.dtype == np.int64
    assert drawn.min() >= 0
    assert drawn.max() <= g
    places = np.bincount(drawn, minlength=g + 1).cumsum()[ends]
    assert_fits(np.diff(places, prepend=0), expected, PER_SIZE)


@pytest.mark.parametrize("g", SIZES)
def test_draws_have_the_law(g: int) -> None:
    assert_binomial(binomial_half, g)


@pytest.mark.parametrize("g", SIZES)
def test_draws_among_other_sizes_have_the_law(g: int) -> None:
    def among(counts: Ints, rng: np.random.Generator) -> Ints:
        mixed = np.tile(np.array([g, 3, g, 70, 10**4, g, 10**12, g]), counts.size // 4)
        return binomial_half(mixed, rng)[mixed == g][: counts.size]

    assert_binomial(among, g, draws=400_000)


@pytest.mark.parametrize("g", thinned(SIZES, one_in=3))
def test_a_coin_of_0_5025_is_found(g: int) -> None:
    with pytest.raises(AssertionError, match="χ²"):
        assert_binomial(lambda counts, rng: rng.binomial(counts, 0.5025), g)


@pytest.mark.parametrize("g", [65, 66])
def test_a_rounded_normal_without_rejection_is_found(g: int) -> None:
    def rounded(counts: Ints, rng: np.random.Generator) -> Ints:
        z = rng.standard_normal(counts.size)
        return np.clip(np.rint(counts / 2 + np.sqrt(counts) / 2 * z), 0, g).astype(np.int64)

    with pytest.raises(AssertionError, match="χ²"):
        assert_binomial(rounded, g)


def test_arrays_of_many_sizes_keep_their_shape_and_place() -> None:
    sizes = np.array([0, 1, 64, 65, 1000, 0, 10**6, 10**12])
    counts = np.tile(sizes, (2, 50_000, 1))
    before = counts.copy()
    drawn = binomial_half(counts, np.random.default_rng(3))
    np.testing.assert_array_equal(counts, before)
    assert drawn.shape == counts.shape
    assert (drawn[..., sizes == 0] == 0).all()
    flat = drawn.reshape(-1, sizes.size)[:, sizes > 0]
    g = sizes[sizes > 0]
    z = (flat.mean(axis=0) - g / 2) / np.sqrt(g / 4 / flat.shape[0])
    # 6 means and 6 variances; |z| < 5.7 has p = 1.2e-8, 12 of them 1.5e-7 < SIGNIFICANCE.
    assert np.abs(z).max() < 5.7
    # A variance of 100,000 draws is known to √(2/100,000) = 0.45 % or better: 5.7 of those.
    ratio = flat.var(axis=0) / (g / 4)
    assert np.abs(ratio - 1).max() < 5.7 * np.sqrt(2 / flat.shape[0])


def test_neighbours_are_independent() -> None:
    drawn = binomial_half(np.full((400_000, 2), 70), np.random.default_rng(4)) - 35.0
    # Correlation of 400,000 independent pairs: standard error 0.0016; 5 of them, p = 6e-7.
    assert abs(np.mean(drawn[:, 0] * drawn[:, 1]) / 17.5) < 5 / np.sqrt(400_000)


SAMPLERS = 10
"""Statistical tests of samplers in this file, at most."""


def check_uniform(size: int, omega: int, forced: int) -> None:
    """Every possible subset equally often, no other one ever."""
    words = seeded_words(np.random.default_rng(1))
    n = 100_000
    rows = random_subsets(size, omega, np.full(n, forced), words)
    counts = np.bincount(rows[:, 0].astype(np.int64), minlength=1 << size)
    expected = np.zeros(1 << size)
    for subset in combinations(range(size), omega):
        if forced < 0 or forced in subset:
            expected[sum(1 << place for place in subset)] = 1
    assert_fits(counts, expected * n / expected.sum(), SIGNIFICANCE / SAMPLERS)


COINS = [(0, 0), (1, 1), (2, 1), (2, 3), (5, 11), (1, 2)]
"""Rows that start empty, from fair and unfair coins, and full."""


@pytest.mark.parametrize("coin", COINS)
@pytest.mark.parametrize("forced", [-1, 0, 3, 6])
def test_subsets_are_uniform_whatever_they_start_from(
    coin: tuple[int, int], forced: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subsets, "best_coin", lambda size, omega: coin)
    for omega in (1, 3, 6):
        check_uniform(7, omega, forced)


def test_a_forced_bit_that_may_be_cleared_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subsets, "best_coin", lambda size, omega: (2, 3))
    right = subsets._toggle

    def forgetful(rows: Any, size: int, flips: Any, words: WordSource) -> None:
        nobody = np.full_like(flips.spared, -1)
        right(rows, size, subsets._Flips(flips.at, flips.times, nobody, flips.value), words)

    check_uniform(7, 3, 2)
    monkeypatch.setattr(subsets, "_toggle", forgetful)
    with pytest.raises(AssertionError):
        check_uniform(7, 3, 2)


@pytest.mark.parametrize(("size", "omega"), [(64, 17), (65, 1), (100, 27), (130, 64)])
def test_pairs_of_bits_in_several_words(size: int, omega: int) -> None:
    """Inclusions and pairs; 40,000 rows know a pair's probability ≈ 1/14 to 1.8 % of itself."""
    rng = np.random.default_rng(2)
    rows = random_subsets(size, omega, np.full(40_000, -1), seeded_words(rng))
    bits = unpack_bits(rows)[:, :size].astype(np.float64)
    assert (bits.sum(axis=1) == omega).all()
    assert not rows[:, -1:][rows[:, -1:] & ~full_mask(size)[-1:] != 0].any()
    one, two = omega / size, omega * (omega - 1) / (size * (size - 1))
    pairs = (bits.T @ bits / 40_000)[np.triu_indices(size, 1)]
    assert_mean(bits, np.full(size, one), np.full(size, (one * (1 - one)) ** 0.5), SIGNIFICANCE)
    limit = 6.5 * (two * (1 - two) / 40_000) ** 0.5  # 8,385 pairs: p < 8,385·8e-11 < 1e-6.
    assert np.abs(pairs - two).max() <= limit


def random_rows(n: int, size: int) -> Words:
    rng = np.random.default_rng(n)
    rows = rng.integers(0, 2**64 - 1, (n, words_for(size)), np.uint64, endpoint=True)
    return rows & full_mask(size)


def one_by_one(rows: Words, size: int) -> Ints:
    """(n, size) bits, each by a shift of its word: a route of its own."""
    bits = [(rows[:, i // 64] >> np.uint64(i % 64)) & np.uint64(1) for i in range(size)]
    return np.stack(bits, axis=1).astype(np.int64)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 14, 15, 16, 46, 100, 1001, 3000])
@pytest.mark.parametrize("size", [1, 63, 64, 65, 200])
def test_adders_count_what_single_bits_count(n: int, size: int) -> None:
    rows = random_rows(n, size)
    before, handed = rows.copy(), list[Words]()
    members = np.flatnonzero(np.arange(n) % 5 != 1)
    counts = bit_counts(rows, members, handed.append)
    bits = one_by_one(rows, size)
    np.testing.assert_array_equal(counts[:size], bits[members].sum(axis=0))
    assert not counts[size:].any()
    np.testing.assert_array_equal(rows, before)
    np.testing.assert_array_equal(np.concatenate([rows[:0], *handed]), rows[members])
    np.testing.assert_array_equal(unpack_bits(rows)[:, :size], bits)


def test_many_rows_are_counted_in_parts() -> None:
    ones = np.full((200_000, 2), full_mask(128))
    assert (bit_counts(ones, np.arange(200_000), lambda rows: None) == 200_000).all()


@pytest.mark.parametrize("size", [21, 64, 130])
def test_bits_are_set_and_cleared_where_they_belong(size: int) -> None:
    rng = np.random.default_rng(size)
    rows = random_rows(5000, size)
    bits = one_by_one(rows, size)
    at = rng.permutation(5000)[:3000]
    bit, ones = rng.integers(0, size, at.size), rng.random(at.size) < 0.5
    set_bits(rows, at, bit, ones)
    bits[at, bit] = ones
    np.testing.assert_array_equal(one_by_one(rows, size), bits)


def test_rows_and_their_probabilities_are_in_one_order() -> None:
    rows = one_by_one(every_row(5), 5)
    law = product_law([1, 2, 3, 5, 7], 11)
    assert len(rows) == len(law) == 32
    for row, numerator in zip(rows, law, strict=True):
        chances = [c if bit else 11 - c for bit, c in zip(row, (1, 2, 3, 5, 7), strict=True)]
        assert numerator == np.prod(chances)
