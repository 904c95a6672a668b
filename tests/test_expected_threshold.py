"""The expected error after the significance threshold against simulation, case by case."""

from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.special import ndtri

from caldp_core.basics.types import Floats
from caldp_core.estimation.estimators import SIGNIFICANCE, significant
from caldp_core.estimation.evidence import Evidence
from caldp_core.mechanisms import FAMILIES as FAMILIES_ALL
from caldp_core.mechanisms import ContextMechanism, mechanism
from caldp_core.privacy.context import Context
from caldp_core.theory.expected_error import expected_error_of
from caldp_core.theory.normal_estimates import deviations
from caldp_core.theory.threshold_bars import Bars, own_slopes, significance_bars
from caldp_core.theory.threshold_error import Kept, significance_error
from caldp_core.theory.variance import variance_given_people
from tests.contract.contexts import CONTEXTS, context

THRESHOLD = "significance-threshold"
FAMILIES = ("hadamard", "randomized-response", "oue")
"""One of each form of tally, as in test_theory.py."""


@dataclass(frozen=True)
class Case:
    """Shares fall as rank^−shape; `both`: eight blocks and a third not sensitive."""

    family: str
    k: int
    shape: float
    epsilon: float
    n: int
    both: bool = False
    runs: int = 300

    def made(self) -> ContextMechanism:
        labels = np.arange(self.k) * 8 // self.k if self.both else np.zeros(self.k, np.int64)
        flags = np.arange(self.k) % 3 > 0 if self.both else np.ones(self.k, np.bool_)
        return mechanism(Context.of(labels, flags, self.epsilon), self.family)

    def p(self) -> Floats:
        weights = np.arange(1.0, self.k + 1.0) ** -self.shape
        return np.asarray(weights / weights.sum())


CASES = {
    # A false alarm alone adds up to more than 1 and takes everything: one run in twenty.
    "noise above everything": (Case("hadamard", 200, 1, 0.1, 2000, runs=2500), (0.02, 0.2)),
    "hardly anything kept": (Case("hadamard", 1000, 1, 1.0, 2000, runs=1500), (0.05, 0.5)),
    "a few kept": (Case("hadamard", 200, 2, 2.0, 10**5), (3, 10)),
    "a few kept, k-RR": (Case("randomized-response", 200, 1, 2.0, 10**5), (3, 10)),
    "a few kept, OUE": (Case("oue", 200, 2, 2.0, 10**5), (3, 10)),
    "even shares at the bar": (Case("hadamard", 200, 0, 1.0, 10**6), (10, 50)),
    "half kept": (Case("hadamard", 1000, 1, 1.0, 10**9), (450, 600)),
    "most kept": (Case("hadamard", 1000, 1, 4.0, 10**7, both=True), (850, 950)),
    "all but a few": (Case("randomized-response", 200, 0, 1.0, 10**6, both=True), (195, 199.5)),
    "all but one": (Case("randomized-response", 1000, 1, 1.0, 10**9, both=True), (998, 999.9)),
    "all kept": (Case("hadamard", 1000, 1, 1.0, 10**9, both=True), (1000, 1000)),
    "all kept, sum tied to 1": (
        Case("randomized-response", 1000, 1, 4.0, 10**7, both=True),
        (1000, 1000),
    ),
}
"""Each with the mean number kept that makes it this case. As in test_theory.py, means within 3 %
and deviations within 25 %; cases of rare events have more runs: 100 events at the least, which
gives their deviation to 5 %."""


@cache
def simulated(case: Case) -> tuple[float, float, float]:
    """Mean and deviation of the TV, and the mean number kept."""
    made, p, rng = case.made(), case.p(), np.random.default_rng(12)
    z = -float(ndtri(SIGNIFICANCE / case.k))
    tv, number = [], []
    for _ in range(case.runs):
        seen = Evidence.of(made, made.sample_tally(rng.multinomial(case.n, p), rng))
        tv.append(0.5 * float(np.abs(significant(seen) - p).sum()))
        keep = (seen.unbiased > z * seen.deviation) & (seen.plausible > 0)
        number.append(int(keep.sum()))
    return float(np.mean(tv)), float(np.std(tv, ddof=1)), float(np.mean(number))


@pytest.mark.parametrize("name", CASES)
def test_every_case_is_that_of_simulation(name: str) -> None:
    case, (fewest, most) = CASES[name]
    made, p = case.made(), case.p()
    mean, deviation, number = simulated(case)
    assert fewest <= number <= most
    ours = significance_error(made, p, made.variance(p, case.n), case.n)
    assert ours is not None
    assert ours.tv == pytest.approx(mean, rel=0.03)
    assert ours.deviation == pytest.approx(deviation, rel=0.25)


@pytest.mark.parametrize("off", [0.9, 1.1])
@pytest.mark.parametrize("name", ["even shares at the bar", "half kept", "all but one"])
def test_a_wrong_variance_is_found(name: str, off: float) -> None:
    # Means move by 4 % and more: few that stand out far say less of the noise.
    case = CASES[name][0]
    made, p = case.made(), case.p()
    wrong = significance_error(made, p, off * made.variance(p, case.n), case.n)
    assert wrong is not None
    assert wrong.tv != pytest.approx(simulated(case)[0], rel=0.03)


SENSITIVE = Case("hadamard", 1000, 1, 1.0, 200_000)
"""Clear symbols have hardly any noise, and a bar that the noise of the hidden ones sets."""


def with_a_sensitive_set() -> ContextMechanism:
    flags = np.arange(SENSITIVE.k) % 3 > 0
    return mechanism(Context.high_low(flags, SENSITIVE.epsilon), SENSITIVE.family)


def mean_number_kept(made: ContextMechanism, p: Floats, variance: Floats, bars: Bars) -> float:
    kept = Kept.of(p, variance, made.policy.blocks, bars, np.inf)
    return float(kept.times @ kept.moments[0])


def test_bars_keep_as_many_as_the_estimator_does() -> None:
    made, p, n = with_a_sensitive_set(), SENSITIVE.p(), SENSITIVE.n
    variance, rng = made.variance(p, n), np.random.default_rng(3)
    z = -float(ndtri(SIGNIFICANCE / p.size))
    number = []
    for _ in range(100):
        seen = Evidence.of(made, made.sample_tally(rng.multinomial(n, p), rng))
        number.append(((seen.unbiased > z * seen.deviation) & (seen.plausible > 0)).sum())
    bars = significance_bars(made, p, variance, n)
    # 5 % for the approximation and for τ's curvature; the mean is known to 1 %.
    assert mean_number_kept(made, p, variance, bars) == pytest.approx(np.mean(number), rel=0.05)
    # Must fail: bars with σ at the truth instead of σ̂ at what the server thinks.
    naive = Bars(z * deviations(variance), bars.pull, bars.wobble)
    assert mean_number_kept(made, p, variance, naive) != pytest.approx(np.mean(number), rel=0.05)


@pytest.mark.parametrize("kind", CONTEXTS)
@pytest.mark.parametrize("family", FAMILIES)
def test_slopes_say_how_variances_move(family: str, kind: str) -> None:
    made, n, rng = mechanism(context(kind, 1.0), family), 1000, np.random.default_rng(4)
    p = rng.dirichlet(np.ones(made.k))
    moved = p.copy()
    hidden = made.policy.hidden()
    for block in range(made.policy.m):
        # Shares change hands within what a block hides, where the rest of a variance stays.
        same = np.flatnonzero(hidden & (made.policy.blocks == block))
        moved[same] = rng.permutation(p[same])
    clear = np.flatnonzero(~hidden)
    slopes = own_slopes(made, p, n)
    risen = n * (made.variance(moved, n) - made.variance(p, n))
    expected = slopes * (moved - p) - moved**2 + p**2
    np.testing.assert_allclose(risen, expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(
        n * made.variance(p, n)[clear], slopes[clear] * p[clear] - p[clear] ** 2, rtol=1e-9
    )


@pytest.mark.parametrize("family", FAMILIES_ALL)
def test_small_domains_of_all_kinds_have_errors_of_shares(family: str) -> None:
    # Too few symbols for the approximation, but what it gives is a TV of two distributions.
    for kind, epsilon, n in product(CONTEXTS, (0.01, 1.0, 20.0), (1, 1000, 10**12)):
        made = mechanism(context(kind, epsilon), family)
        for p in (np.full(made.k, 1 / made.k), np.eye(made.k)[0]):
            found = significance_error(made, p, made.variance(p, n), n)
            if found is not None:
                assert 0 <= found.tv <= 1, kind
                assert 0 <= found.deviation <= 0.5, kind


def test_false_alarms_alone_have_no_formula() -> None:
    even = Case("hadamard", 1000, 0, 1.0, 10_000)
    made, p = even.made(), even.p()
    assert significance_error(made, p, made.variance(p, even.n), even.n) is None


def test_certain_estimates_are_thresholded_all_the_same() -> None:
    # Nobody's symbol is hidden and the people are fixed, but σ̂ knows of people drawn only: those
    # with up to z² = 10.8 people are not significant.
    made = mechanism(Context.high_low(np.zeros(100, np.bool_), 1.0), "hadamard")
    people = np.arange(100)
    n = int(people.sum())
    p = people / n
    found = expected_error_of(made, p, variance_given_people(made, p, n), n, THRESHOLD)
    shown = significant(Evidence.of(made, made.sample_tally(people, np.random.default_rng(0))))
    assert found is not None
    assert found.tv == pytest.approx(0.5 * float(np.abs(shown - p).sum()), abs=1e-9)
    assert found.tv == pytest.approx(15 / n, rel=1e-6)
    assert found.deviation == pytest.approx(0, abs=1.5e-8)


def test_the_order_of_symbols_does_not_matter() -> None:
    case, n = Case("hadamard", 200, 1, 1.0, 10**6, both=True), 10**6
    made, p = case.made(), case.p()
    order = np.random.default_rng(5).permutation(case.k)
    policy = made.policy
    mixed = mechanism(
        Context.of(policy.blocks[order], policy.sensitive[order], policy.epsilon), "hadamard"
    )
    one = significance_error(made, p, made.variance(p, n), n)
    other = significance_error(mixed, p[order], mixed.variance(p[order], n), n)
    assert one is not None
    assert other is not None
    assert one.tv == pytest.approx(other.tv, rel=1e-9)
    assert one.deviation == pytest.approx(other.deviation, rel=1e-9)
