"""Cells of which any part is within a distance of given points."""

from typing import Final

import numpy as np

from caldp_core.basics.types import Bools, Floats
from caldp_core.domain.grid import KM_PER_DEGREE, GridDomain

_SLACK: Final = 1 + 1e-9
"""Factor on a distance, so that rounding leaves nobody out."""


def cells_within_km(grid: GridDomain, points: Floats, km: float) -> Bools:
    """(k,) True for cells of which any part is within `km` of a point, on the sphere.

    `points`: (p, 2) latitude and longitude in degrees; points off the map count as well. So
    whoever is within `km` of a point is in such a cell.
    """
    flags = np.zeros((grid.rows, grid.columns), np.bool_)
    south = np.asarray(grid.south + grid.cell * np.arange(grid.rows), np.float64)
    west = np.asarray(grid.west + grid.cell * np.arange(grid.columns), np.float64)
    reach = _SLACK * km / KM_PER_DEGREE
    for latitude, longitude in points:
        rows = _within(south, grid.cell, latitude, reach)
        for turned in longitude + np.array([-360.0, 0.0, 360.0]):
            columns = _within(west, grid.cell, turned, _half_width(latitude, reach))
            beside = np.clip(turned, west[columns], west[columns] + grid.cell) - turned
            nearest = np.clip(
                _nearest_latitude(latitude, beside)[None, :],
                south[rows, None],
                south[rows, None] + grid.cell,
            )
            flags[rows, columns] |= _degrees(nearest, latitude, beside[None, :]) <= reach
    return flags.ravel()


def _within(edges: Floats, cell: float, at: float, reach: float) -> slice:
    """The intervals [edge, edge + cell] that come within `reach` of a place on their line."""
    indices = np.flatnonzero((edges <= at + reach) & (edges + cell >= at - reach))
    return slice(int(indices[0]), int(indices[-1]) + 1) if indices.size else slice(0, 0)


def _half_width(latitude: float, reach: float) -> float:
    """Degrees of longitude that a circle of `reach` degrees covers on each side."""
    if abs(latitude) + reach >= 90.0:  # there is a pole in it
        return 180.0
    part = np.sin(np.radians(reach)) / np.cos(np.radians(latitude))
    return float(np.degrees(np.arcsin(part))) * _SLACK


def _nearest_latitude(latitude: float, beside: Floats) -> Floats:
    """The nearest latitude on each meridian `beside` degrees away from a point."""
    ahead = np.cos(np.radians(beside))
    nearest = np.degrees(np.arctan2(np.tan(np.radians(latitude)), np.maximum(ahead, 0.0)))
    return np.asarray(np.where(ahead > 0.0, nearest, 90.0 * np.sign(latitude)))


def _degrees(latitude: Floats, other: float, beside: Floats) -> Floats:
    """Degrees along great circles (haversine), broadcast."""
    one, two = np.radians(latitude), np.radians(other)
    half_north = np.sin((one - two) / 2) ** 2
    half_east = np.sin(np.radians(beside) / 2) ** 2
    chord = np.sqrt(np.clip(half_north + np.cos(one) * np.cos(two) * half_east, 0.0, 1.0))
    return np.asarray(np.degrees(2 * np.arcsin(chord)))
