"""The affine hyperplanes {x : ⟨a, x⟩ = y} of F_q^d, q = 2^m: reports of Galois response.

Used by `galois.py`. (a, y) and (ta, ty) are one hyperplane for each t ≠ 0, so a is
scaled to have 1 for its last digit that is not 0: there are A = (q^d − 1)/(q − 1) such directions
a, q hyperplanes to each, and one of those goes through any point. Points are packed vectors 0 … q^d
− 1. Two of them share (q^(d−1) − 1)/(q − 1) hyperplanes: as many as there are directions orthogonal
to their difference.

Sums over hyperplanes are Walsh–Hadamard transforms. Let χ(u) = −1 where bit 0 of u is set, else 1:
a character, so Σ_t χ(t·u) is q for u = 0, else 0. With C the tally of hyperplanes,

    Σ_a C[a, ⟨a, x⟩] = (1/q) Σ_a Σ_t Σ_y C[a, y]·χ(t·y)·χ(t·⟨a, x⟩) = (1/q) Σ_b G[b]·χ(⟨b, x⟩),

G[b] = Σ_y C[a, y]·χ(t·y) for b = t·a and G[0] the sum of C: each b ≠ 0 is one t times one a, so one
transform of q^d entries does it, read at M_0(x), as χ(⟨b, x⟩) = (−1)^parity(b & M_0(x)).
"""

from functools import cached_property
from typing import Final

import numpy as np

from caldp_core.basics.cache import cached
from caldp_core.basics.types import Bools, Floats, Ints, read_only
from caldp_core.mechanisms.oracles.finite_field import (
    inner_product,
    inner_product_masks,
    inverse,
    product,
)
from caldp_core.mechanisms.oracles.hyperplane_tally import coins_of, sample_hyperplanes
from caldp_core.mechanisms.oracles.walsh_hadamard import fwht
from caldp_core.mechanisms.randomness.chunked_tally import chunks

_PERSON: Final = 2
"""How many coins of `sample_hyperplanes` one person's report is worth (measured: 1.5 to 3)."""
_LOOP_MAX: Final = 8
"""Up to so many hyperplanes are gone through one by one: a transform is dearer."""
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

    def contains(self, x: Ints, masks: Ints) -> Bools:
        """(n,) points → (n, reports) whether each lies on each hyperplane."""
        kind = np.min_scalar_type(self.values - 1)
        bits = 1 << np.arange(self.m * self.d)[:, None]
        of_bit = inner_product(bits, masks[:, None, x]).astype(kind)[:, :, None]
        y, first = np.empty((x.size, 1, self.directions), kind), 0
        for digit in range(self.d):
            y[:, :, first] = of_bit[self.m * digit]
            for bit in range(self.m * digit):  # a normal with this bit is one without it, and it
                done, step = first + (1 << bit), 1 << bit
                np.bitwise_xor(y[:, 0, first:done], of_bit[bit], out=y[:, 0, done : done + step])
            first += 1 << self.m * digit
        every = np.arange(self.values, dtype=kind)[:, None]
        return np.asarray(y == every).reshape(x.size, self.reports)


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


@cached
def hyperplanes(m: int, d: int) -> Hyperplanes:
    """`Hyperplanes` of F_q^d, d ≥ 2, cached."""
    return Hyperplanes(m, d)
