"""The privacy matrix: a context's entries, its special cases, and what it refuses."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN, K_MAX
from caldp_core.privacy.context import Context, dense
from tests.channels import contexts

EPSILON = st.floats(EPSILON_MIN, EPSILON_MAX)


@given(contexts())
def test_entries_are_those_of_the_definition(context: Context) -> None:
    matrix = dense(context)
    for x in range(context.k):
        for other in range(context.k):
            same_block = context.blocks[x] == context.blocks[other]
            if x == other:
                expected = 0.0
            elif context.sensitive[x] and same_block:
                expected = context.epsilon[context.blocks[x]]
            else:
                expected = np.inf
            assert matrix[x, other] == expected


@given(contexts())
def test_the_matrix_is_its_own_shortest_path_closure(context: Context) -> None:
    # CALDP: E implies its closure. In a context no detour is shorter than the direct way.
    matrix = dense(context)
    detours = (matrix[:, :, None] + matrix[None, :, :]).min(axis=1)
    np.testing.assert_array_equal(detours, matrix)


@given(contexts())
def test_hidden_symbols_are_those_with_somebody_to_hide_among(context: Context) -> None:
    matrix = dense(context)
    finite = np.isfinite(matrix) & ~np.eye(context.k, dtype=np.bool_)
    np.testing.assert_array_equal(context.hidden(), finite.any(axis=1))


@given(st.integers(1, 12), EPSILON)
def test_plain_is_one_block_with_everything_sensitive(k: int, epsilon: float) -> None:
    matrix = dense(Context.plain(k, epsilon))
    np.testing.assert_array_equal(matrix, epsilon * (1 - np.eye(k)))


def test_high_low_and_blocks_are_special_cases() -> None:
    flags = np.array([True, False, True])
    e = np.inf
    np.testing.assert_array_equal(
        dense(Context.high_low(flags, 2.0)), [[0, 2, 2], [e, 0, e], [2, 2, 0]]
    )
    np.testing.assert_array_equal(
        dense(Context.block_structured([1, 0, 1], [0.5, 2.0])), [[0, e, 2], [e, 0, e], [2, e, 0]]
    )


def test_contexts_are_frozen_copies() -> None:
    labels, flags = np.array([0, 0, 1]), np.array([True, True, False])
    context = Context.of(labels, flags, 1.0)
    before = context.fingerprint()
    labels[0], flags[0] = 1, False
    assert context.fingerprint() == before
    for array in (context.blocks, context.sensitive, context.epsilon):
        assert not array.flags.writeable
    assert context.m == 2
    assert context.block_sizes().tolist() == [2, 1]


def test_fingerprints_tell_contexts_apart() -> None:
    flags = np.array([True, True, False])
    contexts = [
        Context.of([0, 0, 1], flags, 1.0),
        Context.of([0, 1, 1], flags, 1.0),
        Context.of([0, 0, 1], ~flags, 1.0),
        Context.of([0, 0, 1], flags, [1.0, 2.0]),
        Context.of([0, 0, 1], flags, np.nextafter(1.0, 2.0)),
        Context.plain(3, 1.0),
    ]
    assert len({context.fingerprint() for context in contexts}) == len(contexts)
    again = Context.of(np.array([0, 0, 1], np.int32), flags, [1.0, 1.0])
    assert again.fingerprint() == contexts[0].fingerprint()


@pytest.mark.parametrize(
    ("blocks", "sensitive", "epsilon", "words"),
    [
        ([0, 0], [True, True], 0.0, "epsilon must be in [0.001, 20], got 0.0"),
        ([0, 0], [True, True], -1.0, "got -1.0"),
        ([0, 0], [True, True], 20.000001, "epsilon must"),
        ([0, 0], [True, True], float("nan"), "got nan"),
        ([0, 0], [True, True], "much", "got 'much'"),
        ([0, 0], [True, True], None, "epsilon must"),
        ([0, 1], [True, True], [1.0, 0.0], "got 0.0"),
        ([0, 1], [True, True], [1.0, 1.0, 1.0], "one per block (2), got shape (3,)"),
        ([0, 0], [True], 1.0, "sensitive must be 2 booleans"),
        ([0, 0], [1, 0], 1.0, "booleans"),
        ([0, 2], [True, True], 1.0, "below k = 2, got 2"),
        ([0, 2, 2], [True, True, True], 1.0, "label 1 is unused"),
        ([-1, 0], [True, True], 1.0, "from 0 on, got -1"),
        ([0.0, 1.0], [True, True], 1.0, "one whole number per symbol"),
        ([[0, 0]], [[True, True]], 1.0, "got shape (1, 2)"),
        ([], [], 1.0, "one whole number per symbol"),
    ],
)
def test_contexts_that_are_none(
    blocks: object, sensitive: object, epsilon: object, words: str
) -> None:
    with pytest.raises(CaldpError, match=re.escape(words)):
        Context.of(blocks, sensitive, epsilon)  # type: ignore[arg-type]


@pytest.mark.parametrize("k", [0, K_MAX + 1, 1.5])
def test_plain_needs_a_domain_size(k: object) -> None:
    with pytest.raises(CaldpError, match="k must be"):
        Context.plain(k, 1.0)  # type: ignore[arg-type]


def test_too_large_a_dense_matrix_is_refused_with_its_limit() -> None:
    with pytest.raises(CaldpError, match="at most 4,000,000 entries"):
        dense(Context.plain(2001, 1.0))


@pytest.mark.parametrize("symbol", [-1, 3])
def test_pairs_off_the_domain_are_refused(symbol: int) -> None:
    context = Context.plain(3, 1.0)
    with pytest.raises(CaldpError, match=r"x must hold symbols in \[0, 2\]"):
        context.between([symbol], [0])
    with pytest.raises(CaldpError, match="x_other must"):
        context.between([0], [symbol])
