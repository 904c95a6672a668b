"""The field of 2^m elements, and vectors over it packed into whole numbers.

Arithmetic for `hyperplanes.py`. An element is a polynomial over F_2 modulo an irreducible one
of degree m, its bits the coefficients: addition is XOR. A vector of d elements is one number of d·m
bits, digit i at bits m·i … m·i + m − 1, and all of its digits are multiplied at once.
"""

from functools import cache
from typing import Final

import numpy as np

from caldp_core.basics.types import Ints

DEGREE_MAX: Final = 10
"""Fields have at most 1,024 elements."""


@cache
def modulus(m: int) -> int:
    """The least irreducible polynomial of degree m: no polynomial of lower degree divides it."""
    return next(p for p in range(1 << m, 2 << m) if all(_rest(p, f) for f in range(2, 1 << m)))


def _rest(polynomial: int, divisor: int) -> int:
    while polynomial.bit_length() >= divisor.bit_length():
        polynomial ^= divisor << polynomial.bit_length() - divisor.bit_length()
    return polynomial


def ones(m: int, d: int) -> int:
    """The packed vector whose d digits are all 1."""
    return sum(1 << m * digit for digit in range(d))


def product(scalar: Ints, vector: Ints, m: int, d: int = 1) -> Ints:
    """Each element of F_2^m times each packed vector of d digits; shapes broadcast.

    By Horner's rule over the scalar's bits: double, reduce every digit that overflows, add.
    """
    each, low = ones(m, d), modulus(m) ^ (1 << m)
    result = np.zeros(np.broadcast_shapes(scalar.shape, vector.shape), np.int64)
    for bit in reversed(range(m)):
        carry = result >> (m - 1) & each
        result ^= carry << (m - 1)
        result = (result << 1) ^ carry * low ^ vector * (scalar >> bit & 1)
    return result


def inverse(element: Ints, m: int) -> Ints:
    """a^(2^m − 2), which is 1/a; 0 for 0 (but for m = 1, where it is the empty product 1)."""
    result = np.ones_like(element)
    for _ in range(m - 1):
        element = product(element, element, m)
        result = product(result, element, m)
    return result


def inner_product_masks(vector: Ints, m: int, d: int) -> Ints:
    """(n,) packed x → (m, n) packed M_l(x): bit l of ⟨a, x⟩ is the parity of a & M_l(x).

    Bit j of a's digit i stands for a_i = t^j, so bit j of the mask's digit i is bit l of t^j·x_i.
    """
    each = ones(m, d)
    masks = np.zeros((m, *vector.shape), np.int64)
    for j in range(m):
        shifted = product(np.array(1 << j), vector, m, d)
        for bit in range(m):
            masks[bit] |= (shifted >> bit & each) << j
    return masks


def inner_product(a: Ints, masks: Ints) -> Ints:
    """⟨a, x⟩ for packed a: (n,) or a shape that broadcasts, and x's `masks`: (m, n)."""
    result = np.zeros(np.broadcast_shapes(a.shape, masks.shape[1:]), np.int64)
    for bit, mask in enumerate(masks):
        result |= (np.bitwise_count(a & mask) & np.uint8(1)).astype(np.int64) << bit
    return result
