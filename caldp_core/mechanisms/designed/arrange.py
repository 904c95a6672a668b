"""From weights of orbits to the columns of a channel in whole numbers that keeps E exactly.

Small orbits are written out whole. A large one (64 symbols, 17 of them high: 10^15 columns) is
represented by a few of its columns and all their cyclic shifts, as in a block design made of
difference sets (Bose 1939). Shifts make M circulant on each class, with the eigenvalues Σ
w·|v̂(f)|²/k_c at the frequencies f ≠ 0. Were they all equal, M would be that of the whole orbit;
swaps of two symbols even them out.

Every column is then pulled a hair toward the constant one, by a factor on its logarithms that
leaves 10⁻⁹ nats of every level unused. Entries are rounded down, and what a row then misses to sum
to 1 goes to its largest entry: both move ratios by far less than was left, and `rows_keep_levels`
decides.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
import scipy

from caldp_core.basics.errors import require
from caldp_core.basics.powers import exp_below
from caldp_core.basics.types import Floats
from caldp_core.mechanisms.designed.master import WeightedColumns, best_weights, normalize_rows
from caldp_core.mechanisms.designed.problem import Classes, Columns, Orbit

_SMALL: Final = 1e-7
"""Relative to the largest: weights below it are dropped before the rest are solved for again."""
_COLUMNS_FACTOR: Final = 1.5
"""Times as many columns as M has entries: of fewer a basic solution leaves out too few."""
_RARE: Final = 1e-4
"""Relative to the largest: columns with a smaller weight may be dropped."""
_LOSS_TOLERANCE: Final = 1e-5
"""Relative rise of the loss that dropping columns may cost."""
_ROW_TOLERANCE: Final = 1e-9
"""How far rows may be from 1, relative to √k_c."""
_WEIGHT_ACCURACY: Final = 1e-9
"""Default relative accuracy of the weights."""
_SWAPS: Final = 64
"""Swaps tried at a time."""
_EVEN_LOSS_FACTOR: Final = 1.0005
"""Evening out stops at this multiple of the loss of eigenvalues that are all equal."""
_TRIES: Final = 4000
"""Most rounds of swaps."""


def reduce_columns(
    weighted: WeightedColumns, classes: Classes, accuracy: float = _WEIGHT_ACCURACY
) -> WeightedColumns:
    """Keep M, but for rounding, with at most as many columns as it has entries (Carathéodory).

    A basic solution of the equations for M, which fix the row sums too, since Mπ = Σ w v. Then the
    columns with the smallest weights leave one by one, as long as that costs next to nothing.
    """
    large = weighted.w > _SMALL * weighted.w.max()
    columns, w = weighted.columns.rows(np.flatnonzero(large)), weighted.w[large]
    first, second = np.triu_indices(columns.sums.shape[1])
    entries = np.column_stack(
        [columns.sums[:, first] * columns.sums[:, second], columns.spreads[:, classes.sizes > 1]]
    )
    if len(columns) > _COLUMNS_FACTOR * entries.shape[1]:
        entries /= np.abs(entries).max(axis=0)
        basic = scipy.optimize.linprog(
            np.arange(len(w)), A_eq=entries.T, b_eq=w @ entries, method="highs-ds"
        )
        if basic.x is not None:
            columns = columns.rows(np.flatnonzero(basic.x > _SMALL * basic.x.max()))
    few = _as_good(columns, classes, accuracy, weighted) or weighted
    return _without_rare(few, classes, accuracy)


def _without_rare(few: WeightedColumns, classes: Classes, accuracy: float) -> WeightedColumns:
    """Drop columns that are hardly ever sent."""
    rare = few.w < _RARE * few.w.max()
    frequent = few.columns.rows(np.flatnonzero(~rare))
    return _as_good(frequent, classes, accuracy, few) or few if rare.any() else few


def _as_good(
    columns: Columns, classes: Classes, accuracy: float, than: WeightedColumns
) -> WeightedColumns | None:
    """The best weights of fewer columns; None where no weights of them make a channel as good."""
    if np.linalg.matrix_rank(columns.sums) < len(classes.sizes):
        return None
    try:
        best = best_weights(columns, classes, accuracy)
    except np.linalg.LinAlgError:  # the search for weights that make a channel has run off
        return None
    off = np.abs(best.w @ columns.sums - classes.rows_sum).max()
    most = than.information.loss * (1 + _LOSS_TOLERANCE)
    return best if off < _ROW_TOLERANCE and best.information.loss <= most else None


def expand_orbits(
    weighted: WeightedColumns, classes: Classes, most: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """(N, k) columns with π·v = 1 and (N,) weights with Σ w v = 1.

    `weighted`: one column of each orbit, with the weight of the whole orbit. `most`: N stays below
    it where whole orbits, or one column of each and its shifts, can.
    """
    orbits = [Orbit(v, classes) for v in weighted.columns.v]
    if sum(orbit.size for orbit in orbits) <= most:
        parts = [orbit.members() for orbit in orbits]
    else:
        parts = _developed(orbits, weighted.w, classes, most, rng)
    sizes = [len(part) for part in parts]
    return np.concatenate(parts), np.repeat(weighted.w / sizes, sizes)


def _developed(
    orbits: list[Orbit], w: Floats, classes: Classes, most: int, rng: np.random.Generator
) -> list[Floats]:
    """Some columns of each orbit with all their shifts."""
    shifts = np.array([orbit.shifts for orbit in orbits])
    spare = max(most - int(shifts.sum()), 0)
    copies = 1 + (spare * w / (w @ shifts)).astype(np.int64)
    of_orbit = np.repeat(np.arange(len(orbits)), copies)
    bases = np.array([orbits[i].random_member(rng) for i in of_orbit])
    for label in np.flatnonzero(classes.sizes > 1):
        members = np.flatnonzero(classes.labels == label)
        bases[:, members] = _evened_out(bases[:, members], (w / copies)[of_orbit], rng)
    return [
        np.concatenate([orbit.cyclic_shifts(v) for v in bases[of_orbit == i]])
        for i, orbit in enumerate(orbits)
    ]


def _evened_out(bases: Floats, w: Floats, rng: np.random.Generator) -> Floats:
    """Permute within each row of (B, k_c) `bases` until Σ w|v̂(f)|² hardly varies with f ≠ 0."""
    size = bases.shape[1]
    waves = np.exp(-2j * np.pi * np.outer(np.arange(size), np.arange(1, size // 2 + 1)) / size)
    often = np.where(2 * np.arange(1, size // 2 + 1) == size, 1.0, 2.0)
    bases = bases.copy()
    hats = bases @ waves
    power = w @ np.abs(hats) ** 2
    mixed = np.flatnonzero(np.ptp(bases, axis=1) > 0)
    even = float(often.sum()) ** 2 / float(power @ often) if mixed.size else 0.0
    for i in np.tile(mixed, _TRIES // max(mixed.size, 1)):
        first, second = rng.integers(0, size, (2, _SWAPS))
        difference = bases[i, second] - bases[i, first]
        moved = hats[i] + difference[:, None] * (waves[first] - waves[second])
        powers = power + w[i] * (np.abs(moved) ** 2 - np.abs(hats[i]) ** 2)
        losses = (1 / np.maximum(powers, 1e-300)) @ often
        best = int(losses.argmin())
        if losses[best] < (1 / np.maximum(power, 1e-300)) @ often:
            bases[i, [first[best], second[best]]] = bases[i, [second[best], first[best]]]
            hats[i], power = moved[best], powers[best]
        if losses[best] <= _EVEN_LOSS_FACTOR * even:
            break
    return bases


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
    """Raise `CaldpError` unless the rows are distributions within (k, k) `levels` E, exactly."""
    require(
        rows_keep_levels(channel.numerators, 1 << channel.bits, levels),
        "This channel does not keep its privacy matrix: some row is no distribution or some "
        "report tells two symbols apart by more than it may; design it again.",
    )
