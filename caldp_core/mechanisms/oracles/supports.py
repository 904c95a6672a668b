"""Forms of reports: sets of symbols, records of a block and its oracle's report, bits and numbers.

A report of block j's oracle *includes* some of its hidden symbols. Everybody of the block, hidden
or not, sends a report from the base distribution with probability λ; the others send one that
includes their own symbol, or, if that is not hidden, the symbol in the clear. The tally counts, per
hidden symbol, the reports that include it, and per block all of its oracle's reports. With a =
P(includes x | x) and r = P(includes x | another hidden symbol),

    n·p̂_x = (count_x − r·protected_j − β·clear_j)/(a − r),  β = λ(u − r)/(1 − λ),

u = P(a base report includes x): the term with β makes people whose symbol is not hidden cancel out.

Sets are rows of bits packed into 64-bit words: bit i is bit i mod 64 of word ⌊i/64⌋; a row of
`size` bits has `words_for(size)` words or more, and 0 in all bits from `size` on.

Records: a report from block j's oracle has `source` j; one that names the i-th symbol that is not
hidden has `source` m + i and 0 in all other fields. Bits stand in the order of the block's ranks,
packed as above. Whole numbers: the oracles' reports are 0 … outputs−1, the symbols that are not
hidden follow behind; unless a family says otherwise, a report is the entry of the tally in which it
counts.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import accumulate
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.errors import CaldpError, as_array, check_symbols, require
from caldp_core.basics.extras import scipy
from caldp_core.basics.limits import LISTED_MAX, N_MAX, OUTPUTS_MAX, REPORTS_MAX_BYTES
from caldp_core.basics.types import (
    Bools,
    Floats,
    Ints,
    Reports,
    Words,
    WordSource,
    counts_by,
    sums_by,
)
from caldp_core.mechanisms.randomness import COIN_BITS, COIN_ONE, WORD_BITS


@dataclass(frozen=True, eq=False)
class SupportProbabilities:
    """Probabilities that a report's support has symbols: (m,), one a block; see the module.

    `own`, `other`, `base`: a, r and u above; a and r are p* and q* of the pure protocols of Wang
    et al. 2017. `own_pair`: x and a given other symbol, from x. `other_pair`: two given symbols
    that are not x, from x. `base_pair`: two given symbols, from the base distribution.
    `gain`: a − r. `clear`: β.
    """

    own: Floats
    other: Floats
    base: Floats
    own_pair: Floats
    other_pair: Floats
    base_pair: Floats
    gain: Floats
    clear: Floats

    def total_square(self, sizes: Ints) -> Floats:
        """(m,) Σ_x E[Z_x²] of one hidden person, Z_x what the report adds to n·p̂_x.

        The sum of the estimates' variances is this minus a constant, so it ranks settings.
        """
        own, r = self.own, self.other
        square = own * (1.0 - r) ** 2 + (1.0 - own) * r**2 + (sizes - 1) * r * (1.0 - r)
        return np.asarray(square / self.gain**2)

    def expected_square(self, sizes: Ints, cover: Floats, hidden: float) -> Floats:
        """(m,) Σ_x E[Z_x²] of one person whose symbol is hidden with chance `hidden` in [0, 1].

        A symbol that is not hidden counts with its own Z² too, 1/(1 − λ) on average. `cover`: (m,)
        λ.
        """
        u, r = self.base, self.other
        noise = cover * sizes * (u * (1.0 - r) ** 2 + (1.0 - u) * r**2)
        clear = (1.0 - cover) * sizes * self.clear**2
        named = np.divide(1.0, 1.0 - cover, out=np.zeros_like(cover), where=cover < 1.0)
        others = (noise + clear) / self.gain**2 + named
        return np.asarray(hidden * self.total_square(sizes) + (1.0 - hidden) * others)


class SupportOracles:
    """The part of a `FrequencyOracles` that follows from its `SupportProbabilities`.

    `sizes`: (m,) hidden symbols per block; `cover_threshold`: (m,) whole thresholds of λ.
    Tally: (s,) inclusions of each hidden symbol, then (m,) reports of each block's oracle.
    """

    def __init__(self, sizes: Ints, cover_threshold: Words, prob: SupportProbabilities) -> None:
        self._sizes = sizes
        self.cover_threshold = cover_threshold
        self.probabilities = prob
        self._share: Floats = cover_threshold / COIN_ONE
        self._starts = np.cumsum(sizes) - sizes
        self._block = np.repeat(np.arange(sizes.size), sizes)
        self.tally_size = int(sizes.sum()) + sizes.size

    def block_counts(self, counts: Ints) -> Ints:
        """(m,) reports of each block's oracle: the last entries of the tally."""
        return counts[self._block.size :]

    def sample_tally(self, counts: Ints, base: Ints, rng: np.random.Generator) -> Ints:
        """Draw who sends a report from the base; `_sent` draws their reports and the others'."""
        uniform = rng.binomial(counts, self._share[self._block])
        noise = counts_by(self._block, uniform, base.size) + base
        return self._sent(counts - uniform, noise, rng)

    def _sent(self, truths: Ints, noise: Ints, rng: np.random.Generator) -> Ints:
        """(s,) reports that include each symbol and (m,) from the base → (tally_size,) tally."""
        raise NotImplementedError

    def estimate(self, counts: Ints, block_counts: Ints, n: int) -> Floats:
        """(s,) shares, by the module's formula."""
        protected = self.block_counts(counts)
        clear = block_counts - protected
        prob, block = self.probabilities, self._block
        expected = prob.other * protected + prob.clear * clear
        return np.asarray((counts[: block.size] - expected[block]) / (n * prob.gain[block]))

    def variance(self, p: Floats, block_p: Floats, n: int) -> Floats:
        """Exact: a report adds 1 − r, −r or −β, each over a − r, to n·p̂_x."""
        prob, block = self.probabilities, self._block
        hidden, base, clear = self._shares(p, block_p)
        hit = prob.gain[block] * p + (prob.other * hidden + prob.base * base)[block]
        miss = (hidden + base)[block] - hit
        r = prob.other[block]
        square = hit * (1.0 - r) ** 2 + miss * r**2 + (clear * prob.clear**2)[block]
        return np.asarray((square / prob.gain[block] ** 2 - p**2) / n)

    def offset(self, weights: Floats) -> Floats:
        """−β·Σ w/(a − r): what a report in the clear adds; `second_moment` has the others."""
        prob, total = self.probabilities, sums_by(self._block, weights, self._sizes.size)
        return np.asarray(-prob.clear * total / prob.gain)

    def second_moment(self, weights: Floats, p: Floats, block_p: Floats) -> float:
        """Z = (Σ w over the included − r·W)/(a − r), W the sum of all weights of the block.

        E[(Σ w)²] splits into squares and pairs of inclusions, with or without one's own symbol.
        """
        prob, block, m = self.probabilities, self._block, self._sizes.size
        hidden, base, _ = self._shares(p, block_p)
        total = sums_by(block, weights, m)
        squares = sums_by(block, weights**2, m)
        own, own_square = sums_by(block, p * weights, m), sums_by(block, p * weights**2, m)
        mean = prob.gain * own + (prob.other * hidden + prob.base * base) * total
        alone = prob.gain * own_square + (prob.other * hidden + prob.base * base) * squares
        with_own = total * own - own_square
        without = hidden * (total**2 - squares) - 2.0 * with_own
        pairs = 2.0 * prob.own_pair * with_own + prob.other_pair * without
        pairs += prob.base_pair * base * (total**2 - squares)
        level = prob.other * total
        square = alone + pairs - 2.0 * level * mean + level**2 * (hidden + base)
        return float((square / prob.gain**2).sum())

    def number_law(self, block: int, p: Floats, block_p: Floats) -> Floats:
        """(s + 1,) probabilities that a report of the block's oracle includes 0 … s symbols.

        `p`, `block_p`: shares, as in `variance`. Symbols are taken as independent, as they are in
        unary encodings.
        """
        hidden, base, _ = self._shares(p, block_p)
        prob, size = self.probabilities, int(self._sizes[block])
        mine, other, u = (float(each[block]) for each in (prob.own, prob.other, prob.base))
        of_own = number_law(size, mine, other)
        law = hidden[block] * of_own + base[block] * number_law(size, u, u)
        return np.asarray(law / law.sum())

    def _shares(self, p: Floats, block_p: Floats) -> tuple[Floats, Floats, Floats]:
        """(m,) each: people with hidden symbols, base reports and clear reports of the others."""
        hidden = sums_by(self._block, p, self._sizes.size)
        base = self._share * (block_p - hidden)
        return hidden, base, block_p - hidden - base


def number_law(size: int, own: float, other: float) -> Floats:
    """(size + 1,) probabilities of how many of `size` independent symbols a report includes.

    One is included with probability `own`, each other one with `other`.
    """
    rest = scipy.stats.binom.pmf(np.arange(size + 1), size - 1, other)
    return np.asarray((1.0 - own) * rest + own * np.append(0.0, rest[:-1]))


_ONE: Final = np.uint64(1)
_CHUNK_WORDS: Final = 1 << 16
"""Words counted at a time, so that they stay in the cache; but not fewer rows than the next."""
_CHUNK_ROWS: Final = 1024
_UNPACKED_ROWS_MAX: Final = 15
"""Fewer rows than this are unpacked rather than added."""


def words_for(size: int) -> int:
    """Words that `size` bits take."""
    return -(-size // WORD_BITS)


def full_mask(size: int) -> Words:
    """(words,) the bits 0 … size−1."""
    mask = np.full(words_for(size), 2**64 - 1, np.uint64)
    if size % WORD_BITS:
        mask[-1] = (1 << size % WORD_BITS) - 1
    return mask


def set_bits(rows: Words, at: Ints, bit: Ints, ones: Bools) -> None:
    """Set bit `bit[i]` of row `at[i]` where `ones[i]`, else clear it, in (n, words) `rows`.

    `at`, `bit`, `ones`: (changes,), no row twice.
    """
    word, mask = bit // WORD_BITS, _ONE << (bit % WORD_BITS).astype(np.uint64)
    rows[at, word] = (rows[at, word] & ~mask) | mask * ones


def unpack_bits(rows: Words) -> NDArray[np.uint8]:
    """(n, words) rows → (n, 64·words) zeros and ones, on machines of either byte order."""
    octets = np.ascontiguousarray(rows, "<u8").view(np.uint8)
    return np.unpackbits(octets, axis=1, bitorder="little")


def every_row(size: int) -> Words:
    """(2^size, words) all rows of `size` ≤ 63 bits, counted up in binary."""
    return np.arange(1 << size, dtype=np.uint64)[:, None]


def bit_counts(rows: Words, members: Ints, check: Callable[[Words], None]) -> Ints:
    """(64·words,) in how many of the `members` rows each bit is set.

    `rows`: (n, words); `members`: indices of rows. `check` is called with all of these rows, a part
    at a time, and may raise.
    """
    width = rows.shape[1]
    step = max(_CHUNK_ROWS, _CHUNK_WORDS // width)
    counts = np.zeros(width * WORD_BITS, np.int64)
    for start in range(0, members.size, step):
        part = rows[members[start : start + step]]
        check(part)
        _add_bits(part, counts)
    return counts


def _add_bits(rows: Words, counts: Ints) -> None:
    """Add the rows' bits to `counts` in place, by full adders on whole words.

    Three rows of weight 2^j become one of weight 2^j and one of 2^(j+1), so that a row costs
    about five operations a word.
    """
    weight = 1
    while len(rows):
        carries = []
        while len(rows) >= _UNPACKED_ROWS_MAX:
            third = len(rows) // 3
            a, b, c = rows[:third], rows[third : 2 * third], rows[2 * third : 3 * third]
            either = a ^ b
            total = either ^ c
            either &= c
            either |= a & b
            carries.append(either)
            rows = np.concatenate([total, rows[3 * third :]])
        counts += weight * unpack_bits(rows).sum(axis=0, dtype=np.int64)
        rows = np.concatenate(carries) if carries else rows[:0]
        weight *= 2


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


class RecordReports(SupportOracles, ABC):
    """The part of a `FrequencyOracles` that follows once reports are such records.

    `dtype`: the record, with a field `source`. A family says how many different reports a block
    has, lists them, and counts which symbols they include.
    """

    dtype: np.dtype[Any]

    @abstractmethod
    def columns_of(self, block: int) -> int:
        """Number of different reports of a block with hidden symbols."""

    @abstractmethod
    def list_reports(self, block: int) -> Reports:
        """(columns,) all different reports of a block, in the order of the channel's columns."""

    @abstractmethod
    def count_inclusions(self, reports: Reports, members: Ints, block: int) -> Ints:
        """(s_j,) how many of the `members` among (n,) reports include each symbol of the block.

        Raises `CaldpError` on a report that the block's oracle cannot send.
        """

    @cached_property
    def _ends(self) -> list[int]:
        # (m,) columns of all blocks up to each.
        blocks = enumerate(self._sizes)
        return list(accumulate(self.columns_of(j) if size else 0 for j, size in blocks))

    @property
    def outputs(self) -> int:
        """Different reports of all blocks, 10^18 if there are more."""
        return min(self._ends[-1], OUTPUTS_MAX)

    def first_column(self, block: int) -> int:
        """The channel's column of the block's first report."""
        return self._ends[block - 1] if block else 0

    def blank_records(self, source: Ints) -> Reports:
        """(n,) sources → (n,) records with 0 in all other fields; `CaldpError` if too large."""
        size = source.size * self.dtype.itemsize
        require(
            size <= REPORTS_MAX_BYTES,
            f"Reports may take at most {REPORTS_MAX_BYTES:,} bytes, these {source.size:,} would "
            f"take {size:,}; take fewer people at a time or sample_tally.",
        )
        reports = np.zeros(source.size, self.dtype)
        reports["source"] = source
        return reports

    def clear_reports(self, place: Ints) -> Reports:
        """(n,) places → (n,) records whose `source` is m + place, and that hold nothing else."""
        return self.blank_records(self._sizes.size + place)

    def every_report(self, clear: int) -> Reports:
        """Block after block all that its oracle sends, then those in the clear.

        Raises `CaldpError` where there are more than are ever listed.
        """
        require(
            self.outputs <= LISTED_MAX,
            f"At most {LISTED_MAX:,} different reports can be listed, this mechanism has "
            f"{self.outputs:,} or more; use a smaller domain.",
        )
        blocks = np.flatnonzero(self._sizes).tolist()
        return np.concatenate(
            [*map(self.list_reports, blocks), self.clear_reports(np.arange(clear))]
        )

    def tally(self, reports: Reports, clear: int) -> Ints:
        """(n,) reports → (tally_size + clear,) sums; `CaldpError` on a report that can't be."""
        m, reports = self._sizes.size, as_array("reports", reports)
        source = self.sources(reports, m + clear)
        values = [reports[field] for field in self.dtype.names or () if field != "source"]
        require(
            not any(part[source >= m].any() for part in values),
            "reports that name a value in the clear must hold nothing else.",
        )
        per_source = np.bincount(source, minlength=m + clear)
        return np.concatenate([self.supports(reports, source), per_source])

    def sources(self, reports: Reports, limit: int) -> Ints:
        """(n,) `source` of each report, checked to be below `limit`; `CaldpError` otherwise."""
        records = as_array("reports", reports)
        if records.dtype != self.dtype or records.ndim != 1:
            raise CaldpError(
                "reports must be a one-dimensional array of the records that this mechanism makes, "
                f"got shape {records.shape} of {records.dtype}."
            )
        source = check_symbols("sources of reports", records["source"], limit)
        oracle = source[source < self._sizes.size]
        require(
            bool((self._sizes[oracle] > 0).all()),
            "reports must not come from the oracle of a block in which nothing is hidden.",
        )
        return source

    def supports(self, reports: Reports, block: Ints) -> Ints:
        """(s,) how many reports include each hidden symbol.

        `block`: (n,) whose oracle each report is from; those from m on do not count. Raises
        `CaldpError` on a report that the oracle cannot send.
        """
        sums = np.zeros(self._block.size, np.int64)
        for j, members in enumerate(members_of(block, self._sizes.size)):
            if members.size:
                start, size = int(self._starts[j]), int(self._sizes[j])
                sums[start : start + size] = self.count_inclusions(reports, members, j)
        return sums


def members_of(kind: Ints, kinds: int) -> list[Ints]:
    """Indices at which (n,) `kind` is 0, 1, … kinds−1; larger kinds are left out."""
    order = np.argsort(kind, kind="stable")
    ends = np.cumsum(np.bincount(kind, minlength=kinds)[:kinds])
    return np.split(order[: ends[-1]], ends[:-1])


Table = TypeVar("Table", Ints, Words)


def compress_table(table: Table) -> Table:
    """A table whose entries are all equal shrinks to one entry."""
    return table[:1].copy() if table.size and (table == table[0]).all() else table


def lookup(table: Table, rank: Ints) -> Table:
    """(n,) entries of the ranks, or the (1,) entry that they share."""
    return table if table.size == 1 else table.take(rank)


class PackedReports(RecordReports):
    """The part of a `FrequencyOracles` that follows once a report is a row of bits.

    `sizes`, `cover_threshold`, `prob`: see `SupportOracles`. Reports are records of `source` and
    `bits`, see `RecordReports`.
    """

    n_max: int = N_MAX

    def __init__(self, sizes: Ints, cover_threshold: Words, prob: SupportProbabilities) -> None:
        super().__init__(sizes, cover_threshold, prob)
        width = max(1, words_for(int(sizes.max())))
        self.dtype = np.dtype([("source", "<i8"), ("bits", "<u8", (width,))])

    @abstractmethod
    def rows_of(self, block: int) -> Words:
        """(columns, words) all rows of bits that a block sends."""

    def check_rows(self, rows: Words, block: int) -> None:
        """Raise `CaldpError` unless the block sends such (n, words) rows; by default all pass."""

    def list_reports(self, block: int) -> Reports:
        """(columns,) all different reports of a block."""
        rows = self.rows_of(block)
        reports = self.blank_records(np.full(len(rows), block))
        reports["bits"][:, : rows.shape[1]] = rows
        return reports

    def count_inclusions(self, reports: Reports, members: Ints, block: int) -> Ints:
        """(s_j,) how many of the `members` include each symbol; `CaldpError` on other bits."""
        size = int(self._sizes[block])
        counts = bit_counts(reports["bits"], members, partial(self.check_rows, block=block))
        require(not counts[size:].any(), "reports must not set bits beyond a block's last.")
        return counts[:size]

    def report_bits(self, clear: int) -> int:
        """One bit for each symbol of the widest block, and the number of the source."""
        return max(1, int(self._sizes.max()) + (self._sizes.size + clear - 1).bit_length())


class HistogramOracles:
    """The part of a `FrequencyOracles` that follows once a report is a number."""

    tally_size: int
    probabilities: Any
    dtype: np.dtype[Any] = np.dtype(np.int64)
    n_max: int = N_MAX

    @property
    def outputs(self) -> int:
        """Number of different reports: by default, the entries of the tally."""
        return self.tally_size

    def clear_reports(self, place: Ints) -> Ints:
        """(n,) places → (n,) numbers from outputs on."""
        return self.outputs + place

    def tally(self, reports: Reports, clear: int) -> Ints:
        """(n,) reports → sums, see `summed`; `CaldpError` on a number out of range."""
        symbols = check_symbols("reports", reports, self.outputs + clear)
        return self.sum_histogram(np.bincount(symbols, minlength=self.outputs + clear))

    def sum_histogram(self, histogram: Ints) -> Ints:
        """(outputs + clear,) histogram of reports → (tally_size + clear,) sums."""
        return histogram

    def every_report(self, clear: int) -> Ints:
        """0 … outputs + clear − 1."""
        return np.arange(self.outputs + clear)

    def report_bits(self, clear: int) -> int:
        """Bits of the largest number."""
        return max(1, (self.outputs + clear - 1).bit_length())
