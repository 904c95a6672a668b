"""The designer's parts against routes of their own: rays, weights, proofs and columns."""

import math
from itertools import permutations

import numpy as np
import pytest

from caldp_core.basics.types import Floats, no_progress
from caldp_core.mechanisms.designed.columns import SearchedRays, extreme_rays
from caldp_core.mechanisms.designed.design import Design, design
from caldp_core.mechanisms.designed.master import (
    AllRays,
    WarmStart,
    best_weights,
    complete_start,
    excess_of,
    expand_orbits,
    generate,
    reduce_columns,
)
from caldp_core.mechanisms.designed.problem import Classes, Orbit, Part, Problem, columns_of
from caldp_core.mechanisms.designed.relaxation import relaxed_bound
from caldp_core.privacy.context import Context
from caldp_core.privacy.matrix import DenseMatrix, closure
from tests.designs import INF, all_rays, line, plane, proved_by, uneven


def closure_of(levels: Floats) -> Floats:
    return closure(DenseMatrix.of(levels)).entries


def with_holes(levels: Floats, seed: int) -> Floats:
    """About 40 % of the levels infinite."""
    holes = np.random.default_rng(seed).random(levels.shape) < 0.4
    np.fill_diagonal(holes, False)
    return np.where(holes, INF, levels)


def same_rays(ours: Floats, theirs: Floats) -> bool:
    """Both as sets, in logarithms relative to the largest entry."""
    v = np.exp(ours - ours.max(axis=1, keepdims=True))
    far = np.abs(v[:, None] - theirs).max(axis=2)
    return len(v) == len(theirs) and far.min(axis=0).max() < 1e-6 and far.min(axis=1).max() < 1e-6


SMALL = [
    pytest.param(line(4, 0.7), id="line"),
    pytest.param(1.0 - np.eye(4), id="plain"),
    pytest.param(closure_of(uneven(4, 1)), id="uneven"),
    pytest.param(closure_of(uneven(4, 2, 0.5, 6.0)), id="uneven and large"),
    pytest.param(plane(5, 3), id="plane"),
    pytest.param(closure_of(with_holes(uneven(4, 5), 5)), id="holes"),
    pytest.param(closure_of(with_holes(uneven(4, 8), 8)), id="other holes"),
    pytest.param(closure_of(np.array([[0, 1, INF], [INF, 0, INF], [INF, 2, 0]])), id="one way"),
]


@pytest.mark.parametrize("levels", SMALL)
def test_rays_are_all_there_are_and_each_once(levels: Floats) -> None:
    rays = extreme_rays(levels, np.arange(len(levels)), 10_000)
    assert rays is not None
    assert same_rays(rays, all_rays(levels))
    assert not same_rays(rays[1:], all_rays(levels))


@pytest.mark.parametrize("seed", range(3))
def test_one_ray_of_each_orbit_of_twins_makes_all(seed: int) -> None:
    levels = np.full((5, 5), 1.5)
    levels[:2, :2], levels[:2, 2:] = 1.0, [1.2, 0.9, 2.0][seed]
    np.fill_diagonal(levels, 0.0)
    levels = closure_of(levels)
    rays = extreme_rays(levels, np.array([0, 0, 1, 1, 1]), 1000)
    every = extreme_rays(levels, np.arange(5), 1000)
    assert rays is not None
    assert every is not None
    turned = {
        tuple(np.round(ray[[*a, *b]] - ray.max(), 8) + 0.0)
        for ray in rays
        for a in permutations(range(2))
        for b in permutations(range(2, 5))
    }
    assert turned == {tuple(np.round(ray - ray.max(), 8) + 0.0) for ray in every}
    assert len(rays) < len(every)


def test_too_many_rays_are_given_up() -> None:
    assert extreme_rays(line(12, 1.0), np.arange(12), 1000) is None


@pytest.mark.parametrize("levels", [line(10, 1.0), plane(9, 1), closure_of(uneven(9, 2))])
def test_an_estimate_gives_up_early_and_only_where_rays_are_too_many(levels: Floats) -> None:
    rays = extreme_rays(levels, np.arange(len(levels)), 100_000)
    assert rays is not None
    # Partial rays are at most 10 times as many; twice an estimate of them is left to it.
    again = extreme_rays(levels, np.arange(len(levels)), len(rays))
    assert again is not None
    np.testing.assert_array_equal(again, rays)
    assert extreme_rays(levels, np.arange(len(levels)), len(rays) // 40) is None


@pytest.mark.parametrize("levels", SMALL)
def test_the_bound_agrees_with_linear_programming_over_brute_force_rays(levels: Floats) -> None:
    rng = np.random.default_rng(4)
    k = len(levels)
    made = design(DenseMatrix.of(levels), rng.uniform(0.5, 1, k), rng.uniform(0.5, 2, k))
    assert made.exact
    assert proved_by(made, all_rays(levels)) == pytest.approx(made.bound, rel=1e-4)
    assert 0 <= made.gap < 1e-4


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(3))
def test_the_same_for_six_symbols(seed: int) -> None:
    levels = closure_of(uneven(6, seed))
    made = design(DenseMatrix.of(levels))
    assert proved_by(made, all_rays(levels)) == pytest.approx(made.bound, rel=1e-4)


@pytest.mark.parametrize("sharp", [0.3, 1.0, 3.0])
def test_no_channel_that_keeps_the_policy_is_below_the_bound(sharp: float) -> None:
    levels = closure_of(uneven(4, 11))
    made, rng = design(DenseMatrix.of(levels)), np.random.default_rng(7)
    for _ in range(4):
        assert loss_of_any(levels, made, sharp, rng) >= made.bound


def loss_of_any(levels: Floats, made: Design, sharp: float, rng: np.random.Generator) -> float:
    """The loss of some channel that keeps the policy, with the best weights for its columns."""
    # Any columns of the cone, blended with what completes them to rows that sum to 1.
    u = rng.normal(0, sharp, (12, 4))
    columns = np.exp(np.min(u[:, None, :] + levels, axis=2))
    both = np.concatenate([columns, np.exp(complete_start(levels))])
    classes = Classes(np.arange(4), made.prior, made.weights)
    weighted = best_weights(columns_of(np.log(both), classes), classes)
    return weighted.information.loss - float(made.weights @ made.prior**2)


def test_a_bound_that_is_too_high_is_found_out() -> None:
    # The design for levels 5 % larger is better than anything at these levels can be.
    levels = closure_of(uneven(4, 11))
    assert design(DenseMatrix.of(1.05 * levels)).loss < design(DenseMatrix.of(levels)).bound


def part_of(levels: Floats) -> tuple[Part, Classes]:
    k = len(levels)
    part = Part(closure_of(levels), np.full(k, 1 / k), np.ones(k))
    return part, Classes(np.arange(k), part.prior, part.weights)


@pytest.mark.parametrize(
    ("levels", "tight"), [(line(8, 0.5), 2e-4), (plane(7, 1), 0.2), (uneven(7, 2), 0.35)]
)
def test_the_relaxation_proves_less_than_the_truth_and_the_search_finds_the_best(
    levels: Floats, tight: float
) -> None:
    part, classes = part_of(levels)
    rays = extreme_rays(part.levels, classes.labels, 10**5)
    assert rays is not None
    best = generate(AllRays(classes, columns_of(rays, classes), part.levels), 1e-6, no_progress)
    searched = generate(
        SearchedRays(classes, part.levels, np.random.default_rng(0)), 1e-4, no_progress
    )
    truth = best.information.loss
    assert truth * (1 - 1e-6) <= searched.information.loss <= 1.01 * truth
    assert (
        (1 - tight) * truth <= relaxed_bound(part, searched, [], no_progress) <= truth * (1 + 1e-9)
    )


def test_many_rays_are_reached_from_a_few() -> None:
    part, classes = part_of(line(11, 0.3))
    rays = extreme_rays(part.levels, classes.labels, 10**5)
    assert rays is not None
    source = AllRays(classes, columns_of(rays, classes), part.levels)
    assert len(source.initial_columns()) < len(source.rays)
    best = generate(source, 1e-6, no_progress)
    assert excess_of(best, source.rays).max() < 1e-6 * best.information.loss


def test_the_start_can_be_weighted_whatever_is_infinite() -> None:
    for levels in (closure_of(uneven(6, 1)), Problem.of(Context.plain(3, 9.0), None, None).levels):
        v = np.exp(complete_start(levels))
        assert (v[:, :, None] <= np.exp(levels) * v[:, None, :] * (1 + 1e-12)).all()
        assert np.linalg.matrix_rank(v) == len(levels)


def test_weights_are_the_same_from_wherever_they_start() -> None:
    part = Part(closure(DenseMatrix.of(uneven(5, 4))).entries, np.full(5, 0.2), np.ones(5))
    classes = part.classes()
    every = columns_of(np.log(all_rays(part.levels)), classes)
    cold = best_weights(every, classes)
    for old, dual in ((cold.w, cold.dual), (cold.w[:-20], 3 * cold.dual), (cold.w[:1], cold.dual)):
        warm = best_weights(every, classes, 1e-9, WarmStart(old, dual))
        assert warm.information.loss == pytest.approx(cold.information.loss, rel=1e-7)
        np.testing.assert_allclose(warm.w @ every.v, 1.0, atol=1e-9)


def test_few_columns_have_the_same_loss() -> None:
    part, classes = part_of(plane(6, 3))
    rays = extreme_rays(part.levels, classes.labels, 10**5)
    assert rays is not None
    best = best_weights(columns_of(rays, classes), classes)
    few = reduce_columns(best, classes)
    assert len(few.w) <= 21 < (best.w > 1e-7).sum() + 21
    assert few.information.loss == pytest.approx(best.information.loss, rel=1e-4)


def test_an_orbit_is_every_order_of_its_values_and_its_shifts_are_among_them() -> None:
    classes = Classes(np.array([0, 0, 0, 1, 1]), np.full(5, 0.2), np.ones(5))
    orbit = Orbit(np.array([2.0, 1.0, 1.0, 3.0, 4.0]), classes)
    every = orbit.members()
    assert len(every) == orbit.size == 6
    assert len({tuple(v) for v in every}) == 6
    turned = orbit.cyclic_shifts(orbit.random_member(np.random.default_rng(1)))
    assert len(turned) == orbit.shifts == 6
    assert {tuple(v) for v in turned} == {tuple(v) for v in every}


@pytest.mark.parametrize(("k", "outputs", "worse"), [(12, 500, 0.0), (30, 600, 0.01)])
def test_columns_written_out_are_as_good_as_their_orbits(
    k: int, outputs: int, worse: float
) -> None:
    problem = Problem.of(Context.plain(k, 1.0), None, None)
    ((_, _, part),) = problem.parts()
    classes = part.classes()
    assert list(classes.sizes) == [k]
    rays = extreme_rays(part.levels, classes.labels, 1000)
    assert rays is not None
    best = best_weights(columns_of(rays, classes), classes)
    v, w = expand_orbits(reduce_columns(best, classes), classes, outputs, np.random.default_rng(0))
    assert len(v) <= outputs
    np.testing.assert_allclose(w @ v, 1.0, rtol=0, atol=1e-12)
    loss = float(np.linalg.inv((v * w[:, None]).T @ v).trace())
    assert best.information.loss * (1 - 1e-6) <= loss
    assert loss <= best.information.loss * (1 + worse + 1e-4)


def test_levels_in_parts_that_have_nothing_to_do_with_each_other() -> None:
    blocks = Context.block_structured([0, 1, 0, 1, 2], [1.0, 2.0, 3.0])
    parts = Problem.of(blocks, [1, 2, 3, 4, 5], None).parts()
    assert [own.tolist() for own, _, _ in parts] == [[0, 2], [1, 3], [4]]
    assert [share for _, share, _ in parts] == pytest.approx([4 / 15, 6 / 15, 5 / 15])
    assert math.isclose(parts[1][2].levels[0, 1], 2.0)
