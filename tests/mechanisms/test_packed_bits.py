"""Packed bits: set where they belong, counted like unpacked ones, listed in the channel's order."""

import numpy as np
import pytest

from caldp_core.basics.types import Ints, Words
from caldp_core.mechanisms.oracles.supports import (
    bit_counts,
    every_row,
    full_mask,
    set_bits,
    unpack_bits,
    words_for,
)
from caldp_core.mechanisms.oracles.unary import product_law


def random_rows(n: int, size: int) -> Words:
    rng = np.random.default_rng(n)
    rows = rng.integers(0, 2**64 - 1, (n, words_for(size)), np.uint64, endpoint=True)
    return rows & full_mask(size)


def one_by_one(rows: Words, size: int) -> Ints:
    """(n, size) bits, each by a shift of its word: a route of its own."""
    bits = [(rows[:, i // 64] >> np.uint64(i % 64)) & np.uint64(1) for i in range(size)]
    return np.stack(bits, axis=1).astype(np.int64)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 14, 15, 16, 46, 100, 1001, 3000])
@pytest.mark.parametrize("size", [1, 63, 64, 65, 200])
def test_adders_count_what_single_bits_count(n: int, size: int) -> None:
    rows = random_rows(n, size)
    before, handed = rows.copy(), list[Words]()
    members = np.flatnonzero(np.arange(n) % 5 != 1)
    counts = bit_counts(rows, members, handed.append)
    bits = one_by_one(rows, size)
    np.testing.assert_array_equal(counts[:size], bits[members].sum(axis=0))
    assert not counts[size:].any()
    np.testing.assert_array_equal(rows, before)
    np.testing.assert_array_equal(np.concatenate([rows[:0], *handed]), rows[members])
    np.testing.assert_array_equal(unpack_bits(rows)[:, :size], bits)


def test_many_rows_are_counted_in_parts() -> None:
    ones = np.full((200_000, 2), full_mask(128))
    assert (bit_counts(ones, np.arange(200_000), lambda rows: None) == 200_000).all()


@pytest.mark.parametrize("size", [21, 64, 130])
def test_bits_are_set_and_cleared_where_they_belong(size: int) -> None:
    rng = np.random.default_rng(size)
    rows = random_rows(5000, size)
    bits = one_by_one(rows, size)
    at = rng.permutation(5000)[:3000]
    bit, ones = rng.integers(0, size, at.size), rng.random(at.size) < 0.5
    set_bits(rows, at, bit, ones)
    bits[at, bit] = ones
    np.testing.assert_array_equal(one_by_one(rows, size), bits)


def test_rows_and_their_probabilities_are_in_one_order() -> None:
    rows = one_by_one(every_row(5), 5)
    law = product_law([1, 2, 3, 5, 7], 11)
    assert len(rows) == len(law) == 32
    for row, numerator in zip(rows, law, strict=True):
        chances = [c if bit else 11 - c for bit, c in zip(row, (1, 2, 3, 5, 7), strict=True)]
        assert numerator == np.prod(chances)
