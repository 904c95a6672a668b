"""How far an estimate is from the truth.

Distances between two (k,) vectors of shares. TV is *half* the l1 distance.
"""

from typing import Final

import numpy as np

from caldp_core.basics.cache import cached
from caldp_core.basics.types import Floats, Ints, read_only
from caldp_core.domain.grid import KM_PER_DEGREE, GridDomain

_DIRECTIONS: Final = 16
_BINS: Final = 8192


def total_variation(truth: Floats, estimate: Floats) -> float:
    """½·Σ|p̂_x − p_x|: for distributions, in [0, 1], the largest error of any yes-no question."""
    return 0.5 * l1(truth, estimate)


def l1(truth: Floats, estimate: Floats) -> float:
    """Σ|p̂_x − p_x|."""
    return float(np.abs(estimate - truth).sum())


def l2(truth: Floats, estimate: Floats) -> float:
    """√Σ(p̂_x − p_x)²."""
    return float(np.sqrt(np.square(estimate - truth).sum()))


def kl_divergence(truth: Floats, estimate: Floats) -> float:
    """Σ p_x·log(p_x/p̂_x) in nats; ∞ where p̂ misses or makes negative what p holds."""
    held = truth > 0
    if (estimate[held] <= 0).any():
        return float("inf")
    return float((truth[held] * np.log(truth[held] / estimate[held])).sum())


def sliced_wasserstein(truth: Floats, estimate: Floats, domain: GridDomain) -> float:
    """Kilometres that the average person must be moved to turn one map into the other.

    An approximation: the one-dimensional earth mover's distance along 16 directions, averaged,
    times π/2 so that a map shifted by d counts d. Both maps must be distributions (non-negative,
    sum 1); on the plane that has the map's middle latitude true to scale, each direction cut
    into 8192 bins (a kilometre or less on the map of the United States).
    """
    surplus = estimate - truth
    slices = [_carried(surplus, bins) * width for bins, width in _slices(domain)]
    return float(np.mean(slices) * np.pi / 2)


def _carried(surplus: Floats, bins: Ints) -> float:
    carried = np.cumsum(np.bincount(bins, weights=surplus, minlength=_BINS))
    return float(np.abs(carried[:-1]).sum())


@cached
def _slices(domain: GridDomain) -> tuple[tuple[Ints, float], ...]:
    """For each direction the (k,) bins of the cells and the width of a bin in kilometres.

    They are those of every run on a map, and took as long as all else here.
    """
    lat, lon = domain.latitudes(), domain.longitudes()
    north = (lat - lat.mean()) * KM_PER_DEGREE
    east = (lon - lon.mean()) * KM_PER_DEGREE * np.cos(np.radians(lat.mean()))
    angles = (np.arange(_DIRECTIONS) + 0.5) * np.pi / _DIRECTIONS
    return tuple(_slice(north * np.sin(a), east * np.cos(a)) for a in angles)


def _slice(north: Floats, east: Floats) -> tuple[Ints, float]:
    place = (north[:, None] + east[None, :]).ravel()
    start, width = place.min(), np.ptp(place) / (_BINS - 1) or 1.0
    return read_only(np.rint((place - start) / width).astype(np.int64)), float(width)
