"""Bounds from problems with merged symbols, against extreme rays and least losses."""

from itertools import combinations, product

import numpy as np
import pytest

from caldp_core.basics.types import Floats, no_progress
from caldp_core.mechanisms.designed import relaxation
from caldp_core.mechanisms.designed.columns import extreme_rays
from caldp_core.mechanisms.designed.design import design
from caldp_core.mechanisms.designed.master import AllRays, WeightedColumns, generate
from caldp_core.mechanisms.designed.problem import Part, columns_of
from caldp_core.mechanisms.designed.relaxation import (
    Merged,
    merged_bounds,
    near_groups,
    relaxed_bound,
)
from caldp_core.privacy.matrix import DenseMatrix, closure
from tests.designs import INF, all_rays, line, plane, uneven

WIDE = 1e-9
"""Nats, or relative: rounding."""


def part_of(levels: Floats, seed: int = 0) -> Part:
    """With uneven prior and weights, no two symbols being twins."""
    rng, k = np.random.default_rng(seed), len(levels)
    prior = rng.uniform(1, 2, k)
    return Part(closure(DenseMatrix.of(levels)).entries, prior / prior.sum(), rng.uniform(1, 2, k))


def best_of(part: Part) -> WeightedColumns:
    """The optimum, by all rays."""
    classes = part.classes()
    rays = extreme_rays(part.levels, classes.labels, 10**5)
    assert rays is not None
    source = AllRays(classes, columns_of(rays, classes), part.levels)
    return generate(source, 1e-6, no_progress)


def one_way(k: int) -> Floats:
    """The last symbol is not protected from the others, nor the first from it."""
    levels = uneven(k, 6)
    levels[-1, :-1] = INF
    return levels


@pytest.mark.parametrize("levels", [uneven(5, 3), line(5, 0.8), one_way(4)])
def test_what_merging_allows_covers_every_extreme_ray_and_hardly_more(levels: Floats) -> None:
    part = part_of(levels)
    rays = all_rays(part.levels)
    problem = Merged.of(part, np.array([0, 2]), 3)
    assert problem.averages.shape == (3, len(levels))
    np.testing.assert_allclose(problem.averages.sum(axis=1), 1.0)
    np.testing.assert_allclose(problem.prior @ problem.averages, part.prior)
    merged_rays = rays @ problem.averages.T
    with np.errstate(divide="ignore", invalid="ignore"):
        reached = np.log(merged_rays[:, :, None] / merged_rays[:, None, :])
    reached = np.where(np.isnan(reached), -INF, reached).max(axis=0)
    assert (reached <= problem.levels + WIDE).all()
    finite = np.isfinite(problem.levels) & ~np.eye(3, dtype=bool)
    assert (reached[finite] > 0.75 * problem.levels[finite]).all()


@pytest.mark.parametrize(("k", "count"), [(9, 3), (10, 3), (8, 1)])
def test_groups_share_out_all_symbols_and_no_swap_brings_them_nearer(k: int, count: int) -> None:
    apart = plane(k, 4)
    groups = near_groups(apart, count)
    assert sorted(np.concatenate(groups).tolist()) == list(range(k))
    sizes = [len(group) for group in groups]
    assert len(sizes) == count
    assert max(sizes) - min(sizes) <= 1

    def within(divided: list[list[int]]) -> float:
        pairs = [pair for group in divided for pair in combinations(group, 2)]
        return sum(float(apart[pair]) for pair in pairs)

    now = [group.tolist() for group in groups]
    for i, j in combinations(range(count), 2):
        for x, z in product(now[i], now[j]):
            swapped = [[z if y == x else x if y == z else y for y in group] for group in now]
            assert within(swapped) >= within(now) * (1 - WIDE)


def test_near_groups_find_the_towns() -> None:
    rng = np.random.default_rng(2)
    towns = np.repeat([0.0, 5.0, 9.0], 4)[rng.permutation(12)]
    places = towns + rng.uniform(0, 1, 12)
    groups = near_groups(np.abs(places[:, None] - places), 3)
    assert [len(set(towns[group])) for group in groups] == [1, 1, 1]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups of three and two clusters, so that the truth is at hand as well."""
    monkeypatch.setattr(relaxation, "_GROUP_MAX", 3)
    monkeypatch.setattr(relaxation, "_SYMBOLS", 5)


KINDS = [
    pytest.param(uneven(7, 2), 0.5, id="uneven"),
    pytest.param(plane(7, 1), 0.7, id="plane"),
    pytest.param(line(7, 0.5), 0.7, id="line"),
    pytest.param(one_way(6), 0.4, id="one way"),
]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(("levels", "share"), KINDS)
def test_the_bounds_sum_is_below_the_least_loss_and_cuts_hold_for_the_best(
    levels: Floats, share: float
) -> None:
    part = part_of(levels)
    best = best_of(part)
    truth = best.information.loss
    cuts = merged_bounds(part, no_progress)
    total = sum(cut.bound for cut in cuts)
    assert share * truth < total <= truth * (1 + WIDE)
    information = (best.columns.v * best.w[:, None]).T @ best.columns.v
    reached = [float(np.sum(cut.quadratic * information)) / cut.most for cut in cuts]
    assert 0.6 < max(reached) <= 1 + WIDE
    both = relaxed_bound(part, best, cuts, no_progress)
    assert relaxed_bound(part, best, [], no_progress) <= both * (1 + 1e-3)
    assert both <= truth * (1 + WIDE)


@pytest.mark.usefixtures("small")
def test_a_merged_problem_that_allows_too_little_claims_too_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    part, ratios = part_of(line(7, 0.5)), relaxation._ratios

    def less(levels: Floats, averages: Floats) -> Floats:
        return 0.8 * ratios(levels, averages)

    monkeypatch.setattr(relaxation, "_ratios", less)
    claimed = sum(cut.bound for cut in merged_bounds(part, no_progress))
    assert claimed > 1.01 * best_of(part).information.loss


@pytest.mark.usefixtures("small")
def test_where_rays_are_too_many_groups_prove_more_than_the_relaxation_does() -> None:
    policy = DenseMatrix.of(uneven(7, 2))
    truth = design(policy)
    made = design(policy, entries=700)
    assert not made.exact
    assert made.bound <= truth.bound * (1 + 1e-4) <= made.loss * (1 + 2e-4)
    assert 0.01 < made.gap < 0.35
