"""What the designer must find again, by the formulas of those who found it first; its proofs."""

import math

import numpy as np
import pytest

from caldp_core.audit.pairwise import audit_channel
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.mechanisms.base import Mechanism
from caldp_core.mechanisms.catalogue import FAMILIES, mechanism
from caldp_core.mechanisms.designed.design import Design, DesignedMechanism, design
from caldp_core.mechanisms.direct.few_values import BinaryMechanism
from caldp_core.mechanisms.direct.geometric_axis import GridGeometricMechanism
from caldp_core.privacy.context import Context, PrivacyMatrix, dense
from caldp_core.privacy.distance import GridMetric
from caldp_core.privacy.matrix import BinaryPolicy, DenseMatrix
from tests.audit.channels import exact_audit
from tests.contract.checks import check_progress
from tests.designs import INF, line, plane, uneven

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
    assert made.loss < 1.0001 * min(total(mechanism(policy, name)) for name in FAMILIES)


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
    best = min(total(mechanism(policy, name)) for name in FAMILIES)
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


@pytest.mark.parametrize(("k", "epsilon"), [(64, 1.0)])
def test_sixty_four_symbols_come_within_a_percent_of_the_best_known(k: int, epsilon: float) -> None:
    policy = Context.plain(k, epsilon)
    made = design(policy)
    assert made.loss < 1.01 * total(mechanism(policy, "subset-selection"))
    assert made.gap < 0.01
    assert made.exact


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
