"""The audit entry by entry: it agrees with the whole one, and each entry is decided by itself."""

import math
from fractions import Fraction

import numpy as np
import pytest

from caldp_core.audit.pairwise import audit_cells, audit_channel
from caldp_core.basics.errors import CaldpError
from caldp_core.mechanisms import FAMILIES, catalogue
from caldp_core.privacy.context import Context, dense
from caldp_core.privacy.matrix import DenseMatrix, as_context
from tests.contract.checks import naming

INF = math.inf
BOTH = Context.of([0, 0, 0, 1, 1], np.array([True, False, True, True, False]), [1.0, 0.5])


def test_entries_agree_with_the_whole_and_with_ratios_of_floats() -> None:
    for family in FAMILIES:
        with naming(family):
            mechanism = catalogue.in_context(BOTH, family)
            channel = mechanism.exact_channel()
            cells, whole = audit_cells(channel, BOTH), audit_channel(channel, BOTH)
            assert len(cells) == 20
            assert all(cell.holds for cell in cells) == whole.holds
            worst = max(c.leak.privacy_loss - c.leak.epsilon for c in cells if c.leak.epsilon < INF)
            assert whole.worst is not None
            assert worst == pytest.approx(whole.worst.privacy_loss - whole.worst.epsilon, abs=1e-12)
            rows = np.array(channel, dtype=np.float64)
            for cell in cells:
                with np.errstate(divide="ignore", invalid="ignore"):
                    ratios = np.log(rows[cell.leak.x] / rows[cell.leak.x_other])
                assert np.nanmax(ratios) == pytest.approx(cell.leak.privacy_loss)


def test_one_entry_fails_by_itself() -> None:
    channel = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
    for back, kept in ((1.1, True), (1.0986, False), (INF, True), (0.0, False)):
        cells = audit_cells(channel, DenseMatrix.of([[0, 1.1], [back, 0]]))
        assert [cell.holds for cell in cells] == [True, kept]
        assert [cell.leak.output for cell in cells] == [0, 1]
    never = [[Fraction(1), Fraction(0)], [Fraction(1, 2), Fraction(1, 2)]]
    cells = audit_cells(never, DenseMatrix.of([[0, 20], [20, 0]]))
    assert [cell.holds for cell in cells] == [True, False]
    assert math.isinf(cells[1].leak.privacy_loss)


def test_floats_and_other_shapes_are_refused() -> None:
    with pytest.raises(CaldpError, match="audited in rationals"):
        audit_cells([[0.5, 0.5], [0.5, 0.5]], DenseMatrix.of([[0, 1], [1, 0]]))  # type: ignore[list-item]
    with pytest.raises(CaldpError, match="needs 3 rows"):
        audit_cells([[Fraction(1)]], Context.plain(3, 1.0))


def test_a_matrix_is_known_again_as_the_context_that_it_is() -> None:
    for context in (
        BOTH,
        Context.plain(4, 2.0),
        Context.high_low(np.array([True, False, False]), 0.1),
        Context.high_low(np.array([False, False]), 1.0),
        Context.block_structured([1, 0, 1, 0], [0.5, 2.0]),
    ):
        levels = dense(context)
        found = as_context(DenseMatrix.of(levels))
        assert found is not None
        assert np.array_equal(dense(found), levels)


def test_what_is_no_context_is_not_taken_for_one() -> None:
    line = np.abs(np.subtract.outer(np.arange(3), np.arange(3))).astype(float)
    for levels in (
        line,
        [[0, 1, 1], [1, 0, 1], [1, 2, 0]],
        [[0, 1, INF], [INF, 0, 1], [INF, INF, 0]],
        [[0, 21], [21, 0]],
        [[0, 0.0], [0.0, 0]],
    ):
        assert as_context(DenseMatrix.of(levels)) is None
