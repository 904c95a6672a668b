"""Displacements of the lattice by their distance, one for its mirror images in both axes.

Coordinates and distances are in nats of the promise, so that E between two cells is their Euclidean
distance.
"""

from dataclasses import dataclass

import numpy as np

from caldp_core.basics.types import Floats, Ints
from caldp_core.privacy.distance import EuclideanMetric


@dataclass(frozen=True)
class Steps:
    """Nats per step along both axes; None along an axis of one cell, which has no noise."""

    row: float | None
    column: float | None

    @classmethod
    def of(cls, policy: EuclideanMetric) -> "Steps":
        """The steps of a map."""
        return cls(
            policy.epsilon_row if policy.rows > 1 else None,
            policy.epsilon_column if policy.columns > 1 else None,
        )

    @property
    def both(self) -> tuple[float | None, float | None]:
        """Along rows, along columns."""
        return self.row, self.column

    def cells_within(self, reach: float) -> float:
        """About how many displacements with no negative coordinate are within `reach` nats."""
        sizes = [reach / step for step in self.both if step is not None]
        return float(np.prod(sizes)) * (np.pi / 4 if len(sizes) == 2 else 1.0)


@dataclass(frozen=True, eq=False)
class Cells:
    """Displacements (row, column) with no negative coordinate, the nearest first.

    `rows`, `columns`: (cells,) in steps. `x`, `y`: (cells,) nats. `norm`: (cells,) distances.
    `times`: (cells,) how many mirror images each has, itself included: 1, 2 or 4.
    """

    rows: Ints
    columns: Ints
    x: Floats
    y: Floats
    norm: Floats
    times: Floats

    @classmethod
    def within(cls, steps: Steps, reach: float) -> "Cells":
        """All displacements within `reach` nats."""
        down, right = (_axis(step, reach) for step in steps.both)
        rows, columns = (grid.ravel() for grid in np.meshgrid(down, right, indexing="ij"))
        x = np.asarray((steps.row or 0.0) * rows, np.float64)
        y = np.asarray((steps.column or 0.0) * columns, np.float64)
        norm = np.hypot(x, y)
        order = np.argsort(norm, kind="stable")
        order = order[: int(np.searchsorted(norm[order], reach, side="right"))]
        times = np.where(rows > 0, 2.0, 1.0) * np.where(columns > 0, 2.0, 1.0)
        return cls(rows, columns, x, y, norm, times).take(order)

    @property
    def size(self) -> int:
        """Number of displacements."""
        return int(self.norm.size)

    def take(self, chosen: Ints | slice) -> "Cells":
        """The displacements at the indices `chosen`."""
        return Cells(
            self.rows[chosen],
            self.columns[chosen],
            self.x[chosen],
            self.y[chosen],
            self.norm[chosen],
            self.times[chosen],
        )


def _axis(step: float | None, reach: float) -> Ints:
    return np.arange(1 if step is None else int(reach / step) + 1)
