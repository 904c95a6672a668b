"""Intervals of what was picked by looking stay honest, for cells and boxes; plain ones do not."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binom, norm

from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.datasets import Zipf
from caldp_core.domain.grid import GridDomain
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.intervals import Intervals, _limits, _Tails, intervals, ranges
from caldp_core.experiments.regions import number_of_boxes, region_report
from caldp_core.experiments.run import prepare, run_trial
from caldp_core.mechanisms import catalogue
from caldp_core.privacy.context import Context
from caldp_core.scenarios.blocks import OneBlock
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from tests.stats import SIGNIFICANCE

RUNS = 60
PEOPLE = np.repeat([5500, 0], [200, 1800])
"""A tenth of 2,000 values are held, by 2.7 standard deviations of their noise."""


MECHANISM = catalogue.in_context(Context.plain(PEOPLE.size, 1.0), "galois")
LOOKED_AT = (1, 10, 50, 200)


def misses_of_the_highest(
    people: Ints, seed: int, ends: Callable[[Evidence, Floats], Intervals]
) -> Floats:
    """(4,) share of the `LOOKED_AT` highest shares whose range misses, mean of `RUNS`."""
    truth, rng = people / people.sum(), np.random.default_rng(seed)
    missed = np.zeros((RUNS, len(LOOKED_AT)))
    for run in range(RUNS):
        evidence = Evidence.of(MECHANISM, MECHANISM.sample_tally(people, rng))
        shares = evidence.plausible
        found = ends(evidence, shares)
        misses = (truth < found.low) | (truth > found.high)
        order = np.argsort(-shares)
        missed[run] = [misses[order[:highest]].mean() for highest in LOOKED_AT]
    return missed.mean(axis=0)


def plain(evidence: Evidence, shares: Floats) -> Intervals:
    return intervals(evidence).around(shares)


def ranked_upside_down(evidence: Evidence, shares: Floats) -> Intervals:
    return Intervals(*_limits(evidence, _Tails.by_rank(-shares, 0.025)), 0.95)


ALIKE = pytest.param(np.full(2000, 550), id="all alike", marks=pytest.mark.thorough)


@pytest.mark.parametrize("held", [pytest.param(PEOPLE, id="a tenth"), ALIKE])
def test_ranges_of_the_highest_hold_however_many_one_looks_at(held: Ints) -> None:
    # A mean of 60 runs of R ranges of which a share of at most 0.05 misses spreads by less than
    # √(0.05·0.95/60) = 0.028 (R = 1) and, nearly independent, 0.028/√R. Significance 10⁻⁶: 4.8.
    most = 0.05 + 4.8 * 0.028 / np.sqrt(np.minimum(LOOKED_AT, 50))
    assert (misses_of_the_highest(held, 8, ranges) < most).all()
    for wrong in (plain, ranked_upside_down):
        assert (misses_of_the_highest(held, 8, wrong) > most).any()


def test_ends_are_those_of_the_rank() -> None:
    people = np.random.default_rng(5).multinomial(10**6, np.full(40, 1 / 40))
    mechanism = catalogue.in_context(Context.plain(40, 1.0), "oue")
    evidence = Evidence.of(mechanism, mechanism.sample_tally(people, np.random.default_rng(6)))
    shares, order = evidence.unbiased, np.argsort(-evidence.unbiased)
    ours = ranges(evidence, shares, 0.9)
    for rank in (1, 2, 20, 40):
        lower, upper = (intervals(evidence, 1 - 0.1 * r / 40) for r in (rank, 41 - rank))
        assert ours.low[order[rank - 1]] == pytest.approx(lower.low[order[rank - 1]], rel=1e-9)
        assert ours.high[order[rank - 1]] == pytest.approx(upper.high[order[rank - 1]], rel=1e-9)
    np.testing.assert_allclose(ranges(evidence, np.full(40, 0.1)).low, intervals(evidence).low)


GRID = GridDomain(0, 0, 0.5, 5, 6)


def boxes(grid: GridDomain) -> list[Bools]:
    row, column = np.divmod(np.arange(grid.k), grid.columns)
    return [
        (row >= top) & (row < bottom) & (column >= left) & (column < right)
        for top in range(grid.rows)
        for bottom in range(top + 1, grid.rows + 1)
        for left in range(grid.columns)
        for right in range(left + 1, grid.columns + 1)
    ]


def test_boxes_are_counted() -> None:
    assert number_of_boxes(GRID) == len(boxes(GRID)) == 15 * 21


def test_all_boxes_hold_at_once() -> None:
    # In 95 of 100 runs or more every box holds (the whole map is known); where each is taken for
    # the only one, hardly a run has all.
    setup = prepare(Scenario(policy=ContextPolicy(OneBlock()), dataset=Zipf(GRID.k), n=10_000))
    every, looks = [box for box in boxes(GRID) if not box.all()], number_of_boxes(GRID)
    outcomes = [run_trial(setup, seed) for seed in np.random.SeedSequence(3).spawn(200)]
    found = [region_report(setup, outcomes[0], box) for box in every]
    alone = np.array([each.half_width for each in found])
    wider = norm.isf(0.025 / looks) / norm.isf(0.025)
    for each in found:
        low, high = each.estimate - wider * each.half_width, each.estimate + wider * each.half_width
        shown = each.estimate, each.processed_estimate
        expected = min(max(low, 0), *shown), max(min(high, each.n), *shown)
        assert each.ends(looks) == pytest.approx(expected)
    weights, truth = np.array(every, np.float64), setup.dataset.distribution
    off = np.array([np.abs(weights @ (one.unbiased - truth)) * setup.n for one in outcomes])
    least = binom.ppf(SIGNIFICANCE, len(outcomes), 0.95)
    assert (off <= wider * alone).all(axis=1).sum() >= least
    assert (off <= alone).all(axis=1).sum() < least
