"""The distribution of a kernel's noise on a map, with all that leaves the map summed on its border.

See `direct/planar_law.py`, whose quadrant this is for another noise. An envelope is not smooth, so
its tails are summed term by term.
"""

import math
from typing import Final

import numpy as np

from caldp_core.basics.errors import require
from caldp_core.basics.limits import SPAN_NATS
from caldp_core.basics.types import Floats
from caldp_core.mechanisms.direct.planar_law import reduced_epsilons
from caldp_core.mechanisms.kernels.envelope import Peaks, log_envelope
from caldp_core.privacy.distance import EuclideanMetric

_FORGET: Final = 44.0
"""Terms so many nats farther than the map's corner are left out. A peak lifts the others by at most
4 nats, so together they are 1e-15 of their sum, as in `planar_law`."""
_TERMS_MAX: Final = 4_000_000


def quadrant_of(peaks: Peaks, policy: EuclideanMetric) -> Floats:
    """(rows, columns) weights of displacements by z_row, z_column ≥ 0; the last hold the tails.

    The peaks' weights stay, their distances are those of the ε that is kept back: the envelope
    of these cones keeps it whatever the weights are. `CaldpError` where too many terms count.
    """
    down, right = terms_of(policy)
    a, b = reduced_epsilons(policy)
    x, y = np.meshgrid(a * np.arange(down), b * np.arange(right), indexing="ij")
    logs = log_envelope(peaks, peaks.coordinates(a, b), (x.ravel(), y.ravel())).reshape(x.shape)
    terms = np.exp(0.5 * SPAN_NATS + logs)
    rows = np.add.reduceat(terms, np.arange(policy.rows), axis=0)
    return np.asarray(np.add.reduceat(rows, np.arange(policy.columns), axis=1))


def terms_of(policy: EuclideanMetric) -> tuple[int, int]:
    """How many displacements count along rows and columns; `CaldpError` for too many in all."""
    axes = list(zip((policy.rows, policy.columns), reduced_epsilons(policy), strict=True))
    farthest = math.hypot(*(epsilon * (size - 1) for size, epsilon in axes))
    down, right = (_terms(size, epsilon, farthest) for size, epsilon in axes)
    require(
        down * right <= _TERMS_MAX,
        f"The best noise may need at most {_TERMS_MAX:,} terms with its tails, here are "
        f"{down * right:,}; use planar geometric noise, a smaller map, or a larger epsilon.",
    )
    return down, right


def _terms(size: int, epsilon: float, farthest: float) -> int:
    """How many displacements along an axis count."""
    if size == 1:
        return 1
    margin = _FORGET * (2 * farthest + _FORGET) / epsilon**2
    return int(np.sqrt((size - 1) ** 2 + margin)) + 1
