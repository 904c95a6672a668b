"""Uniform random subsets of a given size as packed bits, and how often each bit is set.

Room: mechanisms; the machine room of `subset_selection.py`. Bit i of a row is bit i mod 64 of its
word i // 64.

A row starts with independent bits that are 1 with a dyadic probability q: given their number,
they are a uniform subset of that number. A uniform bit that is 0 is then set, or one that is 1
cleared, until there are ω: adding a uniform missing element to a uniform subset, or taking a
uniform one away, leaves it uniform. So the law is exact whatever q is; q only decides the cost.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from caldp_core.basics.types import Ints, Words, WordSource

WORD_BITS: Final = 64
_ONE: Final = np.uint64(1)
_LOW: Final = np.uint64(WORD_BITS - 1)
_DIGITS_MAX: Final = 12
_TRY_COST: Final = 8.0
"""Time of one try to set a bit, in draws of a random word (measured: 5 to 12)."""
_CHUNK_WORDS: Final = 1 << 17
"""Words of rows in hand at a time, so that they stay in the cache."""
Rows: TypeAlias = Words
"""(n, words) packed bits."""


@dataclass(frozen=True, eq=False)
class _Flips:
    """In each row `at`, `times` uniform bits that are `value`, but never the `spared` one (−1)."""

    at: Ints
    times: Ints
    spared: Ints
    value: bool


def words_for(size: int) -> int:
    """Words that `size` bits take."""
    return -(-size // WORD_BITS)


def full_mask(size: int) -> Words:
    """(words,) the bits 0 … size−1."""
    mask = np.full(words_for(size), 2**64 - 1, np.uint64)
    if size % WORD_BITS:
        mask[-1] = (1 << size % WORD_BITS) - 1
    return mask


def chunk_rows(width: int) -> int:
    """Rows of so many words to take at a time."""
    return max(1, _CHUNK_WORDS // width)


def random_subsets(size: int, omega: int, forced: Ints, words: WordSource) -> Rows:
    """(n, words) a uniform subset of `omega` out of `size` bits per row.

    `forced`: (n,) a bit that the row must hold, the others uniform; −1 for none.
    """
    rows = _coin_bits(forced.size, size, best_coin(size, omega), words)
    rows &= full_mask(size)
    held = np.flatnonzero(forced >= 0)
    rows[held, forced[held] >> 6] |= _ONE << (forced[held].astype(np.uint64) & _LOW)
    surplus = np.bitwise_count(rows).sum(axis=1, dtype=np.int64) - omega
    short, long = np.flatnonzero(surplus < 0), np.flatnonzero(surplus > 0)
    flips = _Flips(short, -surplus[short], np.full(short.size, -1), False)
    _toggle(rows, size, flips, words)
    _toggle(rows, size, _Flips(long, surplus[long], forced[long], True), words)
    return rows


def best_coin(size: int, omega: int) -> tuple[int, int]:
    """(digits, numerator): the q = numerator/2^digits at which a row is cheapest."""

    def cost(digits: int, numerator: int) -> float:
        mean, share = size * numerator / 2.0**digits, omega / size
        spread = float(np.sqrt(mean * (1.0 - numerator / 2.0**digits)))
        missing = abs(omega - mean) + 0.8 * spread
        tries = 1.0 / max(1.0 - share if mean <= omega else share, 1.0 / size)
        return digits * words_for(size) + _TRY_COST * missing * tries

    coins = [(0, 0)]
    coins += [(digits, (omega << digits) // size) for digits in range(1, _DIGITS_MAX + 1)]
    return min(coins, key=lambda coin: cost(*coin))


def _coin_bits(n: int, size: int, coin: tuple[int, int], words: WordSource) -> Rows:
    """(n, words) bits that are 1 with probability numerator/2^digits each.

    A fresh random bit before the last digit halves the probability; a digit 1 adds a half.
    """
    digits, numerator = coin
    width = words_for(size)
    rows = np.zeros((n, width), np.uint64)
    for digit in range(digits):
        drawn = words(n * width).reshape(n, width)
        if numerator >> digit & 1:
            rows |= drawn
        else:
            rows &= drawn
    return rows


def _toggle(rows: Rows, size: int, flips: _Flips, words: WordSource) -> None:
    """Flip bits in place."""
    flat, width = rows.reshape(-1), rows.shape[1]
    bits = max(1, (size - 1).bit_length())
    mask = np.uint64((1 << bits) - 1)
    start, left = flips.at * width, flips.times.copy()
    spare = flips.spared.astype(np.uint64)
    while start.size:
        drawn = words(start.size)
        for used in range(0, WORD_BITS - bits + 1, bits):
            place = (drawn >> np.uint64(used)) & mask
            # A place beyond the row is a try that failed: `take` may look anywhere.
            index = start + np.minimum(place >> np.uint64(6), width - 1).astype(np.int64)
            word, bit = flat.take(index), _ONE << (place & _LOW)
            good = ((word & bit) != 0) == flips.value
            good &= (place < size) & (place != spare) & (left > 0)
            flat[index] = word ^ (bit * good)
            left -= good
        on = np.flatnonzero(left)
        if on.size < start.size:
            start, left, spare = start[on], left[on], spare[on]


def bit_counts(rows: Rows, size: int) -> Ints:
    """(size,) in how many rows each bit is set.

    Full adders on whole words: three rows of weight 2^j become one of weight 2^j and one of
    2^(j+1), so that a row costs about five operations a word.
    """
    counts = np.zeros(rows.shape[1] * WORD_BITS, np.int64)
    weight = 1
    while len(rows):
        carries = []
        while len(rows) >= 3:
            third = len(rows) // 3
            a, b, c = rows[:third], rows[third : 2 * third], rows[2 * third : 3 * third]
            either = a ^ b
            carries.append((a & b) | (either & c))
            rows = np.concatenate([either ^ c, rows[3 * third :]])
        octets = np.ascontiguousarray(rows).astype("<u8").view(np.uint8)
        bits = np.unpackbits(octets.reshape(len(rows), -1), axis=1, bitorder="little")
        counts += weight * bits.sum(axis=0, dtype=np.int64)
        rows = np.concatenate(carries) if carries else rows[:0]
        weight *= 2
    return counts[:size]
