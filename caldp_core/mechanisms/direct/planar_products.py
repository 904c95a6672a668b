"""Products with the channel of planar noise on a large map, and with its inverse, by FFT.

A report is the true cell plus noise, moved to the nearest cell of the map. So p·Q is a convolution
whose rows and columns beyond the map are added to its border, and Q·w is one with the map's border
repeated outwards. The inverse is found by GMRES (Saad, Schultz 1986), with cosine transforms for a
preconditioner: a map mirrored at its border is nearly this one.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Final, TypeAlias, TypeVar

import numpy as np
import scipy
from numpy.typing import NDArray

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.types import Floats, Ints

Wholes: TypeAlias = NDArray[np.object_]
"""Whole numbers of any size."""
Cells = TypeVar("Cells", Floats, Wholes, Ints)

_RESIDUAL: Final = 1e-12
_RESIDUAL_MAX: Final = 1e-9
"""Of the right side. Shares of 10^12 reports have noise of 10^-6 of themselves or more."""
_RESTART: Final = 100
_CYCLES: Final = 6


def mirror_quadrant(quadrant: Cells) -> Cells:
    """(rows, columns) → (2·rows − 1, 2·columns − 1): displacements of both signs."""
    rows, columns = quadrant.shape
    down, right = np.abs(np.arange(1 - rows, rows)), np.abs(np.arange(1 - columns, columns))
    return quadrant[down[:, None], right]


def law_at(window: Cells, row: int, column: int) -> Cells:
    """(rows, columns) distribution of one cell's reports; `window`: as by `mirror_quadrant`."""
    return _ending_on_map(_ending_on_map(window, row).T, column).T


def _ending_on_map(window: Cells, start: int) -> Cells:
    """(2m − 1, …) displacements of people who start at cell `start` of m → (m, …) their ends."""
    m: int = window.shape[0] // 2 + 1
    starts = [0, *range(m - start, 2 * m - 1 - start)]
    return np.add.reduceat(window, starts, axis=0)


def all_laws(window: Floats) -> Floats:
    """(k, k) distributions of every cell's reports, each scaled to sum 1; see `law_at`."""
    starts = [range(size // 2 + 1) for size in window.shape]
    by_row = np.stack([_ending_on_map(window, row) for row in starts[0]])
    across = by_row.transpose(2, 0, 1)
    ends = np.stack([_ending_on_map(across, column) for column in starts[1]])
    # (column, its ends, row, its ends) → (row, column, its ends, their ends)
    laws = ends.transpose(2, 0, 3, 1).reshape(len(starts[0]) * len(starts[1]), -1)
    return np.asarray(laws / laws.sum(axis=1, keepdims=True))


def clamp_to_map(ends: Cells, rows: int, columns: int) -> Cells:
    """(3·rows − 2, 3·columns − 2) ends around a map → (rows, columns), each at its nearest cell."""
    south_to_north = np.add.reduceat(ends, [0, *range(rows, 2 * rows - 1)], axis=0)
    return np.add.reduceat(south_to_north, [0, *range(columns, 2 * columns - 1)], axis=1)


class PlanarProducts:
    """`InvertibleProducts` of the channel.

    `window`: (2·rows − 1, 2·columns − 1) distribution of the noise. `epsilon_row`,
    `epsilon_column`: nats per step, for the preconditioner.
    """

    def __init__(self, window: Floats, epsilon_row: float, epsilon_column: float) -> None:
        rows, columns = window.shape[0] // 2 + 1, window.shape[1] // 2 + 1
        self._sizes = (rows, columns)
        self._epsilon = (epsilon_row, epsilon_column)
        self._shape = tuple(scipy.fft.next_fast_len(3 * m - 2, real=True) for m in (rows, columns))
        self._spectrum = scipy.fft.rfft2(window, self._shape)

    def apply(self, p: Floats) -> Floats:
        """p·Q: (k,) shares → (k,) distribution of the reports, ≥ 0 if p is."""
        least = 0.0 if float(p.min()) >= 0 else -np.inf
        return np.maximum(self._forward(p), least)

    def apply_transpose(self, weights: Floats) -> Floats:
        """Q·w: (k,) → (k,) means of the weights, so none is beyond their least and largest."""
        return np.clip(self._backward(weights), weights.min(), weights.max())

    def inverse(self, reports: Floats) -> Floats:
        """reports·Q⁻¹; `CaldpError` where floating point cannot find it."""
        return self._solve(self._forward, reports)

    def score(self, weights: Floats) -> Floats:
        """Q⁻¹·w; `CaldpError` where floating point cannot find it."""
        return self._solve(self._backward, weights)

    def inverse_squared(self, reports: Floats) -> Floats:
        """Raises `CaldpError`, as it needs the whole inverse."""
        raise CaldpError(
            f"The variance of every share needs a table of {reports.size:,}² numbers, too many; "
            "use a smaller map, or sum_variance for the cells or regions that matter."
        )

    def _forward(self, p: Floats) -> Floats:
        rows, columns = self._sizes
        ends = self._convolved(p.reshape(self._sizes))[: 3 * rows - 2, : 3 * columns - 2]
        return clamp_to_map(ends, rows, columns).ravel()

    def _backward(self, weights: Floats) -> Floats:
        rows, columns = self._sizes
        around = [(size - 1, size - 1) for size in self._sizes]
        repeated = np.pad(weights.reshape(self._sizes), around, mode="edge")
        # The noise is symmetric, so that correlation is convolution.
        moved = self._convolved(repeated)
        return moved[2 * rows - 2 : 3 * rows - 2, 2 * columns - 2 : 3 * columns - 2].ravel()

    def _convolved(self, cells: Floats) -> Floats:
        spectrum = scipy.fft.rfft2(cells, self._shape) * self._spectrum
        return np.asarray(scipy.fft.irfft2(spectrum, self._shape))

    @cached_property
    def _mirrored(self) -> Floats:
        """(rows, columns) spectrum of the noise on a mirrored map, roughly.

        In the plane e^{−‖z‖} has the spectrum (1 + ‖ω‖²)^{−3/2}, on the line the power is −1;
        4·sin²(ω/2)·α/(1 − α)² in place of (ω/ε)² is exact on the line.
        """
        power = -0.5 * (1 + sum(size > 1 for size in self._sizes))
        square = [
            np.square(np.sin(0.5 * np.pi * np.arange(size) / size) / np.sinh(0.5 * epsilon))
            for size, epsilon in zip(self._sizes, self._epsilon, strict=True)
        ]
        return np.asarray((1.0 + square[0][:, None] + square[1]) ** power)

    def _unmirror(self, cells: Floats) -> Floats:
        waves = scipy.fft.dctn(cells.reshape(self._sizes), norm="ortho") / self._mirrored
        return np.asarray(scipy.fft.idctn(waves, norm="ortho").ravel())

    def _solve(self, product: Callable[[Floats], Floats], right: Floats) -> Floats:
        k = right.size
        operator = scipy.sparse.linalg.LinearOperator(
            (k, k), matvec=lambda cells: product(self._unmirror(cells)), dtype=np.float64
        )
        spectrum, _ = scipy.sparse.linalg.gmres(
            operator, right, rtol=_RESIDUAL, restart=_RESTART, maxiter=_CYCLES
        )
        solution = self._unmirror(spectrum)
        error = np.linalg.norm(product(solution) - right)
        require(
            bool(error <= _RESIDUAL_MAX * np.linalg.norm(right)),
            f"At this epsilon the noise hides too much to undo it for {k:,} cells in floating "
            "point; choose a larger epsilon or a smaller map, or estimate by maximum likelihood.",
        )
        return solution
