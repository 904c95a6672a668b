"""Attacks against brute force on small tables, and what offices do to tables."""

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

from caldp_core.attacks.reconstruction import (
    LINES,
    Noisy,
    Person,
    Rounded,
    Tables,
    direction_guess_accuracy,
    exposed_newcomers,
    fit_answers,
    move_guess_accuracy,
    noisy_move_guess_accuracy,
    place_guess_accuracy,
    publish_exact,
    reconstruct,
    rounding_recovery_chance,
    worlds,
)
from caldp_core.audit.adversary import guess_accuracy_of_rows, pair_rows
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN
from caldp_core.domain.domains import GridDomain
from caldp_core.experiments.metrics import box_error
from caldp_core.mechanisms import in_context
from caldp_core.privacy.context import Context
from caldp_core.treatments.release import (
    CentralTable,
    Rounding,
    exact_release,
    larger_cells,
    table_errors,
)
from caldp_core.treatments.suppression import (
    Sums,
    Suppression,
    bounds,
    disclosed_cells,
    published_sums_with_rule,
    solve_by_subtraction,
)
from tests.attacks.by_hand import averaged_by_hand, newcomers_by_hand, told_apart_by_hand
from tests.stats import SIGNIFICANCE, assert_fits, assert_mean


def test_a_choice_beside_very_many_people_is_made_exactly() -> None:
    table = Suppression(5).publish(np.array([3, 3_671_809]), np.zeros(2, np.int64))
    low, high = bounds(published_sums_with_rule(table))
    assert (low.tolist(), high.tolist()) == ([1.0, 3_671_808.0], [4.0, 3_671_811.0])


def test_subtraction_goes_on_from_what_it_has_found() -> None:
    members = csr_array(np.array([[1.0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1]]))
    none = np.zeros(4)
    sums = Sums(np.arange(4), members, np.array([3.0, 1, 2]), none, none + np.inf, none)
    assert solve_by_subtraction(sums).tolist() == [True, True, False, False]
    low, high = bounds(sums)
    assert disclosed_cells(low, high).tolist() == [True, True, False, False]


@pytest.mark.slow
def test_newcomers_are_exposed_where_all_tables_that_fit_agree() -> None:
    rng = np.random.default_rng(11)
    kinds = set()
    for threshold in (1, 2, 3, 5):
        for _ in range(20):
            counts = rng.poisson(rng.choice([0.7, 2.0, 4.0]), 7)
            labels = np.unique(np.sort(rng.integers(0, 4, 7)), return_inverse=True)[1]
            found = exposed_newcomers(Suppression(threshold), counts, labels).tolist()
            expected = newcomers_by_hand(threshold, counts.tolist(), labels.tolist())
            assert found == expected
            kinds |= set(found)
    assert kinds == {True, False}


def test_hiding_tells_two_places_apart_unless_both_stay_small() -> None:
    others, labels = np.array([1, 2, 1, 9, 0]), np.zeros(5, np.int64)
    for pair, right in (([0, 1], 0.5), ([0, 3], 1.0), ([0, 4], 1.0)):
        assert place_guess_accuracy(Suppression(5), others, labels, np.array(pair)) == right


def test_rounding_tells_two_places_apart_as_often_as_all_outcomes_say() -> None:
    others, labels, pair = np.array([3, 4, 7, 2]), np.array([0, 0, 1, 1]), np.array([1, 2])
    for base, ends in ((3, [1, 2]), (5, [1, 2]), (3, [0, 1])):
        worlds = [others + np.eye(4, dtype=np.int64)[cell] for cell in ends]
        one, other = ([*each.tolist(), *np.bincount(labels, each).astype(int)] for each in worlds)
        chance = place_guess_accuracy(Rounding(base), others, labels, np.array(ends))
        assert chance == pytest.approx(float(told_apart_by_hand(one, other, base)))
    assert 0.55 < place_guess_accuracy(Rounding(3), others, labels, pair) < 0.95


def test_the_way_of_one_who_moved_comes_out_as_often_as_all_outcomes_of_both_days_say() -> None:
    others, labels, ends = np.array([3, 4, 7, 2]), np.array([0, 0, 1, 1]), [0, 1]
    worlds = [others + np.eye(4, dtype=np.int64)[cell] for cell in ends]
    days = [[*each[ends].tolist(), int(each[:2].sum())] for each in worlds]
    there, back = (first + second for first, second in (days, days[::-1]))
    for base in (3, 5):
        chance = move_guess_accuracy(Rounding(base), others, labels, np.array(ends))
        assert chance == pytest.approx(float(told_apart_by_hand(there, back, base)))
        assert chance > place_guess_accuracy(Rounding(base), others, labels, np.array(ends)) + 0.01
    for threshold, right in ((2, 1.0), (5, 1.0), (20, 0.5)):
        assert move_guess_accuracy(Suppression(threshold), others, labels, np.array(ends)) == right


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_noise_tells_the_way_by_two_reports_and_no_more_than_twice_epsilon(epsilon: float) -> None:
    made = in_context(Context.plain(4, epsilon), "randomized-response")
    rows, channel = pair_rows(made, 0, 3), np.array(made.exact_channel(), np.float64)
    days = [np.outer(channel[a], channel[b]) for a, b in ((0, 3), (3, 0))]
    chance = direction_guess_accuracy(rows)
    assert chance == pytest.approx(np.maximum(*days).sum() / 2)
    assert guess_accuracy_of_rows(rows) < chance <= 1 / (1 + np.exp(-2 * epsilon))
    z = np.arange(-40, 41)
    here, away = (np.exp(-epsilon / 2 * np.abs(z - c)) for c in (1, 0))
    whole = here.sum() * away.sum()
    one, other = (np.outer(a, b).ravel() / whole for a, b in ((here, away), (away, here)))
    # Both tables' outcomes by what they say: the ratio of a table is one of five.
    levels, place = np.unique(np.round(np.log(one / other), 9), return_inverse=True)
    p, q = (np.bincount(place, row, levels.size) for row in (one, other))
    both = np.maximum(np.outer(p, q), np.outer(q, p)).sum() / 2
    assert noisy_move_guess_accuracy(CentralTable(epsilon)) == pytest.approx(both, abs=1e-6)


@pytest.mark.parametrize("pairs", [1, 2, 5])
def test_averaged_rounding_gives_the_count_as_often_as_all_outcomes_say(pairs: int) -> None:
    for base, count in ((3, 1), (5, 4), (10, 7)):
        chance = rounding_recovery_chance(Rounding(base), count, pairs)
        assert chance == pytest.approx(float(averaged_by_hand(count, base, pairs)))


def test_north_carolinas_ashe_county_comes_out_of_eighty_pairs_of_regions() -> None:
    chances = [rounding_recovery_chance(Rounding(3), 1, pairs) for pairs in (1, 5, 20, 80)]
    assert chances == pytest.approx([0.0, 0.59, 0.82, 0.99], abs=0.01)


def test_the_nearest_answers_are_as_near_as_any_of_all() -> None:
    rng = np.random.default_rng(17)
    members = rng.random((6, 8)) < 0.5
    published = rng.integers(0, 6, 6).astype(np.float64)
    found = np.abs(members @ fit_answers(members, published) - published).sum()
    every = np.array(list(itertools.product([0, 1], repeat=8)))
    assert found <= np.abs(every @ members.T - published).sum(axis=1).min() + 1e-9


def test_exact_tables_give_everybody_away_and_one_epsilon_for_all_tables_nobody() -> None:
    assert reconstruct(40, 80, publish_exact, 1).accuracy == 1.0
    assert reconstruct(40, 300, Rounded(5), 1).accuracy > 0.85
    # With ε = 1 for all 300 tables: 40 guesses, within 4.8 standard errors of a half.
    assert reconstruct(40, 300, Noisy(1.0), 1).accuracy == pytest.approx(0.5, abs=0.38)
    assert reconstruct(40, 300, Noisy(1.0), 1).error > 40


def test_the_same_seed_has_the_same_people_and_first_tables() -> None:
    few, many = (reconstruct(12, tables, publish_exact, 9) for tables in (3, 30))
    assert few.truth.tolist() == many.truth.tolist()
    assert few.truth.sum() == 6


@pytest.mark.parametrize(
    ("left_out", "solutions"), [((), 1), (("4A",), 2), (("2A", "2B"), 8), (("2A",), 1)]
)
def test_the_block_of_seven_people_has_the_printed_solutions(
    left_out: tuple[str, ...], solutions: int
) -> None:
    lines = [line for line in LINES if line.number not in left_out]
    found = worlds(Tables(tuple(line.number for line in lines)))
    assert len(found) == solutions
    assert [" ".join(map(str, each)) for each in found].count(
        "8FBS 18MWS 24FWS 30MWM 36FBM 66FBM 84MBM"
    ) == 1
    chosen: dict[str, Callable[[Person], bool]] = {
        "1A": lambda p: True,
        "2A": lambda p: p.sex == "F",
        "2B": lambda p: p.sex == "M",
        "2C": lambda p: p.race == "B",
        "2D": lambda p: p.race == "W",
        "3B": lambda p: p.married == "M",
        "4A": lambda p: p.sex + p.race == "FB",
    }
    for people in found:
        for line in lines:
            ages = [p.age for p in people if chosen[line.number](p)]
            assert len(ages) == line.count
            assert np.median(ages) == line.median
            assert np.mean(ages) == pytest.approx(line.mean, abs=0.051)


def test_too_few_lines_are_refused() -> None:
    for numbers in (("1A", "2C", "2D"), ("1A", "2C", "2D", "3B", "9Z")):
        with pytest.raises(CaldpError, match="numbers must be of 1A"):
            Tables(numbers)


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
    assert published.numbers[10:].tolist() == [10, 12, 14]
    assert published.release().estimate.tolist() == [0, 2.5, 2.5, 5, 6, 6, 0, 7, 7, 8]
    assert not Suppression(1).publish(COUNTS, LABELS).hidden.any()


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
    rest = counts % base
    spread = np.sqrt(rest * (base - rest))
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
    assert_mean(squares, np.array(m * table.noise.variance), wide, SIGNIFICANCE)
    with pytest.raises(AssertionError):  # 10 % more noise: 9 standard errors at 4,000 draws
        assert_mean(1.21 * squares, np.array(m * table.noise.variance), wide, SIGNIFICANCE)


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
    found = table_errors(counts, replace(exact_release(counts), estimate=guess), 3, domain)
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
        replace(exact_release(COUNTS), hidden=np.zeros(3, np.bool_))
