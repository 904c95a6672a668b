"""Reports that are whole numbers: Hadamard, Galois and randomized response.

The oracles' reports are 0 … outputs−1; the symbols that are not hidden follow behind. Unless a
family says otherwise, a report is the entry of the tally in which it counts.
"""

from typing import Any

import numpy as np

from caldp_core.basics.errors import check_symbols
from caldp_core.basics.limits import N_MAX
from caldp_core.basics.types import Ints, Reports


class HistogramOracles:
    """The part of a `FrequencyOracles` that follows once a report is a number."""

    tally_size: int
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
