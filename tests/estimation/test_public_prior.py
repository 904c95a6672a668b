"""A public prior: what it gains where it is right, what it costs where it is not, and its size."""

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.datasets.base_map import population_shares
from caldp_core.domain.grid import GridDomain
from caldp_core.estimation.cascade_estimator import (
    cascade_estimate,
    cascade_with_inhabitants,
    cascade_with_prior,
    prior_effect,
)
from caldp_core.estimation.evidence import Evidence
from caldp_core.experiments.metrics import total_variation
from caldp_core.mechanisms import catalogue
from caldp_core.privacy.context import Context

FRANCE = GridDomain(south=42.0, west=-4.0, cell=0.2, rows=45, columns=60)


def evidence_of(truth: Floats, blocks: int = 1, n: int = 100_000, seed: int = 0) -> Evidence:
    """The evidence in the reports of n people who are where `truth` has them, at ε = 1."""
    labels = np.arange(FRANCE.k) * blocks // FRANCE.k
    mechanism = catalogue.in_context(Context.block_structured(labels, 1.0), "galois")
    rng = np.random.default_rng(seed)
    tally = mechanism.sample_tally(rng.multinomial(n, truth), rng)
    return Evidence.of(mechanism, tally, domain=FRANCE)


def near_towns() -> Floats:
    """People where towns are, but not as many as live there: 0 to several times as many."""
    weights = population_shares(FRANCE) * np.random.default_rng(3).gamma(1.0, size=FRANCE.k)
    return np.asarray(weights / weights.sum())


def elsewhere() -> Floats:
    """The same people in cells that have nothing to do with towns."""
    return np.asarray(np.random.default_rng(4).permutation(near_towns()))


def test_inhabitants_are_shares_and_the_largest_cell_is_paris() -> None:
    shares = population_shares(FRANCE)
    assert shares.sum() == pytest.approx(1.0)
    assert (shares > 0).all()
    assert int(np.argmax(shares)) == FRANCE.locate([48.85], [2.35])[0]
    nowhere = population_shares(GridDomain(-60.0, -120.0, 1.0, 4, 5))
    assert nowhere.tolist() == pytest.approx([0.05] * 20)


@pytest.mark.parametrize("blocks", [1, 9])
def test_a_prior_that_is_right_helps_and_one_that_is_wrong_is_left_alone(blocks: int) -> None:
    """At least a fifth less error where people are near towns, none more where they are not."""
    gains = {}
    for name, truth in (("right", near_towns()), ("wrong", elsewhere())):
        evidence = evidence_of(truth, blocks)
        knowing, alone = cascade_with_inhabitants(evidence), cascade_estimate(evidence)
        gains[name] = total_variation(truth, knowing) / total_variation(truth, alone)
        assert (knowing >= 0).all()
        for estimate in (knowing, alone):
            kept = np.bincount(evidence.blocks, estimate)
            assert kept == pytest.approx(evidence.block_shares)
    assert gains["right"] < 0.8
    assert gains["wrong"] == 1.0


def test_how_much_is_prior_is_the_difference_and_falls_with_more_people() -> None:
    moved = []
    for n in (100_000, 10_000_000):
        evidence = evidence_of(near_towns(), n=n)
        knowing = cascade_with_inhabitants(evidence)
        off = prior_effect(evidence, knowing)
        assert off.sum() == pytest.approx(0.0, abs=1e-9)
        assert knowing - off == pytest.approx(cascade_estimate(evidence))
        moved.append(0.5 * np.abs(off).sum())
    assert moved[0] > 1.5 * moved[1] > 0


def test_an_earlier_map_may_be_the_prior_and_bad_ones_are_refused() -> None:
    truth = near_towns()
    evidence = evidence_of(truth)
    earlier = np.random.default_rng(5).multinomial(50_000, truth)  # a published sample
    off = total_variation(truth, cascade_with_prior(evidence, earlier))
    assert off < 0.8 * total_variation(truth, cascade_estimate(evidence))
    for wrong in (np.ones(3), -np.ones(FRANCE.k), np.zeros(FRANCE.k), np.full(FRANCE.k, np.nan)):
        with pytest.raises(CaldpError, match="prior must be"):
            cascade_with_prior(evidence, wrong)
    lone = Evidence.of(evidence.mechanism, evidence.tally)
    with pytest.raises(CaldpError, match="is for maps"):
        cascade_with_prior(lone, truth)
    assert cascade_with_inhabitants(lone) == pytest.approx(cascade_estimate(lone))
