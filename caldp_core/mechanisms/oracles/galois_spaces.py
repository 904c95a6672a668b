"""Which hyperplanes the blocks of Galois response use, and blocks of one kind side by side.

Used by `galois.py`. A block's *degree* m says that it uses the field of q = 2^m
elements, with the least d for which q^d covers its hidden symbols; m = 0 stands for d = 1, where no
field is needed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from caldp_core.basics.errors import check_whole, require
from caldp_core.basics.limits import SPACE_POINTS_MAX
from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms.oracles.finite_field import DEGREE_MAX
from caldp_core.mechanisms.oracles.hyperplanes import Hyperplanes, Points, hyperplanes
from caldp_core.mechanisms.oracles.supports import SupportProbabilities

_SPARE_MAX: Final = 128
"""Most points for each symbol, so that many small blocks stay small together."""
_BATCH: Final = 1 << 21
"""Reports that are worked on at once."""


def digits_of(sizes: Ints, m: int) -> Ints:
    """(m,) the least d ≥ 1 with 2^(m·d) ≥ s."""
    bits = np.frexp(np.maximum(sizes - 1, 0).astype(np.float64))[1].astype(np.int64)
    return np.maximum(-(-bits // m), 1)


def support_probabilities(values: Ints, shared: Floats, share: Floats) -> SupportProbabilities:
    """Probabilities of inclusion; `values`: (m,) q, `shared`: (m,) chance that two symbols agree.

    `share`: (m,) λ. Whether three symbols agree depends on whether they are in line: there is no
    one `other_pair`: it is NaN.
    """
    lie, honest = share / values, 1.0 - share
    return SupportProbabilities(
        own=honest + lie,
        other=honest * shared + lie,
        base=1.0 / values,
        own_pair=(honest + lie) * shared,
        other_pair=np.full(values.size, np.nan),
        base_pair=shared / values,
        gain=honest * (1.0 - shared),
        clear=share * (1.0 / values - shared),
    )


def values_and_shared(sizes: Ints, degrees: Ints) -> tuple[Ints, Floats]:
    """(m,) values that y can have and (m,) chance that two symbols have one hyperplane in common.

    Blocks of no symbols count as blocks of one.
    """
    values, shared = np.maximum(sizes, 1), np.zeros(sizes.size)
    for m in np.unique(degrees[degrees > 0]).tolist():
        some = degrees == m
        points = 2.0 ** (m * digits_of(sizes[some], m))
        values[some] = 1 << m
        shared[some] = (points / (1 << m) - 1.0) / (points - 1.0)
    return values, shared


def best_degrees(sizes: Ints, epsilon: Floats, hidden: float = 1.0) -> Ints:
    """(m,) the degree with the least total variance.

    `hidden`: the share of a block's people whose symbol is hidden, in [0, 1]. With 1, all of
    them, it is the least that can be had against the worst distribution of people.
    """
    totals = []
    for m in range(DEGREE_MAX + 1):
        degrees = np.full(sizes.size, m)
        values, shared = values_and_shared(sizes, degrees)
        share = values / (values + np.expm1(epsilon))
        prob = support_probabilities(values, shared, share)
        total = prob.expected_square(sizes, share, hidden)
        if m:
            points = 2.0 ** (m * digits_of(sizes, m))
            fits = (points <= SPACE_POINTS_MAX) & (points <= _SPARE_MAX * sizes) & (sizes > values)
            total = np.where(fits, total, np.inf)
        totals.append(total)
    return np.asarray(np.argmin(totals, axis=0))


def check_field_size(q: int) -> int:
    """q, if it is a whole number 2^m of a field that can be had; `CaldpError` otherwise."""
    check_whole("q", q, 2, 1 << DEGREE_MAX)
    require(q & (q - 1) == 0, f"q must be a power of two, got {q:,}; take 2, 4, 8 and so on.")
    return q


def degrees_for(sizes: Ints, q: int) -> Ints:
    """(m,) the degree of q = 2^m where the block has more symbols than that, else 0.

    Raises `CaldpError` if q is no such number, or if a space were too large.
    """
    m = check_field_size(q).bit_length() - 1
    degrees = np.where(sizes > q, m, 0)
    largest = 1 << m * int(digits_of(sizes, m).max())
    require(
        largest <= SPACE_POINTS_MAX or not degrees.any(),
        f"q = {q:,} would take a space of {largest:,} points, and at most "
        f"{SPACE_POINTS_MAX:,} can be had; take another q.",
    )
    return degrees


@dataclass(frozen=True, eq=False)
class Group:
    """Blocks of one space, at most some at a time, whose reports lie next to each other.

    `blocks`: (b,) their labels; `ranks`: (r,) their symbols; `row`, `x`: (r,) the place among the
    blocks and within the block of each. `start`: their first report. `widest`: the most symbols.
    """

    space: Hyperplanes | Points
    blocks: Ints
    ranks: Ints
    row: Ints
    x: Ints
    start: int
    widest: int

    @cached_property
    def masks(self) -> Ints:
        """(bits, widest) masks of inner products with all x."""
        return self.space.masks(self.widest)

    @property
    def stop(self) -> int:
        """One past their last report."""
        return self.start + self.blocks.size * self.space.reports

    def of(self, histogram: Ints) -> Ints:
        """(outputs,) histogram → (b, reports) part of the group."""
        return histogram[self.start : self.stop].reshape(self.blocks.size, -1)

    def place_by_block(self, values: Ints) -> Ints:
        """(s,) whole numbers of all symbols → (b, size), 0 where a block has fewer symbols."""
        table = np.zeros((self.blocks.size, self.widest), np.int64)
        table[self.row, self.x] = values[self.ranks]
        return table

    def sum_by_symbol(self, tally: Ints | Floats) -> Floats:
        """(b, reports) → (r,) sums over the hyperplanes through each symbol."""
        sums = self.space.sum_by_point(tally.astype(np.float64), self.masks)
        return sums[self.row, self.x]

    def sum_by_hyperplane(self, weights: Floats) -> Floats:
        """(s,) weights of all symbols → (b, reports) their sums over each hyperplane."""
        table = np.zeros((self.blocks.size, self.widest))
        table[self.row, self.x] = weights[self.ranks]
        return self.space.sum_by_hyperplane(table, self.masks)


def groups_of(sizes: Ints, degrees: Ints) -> Iterator[Group]:
    """All blocks that have symbols; the groups' reports follow each other."""
    first = np.cumsum(sizes) - sizes
    digits = np.array([digits_of(sizes, max(m, 1)) for m in range(DEGREE_MAX + 1)])
    digits = np.where(degrees > 0, digits[degrees, np.arange(sizes.size)], sizes)
    start = 0
    kinds = np.unique(np.stack([degrees, digits])[:, sizes > 0], axis=1)
    for m, d in kinds.T.tolist():
        space = hyperplanes(m, d) if m else Points(d)
        blocks = np.flatnonzero((degrees == m) & (digits == d) & (sizes > 0))
        step = max(1, _BATCH // space.reports)
        for at in range(0, blocks.size, step):
            some = blocks[at : at + step]
            row = np.repeat(np.arange(some.size), sizes[some])
            x = np.arange(row.size) - np.repeat(np.cumsum(sizes[some]) - sizes[some], sizes[some])
            ranks, widest = first[some][row] + x, int(sizes[some].max())
            group = Group(space, some, ranks, row, x, start, widest)
            yield group
            start = group.stop
