"""Ranges for one class: exact coverage, looks in any order, enumeration, and honest reports."""

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from scipy.stats import binom

from caldp_core.basics.errors import CaldpError
from caldp_core.estimation.class_range import (
    ClassRange,
    NamingChances,
    blaker_p_values,
    epsilon_for_class,
    honest_chance,
    run_chance,
)
from tests.strategies import thinned

EPSILONS = (0.5, 1.0, 2.0, 3.0, 4.0)
SIZES = (3, 5, 7, 10, 15, 20, 25, 30, 40, 60)


def two(epsilon: float) -> NamingChances:
    return NamingChances.of_randomized_response(2, epsilon)


def subset_selection(k: int, epsilon: float) -> NamingChances:
    """Chances of subset selection (Ye, Barg 2018), by the definition: an odds ratio of e^ε."""
    size = max(1, round(k / (1 + np.exp(epsilon))))
    own = size * np.exp(epsilon) / (size * np.exp(epsilon) + k - size)
    other = (own * (size - 1) + (1 - own) * size) / (k - 1)
    return NamingChances(own, other)


CASES = [
    *(two(epsilon) for epsilon in EPSILONS),
    *(NamingChances.of_randomized_response(k, e) for k in (3, 6, 12) for e in EPSILONS),
    *(subset_selection(k, e) for k in (4, 12) for e in EPSILONS),
    *(NamingChances(1 - np.exp(-epsilon), 0.0) for epsilon in EPSILONS),
    *(NamingChances(1.0, np.exp(-epsilon)) for epsilon in EPSILONS),
]


@pytest.mark.parametrize("n", thinned(range(3, 61), one_in=8))
def test_the_range_at_the_end_holds_every_true_count_at_least_at_its_level(n: int) -> None:
    for chances in CASES:
        for level in (0.95, 1 - 0.05 / 3):
            assert ClassRange(n, chances, level).coverage().min() >= level


@pytest.mark.parametrize("n", thinned([1, 2, *SIZES], one_in=3))
def test_no_range_is_a_single_count_unless_it_is_proved(n: int) -> None:
    for chances in CASES:
        here = ClassRange(n, chances)
        for named in range(n + 1):
            low, high = here.at_end(named)
            proved = (chances.other == 0 and named == n) or (chances.own == 1 and named == 0)
            assert 0 <= low <= here.estimate(named) <= high <= n
            assert (low < high) or proved


def test_the_ranges_of_the_prototype_and_of_the_issue() -> None:
    """Figures that were computed by other code, for polls that once had a range of no width."""
    assert ClassRange(10, two(1.0)).at_end(10) == (3, 10)
    assert ClassRange(25, two(3.0)).at_end(8)[0] > 0
    low, high = ClassRange(55, two(1.0)).at_end(52)
    assert (round(100 * low / 55), high) == (75, 55)
    assert ClassRange(3, two(4.0)).at_end(3) == (1, 3)


def misses_by_enumeration(n: int, true_count: int, epsilon: float) -> Fraction:
    """The chance that the range misses: all 2^n coins, in whole numbers, and another test.

    The test is Blaker's as he defines it: the smaller tail of what was seen, and of the other tail
    as much as is not above it.
    """
    keep = Fraction(np.exp(epsilon) / (1 + np.exp(epsilon))).limit_denominator(1000)
    law_of = [[Fraction(0)] * (n + 1) for _ in range(n + 1)]
    for count in range(n + 1):
        truth = [1] * count + [0] * (n - count)
        for flips in product((0, 1), repeat=n):
            chance = Fraction(1)
            for flip in flips:
                chance *= (1 - keep) if flip else keep
            named = sum(own ^ flip for own, flip in zip(truth, flips, strict=True))
            law_of[count][named] += chance

    def p_value(law: list[Fraction], named: int) -> Fraction:
        def tail(s: int) -> Fraction:
            return min(sum(law[: s + 1], Fraction(0)), sum(law[s:], Fraction(0)))

        return sum((law[s] for s in range(n + 1) if tail(s) <= tail(named)), Fraction(0))

    here = ClassRange(n, NamingChances(float(keep), float(1 - keep)))
    for named in range(n + 1):  # a range is never narrower than what the test keeps
        low, high = here.at_end(named)
        kept = [t for t in range(n + 1) if p_value(law_of[t], named) > Fraction(1, 20)]
        average = keep * n
        if n - average <= named <= average:
            assert all(low <= t <= high for t in kept)
    law = law_of[true_count]
    outside = [s for s in range(n + 1) if not here.at_end(s)[0] <= true_count <= here.at_end(s)[1]]
    return sum((law[s] for s in outside), Fraction(0))


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_coverage_is_that_of_all_coins_written_out(epsilon: float) -> None:
    for n in (3, 5, 7):
        keep = float(Fraction(np.exp(epsilon) / (1 + np.exp(epsilon))).limit_denominator(1000))
        exact = ClassRange(n, NamingChances(keep, 1 - keep)).coverage()
        for true_count in range(n + 1):
            missed = misses_by_enumeration(n, true_count, epsilon)
            assert missed <= Fraction(1, 20)
            assert float(1 - missed) == pytest.approx(exact[true_count], abs=1e-12)


def arrivals(order: str, n: int, true_count: int, rng: np.random.Generator) -> np.ndarray:
    """(n,) truths of the phones in the order in which they report."""
    truth = np.arange(n) < true_count
    if order == "random":
        return rng.permutation(truth)
    return truth if order == "yes first" else truth[::-1]


POLLS = 10_000
MISSES_MAX = int(binom.isf(1e-6, POLLS, 0.05))
"""Of 10,000 polls with a chance of a miss of 1/20, more are missed once in a million tests."""


def simulate(order: str, epsilon: float, seed: int, polls: int) -> tuple[int, int, int]:
    """How many polls missed at the end, missed at any look, and had an open range inside."""
    rng, ranges = np.random.default_rng(seed), {n: ClassRange(n, two(epsilon)) for n in SIZES}
    at_end = at_any = inside = 0
    for _ in range(polls):
        n = int(rng.choice(SIZES))
        true_count = int(rng.integers(0, n + 1))
        truth = arrivals(order, n, true_count, rng)
        named = np.cumsum(rng.random(n) < np.where(truth, two(epsilon).own, two(epsilon).other))
        end = ranges[n].at_end(int(named[-1]))
        looks = [ranges[n].so_far(int(named[m - 1]), m) for m in range(1, n + 1)]
        at_end += not end[0] <= true_count <= end[1]
        at_any += any(not low <= true_count <= high for low, high in looks)
        for before, after in pairwise(looks):
            inside += before[0] > after[0] or before[1] < after[1]
        assert all(low < high for low, high in looks)
    return at_end, at_any, inside


@pytest.mark.parametrize(
    ("order", "epsilon"),
    thinned(["random", "yes first", "no first"], EPSILONS, one_in=5),
)
def test_ten_thousand_polls_are_missed_as_rarely_at_every_look_as_at_the_end(
    order: str, epsilon: float
) -> None:
    at_end, at_any, inside = simulate(order, epsilon, seed=5, polls=POLLS)
    assert at_any == at_end <= MISSES_MAX
    assert inside == 0


def test_a_range_of_those_who_came_fails_for_a_teacher_who_closes_when_it_suits() -> None:
    """The wrong rule must be found wrong: 30 phones, closed at the worst of all looks."""
    rng, polls, missed = np.random.default_rng(7), 500, 0
    ranges = {m: ClassRange(m, two(2.0)) for m in range(5, 31)}
    for _ in range(polls):
        truth = rng.permutation(np.arange(30) < 15)
        named = np.cumsum(rng.random(30) < np.where(truth, two(2.0).own, two(2.0).other))
        so_far = np.cumsum(truth)
        ends = {m: ranges[m].at_end(int(named[m - 1])) for m in ranges}
        missed += any(not ends[m][0] <= so_far[m - 1] <= ends[m][1] for m in ranges)
    assert missed > binom.isf(1e-6, polls, 0.05)


def test_three_answers_together_hold_at_a_level_that_is_shared_among_them() -> None:
    rng, n, polls = np.random.default_rng(11), 25, 4_000
    chances = NamingChances.of_randomized_response(3, 2.0)
    each = ClassRange(n, chances, 1 - 0.05 / 3)
    missed = 0
    for _ in range(polls):
        truth = rng.integers(0, 3, n)
        lie = rng.random(n) > chances.own
        sent = np.where(lie, (truth + rng.integers(1, 3, n)) % 3, truth)
        for answer in range(3):
            low, high = each.at_end(int((sent == answer).sum()))
            if not low <= (truth == answer).sum() <= high:
                missed += 1
                break
    assert missed <= binom.isf(1e-6, polls, 0.05)


@pytest.mark.parametrize(
    ("n", "epsilons"),
    [
        (10, (2.35, 2.90, 3.50)),
        (15, (2.05, 2.60, 3.25)),
        (20, (1.85, 2.35, 2.90)),
        (25, (1.75, 2.20, 2.70)),
        (30, (1.60, 2.00, 2.80)),
        (60, (1.20, 1.55, 2.10)),
    ],
)
def test_epsilon_follows_from_the_size_of_a_class(n: int, epsilons: tuple[float, ...]) -> None:
    """The table of the prototype, which searched every step from 0.1 on."""
    for half_width, epsilon in zip((0.20, 0.15, 0.10), epsilons, strict=True):
        assert epsilon_for_class(n, half_width, two) == epsilon
    assert epsilon_for_class(1, 0.01, lambda _: two(1.0)) is None


def test_a_class_of_five_hundred_is_computed_in_moments() -> None:
    here = ClassRange(500, two(1.0))
    low, high = here.at_end(250)
    assert low < 250 < high
    assert here.coverage().min() >= 0.95


def test_bad_input_is_one_sentence() -> None:
    for make in (
        lambda: ClassRange(0, two(1.0)),
        lambda: ClassRange(5, two(1.0), 0.2),
        lambda: NamingChances(0.2, 0.2),
        lambda: ClassRange(5, two(1.0)).so_far(3, 6),
        lambda: ClassRange(5, two(1.0)).so_far(3, 2),
        lambda: honest_chance(2, (two(1.0), two(1.0)), [0, 0, 0]),
    ):
        with pytest.raises(CaldpError):
            make()


def run_by_enumeration(n: int, length: int, chance: Fraction) -> Fraction:
    found = Fraction(0)
    for flips in product("01", repeat=n):
        if "1" * length in "".join(flips):
            hits = flips.count("1")
            found += chance**hits * (1 - chance) ** (n - hits)
    return found


def test_the_chance_of_a_run_is_that_of_all_coins_written_out() -> None:
    for n, length in ((1, 1), (5, 2), (8, 3), (10, 10), (10, 4)):
        wanted = run_by_enumeration(n, length, Fraction(3, 4))
        assert run_chance(n, length, 0.75) == pytest.approx(float(wanted), abs=1e-12)


def test_reports_that_no_honest_class_sends_are_improbable() -> None:
    both = (two(1.0), two(1.0))
    assert honest_chance(51, both, [0] * 51) == pytest.approx(4.6e-7, rel=0.05)
    assert honest_chance(60, both, [0] * 51) < 0.001  # at an open poll, too: the run
    assert honest_chance(25, both, [0] * 8 + [1] * 17) > 0.001
    assert honest_chance(10, both, []) == 1.0


@pytest.mark.parametrize("n", thinned([3, 5, 10, 20, 30, 60, 80, 200], one_in=4))
def test_honest_classes_are_accused_less_than_once_in_a_thousand(n: int) -> None:
    """Exactly, for the two totals; the runs are at most their own chance, in the worst class."""
    for epsilon in (*EPSILONS, 6.0):
        chances = two(epsilon)
        # Law of the reports by another route: two binomial distributions that are convolved.
        for true_count in {0, n // 2, n}:
            law = np.convolve(
                binom.pmf(np.arange(true_count + 1), true_count, chances.own),
                binom.pmf(np.arange(n - true_count + 1), n - true_count, chances.other),
            )
            largest = np.maximum(np.arange(n + 1), np.arange(n, -1, -1))
            by_total = 4 * binom.sf(largest - 1, n, chances.own)
            accused = float(law @ (by_total < 0.001))
            shortest = next(
                (r for r in range(1, n + 1) if 4 * run_chance(n, r, chances.own) < 0.001), None
            )
            by_run = 2 * run_chance(n, shortest, chances.own) if shortest else 0.0
            assert accused + by_run < 0.001


def stuffed(epsilon: float, true_count: int, rng: np.random.Generator) -> list[int]:
    """80 reports, of which 50 in a row are stuffed with answer 0; of the 30 honest some have it."""
    truth = rng.permutation(np.arange(30) < true_count)
    honest = np.where(rng.random(30) < two(epsilon).own, ~truth, truth).astype(int).tolist()
    start = int(rng.integers(0, 31))
    return [*honest[:start], *[0] * 50, *honest[start:]]


@pytest.mark.parametrize("epsilon", [0.5, 1.0])
def test_fifty_stuffed_reports_in_a_row_of_eighty_are_found(epsilon: float) -> None:
    rng, both = np.random.default_rng(3), (two(epsilon), two(epsilon))
    for true_count in (0, 9, 30):
        for _ in range(50):
            assert honest_chance(80, both, stuffed(epsilon, true_count, rng)) < 0.001


def test_where_epsilon_is_large_they_cannot_be_told_from_an_honest_class() -> None:
    """So a screen always says how many reports came from one address."""
    rng, both = np.random.default_rng(3), (two(2.0), two(2.0))
    found = sum(honest_chance(80, both, stuffed(2.0, 9, rng)) < 0.001 for _ in range(100))
    assert found < 20


def test_ties_count_in_full() -> None:
    even = np.full((1, 4), 0.25)
    np.testing.assert_allclose(blaker_p_values(even), [[0.5, 1.0, 1.0, 0.5]])
