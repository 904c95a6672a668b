"""Reports that are whole numbers: what Hadamard response and randomized response share.

Room: mechanisms. The oracles' reports are the entries of the tally, 0 … tally_size−1; the symbols
that are not hidden follow behind.
"""

from typing import Any

import numpy as np

from caldp_core.basics.errors import check_symbols
from caldp_core.basics.limits import N_MAX
from caldp_core.basics.types import Ints, Reports


class HistogramOracles:
    """The part of a `FrequencyOracles` that follows once a report is its entry in the tally."""

    tally_size: int
    dtype: np.dtype[Any] = np.dtype(np.int64)
    n_max: int = N_MAX

    @property
    def outputs(self) -> int:
        """As many as the tally has entries."""
        return self.tally_size

    def clear_reports(self, place: Ints) -> Ints:
        """(n,) places → (n,) numbers from tally_size on."""
        return self.tally_size + place

    def tally(self, reports: Reports, clear: int) -> Ints:
        """(n,) reports → (tally_size + clear,) histogram; `CaldpError` on a number out of range."""
        symbols = check_symbols("reports", reports, self.tally_size + clear)
        return np.bincount(symbols, minlength=self.tally_size + clear)

    def every_report(self, clear: int) -> Ints:
        """0 … tally_size + clear − 1."""
        return np.arange(self.tally_size + clear)

    def report_bits(self, clear: int) -> int:
        """Bits of the largest number."""
        return max(1, (self.tally_size + clear - 1).bit_length())
