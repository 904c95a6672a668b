"""Binomial(g, ½) for arrays: both bounds of the rejection, the formula under it, and the law."""

from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy.stats import binom

from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms.randomness import acceptance, binomial_half, log_binomial_half, squeeze
from tests.products import thinned
from tests.stats import SIGNIFICANCE, assert_fits

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


@pytest.mark.parametrize("g", [10**4, 10**6])
def test_probabilities_are_those_of_scipy(g: int) -> None:
    k = window(g)
    ours = log_binomial_half(k, np.full(k.size, float(g)))
    np.testing.assert_allclose(ours, binom.logpmf(k, g, 0.5), rtol=0, atol=1e-8)


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


@pytest.mark.parametrize("shape", [(0,), (0, 3), (1,), (32_769,)])
def test_any_shape(shape: tuple[int, ...]) -> None:
    counts = np.full(shape, 100)
    drawn = binomial_half(counts, np.random.default_rng(1))
    assert drawn.shape == shape


def test_neighbours_are_independent() -> None:
    drawn = binomial_half(np.full((400_000, 2), 70), np.random.default_rng(4)) - 35.0
    # Correlation of 400,000 independent pairs: standard error 0.0016; 5 of them, p = 6e-7.
    assert abs(np.mean(drawn[:, 0] * drawn[:, 1]) / 17.5) < 5 / np.sqrt(400_000)


def test_one_seed_gives_one_result() -> None:
    counts = np.random.default_rng(0).integers(0, 500, 10_000)
    first, again = (binomial_half(counts, np.random.default_rng(5)) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    into = np.empty_like(counts)
    assert binomial_half(counts, np.random.default_rng(5), into).base is into
    np.testing.assert_array_equal(into, first)
