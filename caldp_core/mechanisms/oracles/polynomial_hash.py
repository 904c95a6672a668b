"""Hashes of degree two: h(x) = ⌊g·f(x)/P⌋ with f(x) = c₀ + c₁x + c₂x² mod P, P a prime.

Used by `local_hashing.py`. Three different x < P see independent uniform numbers f(x), because one
f goes through any three points (Wegman & Carter 1981).
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.types import Ints


@cache
def least_prime(size: int) -> int:
    """Least prime ≥ `size`; 1 for at most one symbol."""
    if size <= 1:
        return 1
    while any(size % d == 0 for d in range(2, int(size**0.5) + 1)):
        size += 1
    return size


def polynomial(coefficients: Ints, x: Ints, prime: Ints | int) -> Ints:
    """(n,) f(x) mod P; `coefficients`: (n, 3) c₀, c₁, c₂; P ≤ 2^21 keeps products below 2^63."""
    inner = (coefficients[:, 2] * x + coefficients[:, 1]) % prime
    return np.asarray((inner * x + coefficients[:, 0]) % prime)


def every_hash(prime: int) -> Ints:
    """(P³, 3) all coefficients, c₀ counting up first."""
    return np.stack(np.unravel_index(np.arange(prime**3), (prime,) * 3)[::-1], axis=1)


def count_hits(coefficients: Ints, value: Ints, prime: int, g: int, size: int) -> Ints:
    """(size,) for how many of the n pairs h(x) = value, for each x < size ≤ P.

    f is stepped from x to x + 1 by differences. Of unsigned z < 2P and z − P the smaller one is
    z mod P.
    """
    kind = np.uint16 if prime < 1 << 15 else np.uint32
    modulus = kind(prime)
    now, first, second = (coefficients[:, i] for i in range(3))
    step: NDArray[Any] = ((first + second) % prime).astype(kind)
    bend: NDArray[Any] = (2 * second % prime).astype(kind)
    # h(x) = v means ⌈vP/g⌉ ≤ f(x) < ⌈(v+1)P/g⌉.
    low = -(-value * prime // g)
    width = (-(-(value + 1) * prime // g) - low).astype(kind)
    here: NDArray[Any] = ((now - low) % prime).astype(kind)
    counts = np.empty(size, np.int64)
    for x in range(size):
        counts[x] = np.count_nonzero(here < width)
        here += step
        np.minimum(here, here - modulus, out=here)
        step += bend
        np.minimum(step, step - modulus, out=step)
    return counts
