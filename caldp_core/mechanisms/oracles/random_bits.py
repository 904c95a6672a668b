"""Many coins at once: independent bits that are 1 with one probability, 64 to a word.

Used by `unary.py` to draw reports.
"""

from typing import Final

import numpy as np

from caldp_core.basics.types import Words, WordSource
from caldp_core.mechanisms.randomness.coins import COIN_BITS

_ROUNDS: Final = 8
"""Bits that are compared before words without an open lane are left out: then 78 of 100 are."""


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
