"""Coins that decide privacy: whole-number thresholds, never floating-point comparisons.

Room: mechanisms build on it. A coin is T/2^48 with a whole T, rounded so that the ε that is
realised never exceeds the ε that was asked for; estimators debias with the same T/2^48.
"""

import os
from collections.abc import Callable
from decimal import Decimal, localcontext
from typing import Final

import numpy as np

from caldp_core.basics.types import Bools, Floats, Ints, Words, WordSource

COIN_BITS: Final = 48
COIN_ONE: Final = 1 << COIN_BITS
SPARE_BITS: Final = 64 - COIN_BITS
"""Bits of a random word that the coin leaves free for other uses."""
_DIGITS: Final = 60


def _each(epsilon: Floats, threshold: Callable[[Decimal], Decimal]) -> Words:
    # e^ε is irrational for the ε we allow, so 60 digits settle every floor and ceiling.
    values, place = np.unique(epsilon, return_inverse=True)
    with localcontext() as context:
        context.prec = _DIGITS
        whole = [int(threshold(Decimal(float(value)).exp())) for value in values]
    return np.array(whole, dtype=np.uint64)[place].reshape(epsilon.shape)


def truth_threshold(epsilon: Floats) -> Words:
    """T = ⌊2^48·e^ε/(1+e^ε)⌋ for each ε: truth with probability T/2^48.

    Rounding down makes p/(1−p) ≤ e^ε. `epsilon`: any shape, in [0.001, 20].
    """
    return _each(epsilon, lambda power: COIN_ONE * power / (1 + power))


def noise_threshold(sizes: Ints, epsilon: Floats) -> Words:
    """N = ⌈2^48·s/(s+e^ε−1)⌉: k-RR on s symbols sends a uniform one with probability N/2^48.

    Rounding up makes (1−λ+λ/s)/(λ/s) ≤ e^ε. `sizes`, `epsilon`: (m,); 0 where s = 0.
    """
    with localcontext() as context:
        context.prec = _DIGITS
        pairs, place = np.unique(np.stack([sizes, epsilon]), axis=1, return_inverse=True)
        whole = [
            -int(-(COIN_ONE * int(s)) // (int(s) - 1 + Decimal(float(e)).exp())) + (s > 0)
            for s, e in pairs.T
        ]
    return np.minimum(np.array(whole, dtype=np.uint64), COIN_ONE)[place.ravel()]


def below(words: Words, threshold: Words) -> Bools:
    """(n,) True with probability threshold/2^48: looks at the top 48 bits of each word."""
    return np.asarray((words >> np.uint64(SPARE_BITS)) < threshold)


def seeded_words(rng: np.random.Generator) -> WordSource:
    """Random words for a simulation that can be repeated."""
    return lambda n: rng.integers(0, 2**64 - 1, size=n, dtype=np.uint64, endpoint=True)


def system_words(n: int) -> Words:
    """(n,) random words from the operating system: what a real client uses. It takes no seed."""
    return np.frombuffer(os.urandom(8 * n), dtype=np.uint64).copy()  # callers may redraw some


def uniform_below(bound: Words, words: WordSource) -> Words:
    """(n,) whole numbers, each exactly uniform on [0, bound_i); `bound`: (n,) ≥ 1."""
    drawn = words(bound.size)
    # 2^64 mod bound top values would favour small results: draw those again.
    top = np.uint64(2**64 - 1) - (np.uint64(2**64 - 1) % bound + np.uint64(1)) % bound
    again = np.flatnonzero(drawn > top)
    while again.size:
        drawn[again] = words(again.size)
        again = again[drawn[again] > top[again]]
    return np.asarray(drawn % bound)
