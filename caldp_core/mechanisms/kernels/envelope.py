"""Kernels that keep a distance by their form: the upper envelope of cones.

P(z) = max_c w_c·e^{−|z − c|} over some cells c, the peaks, and their mirror images. Every cone's
logarithm changes by at most |z − z′| between z and z′, and so does the greatest of them: whatever
peaks and weights are, p(z) ≤ e^{|z − z′|}·p(z′) for all z, z′ of the infinite lattice. Every kernel
that keeps the distance is such an envelope, with all cells for peaks. Planar geometric noise is the
cone of the cell 0 alone.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.errors import require
from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms.kernels.lattice import Cells, Steps

_GAIN_MAX: Final = 4.0
"""Nats by which a peak may rise above the cone of the cell 0."""
_REACH: Final = 42.0
"""Nats beyond which noise adds less to a mean distance than floats can show."""
_ASIDE: Final = 1e-6
"""Radians by which the wedge of a peak is widened, far above rounding."""


@dataclass(frozen=True, eq=False)
class Peaks:
    """Cells c with the logarithms of their weights; the first is the cell 0 with log weight 0.

    `rows`, `columns`: (peaks,) steps ≥ 0. `logs`: (peaks,) nats, each from its height on the cone
    of the cell 0 to 4 nats above it.
    """

    rows: Ints
    columns: Ints
    logs: Floats

    @classmethod
    def planar(cls) -> "Peaks":
        """The cone of the cell 0: planar geometric noise."""
        return cls(np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1))

    def check(self, steps: Steps) -> None:
        """Raise `CaldpError` where the peaks are not as the class requires."""
        x, y = self.coordinates(*steps.both)
        gains = self.logs + np.hypot(x, y)
        require(
            bool(np.isfinite(gains).all() and (np.abs(gains) <= _GAIN_MAX).all())
            and self.logs[0] == 0 == self.rows[0] == self.columns[0]
            and bool((self.rows >= 0).all() and (self.columns >= 0).all()),
            "The peaks of a kernel must begin with cell 0 at 0 nats and rise above its cone by at "
            f"most {_GAIN_MAX:g} nats; design it again.",
        )

    def coordinates(self, row: float | None, column: float | None) -> tuple[Floats, Floats]:
        """(peaks,) coordinates in nats; `row`, `column`: nats per step, None for no noise."""
        return np.asarray((row or 0.0) * self.rows), np.asarray((column or 0.0) * self.columns)


def log_envelope(peaks: Peaks, at: tuple[Floats, Floats], cells: tuple[Floats, Floats]) -> Floats:
    """log p at (cells,) coordinates ≥ 0; `at`: those of the peaks, both in nats.

    Mirror images of peaks never win there: each is farther away than the peak itself. In the
    direction u a peak c comes nearest to the cone of cell 0 in the limit, |z − c| − |z| → −c·u. So
    it can win only where |c| − c·u is less than its rise above that cone: in a wedge.
    """
    x, y = cells
    norm, angles = np.hypot(x, y), np.arctan2(y, x)
    order = np.argsort(angles)
    x, y, angles = x[order], y[order], angles[order]
    best = -norm[order]
    for px, py, log in zip(*at, peaks.logs, strict=True):
        far = float(np.hypot(px, py))
        gain = log + far
        if far == 0.0 or gain <= 0.0:
            continue
        width = float(np.arccos(np.clip(1.0 - gain / far, -1.0, 1.0))) + _ASIDE
        toward = float(np.arctan2(py, px))
        wedge = slice(*np.searchsorted(angles, [toward - width, toward + width]))
        cone = log - np.hypot(x[wedge] - px, y[wedge] - py)
        np.maximum(best[wedge], cone, out=best[wedge])
    result = np.empty_like(best)
    result[order] = best
    return result


def mean_distance(peaks: Peaks, steps: Steps) -> float:
    """Expected displacement in nats, on a map without a border."""
    cells = Cells.within(steps, _REACH)
    weights = cells.times * np.exp(
        log_envelope(peaks, peaks.coordinates(*steps.both), (cells.x, cells.y))
    )
    return float(weights @ cells.norm / weights.sum())
