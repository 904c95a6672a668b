"""Designs for sums of values: what is proved, known answers, and other channels, worse ones."""

import numpy as np
import pytest

from caldp_core.audit.pairwise import audit_channel
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.mechanisms.designed.design import (
    DesignedMechanism,
    design,
    design_for_form,
    design_for_largest,
    form_loss,
    form_of_groups,
)
from caldp_core.privacy.context import Context
from caldp_core.privacy.matrix import DenseMatrix
from tests.contract.checks import naming
from tests.designs import line, uneven

PAIRS = np.kron(np.eye(4), [1, 1])
BOXES = np.array([[i <= x < i + 3 for x in range(8)] for i in range(6)])


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
    # In plain LDP pairs are best told as if they were the values.
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
