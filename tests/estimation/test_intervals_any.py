"""Intervals and regions of mechanisms that tell of no blocks: by their exact variances alone."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binom, norm

from caldp_core.basics.types import Floats
from caldp_core.datasets import Cities, Geometric
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.intervals import Intervals, intervals, simultaneous
from caldp_core.experiments.regions import region_report
from caldp_core.experiments.run import Setup, prepare, run
from caldp_core.mechanisms import Tally
from caldp_core.mechanisms.catalogue import PublishedUrap, SquareWave
from caldp_core.scenarios.blocks import OneBlock, SensitiveSymbols
from caldp_core.scenarios.policies import BinaryQuestion, ContextPolicy, Line, MatrixPolicy, Streets
from caldp_core.scenarios.scenario import Scenario
from tests.products import thinned
from tests.stats import SIGNIFICANCE

PARTLY = ContextPolicy(OneBlock(), SensitiveSymbols(("0-2",)), 1.0)
N = 1000
LEAST = 0.93
"""What intervals at 0.95 hold at the least."""
INF = float("inf")
ORDER = MatrixPolicy(((0, INF, INF, INF), (1, 0, 3, INF), (1, 1, 0, 5), (0.5, 0.5, 6, 0)))
NEARLY_CLEAR = [
    Scenario(Geometric(2, 0.98), BinaryQuestion(6.0, 6.0), n=N),
    Scenario(Geometric(2, 0.9), BinaryQuestion(1.0, INF), n=N),
    Scenario(Geometric(7, 0.6), Line(4.0), n=N),
    Scenario(Geometric(30, 0.1), Line(2.0), n=N),
    Scenario(Geometric(300, 0.3), Line(2.0), n=N),  # more than are probed one by one
    Scenario(Geometric(4, 0.5), ORDER, n=N),
    Scenario(Geometric(10, 0.6), ContextPolicy(OneBlock(), epsilon=8.0), SquareWave(), n=N),
    Scenario(Geometric(6, 0.6), PARTLY, PublishedUrap(), n=N),
]
SCENARIOS = [*NEARLY_CLEAR, Scenario(Geometric(7, 0.6), Line(0.8), n=N)]


def plug_in(evidence: Evidence, level: float) -> Intervals:
    """The wrong ones: p̂ ± z·σ̂, with the exact variance at what was estimated."""
    half_width = norm.isf(0.5 * (1 - level)) * evidence.deviation
    return Intervals(evidence.unbiased - half_width, evidence.unbiased + half_width, level)


def trials_of(setup: Setup) -> int:
    """Fewer of many values: the worst of 300 is looked for, and each trial takes as much longer."""
    return 400 if setup.mechanism.k < 100 else 150


def count_hits(setup: Setup, n: int, made: Callable[[Evidence, float], Intervals]) -> Floats:
    """(k,) how many of the trials' intervals hold the true share."""
    rng, p = np.random.default_rng(12), setup.dataset.distribution
    hits = np.zeros(p.size)
    for _ in range(trials_of(setup)):
        tally = setup.mechanism.sample_tally(rng.multinomial(n, p), rng)
        found = made(Evidence.of(setup.mechanism, tally), 0.95)
        hits += (found.low <= p) & (p <= found.high)
    return hits


@pytest.mark.parametrize(("scenario", "n"), thinned(SCENARIOS, [30, 100, N], one_in=3))
def test_shares_are_held_as_often_as_is_said(scenario: Scenario, n: int) -> None:
    setup = prepare(scenario)
    limit = binom.ppf(SIGNIFICANCE / setup.mechanism.k, trials_of(setup), LEAST)
    assert count_hits(setup, n, intervals).min() > limit


@pytest.mark.parametrize("scenario", thinned([*NEARLY_CLEAR[1:], NEARLY_CLEAR[0]], one_in=2))
def test_of_few_people_plug_in_intervals_hold_too_little(scenario: Scenario) -> None:
    setup = prepare(scenario)
    limit = binom.ppf(SIGNIFICANCE / setup.mechanism.k, trials_of(setup), LEAST)
    assert count_hits(setup, 30, plug_in).min() < limit


def test_the_intervals_of_yes_and_no_mirror_each_other() -> None:
    mechanism = prepare(SCENARIOS[0]).mechanism
    for count in range(31):
        tally = Tally(np.array([30 - count, count]), 30, mechanism.fingerprint)
        found = intervals(Evidence.of(mechanism, tally))
        np.testing.assert_allclose(found.low, 1 - found.high[::-1], atol=1e-9)


def test_all_at_once_are_wider() -> None:
    setup = prepare(Scenario(Geometric(5, 0.6), Line(0.8), n=N))
    tally = setup.mechanism.sample_tally(np.full(5, 200), np.random.default_rng(0))
    evidence = Evidence.of(setup.mechanism, tally)
    one, every = intervals(evidence), simultaneous(evidence)
    assert (every.low < one.low).all()
    assert (every.high > one.high).all()
    assert evidence.block_shares.tolist() == [1.0]


def test_regions_need_no_blocks() -> None:
    setup = prepare(Scenario(Cities(), Streets(2.0, 25.0), n=10**8))
    domain = setup.dataset.domain
    inside = np.arange(domain.k) // 350 < 60
    outcome = run(setup).first
    report = region_report(setup, outcome, inside)
    assert report.exact_blocks == 0
    assert abs(report.estimate - report.truth) < 5 * report.half_width / 1.96
    assert 0 < report.half_width < 0.01 * report.truth
    whole = region_report(setup, outcome, np.ones(domain.k, np.bool_))
    assert (whole.exact_blocks, whole.half_width) == (1, 0.0)
