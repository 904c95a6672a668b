"""Random rounding whose totals agree: additive, near, right on average, and narrowing nothing."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.stats import binom

from caldp_core.basics.types import Ints
from caldp_core.release.rounding import round_table
from caldp_core.treatments.suppression import Margins, margins_of
from tests.stats import SIGNIFICANCE

BASE = 10


def tables() -> dict[str, tuple[Ints, Margins]]:
    """Counts and totals of every shape: none, nested, two kinds, a cell alone in a group."""
    rng = np.random.default_rng(1)
    first, second = np.divmod(np.arange(24), 6)
    alone = np.append(first, 4)
    zeros = np.zeros(24, np.int64)
    return {
        "total alone": (rng.integers(0, 30, 24), margins_of([zeros])),
        "groups": (rng.integers(0, 30, 24), margins_of([first])),
        "nested": (rng.integers(0, 30, 24), margins_of([first, first // 2])),
        "two kinds": (rng.integers(0, 30, 24), margins_of([first], [second])),
        "two kinds, nested": (
            rng.integers(0, 8, 24),
            margins_of([first, first // 2], [second, second // 3]),
        ),
        "a cell alone": (rng.integers(0, 30, 25), margins_of([alone], [np.append(second, 6)])),
        "few people": (rng.integers(0, 2, 24), margins_of([first], [second])),
        "multiples": (np.full(24, 20), margins_of([first], [second])),
        "one cell": (np.array([7]), margins_of([np.zeros(1, np.int64)])),
    }


@pytest.mark.parametrize("name", tables())
def test_numbers_are_the_multiples_around_and_add_up(name: str) -> None:
    counts, margins = tables()[name]
    truth = margins.numbers(counts)
    for base in (3, 5, 10, 17):
        for _ in range(10):
            rounded = round_table(counts, margins, base)
            assert (rounded % base == 0).all()
            assert (abs(rounded - truth) < base).all()
            assert (rounded[truth % base == 0] == truth[truth % base == 0]).all()
            assert (margins.numbers(rounded[: counts.size]) == rounded).all()


def ups(make: Callable[[], Ints], truth: Ints, runs: int) -> Ints:
    """How often each number goes up, of so many tables."""
    found = np.zeros(truth.size, np.int64)
    for _ in range(runs):
        found += make() > truth
    return found


def is_unbiased(times: Ints, truth: Ints, runs: int) -> bool:
    """Each number goes up with chance rest/base, at 10⁻⁶ for all numbers together."""
    tail = SIGNIFICANCE / (2 * truth.size)
    chance = truth % BASE / BASE
    low, high = binom.ppf(tail, runs, chance), binom.isf(tail, runs, chance)
    return bool(((times >= low) & (times <= high)).all())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["groups", "two kinds", "two kinds, nested"])
def test_every_number_is_right_on_average(name: str) -> None:
    """3,000 tables; a coin that is off by 0.1 is 11 standard deviations away."""
    counts, margins = tables()[name]
    truth, runs = margins.numbers(counts), 3_000
    found = ups(lambda: round_table(counts, margins, BASE), truth, runs)
    assert is_unbiased(found, truth, runs)
    near = ups(lambda: np.where(truth % BASE >= 5, truth + 1, truth), truth, runs)
    assert not is_unbiased(near, truth, runs), "rounding to the nearest is not right on average"
    off = np.random.default_rng(1).binomial(runs, truth % BASE / BASE * 0.9 + 0.1)
    assert not is_unbiased(off, truth, runs)


def narrowed(published: Ints, margins: Margins) -> int:
    """Cells that all published numbers leave fewer counts than their own does, by programs."""
    low = np.maximum(published - BASE + 1, 0)
    high = published + BASE - 1
    sums, found = margins.sums.toarray(), 0
    for cell in range(margins.levels.shape[1]):
        ends = []
        for sign in (1, -1):
            aim = np.zeros(published.size)
            aim[cell] = sign
            solved = milp(
                aim,
                integrality=np.ones(published.size, np.int64),
                bounds=Bounds(low, high),
                constraints=LinearConstraint(sums, 0, 0),
            )
            assert solved.success
            ends.append(sign * round(solved.fun))
        found += ends != [low[cell], high[cell]]
    return found


@pytest.mark.slow
def test_totals_narrow_no_cell_for_a_reader() -> None:
    """Totals with coins of their own do, and must be found."""
    names = ("groups", "nested", "two kinds", "few people")
    with_own_coins = 0
    for name, _ in itertools.product(names, range(3)):
        counts, margins = tables()[name]
        assert narrowed(round_table(counts, margins, BASE), margins) == 0
        truth, rng = margins.numbers(counts), np.random.default_rng(3)
        rest = truth % BASE
        own = truth - rest + BASE * (rng.integers(0, BASE, truth.size) < rest)
        with_own_coins += narrowed(own, margins)
    assert with_own_coins > 0


def test_totals_are_nearer_than_sums_of_cells_that_are_rounded_apart() -> None:
    """The mean error of the whole of 20 × 28 cells: some 30 people apart, some 3 together."""
    rng = np.random.default_rng(4)
    counts, blocks = rng.poisson(4, 560), np.arange(560) // 25
    margins = margins_of([blocks])
    truth = margins.numbers(counts)
    together, apart = [], []
    for _ in range(20):
        together.append(abs(round_table(counts, margins, BASE) - truth)[560:].mean())
        rest = counts % BASE
        alone = counts - rest + BASE * (rng.integers(0, BASE, 560) < rest)
        apart.append(abs(margins.numbers(alone) - truth)[560:].mean())
    assert np.mean(together) < BASE / 2
    assert np.mean(apart) > 3 * np.mean(together)
