"""Galois response and the hyperplanes over F_q: figures, laws, and slips that are found.

The contract tests what is registered; in its small contexts the best report often names a symbol,
so that here q is given.

Fields of 2^m elements: the axioms by enumeration, and inner products by their masks.
"""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product as each_of
from typing import Any

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Floats, Ints, Words, WordSource
from caldp_core.mechanisms import ContextMechanism, catalogue
from caldp_core.mechanisms.catalogue import Galois
from caldp_core.mechanisms.oracles import hyperplanes
from caldp_core.mechanisms.oracles.galois import GaloisOracles
from caldp_core.mechanisms.oracles.hyperplanes import (
    DEGREE_MAX,
    Hyperplanes,
    Points,
    inner_product,
    inner_product_masks,
    inverse,
    modulus,
    product,
    sample_hyperplanes,
)
from caldp_core.mechanisms.oracles.supports import SupportOracles, SupportProbabilities
from caldp_core.mechanisms.randomness import COIN_ONE
from caldp_core.privacy.context import Context
from caldp_core.theory.expected_error import variance_given_people
from tests import mutants
from tests.contract import checks
from tests.mutants import coin_for, only
from tests.stats import SIGNIFICANCE, assert_fits, assert_mean
from tests.strategies import thinned

FOUR = Galois(4).family()
WIDE = Context.of(np.arange(22) % 9 // 6, np.arange(22) % 5 > 0, [1.0, 0.7])
"""Blocks of 13 and 5 hidden symbols and of 2 others each, in d = 2 digits for q = 4."""
PLAIN = Context.plain(7, 1.0)
EPSILONS = (0.01, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 8.0, 20.0)


def mechanism_of(policy: Context, oracles: Any = GaloisOracles) -> ContextMechanism:
    return ContextMechanism(policy, "galois", oracles)


def total(policy: Context, oracles: Any, p: Floats) -> float:
    return float(mechanism_of(policy, oracles).variance(p, 1).sum())


# --- promises, for fields that are given ---------------------------------------------------

PROMISES = [
    checks.check_rows,
    checks.check_audit,
    checks.check_tight,
    checks.check_unbiased,
    checks.check_variance,
    checks.check_privatize,
    checks.check_sample_tally,
]


FIELDS = [(WIDE, 2), (WIDE, 4), (PLAIN, 4), (Context.plain(9, 3.0), 8)]


@pytest.mark.parametrize(("check", "field"), thinned(PROMISES, FIELDS, one_in=2))
@pytest.mark.slow
def test_every_field_keeps_the_promises(check: Any, field: tuple[Context, int]) -> None:
    policy, q = field
    mechanism = mechanism_of(policy, Galois(q).family())
    assert mechanism.outputs > policy.k, "reports only name symbols"
    check(mechanism)


# --- figures -------------------------------------------------------------------------------


@pytest.mark.parametrize(("epsilon", "most"), [(1.0, 3.70), (2.0, 0.73), (4.0, 0.077)])
def test_the_known_figures(epsilon: float, most: float) -> None:
    """n·MSE at k = 1024 by formula; one parity fewer is told apart."""
    policy, even = Context.plain(1024, epsilon), np.full(1024, 1 / 1024)
    fewer = Galois({1.0: 4, 2.0: 8, 4.0: 64}[epsilon] // 2)
    exact, other = (
        float(variance_given_people(mechanism, even, 1).mean())
        for mechanism in (mechanism_of(policy), mechanism_of(policy, fewer.family()))
    )
    assert exact <= most
    assert other > 1.02 * exact


# --- the choice of q -----------------------------------------------------------------------


@pytest.mark.parametrize("k", [5, 40, 300, 5000])
def test_no_other_q_is_better(k: int) -> None:
    p = np.full(k, 1 / k)
    for epsilon in EPSILONS[:-1]:
        policy = Context.plain(k, epsilon)
        best = min(total(policy, Galois(1 << m).family(), p) for m in range(1, 9))
        assert total(policy, GaloisOracles, p) <= best * (1 + 1e-9)


def test_few_symbols_are_named_as_by_randomized_response() -> None:
    for size in (1, 2, 5):
        policy = Context.high_low(np.arange(9) < size, 1.3)
        direct = catalogue.in_context(policy, "randomized-response")
        assert mechanism_of(policy, FOUR if size < 5 else Galois(8).family()).exact_channel() == (
            direct.exact_channel()
        )


def test_a_q_that_is_none_is_refused() -> None:
    for q, wrong in ((1, r"in \[2, 1,024\], got 1"), (2048, "got 2048"), (12, "of two, got 12")):
        with pytest.raises(CaldpError, match=wrong):
            Galois(q)
    with pytest.raises(CaldpError, match="q = 512 would take a space of 134,217,728 points"):
        mechanism_of(Context.plain(1 << 20, 1.0), Galois(512).family())


# --- size ----------------------------------------------------------------------------------


def test_many_blocks_are_worked_on_some_at_a_time() -> None:
    """160 blocks of 600 at ε = 5 have 16,512 reports each: more than are held at once."""
    mechanism = mechanism_of(Context.block_structured(np.arange(96_000) // 600, 5.0))
    assert len(mechanism.oracles._groups) > 1  # type: ignore[attr-defined]
    rng = np.random.default_rng(7)
    people = rng.integers(0, 5, mechanism.k)
    x = np.repeat(np.arange(mechanism.k), people)
    p, per_block = people / x.size, people.reshape(-1, 600).sum(axis=1)
    deviation = np.sqrt(mechanism.variance(p, x.size))
    for tally in (
        mechanism.sample_tally(people, rng),
        mechanism.tally(mechanism.privatize(x, rng)),
    ):
        np.testing.assert_array_equal(mechanism.block_counts(tally), per_block)
        assert (np.abs(mechanism.estimate(tally) - p) <= 7.5 * deviation).all()


def test_the_form_is_that_of_the_coins() -> None:
    oracles = mechanism_of(WIDE, FOUR).oracles
    form, lie = oracles.support_form(1), Fraction(int(oracles.cover_threshold[1]), COIN_ONE)  # type: ignore[attr-defined]
    assert (form.share, form.excluded, form.included) == (Fraction(1, 4), lie, 4 - 3 * lie)


class NextPoint(GaloisOracles):
    """Everybody sends hyperplanes through the next symbol's point."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon, lambda s, _: np.where(s > 4, 2, 0))
        self._tables.masks[:] = np.roll(self._tables.masks, 1, axis=1)


class BitShort(NextPoint):
    """The last parity is forgotten: bit 1 of y is 0."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        GaloisOracles.__init__(self, sizes, epsilon, lambda s, _: np.where(s > 4, 2, 0))
        self._tables.masks[1] = 0


class NoReduction(GaloisOracles):
    """A population's tally by products of whole numbers."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon, lambda s, _: np.where(s > 4, 2, 0))

    def sample_tally(self, counts: Ints, base: Ints, rng: np.random.Generator) -> Ints:
        for group in self._groups:  # tables that others share are made before, and right
            getattr(group.space, "_place", group.masks)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(hyperplanes, "product", lambda c, v, m: c * v % (1 << m))
            return super().sample_tally(counts, base, rng)


class InPairs(NoReduction):
    """People who flip in pairs: right means, twice the variance."""

    def sample_tally(self, counts: Ints, base: Ints, rng: np.random.Generator) -> Ints:
        pairs = GaloisOracles.sample_tally(self, counts // 2, base // 2, rng)
        return 2 * pairs + GaloisOracles.sample_tally(self, counts % 2, base % 2, rng)


class IdealHashes(NoReduction):
    """Reckons with two symbols on one hyperplane in 1 of q, as if a could be 0."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon)
        prob, share, q = self.probabilities, self._share, self._values
        other = (1.0 - share) / q + share / q
        self.probabilities = SupportProbabilities(
            prob.own,
            other,
            prob.base,
            prob.own_pair,
            other,
            prob.base_pair,
            prob.own - other,
            0 * other,
        )


class NoLines(NoReduction):
    """Takes any three symbols to be on one hyperplane equally often."""

    def second_moment(self, weights: Floats, p: Floats, block_p: Floats) -> float:
        prob, shared = self.probabilities, (4.0 - 1.0) / (16.0 - 1.0)
        pair = (1.0 - self._share) * shared**2 + self._share / self._values * shared
        object.__setattr__(prob, "other_pair", pair)
        return SupportOracles.second_moment(self, weights, p, block_p)


class Lazy(NoReduction):
    """λ of Hadamard response, whatever q is."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon)
        share = 2.0 / (1.0 + np.exp(epsilon))
        self.cover_threshold: Words = np.ceil(share * COIN_ONE).astype(np.uint64)


class Unscaled(NoReduction):
    """The base distribution over points for hyperplanes: not all reports."""

    def privatize_base(self, block: Ints, words: WordSource) -> Ints:
        return self._first[block] + (words(block.size) & np.uint64(15)).astype(np.int64)


SLIPS = [
    ("next point", only("privatize", NextPoint, FOUR), checks.check_privatize),
    ("a parity short", only("privatize", BitShort, FOUR), checks.check_privatize),
    ("base of too few", only("privatize_base", Unscaled, FOUR), checks.check_privatize),
    ("no reduction", NoReduction, checks.check_sample_tally),
    ("in pairs", InPairs, checks.check_sample_tally),
    ("ideal hashes, estimate", only("estimate", IdealHashes, FOUR), checks.check_unbiased),
    ("ideal hashes, variance", only("variance", IdealHashes, FOUR), checks.check_variance),
    ("no lines", only("second_moment", NoLines, FOUR), checks.check_variance),
    ("Hadamard's λ", Lazy, checks.check_audit),
    ("coin 5 % too bold", coin_for(1.05, FOUR), checks.check_audit),
    ("coin 5 % too shy", coin_for(0.95, FOUR), checks.check_tight),
    ("swapped ε", mutants.swapped_epsilons(FOUR), checks.check_audit),
    ("no λ", mutants.without_company(FOUR), checks.check_audit),
]


@pytest.mark.parametrize(("name", "oracles", "check"), SLIPS, ids=[row[0] for row in SLIPS])
def test_slips_are_found(name: str, oracles: Any, check: Any) -> None:
    """In `WIDE`, where the right oracles pass every check (above)."""
    with pytest.raises(AssertionError):
        check(mechanism_of(WIDE, oracles))


def test_who_asks_for_a_law_of_three_symbols_gets_none() -> None:
    prob = mechanism_of(WIDE, FOUR).oracles.probabilities  # type: ignore[attr-defined]
    assert np.isnan(prob.other_pair).all()
    with pytest.raises(AssertionError):
        checks.check_variance(mechanism_of(WIDE, only("second_moment", Naive, FOUR)))


class Naive(NoReduction):
    """Sums by the formula of the other families."""

    second_moment = SupportOracles.second_moment


SPACES = [(1, 2), (1, 3), (2, 2), (2, 3), (3, 2)]
SPACE = pytest.mark.parametrize(("m", "d"), SPACES)
TINY = [(1, 2, (2, 0, 1, 1)), (1, 3, (1, 0, 0, 2)), (2, 2, (1, 0, 0, 0, 1, 0, 1))]
CASES_AT_MOST = 20


def incidence(space: Hyperplanes) -> Bools:
    """(reports, points) which points lie on which hyperplane, by its definition."""
    x, q = np.arange(space.points), space.values
    values = inner_product(space.normals[:, None], space.masks(space.points)[:, None])
    on = values == np.arange(q)[:, None, None]
    return np.asarray(on.reshape(space.reports, x.size))


@SPACE
def test_they_are_all_affine_hyperplanes_once(m: int, d: int) -> None:
    space = Hyperplanes(m, d)
    q, every = space.values, np.arange(1, space.points)
    values = inner_product(every[:, None], space.masks(space.points)[:, None])
    sets = {tuple(np.flatnonzero(row == y)) for row in values for y in range(q)}
    ours = [tuple(np.flatnonzero(row)) for row in incidence(space)]
    assert len(ours) == space.reports == q * (q**d - 1) // (q - 1)
    assert set(ours) == sets
    assert len(set(ours)) == len(ours)
    assert {len(one) for one in ours} == {q ** (d - 1)}


@SPACE
def test_two_points_share_equally_many(m: int, d: int) -> None:
    space = Hyperplanes(m, d)
    on = incidence(space).astype(np.int64)
    together, q = on.T @ on, space.values
    np.testing.assert_array_equal(together.diagonal(), space.directions)
    pairs = together[~np.eye(space.points, dtype=np.bool_)]
    np.testing.assert_array_equal(pairs, (q ** (d - 1) - 1) // (q - 1))
    np.testing.assert_allclose(pairs / space.directions, space.shared, rtol=1e-12)


@SPACE
@pytest.mark.parametrize("size", [3, 0])
def test_sums_by_transforms_are_sums(m: int, d: int, size: int) -> None:
    space = Hyperplanes(m, d)
    size = size or space.points
    on, rng = incidence(space)[:, :size], np.random.default_rng(1)
    masks = space.masks(size)
    tally = rng.integers(0, 10**12, (3, space.reports))
    through = np.rint(space.sum_by_point(tally.astype(np.float64), masks)).astype(np.int64)
    np.testing.assert_array_equal(through, tally @ on)
    few = np.zeros((3, space.reports))
    few[1, 0], few[2, [1, -1]] = 2.0, 1.0
    np.testing.assert_array_equal(space.sum_by_point(few, masks), few @ on)
    weights = rng.normal(size=(3, size))
    np.testing.assert_allclose(space.sum_by_hyperplane(weights, masks), weights @ on.T, atol=1e-12)
    np.testing.assert_array_equal(space.contains(np.arange(size), masks), on.T)


def test_points_are_hyperplanes_of_one_dimension() -> None:
    """F_4 itself: its one direction has a hyperplane for each of the four."""
    line, points = Hyperplanes(2, 1), Points(4)
    tally, weights = np.array([[3.0, 1.0, 4.0, 1.0]]), np.array([[5.0, 9.0, 2.0, 6.0]])
    for space in (line, points):
        masks = space.masks(4)
        assert (space.directions, space.reports, space.shared) == (1, 4, 0.0)
        np.testing.assert_array_equal(space.sum_by_point(tally, masks), tally)
        np.testing.assert_array_equal(space.sum_by_hyperplane(weights, masks), weights)
        np.testing.assert_array_equal(
            space.contains(np.arange(4), masks), np.eye(4, dtype=np.bool_)
        )


# --- the tally's law -----------------------------------------------------------------------


def exact_law(space: Hyperplanes, people: tuple[int, ...]) -> dict[bytes, float]:
    """Tally → probability: all choices of a direction by each person, gone through."""
    holders = np.repeat(np.arange(len(people)), people)
    on = incidence(space)
    choices = [np.flatnonzero(on[:, x]) for x in holders]
    tallies = Counter(
        np.bincount(sent, minlength=space.reports).tobytes() for sent in each_of(*choices)
    )
    return {tally: times / tallies.total() for tally, times in tallies.items()}


def draw_tallies(space: Hyperplanes, people: tuple[int, ...], times: int) -> Ints:
    """(times, reports) tallies, as many blocks at once."""
    placed = np.zeros((times, space.points), np.int64)
    placed[:, : len(people)] = people
    return sample_hyperplanes(placed, space.m, space.d, np.random.default_rng(2))


def check_law(tallies: Ints, law: dict[bytes, float]) -> None:
    counts = Counter(np.ascontiguousarray(tally).tobytes() for tally in tallies)
    assert counts.keys() <= law.keys(), "a tally that cannot be"
    observed = np.array([counts[tally] for tally in law])
    expected = len(tallies) * np.array(list(law.values()))
    assert_fits(observed, expected, SIGNIFICANCE / CASES_AT_MOST)


@pytest.mark.parametrize(("m", "d", "people"), TINY)
def test_the_tally_of_a_few_has_exactly_its_law(m: int, d: int, people: tuple[int, ...]) -> None:
    space = Hyperplanes(m, d)
    check_law(draw_tallies(space, people, 60_000), exact_law(space, people))


def test_people_one_by_one_have_the_same_law(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hyperplanes, "sample_hyperplanes", None)  # is not called
    m, d, people = TINY[2]
    space, rng = Hyperplanes(m, d), np.random.default_rng(3)
    masks = space.masks(len(people))
    many = np.tile(people, (60_000, 1))
    check_law(space.draw(many, masks, rng), exact_law(space, people))
    wrong = space.draw(many, np.roll(masks, 1, axis=1), rng)
    with pytest.raises(AssertionError):
        check_law(wrong, exact_law(space, people))


def and_for_times(scalar: Ints, vector: Ints, m: int) -> Ints:
    return scalar & vector


def whole_numbers(scalar: Ints, vector: Ints, m: int) -> Ints:
    return scalar * vector % (1 << m)


def one_more(scalar: Ints, vector: Ints, m: int) -> Ints:
    return product(scalar, vector, m) ^ 1


@pytest.mark.parametrize("wrong", [and_for_times, whole_numbers, one_more])
def test_other_products_have_another_law(
    wrong: Callable[[Ints, Ints, int], Ints], monkeypatch: pytest.MonkeyPatch
) -> None:
    space, people = Hyperplanes(2, 2), TINY[2][2]
    law = exact_law(space, people)

    def of_elements(scalar: Ints, vector: Ints, m: int, d: int = 1) -> Ints:
        return wrong(scalar, vector, m) if d == 1 else product(scalar, vector, m, d)

    monkeypatch.setattr(hyperplanes, "product", of_elements)
    with pytest.raises(AssertionError):
        check_law(draw_tallies(space, people, 60_000), law)


def test_other_shares_of_the_digits_have_another_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chances of a normal's last digit 3 % off: (1, 1, 1) and so on come too often."""

    class Bent(np.random.Generator):
        def binomial(self, n: Ints, p: float) -> Ints:  # type: ignore[override]
            return super().binomial(n, 0.97 * p)

    space, people = Hyperplanes(1, 3), TINY[1][2]
    placed = np.zeros((60_000, space.points), np.int64)
    placed[:, : len(people)] = people
    wrong = sample_hyperplanes(placed, 1, 3, Bent(np.random.PCG64(2)))
    with pytest.raises(AssertionError):
        check_law(wrong, exact_law(space, people))


def moments(space: Hyperplanes, people: Ints) -> tuple[Floats, Floats]:
    channel = incidence(space).T / space.directions
    mean = people @ channel
    return mean, np.diag(mean) - (channel.T * people) @ channel


@pytest.mark.parametrize(
    ("m", "d"), [(1, 4), (3, 2), pytest.param(2, 3, marks=pytest.mark.thorough)]
)
@pytest.mark.slow
def test_the_tally_of_many_has_the_moments_of_reports(m: int, d: int) -> None:
    space, rng = Hyperplanes(m, d), np.random.default_rng(4)
    people = rng.integers(0, 3000, space.points) * (rng.random(space.points) < 0.5)
    mean, covariance = moments(space, people)
    tallies = sample_hyperplanes(np.tile(people, (4000, 1)), m, d, rng).astype(np.float64)
    np.testing.assert_array_equal(tallies.sum(axis=1), people.sum())
    spread = np.sqrt(covariance.diagonal())
    assert_mean(tallies, mean, spread, SIGNIFICANCE / CASES_AT_MOST)
    upper = np.triu_indices(mean.size)
    products = (tallies - mean)[:, upper[0]] * (tallies - mean)[:, upper[1]]
    deviation = products.std(axis=0)
    assert_mean(products, covariance[upper], deviation, SIGNIFICANCE / CASES_AT_MOST)


@SPACE
def test_hyperplanes_through_none_of_some_points_are_counted(
    m: int, d: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where points of the block are fewer than the space has, so that some are never met.

    Point by point as well as direction by direction, in chunks of all sizes.
    """
    space = Hyperplanes(m, d)
    on, size = incidence(space), space.points - 1
    order = np.random.default_rng(m * d).permutation(size)
    expected = [int((~on[:, order[:number]].any(axis=1)).sum()) for number in range(size + 1)]
    for points in (1, 3, size):
        monkeypatch.setattr(hyperplanes, "_CHUNK", points * space.directions)
        assert space.through_none(order, space.masks(size)).tolist() == expected


@pytest.mark.parametrize(("m", "d"), [(1, 16), (3, 6), (7, 3), (10, 2)])
def test_hyperplanes_through_none_of_a_large_block_are_parallel_to_its_lines(
    m: int, d: int
) -> None:
    """A block has more than q^(d−1) points, the first: all values of ⟨a, x⟩ but where only the last
    digit of a is not 0, and then those of the points' last digits.
    """
    q, size = 1 << m, min(43_750, (1 << m * d) - 1)
    space = Hyperplanes(m, d)
    order = np.random.default_rng(m).permutation(size)
    left = space.through_none(order, space.masks(size))
    assert left[-1] == q - -(-size // q ** (d - 1))
    # Each point is the first on a share of its hyperplanes, and the first of all on every one.
    assert left[0] - left[1] == space.directions
    assert (np.diff(left) <= 0).all()
    assert (np.diff(left) >= -space.directions).all()
    # Two points share a part of their hyperplanes, whichever they are.
    assert left[0] - left[2] == round(space.directions * (2 - space.shared))


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
        for a, b in each_of(factors[d], factors[m - d])
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
