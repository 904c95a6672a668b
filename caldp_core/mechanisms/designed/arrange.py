"""From weights of orbits to the columns of a channel that can be written out.

Small orbits are written out whole, which loses nothing. A large one (64 symbols, 17 of them high:
10^15 columns) is represented by a few of its columns and all their cyclic shifts, as in a block
design made of difference sets (Bose 1939). Shifts make M circulant on each class, with the
eigenvalues Σ w·|v̂(f)|²/k_c at the frequencies f ≠ 0. Were they all equal, M would be that of the
whole orbit; swaps of two symbols even them out.
"""

from typing import Final

import numpy as np
import scipy

from caldp_core.basics.types import Floats
from caldp_core.mechanisms.designed.master import WeightedColumns, best_weights
from caldp_core.mechanisms.designed.moments import Classes, Columns
from caldp_core.mechanisms.designed.orbits import Orbit

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
