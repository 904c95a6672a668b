"""Reports that are sets of a block's symbols, one bit for each: unary encodings and subsets.

The bits of a report stand in the order of the block's ranks, packed as `packed_bits.py` says.
"""

from abc import abstractmethod
from functools import partial

import numpy as np

from caldp_core.basics.errors import require
from caldp_core.basics.limits import N_MAX
from caldp_core.basics.types import Ints, Reports, Words
from caldp_core.mechanisms.oracles.packed_bits import bit_counts, words_for
from caldp_core.mechanisms.oracles.record_reports import RecordReports
from caldp_core.mechanisms.oracles.supports import SupportProbabilities


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
