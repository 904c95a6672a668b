"""Designs for the largest error: what is proved, known answers, and a sum's that is worse."""

import numpy as np
import pytest

from caldp_core.audit.pairwise import audit_channel
from caldp_core.basics.types import Floats
from caldp_core.mechanisms.designed.design import (
    DesignedMechanism,
    design,
    design_for_largest,
    variances,
)
from caldp_core.privacy.context import Context
from caldp_core.privacy.matrix import DenseMatrix
from tests.designs import line, uneven


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


def test_values_that_are_alike_have_one_variance_already() -> None:
    policy = Context.plain(5, 1.0)
    made = design_for_largest(policy)
    assert made.gap < 1e-3
    assert made.loss == pytest.approx(design(policy).loss / 5, rel=1e-3)


def test_values_that_cannot_be_told_apart_count_as_their_sum() -> None:
    levels = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    made = design_for_largest(DenseMatrix.of(levels))
    assert made.loss == pytest.approx(variances(made.design).max())
    assert np.ptp(variances(made.design)) < 1e-6 * made.loss  # a share and its rest
