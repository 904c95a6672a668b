"""The Hadamard family: Hadamard response in every context.

Plain: Acharya, Sun, Zhang 2019; sensitive set: CALDP §5 (13)–(16); blocks: CALDP §6 (19). A block
with s hidden symbols uses S = 2^⌈log₂(s+1)⌉; its i-th hidden symbol uses row i+1 of the Sylvester
matrix H_S (the paper's (13) writes row i, its appendix i+1: row 0 is all ones and would not be a
distribution). The report y is uniform on {H(row, y) = +1} with probability p = T/2^48, else on the
complement.

That is B = 1 of the general form for every ε (2019, §5). There a block's symbols are divided into B
*parts* with matrices of order b > s/B, and the reports of all parts make up the B·b outputs. With
probability p the report is uniform on {H(row, y) = +1} in the symbol's own part, a half part, else
on all 2B − 1 other halves: with B near e^ε/2 few of the lies fall into one's own part. Parts of one
order lie next to each other in the tally, so that they transform at once.

A stochastic version of the Walsh–Hadamard transform draws a population's tally. H is Sylvester's
matrix: H(r, y) = (−1)^popcount(r & y).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.types import Floats, Ints, Words, WordSource, counts_by, sums_by
from caldp_core.mechanisms.capabilities import ChannelRows
from caldp_core.mechanisms.oracles import supports
from caldp_core.mechanisms.randomness import (
    COIN_ONE,
    SPARE_BITS,
    binomial_half,
    flip_coins,
    truth_threshold,
    uniform_below,
)

_LONG_ROW = 4096
"""Few rows so long, and more of them as they get longer, go one by one: up to 4 times quicker."""


def fwht(values: Floats) -> Floats:
    """values @ H_S along the last axis; shape (…, S), S a power of two.

    Bit by bit like `stochastic_fwht` below: the row's highest bit goes, the output's bit comes in
    last, so that every slice is long. Dense products with H_256 are not quicker, and BLAS threads
    get in each other's way when several visits compute at once.
    """
    order = values.shape[-1]
    width = values.size // order
    if 1 < width <= order // _LONG_ROW:
        return np.array([fwht(row) for row in values.reshape(width, order)]).reshape(values.shape)
    turns = list(np.empty((2, order, width)))  # as below
    turns[0][...] = values.reshape(-1, order).T
    for _ in range(order.bit_length() - 1):
        upper, lower = turns[0].reshape(2, order // 2, width)
        after = turns[1].reshape(order // 2, 2, width)
        np.add(upper, lower, out=after[:, 0])
        np.subtract(upper, lower, out=after[:, 1])
        turns.reverse()
    return np.ascontiguousarray(turns[0].T).reshape(values.shape)


def stochastic_fwht(counts: Ints, rng: np.random.Generator) -> Ints:
    """Tally of users who each send y uniform on {y : popcount(r & y) odd} or its complement.

    `counts`: (2, S, B) int64 ≥ 0; counts[t, r, b] users of block b hold row r and send a y whose
    parity popcount(r & y) mod 2 is t; row 0 with t = 1 must be empty, as no y fits it.
    Returns (S, B) int64: how many users of block b sent y, with exactly the distribution
    that one-by-one reports have, in O(S log S) whatever the number of users.

    One bit of r is exchanged for the same bit of y per round, from the highest down. In memory
    the bits still to do come first and the report's bits last, so that every slice is contiguous
    and the result is in order.
    """
    _, order, blocks = counts.shape
    # Made once, as fresh arrays in every round cost as much as the draws (page faults).
    *turns, people, heads = np.empty((4, counts.size), np.int64)
    state, done = counts, 1
    while done < order:
        state = state.reshape(2, 2, order // 2, blocks)
        after = turns[0].reshape(2, order // 2, 2, blocks)
        # h ≠ 0: later bits can still fix the parity, so this bit of y is a fair coin.
        _toss(state[:, :, done:], after[:, done:], rng, people, heads)
        _settle(state[:, :, :done], after[:, :done], rng)
        state, done = after, 2 * done
        turns.reverse()
    return np.array(state.reshape(2, order, blocks)[0])


def _toss(state: Ints, after: Ints, rng: np.random.Generator, *spare: Ints) -> None:
    """One round where h ≠ 0: state[t, b, (h, y…), block] → after[t, (h, y…), new bit, block].

    b is the row's bit that is exchanged, h its bits still to come, and y… the bits of y behind it.
    `spare`: two arrays of at least the size of `state` for what lies between.
    """
    people, zero = (each[: state.size].reshape(state.shape) for each in spare)
    people[...] = state
    binomial_half(people, rng, zero)
    np.add(zero[:, 0], zero[:, 1], out=after[:, :, 0])
    one = np.subtract(people, zero, out=zero)
    np.add(one[:, 0], one[::-1, 1], out=after[:, :, 1])


def _settle(state: Ints, after: Ints, rng: np.random.Generator) -> None:
    """One round where h = 0: this bit is the last of its row that the parity can depend on.

    With b = 1 the bit of y must be t; with b = 0 the parity is right already (t = 0), and the bit
    is a fair coin.
    """
    free = state[0, 0]
    zero = binomial_half(free, rng)
    np.add(zero, state[0, 1], out=after[0, :, 0])
    np.add(free - zero, state[1, 1], out=after[0, :, 1])
    after[1] = 0


Cells = TypeVar("Cells", Ints, Floats)


@dataclass(frozen=True, eq=False)
class PartGroup:
    """Parts of one order b, next to each other in the tally. `parts`: (p,) their numbers."""

    start: int
    order: int
    parts: Ints

    @property
    def stop(self) -> int:
        """One past its last cell."""
        return self.start + self.order * self.parts.size

    def of(self, cells: Cells) -> Cells:
        """(…, parts, order) view of a (…, cells) array."""
        return cells[..., self.start : self.stop].reshape(
            *cells.shape[:-1], self.parts.size, self.order
        )


@dataclass(frozen=True, eq=False)
class BlockParts:
    """The parts of all blocks, numbered block after block; a block without symbols has one of none.

    `counts`, `orders`: (m,) parts of each block, and their order b. `block`: (parts,) whose each
    is; `starts`: (parts,) their first cells. `of_rank`, `row`: (s,) each symbol's part, and its
    row in there.
    """

    counts: Ints
    orders: Ints
    block: Ints
    starts: Ints
    of_rank: Ints
    row: Ints
    groups: tuple[PartGroup, ...]

    @classmethod
    def of(cls, sizes: Ints, wanted: Ints) -> Self:
        """(m,) symbols of each block and the B ≥ 1 that is wanted for it.

        b is the least power of two above s/B: row 0, all ones, is nobody's. Of B parts only
        ⌈s/(b − 1)⌉ are needed; the symbols go to them in turn, so that parts are of a size.
        """
        orders = np.where(sizes > 0, 1 << bit_length(-(-sizes // wanted)), 0)
        counts = np.where(sizes > 0, -(-sizes // np.maximum(orders - 1, 1)), 1)
        block = np.repeat(np.arange(sizes.size), counts)
        owner = np.repeat(np.arange(sizes.size), sizes)
        place = np.arange(owner.size) - (np.cumsum(sizes) - sizes)[owner]
        of_rank = (np.cumsum(counts) - counts)[owner] + place % counts[owner]
        starts, groups = _laid_out(orders[block])
        return cls(counts, orders, block, starts, of_rank, place // counts[owner] + 1, groups)

    @property
    def first(self) -> Ints:
        """(m,) the first part of each block."""
        return np.cumsum(self.counts) - self.counts

    @property
    def cells(self) -> Ints:
        """(m,) cells of each block."""
        return self.orders * self.counts


def bit_length(sizes: Ints) -> Ints:
    """2^bit_length(s) is the least power of two above s: the paper's 2^⌈log₂(s+1)⌉."""
    return np.frexp(sizes.astype(np.float64))[1].astype(np.int64)


def one_part(sizes: Ints, epsilon: Floats) -> Ints:
    """(m,) B = 1: the form for high privacy, and that of CALDP."""
    del epsilon
    return np.ones_like(sizes)


def published_parts(sizes: Ints, epsilon: Floats) -> Ints:
    """(m,) the B of Acharya, Sun, Zhang 2019: the greatest power of two below min(e^ε, 2s), or 1.

    In their words 2^(⌈log₂ min(e^ε, 2k)⌉ − 1).
    """
    fraction, exponent = np.frexp(np.minimum(np.exp(epsilon), 2.0 * sizes))
    below = exponent.astype(np.int64) - np.where(fraction == 0.5, 2, 1)
    return np.asarray(1 << np.maximum(below, 0))


def _laid_out(orders: Ints) -> tuple[Ints, tuple[PartGroup, ...]]:
    """(parts,) orders → (parts,) first cells, and the groups."""
    by_order = np.argsort(orders, kind="stable")
    ends = np.cumsum(orders[by_order])
    starts = np.empty_like(orders)
    starts[by_order] = ends - orders[by_order]
    same = [np.flatnonzero(orders == order) for order in np.unique(orders[orders > 0])]
    return starts, tuple(PartGroup(int(starts[p[0]]), int(orders[p[0]]), p) for p in same)


Bytes: TypeAlias = NDArray[np.uint8]


def truth_codes(rows: Ints, order: int) -> Bytes:
    """(rows, order) 2 where H(r, y) = +1 and 0 elsewhere: even parity of r & y.

    By the Kronecker sum of the low bits' codes and the high bits' own, in one pass over the result.
    """
    low_bits = (order.bit_length() - 1) // 2
    low = 2 * (np.bitwise_count(rows[:, None] & np.arange(1 << low_bits)) & np.uint8(1))
    high = 2 * (np.bitwise_count((rows >> low_bits)[:, None] & np.arange(order >> low_bits)) & 1)
    even: Bytes = (high ^ np.uint8(2))[:, :, None] ^ low[:, None, :]
    return even.reshape(rows.size, order)


@dataclass(frozen=True)
class ReportTables:
    """Tables to draw reports with: one entry per rank, or a single one for all.

    `row`, `mask`, `start`: in the symbol's own part; `first`, `parts`: of its block.
    """

    row: Ints
    mask: Ints
    start: Ints
    truth: Words
    first: Ints
    parts: Ints

    def draw(self, rank: Ints, words: WordSource) -> Ints:
        """(n,) ranks → (n,) cells of the tally."""
        coin = words(rank.size)
        row, mask = supports.lookup(self.row, rank), supports.lookup(self.mask, rank)
        # The coin takes the top 48 bits; the 16 below are free for y if they suffice.
        spare = coin if int(self.mask.max()) < 1 << SPARE_BITS else words(coin.size)
        y = spare.view(np.int64) & mask
        odd = np.bitwise_count(row & y) & 1
        truthful = flip_coins(coin, supports.lookup(self.truth, rank))
        # Flipping y's bit at the row's lowest set bit corrects the parity and keeps y uniform.
        reports: Ints = (y ^ ((row & -row) * (odd == truthful))) + supports.lookup(self.start, rank)
        if self.parts.max() > 1:
            liars = np.flatnonzero(~truthful)
            self._stray(reports, rank, y, liars, words)
        return reports

    def _stray(self, reports: Ints, rank: Ints, y: Ints, liars: Ints, words: WordSource) -> None:
        """Move liars to other parts: of 2B − 1 halves two are each other part's, one their own's.

        `reports`, `rank`, `y`: (n,), y uniform; `liars`: places of those who do not tell the truth.
        """
        halves = 2 * supports.lookup(self.parts, rank[liars]) - 1
        half = uniform_below(np.broadcast_to(halves, liars.shape).astype(np.uint64), words)
        steps = (half.astype(np.int64) + 1) // 2
        movers = liars[steps > 0]
        x, order = rank[movers], supports.lookup(self.mask, rank[movers]) + 1
        first, parts = supports.lookup(self.first, x), supports.lookup(self.parts, x)
        own = supports.lookup(self.start, x) - first
        reports[movers] = first + (own + steps[steps > 0] * order) % (parts * order) + y[movers]


_CHUNK = 1 << 16


class HadamardOracles(supports.HistogramOracles):
    """Hadamard response of all blocks; `sizes`: (m,) hidden symbols per block, `epsilon`: (m,).

    `choose`: sizes and ε → (m,) the B of each block; of these parts only those needed are used.
    """

    def __init__(
        self, sizes: Ints, epsilon: Floats, choose: Callable[[Ints, Floats], Ints] = one_part
    ) -> None:
        self._sizes = sizes
        self._parts = BlockParts.of(sizes, choose(sizes, epsilon))
        self._orders, count = self._parts.orders, self._parts.counts
        self._starts = self._parts.starts[self._parts.first]
        self.tally_size = int(self._parts.cells.sum())
        self._truth = truth_threshold(epsilon, 2 * count - 1)
        # λ = 2B(1 − p)/(2B − 1): then λ/(B·b) is the least probability of a hidden symbol.
        lie, halves = np.uint64(COIN_ONE) - self._truth, (2 * count - 1).astype(np.uint64)
        self.cover_threshold: Words = np.where(
            sizes > 0, lie + (lie + halves - np.uint64(1)) // halves, np.uint64(0)
        )
        truth = self._truth / COIN_ONE
        self._c = (2 * count - 1) / (2.0 * count * truth - 1.0)
        self._strays = 2.0 * (1.0 - truth) / (2 * count - 1)
        self._stays = 1.0 - (count - 1) * self._strays
        self._block = np.repeat(np.arange(sizes.size), sizes)
        self._part, self._row = self._parts.of_rank, self._parts.row
        self._cell = self._parts.starts[self._part] + self._row

    @property
    def probabilities(self) -> supports.SupportProbabilities:
        """A report y includes x if H(row of x, y) = +1, and by half if it is of another part.

        Pairs of symbols are equally likely only for reports from the base distribution: NaN.
        """
        half, unlike = np.full(self._sizes.size, 0.5), np.full(self._sizes.size, np.nan)
        gain = 0.5 / self._c
        return supports.SupportProbabilities(
            own=half + gain,
            other=half,
            base=half,
            own_pair=unlike,
            other_pair=unlike,
            base_pair=half / 2.0,
            gain=gain,
            clear=np.zeros_like(half),
        )

    @property
    def settings(self) -> tuple[Words, ...]:
        """T of every block, falling with the number of parts, which fixes their order."""
        return (self._truth,)

    @property
    def device_numbers(self) -> dict[str, Ints | Words]:
        """See `HasDeviceNumbers`: `parts` of `order` cells each, from `first` on."""
        parts = self._parts
        return {
            "truth": self._truth,
            "parts": parts.counts,
            "order": self._orders,
            "first": self._starts,
        }

    def privatize(self, rank: Ints, words: WordSource) -> Ints:
        """(n,) ranks → (n,) cells; works through users in chunks that stay in the cache."""
        tables = ReportTables(
            supports.compress_table(self._row),
            supports.compress_table(self._orders[self._block] - 1),
            supports.compress_table(self._cell - self._row),
            supports.compress_table(self._truth[self._block]),
            supports.compress_table(self._starts[self._block]),
            supports.compress_table(self._parts.counts[self._block]),
        )
        reports = np.empty(rank.size, np.int64)
        for start in range(0, rank.size, _CHUNK):
            part = rank[start : start + _CHUNK]
            reports[start : start + _CHUNK] = tables.draw(part, words)
        return reports

    def privatize_base(self, block: Ints, words: WordSource) -> Ints:
        """(n,) blocks → (n,) cells uniform on the block's outputs."""
        cells = self._parts.cells[block].astype(np.uint64)
        return self._starts[block] + uniform_below(cells, words).astype(np.int64)

    def sample_tally(self, counts: Ints, base: Ints, rng: np.random.Generator) -> Ints:
        """Stochastic Walsh–Hadamard transform; base reports enter as row 0 (all +1, no lie).

        With several parts, people tell the truth with 1 − λ and else send a base report: the law is
        the same, and nobody has to be kept from the half of their own.
        """
        alone, truths = self._parts.counts == 1, np.zeros_like(counts)
        some = np.flatnonzero(counts)
        shares = np.where(alone, self._truth / COIN_ONE, 1.0 / self._c)[self._block[some]]
        truths[some] = rng.binomial(counts[some], shares)
        lies = counts - truths
        own = np.where(alone[self._block], lies, 0)
        return self._sent(truths, own, base + counts_by(self._block, lies - own, base.size), rng)

    def _sent(self, truths: Ints, lies: Ints, base: Ints, rng: np.random.Generator) -> Ints:
        parity = np.zeros((2, self.tally_size), np.int64)
        parity[0, self._cell] = truths
        parity[1, self._cell] = lies
        for count in np.unique(self._parts.counts).tolist():
            blocks = np.flatnonzero((self._parts.counts == count) & (self._sizes > 0))
            parts = self._parts.first[blocks][:, None] + np.arange(count)
            spread = rng.multinomial(base[blocks], np.full(count, 1.0 / count))
            parity[0, self._parts.starts[parts]] = spread
        tally = np.empty(self.tally_size, np.int64)
        for group in self._parts.groups:
            state = np.ascontiguousarray(np.swapaxes(group.of(parity), -1, -2))
            group.of(tally)[...] = stochastic_fwht(state, rng).T
        return tally

    def block_counts(self, counts: Ints) -> Ints:
        """(m,) reports from each block's outputs."""
        ends = np.concatenate([[0], np.cumsum(counts)])
        return np.asarray(ends[self._starts + self._parts.cells] - ends[self._starts])

    def estimate(self, counts: Ints, block_counts: Ints, n: int) -> Floats:
        """p̂_x = (c/n)·FWHT(its part's tally)[row of x], c = (2B−1)/(2Bp−1), and 1/(2p−1) for B = 1.

        Reports of all others cancel out: a lie in another part is none of x's, and those in one's
        own, as base reports, are as often +1 as −1.
        """
        spectrum = np.empty(self.tally_size)
        for group in self._parts.groups:
            spectrum[group.start : group.stop] = fwht(group.of(counts).astype(np.float64)).ravel()
        return np.asarray(spectrum[self._cell] * (self._c[self._block] / n))

    def variance(self, p: Floats, block_p: Floats, n: int) -> Floats:
        """(1/n)(c²·P(report of x's part) − p_x²): such a report counts ±c, and no other counts."""
        base = self._base(p, block_p)
        reached = self._reached(p, base)[self._part]
        return np.asarray((self._c[self._block] ** 2 * reached - p**2) / n)

    def _base(self, p: Floats, block_p: Floats) -> Floats:
        """(m,) share of base reports from each block."""
        hidden_p = sums_by(self._block, p, block_p.size)
        return np.asarray(self.cover_threshold / COIN_ONE * (block_p - hidden_p))

    def _reached(self, p: Floats, base: Floats) -> Floats:
        """(parts,) share of reports in each; (s,) hidden shares and (m,) base reports."""
        block, own = self._parts.block, sums_by(self._part, p, self._parts.block.size)
        hidden = sums_by(self._block, p, base.size)
        return self._mixed(own, hidden) + (base / self._parts.counts)[block]

    def _mixed(self, own: Floats, every: Floats) -> Floats:
        """(parts,) numbers and (m,) their sums over blocks → as people's reports mix them."""
        block = self._parts.block
        return np.asarray(self._stays[block] * own + self._strays[block] * (every[block] - own))

    def offset(self, weights: Floats) -> Floats:
        """0: a report counts by its y alone, not by being from the block."""
        return np.zeros(self._sizes.size)

    def second_moment(self, weights: Floats, p: Floats, block_p: Floats) -> float:
        """Z = c·ŵ(y), ŵ the transforms of w: E[Z²|x] = c²·(mean ŵ² + FWHT(ŵ²)[row]/(b·c)).

        The mean is over the parts as a report of x mixes them; its row is that in its own part.
        """
        spectrum, mean = np.zeros(self.tally_size), np.zeros(self._parts.block.size)
        spectrum[self._cell] = weights
        for group in self._parts.groups:
            square = fwht(group.of(spectrum)) ** 2
            part = fwht(square) / group.order
            group.of(spectrum)[...] = part
            mean[group.parts] = part[:, 0]
        every = sums_by(self._parts.block, mean, self._sizes.size)
        c = self._c[self._block]
        hidden = p * (c**2 * self._mixed(mean, every)[self._part] + c * spectrum[self._cell])
        base = self._base(p, block_p) * self._c**2 * (every / self._parts.counts)
        return float(hidden.sum() + base.sum())

    def apply(self, p: Floats, base: Floats) -> Floats:
        """Q p: (s,) hidden shares and (m,) base reports → (tally_size,) distribution.

        In a symbol's own part Q(y|row r) is its share of the part's reports and H(r, y)/(c·b), so
        it is one transform; reports enter each part as row 0.
        """
        spectrum, some = np.zeros(self.tally_size), self._sizes[self._parts.block] > 0
        spectrum[self._cell] = p / self._c[self._block]
        spectrum[self._parts.starts[some]] = self._reached(p, base)[some]
        for group in self._parts.groups:
            group.of(spectrum)[...] = fwht(group.of(spectrum)) / group.order
        return spectrum

    def apply_transpose(self, weights: Floats) -> tuple[Floats, Floats]:
        """Qᵀ w: (tally_size,) weights → (s,) mean over a hidden symbol's reports, (m,) base's."""
        means = np.empty(self.tally_size)
        for group in self._parts.groups:
            group.of(means)[...] = fwht(group.of(weights)) / group.order
        part, some = np.zeros(self._parts.block.size), self._sizes[self._parts.block] > 0
        part[some] = means[self._parts.starts[some]]
        every = sums_by(self._parts.block, part, self._sizes.size)
        truthful = means[self._cell] / self._c[self._block]
        return self._mixed(part, every)[self._part] + truthful, every / self._parts.counts

    def channel(self, block: int) -> tuple[int, Ints, int]:
        """Numerators over 2^47·b·B(2B − 1): B(2B − 1)·T, B·(2^48 − T), and an even base row."""
        rows = self.channel_rows(block, 0, int(self._sizes[block]) + 1)
        return rows.first, np.array(rows.values)[rows.codes], rows.denominator

    def channel_rows(self, block: int, start: int, stop: int) -> ChannelRows:
        """`channel` in codes: 0 for a lie, 1 for the base row's 2^47·(2B − 1), 2 for the truth."""
        order, count = int(self._orders[block]), int(self._parts.counts[block])
        size, truth = int(self._sizes[block]), int(self._truth[block])
        x = np.arange(start, min(stop, size))
        codes = truth_codes(x // count + 1, order)
        if count > 1:
            by_part = np.zeros((x.size, count, order), np.uint8)
            by_part[np.arange(x.size), x % count] = codes
            codes = by_part.reshape(x.size, count * order)
        if stop > size:
            codes = np.concatenate([codes, np.ones((1, count * order), np.uint8)])
        halves = 2 * count - 1
        values = ((COIN_ONE - truth) * count, COIN_ONE // 2 * halves, truth * count * halves)
        return ChannelRows(
            int(self._starts[block]), codes, values, COIN_ONE // 2 * order * count * halves
        )
