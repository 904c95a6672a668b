"""The affine hyperplanes {x : ⟨a, x⟩ = y} of F_q^d, q = 2^m: reports of Galois response.

docs/galois.md has why two points share equally many, how their sums are Walsh–Hadamard transforms,
and how a population's tally is drawn. Directions a are scaled to have 1 for their last digit that
is not 0. An element of the field is a polynomial over F_2 modulo an irreducible one of degree m,
its bits the coefficients: addition is XOR. A vector of d elements is one number of d·m bits, digit
i at bits m·i … m·i + m − 1, and all of its digits are multiplied at once.
"""

from functools import cache, cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.cache import cached
from caldp_core.basics.types import Bools, Floats, Ints, read_only
from caldp_core.mechanisms.oracles.hadamard import fwht
from caldp_core.mechanisms.randomness import binomial_half, chunks

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


_BATCH: Final = 1 << 15
"""Counts that are split at once, where there are so few: for the sake of small spaces."""


def coins_of(m: int, d: int) -> int:
    """Binomial draws that `sample_hyperplanes` takes for one block: less than d·q^(d+1)."""
    q = 1 << m
    return sum(last * q ** (last + 1) * (q - 1) for last in range(1, d))


def sample_hyperplanes(people: Ints, m: int, d: int, rng: np.random.Generator) -> Ints:
    """(blocks, q^d) people per point → (blocks, reports), numbered as in `hyperplanes.py`.

    Exactly the law of reports that are drawn one by one.

    By the last digit of a normal that is not 0, which is 1: it is digit `last` with probability
    q^last·(q − 1)/(q^d − 1). Then y starts as x's digit there, and for each lower digit, from the
    highest down, a's digit is drawn for all people at once and x's is forgotten.
    """
    blocks, q = people.shape[0], 1 << m
    times = product(np.arange(q)[:, None], np.arange(q), m)
    stop = (q**d - 1) // (q - 1)
    tally, waiting = np.empty((q, stop, blocks), np.int64), people.T.reshape(-1)
    for last in reversed(range(d)):
        some = np.flatnonzero(waiting)
        people_here = np.zeros_like(waiting)
        share = q**last * (q - 1) / (q ** (last + 1) - 1)
        people_here[some] = rng.binomial(waiting[some], share) if last else waiting[some]
        waiting = waiting - people_here
        state = people_here.reshape(-1, q, q**last, 1, blocks).sum(axis=0)
        for _ in range(last):
            state = _exchange_digit(state, times, rng)
        tally[:, stop - q**last : stop] = state.reshape(q, -1, blocks)
        stop -= q**last
    return tally.reshape(-1, blocks).T


def _exchange_digit(state: Ints, times: Ints, rng: np.random.Generator) -> Ints:
    """One digit: state[y, (x's digit, lower digits), a's digits, block] → the same, one digit on.

    A person with x's digit v who draws a's digit c goes from y to y + c·v; `times`: (q, q) c·v.
    """
    q, rest, done, blocks = state.shape
    state = state.reshape(q, q, rest // q, done, blocks)
    after = np.zeros((q, q, rest // q, done, blocks), np.int64)
    drawn, now = np.arange(q)[:, None, None], np.arange(q)[:, None]
    step = int(np.clip(_BATCH // state.size, 1, q))
    for first in range(0, q, step):
        v = np.arange(first, min(first + step, q))
        parts = _spread(state[:, v], rng)
        after += parts[drawn, now ^ times[:, None, v], v - first].sum(axis=2)
    moved = after.transpose(1, 2, 3, 0, 4)
    return np.ascontiguousarray(moved).reshape(q, rest // q, done * q, blocks)


def _spread(counts: Ints, rng: np.random.Generator) -> Ints:
    """(q, …) counts → (q, q, …) parts of them, uniform multinomials: a fair coin for each bit."""
    parts = counts[None]
    while parts.shape[0] < counts.shape[0]:
        heads = binomial_half(parts, rng)
        parts = np.concatenate([heads, parts - heads])
    return parts


_PERSON: Final = 2
"""How many coins of `sample_hyperplanes` one person's report is worth (measured: 1.5 to 3)."""
_LOOP_MAX: Final = 8
"""At most this many hyperplanes: looping is cheaper than a transform."""
_CHUNK: Final = 1 << 18


class Hyperplanes:
    """The hyperplanes of F_q^d, d ≥ 2, numbered y·A + direction, directions as in `normals`.

    `values`: q. `directions`: A. `points`: q^d. `shared`: the chance that a random hyperplane
    through one point goes through another.
    """

    def __init__(self, m: int, d: int) -> None:
        self.m, self.d = m, d
        self.values = 1 << m
        self.points = 1 << m * d
        self.directions = (self.points - 1) // (self.values - 1)
        self.reports = self.directions * self.values
        self.shared = (self.points // self.values - 1) / (self.points - 1)

    @cached_property
    def normals(self) -> Ints:
        """(A,) packed a; made when first asked for, as errors are compared without any report."""
        leading = [1 << self.m * digit for digit in range(self.d)]
        return read_only(np.concatenate([np.arange(one, 2 * one) for one in leading]))

    @cached_property
    def _place(self) -> Ints:
        """(q^d − 1,) for b = t·a ≠ 0 the place a·q + M_0(t) of G[b] among the transforms."""
        places, first = [], 0
        dual = inner_product_masks(np.arange(self.values), self.m, 1)[0]
        for digit in range(self.d):
            one = 1 << self.m * digit
            b = np.arange(one, one << self.m)
            t = b >> self.m * digit
            a = product(inverse(np.arange(self.values), self.m)[t], b, self.m, self.d)
            places.append((first + a - one) * self.values + dual[t])
            first += one
        return read_only(np.concatenate(places))

    def masks(self, size: int) -> Ints:
        """(m, size) masks of inner products with the points below `size`; see `finite_field`."""
        return inner_product_masks(np.arange(size), self.m, self.d)

    def sum_by_point(self, tally: Floats, masks: Ints) -> Floats:
        """(blocks, reports) → (blocks, size) sums over the hyperplanes through each point."""
        blocks = tally.shape[0]
        if np.count_nonzero(tally) <= _LOOP_MAX:
            return self._through_few(tally, masks)
        by_direction = tally.reshape(blocks, self.values, self.directions).swapaxes(1, 2)
        whole = np.empty((blocks, self.points))
        whole[:, 0] = tally.sum(axis=1)
        whole[:, 1:] = fwht(by_direction).reshape(blocks, -1)[:, self._place]
        return fwht(whole)[:, masks[0]] / self.values

    def _through_few(self, tally: Floats, masks: Ints) -> Floats:
        sums = np.zeros((tally.shape[0], masks.shape[1]))
        for block, report in np.argwhere(tally):
            y, direction = divmod(int(report), self.directions)
            on = inner_product(self.normals[direction], masks) == y
            sums[block] += tally[block, report] * on
        return sums

    def sum_by_hyperplane(self, weights: Floats, masks: Ints) -> Floats:
        """(blocks, size) weights of points → (blocks, reports) their sum over each hyperplane.

        The transpose of `through`.
        """
        blocks = weights.shape[0]
        placed = np.zeros((blocks, self.points))
        placed[:, masks[0]] = weights
        spectrum = fwht(placed)
        whole = np.zeros((blocks, self.directions, self.values))
        whole[:, :, 0] = spectrum[:, :1]
        whole.reshape(blocks, -1)[:, self._place] = spectrum[:, 1:]
        sums = fwht(whole) / self.values
        return sums.swapaxes(1, 2).reshape(blocks, -1)

    def draw(self, people: Ints, masks: Ints, rng: np.random.Generator) -> Ints:
        """(blocks, size) people → (blocks, reports): each sends a random hyperplane through x.

        One by one, or all at once where that is cheaper.
        """
        blocks, size = people.shape
        if people.sum() * _PERSON < blocks * coins_of(self.m, self.d):
            tally = np.zeros(blocks * self.reports, np.int64)
            for kind in chunks(people.reshape(-1), _CHUNK):
                block, x = kind // size, kind % size
                direction = rng.integers(0, self.directions, kind.size)
                y = inner_product(self.normals[direction], masks[:, x])
                sent = block * self.reports + y * self.directions + direction
                tally += np.bincount(sent, minlength=tally.size)
            return tally.reshape(blocks, -1)
        placed = np.zeros((blocks, self.points), np.int64)
        placed[:, :size] = people
        return sample_hyperplanes(placed, self.m, self.d, rng)

    def values_of(self, x: Ints, masks: Ints) -> NDArray[np.unsignedinteger[Any]]:
        """(n,) points → (n, A) the y = ⟨a, x⟩ of the hyperplane through each in each direction."""
        kind = np.min_scalar_type(self.values - 1)
        bits = 1 << np.arange(self.m * self.d)[:, None]
        of_bit = inner_product(bits, masks[:, None, x]).astype(kind)[:, :, None]
        low = np.zeros((x.size, self.points // self.values), kind)  # of all digits but the last
        for bit in range(self.m * (self.d - 1)):  # a normal with this bit is one without it, and it
            step = 1 << bit
            np.bitwise_xor(low[:, :step], of_bit[bit], out=low[:, step : 2 * step])
        y, first = np.empty((x.size, self.directions), kind), 0
        for digit in range(self.d):
            lower = low[:, : 1 << self.m * digit]
            np.bitwise_xor(lower, of_bit[self.m * digit], out=y[:, first : first + lower.shape[1]])
            first += lower.shape[1]
        return y

    def contains(self, x: Ints, masks: Ints) -> Bools:
        """(n,) points → (n, reports) whether each lies on each hyperplane."""
        y = self.values_of(x, masks)[:, None]
        every = np.arange(self.values, dtype=y.dtype)[:, None]
        return np.asarray(y == every).reshape(x.size, self.reports)

    def through_none(self, x: Ints, masks: Ints) -> Ints:
        """(n + 1,) hyperplanes through none of the first 0, 1, … n of (n,) points.

        By the first point on each: some at a time, in the directions that still have one to find.
        """
        first, start = np.full((self.directions, self.values), x.size), 0
        while start < x.size and (some := np.flatnonzero((first == x.size).any(axis=1))).size:
            step = min(start + self.values, _CHUNK // some.size)  # a line meets most of them
            part = x[start : start + max(1, step)]
            y = (
                self.values_of(part, masks)[:, some].astype(np.int64)
                if some.size > part.size
                else inner_product(self.normals[some], masks[:, part, None])
            )
            point, direction = np.nonzero(first[some, y] == x.size)
            y, direction = y[point, direction], some[direction]
            first[direction[::-1], y[::-1]] = start + point[::-1]  # of equal ones the last remains
            start += part.size
        new = np.bincount(first.reshape(-1) + 1, minlength=x.size + 2)[:-1]
        return np.asarray(self.reports - np.cumsum(new))


class Points:
    """The hyperplanes for d = 1, which are points: any number of them, as no field is needed.

    A report names a point, which makes it k-ary randomized response.
    """

    m: Final = 0
    directions: Final = 1
    shared: Final = 0.0

    def __init__(self, points: int) -> None:
        self.points = self.values = self.reports = points
        self.normals = np.zeros(1, np.int64)

    def masks(self, size: int) -> Ints:
        """(0, size): no bit of y has to be computed."""
        return np.zeros((0, size), np.int64)

    def sum_by_point(self, tally: Floats, masks: Ints) -> Floats:
        """(blocks, reports) → themselves: they are the points."""
        return tally

    def sum_by_hyperplane(self, weights: Floats, masks: Ints) -> Floats:
        """(blocks, points) weights → themselves."""
        return weights

    def draw(self, people: Ints, masks: Ints, rng: np.random.Generator) -> Ints:
        """(blocks, points) people → themselves: everybody sends their point."""
        return people

    def contains(self, x: Ints, masks: Ints) -> Bools:
        """(n,) points → (n, reports) True at the report that names the point."""
        return np.asarray(x[:, None] == np.arange(self.points))

    def through_none(self, x: Ints, masks: Ints) -> Ints:
        """(n + 1,) all but the first 0, 1, … n of (n,) points."""
        return self.points - np.arange(x.size + 1)


@cached
def hyperplanes(m: int, d: int) -> Hyperplanes:
    """`Hyperplanes` of F_q^d, d ≥ 2, cached."""
    return Hyperplanes(m, d)
