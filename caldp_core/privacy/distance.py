"""Privacy that falls off with distance: E[x, x′] = ε·d(x, x′) (metric privacy).

Geo-indistinguishability (Andrés et al. 2013) is this with the Euclidean distance. Distances on
grids are in steps (cells), or in kilometres where stated.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.errors import check_epsilon, check_k, check_number, check_symbols, require
from caldp_core.basics.limits import DISTANCE_EPSILON_MAX, DISTANCE_EPSILON_MIN, EXACT_MAX_ENTRIES
from caldp_core.basics.types import Bools, EqualByFields, Floats, Ints
from caldp_core.domain.domains import KM_PER_DEGREE, GridDomain
from caldp_core.privacy.context import PrivacyMatrix, dense

_ROUNDING: Final = 1e-12


@dataclass(frozen=True)
class _OnGrid:
    """E by steps on rows × columns cells; symbol = row·columns + column.

    `epsilon_row`, `epsilon_column`: nats per step to the next cell, in [0.001, 20].
    """

    rows: int
    columns: int
    epsilon_row: float
    epsilon_column: float

    def __post_init__(self) -> None:
        check_k(self.rows)
        check_k(self.columns)
        check_k(self.rows * self.columns)
        check_epsilon([self.epsilon_row, self.epsilon_column])

    @property
    def k(self) -> int:
        """Number of cells."""
        return self.rows * self.columns


@dataclass(frozen=True)
class GridMetric(_OnGrid):
    """E = ε_row·|Δrow| + ε_column·|Δcolumn| on rows × columns cells."""

    @classmethod
    def per_km(cls, grid: GridDomain, epsilon: float) -> "GridMetric":
        """At most `epsilon` nats per kilometre northward plus eastward, everywhere on the map.

        A cell is narrower the farther it lies from the equator; the narrowest edge of the map
        sets the step eastward, so that the promise holds for all rows. On a map wider than 180° the
        way around the other side is shorter, and all steps eastward count for less. Raises
        `CaldpError` if a step would be below 0.001 or above 20 nats.
        """
        height = grid.cell * KM_PER_DEGREE
        span = grid.cell * max(grid.columns - 1, 1)
        width = height * _narrowest(grid) * min(1.0, (360.0 - span) / span)
        return cls(grid.rows, grid.columns, epsilon * height, epsilon * width)

    def between(self, x: ArrayLike, x_other: ArrayLike) -> Floats:
        """E[x, x′] pair by pair: (n,) and (n,) symbols → (n,) nats (see `PrivacyMatrix`)."""
        south, east = _steps(x, x_other, self.rows, self.columns)
        return np.asarray(self.epsilon_row * south + self.epsilon_column * east)


@dataclass(frozen=True)
class EuclideanMetric(_OnGrid):
    """E = √((ε_row·Δrow)² + (ε_column·Δcolumn)²): geo-indistinguishability."""

    @classmethod
    def per_km(cls, grid: GridDomain, epsilon: float) -> "EuclideanMetric":
        """At most `epsilon` nats per kilometre as the crow flies, everywhere on the map.

        The step eastward is a share of the great circle between the ends of the narrowest edge,
        and so of every shorter one: haversine(g) ≥ haversine(Δlatitude) + haversine(that), and
        sin²√s, concave, makes g at least √(north² + east²). Raises `CaldpError` if a step would
        be below 0.001 or above 20 nats.
        """
        span = math.radians(grid.cell * max(grid.columns - 1, 1))
        arc = 2 * math.asin(_narrowest(grid) * math.sin(span / 2))
        height = grid.cell * KM_PER_DEGREE
        return cls(grid.rows, grid.columns, epsilon * height, epsilon * height * arc / span)

    def between(self, x: ArrayLike, x_other: ArrayLike) -> Floats:
        """E[x, x′] pair by pair: (n,) and (n,) symbols → (n,) nats (see `PrivacyMatrix`)."""
        south, east = _steps(x, x_other, self.rows, self.columns)
        return np.asarray(np.hypot(self.epsilon_row * south, self.epsilon_column * east))

    def stricter_grid_metric(self) -> GridMetric:
        """The largest multiple of the step metric below this one: a + b ≤ √2·√(a² + b²).

        A mechanism that keeps it keeps this policy; along the diagonals the two are equal.
        """
        share = math.sqrt(0.5)
        return GridMetric(
            self.rows, self.columns, share * self.epsilon_row, share * self.epsilon_column
        )


@dataclass(frozen=True, eq=False)
class DistanceMetric(EqualByFields):
    """E = ε·d(x, x′) for any small table of distances.

    `distances`: (k, k) in any unit, symmetric, 0 on the diagonal, triangle inequality kept
    (to rounding, 2e-15 of the largest); `epsilon`: nats per that unit. Build it with
    `DistanceMetric.of`.
    """

    distances: Floats
    epsilon: float

    @classmethod
    def of(cls, distances: ArrayLike, epsilon: float) -> "DistanceMetric":
        """Check and freeze; raises `CaldpError` for no distance, or ε outside [1e-9, 1e9]."""
        table = np.array(distances, dtype=np.float64)
        require(
            table.ndim == 2 and table.shape[0] == table.shape[1] and table.size > 0,
            f"distances must be a square table, got shape {table.shape}.",
        )
        require(
            table.size <= EXACT_MAX_ENTRIES,
            f"distances may have at most {EXACT_MAX_ENTRIES:,} entries, got {table.size:,}; "
            "use fewer symbols or the steps of a grid.",
        )
        require(
            bool(np.isfinite(table).all() and (table >= 0).all()),
            "distances must be finite and not negative.",
        )
        require(
            not table.diagonal().any() and bool((table == table.T).all()),
            "distances must be 0 on the diagonal and the same both ways.",
        )
        slack = 2e-15 * float(table.max())
        keeps_triangle = all(bool((table <= row[:, None] + row + slack).all()) for row in table)
        require(
            keeps_triangle, "distances must keep the triangle inequality: no detour is shorter."
        )
        require(
            all(bool((table[row == 0] == row).all()) for row in table),
            "distances must be the same to everywhere from two symbols at distance 0.",
        )
        check_number("epsilon", epsilon, DISTANCE_EPSILON_MIN, DISTANCE_EPSILON_MAX)
        table.flags.writeable = False
        return cls(table, epsilon)

    @classmethod
    def from_policy(cls, policy: PrivacyMatrix) -> "DistanceMetric":
        """The table of all levels of a small policy that falls off with distance, at ε = 1.

        Raises `CaldpError` where the levels are not a distance, or too many.
        """
        require(
            policy.k**2 <= EXACT_MAX_ENTRIES,
            f"A table of distances may have at most {EXACT_MAX_ENTRIES:,} entries, "
            f"k = {policy.k:,} would need {policy.k**2:,}; use fewer symbols or geometric noise.",
        )
        return cls.of(dense(policy), 1.0)

    @property
    def k(self) -> int:
        """Number of symbols."""
        return len(self.distances)

    def between(self, x: ArrayLike, x_other: ArrayLike) -> Floats:
        """E[x, x′] pair by pair: (n,) and (n,) symbols → (n,) nats (see `PrivacyMatrix`)."""
        left, right = check_symbols("x", x, self.k), check_symbols("x_other", x_other, self.k)
        return np.asarray(self.epsilon * self.distances[left, right])


def symbols_within_level(policy: PrivacyMatrix, x: int, level: float) -> Bools:
    """(k,) True for the symbols x′ with E[x, x′] ≤ `level`: no report tells them better from x.

    On a map with a distance in kilometres it is the disc around x in which odds change by at most
    e^level. E may exceed `level` by 1e-12 of it, for rounding.
    """
    (symbol,) = check_symbols("x", [x], policy.k)
    levels = policy.between(np.full(policy.k, symbol), np.arange(policy.k))
    return np.asarray(levels <= level * (1 + _ROUNDING))


def _narrowest(grid: GridDomain) -> float:
    """Width over height of a cell at the edge that is farthest from the equator."""
    farthest = max(abs(grid.area.south), abs(grid.area.north))
    return math.cos(math.radians(min(farthest, 90.0)))


def _steps(x: ArrayLike, x_other: ArrayLike, rows: int, columns: int) -> tuple[Ints, Ints]:
    left = check_symbols("x", x, rows * columns)
    right = check_symbols("x_other", x_other, rows * columns)
    row, column = np.divmod(left, columns)
    other_row, other_column = np.divmod(right, columns)
    return np.abs(row - other_row), np.abs(column - other_column)
