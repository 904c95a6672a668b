"""Reports that are one whole number each: what Hadamard and randomized response share.

Room: mechanisms. The oracles' reports are the cells of the tally, 0 … cells−1; the symbols that
are not hidden follow behind.
"""

from typing import Any

import numpy as np

from caldp_core.basics.errors import check_symbols
from caldp_core.basics.limits import N_MAX
from caldp_core.basics.types import Ints, Reports


class CodedReports:
    """The part of an `OracleBank` that follows once a report is the cell it counts in."""

    cells: int
    dtype: np.dtype[Any] = np.dtype(np.int64)
    n_max: int = N_MAX

    @property
    def outputs(self) -> int:
        """As many as cells."""
        return self.cells

    def clear_reports(self, place: Ints) -> Ints:
        """(n,) places → (n,) numbers behind the cells."""
        return self.cells + place

    def tally(self, reports: Reports, clear: int) -> Ints:
        """(n,) reports → (cells + clear,) histogram; `CaldpError` on a number out of range."""
        symbols = check_symbols("reports", reports, self.cells + clear)
        return np.bincount(symbols, minlength=self.cells + clear)

    def every_report(self, clear: int) -> Ints:
        """0 … cells + clear − 1."""
        return np.arange(self.cells + clear)

    def report_bits(self, clear: int) -> int:
        """Bits of the largest number."""
        return max(1, (self.cells + clear - 1).bit_length())
