"""Many coins at once, as the bits of words, and sums of packed bits.

Room: mechanisms; what the unary family's reports are made of and counted with. Bits are packed in
little order: bit i of a report is bit i mod 8 of its byte ⌊i/8⌋.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.types import Ints, Words, WordSource
from caldp_core.mechanisms.randomness.coins import COIN_BITS

WORD_BITS: Final = 64
BYTE_BITS: Final = 8
_ROUNDS: Final = 8
"""Bits that are compared before words without an open lane are left out: then 78 of 100 are."""
_ROWS: Final = 255
"""As many ones as a byte can count."""
_CHUNK: Final = 1 << 20
"""Unpacked bits at a time, so that they stay in the cache."""

Bytes = NDArray[np.uint8]


def random_lanes(size: int, threshold: int, words: WordSource) -> Words:
    """(size,) words whose 64 bits are independent coins, each 1 with probability threshold/2^48.

    Every lane compares a uniform 48-bit number with `threshold` from the highest bit down, and
    stops where they differ; exact, at about ten random bits a coin. `threshold`: in [0, 2^48).
    """
    return _lanes(size, threshold, COIN_BITS, words)


def _lanes(size: int, threshold: int, bits: int, words: WordSource) -> Words:
    less = np.zeros(size, np.uint64)
    equal = np.full(size, ~np.uint64(0))
    for place in range(bits - 1, bits - _ROUNDS - 1, -1):
        ones = words(size) & equal
        if threshold >> place & 1:
            less |= equal ^ ones
            equal = ones
        else:
            equal ^= ones
    rest = threshold % (1 << (bits - _ROUNDS))
    open_words = np.flatnonzero(equal)
    # Where nothing of the threshold is left, an equal number is not below it.
    if rest and open_words.size:
        finer = _lanes(open_words.size, rest, bits - _ROUNDS, words)
        less[open_words] |= equal[open_words] & finer
    return less


def as_bytes(lanes: Words) -> Bytes:
    """(n, w) words → (n, 8w) bytes in little order, on every machine."""
    return lanes.astype("<u8", copy=False).view(np.uint8)


def set_bits(packed: Bytes, bit: Ints, ones: NDArray[np.bool_]) -> None:
    """In (n, bytes) packed rows, make bit `bit[i]` of row i what `ones[i]` says."""
    rows, at = np.arange(bit.size), bit // BYTE_BITS
    mask = np.left_shift(1, bit % BYTE_BITS).astype(np.uint8)
    packed[rows, at] = (packed[rows, at] & ~mask) | mask * ones


def bit_sums(packed: Bytes, members: Ints) -> Ints:
    """(n, bytes) packed rows → (8·bytes,) number of the `members` rows in which each bit is 1."""
    width = packed.shape[1] * BYTE_BITS
    total = np.zeros(width, np.int64)
    rows = max(1, _CHUNK // width // _ROWS) * _ROWS
    for start in range(0, members.size, rows):
        part = packed[members[start : start + rows]]
        bits = np.unpackbits(part, axis=1, bitorder="little")
        for first in range(0, bits.shape[0], _ROWS):
            # Bytes are added many at a time; 255 of them cannot overflow one.
            total += np.add.reduce(bits[first : first + _ROWS], axis=0, dtype=np.uint8)
    return total


def every_row(bits: int, width: int) -> Bytes:
    """(2^bits, width) bytes: all rows of that many bits, counted up in binary."""
    counted = np.arange(1 << bits, dtype=np.uint64)
    padded = np.zeros((1 << bits, max(width, WORD_BITS // BYTE_BITS)), np.uint8)
    padded[:, : WORD_BITS // BYTE_BITS] = as_bytes(counted[:, None])
    return padded[:, :width]


def product_law(chances: list[int], whole: int) -> NDArray[Any]:
    """(2^s,) Python ints: numerators over whole^s of independent bits' law, in `every_row`'s order.

    `chances`: s numerators over `whole` of the bits being 1.
    """
    law = np.array([1], dtype=object)
    for chance in chances:
        law = np.concatenate([law * (whole - chance), law * chance])
    return law
