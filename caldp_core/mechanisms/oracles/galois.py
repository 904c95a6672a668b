"""The Galois family: Galois response in every context. New here; see docs/galois.md.

Hidden symbol x of a block is a point of F_q^d, q = 2^m, d the least with q^d ≥ s. A report is an
affine hyperplane {z : ⟨a, z⟩ = y}: a random one of all with probability λ = q/(q + e^ε − 1), else a
random one through x. Of all m the one with the least variance is taken: a block's *degree*; m = 0
stands for d = 1, where a hyperplane is a point, this is k-RR, and no field is needed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np

from caldp_core.basics.errors import require
from caldp_core.basics.limits import SPACE_POINTS_MAX
from caldp_core.basics.types import Floats, Ints, Words, WordSource, counts_by, sums_by
from caldp_core.mechanisms.capabilities import ChannelRows, SupportForm
from caldp_core.mechanisms.oracles.hyperplanes import (
    DEGREE_MAX,
    Hyperplanes,
    Points,
    hyperplanes,
    inner_product,
    modulus,
)
from caldp_core.mechanisms.oracles.supports import (
    HistogramOracles,
    SupportOracles,
    SupportProbabilities,
    compress_table,
    lookup,
)
from caldp_core.mechanisms.randomness import COIN_ONE, flip_coins, noise_threshold, uniform_below

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


def same_degrees(sizes: Ints, _: Floats, q: int) -> Ints:
    """(m,) whatever ε, the degree of q = 2^m where the block has more symbols than that, else 0.

    Raises `CaldpError` if a space were too large.
    """
    m = q.bit_length() - 1
    degrees = np.where(sizes > q, m, 0)
    largest = 1 << m * int(digits_of(sizes, m).max())
    require(
        largest <= SPACE_POINTS_MAX or not degrees.any(),
        f"q = {q:,} would take a space of {largest:,} points, and at most "
        f"{SPACE_POINTS_MAX:,} can be had; take another q.",
    )
    return degrees


@dataclass(frozen=True, eq=False)
class BlockGroup:
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


def groups_of(sizes: Ints, degrees: Ints) -> Iterator[BlockGroup]:
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
            group = BlockGroup(space, some, ranks, row, x, start, widest)
            yield group
            start = group.stop


_CHUNK: Final = 1 << 16


class GaloisOracles(HistogramOracles, SupportOracles):
    """Galois response of all blocks; `sizes`: (m,) hidden symbols per block, `epsilon`: (m,).

    `choose`: sizes and ε → (m,) degrees of the fields, 0 for a report that names a symbol.
    """

    def __init__(
        self, sizes: Ints, epsilon: Floats, choose: Callable[[Ints, Floats], Ints] = best_degrees
    ) -> None:
        self._degrees = np.where(sizes > 0, choose(sizes, epsilon), 0)
        self._values, agree = values_and_shared(sizes, self._degrees)
        noise = noise_threshold(np.where(sizes > 0, self._values, 0), epsilon)
        super().__init__(sizes, noise, support_probabilities(self._values, agree, noise / COIN_ONE))
        self._groups = list(groups_of(sizes, self._degrees))
        self._first = np.zeros(sizes.size, np.int64)
        self._reports = np.zeros(sizes.size, np.int64)
        for group in self._groups:
            reports = group.space.reports
            self._reports[group.blocks] = reports
            self._first[group.blocks] = group.start + reports * np.arange(group.blocks.size)

    @cached_property
    def _tables(self) -> "_Tables":
        block, degrees = self._block, self._degrees[self._block]
        masks = np.zeros((int(self._degrees.max()), block.size), np.int64)
        place = np.zeros(self._sizes.size, np.int64)
        normals: dict[Hyperplanes | Points, Ints] = {}
        for group in self._groups:
            normals.setdefault(group.space, group.space.normals)
            place[group.blocks] = sum(a.size for a in normals.values()) - group.space.normals.size
            masks[: group.space.m, group.ranks] = group.masks[:, group.x]
        x = np.arange(block.size) - self._starts[block]
        return _Tables(
            first=compress_table(self._first[block]),
            reports=compress_table(self._reports[block].astype(np.uint64)),
            noise=compress_table(self.cover_threshold[block]),
            directions=compress_table((self._reports // self._values)[block].astype(np.uint64)),
            normal=compress_table(place[block]),
            point=compress_table(np.where(degrees > 0, 0, x)),
            masks=masks,
            normals=np.concatenate([np.zeros(0, np.int64), *normals.values()]),
        )

    @property
    def outputs(self) -> int:
        """Hyperplanes of all blocks."""
        return int(self._reports.sum())

    @property
    def settings(self) -> tuple[Ints, ...]:
        """m of every block."""
        return (self._degrees,)

    @property
    def device_numbers(self) -> dict[str, Ints | Words]:
        """See `HasDeviceNumbers`: spaces of `digits` digits over the field of 2^`degree` elements.

        Products in the field are taken by `modulus`; reports of a block begin at `first`.
        """
        moduli = np.array([0, *map(modulus, range(1, DEGREE_MAX + 1))])
        digits = np.ones_like(self._degrees)
        for m in np.unique(self._degrees[self._degrees > 0]).tolist():
            some = self._degrees == m
            digits[some] = digits_of(self._sizes[some], m)
        return {
            "size": self._sizes,
            "degree": self._degrees,
            "digits": digits,
            "modulus": moduli[self._degrees],
            "first": self._first,
        }

    def privatize(self, rank: Ints, words: WordSource) -> Ints:
        """(n,) ranks → (n,) hyperplanes; works through people in chunks that stay in the cache."""
        reports = np.empty(rank.size, np.int64)
        for start in range(0, rank.size, _CHUNK):
            part = rank[start : start + _CHUNK]
            reports[start : start + _CHUNK] = self._tables.draw(part, words)
        return reports

    def privatize_base(self, block: Ints, words: WordSource) -> Ints:
        """(n,) blocks → (n,) of all hyperplanes of the block."""
        drawn = uniform_below(self._reports[block].astype(np.uint64), words)
        return self._first[block] + drawn.astype(np.int64)

    def sum_histogram(self, histogram: Ints) -> Ints:
        """(outputs + clear,) reports of each hyperplane and name → (cells + clear,) sums."""
        included = np.zeros(self._block.size, np.int64)
        per_block = np.zeros(self._sizes.size, np.int64)
        for group in self._groups:
            of_group = group.of(histogram)
            if not of_group.any():  # as in most blocks of few reports
                continue
            included[group.ranks] = np.rint(group.sum_by_symbol(of_group))
            per_block[group.blocks] = of_group.sum(axis=1)
        return np.concatenate([included, per_block, histogram[self.outputs :]])

    def sample_tally(self, counts: Ints, base: Ints, rng: np.random.Generator) -> Ints:
        """Lies are spread by one uniform multinomial; truths as `hyperplanes.py` does."""
        some = np.flatnonzero(counts)
        truths = np.zeros_like(counts)
        truths[some] = rng.binomial(counts[some], 1.0 - self._share[self._block[some]])
        noise = counts_by(self._block, counts - truths, base.size) + base
        return self._sent(truths, noise, rng)

    def _sent(self, truths: Ints, noise: Ints, rng: np.random.Generator) -> Ints:
        included = np.zeros_like(truths)
        for group in self._groups:
            if not (noise[group.blocks].any() or truths[group.ranks].any()):
                continue  # nobody of these blocks has reported
            reports = group.space.reports
            tally = rng.multinomial(noise[group.blocks], np.full(reports, 1.0 / reports))
            tally += group.space.draw(group.place_by_block(truths), group.masks, rng)
            included[group.ranks] = np.rint(group.sum_by_symbol(tally))
        per_block = counts_by(self._block, truths, noise.size) + noise
        return np.concatenate([included, per_block])

    def second_moment(self, weights: Floats, p: Floats, block_p: Floats) -> float:
        """E[Z²], Z = (Σ w over the hyperplane − r·W)/(a − r): hyperplane by hyperplane."""
        prob, block, m = self.probabilities, self._block, self._sizes.size
        hidden, base, _ = self._shares(p, block_p)
        level = prob.other * sums_by(block, weights, m)
        means, total = np.empty_like(p), np.zeros(m)
        for group in self._groups:
            z = group.sum_by_hyperplane(weights) - level[group.blocks, None]
            z /= prob.gain[group.blocks, None]
            np.square(z, out=z)
            means[group.ranks] = group.sum_by_symbol(z) / group.space.directions
            total[group.blocks] = z.mean(axis=1)
        lies = self._share * hidden + base
        return float(((1.0 - self._share[block]) * p * means).sum() + (lies * total).sum())

    def number_law(self, block: int, p: Floats, block_p: Floats) -> Floats:
        """See `SupportOracles`: exact, hyperplane by hyperplane."""
        hidden, base, _ = self._shares(p, block_p)
        group = self._group_of(block)
        size, start = self._sizes[block], self._starts[block]
        weights = np.stack([np.ones(size), p[start : start + size]])
        number, through = group.space.sum_by_hyperplane(weights, group.masks[:, :size])
        lies = self._share[block] * hidden[block] + base[block]
        sent = (1.0 - self._share[block]) * through / group.space.directions
        law = np.bincount(np.rint(number).astype(int), sent + lies / number.size, size + 1)
        return np.asarray(law / law.sum())

    def none_included(self, block: int, ranks: Ints) -> Floats:
        """(r + 1,) exact, hyperplane by hyperplane."""
        group = self._group_of(block)
        return group.space.through_none(ranks, group.masks) / group.space.reports

    def _group_of(self, block: int) -> BlockGroup:
        return next(group for group in self._groups if block in group.blocks)

    def channel(self, block: int) -> tuple[int, Ints, int]:
        """Numerators over 2^48·(hyperplanes): a lie N, the truth q·(2^48 − N) more; base 2^48."""
        rows = self.channel_rows(block, 0, int(self._sizes[block]) + 1)
        return rows.first, np.array(rows.values)[rows.codes], rows.denominator

    def channel_rows(self, block: int, start: int, stop: int) -> ChannelRows:
        """Rows of `channel` in codes: 0 for a lie, 1 for the base row's 2^48, 2 for the truth."""
        group = self._group_of(block)
        size, q = int(self._sizes[block]), int(self._values[block])
        x = np.arange(start, min(stop, size))
        codes = group.space.contains(x, group.masks).view(np.uint8)
        np.add(codes, codes, out=codes)  # a third of the time of a shift
        if stop > size:
            codes = np.concatenate([codes, np.ones((1, codes.shape[1]), np.uint8)])
        noise = int(self.cover_threshold[block])
        values = (noise, COIN_ONE, q * (COIN_ONE - noise) + noise)
        return ChannelRows(int(self._first[block]), codes, values, COIN_ONE * group.space.reports)

    def support_form(self, block: int) -> SupportForm:
        """A random hyperplane with λ, else one of those through x: one of q in each direction."""
        lie, q = Fraction(int(self.cover_threshold[block]), COIN_ONE), int(self._values[block])
        return SupportForm(lie + (1 - lie) * q, lie, Fraction(1, q))


@dataclass(frozen=True, eq=False)
class _Tables:
    """Tables to draw reports with: an entry a rank, or a single one for all.

    `first`, `reports`, `directions`: the block's; a report is `first` + y·directions + direction.
    `normal`: where the block's normals start in `normals`. ⟨a, x⟩ is computed from `masks`,
    (bits, s), or is `point` where there is one direction.
    """

    first: Ints
    reports: Words
    noise: Words
    directions: Words
    normal: Ints
    point: Ints
    masks: Ints
    normals: Ints

    def draw(self, rank: Ints, words: WordSource) -> Ints:
        """(n,) ranks → (n,) reports."""
        lie = uniform_below(np.broadcast_to(lookup(self.reports, rank), rank.shape), words)
        truth = np.flatnonzero(~flip_coins(words(rank.size), lookup(self.noise, rank)))
        x, directions = rank[truth], lookup(self.directions, rank[truth])
        direction = lie[truth] - lie[truth] // directions * directions
        a = self.normals.take(lookup(self.normal, x) + direction.astype(np.int64))
        y = lookup(self.point, x) ^ inner_product(a, self.masks[:, x])
        lie[truth] = y.view(np.uint64) * directions + direction
        return lie.view(np.int64) + lookup(self.first, rank)
