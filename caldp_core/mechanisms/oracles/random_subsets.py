"""Uniform random subsets of a given size, as rows of packed bits (`packed_bits.py`).

Used by `subset_selection.py` to draw reports.

A row starts with independent bits that are 1 with a dyadic probability q: given their number,
they are a uniform subset of that number. A uniform bit that is 0 is then set, or one that is 1
cleared, until there are ω: adding a uniform missing element to a uniform subset, or taking a
uniform one away, leaves it uniform. So the distribution is exact whatever q is; q only decides the
cost.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.types import Ints, Words, WordSource
from caldp_core.mechanisms.oracles.packed_bits import full_mask, set_bits, words_for
from caldp_core.mechanisms.randomness.coins import WORD_BITS

_ONE: Final = np.uint64(1)
_WORD_MASK: Final = np.uint64(WORD_BITS - 1)
_DIGITS_MAX: Final = 12
_TRY_COST: Final = 8.0
"""Time of one try to set a bit, in draws of a random word (measured: 5 to 12)."""
_CHUNK_WORDS: Final = 1 << 17
"""Words of rows in hand at a time, so that they stay in the cache."""


@dataclass(frozen=True, eq=False)
class _Flips:
    """In each row `at`, flip `times` uniform bits that are `value`; not bit `spared`, if ≥ 0."""

    at: Ints
    times: Ints
    spared: Ints
    value: bool


def chunk_rows(width: int) -> int:
    """Rows of so many words to take at a time."""
    return max(1, _CHUNK_WORDS // width)


def random_subsets(size: int, omega: int, forced: Ints, words: WordSource) -> Words:
    """(n, words) a uniform subset of `omega` out of `size` bits per row.

    `forced`: (n,) a bit that the row must hold, the others uniform; −1 for none.
    """
    rows = _coin_bits(forced.size, size, best_coin(size, omega), words)
    rows &= full_mask(size)
    rows_forced = np.flatnonzero(forced >= 0)
    set_bits(rows, rows_forced, forced[rows_forced], np.ones(rows_forced.size, np.bool_))
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


def _coin_bits(n: int, size: int, coin: tuple[int, int], words: WordSource) -> Words:
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


def _toggle(rows: Words, size: int, flips: _Flips, words: WordSource) -> None:
    """Flip bits in place."""
    flat, width = rows.reshape(-1), rows.shape[1]
    bits = max(1, (size - 1).bit_length())
    mask = np.uint64((1 << bits) - 1)
    start, remaining = flips.at * width, flips.times.copy()
    spare = flips.spared.astype(np.uint64)
    while start.size:
        drawn = words(start.size)
        for used in range(0, WORD_BITS - bits + 1, bits):
            place = (drawn >> np.uint64(used)) & mask
            # A place beyond the row is a try that failed: `take` may look anywhere.
            index = start + np.minimum(place >> np.uint64(6), width - 1).astype(np.int64)
            word, bit = flat.take(index), _ONE << (place & _WORD_MASK)
            good = ((word & bit) != 0) == flips.value
            good &= (place < size) & (place != spare) & (remaining > 0)
            flat[index] = word ^ (bit * good)
            remaining -= good
        on = np.flatnonzero(remaining)
        if on.size < start.size:
            start, remaining, spare = start[on], remaining[on], spare[on]
