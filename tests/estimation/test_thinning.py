"""Two looks at one truth are independent, and they say how far off a map is."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from caldp_core.basics.types import Floats, Ints
from caldp_core.datasets import Gowalla
from caldp_core.domain.grid import US_GRID, GridDomain
from caldp_core.domain.partitions import grid_blocks
from caldp_core.estimation import estimators
from caldp_core.estimation.cascade_estimator import cascade_estimate
from caldp_core.estimation.estimators import (
    estimated_error,
    generator_of,
    simplex_per_block,
    thin_noise,
    unprocessed,
)
from caldp_core.estimation.evidence import Evidence
from caldp_core.mechanisms import catalogue
from caldp_core.privacy.context import Context
from tests.products import thinned
from tests.stats import SIGNIFICANCE

LIMIT = float(norm.isf(SIGNIFICANCE / 8))
K, RUNS = 200, 200


def errors_of_looks(gamma: float) -> Floats:
    """(3, RUNS · K) errors of both looks and of the estimate, in deviations of its coins."""
    people = np.random.default_rng(1).multinomial(400_000, np.full(K, 1 / K))
    mechanism = catalogue.in_context(Context.plain(K, 1.0), "galois")
    rng, truth, errors = np.random.default_rng(2), people / people.sum(), []
    for _ in range(RUNS):
        evidence = Evidence.of(mechanism, mechanism.sample_tally(people, rng))
        a, b = thin_noise(evidence, generator_of(evidence), gamma)
        coins = np.sqrt(evidence.tied_shares.variance)
        each = np.stack([a.unbiased, b.unbiased, evidence.unbiased])
        errors.append((each - truth) / coins)
    return np.concatenate(errors, axis=1)


@pytest.mark.parametrize("gamma", thinned([0.5, 1.0], one_in=2))
def test_looks_are_unbiased_and_uncorrelated_and_no_other_pair_is(gamma: float) -> None:
    # 40,000 pairs: a correlation is known to 1/√40,000 = 0.005, so that at significance 10⁻⁶ 0.027
    # is too much. Those below are 0.1 and more: above twice that but for a chance of 10⁻¹⁶.
    a, b, z = errors_of_looks(gamma)
    most = LIMIT / np.sqrt(a.size)
    for errors, variance in ((a, 1 + gamma**2), (b, 1 + gamma**-2)):
        assert abs(errors.mean()) < most * np.sqrt(variance)
        assert abs(errors.var() / variance - 1) < most * np.sqrt(2) + 0.005
    assert abs(np.corrcoef(a, b)[0, 1]) < most
    # The reports that were fitted, another γ, the wrong sign.
    for wrong in (z, z + 0.7 * (b - z), 2 * z - b):
        assert abs(np.corrcoef(a, wrong)[0, 1]) > 2 * most


def us_people() -> Ints:
    counts = Gowalla().load().counts
    assert counts is not None
    return counts


def collections(
    blocks: tuple[int, int], epsilon: float, people: Ints, draws: int
) -> list[Evidence]:
    labels = grid_blocks(US_GRID, *blocks).labels
    mechanism = catalogue.in_context(Context.block_structured(labels, epsilon), "galois")
    rng = np.random.default_rng(1)
    tallies = [mechanism.sample_tally(people, rng) for _ in range(draws)]
    return [Evidence.of(mechanism, each, domain=US_GRID) for each in tallies]


def ratios(evidences: list[Evidence], truth: Floats) -> Floats:
    """Estimated over true error of the cascade; every range must hold the true one."""
    found = []
    for evidence in evidences:
        error = estimated_error(evidence, cascade_estimate)
        assert error is not None
        true = 0.5 * float(np.abs(cascade_estimate(evidence) - truth).sum())
        assert error.low <= true <= error.high
        found.append(error.share / true)
    return np.array(found)


def test_the_error_of_the_shipped_map_is_known_without_its_truth(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Of three draws each ratio's mean spreads by about 0.03.
    people = us_people()
    settings = [((1, 1), 4.0), ((5, 7), 1.0)]
    each = [collections(blocks, epsilon, people, 3) for blocks, epsilon in settings]
    for evidences in each:
        assert 0.9 <= ratios(evidences, people / people.sum()).mean() <= 1.1
    # What a fit says of itself is too good.
    monkeypatch.setattr(estimators, "_optimism", lambda *_: 1.0)
    assert ratios(each[0], people / people.sum()).mean() < 0.9


@pytest.mark.parametrize("n", thinned([3_000, 100_000], one_in=2))
def test_its_range_holds_where_hardly_anything_is_known(n: int) -> None:
    shares = us_people() / us_people().sum()
    people = np.random.default_rng(4).multinomial(n, shares)
    for epsilon in (0.5, 4.0):
        ratios(collections((1, 1), epsilon, people, 2), people / n)


def test_whoever_has_the_tally_finds_the_same_error() -> None:
    grid = GridDomain(0, 0, 0.1, 20, 20)
    people = np.random.default_rng(3).multinomial(10**5, np.full(400, 1 / 400))
    mechanism = catalogue.in_context(Context.plain(400, 2.0), "oue")
    evidence = Evidence.of(
        mechanism, mechanism.sample_tally(people, np.random.default_rng(5)), domain=grid
    )
    first = estimated_error(evidence, simplex_per_block)
    assert first is not None
    assert first == estimated_error(replace(evidence), simplex_per_block)
    assert estimated_error(evidence, unprocessed) is None
