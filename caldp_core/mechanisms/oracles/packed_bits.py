"""Reports that are one bit for each hidden symbol of a block, packed, and how they are counted.

Room: mechanisms; the part of the unary family that knows no probabilities. A report includes the
symbols whose bits are 1, so the tally is that of `inclusion.py`.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.errors import CaldpError, check_symbols, require
from caldp_core.basics.limits import N_MAX
from caldp_core.basics.types import Ints, Reports, Words
from caldp_core.mechanisms.base import OUTPUTS_MAX
from caldp_core.mechanisms.oracles.random_bits import BYTE_BITS, bit_sums, every_row
from caldp_core.mechanisms.oracles.supports import SupportLaw, SupportOracles

_LISTED_BITS: Final = 24
"""Blocks of more bits have more different reports than are ever listed."""


class PackedReports(SupportOracles):
    """The part of an `FrequencyOracles` that follows once a report is a row of bits.

    A report is a record of `source`, the number of its block, and `bits`, packed in little order;
    m + i for `source` and no bits name the i-th symbol that is not hidden. See `SupportOracles`.
    """

    n_max: int = N_MAX

    def __init__(self, sizes: Ints, cover_threshold: Words, law: SupportLaw) -> None:
        super().__init__(sizes, cover_threshold, law)
        width = max(1, -(-int(sizes.max()) // BYTE_BITS))
        self.dtype: np.dtype[Any] = np.dtype([("source", "<u4"), ("bits", "u1", (width,))])

    @property
    def outputs(self) -> int:
        """2^s for every block with s > 0 hidden symbols, 10^18 if there are more."""
        return min(sum(1 << int(s) for s in self._sizes if s), OUTPUTS_MAX)

    def tally(self, reports: Reports, clear: int) -> Ints:
        """(n,) reports → (tally_size + clear,) sums; `CaldpError` on a report that can't be."""
        m = self._sizes.size
        source = self.sources(reports, m + clear)
        in_clear = source >= m
        require(
            not reports["bits"][in_clear].any(),
            "reports that name a value in the clear must have no bits set.",
        )
        sums = self.sum_bits(reports["bits"], np.where(in_clear, m, source))
        return np.concatenate([sums, np.bincount(source, minlength=m + clear)])

    def sources(self, reports: Reports, limit: int) -> Ints:
        """(n,) `source` of each report, checked to be below `limit`; `CaldpError` otherwise."""
        found = np.asarray(reports)
        if found.dtype != self.dtype or found.ndim != 1:
            raise CaldpError(
                "reports must be a one-dimensional array of the records that this mechanism makes, "
                f"got shape {found.shape} of {found.dtype}."
            )
        source = check_symbols("sources of reports", found["source"], limit)
        oracle = source[source < self._sizes.size]
        require(
            bool((self._sizes[oracle] > 0).all()),
            "reports must not come from the oracle of a block in which nothing is hidden.",
        )
        return source

    def sum_bits(self, bits: NDArray[np.uint8], block: Ints) -> Ints:
        """(s,) sums of (n, bytes) packed bits by their (n,) blocks; bits of block m do not count.

        Raises `CaldpError` if a bit is set beyond a block's last.
        """
        sums = np.zeros(self._block.size, np.int64)
        for j, members in enumerate(members_of(block, self._sizes.size)):
            if members.size:
                start, size = int(self._starts[j]), int(self._sizes[j])
                total = bit_sums(bits, members)
                require(not total[size:].any(), "reports must not set bits beyond a block's last.")
                sums[start : start + size] = total[:size]
        return sums

    def every_report(self, clear: int) -> Reports:
        """Block by block all rows of bits, counted up in binary, then those in the clear.

        Raises `CaldpError` for blocks of more bits than are listed.
        """
        widest = int(self._sizes.max())
        require(
            widest <= _LISTED_BITS,
            f"Reports can be listed for blocks of at most {_LISTED_BITS} bits, this one would "
            f"have 2^{widest}; use a smaller domain.",
        )
        reports = self.blank(np.zeros(self.outputs, np.int64))
        start, width = 0, reports["bits"].shape[1]
        for block in np.flatnonzero(self._sizes):
            stop = start + (1 << int(self._sizes[block]))
            reports["source"][start:stop] = block
            reports["bits"][start:stop] = every_row(int(self._sizes[block]), width)
            start = stop
        return np.concatenate([reports, self.clear_reports(np.arange(clear))])

    def report_bits(self, clear: int) -> int:
        """The bits of the widest block and the number of the source."""
        return max(1, int(self._sizes.max()) + (self._sizes.size + clear - 1).bit_length())


def members_of(kind: Ints, kinds: int) -> list[Ints]:
    """Indices at which (n,) `kind` is 0, 1, … kinds−1; larger kinds are left out."""
    order = np.argsort(kind, kind="stable")
    ends = np.cumsum(np.bincount(kind, minlength=kinds)[:kinds])
    return np.split(order[: ends[-1]], ends[:-1])
