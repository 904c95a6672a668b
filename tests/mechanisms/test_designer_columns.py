"""A design's columns from rays and planes, and the designed channel at work.

Designs for the largest error: what is proved, known answers, and a sum's that is worse.

Designs for sums of values: what is proved, known answers, and other channels, worse ones.
"""

import math
from functools import partial
from itertools import permutations

import numpy as np
import pytest

from caldp_core.audit.pairwise import audit_channel
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats, no_progress
from caldp_core.mechanisms.catalogue import FAMILIES
from caldp_core.mechanisms.designed import columns as planes
from caldp_core.mechanisms.designed.columns import (
    SearchedRays,
    extreme_rays,
    hyperplane_columns,
    two_level_columns,
)
from caldp_core.mechanisms.designed.design import (
    Design,
    DesignedMechanism,
    design,
    design_for_form,
    design_for_largest,
    form_loss,
    form_of_groups,
    variances,
)
from caldp_core.mechanisms.designed.master import (
    AllRays,
    WeightedColumns,
    WholeChannel,
    best_weights,
    complete_start,
    excess_of,
    expand_orbits,
    generate,
    reduce_columns,
    rows_keep_levels,
    whole_channel,
)
from caldp_core.mechanisms.designed.problem import (
    Classes,
    ConnectedPart,
    Orbit,
    Problem,
)
from caldp_core.mechanisms.designed.relaxation import relaxed_bound
from caldp_core.privacy.context import Context
from caldp_core.privacy.matrix import DenseMatrix, closure
from tests.channels import INF, all_rays, line, plane, proved_by, uneven
from tests.contract import checks
from tests.contract.checks import naming


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
    weighted = best_weights(classes.columns(np.log(both)), classes)
    return weighted.information.loss - float(made.weights @ made.prior**2)


def test_a_bound_that_is_too_high_is_found_out() -> None:
    # The design for levels 5 % larger is better than anything at these levels can be.
    levels = closure_of(uneven(4, 11))
    assert design(DenseMatrix.of(1.05 * levels)).loss < design(DenseMatrix.of(levels)).bound


def part_of(levels: Floats) -> tuple[ConnectedPart, Classes]:
    k = len(levels)
    part = ConnectedPart(closure_of(levels), np.full(k, 1 / k), np.ones(k))
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
    best = generate(AllRays(classes, classes.columns(rays), part.levels), 1e-6, no_progress)
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
    source = AllRays(classes, classes.columns(rays), part.levels)
    assert len(source.initial_columns()) < len(source.rays)
    best = generate(source, 1e-6, no_progress)
    assert excess_of(best, source.rays).max() < 1e-6 * best.information.loss


def test_the_start_can_be_weighted_whatever_is_infinite() -> None:
    for levels in (closure_of(uneven(6, 1)), Problem.of(Context.plain(3, 9.0), None, None).levels):
        v = np.exp(complete_start(levels))
        assert (v[:, :, None] <= np.exp(levels) * v[:, None, :] * (1 + 1e-12)).all()
        assert np.linalg.matrix_rank(v) == len(levels)


def test_weights_are_the_same_from_wherever_they_start() -> None:
    part = ConnectedPart(closure(DenseMatrix.of(uneven(5, 4))).entries, np.full(5, 0.2), np.ones(5))
    classes = part.classes()
    every = classes.columns(np.log(all_rays(part.levels)))
    cold = best_weights(every, classes)
    for old, dual in ((cold.w, cold.dual), (cold.w[:-20], 3 * cold.dual), (cold.w[:1], cold.dual)):
        warm = best_weights(every, classes, 1e-9, (old, dual))
        assert warm.information.loss == pytest.approx(cold.information.loss, rel=1e-7)
        np.testing.assert_allclose(warm.w @ every.v, 1.0, atol=1e-9)


def test_few_columns_have_the_same_loss() -> None:
    part, classes = part_of(plane(6, 3))
    rays = extreme_rays(part.levels, classes.labels, 10**5)
    assert rays is not None
    best = best_weights(classes.columns(rays), classes)
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
    best = best_weights(classes.columns(rays), classes)
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


def few_of(policy: Context) -> tuple[WeightedColumns, Classes]:
    """The best weights of few orbits."""
    ((_, _, part),) = Problem.of(policy, None, None).parts()
    classes = part.classes()
    rays = extreme_rays(part.levels, classes.labels, 10**4)
    assert rays is not None
    return reduce_columns(best_weights(classes.columns(rays), classes), classes), classes


def loss_of(v: Floats, w: Floats) -> float:
    """Σ n·Var(p̂_x) for even people."""
    k = v.shape[1]
    return float(np.linalg.inv((v * w[:, None]).T @ v).trace()) - 1 / k


def total(policy: Context, family: str) -> float:
    k = policy.k
    return float(FAMILIES[family].make(policy).variance(np.full(k, 1 / k), 1).sum())


@pytest.mark.parametrize("k", [64, 50])
def test_hyperplanes_of_the_field_of_four_are_galois_response(k: int) -> None:
    policy = Context.plain(k, 1.0)
    few, classes = few_of(policy)
    losses = []
    for v, w in hyperplane_columns(few, classes, 400):
        np.testing.assert_allclose(w @ v, 1.0, rtol=0, atol=1e-6)
        losses.append(loss_of(v, w))
    # Galois response sends those of the field that suits it best; where points are left over its
    # estimate is not the best one for its reports.
    galois = total(policy, "galois")
    assert galois * 0.98 < min(losses) <= galois * (1 + 1e-9)
    if k == 64:
        assert min(losses) == pytest.approx(galois, rel=1e-9)
    assert max(losses) > 1.05 * galois, "sets of a half are not better than sets of a quarter"


@pytest.mark.parametrize(
    ("system", "points", "size"),
    [
        (planes._six_of_sixteen, 256, 96),
        (partial(planes._lines, 7), 49, 7),
        (partial(planes._lines, 11), 90, None),
    ],
)
def test_two_points_are_together_in_equally_many_sets(
    system: planes._System, points: int, size: int | None
) -> None:
    on = system(points, 10**3)
    assert on is not None
    together = on.T.astype(np.int64) @ on
    assert len(np.unique(together.diagonal())) == 1
    assert len(np.unique(together[~np.eye(points, dtype=bool)])) == 1
    assert size is None or set(on.sum(axis=1).tolist()) == {size}
    assert system(points, len(on) - 1) is None


def test_six_of_sixteen_parallel_planes_are_as_good_as_all_sets_at_half_a_nat() -> None:
    on = planes._six_of_sixteen(256, 781)
    assert on is not None
    v = np.where(on, np.exp(0.5), 1.0)
    sent = v.mean(axis=1)
    loss = loss_of(v / sent[:, None], sent / v.sum(axis=0)[0])
    assert loss < 1.001 * total(Context.plain(256, 0.5), "subset-selection")


@pytest.mark.parametrize("k", [128, pytest.param(256, marks=pytest.mark.thorough)])
@pytest.mark.slow
def test_plain_ldp_of_many_symbols_comes_within_half_a_percent_of_the_best_family(k: int) -> None:
    policy = Context.plain(k, 1.0)
    best = min(total(policy, name) for name in FAMILIES)
    made = design(policy)
    assert made.loss < 1.005 * best
    assert made.gap < 0.005


@pytest.mark.parametrize("seed", range(3))
def test_stretched_columns_keep_every_level_and_use_it_up(seed: int) -> None:
    levels = [uneven(9, 1), plane(12, 2), np.where(uneven(8, 3) > 1.2, INF, uneven(8, 3))][seed]
    np.fill_diagonal(levels, 0.0)
    levels = closure(DenseMatrix.of(levels)).entries
    u = two_level_columns(levels)
    differences = u[:, :, None] - u[:, None, :]
    assert len(u) > 2 * len(levels)
    assert (differences <= levels + 1e-12).all()
    assert not (differences <= 0.99 * levels + 1e-12).all(axis=(1, 2)).any()


POLICY = DenseMatrix.of([[0.0, 1, 2, 9], [0.5, 0, 1, 1], [1.0, 1, 0, INF], [3.0, 1, 1, 0]])


def test_reports_follow_the_channel_and_the_two_ways_to_a_tally_are_one_law() -> None:
    mechanism = DesignedMechanism.for_policy(POLICY)
    checks.check_privatize(mechanism)
    checks.check_one_law(mechanism, np.array([0.5, 0.2, 0.2, 0.1]))


def test_a_real_report_takes_no_seed_and_is_one_of_those() -> None:
    mechanism = DesignedMechanism.for_policy(POLICY)
    sent = np.concatenate([mechanism.client_report(2) for _ in range(50)])
    possible = np.flatnonzero([entry > 0 for entry in mechanism.design.channel.numerators[2]])
    assert set(sent.tolist()) <= set(possible.tolist())


def test_no_unbiased_estimate_of_the_same_reports_is_better_at_the_prior() -> None:
    prior = np.array([0.4, 0.3, 0.2, 0.1])
    mechanism = DesignedMechanism(design(POLICY, prior))
    channel, ours = mechanism.channel, mechanism.estimator
    assert mechanism.variance(prior, 1).sum() == pytest.approx(mechanism.design.loss, rel=1e-9)
    rng = np.random.default_rng(2)
    free = np.linalg.svd(channel)[2][4:].T
    assert free.shape[1] > 0, "no other unbiased estimate to compare with"
    law = prior @ channel
    for _ in range(20):
        other = ours + 0.1 * free @ rng.normal(size=(free.shape[1], 4))
        np.testing.assert_allclose(channel @ other, np.eye(4), atol=1e-9)
        assert (law @ other**2).sum() > (law @ ours**2).sum()


def test_fingerprints_tell_designs_apart() -> None:
    first, again = DesignedMechanism.for_policy(POLICY), DesignedMechanism.for_policy(POLICY)
    other = DesignedMechanism.for_policy(DenseMatrix.of(line(4, 1.0)))
    assert first.fingerprint == again.fingerprint != other.fingerprint
    tally = other.sample_tally([5, 5, 5, 5], np.random.default_rng(1))
    with pytest.raises(CaldpError, match="another mechanism"):
        first.estimate(tally)


def keeps_levels(channel: WholeChannel, levels: Floats) -> bool:
    return rows_keep_levels(channel.numerators, 1 << channel.bits, levels)


def test_rounding_keeps_every_level_and_a_unit_more_does_not() -> None:
    levels = uneven(3, 4)
    columns = np.exp(np.array([[0, -levels[0, 1], -levels[0, 2]], [0, 0, 0]]))
    rest = 1 - 0.3 * columns[0]
    v = np.stack([columns[0], rest])
    prior = np.full(3, 1 / 3)
    v, w = v / (v @ prior)[:, None], np.array([0.3, 1.0]) * (v @ prior)
    channel = whole_channel(v, w, prior, levels)
    assert keeps_levels(channel, levels)
    # Twice as likely is within a level just above log 2 and not within the float below it.
    twice = WholeChannel(((2, 2), (1, 3)), 2)
    assert keeps_levels(twice, np.array([[0, np.nextafter(np.log(2), 1)], [1, 0]]))
    assert not keeps_levels(twice, np.array([[0, np.log(2)], [1, 0]]))
    assert not keeps_levels(WholeChannel(((3, 1), (1, 2)), 2), np.full((2, 2), INF))
    assert not keeps_levels(WholeChannel(((5, -1), (1, 3)), 2), np.full((2, 2), INF))


@pytest.mark.slow
@pytest.mark.parametrize("levels", [uneven(6, 3, 0.5, 3.0), line(6, 0.7)])
def test_the_largest_variance_is_near_its_bound_and_below_that_of_the_sum_s_design(
    levels: Floats,
) -> None:
    policy = DenseMatrix.of(levels)
    made = design_for_largest(policy)
    sums = design(policy)
    assert audit_channel(DesignedMechanism(made.design).exact_channel(), policy).holds
    each = DesignedMechanism(made.design).variance(np.full(6, 1 / 6), 1)
    assert made.loss == pytest.approx(each.max())
    assert made.bound <= made.loss
    assert made.gap < 0.01
    assert made.loss < 0.98 * variances(sums).max()
    assert variances(made.design).sum() >= sums.bound  # what it costs
    assert variances(sums).max() > made.bound


def test_equal_values_have_one_variance_already() -> None:
    policy = Context.plain(5, 1.0)
    made = design_for_largest(policy)
    assert made.gap < 1e-3
    assert made.loss == pytest.approx(design(policy).loss / 5, rel=1e-3)


def test_values_that_cannot_be_told_apart_count_as_their_sum() -> None:
    levels = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    made = design_for_largest(DenseMatrix.of(levels))
    assert made.loss == pytest.approx(variances(made.design).max())
    assert np.ptp(variances(made.design)) < 1e-6 * made.loss  # a share and its rest


PAIRS = np.kron(np.eye(4), [1, 1])
BOXES = np.array([[i <= x < i + 3 for x in range(8)] for i in range(6)])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("levels", "groups"),
    [
        (uneven(8, 3, 0.5, 3.0), PAIRS),
        pytest.param(line(8, 0.7), BOXES, marks=pytest.mark.thorough),
    ],
)
def test_sums_are_near_their_bound_and_better_than_by_designs_for_values(
    levels: Floats, groups: Floats
) -> None:
    policy, form = DenseMatrix.of(levels), form_of_groups(groups)
    made = design_for_form(policy, form)
    mechanism = DesignedMechanism(made.design)
    assert audit_channel(mechanism.exact_channel(), policy).holds
    even = np.full(8, 1 / 8)
    each = [mechanism.sum_variance(even, flags.astype(np.float64), 1) for flags in groups]
    assert made.loss == pytest.approx(sum(each))
    assert made.bound <= made.loss
    assert made.gap < 2e-3
    assert 1.05 * made.bound > made.loss  # a bound that is 5 % higher would be wrong
    for other in (design(policy), design_for_largest(policy).design):
        assert form_loss(other.channel.floats(), even, form) > 1.2 * made.loss


def test_known_answers() -> None:
    levels = uneven(6, 3, 0.5, 3.0)
    policy = DenseMatrix.of(levels)
    ones = design_for_form(policy, np.eye(6))
    assert ones.loss == pytest.approx(design(policy).loss, rel=2e-3)
    assert ones.bound == pytest.approx(design(policy).bound, rel=2e-3)
    # In plain LDP pairs are best reported as if they were the values.
    pairs = design_for_form(Context.plain(8, 1.0), form_of_groups(PAIRS))
    value_loss = design(Context.plain(4, 1.0)).loss
    assert pairs.bound <= value_loss * (1 + 1e-9)
    assert pairs.loss == pytest.approx(value_loss, rel=0.02)
    # Weights count, and people are where the prior has them.
    prior = np.array([0.3, 0.3, 0.1, 0.1, 0.1, 0.1])
    form = form_of_groups(np.kron(np.eye(3), [1, 1]), [4.0, 1.0, 1.0])
    made = design_for_form(policy, form, prior)
    even = design_for_form(policy, form_of_groups(np.kron(np.eye(3), [1, 1])), prior)
    assert made.loss < form_loss(even.design.channel.floats(), prior, form)
    assert made.gap < 5e-3


def test_parts_that_never_meet_are_designed_apart() -> None:
    levels = np.full((6, 6), np.inf)
    levels[:3, :3] = levels[3:, 3:] = 1.0
    np.fill_diagonal(levels, 0.0)
    form = form_of_groups([[1, 1, 0, 0, 0, 0], [0, 0, 1, 1, 0, 0], [0, 0, 0, 0, 1, 1]])
    made = design_for_form(DenseMatrix.of(levels), form)
    assert made.bound <= made.loss
    assert made.gap < 0.02


def test_what_is_no_form_is_refused() -> None:
    policy = Context.plain(3, 1.0)
    for wrong in (np.eye(2), -np.eye(3), np.zeros((3, 3)), np.triu(np.ones((3, 3)))):
        with naming(str(wrong)), pytest.raises(CaldpError, match="form must be 3 × 3"):
            design_for_form(policy, wrong)
    with pytest.raises(CaldpError, match="groups must be"):
        form_of_groups([[0, 0, 0]])
    with pytest.raises(CaldpError, match="weights must be"):
        form_of_groups([[1, 1, 0]], [0.0])
    with pytest.raises(CaldpError, match="makes values one"):
        design_for_form(
            DenseMatrix.of([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]]), np.eye(3)
        )
    with pytest.raises(CaldpError, match="every extreme ray"):
        design_for_form(DenseMatrix.of(uneven(12, 3, 0.5, 3.0)), np.eye(12), entries=1000)
