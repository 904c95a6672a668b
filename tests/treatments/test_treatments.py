"""What offices do to tables: each formula against simulation or by hand, and the errors' words."""

import math
from fractions import Fraction

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.metrics import box_error
from caldp_core.treatments.release import (
    CentralTable,
    Release,
    Rounding,
    Suppression,
    exact_release,
    larger_cells,
    table_errors,
)
from tests.stats import SIGNIFICANCE, assert_fits, assert_mean

COUNTS = np.array([0, 1, 4, 5, 9, 3, 0, 12, 2, 8])
LABELS = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2, 3])
DRAWS = 4_000


def test_larger_cells_keep_their_totals_and_spread_them_evenly() -> None:
    made = larger_cells(COUNTS, LABELS)
    assert made.estimate.tolist() == [2.5] * 4 + [4.0] * 3 + [7.0, 7.0, 8.0]
    assert made.hidden.tolist() == [True] * 9 + [False]


def test_small_counts_are_hidden_and_a_second_cell_where_one_would_be_alone() -> None:
    simple = Suppression(5).suppress_small(COUNTS, LABELS)
    assert np.flatnonzero(simple.hidden).tolist() == [1, 2, 5, 8]
    published = Suppression(5).publish(COUNTS, LABELS)
    # The smallest other count, not the 0 beside it; a group of one has no total to subtract from.
    assert np.flatnonzero(published.hidden).tolist() == [1, 2, 4, 5, 7, 8]
    assert published.totals.tolist() == [10, 12, 14, -1]
    assert published.release().estimate.tolist() == [0, 2.5, 2.5, 5, 6, 6, 0, 7, 7, 8]
    assert not Suppression(1).publish(COUNTS, LABELS).hidden.any()


def test_no_published_group_has_one_hidden_cell_alone() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        labels = rng.integers(0, 6, 30)
        table = Suppression(4).publish(rng.poisson(3.0, 30), labels)
        alone = np.bincount(labels[table.hidden], minlength=6) == 1
        assert not (alone & (np.bincount(labels, minlength=6) > 1)).any()
        assert table.hidden[table.primary].all()
        assert (table.counts >= 0).tolist() == (~table.hidden).tolist()


def test_a_hidden_cell_without_a_total_counts_as_half_of_the_threshold() -> None:
    table = Suppression(5).publish(np.array([3, 7]), np.array([0, 1]))
    assert table.release().estimate.tolist() == [2.5, 7.0]


@pytest.mark.parametrize("base", [3, 5, 10])
def test_rounding_is_what_its_law_and_variance_say(base: int) -> None:
    counts = np.arange(2 * base)
    tables = np.tile(counts, (DRAWS, 1))
    drawn = Rounding(base).draw(tables, np.random.default_rng(base)).astype(np.float64)
    for count, column in zip(counts.tolist(), drawn.T, strict=True):
        law = Rounding(base).law(count)
        assert sum(law.values()) == 1
        frequencies = np.array([(column == value).sum() for value in law])
        expected = DRAWS * np.array([float(p) for p in law.values()])
        assert_fits(frequencies, expected, SIGNIFICANCE / counts.size)
    spread = np.sqrt(Rounding(base).variance(counts))
    assert_mean(drawn, counts.astype(np.float64), spread, SIGNIFICANCE)
    with pytest.raises(AssertionError):  # 0.1 off is 4 standard errors of the mean at base 3
        assert_mean(drawn + 0.2, counts.astype(np.float64), spread, SIGNIFICANCE)


def test_central_noise_is_that_of_one_person_who_is_elsewhere() -> None:
    table = CentralTable(1.0)
    tables = np.tile(COUNTS, (DRAWS, 1))
    drawn = table.draw(tables, np.random.default_rng(5)).astype(np.float64)
    spread = np.full(COUNTS.size, np.sqrt(table.noise.variance))
    assert_mean(drawn, COUNTS.astype(np.float64), spread, SIGNIFICANCE)
    off, a = np.abs(drawn - COUNTS).ravel(), float(table.noise.alpha)
    mean_error = np.array(2 * a / (1 - a**2))
    assert_mean(off, mean_error, np.array(spread[0]), SIGNIFICANCE)
    with pytest.raises(AssertionError):  # 10 % more noise: 10 standard errors at 40,000 draws
        assert_mean(1.1 * off, mean_error, np.array(spread[0]), SIGNIFICANCE)
    z = np.arange(-400, 401)
    law = float(table.noise.alpha) ** np.abs(z)
    law /= law.sum()
    second, fourth, m = float(law @ z**2), float(law @ z**4), COUNTS.size
    wide = np.array(np.sqrt(m * (fourth - 3 * second**2) + 2 * (m * second) ** 2))
    squares = (drawn - COUNTS).sum(axis=1) ** 2
    assert_mean(squares, np.array(table.box_error(m) ** 2), wide, SIGNIFICANCE)
    with pytest.raises(AssertionError):  # 10 % more noise: 9 standard errors at 4,000 draws
        assert_mean(1.21 * squares, np.array(table.box_error(m) ** 2), wide, SIGNIFICANCE)


def test_the_best_guess_from_central_noise_is_right_as_often_as_all_outcomes_say() -> None:
    for epsilon in (0.2, 1.0, 4.0):
        table = CentralTable(epsilon)
        alpha, z = float(table.noise.alpha), np.arange(-400, 401)
        here, there = (alpha ** np.abs(z - c) for c in (1.0, 0.0))
        # The two cells: one person more in the first or in the second.
        one, other = (np.outer(a, b) for a, b in ((here, there), (there, here)))
        right = np.maximum(one, other).sum() / (one.sum() + other.sum())
        assert table.guess_accuracy == pytest.approx(right, rel=1e-9)
        assert table.guess_accuracy <= np.exp(epsilon) / (1 + np.exp(epsilon))


@pytest.mark.parametrize("epsilon", [EPSILON_MIN, 1.0, EPSILON_MAX])
def test_two_counts_that_move_together_change_odds_by_the_stated_epsilon(epsilon: float) -> None:
    assert CentralTable(epsilon).noise.alpha ** 2 >= Fraction(math.exp(-epsilon))


def test_a_noisy_table_adds_up_to_everybody_and_has_nothing_below_zero() -> None:
    made = CentralTable(0.5).publish(COUNTS, np.random.default_rng(0))
    assert made.estimate.sum() == pytest.approx(COUNTS.sum())
    assert (made.estimate >= 0).all()
    assert not made.hidden.any()


def test_errors_are_those_that_loops_find() -> None:
    domain = GridDomain(0, 0, 1, 7, 8)
    rng = np.random.default_rng(2)
    counts, guess = rng.poisson(2.0, 56), rng.poisson(2.0, 56).astype(np.float64)
    found = table_errors(counts, Release(guess, np.zeros(56, np.bool_)), 3, domain)
    small = (counts > 0) & (counts <= 3)
    away = np.abs(guess - counts)
    assert found.small == pytest.approx(away[small].mean())
    assert found.small_lost == pytest.approx(np.mean(away[small] > counts[small] / 2))
    assert found.box == box_error(counts / counts.sum(), guess / guess.sum(), domain, 5)
    shares = np.abs(guess / guess.sum() - counts / counts.sum())
    assert found.tv == pytest.approx(shares.sum() / 2)


def test_nothing_done_has_no_error_and_groups_are_the_boxes_of_a_table() -> None:
    nothing = table_errors(COUNTS, exact_release(COUNTS), 4, LABELS)
    assert (nothing.tv, nothing.cell, nothing.small, nothing.small_lost, nothing.box) == (0,) * 5
    coarse = table_errors(COUNTS, larger_cells(COUNTS, LABELS), 4, LABELS)
    assert coarse.box == pytest.approx(0.0, abs=1e-15)
    assert coarse.tv > 0.1


def test_bad_input_is_refused_in_a_sentence() -> None:
    for wrong in (lambda: Rounding(1), lambda: Suppression(0), lambda: CentralTable(0.0)):
        with pytest.raises(CaldpError, match="must be"):
            wrong()
    with pytest.raises(CaldpError, match="at least one person"):
        table_errors(
            np.zeros(2, np.int64), exact_release(np.zeros(2, np.int64)), 4, np.zeros(2, np.int64)
        )
    with pytest.raises(CaldpError, match="one number and one flag"):
        Release(np.zeros(2), np.zeros(3, np.bool_))
