"""Forms of reports: records of a block and its oracle's report, sets in bits, whole numbers.

Records: a report from block j's oracle has `source` j; one that names the i-th symbol that is not
hidden has `source` m + i and 0 in all other fields. Bits stand in the order of the block's ranks,
packed as `supports.py` says. Whole numbers: the oracles' reports are 0 … outputs−1, the symbols
that are not hidden follow behind; unless a family says otherwise, a report is the entry of the
tally in which it counts.
"""

from abc import ABC, abstractmethod
from functools import cached_property, partial
from itertools import accumulate
from typing import Any, TypeVar

import numpy as np

from caldp_core.basics.errors import CaldpError, as_array, check_symbols, require
from caldp_core.basics.limits import LISTED_MAX, N_MAX, OUTPUTS_MAX, REPORTS_MAX_BYTES
from caldp_core.basics.types import Floats, Ints, Reports, Words
from caldp_core.mechanisms.oracles.supports import (
    SupportOracles,
    SupportProbabilities,
    bit_counts,
    words_for,
)


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
        m = self._sizes.size
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

    @property
    def uniform_inclusion(self) -> Floats:
        """(m,) share of a block's reports that include a given symbol: the base is uniform."""
        base: Floats = self.probabilities.base
        return base

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
