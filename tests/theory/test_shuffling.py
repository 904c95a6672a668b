"""Amplification by shuffling: the bounds against the exact divergence of shuffled coins."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from caldp_core.basics.errors import CaldpError
from caldp_core.theory import mixing
from caldp_core.theory.mixing import (
    Clones,
    closed_form_epsilon,
    delta_given_clones,
    numeric_epsilon,
)


def delta_after(epsilon: float, local: float, n: int) -> float:
    return Clones.of(local, n).delta(epsilon, local)


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
        assert delta_after(epsilon, local, n) >= exact * (1 - 1e-9)


def test_a_crowd_that_is_not_there_is_caught() -> None:
    """What the page shows as naive: fakes, or other blocks' people, counted as a crowd."""
    exact = shuffled_coins(0.5, 2.0, 20)
    assert delta_after(0.5, 2.0, 80) < exact


@pytest.mark.parametrize("n", [1, 5, 40])
def test_the_sum_is_the_divergence_of_the_reduction(n: int) -> None:
    for epsilon in (0.0, 0.3, 0.8):
        by_hand = clones_by_hand(epsilon, 1.0, n)
        assert delta_after(epsilon, 1.0, n) == pytest.approx(by_hand, rel=1e-8, abs=2e-12)
        assert abs(delta_after(epsilon, 1.05, n) - by_hand) > 1e-3 * by_hand


def test_more_clones_hide_better_so_ranges_may_be_taken_at_their_least() -> None:
    deltas = delta_given_clones(0.2, 1.0, np.arange(400.0))
    assert (np.diff(deltas) <= 1e-12).all()
    p = 1 / (1 + math.exp(-1.0))
    assert deltas[0] == pytest.approx(p - math.exp(0.2) * (1 - p))


@pytest.mark.parametrize("local", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("n", [10**4, 10**6, 10**9])
def test_the_numeric_bound_is_below_the_closed_form(local: float, n: int) -> None:
    assert 0 < numeric_epsilon(local, n, 1e-9) <= closed_form_epsilon(local, n, 1e-9) <= local


def test_numeric_is_where_delta_is_met() -> None:
    epsilon = numeric_epsilon(2.0, 1_000, 1e-6)
    assert delta_after(epsilon, 2.0, 1_000) <= 1e-6
    assert delta_after(0.99 * epsilon, 2.0, 1_000) > 1e-6


def test_a_crowd_of_one_hides_nobody_and_a_larger_one_more() -> None:
    assert numeric_epsilon(1.0, 1, 1e-9) == pytest.approx(1.0, abs=1e-6)
    assert closed_form_epsilon(1.0, 100, 1e-9) == 1.0
    after = [numeric_epsilon(1.0, n, 1e-9) for n in (10, 10**3, 10**5, 10**7, 10**9)]
    assert after == sorted(after, reverse=True)
    # √n: a hundred times as many people, a tenth of ε; a little less, as δ stays the same.
    assert 10 < after[3] / after[4] < 12


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


@pytest.mark.parametrize(("local", "n", "delta"), [
    (0.001, 100, 1e-9), (0.001, 500, 1e-9), (0.001, 100, 1e-15), (0.01, 100, 1e-9),
    (0.1, 200, 1e-12), (0.5, 100, 1e-6),
])  # fmt: skip
def test_numeric_is_the_epsilon_of_the_divergence_by_hand(
    local: float, n: int, delta: float
) -> None:
    """Where ε₀ is small hardly anybody is no clone, and a tail of 10⁻⁷ must not count in full."""
    found = numeric_epsilon(local, n, delta)
    assert found < 0.95 * local
    assert clones_by_hand(found, local, n) <= delta * (1 + 1e-6)
    assert clones_by_hand(0.999 * found, local, n) > delta


def test_ranges_hold_every_number_of_clones() -> None:
    clones = mixing.Clones.of(0.01, 400)
    assert clones.mass.sum() == pytest.approx(1, abs=1e-12)
    assert binom.sf(clones.least[0] - 1, 399, 2 / (math.exp(0.01) + 1)) == 1
    between = binom.cdf(clones.least[1:] - 1, 399, 2 / (math.exp(0.01) + 1))
    np.testing.assert_allclose(np.cumsum(clones.mass)[:-1], between, rtol=1e-6, atol=1e-30)
