"""Designs against known optima, open values, stars and merged problems; their proofs."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caldp_core.audit.pairwise import audit_channel
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats, no_progress
from caldp_core.mechanisms.base import Mechanism
from caldp_core.mechanisms.catalogue import FAMILIES, mechanism
from caldp_core.mechanisms.designed import relaxation
from caldp_core.mechanisms.designed.columns import ColumnScore, clear_columns, climb, extreme_rays
from caldp_core.mechanisms.designed.design import Design, DesignedMechanism, design
from caldp_core.mechanisms.designed.master import AllRays, WeightedColumns, generate
from caldp_core.mechanisms.designed.problem import Classes, ConnectedPart
from caldp_core.mechanisms.designed.relaxation import (
    Merged,
    covering,
    merged_bounds,
    near_groups,
    relaxed_bound,
    star,
    star_cut,
)
from caldp_core.mechanisms.direct.few_values import BinaryMechanism
from caldp_core.mechanisms.direct.planar import GridGeometricMechanism
from caldp_core.privacy.context import Context, PrivacyMatrix, dense
from caldp_core.privacy.distance import GridMetric
from caldp_core.privacy.matrix import BinaryPolicy, DenseMatrix, closure
from tests.channels import INF, all_rays, exact_audit, line, plane, uneven
from tests.contract.checks import check_progress
from tests.strategies import examples

FOUND = 1e-4
"""Relative: how near a design comes to what is known to be the best."""


def total(of: Mechanism, prior: Floats | None = None) -> float:
    """Σ n·Var(p̂_x) by the mechanism's own formula, people even if not said."""
    return float(of.variance(np.full(of.k, 1 / of.k) if prior is None else prior, 1).sum())


def sort_columns(columns: Floats) -> Floats:
    return columns[:, np.lexsort(np.round(columns, 6))]


@pytest.mark.parametrize("levels", [(1.0, 1.0), (0.5, 2.0), (INF, 1.0), (3.0, INF), (0.01, 0.02)])
@pytest.mark.parametrize("prior", [0.5, 0.1])
def test_two_symbols_give_theorem_2_and_so_warner_and_mangat(
    levels: tuple[float, float], prior: float
) -> None:
    best = BinaryMechanism(BinaryPolicy(*levels))
    shares = np.array([prior, 1 - prior])
    made = design(best.policy, shares)
    assert made.loss == pytest.approx(total(best, shares), rel=FOUND)
    theirs = np.array([[float(q) for q in row] for row in best.exact_channel()])
    np.testing.assert_allclose(
        sort_columns(made.channel.floats()), sort_columns(theirs), rtol=0, atol=FOUND
    )


def test_many_symbols_at_a_large_epsilon_give_randomized_response() -> None:
    k, epsilon = 6, 4.0
    policy = Context.plain(k, epsilon)
    made = design(policy)
    other = 1 / (k - 1 + math.exp(epsilon))
    expected = np.full((k, k), other) + np.eye(k) * (math.exp(epsilon) - 1) * other
    np.testing.assert_allclose(
        sort_columns(made.channel.floats()), sort_columns(expected), rtol=0, atol=FOUND
    )
    assert made.loss == pytest.approx(total(mechanism(policy, "randomized-response")), rel=FOUND)


@pytest.mark.parametrize(("k", "epsilon"), [(8, 1.0), (6, 1.0), (9, 0.3), (5, 2.0)])
def test_plain_ldp_gives_subset_selection(k: int, epsilon: float) -> None:
    policy = Context.plain(k, epsilon)
    made = design(policy)
    assert made.loss == pytest.approx(total(mechanism(policy, "subset-selection")), rel=FOUND)
    assert made.loss < 1.0001 * min(total(entry.make(policy)) for entry in FAMILIES.values())


def test_subset_selection_at_eight_symbols_by_formula() -> None:
    k, d, power = 8, 2, math.e
    made = design(Context.plain(k, 1.0))
    # A report is a set of d symbols, e times as likely for those in it: v is e or 1, scaled to
    # mean 1. M has the eigenvalue k at 1, whose 1/k is the loss's π², and k − 1 equal ones.
    both = k * (d * power**2 + k - d) / (d * power + k - d) ** 2
    own = (both - 1) * k / (k - 1)
    assert made.loss == pytest.approx((k - 1) / own, rel=FOUND)
    high = made.channel.floats() > 1.5 * made.channel.floats().min(axis=0)
    assert set(high.sum(axis=0).tolist()) == {d}


@pytest.mark.parametrize("hidden", [1, 2, 3])
def test_few_sensitive_symbols_give_uldps_randomized_response(hidden: int) -> None:
    policy = Context.high_low(np.arange(8) < hidden, 1.0)
    best = total(mechanism(policy, "randomized-response"))
    assert design(policy).loss == pytest.approx(best, rel=FOUND)


def test_more_sensitive_symbols_give_less_than_any_family_has() -> None:
    policy = Context.high_low(np.arange(8) < 4, 1.0)
    best = min(total(entry.make(policy)) for entry in FAMILIES.values())
    assert design(policy).loss < 0.998 * best


@pytest.mark.parametrize("step", [2.0, 4.0])
def test_a_line_with_large_steps_gives_the_truncated_geometric_staircase(step: float) -> None:
    policy = GridMetric(1, 6, 1.0, step)
    assert design(policy).loss == pytest.approx(total(GridGeometricMechanism(policy)), rel=FOUND)


@pytest.mark.parametrize("step", [0.2, 1.0, 3.0])
def test_every_report_on_a_line_is_a_staircase(step: float) -> None:
    made = design(GridMetric(1, 6, 1.0, step))
    steps = np.abs(np.diff(np.log(made.channel.floats()), axis=0))
    np.testing.assert_allclose(steps, step, rtol=1e-6)
    assert made.loss <= total(GridGeometricMechanism(GridMetric(1, 6, 1.0, step))) * (1 + 1e-6)


def test_small_steps_are_worth_much_more_than_geometric_noise_gets_out_of_them() -> None:
    policy = GridMetric(1, 6, 1.0, 0.2)
    assert design(policy).loss < 0.2 * total(GridGeometricMechanism(policy))


POLICIES: dict[str, PrivacyMatrix] = {
    "binary": BinaryPolicy(0.5, INF),
    "context": Context.of([0, 0, 0, 0, 1, 1, 1], np.arange(7) % 3 > 0, [1.0, 2.0]),
    "line": DenseMatrix.of(line(10, 1.0)),
    "long line": DenseMatrix.of(line(10, 30.0)),
    "plane": DenseMatrix.of(plane(8, 1)),
    "uneven": DenseMatrix.of(uneven(8, 2, 0.001, 3.0)),
    "detours": DenseMatrix.of([[0, 9, 1], [1, 0, 9], [9, 1, 0]]),
    "nobody hidden": DenseMatrix.of([[0, INF], [INF, 0]]),
    "alone": DenseMatrix.of([[0]]),
}


@pytest.mark.parametrize("kind", POLICIES)
def test_every_policy_is_kept_exactly_and_the_bound_stands(kind: str) -> None:
    policy = POLICIES[kind]
    made = design(policy)
    assert exact_audit(DesignedMechanism(made)).holds
    assert made.bound <= made.loss
    assert made.gap < 0.01
    halved = DenseMatrix.of(dense(policy) / 2)
    hides = bool(np.isfinite(dense(policy) + np.diag(np.full(policy.k, INF))).any())
    assert audit_channel(DesignedMechanism(made).exact_channel(), halved).holds != hides


def test_symbols_at_level_0_send_the_same_and_the_others_are_told_apart() -> None:
    levels = line(4, 1.0)
    levels[0, 1] = 0.0  # one way is enough
    made = design(DenseMatrix.of(levels))
    assert made.channel.numerators[0] == made.channel.numerators[1]
    assert made.channel.numerators[1] != made.channel.numerators[2]
    # The distances from the pair are the shorter ones.
    merged = design(DenseMatrix.of(line(3, 1.0)), [2, 1, 1], [2, 1, 1])
    assert made.loss == pytest.approx(merged.loss, rel=1e-6)
    assert made.gap < FOUND
    same = DesignedMechanism(made)
    with pytest.raises(CaldpError, match="same reports"):
        same.estimate(same.tally([0, 1]))


def test_prior_and_weights_move_the_design() -> None:
    policy = DenseMatrix.of(line(5, 0.7))
    even, tilted = design(policy), design(policy, [8, 1, 1, 1, 1], [1, 1, 1, 1, 9])

    def loss(channel: Floats, of: Design) -> float:
        inverse = np.linalg.inv(channel / (of.prior @ channel) @ channel.T)
        return float(of.weights @ (inverse.diagonal() - of.prior**2))

    for of, other in ((even, tilted), (tilted, even)):
        assert of.loss == pytest.approx(loss(of.channel.floats(), of), rel=1e-9)
        assert of.loss < 0.99 * loss(other.channel.floats(), of)
        assert loss(other.channel.floats(), of) > of.bound


def test_where_rays_are_too_many_the_gap_is_said_and_is_not_exact() -> None:
    policy = DenseMatrix.of(line(10, 1.0))
    best = design(policy)
    made = design(policy, entries=2_000)
    assert best.exact
    assert made.bound <= best.bound * (1 + 1e-6)
    assert best.loss * (1 - 1e-6) <= made.loss < best.loss * 1.001
    assert not made.exact
    assert 0 < made.gap < 0.005


@pytest.mark.parametrize("entries", [0, 10**9])
def test_entries_that_are_asked_for_are_bounded(entries: int) -> None:
    with pytest.raises(CaldpError, match="entries must be between 1 and"):
        design(DenseMatrix.of(line(3, 1.0)), entries=entries)


def test_progress_rises_to_the_end_and_cancels() -> None:
    blocks, few = Context.of([0, 0, 0, 1, 1], np.ones(5, bool), 1.0), DenseMatrix.of(line(5, 1.0))
    assert check_progress(lambda progress: design(blocks, progress=progress))[-1] > 0.9
    check_progress(lambda progress: design(few, progress=progress))


@pytest.mark.parametrize(
    ("levels", "prior", "weights", "words"),
    [
        (line(3, 0.0001), None, None, "at least 0.001"),
        (line(3, 1.0), [1, 0, 1], None, "prior must be 3 positive"),
        (line(3, 1.0), [1, 1e-9, 1], None, "prior must give every symbol"),
        (line(3, 1.0), None, [1, 1], "weights must be 3 positive"),
        (line(3, 1.0), None, ["a", 1, 1], "weights must be 3 positive"),
        (line(257, 1.0), None, None, "at most 256 symbols"),
    ],
)
def test_bad_input_gets_one_sentence(
    levels: Floats, prior: object, weights: object, words: str
) -> None:
    with pytest.raises(CaldpError, match=words):
        design(DenseMatrix.of(levels), prior, weights)  # type: ignore[arg-type]


FEW = 1
"""Entries of extreme rays: so few that columns are always searched for."""


def by_rows(levels: list[float]) -> Floats:
    """E[x, x′] = `levels`[x] for every x′ ≠ x."""
    rows = np.repeat(np.array(levels)[:, None], len(levels), axis=1)
    np.fill_diagonal(rows, 0.0)
    return rows


def designer_open_total(family: str, policy: Context, prior: Floats) -> float:
    return float(FAMILIES[family].make(policy).variance(prior, 1).sum())


SOME_OPEN = [0.5 + 0.1 * i for i in range(18)] + [INF] * 2
MANY_OPEN = [1.0] * 16 + [INF] * 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("levels", "prior"),
    [
        (SOME_OPEN, 1 / np.arange(1, 21)),
        pytest.param(MANY_OPEN, np.arange(1.0, 21), marks=pytest.mark.thorough),
        pytest.param(MANY_OPEN, np.arange(20.0, 0, -1), marks=pytest.mark.thorough),
    ],
)
def test_beside_open_values_the_design_beats_every_family(
    levels: list[float], prior: Floats
) -> None:
    made = design(DenseMatrix.of(by_rows(levels)), prior)
    exact_audit(DesignedMechanism(made))
    least = Context.high_low(np.isfinite(levels), min(levels))
    best = min(designer_open_total(family, least, made.prior) for family in FAMILIES)
    assert made.loss < best
    assert 0 < made.gap < 0.15


@st.composite
def problems(draw: st.DrawFn) -> tuple[Floats, Floats, Floats]:
    """E, prior and weights: some values open to all, or to some, or mixed levels."""
    k = draw(st.integers(3, 7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["own level", "one level", "open rows", "open pairs", "wide"]))
    is_open = rng.random(k) < 0.4
    if kind == "own level":
        levels = by_rows(np.where(is_open, INF, rng.uniform(0.1, 3, k)).tolist())
    elif kind == "one level":
        levels = by_rows(np.where(is_open, INF, rng.choice([0.05, 1.0, 5.0])).tolist())
    else:
        high = 1.3 if kind != "wide" else 3.0
        levels = np.exp(rng.uniform(-1.6, high, (k, k)))
        away = rng.random((k, k)) < 0.5 if kind == "open pairs" else is_open[:, None]
        levels = np.where(away, INF, levels)
    np.fill_diagonal(levels, 0.0)
    return levels, rng.dirichlet(np.full(k, 0.5)) + 1e-4, rng.uniform(0.2, 5, k)


def assert_holds(levels: Floats, prior: Floats, weights: Floats) -> Design:
    """Found by search, the design keeps E, and is as good as where all rays are looked at."""
    policy = DenseMatrix.of(levels)
    searched, best = design(policy, prior, weights, entries=FEW), design(policy, prior, weights)
    exact_audit(DesignedMechanism(searched))
    assert searched.loss <= best.loss * 1.005
    assert searched.bound <= best.loss * (1 + 1e-9)
    return searched


@pytest.mark.slow
@examples(one_in=6)
@given(problems())
def test_search_finds_what_all_rays_give(problem: tuple[Floats, Floats, Floats]) -> None:
    assert_holds(*problem)


@pytest.mark.parametrize("seed", range(3))
def test_columns_that_climb_keep_every_ratio_and_reach_zero(seed: int) -> None:
    """Beside open values entries fall by many orders; none may leave E by more than rounding."""
    rng = np.random.default_rng(seed)
    levels = by_rows([1.0] * 8 + [INF] * 3)
    k = len(levels)
    quadratic = np.diag(np.where(np.arange(k) < 8, 1.0, 50.0))
    worth = ColumnScore(quadratic, rng.normal(size=k), rng.dirichlet(np.full(k, 10.0)))
    start = np.exp(rng.uniform(-0.5, 0.5, (200, k)))
    start[:, 8:] *= np.exp(rng.uniform(0, 6, (200, 3)))
    v = climb(start, levels, worth, rng)
    zeros = clear_columns(v, levels, worth)
    for columns in (v, zeros):
        assert (columns.max(axis=1) > 0).all()
        over = columns[:, :8, None] > np.exp(1.0) * (1 + 1e-12) * columns[:, None, :]
        assert not over.any()
    assert (worth(v) >= worth(start) - 1e-6).all()
    assert (zeros == 0).sum() > (v == 0).sum()


def test_a_bound_above_the_loss_is_refused_not_hidden() -> None:
    made = design(Context.plain(4, 1.0))
    assert 0 <= made.gap < 1e-4
    with pytest.raises(CaldpError, match="on the loss of every channel is wrong"):
        Design(
            made.policy, made.prior, made.weights, made.channel, made.loss, 1.001 * made.loss, True
        )


def part_of(levels: Floats, seed: int = 3) -> ConnectedPart:
    """With uneven prior and weights, no two symbols being twins."""
    rng, k = np.random.default_rng(seed), len(levels)
    prior = rng.uniform(1, 4, k)
    return ConnectedPart(
        closure(DenseMatrix.of(levels)).entries, prior / prior.sum(), rng.uniform(1, 2, k)
    )


def best_of(part: ConnectedPart) -> WeightedColumns:
    """The optimum by brute-force rays."""
    classes = Classes(np.arange(len(part.prior)), part.prior, part.weights)
    with np.errstate(divide="ignore"):
        every = classes.columns(np.log(all_rays(part.levels)))
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
    # It is not a trivial number: with levels 2.5 times as large some channel loses less.
    wider = best_of(ConnectedPart(2.5 * part.levels, part.prior, part.weights)).information.loss
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
    assert star_cut(ConnectedPart(levels, part.prior, part.weights), best, no_progress) is None


def test_plain_ldp_is_proved_nearly_tight_for_any_prior() -> None:
    policy, prior = Context.plain(9, 1.0), 1 / np.arange(1, 10)
    truth = design(policy, prior)
    assert truth.exact
    made = design(policy, prior, entries=1_000)
    assert not made.exact
    assert made.bound <= truth.bound * (1 + 1e-6)
    assert made.gap < 0.02


WIDE = 1e-9
"""Nats, or relative: rounding."""


def designer_merged_part_of(levels: Floats, seed: int = 0) -> ConnectedPart:
    """With uneven prior and weights, no two symbols being twins."""
    rng, k = np.random.default_rng(seed), len(levels)
    prior = rng.uniform(1, 2, k)
    return ConnectedPart(
        closure(DenseMatrix.of(levels)).entries, prior / prior.sum(), rng.uniform(1, 2, k)
    )


def designer_merged_best_of(part: ConnectedPart) -> WeightedColumns:
    """The optimum, by all rays."""
    classes = part.classes()
    rays = extreme_rays(part.levels, classes.labels, 10**5)
    assert rays is not None
    source = AllRays(classes, classes.columns(rays), part.levels)
    return generate(source, 1e-6, no_progress)


def one_way(k: int) -> Floats:
    """The last symbol is not protected from the others, nor the first from it."""
    levels = uneven(k, 6)
    levels[-1, :-1] = INF
    return levels


@pytest.mark.parametrize("levels", [uneven(5, 3), line(5, 0.8), one_way(4)])
def test_what_merging_allows_covers_every_extreme_ray_and_hardly_more(levels: Floats) -> None:
    part = designer_merged_part_of(levels)
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
    """Groups of three and two clusters, so that the truth is known as well."""
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
    part = designer_merged_part_of(levels)
    best = designer_merged_best_of(part)
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
    part, ratios = designer_merged_part_of(line(7, 0.5)), relaxation._ratios

    def less(levels: Floats, averages: Floats) -> Floats:
        return 0.8 * ratios(levels, averages)

    monkeypatch.setattr(relaxation, "_ratios", less)
    claimed = sum(cut.bound for cut in merged_bounds(part, no_progress))
    assert claimed > 1.01 * designer_merged_best_of(part).information.loss


@pytest.mark.usefixtures("small")
def test_where_rays_are_too_many_groups_prove_more_than_the_relaxation_does() -> None:
    policy = DenseMatrix.of(uneven(7, 2))
    truth = design(policy)
    made = design(policy, entries=700)
    assert not made.exact
    assert made.bound <= truth.bound * (1 + 1e-4) <= made.loss * (1 + 2e-4)
    assert 0.01 < made.gap < 0.35
