"""Intervals hold what they say, by simulation; narrower ones don't."""

from functools import cache

import numpy as np
import pytest
from scipy.stats import binom, norm

from caldp_core.errors import CaldpError
from caldp_core.evidence import Evidence
from caldp_core.intervals import intervals, simultaneous
from caldp_core.mechanisms import ContextMechanism, mechanism
from caldp_core.privacy import Context
from caldp_core.types import Floats
from tests.stats import SIGNIFICANCE

K, N, RUNS = 60, 200_000, 500
LIMIT = float(norm.isf(SIGNIFICANCE / 16))
CASES = [(f, c) for f in ("hadamard", "randomized-response") for c in ("plain", "blocks", "both")]
"""500 runs of 60 symbols know a coverage of 0.95 to about 0.0014 (measured run by run, as symbols
of one run are correlated); intervals with 0.9 of the width cover 0.922, 20 of these below."""


@cache
def setting(family: str, kind: str) -> tuple[ContextMechanism, Floats, list[Evidence]]:
    labels = np.zeros(K, np.int64) if kind == "plain" else np.arange(K) % 4
    flags = np.arange(K) % 3 > 0 if kind == "both" else np.ones(K, np.bool_)
    made = mechanism(Context.of(labels, flags, 1.0), family)
    rng = np.random.default_rng(21)
    p = rng.dirichlet(np.full(K, 2.0))
    runs = [Evidence.of(made, made.sample_tally(rng.multinomial(N, p), rng)) for _ in range(RUNS)]
    return made, p, runs


def held(p: Floats, low: Floats, high: Floats) -> Floats:
    return np.asarray((low <= p) & (p <= high), np.float64)


@pytest.mark.parametrize(("family", "kind"), CASES)
def test_each_covers_at_its_level(family: str, kind: str) -> None:
    made, p, runs = setting(family, kind)
    hidden = made.hidden_symbols
    covered, narrow = np.empty(RUNS), np.empty(RUNS)
    for run, evidence in enumerate(runs):
        ours = intervals(evidence)
        covered[run] = held(p, ours.low, ours.high)[hidden].mean()
        half = 0.9 * norm.isf(0.025) * evidence.deviation
        low, high = evidence.unbiased - half, evidence.unbiased + half
        narrow[run] = held(p, low, high)[hidden].mean()
    for found, right in ((covered, True), (narrow, False)):
        z = abs(found.mean() - 0.95) / (found.std() / np.sqrt(RUNS))
        assert (z <= LIMIT) == right, f"coverage {found.mean():.4f}, z = {z:.1f}"


@pytest.mark.parametrize("family", ["hadamard", "randomized-response"])
def test_in_the_clear_they_are_exact(family: str) -> None:
    # Clopper and Pearson cover at least at their level whatever p: summed over the binomial law.
    made = mechanism(Context.high_low(np.array([True, True, False]), 1.0), family)
    rng = np.random.default_rng(3)
    n, share = 40, float(made.clear_share[0])
    found = {}
    for _ in range(2000):
        tally = made.sample_tally(rng.multinomial(n, [0.2, 0.2, 0.6]), rng)
        ours = intervals(Evidence.of(made, tally), 0.9)
        found[int(tally.counts[-1])] = (ours.low[2], ours.high[2])
    counts = np.array(sorted(found))
    low, high = np.array([found[c] for c in counts]).T
    for p in (0.5, 0.6, 0.7):
        weights = binom.pmf(counts, n, share * p)
        assert weights.sum() > 0.98
        inside = (low <= p) & (p <= high)
        assert weights[inside].sum() >= 0.9 - (1 - weights.sum())
        # Must fail: intervals that are cut in half towards their middle.
        middle = (low + high) / 2
        shorter = (np.abs(p - middle) <= (high - low) / 4) & inside
        assert weights[shorter].sum() < 0.8


@pytest.mark.parametrize(("family", "kind"), CASES)
def test_simultaneous_ones_all_hold_at_once(family: str, kind: str) -> None:
    # All hold in at least 95 % of runs; by chance fewer than 91 % of 500 (4.8 standard errors:
    # 1e-6). Uncorrected intervals all hold in about 0.95^60 = 5 % of runs.
    _, p, runs = setting(family, kind)
    both = np.array([
        [held(p, i.low, i.high).all() for i in (simultaneous(e), intervals(e))] for e in runs
    ])  # fmt: skip
    together, single = both.mean(axis=0)
    assert together >= 0.90
    assert single < 0.5


def test_they_hold_the_estimate_and_stay_shares() -> None:
    _, _, runs = setting("hadamard", "both")
    inner, outer = intervals(runs[0], 0.9), simultaneous(runs[0], 0.9)
    assert (outer.low <= inner.low).all()
    assert (inner.high <= outer.high).all()
    assert inner.low.min() >= 0
    assert outer.high.max() <= 1
    shown = np.clip(runs[0].unbiased, 0, 1)
    assert held(shown, inner.low, inner.high).all()


def test_nobody_and_everybody_in_the_clear() -> None:
    made = mechanism(Context.high_low(np.array([True, True, False]), 20.0), "hadamard")
    none = made.sample_tally(np.array([50, 50, 0]), np.random.default_rng(0))
    ours = intervals(Evidence.of(made, none), 0.95)
    assert ours.low[2] == 0
    assert ours.high[2] == pytest.approx(1 - 0.025 ** (1 / 100), rel=1e-6)
    every = made.sample_tally(np.array([0, 0, 100]), np.random.default_rng(0))
    ours = intervals(Evidence.of(made, every), 0.95)
    assert ours.low[2] == pytest.approx(0.025 ** (1 / 100), rel=1e-6)
    assert ours.high[2] == 1


@pytest.mark.parametrize("level", [0.2, 1.0, float("nan")])
def test_levels_out_of_range_are_refused(level: float) -> None:
    _, _, runs = setting("hadamard", "plain")
    with pytest.raises(CaldpError, match="level must be a number"):
        intervals(runs[0], level)
