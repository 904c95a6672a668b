"""Columns in floating point → a channel in whole numbers that keeps E exactly.

Every column is pulled a hair toward the constant one, by a factor on its logarithms that leaves
10⁻⁹ nats of every level unused. Entries are rounded down, and what a row then misses to sum to 1
goes to its largest entry: both move ratios by far less than was left. `kept` decides afterwards, by
comparisons that no rounding can turn.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from caldp_core.basics.errors import require
from caldp_core.basics.powers import exp_below
from caldp_core.basics.types import Floats
from caldp_core.mechanisms.designed.master import normalize_rows

_UNUSED_NATS: Final = 1e-9
"""Nats of the least level, and as large a share of the others, that are not used."""
_BITS: Final = 50
"""Bits that the smallest probability keeps at least."""
_RATIO_TOLERANCE: Final = 2.0**-40
"""Relative: floating-point ratios nearer to e^E than that are compared in rationals."""
_FLOAT_MIN: Final = 1e-290


@dataclass(frozen=True)
class WholeChannel:
    """Q(y|x) = numerators[x][y]/2^bits: k rows of whole numbers that sum to 2^bits."""

    numerators: tuple[tuple[int, ...], ...]
    bits: int

    @property
    def outputs(self) -> int:
        """Number of columns."""
        return len(self.numerators[0])

    def floats(self) -> Floats:
        """(k, outputs) nearest floats."""
        whole = 1 << self.bits
        return np.array([[entry / whole for entry in row] for row in self.numerators])


def whole_channel(v: Floats, w: Floats, prior: Floats, levels: Floats) -> WholeChannel:
    """Round (N, k) columns v with (N,) weights w, within (k, k) closed levels E."""
    finite = levels[(levels > 0) & np.isfinite(levels)]
    pull = _UNUSED_NATS / float(finite.min()) if finite.size else 0.0
    with np.errstate(divide="ignore"):
        v = np.exp(np.log(v) * (1 - pull))
    v /= (v @ prior)[:, None]
    w = normalize_rows(v, w, np.ones(v.shape[1]))
    chances = (v * w[:, None]).T[:, w > 0]
    least = float(chances[chances > 0].min())
    bits = max(62, _BITS + math.ceil(-math.log2(least)))
    rows = [[int(Fraction(q) * (1 << bits)) for q in row] for row in chances.tolist()]
    for row in rows:
        row[row.index(max(row))] += (1 << bits) - sum(row)
    return WholeChannel(tuple(tuple(row) for row in rows), bits)


def keeps_levels(channel: WholeChannel, levels: Floats) -> bool:
    """Whether the rows are distributions within (k, k) `levels` E, exactly (CALDP Definition 2)."""
    return rows_keep_levels(channel.numerators, 1 << channel.bits, levels)


def rows_keep_levels(rows: Sequence[Sequence[int]], whole: int, levels: Floats) -> bool:
    """Whether rows of numerators over `whole` are distributions within (k, k) `levels`, exactly."""
    k, outputs = len(levels), len(rows[0])
    if len(rows) != k or any(
        len(row) != outputs or min(row) < 0 or sum(row) != whole for row in rows
    ):
        return False
    floats = np.array([[entry / whole for entry in row] for row in rows])
    # Numbers that floats can't hold to all of their digits settle nothing.
    representable = np.array([all(not e or f > _FLOAT_MIN for e, f in zip(*row, strict=True))
                     for row in zip(rows, floats.tolist(), strict=True)])  # fmt: skip
    with np.errstate(over="ignore"):
        allowed = np.exp(levels) * (1 - _RATIO_TOLERANCE)
    for x in range(k):
        others = np.flatnonzero(np.isfinite(levels[x]) & (np.arange(k) != x))
        sure = (floats[x] <= allowed[x, others, None] * floats[others]).all(axis=1)
        sure &= representable[x] & representable[others]
        if not all(_within(rows[x], rows[z], float(levels[x, z])) for z in others[~sure]):
            return False
    return True


def _within(row: Sequence[int], other: Sequence[int], level: float) -> bool:
    """row ≤ e^level·other, by a rational that lies below e^level."""
    power = exp_below(level)
    up, down = power.numerator, power.denominator
    return all(a * down <= up * b for a, b in zip(row, other, strict=True))


def require_levels(channel: WholeChannel, levels: Floats) -> None:
    """Raise `CaldpError` unless `kept`."""
    require(
        keeps_levels(channel, levels),
        "This channel does not keep its privacy matrix: some row is no distribution or some "
        "report tells two symbols apart by more than it may; design it again.",
    )
