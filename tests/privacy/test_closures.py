"""Sums of promises, and what they imply by detours."""

import math
from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import DENSE_MAX_ENTRIES
from caldp_core.privacy.context import Context, dense
from caldp_core.privacy.matrix import DenseMatrix, closure, released_together, sum_up
from tests.channels import F, channels, contexts, holds, least_promise, matrices
from tests.contract.contexts import CONTEXTS, context


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_sums_are_the_least_floats_that_are_not_below(a: float, b: float) -> None:
    total = float(sum_up(np.array(a), np.array(b)))
    exact = F(a) + F(b)
    assert F(total) >= exact
    assert total == 0 or F(float(np.nextafter(total, 0.0))) < exact


def test_infinite_sums() -> None:
    one, two = np.array([np.inf, 1.0, np.inf, 1e308]), np.array([1.0, np.inf, np.inf, 1e308])
    with np.errstate(over="ignore"):
        assert np.isposinf(sum_up(one, two)).all()


@pytest.mark.parametrize("kind", CONTEXTS)
def test_contexts_add_up_entry_by_entry(kind: str) -> None:
    one, two = context(kind, 1.0), context(kind, 0.3)
    total = dense(released_together(one, two, two))
    np.testing.assert_allclose(total, dense(one) + 2 * dense(two), rtol=1e-15)
    assert (total >= dense(one) + dense(two)).all()


def test_releases_of_large_contexts_add_up_without_being_written_out() -> None:
    k = 43_750
    blocks = Context.block_structured(np.arange(k) % 875, 1.0)
    both = released_together(Context.plain(k, 0.5), blocks)
    assert both.k == k
    assert both.between([0, 0, 0], [875, 1, 0]).tolist() == [1.5, math.inf, 0.0]
    with pytest.raises(CaldpError, match="at most 4,000,000 entries"):
        dense(both)


def test_unlike_domains_do_not_add_up() -> None:
    with pytest.raises(CaldpError, match=r"sizes \[2, 3\]"):
        released_together(Context.plain(2, 1.0), Context.plain(3, 1.0))
    with pytest.raises(CaldpError, match="over one domain"):
        released_together()


@given(contexts())
def test_contexts_are_closed_already(policy: Context) -> None:
    np.testing.assert_array_equal(closure(policy).entries, dense(policy))


@pytest.mark.parametrize("kind", CONTEXTS)
def test_sums_of_contexts_are_closed_already(kind: str) -> None:
    total = released_together(context(kind, 1.0), context(kind, 0.25))
    np.testing.assert_array_equal(closure(total).entries, dense(total))


@given(matrices(4))
def test_the_closure_is_the_shortest_way_by_brute_force(policy: DenseMatrix) -> None:
    found = closure(policy).entries
    for x, z in permutations(range(4), 2):
        rest = [y for y in range(4) if y not in (x, z)]
        ways = [[x, *between, z] for r in range(3) for between in permutations(rest, r)]
        lengths = [[policy.entries[a, b] for a, b in pairwise(way)] for way in ways]
        finite = [sum(map(F, steps)) for steps in lengths if np.isfinite(steps).all()]
        if not finite:
            assert np.isposinf(found[x, z])
            continue
        exact = min(finite)
        assert exact <= F(found[x, z]) <= exact * (1 + F(1, 10**15)) + F(1, 10**300)


@given(channels(4), matrices(4, st.sampled_from([0.0, 0.5, 2.0, math.inf])))
def test_whoever_keeps_a_matrix_keeps_its_closure(
    channel: list[list[Fraction]], extra: DenseMatrix
) -> None:
    policy = released_together(least_promise(channel), extra)
    assert holds(channel, policy)
    assert holds(channel, closure(policy))


def test_a_detour_that_is_shorter() -> None:
    line = DenseMatrix.of([[0, 1, 9], [1, 0, 1], [9, 1, 0]])
    np.testing.assert_array_equal(closure(line).entries, [[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    assert not closure(line).entries.flags.writeable


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ([[0, 1]], "square matrix, got shape"),
        ([0], "square matrix, got shape"),
        (np.zeros((0, 0)), "square matrix, got shape"),
        ([[0, -1], [1, 0]], r"in \[0, inf\], got -1.0"),
        ([[0, math.nan], [1, 0]], "got nan"),
        ([[1, 1], [1, 0]], "0 on the diagonal, got 1.0"),
        ([["a"]], "square matrix of numbers"),
        ([[0, 1], [0]], "square matrix of numbers"),
        (np.zeros((2001, 2001)), f"at most {DENSE_MAX_ENTRIES:,}"),
    ],
)
def test_matrices_that_are_none(entries: object, words: str) -> None:
    with pytest.raises(CaldpError, match=words):
        DenseMatrix.of(entries)  # type: ignore[arg-type]


@pytest.mark.parametrize("symbol", [-1, 2])
def test_pairs_off_the_domain_are_refused(symbol: int) -> None:
    matrix = DenseMatrix.of([[0, 1], [2, 0]])
    assert matrix.between([0, 1], [1, 0]).tolist() == [1, 2]
    with pytest.raises(CaldpError, match="x must"):
        matrix.between([symbol], [0])
