"""Amplification by mixing and shuffling, against exactly shuffled reports."""

import math
from collections.abc import Iterator
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from caldp_core.basics.errors import CaldpError
from caldp_core.mechanisms.catalogue import FAMILIES, Hadamard
from caldp_core.mechanisms.catalogue import mechanism as named
from caldp_core.mechanisms.direct.few_values import BinaryMechanism, ExponentialMechanism
from caldp_core.privacy.context import Context
from caldp_core.privacy.distance import DistanceMetric
from caldp_core.privacy.matrix import BinaryPolicy, DenseMatrix
from caldp_core.theory import mixing
from caldp_core.theory.mixing import (
    BlockPairs,
    clones_delta,
    closed_form_epsilon,
    delta_given_clones,
    epsilon_after_mixing,
    epsilons_after_mixing,
    hidden_pair_delta,
    numeric_epsilon,
    open_pair_delta,
)
from tests.contract.checks import naming

OTHERS = 3
LEVEL = 1.5
SOME_OPEN = Context.of([0] * 5, [True] * 3 + [False] * 2, [LEVEL])
SPECS: dict[str, Any] = {
    **{name: entry.spec() for name, entry in FAMILIES.items()},
    "hadamard in parts": Hadamard(parts=2),
}
SMALL = (
    "hadamard",
    "hadamard in parts",
    "randomized-response",
    "oue",
    "subset-selection",
    "galois",
)
"""Local hashing has thousands of reports even here."""


def channel_of(family: str) -> Any:
    rows = SPECS[family].make(SOME_OPEN).exact_channel()
    return np.array([[float(each) for each in row] for row in rows])


def histogram_law(rows: Any, values: tuple[int, ...]) -> dict[tuple[int, ...], float]:
    """The law of how often each report is among those of these people."""
    law = {(0,) * rows.shape[1]: 1.0}
    for x in values:
        after: dict[tuple[int, ...], float] = {}
        for counts, chance in law.items():
            for y in np.flatnonzero(rows[x]).tolist():
                histogram = (*counts[:y], counts[y] + 1, *counts[y + 1 :])
                after[histogram] = after.get(histogram, 0.0) + chance * rows[x, y]
        law = after
    return law


def exact_deltas(rows: Any, epsilons: tuple[float, ...]) -> Iterator[tuple[bool, list[float]]]:
    """Of each protected value against another: whether that is open, and δ over all others."""
    k, protected = rows.shape[0], 3
    for x, other in ((0, 1), (1, 2), (0, 3)):
        worst = [0.0] * len(epsilons)
        for others in combinations_with_replacement(range(k), OTHERS):
            one, two = histogram_law(rows, (x, *others)), histogram_law(rows, (other, *others))
            for place, epsilon in enumerate(epsilons):
                power = math.exp(epsilon)
                found = sum(max(c - power * two.get(s, 0.0), 0.0) for s, c in one.items())
                worst[place] = max(worst[place], found)
        yield other >= protected, worst


@cache
def of_family(family: str) -> list[tuple[bool, list[float]]]:
    return list(exact_deltas(channel_of(family), (0.2, 0.7, 1.2)))


@pytest.mark.parametrize("family", SMALL)
def test_the_bound_is_above_all_that_exactly_shuffled_reports_show(family: str) -> None:
    found = BlockPairs.variations(SPECS[family].make(SOME_OPEN))
    hidden, named_openly = float(found.hidden[0]), float(found.open[0])
    bounds = {
        False: [hidden_pair_delta(LEVEL, hidden, OTHERS + 1)(e) for e in (0.2, 0.7, 1.2)],
        True: [open_pair_delta(LEVEL, named_openly, OTHERS + 1)(e) for e in (0.2, 0.7, 1.2)],
    }
    crowded = {
        False: [hidden_pair_delta(LEVEL, hidden, 9 * OTHERS)(e) for e in (0.2, 0.7, 1.2)],
        True: [open_pair_delta(LEVEL, named_openly, 9 * OTHERS)(e) for e in (0.2, 0.7, 1.2)],
    }
    exact = of_family(family)
    for is_open, worst in exact:
        assert all(d <= b * (1 + 1e-9) + 1e-15 for d, b in zip(worst, bounds[is_open], strict=True))
    # A crowd that is not there promises what is not so.
    assert any(
        d > c for is_open, worst in exact for d, c in zip(worst, crowded[is_open], strict=True)
    )


def test_randomized_response_is_told_exactly() -> None:
    """Its reports have the fewest likelihoods: the bound is what an attacker reaches."""
    two = named(DenseMatrix.of([[0.0, LEVEL], [LEVEL, 0.0]]), "designed").exact_channel()
    rows = np.array([[float(each) for each in row] for row in two])
    one, other = (histogram_law(rows, (x, *([0] * OTHERS))) for x in (0, 1))
    for epsilon in (0.2, 0.7):
        power = math.exp(epsilon)
        reached = max(
            sum(max(c - power * b.get(s, 0.0), 0.0) for s, c in a.items())
            for a, b in ((one, other), (other, one))
        )
        worst = hidden_pair_delta(LEVEL, math.tanh(LEVEL / 2), OTHERS + 1)(epsilon)
        assert reached <= worst <= 2 * reached


def by_hand(epsilon: float, beta: float, n: int, p: float) -> float:
    """The divergence of the module's docstring, over all M, C, A and Δ."""
    alpha, total = beta / (p - 1), 0.0
    coins = {(1, 0): (p * alpha, alpha), (0, 1): (alpha, p * alpha)}
    coins[0, 0] = (1 - (p + 1) * alpha,) * 2
    for m in range(n):
        law = [np.zeros((m + 2, m + 2)) for _ in range(2)]
        for c in range(m + 1):
            half = binom.pmf(range(c + 1), c, 0.5)
            chances = np.asarray(half) * binom.pmf(c, m, 2 * p * alpha / (1 + beta))
            for ((right, left), weights), a in product(coins.items(), range(c + 1)):
                for which in range(2):
                    law[which][a + right, c - a + left] += chances[a] * weights[which]
        part = np.maximum(law[0] - math.exp(epsilon) * law[1], 0).sum()
        total += float(binom.pmf(m, n - 1, (1 + beta) / p) * part)
    return total


def test_the_sum_is_the_divergence_of_the_reduction() -> None:
    for n, beta, epsilon in ((2, 0.2, 0.5), (12, 0.23, 0.3), (12, 0.43, 0.1)):
        right = by_hand(epsilon, beta, n, math.e)
        with naming(f"{n}, {beta}, {epsilon}"):
            assert hidden_pair_delta(1.0, beta, n)(epsilon) == pytest.approx(right, rel=1e-9)
            assert abs(by_hand(epsilon, 1.05 * beta, n, math.e) - right) > 1e-3 * right


def published(epsilon: float, beta: float, n: int) -> float:
    """The sum as the paper has it: the others lend no Q₀."""
    p = math.exp(LEVEL)
    alpha, power = beta / (p - 1), math.exp(epsilon)
    coins = {(1, 0): (p * alpha, alpha), (0, 1): (alpha, p * alpha)}
    coins[0, 0] = (1 - (p + 1) * alpha,) * 2
    law: dict[tuple[int, int], list[float]] = {}
    for c, ((right, left), weights) in product(range(n), coins.items()):
        for a in range(c + 1):
            chance = binom.pmf(c, n - 1, 2 * alpha) * binom.pmf(a, c, 0.5)
            both = law.setdefault((a + right, c - a + left), [0.0, 0.0])
            both[0] += chance * weights[0]
            both[1] += chance * weights[1]
    return sum(max(one - power * two, 0.0) for one, two in law.values())


def test_without_cover_for_the_rest_the_sum_is_below_what_four_people_show() -> None:
    """So ours has it; found by going through all reports of plain randomized response."""
    made = SPECS["randomized-response"].make(Context.plain(3, LEVEL))
    rows = np.array([[float(each) for each in row] for row in made.exact_channel()])
    one, other = histogram_law(rows, (0, 0, 0, 0)), histogram_law(rows, (1, 0, 0, 0))
    exact = sum(max(c - math.exp(1.2) * other.get(s, 0.0), 0.0) for s, c in one.items())
    beta = float(BlockPairs.variations(made).hidden[0])
    assert exact == pytest.approx(0.0592, abs=1e-4)
    assert published(1.2, beta, 4) == pytest.approx(0.0302, abs=1e-4)
    assert exact <= hidden_pair_delta(LEVEL, beta, 4)(1.2)


def bounds_of(made: Any, people: list[int], delta: float = mixing.DELTA) -> BlockPairs:
    found = epsilons_after_mixing(made, np.array(people), delta)
    assert found is not None
    return found


def test_known_figures() -> None:
    """ε₀ = 1, n = 1,000, δ = 10⁻⁶: 0.183 by clones (2021), 0.149 by stronger clones (2023)."""
    any_mechanism = numeric_epsilon(1.0, 1000, 1e-6)
    assert any_mechanism == pytest.approx(0.149, abs=5e-4)
    worst = epsilon_after_mixing(1.0, math.tanh(0.5), 1000, 1e-6)
    assert worst == pytest.approx(any_mechanism, rel=5e-3)
    for family in ("hadamard", "galois"):
        plain = Context.plain(40, 1.0)
        found = bounds_of(SPECS[family].make(plain), [1000], 1e-6)
        assert found.hidden[0] == pytest.approx(0.103, abs=1e-3)


RANDOMIZED = ((2.0, 0.24211), (4.0, 0.96402))
"""ε₀ and variation of randomized response of 20 values at ε = 2, and of two at ε = 4."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("local", "beta", "every"),
    [(*pair, 12) for pair in RANDOMIZED]
    + [pytest.param(*pair, 1, marks=pytest.mark.thorough) for pair in RANDOMIZED],
)
def test_epsilon_never_rises_with_people_nor_above_the_bound_of_clones(
    local: float, beta: float, every: int
) -> None:
    """Of 200 people 1.0 was left at ε = 2, of 500 it was 1.45."""
    numbers = [
        *range(1, 700, 7 * every),
        *np.geomspace(700, 4e5, 20).astype(int).tolist(),
        10**6,
        10**9,
    ]
    after = np.array([epsilon_after_mixing(local, beta, n, 1e-9) for n in numbers])
    openly = [mixing.epsilon_after_mixing_with_open(local, beta, n, 1e-9) for n in numbers]
    assert (np.diff(after) <= 0).all()
    assert (np.diff(openly) <= 0).all()
    assert (after <= [numeric_epsilon(local, n, 1e-9) for n in numbers]).all()
    assert after[0] == openly[0] == local


@pytest.mark.parametrize(("local", "beta"), RANDOMIZED)
@pytest.mark.parametrize("n", [60, 500, 3_000])
@pytest.mark.slow
def test_epsilon_never_rises_with_delta(local: float, beta: float, n: int) -> None:
    deltas = np.geomspace(1e-15, 0.4, 15).tolist()
    for bound in (epsilon_after_mixing, mixing.epsilon_after_mixing_with_open):
        after = [bound(local, beta, n, delta) for delta in deltas]
        assert (np.diff(after) <= 0).all()
        assert after[-1] < after[0]


@pytest.mark.parametrize(("local", "beta"), RANDOMIZED)
def test_epsilon_is_the_least_that_the_sum_allows(local: float, beta: float) -> None:
    """At 3,000 people and ε = 4 the sum allowed 1.18, and 3.92 was said."""
    for n in (400, 3_000):
        found = epsilon_after_mixing(local, beta, n, 1e-9)
        delta_of = hidden_pair_delta(local, beta, n)
        clones = numeric_epsilon(local, n, 1e-9)
        assert found in (local, clones) or delta_of(found) <= 1e-9
        assert found <= clones
        assert delta_of(found * (1 - 3e-4)) > 1e-9


def direct_encoding(k: int, level: float) -> Any:
    """(k, k) randomized response by its definition."""
    return (np.ones((k, k)) + (math.exp(level) - 1) * np.eye(k)) / (k - 1 + math.exp(level))


def parities(level: float) -> Any:
    """(3, 4) Hadamard response of three values by its definition."""
    signs = np.array([[1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]])
    return np.where(signs > 0, math.exp(level), 1.0) / (2 * (math.exp(level) + 1))


def histograms(rows: Any, values: tuple[int, ...]) -> Any:
    """The law of how often each report comes, as an array with an axis for each but the last."""
    axes = rows.shape[1] - 1
    law = np.zeros((len(values) + 1,) * axes)
    law[(0,) * axes] = 1.0
    for x in values:
        law = rows[x, -1] * law + sum(rows[x, axis] * np.roll(law, 1, axis) for axis in range(axes))
    return law


def exact_epsilons(rows: Any, n: int, delta: float) -> float:
    """The ε that n shuffled reports keep with this δ, over all values of the others."""
    pairs = [
        (histograms(rows, (0, *others)), histograms(rows, (1, *others)))
        for others in combinations_with_replacement(range(rows.shape[0]), n - 1)
    ]
    low, high = 0.0, 20.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        power = math.exp(middle)
        both = (np.maximum(a - power * b, 0).sum() for p in pairs for a, b in (p, p[::-1]))
        low, high = (low, middle) if max(both) <= delta else (middle, high)
    return high


@pytest.mark.parametrize("delta", [1e-3, 0.03])
@pytest.mark.parametrize(
    ("rows", "most"),
    [(direct_encoding(2, 1.0), 24), (direct_encoding(3, 2.0), 9), (parities(1.0), 7)],
)
def test_epsilon_is_never_below_what_exactly_shuffled_reports_show(
    rows: Any, most: int, delta: float
) -> None:
    level = math.log(rows.max() / rows.min())
    beta = abs(rows[0] - rows[1]).sum() / 2
    numbers = range(1, most, 2)
    exact = np.array([exact_epsilons(rows, n, delta) for n in numbers])
    bounds = np.array([epsilon_after_mixing(level, beta, n, delta) for n in numbers])
    crowded = np.array([epsilon_after_mixing(level, beta, 10 * n, delta) for n in numbers])
    assert (bounds >= exact - 1e-9).all()
    # More people hide more, whatever they answer; ten times as many that are not there do not.
    assert (np.diff(exact) <= 1e-9).all()
    assert (crowded < exact - 1e-3).any()


def test_two_values_differ_by_what_the_channel_says() -> None:
    for family, spec in SPECS.items():
        made = spec.make(SOME_OPEN)
        found = BlockPairs.variations(made)
        rows = np.array([[float(each) for each in row] for row in made.exact_channel()])
        apart = max(abs(rows[x] - rows[y]).sum() / 2 for x, y in ((0, 1), (0, 2), (1, 2)))
        openly = max(np.maximum(rows[x] - rows[3], 0).sum() for x in range(3))
        with naming(family):
            assert found.hidden[0] == pytest.approx(apart, rel=1e-9)
            assert found.open[0] == pytest.approx(openly, rel=1e-9)


def test_more_people_hide_more_and_an_open_value_sets_a_limit() -> None:
    policy = Context.of([0] * 5 + [1] * 3 + [2], [True] * 3 + [False] * 2 + [True] * 4, [1.0] * 3)
    made = SPECS["oue"].make(policy)
    found = [bounds_of(made, [n] * 3) for n in (1, 10, 1_000, 10**9)]
    hidden, openly = (
        np.array(each) for each in zip(*((f.hidden, f.open) for f in found), strict=True)
    )
    assert (np.diff(hidden[:, :2], axis=0) <= 0).all()
    assert (np.diff(openly[:, 0]) <= 0).all()
    assert hidden[0, 0] == openly[0, 0] == 1.0
    assert np.isnan(hidden[:, 2]).all()  # alone in its block
    assert np.isnan(openly[:, 1:]).all()
    limit = -math.log(1 - float(BlockPairs.variations(made).open[0]))
    assert openly[-1, 0] == pytest.approx(limit, rel=1e-3)
    assert hidden[-1].max(where=~np.isnan(hidden[-1]), initial=0) < 1e-3


def test_other_policies_have_the_bound_for_any_mechanism_or_none() -> None:
    scale = named(DenseMatrix.of([[0.0, 1.0], [0.5, 0.0]]), "designed")
    assert bounds_of(scale, [1000], 1e-6).hidden == pytest.approx(numeric_epsilon(1.0, 1000, 1e-6))
    one_way = named(DenseMatrix.of([[0.0, 1.0], [math.inf, 0.0]]), "designed")
    assert epsilons_after_mixing(one_way, np.array([1000])) is None
    assert mixing.rounded_down(1_999) == 1_900
    assert mixing.rounded_down(7) == 7


def test_levels_beyond_the_bounds_of_shuffling_keep_what_one_report_keeps() -> None:
    # Above 20 nothing better is proved; below 0.001 the bound of 0.001 may be above the level.
    coin = BinaryMechanism(BinaryPolicy(24.0, 3.0))
    assert bounds_of(coin, [5], 1e-9).hidden.tolist() == [24.0]
    faint = ExponentialMechanism(DistanceMetric.of(1e-4 * (1 - np.eye(3)), 1.0))
    assert bounds_of(faint, [5], 1e-9).hidden[0] == pytest.approx(1e-4)


def shuffled_coins(epsilon: float, local: float, n: int) -> float:
    """Exact δ at `epsilon` of n shuffled randomized bits: the worst over all data of the others."""
    p = 1 / (1 + math.exp(-local))
    worst = 0.0
    for ones in range(n):
        others = np.convolve(
            binom.pmf(np.arange(ones + 1), ones, p),
            binom.pmf(np.arange(n - ones), n - 1 - ones, 1 - p),
        )
        law = [np.convolve(others, [1 - chance, chance]) for chance in (p, 1 - p)]
        for one, other in (law, law[::-1]):
            worst = max(worst, float(np.maximum(one - math.exp(epsilon) * other, 0).sum()))
    return worst


def clones_by_hand(epsilon: float, local: float, n: int) -> float:
    """The divergence that the paper reduces to, summed up over all C and A."""
    p, total = 1 / (1 + math.exp(-local)), 0.0
    for c in range(n):
        half = binom.pmf(np.arange(c + 1), c, 0.5)
        own, other = np.append(0, half), np.append(half, 0)
        first, second = p * own + (1 - p) * other, (1 - p) * own + p * other
        part = np.maximum(first - math.exp(epsilon) * second, 0).sum()
        total += binom.pmf(c, n - 1, 2 / (math.exp(local) + 1)) * part
    return total


@pytest.mark.parametrize("n", [2, 20, 60])
@pytest.mark.parametrize("local", [0.5, 2.0])
def test_the_bound_is_above_the_exact_delta_of_shuffled_coins(n: int, local: float) -> None:
    for epsilon in (0.1 * local, 0.4 * local, 0.9 * local):
        exact = shuffled_coins(epsilon, local, n)
        assert clones_delta(local, n)(epsilon) >= exact * (1 - 1e-9)


def test_a_crowd_that_is_not_there_is_caught() -> None:
    """What the page shows as naive: fakes, or other blocks' people, counted as a crowd."""
    exact = shuffled_coins(0.5, 2.0, 20)
    assert clones_delta(2.0, 80)(0.5) < exact


@pytest.mark.parametrize("n", [1, 5, 40])
def test_shuffling_the_sum_is_the_divergence_of_the_reduction(n: int) -> None:
    for epsilon in (0.0, 0.3, 0.8):
        by_hand = clones_by_hand(epsilon, 1.0, n)
        assert clones_delta(1.0, n)(epsilon) == pytest.approx(by_hand, rel=1e-8, abs=2e-12)
        assert abs(clones_delta(1.05, n)(epsilon) - by_hand) > 1e-3 * by_hand


def test_more_clones_hide_better_so_ranges_may_be_taken_at_their_least() -> None:
    deltas = delta_given_clones(0.2, 1.0, np.arange(400.0))
    assert (np.diff(deltas) <= 1e-12).all()
    p = 1 / (1 + math.exp(-1.0))
    assert deltas[0] == pytest.approx(p - math.exp(0.2) * (1 - p))


@pytest.mark.parametrize("local", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("n", [10**4, 10**6, 10**9])
def test_the_numeric_bound_is_below_the_closed_form(local: float, n: int) -> None:
    assert 0 < numeric_epsilon(local, n, 1e-9) <= closed_form_epsilon(local, n, 1e-9) <= local


@pytest.mark.parametrize("local", [0.1, 1.0, 4.0, 12.0])
def test_it_never_rises_with_people_or_delta(local: float) -> None:
    """At ranges' ends, too: 1,024 clones and 2,048 are where they become wider."""
    centre = 1 + np.arange(1000, 2100, 99) / (1 - math.tanh(local / 2))
    numbers = [*range(1, 60, 2), *centre.astype(int).tolist(), *(centre + 1).astype(int).tolist()]
    numbers += np.geomspace(60, 1e12, 40).astype(int).tolist()
    after = [numeric_epsilon(local, n, 1e-9) for n in sorted(numbers)]
    assert (np.diff(after) <= 0).all()
    deltas = np.geomspace(1e-15, 0.4, 20)
    assert (np.diff([numeric_epsilon(local, 3000, float(d)) for d in deltas]) <= 0).all()


def test_bad_input_is_told() -> None:
    with pytest.raises(CaldpError, match="delta must be a number"):
        numeric_epsilon(1.0, 10, 0.0)
    with pytest.raises(CaldpError, match="epsilon must be in"):
        closed_form_epsilon(0.0, 10, 0.1)


def test_wide_ranges_cost_a_thousandth(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [(0.1, 10**4), (1.0, 10**5), (3.0, 10**7)]
    found = [mixing.numeric_epsilon(epsilon, n, 1e-9) for epsilon, n in cases]
    monkeypatch.setattr(mixing, "_clone_numbers", lambda: np.arange(2e6))
    finer = [mixing.numeric_epsilon(epsilon, n, 1e-9) for epsilon, n in cases]
    for wide, fine in zip(found, finer, strict=True):
        assert fine * (1 - 1e-6) <= wide <= 1.001 * fine


@pytest.mark.parametrize(
    ("local", "n", "delta"),
    [
        (0.001, 100, 1e-9),
        (0.001, 500, 1e-9),
        (0.001, 100, 1e-15),
        (0.01, 100, 1e-9),
        (0.1, 200, 1e-12),
        (0.5, 100, 1e-6),
    ],
)
def test_numeric_is_the_epsilon_of_the_divergence_by_hand(
    local: float, n: int, delta: float
) -> None:
    """Where ε₀ is small nearly everybody is a clone, and a tail of 10⁻⁷ must not count in full."""
    found = numeric_epsilon(local, n, delta)
    assert found < 0.95 * local
    assert clones_by_hand(found, local, n) <= delta * (1 + 1e-6)
    assert clones_by_hand(0.999 * found, local, n) > delta


def test_ranges_hold_every_number_of_clones() -> None:
    least, mass = mixing.clone_ranges(0.01, 400)
    assert mass.sum() == pytest.approx(1, abs=1e-12)
    assert binom.sf(least[0] - 1, 399, 2 / (math.exp(0.01) + 1)) == 1
    between = binom.cdf(least[1:] - 1, 399, 2 / (math.exp(0.01) + 1))
    np.testing.assert_allclose(np.cumsum(mass)[:-1], between, rtol=1e-6, atol=1e-30)
