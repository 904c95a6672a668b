"""What every mechanism owes, one function a promise; each raises `AssertionError` if it is broken.

They see a mechanism from outside: its channel, its policy and its methods. `tests/test_mutants.py`
shows that each of them fails for a mechanism that breaks the promise.
"""

from typing import Final

import numpy as np

from caldp_core.audit.pairwise import exact_audit, finite_pairs
from caldp_core.basics.types import Floats, Ints, Reports
from caldp_core.mechanisms import ContextMechanism, Mechanism, Tally
from caldp_core.mechanisms.randomness.coins import COIN_ONE
from tests.stats import SIGNIFICANCE, assert_fits, assert_mean, assert_same_law

CASES_AT_MOST: Final = 1000
"""Far above the families × contexts × ε that any statistical check here runs on."""
PER_CASE: Final = SIGNIFICANCE / CASES_AT_MOST
LAW_CASES_AT_MOST: Final = 8
EXACT: Final = 1e-9
"""Relative tolerance where only floating-point rounding is between two numbers."""

REPORTS_PER_SYMBOL: Final = 60_000
"""At ε = 1 a coin for 1.05·ε has Δp = 0.0096, so the joint χ² gains 60,000·Δp²/(p(1−p)) = 28 a
symbol: 200 on 49 degrees of freedom for k = 7 in one block of order 8, where PER_CASE = 1e-9
needs 130: power 0.999."""
REPEATS: Final = 3000
"""The mean of a cell is known to 1/55 of its spread, a variance to 2.6 %: against a limit of 7
standard errors, 1/8 of a spread or 18 % of a variance wrong is found."""


def channel_of(mechanism: Mechanism) -> Floats:
    """(k, outputs) the exact channel as floats."""
    return np.array([[float(q) for q in row] for row in mechanism.exact_channel()])


def single_tallies(mechanism: Mechanism) -> list[Tally]:
    """The tally of one report, for each possible report in the order of the channel's columns."""
    reports = mechanism.every_report()
    assert len(reports) == mechanism.outputs
    return [mechanism.tally(reports[y : y + 1]) for y in range(mechanism.outputs)]


def design_of(mechanism: Mechanism) -> Ints:
    """(outputs, cells) what each possible report adds to the tally."""
    return np.stack([tally.counts for tally in single_tallies(mechanism)])


def single_estimates(mechanism: Mechanism) -> Floats:
    """(outputs, k) the estimate from one report, for each possible report."""
    return np.stack([mechanism.estimate(tally) for tally in single_tallies(mechanism)])


def columns_of(mechanism: Mechanism, reports: Reports) -> Ints:
    """(n,) the channel's column of each report; a report that is in none is an error."""
    column = {report.tobytes(): y for y, report in enumerate(mechanism.every_report())}
    as_bytes = np.ascontiguousarray(reports).view(f"V{reports.dtype.itemsize}")
    kinds, inverse = np.unique(as_bytes, return_inverse=True)
    assert all(kind.tobytes() in column for kind in kinds), "a report that is in no column"
    return np.array([column[kind.tobytes()] for kind in kinds])[inverse]


def check_rows(mechanism: Mechanism) -> None:
    """Every row of the channel is a distribution, in rationals."""
    channel = mechanism.exact_channel()
    assert len(channel) == mechanism.k
    for row in channel:
        assert len(row) == mechanism.outputs
        assert sum(row) == 1
        assert min(row) >= 0


def check_audit(mechanism: Mechanism) -> None:
    """The channel keeps the policy."""
    audit = exact_audit(mechanism)
    assert audit.holds, f"{audit}"


def check_tight(mechanism: ContextMechanism) -> None:
    """No privacy is wasted: for every finite E[x, x′] some output reaches it.

    A coin in 2^-48ths moves p/(1−p), or k-RR's a/b, by at most 2^-48·(s + e^ε + 1)²/e^ε in
    relation to itself.
    """
    channel = channel_of(mechanism)
    largest = int(mechanism.policy.block_sizes().max())
    for x, other, epsilon in finite_pairs(mechanism.policy):
        power = float(np.exp(epsilon))
        slack = (largest + power + 1) ** 2 / power / COIN_ONE
        sent = channel[other] > 0
        ratio = float((channel[x][sent] / channel[other][sent]).max())
        assert ratio >= power * (1 - slack) - 1e-14 * power, f"{x}, {other}: {ratio} of {power}"


def check_unbiased(mechanism: Mechanism) -> None:
    """Σ_y Q(y|x)·estimate(one report y) is the x-th unit vector, and estimates are linear."""
    channel, single = channel_of(mechanism), single_estimates(mechanism)
    scale = max(1.0, float(np.abs(single).max()))
    np.testing.assert_allclose(channel @ single, np.eye(mechanism.k), rtol=0, atol=EXACT * scale)
    times = np.random.default_rng(3).integers(0, 1000, mechanism.outputs)
    counts = times @ design_of(mechanism)
    tally = Tally(counts, int(times.sum()), mechanism.fingerprint)
    expected = times @ single / tally.n
    np.testing.assert_allclose(mechanism.estimate(tally), expected, rtol=0, atol=EXACT * scale)


def check_variance(mechanism: Mechanism) -> None:
    """`variance` and `sum_variance` are what the exact channel gives, for several p and n."""
    channel, single = channel_of(mechanism), single_estimates(mechanism)
    rng = np.random.default_rng(4)
    certain = np.eye(mechanism.k)[0]
    for p in (certain, *rng.dirichlet(np.full(mechanism.k, 0.5), size=3)):
        n = int(rng.integers(1, 10**6))
        square = p @ channel @ single**2
        exact = (square - p**2) / n
        rounding = EXACT * (square.max() + 1) / n
        np.testing.assert_allclose(mechanism.variance(p, n), exact, rtol=EXACT, atol=rounding)
        weights = rng.normal(size=mechanism.k)
        z2 = (single @ weights) ** 2
        exact_sum = float(p @ channel @ z2 - (p @ weights) ** 2) / n
        rounding = EXACT * float(z2.max() + 1) / n
        assert abs(mechanism.sum_variance(p, weights, n) - exact_sum) <= rounding


def check_privatize(mechanism: Mechanism) -> None:
    """Reports of shuffled people follow the exact channel (one joint chi-square)."""
    rng = np.random.default_rng(5)
    x = rng.permutation(np.repeat(np.arange(mechanism.k), REPORTS_PER_SYMBOL))
    reports = mechanism.privatize(x, rng)
    column = columns_of(mechanism, reports)
    both = np.bincount(x * mechanism.outputs + column, minlength=mechanism.k * mechanism.outputs)
    observed = both.reshape(mechanism.k, mechanism.outputs)
    assert_fits(observed, REPORTS_PER_SYMBOL * channel_of(mechanism), PER_CASE)


def people_for(mechanism: ContextMechanism) -> Ints:
    """(k,) people, uneven, and so many that every possible report is expected often."""
    power = float(np.exp(mechanism.policy.epsilon.max()))
    return (1 + np.arange(mechanism.k) % 3) * round(90 * (mechanism.k + power))


def check_sample_tally(mechanism: ContextMechanism) -> None:
    """Mean and full covariance of sampled tallies are those of independent reports.

    Given people c: reports have mean Σ c_x Q_x and covariance Σ c_x (diag Q_x − Q_x Q_xᵀ), and
    the tally is what each report adds.
    """
    channel, people = channel_of(mechanism), people_for(mechanism)
    design = design_of(mechanism)
    mean = people @ channel @ design
    of_reports = np.diag(people @ channel) - (channel.T * people) @ channel
    covariance = design.T @ of_reports @ design
    rng = np.random.default_rng(6)
    draws = np.stack([mechanism.sample_tally(people, rng).counts for _ in range(REPEATS)])
    spread = np.sqrt(np.maximum(covariance.diagonal(), 0.0))
    assert_mean(draws.astype(np.float64), mean, spread, PER_CASE)
    upper = np.triu_indices(design.shape[1])
    deviation = draws - mean
    products = deviation[:, upper[0]] * deviation[:, upper[1]]
    assert_mean(products, covariance[upper], products.std(axis=0), PER_CASE)


def check_one_law(mechanism: Mechanism, shares: Floats) -> None:
    """`sample_tally` and `tally(privatize)` of 20,000 fixed people agree in law.

    Compared are the estimates of the twelve most frequent symbols and twelve random ±1 sums of
    the tally, by 400 draws each. The limits are 0.58 standard deviations for a shift and a factor
    of 1.85 for a variance. For the Hadamard family at ε = 1, a coin for 1.05·ε moves the first
    symbol (10,000 people) by 190/130 = 1.5; for k-RR with s = 680 at ε = 7 from 6,100 to 6,900
    truths, by more than 10.
    """
    rng = np.random.default_rng(7)
    people = rng.multinomial(20_000, shares)
    x = np.repeat(np.arange(mechanism.k), people)
    cells = mechanism.sample_tally(people, rng).counts.size
    signs = rng.choice([-1.0, 1.0], size=(cells, 12))

    def numbers(tally: Tally) -> Floats:
        assert tally.n == 20_000
        return np.concatenate([mechanism.estimate(tally)[:12], tally.counts @ signs])

    sampled = np.stack([numbers(mechanism.sample_tally(people, rng)) for _ in range(400)])
    reported = np.stack([numbers(mechanism.tally(mechanism.privatize(x, rng))) for _ in range(400)])
    assert_same_law(sampled, reported, SIGNIFICANCE / LAW_CASES_AT_MOST)
