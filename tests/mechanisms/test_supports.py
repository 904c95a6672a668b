"""Subset selection and local hashing: tallies' laws, hashes, figures and limits."""

from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.stats import hypergeom

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats, Ints, WordSource
from caldp_core.mechanisms import ContextMechanism
from caldp_core.mechanisms.oracles import subset_selection
from caldp_core.mechanisms.oracles.local_hashing import (
    LocalHashingOracles,
    best_range,
    count_hits,
    every_hash,
    least_prime,
    polynomial,
)
from caldp_core.mechanisms.oracles.local_hashing import (
    support_probabilities as local_hashing_support_probabilities,
)
from caldp_core.mechanisms.oracles.randomized_response import RandomizedResponseOracles
from caldp_core.mechanisms.oracles.subset_selection import (
    SubsetSelectionOracles,
    best_omega,
    support_probabilities,
)
from caldp_core.mechanisms.randomness import COIN_ONE, flip_coins
from caldp_core.privacy.context import Context
from caldp_core.theory.expected_error import variance_given_people
from tests.contract import checks
from tests.contract.checks import context
from tests.mutants import coin_for, only
from tests.stats import SIGNIFICANCE, assert_mean
from tests.strategies import thinned

SAMPLERS = 10
"""Statistical tests of samplers in this file, at most."""
BOTH = "blocks and sensitive set"


def mechanism_of(policy: Context, oracles: Any = SubsetSelectionOracles) -> ContextMechanism:
    return ContextMechanism(policy, "subset-selection", oracles)


# --- the tally's law -----------------------------------------------------------------------


@pytest.mark.parametrize(("first", "second"), [(1, 1), (3, 2), (5, 5), (40, 39), (250, 248)])
def test_weights_of_halves_are_hypergeometric(first: int, second: int) -> None:
    needs, reach = np.arange(first + second + 1), first + 1
    halves = np.array([first]), np.array([second])
    weights = subset_selection.halving_weights(needs, *halves, reach)[:, 0]
    taken = needs // 2 + np.arange(-reach, reach + 1)[:, None]
    expected = np.asarray(hypergeom.pmf(taken, first + second, first, needs))
    np.testing.assert_allclose(expected.sum(axis=0), 1, rtol=1e-9)
    np.testing.assert_allclose(weights / weights.sum(axis=0), expected, rtol=1e-8, atol=1e-14)


@pytest.mark.parametrize("scale", [1, 10**11])
def test_a_choice_of_people_is_uniform(scale: int) -> None:
    """Mean and covariance are multivariate hypergeometric, also where NumPy's generator ends."""
    people = np.array([3, 0, 5, 1]) * scale
    total, number = int(people.sum()), 4 * scale
    rows = np.tile(people, (4000, 1))
    rng = np.random.default_rng(5)
    chosen = subset_selection.choose(rows, np.full(4000, number), rng)
    assert (chosen.sum(axis=1) == number).all()
    assert ((chosen >= 0) & (chosen <= rows)).all()
    share = people / total
    covariance = np.diag(share) - np.outer(share, share)
    covariance *= number * (total - number) / max(total - 1, 1)
    deviation = np.sqrt(covariance.diagonal())
    assert_mean(chosen.astype(float), number * share, deviation, SIGNIFICANCE / SAMPLERS)
    off = (chosen - number * share) / np.maximum(deviation, 1)
    upper = np.triu_indices(people.size)
    products, unit = off[:, upper[0]] * off[:, upper[1]], np.maximum(deviation, 1)
    expected = (covariance / np.outer(unit, unit))[upper]
    assert_mean(products, expected, products.std(axis=0), SIGNIFICANCE / SAMPLERS)


def check_law(size: int, omega: int, uniform: int, scale: int) -> None:
    """Mean and covariance of 2,000 draws are those of independent subsets, by counting.

    A covariance of two symbols is known to 1/45 of the product of their spreads; letting all
    others lie below x changes the covariances of neighbours by their own size.
    """
    rng = np.random.default_rng(3)
    truths = scale * (np.arange(size) % 4)
    prob = support_probabilities(np.array([size]), np.array([omega]), np.zeros(1))
    own, pair = float(prob.other[0]), float(prob.other_pair[0])
    plain, plain_pair = float(prob.base[0]), float(prob.base_pair[0])
    mean = truths + own * (truths.sum() - truths) + plain * uniform
    covariance = np.zeros((size, size))
    for x in range(size):
        inside = np.where(np.arange(size) == x, 1.0, own)
        both = np.full((size, size), pair)
        both[x], both[:, x] = inside, inside
        np.fill_diagonal(both, inside)
        covariance += truths[x] * (both - np.outer(inside, inside))
    both = np.full((size, size), plain_pair)
    np.fill_diagonal(both, plain)
    covariance += uniform * (both - plain**2)
    # Blocks are drawn independently of each other: 100 pairs of them are 100 draws.
    pairs, people = np.stack([truths, truths[::-1]] * 100), np.array([uniform, 0] * 100)
    draws = np.concatenate(
        [
            subset_selection.sample_supports(pairs, people, omega, rng).reshape(100, 2, size)
            for _ in range(20)
        ]
    )
    assert (draws.sum(axis=2) == omega * (truths.sum() + np.array([uniform, 0]))).all()
    spread = np.sqrt(np.maximum(covariance.diagonal(), 0))
    first = draws[:, 0].astype(np.float64)
    assert_mean(first, mean, spread, SIGNIFICANCE / SAMPLERS)
    upper = np.triu_indices(size)
    products = (first - mean)[:, upper[0]] * (first - mean)[:, upper[1]]
    assert_mean(products, covariance[upper], products.std(axis=0), SIGNIFICANCE / SAMPLERS)


@pytest.mark.parametrize(
    ("size", "omega", "uniform", "scale"),
    [(12, 4, 30, 5), (12, 4, 0, 1), (20, 7, 10**9, 10**9), (5, 4, 7, 3), (6, 1, 20, 10)],
)
def test_the_halving_has_the_moments_of_subsets(
    size: int, omega: int, uniform: int, scale: int
) -> None:
    check_law(size, omega, uniform, scale)


def test_halves_of_which_the_first_takes_most_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = subset_selection.halving_weights

    def tilt(needs: Ints, first: Ints, second: Ints, reach: int) -> Floats:
        weights = right(needs, first, second, reach)
        return weights * 10.0 ** np.arange(len(weights))[:, None, None]  # nothing that cannot be

    monkeypatch.setattr(subset_selection, "halving_weights", tilt)
    with pytest.raises(AssertionError):
        check_law(12, 4, 30, 5)


# --- the oracles ------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.001, 0.3, 1.0, 2.5, 20.0])
def test_no_size_of_subsets_is_better(epsilon: float) -> None:
    """Total variance of one person in rationals' stead: by the exact formula at every ω."""
    for size in (2, 3, 7, 40, 201):
        sizes = np.full(size, size)
        omega = np.maximum(np.arange(size), 1)
        share = size / (size + omega * np.expm1(epsilon))
        total = support_probabilities(sizes, omega, share).total_square(sizes)
        chosen = int(best_omega(np.array([size]), np.array([epsilon]))[0])
        assert 1 <= chosen < size
        assert total[chosen] <= total.min() * (1 + 1e-12)


def test_subsets_of_one_are_randomized_response() -> None:
    policy = context(BOTH, 4.0)
    one, other = mechanism_of(policy), mechanism_of(policy, RandomizedResponseOracles)
    assert one.exact_channel() == other.exact_channel()


K_MANY = 1024
RUNS = 150
PEOPLE = 1000


@pytest.mark.slow
def test_the_known_figure() -> None:
    """n·MSE a symbol at k = 1024, ε = 1 is 3.6745."""
    mechanism = mechanism_of(Context.plain(K_MANY, 1.0))
    p = np.full(K_MANY, 1 / K_MANY)
    exact = float(variance_given_people(mechanism, p, 1).mean())
    assert exact == pytest.approx(3.6745, rel=1e-4)


def test_what_is_no_report_is_refused() -> None:
    mechanism = mechanism_of(context(BOTH, 0.1))
    good = mechanism.every_report()
    assert mechanism.tally(good).n == good.size
    for source, bits, words in [
        (0, 0, "must be subsets of 1 values in block 0"),
        (0, 7, "must be subsets of 1 values in block 0"),
        (0, 1 << 63, "beyond a block's last"),
        (-1, 1, "sources of reports"),
        (99, 0, "sources of reports"),
        (4, 1, "must hold nothing else"),
    ]:
        bad = good[:1].copy()
        bad["source"], bad["bits"] = source, bits
        with pytest.raises(CaldpError, match=words):
            mechanism.tally(bad)
    with pytest.raises(CaldpError, match="records that this mechanism makes"):
        mechanism.tally(np.arange(3))


# --- what must be rejected -----------------------------------------------------------------


class LiesWithoutTruth(SubsetSelectionOracles):
    """A uniform subset never includes the truth, though λ counts all of them."""

    def privatize(self, rank: Ints, words: WordSource) -> Any:
        block = self._block[rank]
        place = rank - self._starts[block]
        lies = flip_coins(words(rank.size), self.cover_threshold[block])
        reports = self._draw(block, np.where(lies, -1, place), words)
        again = np.flatnonzero(lies)
        while again.size:
            held = reports["bits"][again, 0] >> place[again].astype(np.uint64) & np.uint64(1)
            again = again[held == 1]
            reports[again] = self.privatize_base(block[again], words)
        return reports


class WrongSize(SubsetSelectionOracles):
    """Reckons with ω + 1."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon)
        share = self.cover_threshold / COIN_ONE
        self.probabilities = support_probabilities(sizes, np.minimum(self._omega + 1, sizes), share)


class IndependentBits(SubsetSelectionOracles):
    """Right means, but the pairs of independent bits in the variance of sums."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon)
        object.__setattr__(self.probabilities, "other_pair", self.probabilities.other**2)


SS = SubsetSelectionOracles
WRONG = [
    ("lies without truth", only("privatize", LiesWithoutTruth, SS), checks.check_privatize),
    ("ω + 1", only("estimate", WrongSize, SS), checks.check_unbiased),
    ("ω + 1 in the variance", only("variance", WrongSize, SS), checks.check_variance),
    ("independent bits", only("second_moment", IndependentBits, SS), checks.check_variance),
    ("coin 10 % too bold", only("privatize", coin_for(1.1, SS), SS), checks.check_privatize),
]


@pytest.mark.parametrize(("name", "oracles", "check"), WRONG, ids=[row[0] for row in WRONG])
@pytest.mark.slow
def test_wrong_oracles_are_rejected(name: str, oracles: Any, check: Any) -> None:
    check(mechanism_of(context("plain", 0.5)))
    with pytest.raises(AssertionError):
        check(mechanism_of(context("plain", 0.5), oracles))


OLH = LocalHashingOracles


def hashing_mechanism_of(policy: Context, oracles: Any = OLH) -> ContextMechanism:
    return ContextMechanism(policy, "local-hashing", oracles)


@pytest.mark.parametrize("prime", [3, 5, 7, 11])
def test_three_symbols_see_independent_numbers(prime: int) -> None:
    hashes = every_hash(prime)
    assert len(np.unique(hashes, axis=0)) == prime**3
    numbers = [polynomial(hashes, np.full(prime**3, x), prime) for x in range(prime)]
    for a, b, c in combinations(range(prime), 3):
        triples = numbers[a] + prime * (numbers[b] + prime * numbers[c])
        np.testing.assert_array_equal(np.bincount(triples), np.ones(prime**3))


@pytest.mark.parametrize(("prime", "g"), [(3, 2), (5, 3), (7, 4), (7, 7), (11, 5)])
def test_collisions_are_counted_for_the_hashes_in_use(prime: int, g: int) -> None:
    hashes = every_hash(prime)
    a, b, c = (polynomial(hashes, np.full(prime**3, x), prime) * g // prime for x in (0, 1, 2))
    one = np.ones(1, np.int64)
    prob = local_hashing_support_probabilities(one * prime, one * prime, one * g, np.zeros(1))
    assert prob.other[0] == pytest.approx((a == b).mean(), abs=1e-12)
    assert prob.other_pair[0] == pytest.approx(((a == b) & (b == c)).mean(), abs=1e-12)


def test_primes() -> None:
    primes = [p for p in range(2, 400) if all(p % d for d in range(2, p))]
    for size in range(2, 380):
        assert least_prime(size) == min(p for p in primes if p >= size)
    assert least_prime(0) == least_prime(1) == 1


@pytest.mark.parametrize(
    ("size", "g"),
    [(1, 1), (2, 2), (6, 3), (7, 7), (1024, 4), (32_749, 5), (40_000, 3), (40_000, 30_000)],
)
def test_stepping_counts_what_the_hashes_say(size: int, g: int) -> None:
    prime = least_prime(size)
    rng = np.random.default_rng(1)
    hashes, values = rng.integers(0, prime, (50, 3)), rng.integers(0, g, 50)
    counts = count_hits(hashes, values, prime, g, size)
    for x in {0, 1, size // 2, size - 1}:
        if x < size:
            buckets = polynomial(hashes, np.full(50, x), prime) * g // prime
            assert counts[x] == (buckets == values).sum()


@pytest.mark.parametrize("epsilon", [0.001, 0.5, 1.0, 2.5, 20.0])
def test_no_range_of_hashes_is_better(epsilon: float) -> None:
    """By the exact formula at every g. Uneven classes make the total uneven in g: 2 % are left."""
    for size in (2, 101, 1024):
        prime = np.full(least_prime(size) - 1, least_prime(size))
        g, sizes = np.arange(2, prime[0] + 1), np.full(prime.size, size)
        total = local_hashing_support_probabilities(
            sizes, prime, g, g / (g + np.expm1(epsilon))
        ).total_square(sizes)
        chosen = int(best_range(sizes[:1], prime[:1], np.array([epsilon]))[0])
        assert total[chosen - 2] <= total.min() * 1.02


class TooFewValues(OLH):
    """g = 2 whatever ε: binary local hashing."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, np.minimum(epsilon, 0.01))


def hashing_figure() -> float:
    mechanism = hashing_mechanism_of(Context.plain(1024, 1.0))
    return float(variance_given_people(mechanism, np.full(1024, 1 / 1024), 1).mean())


def test_hashing_the_known_figure() -> None:
    """n·MSE a symbol at k = 1024, ε = 1: 3.69 (4e/(e−1)² = 3.68 for ideal hashes)."""
    assert hashing_figure() == pytest.approx(4 * np.e / (np.e - 1) ** 2, rel=0.01)
    assert hashing_figure() == pytest.approx(3.69, rel=0.02)


class Streamed(OLH):
    """Draws reports one by one even where it need not."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon)
        self.n_max = 10**4


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", thinned(["plain, power of two", "single sensitive symbol"], one_in=2)
)
def test_drawn_reports_have_the_same_law(kind: str) -> None:
    checks.check_sample_tally(hashing_mechanism_of(context(kind, 1.0), Streamed))


def test_more_people_than_can_be_drawn_are_refused() -> None:
    mechanism = hashing_mechanism_of(Context.plain(1000, 1.0))
    people = np.full(1000, 10**4)
    people[0] += 1
    with pytest.raises(CaldpError, match="at most 10,000,000 people, got 10,000,001"):
        mechanism.sample_tally(people, np.random.default_rng(1))


def test_hashing_what_is_no_report_is_refused() -> None:
    mechanism = hashing_mechanism_of(context("blocks and sensitive set", 1.0))
    good = mechanism.every_report()
    assert mechanism.tally(good).n == good.size
    for field, wrong in [("source", -1), ("source", 99), ("hash", -1), ("hash", 3), ("value", 3)]:
        says = "sources of reports" if field == "source" else "must be hashes"
        for at, words in [(0, says), (-1, says if field == "source" else "must hold nothing else")]:
            bad = good[at:].copy()[:1]
            bad[field] = wrong
            with pytest.raises(CaldpError, match=words):
                mechanism.tally(bad)
    with pytest.raises(CaldpError, match="records that this mechanism makes"):
        mechanism.tally(np.arange(3))


class IdealHashes(OLH):
    """Reckons with collisions of probability 1/g, as if hashes were ideal."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon)
        ideal = self._prime * self._g
        self.probabilities = local_hashing_support_probabilities(sizes, ideal, self._g, self._share)


@cache
def right() -> ContextMechanism:
    """One for all rows: its channel is written out once (`checks.channel_of`)."""
    return hashing_mechanism_of(context("plain", 1.0))


HASHING_WRONG = [
    ("ideal hashes, estimate", only("estimate", IdealHashes, OLH), checks.check_unbiased),
    ("ideal hashes, variance", only("variance", IdealHashes, OLH), checks.check_variance),
    ("ideal hashes, sums", only("second_moment", IdealHashes, OLH), checks.check_variance),
    ("coin 5 % too bold", coin_for(1.05, OLH), checks.check_audit),
    ("coin 5 % too shy", coin_for(0.95, OLH), checks.check_tight),
]


@pytest.mark.parametrize(
    ("name", "oracles", "check"), HASHING_WRONG, ids=[row[0] for row in HASHING_WRONG]
)
def test_hashing_wrong_oracles_are_rejected(name: str, oracles: Any, check: Any) -> None:
    check(right())
    with pytest.raises(AssertionError):
        check(hashing_mechanism_of(context("plain", 1.0), oracles))
