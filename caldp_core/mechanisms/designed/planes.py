"""Large orbits stood for by the hyperplanes of a finite geometry, as Galois response sends them.

Room: mechanisms. Twins that are high or low in a column are a set, and its orbit all sets of that
size. Number the twins as points of F_q^d, q = 2^m: two points lie on equally many hyperplanes
whichever they are, so M is that of an orbit of sets of n/q. Where such sizes are nearly as good as
the best one, this costs less than a few cyclic shifts do, which even M out only roughly.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np

from caldp_core.basics.types import Bools, Floats
from caldp_core.mechanisms.designed.master import Weighted, with_rows_of_one
from caldp_core.mechanisms.designed.moments import Classes
from caldp_core.mechanisms.designed.orbits import Orbit
from caldp_core.mechanisms.oracles.galois_spaces import digits_of
from caldp_core.mechanisms.oracles.hyperplanes import hyperplanes

_DEGREES: Final = range(1, 6)
"""Fields of 2 to 32 elements: sets of a half to a 32nd of the twins."""
_DIGITS: Final = 12
"""Columns that agree in so many digits are one."""
_EVEN: Final = 1e-6
"""Rows of what stands for orbits must sum to 1 as nearly, once its weights are moved a little."""
_TALL: Final = 30.0
"""Nats: where E = ∞, highs are that high over lows."""


def by_hyperplanes(
    weighted: Weighted, classes: Classes, most: int
) -> Iterator[tuple[Floats, Floats]]:
    """For each field (N, k) columns, N ≤ `most`, and (N,) weights with Σ w v = 1, if there are any.

    `weighted`: one column of each orbit, with the weight of the whole orbit.
    """
    orbits = [Orbit(v, classes) for v in weighted.columns.v]
    for m in _DEGREES:
        parts = [_members(orbit, classes, m, most) for orbit in orbits]
        kept = [part for part in parts if part is not None]
        if len(kept) < len(parts) or sum(len(part) for part in kept) > 2 * most:
            continue
        sizes = [len(part) for part in kept]
        v, w = _joined(np.concatenate(kept), np.repeat(weighted.w / sizes, sizes))
        w = with_rows_of_one(v, w, np.ones(v.shape[1]))
        if len(v) <= most and np.abs(w @ v - 1).max() < _EVEN:
            yield v, w


def stretched(levels: Floats) -> Floats:
    """(N, k) logarithms of columns that keep (k, k) E: highs on a hyperplane, lows off it.

    Either highs are as high over lows of 1 as E allows, or lows as low. Of the two fields whose
    hyperplanes are nearest to the best share of plain LDP at the usual level, 1/(e^ε + 1).
    """
    k = len(levels)
    share = 1 / (np.exp(np.median(levels[(levels > 0) & np.isfinite(levels)])) + 1)
    capped = np.minimum(levels, _TALL)
    rows = [np.zeros((0, k))]
    for m in sorted(_DEGREES, key=lambda m: abs(m + float(np.log2(share))))[:2]:
        on = _incidence(k, m, 4 * k)
        if on is not None:
            off = np.where(on[:, None, :], np.inf, capped)
            highs = np.where(on, np.stack([row.min(axis=1) for row in off]), 0.0)
            lows = [np.where(high, np.inf, -capped[high].min(axis=0)) for high in on]
            rows += [highs, np.minimum(lows, 0.0)]
    return np.concatenate(rows)


def _incidence(count: int, m: int, most: int) -> Bools | None:
    """(N, count) which points lie on each hyperplane that parts them; None beyond `most`."""
    d = int(digits_of(np.array([count]), m)[0])
    if d < 2 or hyperplanes(m, d).reports > most:
        return None
    space = hyperplanes(m, d)
    on = space.on(np.arange(count), space.masks(count)).T
    return on[on.any(axis=1) & ~on.all(axis=1)]


def _members(orbit: Orbit, classes: Classes, m: int, most: int) -> Floats | None:
    """(N, k) all of a small orbit, else one column for each hyperplane; None where it has none."""
    if orbit.size * len(orbit.v) <= most:
        return orbit.every()
    if len(orbit.moving) != 1:
        return None
    (twins,) = orbit.moving
    low, high = float(orbit.v[twins].min()), float(orbit.v[twins].max())
    middle = np.abs(orbit.v[twins] - low) > 1e-9 * high
    if np.ptp(orbit.v[twins][middle]) > 1e-9 * high:
        return None
    on = _incidence(len(twins), m, most)
    if on is None:
        return None
    columns = np.repeat(orbit.v[None], len(on), axis=0)
    columns[:, twins] = np.where(on, high, low)
    return np.asarray(columns / (columns @ classes.prior)[:, None])


def _joined(v: Floats, w: Floats) -> tuple[Floats, Floats]:
    """Columns that are the same as one, with their weights' sum."""
    _, first, same = np.unique(np.round(v, _DIGITS), axis=0, return_index=True, return_inverse=True)
    return v[first], np.bincount(same.ravel(), w).astype(np.float64)
