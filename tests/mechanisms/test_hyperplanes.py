"""Hyperplanes over F_q: what they are, the transforms, and the exact law of their tally."""

from collections import Counter
from collections.abc import Callable
from itertools import product as each_of

import numpy as np
import pytest

from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.mechanisms.oracles import hyperplanes
from caldp_core.mechanisms.oracles.hyperplanes import (
    Hyperplanes,
    Points,
    coins_of,
    inner_product,
    product,
    sample_hyperplanes,
)
from tests.stats import SIGNIFICANCE, assert_fits, assert_mean

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


def test_the_cost_is_what_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Coins are counted as they are thrown; less than d·q^(d+1)."""
    thrown = 0

    def count_coins(counts: Ints, rng: np.random.Generator) -> Ints:
        nonlocal thrown
        thrown += counts.size
        return counts // 2

    monkeypatch.setattr(hyperplanes, "binomial_half", count_coins)
    for m, d in SPACES:
        thrown = 0
        sample_hyperplanes(np.ones((1, 1 << m * d), np.int64), m, d, np.random.default_rng(5))
        assert thrown == coins_of(m, d) < d << m * (d + 1)
    assert coins_of(2, 8) == 1_747_632
