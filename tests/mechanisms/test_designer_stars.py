"""The inequality for values that hide each other alike, against every extreme ray."""

import numpy as np
import pytest

from caldp_core.basics.types import Floats, no_progress
from caldp_core.mechanisms.designed.design import design
from caldp_core.mechanisms.designed.master import AllRays, WeightedColumns, generate
from caldp_core.mechanisms.designed.problem import Classes, Part, columns_of
from caldp_core.mechanisms.designed.relaxation import covering, star, star_cut
from caldp_core.privacy.context import Context
from caldp_core.privacy.matrix import DenseMatrix, closure
from tests.designs import INF, all_rays, line, plane, uneven


def part_of(levels: Floats, seed: int = 3) -> Part:
    """With uneven prior and weights, no two symbols being twins."""
    rng, k = np.random.default_rng(seed), len(levels)
    prior = rng.uniform(1, 4, k)
    return Part(closure(DenseMatrix.of(levels)).entries, prior / prior.sum(), rng.uniform(1, 2, k))


def best_of(part: Part) -> WeightedColumns:
    """The optimum by brute-force rays."""
    classes = Classes(np.arange(len(part.prior)), part.prior, part.weights)
    with np.errstate(divide="ignore"):
        every = columns_of(np.log(all_rays(part.levels)), classes)
    return generate(AllRays(classes, every, part.levels), 1e-6, no_progress)


SMALL = [
    pytest.param(1.0 - np.eye(5), id="plain"),
    pytest.param(line(5, 0.8), id="line"),
    pytest.param(uneven(5, 3), id="uneven"),
    pytest.param(plane(5, 1), id="plane"),
]


@pytest.mark.parametrize("levels", SMALL)
def test_the_inequality_holds_for_every_ray_and_not_for_larger_levels(levels: Floats) -> None:
    levels = part_of(levels).levels
    up, down = covering(levels)
    assert (up[:, None] + down >= levels).all()
    rng = np.random.default_rng(1)
    rays, wider = all_rays(levels), all_rays(1.5 * levels)
    broken = 0
    for _ in range(20):
        c = star(rng.uniform(0, 1, len(levels)), np.exp(-down), np.exp(up))
        assert (np.einsum("ij,jk,ik->i", rays, c, rays) <= 1e-12).all()
        broken += bool((np.einsum("ij,jk,ik->i", wider, c, wider) > 1e-6).any())
    assert broken > 10, "an inequality that holds for larger levels too says little"


@pytest.mark.parametrize("levels", SMALL)
def test_the_bound_is_below_the_least_loss(levels: Floats) -> None:
    part = part_of(levels)
    best = best_of(part)
    cut = star_cut(part, best, no_progress)
    assert cut is not None
    least = best.information.loss
    assert 0 < cut.bound <= least * (1 + 1e-6)
    v, w = best.columns.v, best.w
    assert np.einsum("i,ij,jk,ik->", w, v, cut.quadratic, v) <= cut.most * (1 + 1e-6)
    # It is no trivial number: with levels 2.5 times as large some channel loses less.
    wider = best_of(Part(2.5 * part.levels, part.prior, part.weights)).information.loss
    assert cut.bound > wider


def test_values_that_may_be_told_take_no_part() -> None:
    levels = np.full((5, 5), 1.0)
    levels[3:, :3] = INF
    np.fill_diagonal(levels, 0.0)
    part = part_of(levels)
    best = best_of(part)
    cut = star_cut(part, best, no_progress)
    assert cut is not None
    assert cut.bound <= best.information.loss
    v, w = best.columns.v, best.w
    assert np.einsum("i,ij,jk,ik->", w, v, cut.quadratic, v) <= cut.most * (1 + 1e-6)
    levels[:] = INF
    np.fill_diagonal(levels, 0.0)
    assert star_cut(Part(levels, part.prior, part.weights), best, no_progress) is None


def test_plain_ldp_is_proved_nearly_tight_for_any_prior() -> None:
    policy, prior = Context.plain(9, 1.0), 1 / np.arange(1, 10)
    truth = design(policy, prior)
    assert truth.exact
    made = design(policy, prior, entries=1_000)
    assert not made.exact
    assert made.bound <= truth.bound * (1 + 1e-6)
    assert made.gap < 0.02
