"""Rows of bits packed into 64-bit words: the one layout of reports that are sets of symbols.

Bit i of a row is bit i mod 64 of its word ⌊i/64⌋; a row of `size` bits has `words_for(size)` words
or more, and 0 in all bits from `size` on.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.types import Bools, Ints, Words
from caldp_core.mechanisms.randomness.coins import WORD_BITS

_ONE: Final = np.uint64(1)
_CHUNK_WORDS: Final = 1 << 16
"""Words counted at a time, so that they stay in the cache; but not fewer rows than the next."""
_CHUNK_ROWS: Final = 1024
_UNPACKED_ROWS_MAX: Final = 15
"""Fewer rows than this are unpacked rather than added."""


def words_for(size: int) -> int:
    """Words that `size` bits take."""
    return -(-size // WORD_BITS)


def full_mask(size: int) -> Words:
    """(words,) the bits 0 … size−1."""
    mask = np.full(words_for(size), 2**64 - 1, np.uint64)
    if size % WORD_BITS:
        mask[-1] = (1 << size % WORD_BITS) - 1
    return mask


def set_bits(rows: Words, at: Ints, bit: Ints, ones: Bools) -> None:
    """Set bit `bit[i]` of row `at[i]` where `ones[i]`, else clear it, in (n, words) `rows`.

    `at`, `bit`, `ones`: (changes,), no row twice.
    """
    word, mask = bit // WORD_BITS, _ONE << (bit % WORD_BITS).astype(np.uint64)
    rows[at, word] = (rows[at, word] & ~mask) | mask * ones


def unpack_bits(rows: Words) -> NDArray[np.uint8]:
    """(n, words) rows → (n, 64·words) zeros and ones, on machines of either byte order."""
    octets = np.ascontiguousarray(rows, "<u8").view(np.uint8)
    return np.unpackbits(octets, axis=1, bitorder="little")


def every_row(size: int) -> Words:
    """(2^size, words) all rows of `size` ≤ 63 bits, counted up in binary."""
    return np.arange(1 << size, dtype=np.uint64)[:, None]


def bit_counts(rows: Words, members: Ints, check: Callable[[Words], None]) -> Ints:
    """(64·words,) in how many of the `members` rows each bit is set.

    `rows`: (n, words); `members`: indices of rows. `check` is handed all of these rows, a part
    at a time, and may raise.
    """
    width = rows.shape[1]
    step = max(_CHUNK_ROWS, _CHUNK_WORDS // width)
    counts = np.zeros(width * WORD_BITS, np.int64)
    for start in range(0, members.size, step):
        part = rows[members[start : start + step]]
        check(part)
        _add_bits(part, counts)
    return counts


def _add_bits(rows: Words, counts: Ints) -> None:
    """Add the rows' bits to `counts` in place, by full adders on whole words.

    Three rows of weight 2^j become one of weight 2^j and one of 2^(j+1), so that a row costs
    about five operations a word.
    """
    weight = 1
    while len(rows):
        carries = []
        while len(rows) >= _UNPACKED_ROWS_MAX:
            third = len(rows) // 3
            a, b, c = rows[:third], rows[third : 2 * third], rows[2 * third : 3 * third]
            either = a ^ b
            total = either ^ c
            either &= c
            either |= a & b
            carries.append(either)
            rows = np.concatenate([total, rows[3 * third :]])
        counts += weight * unpack_bits(rows).sum(axis=0, dtype=np.int64)
        rows = np.concatenate(carries) if carries else rows[:0]
        weight *= 2
