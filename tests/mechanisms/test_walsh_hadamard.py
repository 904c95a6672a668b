"""The fast transform against the dense matrix, its stochastic twin against the enumerated law."""

from collections import Counter
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from scipy.linalg import hadamard

from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms.oracles.hadamard import fwht, stochastic_fwht
from caldp_core.mechanisms.randomness import binomial_half
from tests.products import thinned
from tests.stats import SIGNIFICANCE, assert_fits

ORDERS = tuple(2**j for j in range(13))
Transform = Callable[[Ints, np.random.Generator], Ints]


@pytest.mark.parametrize("order", ORDERS)
def test_transform_is_the_dense_product(order: int) -> None:
    values = np.random.default_rng(order).integers(-(10**6), 10**6, (3, order))
    # Whole numbers below 2^53: both routes are exact.
    expected = values @ hadamard(order, dtype=np.int64)
    np.testing.assert_array_equal(fwht(values.astype(np.float64)), expected)


@pytest.mark.parametrize("shape", [(512,), (2, 512), (2, 3, 512), (0, 512), (1, 1)])
def test_batches_transform_one_by_one(shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(1).normal(size=shape)
    before = values.copy()
    rows = [fwht(row) for row in values.reshape(-1, shape[-1])]
    expected = np.array(rows).reshape(shape)
    np.testing.assert_allclose(fwht(values), expected, rtol=0, atol=1e-10)
    np.testing.assert_array_equal(values, before)


@pytest.mark.parametrize("order", [8192, 65_536, 131_072])
def test_large_orders_have_the_right_characters_and_undo_themselves(order: int) -> None:
    rng = np.random.default_rng(2)
    y = np.arange(order)
    for row in (0, 1, order - 1, *rng.integers(0, order, 3)):
        unit = np.zeros(order)
        unit[row] = 1.0
        np.testing.assert_array_equal(fwht(unit), 1.0 - 2.0 * (np.bitwise_count(y & row) & 1))
    values = rng.integers(-1000, 1000, order).astype(np.float64)
    np.testing.assert_array_equal(fwht(fwht(values)), order * values)


def test_few_long_rows_transform_as_among_many() -> None:
    values = np.random.default_rng(4).integers(-1000, 1000, (9, 16_384)).astype(np.float64)
    np.testing.assert_array_equal(fwht(values[:3]), fwht(values)[:3])


def test_the_row_of_ones_is_the_sum() -> None:
    values = np.random.default_rng(3).normal(size=1024)
    assert fwht(values)[0] == pytest.approx(values.sum(), abs=1e-10)


def users_of(order: int, number: int, seed: int) -> list[tuple[int, int]]:
    """`number` users as (t, r): parity that the report must have, row of the user."""
    possible = [(t, r) for t in (0, 1) for r in range(order) if r or not t]
    rng = np.random.default_rng(seed)
    return [possible[int(i)] for i in rng.integers(0, len(possible), number)]


def fitting(t: int, r: int, order: int) -> list[int]:
    """The reports that a user may send."""
    return [y for y in range(order) if (r & y).bit_count() % 2 == t]


def law_of(users: list[tuple[int, int]], order: int) -> dict[tuple[int, ...], float]:
    """Probability of each tally, by going through all reports of all users."""
    choices = [fitting(t, r, order) for t, r in users]
    ways = Counter(
        tuple(int(n) for n in np.bincount(reports, minlength=order))
        for reports in product(*choices)
    )
    total = sum(ways.values())
    return {tally: number / total for tally, number in ways.items()}


def check_law(
    transform: Transform,
    users: list[tuple[int, int]],
    order: int,
    each: float,
    blocks: int = 200_000,
) -> None:
    """Tallies of that many blocks with these users each follow the enumerated law."""
    counts = np.zeros((2, order, blocks), np.int64)
    for t, r in users:
        counts[t, r] += 1
    tallies = transform(counts, np.random.default_rng(7))
    assert tallies.shape == (order, blocks)
    found = Counter(map(tuple, tallies.T.tolist()))
    law = law_of(users, order)
    assert set(found) <= set(law), "an impossible tally"
    observed = np.array([found[tally] for tally in law])
    assert_fits(observed, blocks * np.array(list(law.values())), each)


CASES = [(2, 3, 1), (2, 8, 2), (4, 2, 3), (4, 4, 4), (4, 6, 5), (8, 1, 6), (8, 3, 7), (8, 4, 8)]


@pytest.mark.parametrize("case", thinned(CASES, one_in=2))
def test_tallies_have_the_enumerated_law(case: tuple[int, int, int]) -> None:
    order, number, seed = case
    check_law(stochastic_fwht, users_of(order, number, seed), order, SIGNIFICANCE / len(CASES))


@pytest.mark.parametrize("row", range(8))
@pytest.mark.parametrize("parity", [0, 1])
def test_one_user_sends_only_what_fits(row: int, parity: int) -> None:
    if row or not parity:
        check_law(stochastic_fwht, [(parity, row)], 8, SIGNIFICANCE / 15, blocks=20_000)


def other_rows(counts: Ints, rng: np.random.Generator) -> Ints:
    """Wrong: row S−1−r for row r."""
    return stochastic_fwht(np.ascontiguousarray(counts[:, ::-1]), rng)


def reversed_bits(counts: Ints, rng: np.random.Generator) -> Ints:
    """Wrong: bits of the report in the opposite order."""
    order = counts.shape[1]
    bits = order.bit_length() - 1
    reverse = [int(f"{y:0{bits}b}"[::-1], 2) for y in range(order)]
    return stochastic_fwht(counts, rng)[reverse]


def together(counts: Ints, rng: np.random.Generator) -> Ints:
    """Wrong: right means, but all users of a row and parity send one and the same report."""
    tally = np.zeros(counts.shape[1:], np.int64)
    for t, r in product((0, 1), range(counts.shape[1])):
        one = np.zeros_like(counts)
        one[t, r] = counts[t, r] > 0
        tally += stochastic_fwht(one, rng) * counts[t, r]
    return tally


@pytest.mark.parametrize("wrong", [other_rows, reversed_bits, together])
def test_wrong_transforms_are_found(wrong: Transform) -> None:
    # These laws have other supports, or other chances by a factor and more.
    with pytest.raises(AssertionError):
        check_law(wrong, [(1, 1), (1, 1), (0, 6), (0, 0)], 8, SIGNIFICANCE, blocks=50_000)


@pytest.mark.parametrize("order", [1, 2, 64, 2048])
def test_nobody_is_lost_at_any_size(order: int) -> None:
    rng = np.random.default_rng(8)
    counts = rng.integers(0, 10**9, (2, order, 5))
    counts[1, 0] = 0
    before = counts.copy()
    tally = stochastic_fwht(counts, rng)
    np.testing.assert_array_equal(counts, before)
    np.testing.assert_array_equal(tally.sum(axis=0), counts.sum(axis=(0, 1)))
    assert tally.min() >= 0


def test_the_transform_of_a_tally_has_the_right_mean() -> None:
    # FWHT(tally)[r] is Σ over users of (−1)^popcount(r & y): exactly ±1 on a user's own row,
    # 1 on row 0 and 0 on average elsewhere, with variance at most n. 6.5 standard deviations on
    # 2047 rows of 4 blocks: p < 8188·8e-11 = 7e-7.
    rng = np.random.default_rng(9)
    counts = binomial_half(np.full((2, 2048, 4), 200), rng)
    counts[1, 0] = 0
    spectrum: Floats = fwht(stochastic_fwht(counts, rng).T.astype(np.float64)).T
    error = spectrum - (counts[0] - counts[1])
    n = counts.sum(axis=(0, 1))
    assert (np.abs(error[1:]) <= 6.5 * np.sqrt(n)).all()
    np.testing.assert_array_equal(spectrum[0], n)
