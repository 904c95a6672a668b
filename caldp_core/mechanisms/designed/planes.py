"""Large orbits represented by the hyperplanes of a finite geometry, as Galois response sends them.

Twins that are high or low in a column are a set, and its orbit all sets of that size. Number the
twins as points of F_q^d, q = 2^m: two points lie on equally many hyperplanes whichever they are, so
M is that of an orbit of sets of n/q. Where such sizes are nearly as good as the best one, this
costs less than a few cyclic shifts do, which even M out only roughly.

Other sizes come from the lines of F_p², p prime, and from six of sixteen parallel hyperplanes at a
time, those of a difference set: of its 16 shifts two hold any two of the sixteen (Bose 1939).
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, TypeAlias

import numpy as np

from caldp_core.basics.types import Bools, Floats
from caldp_core.mechanisms.designed.master import WeightedColumns, normalize_rows
from caldp_core.mechanisms.designed.moments import Classes
from caldp_core.mechanisms.designed.orbits import Orbit
from caldp_core.mechanisms.oracles.galois_spaces import digits_of
from caldp_core.mechanisms.oracles.hyperplanes import hyperplanes

_DEGREES: Final = range(1, 6)
"""Fields of 2 to 32 elements: sets of a half to a 32nd of the twins."""
_PRIMES: Final = (5, 7, 11, 13, 17, 19, 23, 29, 31)
_SIXTEEN: Final = 4
"""The degree of the field of 16 elements."""
_DIFFERENCES: Final = (0, 1, 2, 4, 8, 15)
"""A difference set of its additive group: any element but 0 is a difference of two in two ways."""
_SEED: Final = 3
_System: TypeAlias = Callable[[int, int], Bools | None]
"""Points, most sets → (sets, points), two points in equally many; None where they are more."""
_DIGITS: Final = 12
"""Columns that agree in so many digits are one."""
_ROW_TOLERANCE: Final = 1e-6
"""How far rows may be from 1, once the weights of the sets are adjusted."""
_TALL: Final = 30.0
"""Nats: where E = ∞, highs are that high over lows."""


def hyperplane_columns(
    weighted: WeightedColumns, classes: Classes, most: int
) -> Iterator[tuple[Floats, Floats]]:
    """For each system of sets (N, k) columns, N ≤ `most`, and (N,) weights with Σ w v = 1, if any.

    `weighted`: one column of each orbit, with the weight of the whole orbit.
    """
    orbits = [Orbit(v, classes) for v in weighted.columns.v]
    for system in _systems():
        parts = [_members(orbit, system, most) for orbit in orbits]
        members = [part for part in parts if part is not None]
        if len(members) < len(parts) or sum(len(part) for part in members) > 2 * most:
            continue
        columns = np.concatenate(members)
        sums = [part @ classes.prior for part in members]
        shares = [w * each / each.sum() for w, each in zip(weighted.w, sums, strict=True)]
        v, w = _joined(columns / np.concatenate(sums)[:, None], np.concatenate(shares))
        w = normalize_rows(v, w, np.ones(v.shape[1]))
        if len(v) <= most and np.abs(w @ v - 1).max() < _ROW_TOLERANCE:
            yield v, w


def two_level_columns(levels: Floats) -> Floats:
    """(N, k) logarithms of columns that keep (k, k) E: highs on a hyperplane, lows off it.

    Either highs are as high over lows of 1 as E allows, or lows as low. Of the two fields whose
    hyperplanes are nearest to the best share of plain LDP at the usual level, 1/(e^ε + 1).
    """
    k = len(levels)
    share = 1 / (np.exp(np.median(levels[(levels > 0) & np.isfinite(levels)])) + 1)
    capped = np.minimum(levels, _TALL)
    rows = [np.zeros((0, k))]
    for m in sorted(_DEGREES, key=lambda m: abs(m + float(np.log2(share))))[:2]:
        on = _hyperplanes(m, k, 4 * k)
        if on is not None:
            off = np.where(on[:, None, :], np.inf, capped)
            highs = np.where(on, np.stack([row.min(axis=1) for row in off]), 0.0)
            lows = [np.where(high, np.inf, -capped[high].min(axis=0)) for high in on]
            rows += [highs, np.minimum(lows, 0.0)]
    return np.concatenate(rows)


def _systems() -> list[_System]:
    fields: list[_System] = [partial(_hyperplanes, m) for m in _DEGREES]
    return [*fields, _six_of_sixteen, *(partial(_lines, p) for p in _PRIMES)]


def _hyperplanes(m: int, count: int, most: int) -> Bools | None:
    """Hyperplanes of F_q^d, q = 2^m, that part the points 0 … count − 1; None above `most`."""
    d = int(digits_of(np.array([count]), m)[0])
    if d < 2 or hyperplanes(m, d).reports > most:
        return None
    space = hyperplanes(m, d)
    return _parting(space.contains(np.arange(count), space.masks(count)).T)


def _six_of_sixteen(count: int, most: int) -> Bools | None:
    """Unions of parallel hyperplanes of F_16^d, one for each direction and shift of the set."""
    d = int(digits_of(np.array([count]), _SIXTEEN)[0])
    if d < 2 or hyperplanes(_SIXTEEN, d).reports > most:
        return None
    space = hyperplanes(_SIXTEEN, d)
    on = space.contains(np.arange(count), space.masks(count)).T.reshape(1 << _SIXTEEN, -1, count)
    shifts = np.arange(len(on))[:, None] ^ np.array(_DIFFERENCES)
    return _parting(on[shifts].any(axis=1).reshape(-1, count))


def _lines(p: int, count: int, most: int) -> Bools | None:
    """Lines of F_p²: p of each slope and p that are upright. Points at random, to even them out."""
    if p * p < count or p * (p + 1) > most:
        return None
    x, y = np.divmod(np.random.default_rng(_SEED).permutation(p * p)[:count], p)
    at = np.concatenate([(y - np.arange(p)[:, None] * x) % p, x[None]])
    return _parting((at[:, None] == np.arange(p)[:, None]).reshape(-1, count))


def _parting(on: Bools) -> Bools:
    return on[on.any(axis=1) & ~on.all(axis=1)]


def _members(orbit: Orbit, system: _System, most: int) -> Floats | None:
    """(N, k) all of a small orbit, else one column for each set; None where there are none.

    All are multiples of columns of a channel by one number.
    """
    if orbit.size * len(orbit.v) <= most:
        return orbit.members()
    if len(orbit.moving) != 1:
        return None
    (twins,) = orbit.moving
    low, high = float(orbit.v[twins].min()), float(orbit.v[twins].max())
    middle = np.abs(orbit.v[twins] - low) > 1e-9 * high
    if np.ptp(orbit.v[twins][middle]) > 1e-9 * high:
        return None
    on = system(len(twins), most)
    if on is None:
        return None
    columns = np.repeat(orbit.v[None], len(on), axis=0)
    columns[:, twins] = np.where(on, high, low)
    return columns


def _joined(v: Floats, w: Floats) -> tuple[Floats, Floats]:
    """Columns that are the same as one, with their weights' sum."""
    _, first, same = np.unique(np.round(v, _DIGITS), axis=0, return_index=True, return_inverse=True)
    return v[first], np.bincount(same.ravel(), w).astype(np.float64)
