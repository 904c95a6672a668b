"""Maps that estimators are tried on: regions with towns of GeoNames, and maps that are hard."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.types import Floats, sums_by
from caldp_core.datasets.base_map import world_cities
from caldp_core.domain.domains import GridDomain

TOWNS: Final = (
    *("Paris", "Tokyo", "São Paulo", "Lagos", "Mumbai", "Berlin"),
    *("Mexico City", "Cairo", "Jakarta", "Chicago", "Istanbul", "Sydney"),
)
_AROUND, _SIDE = 3.0, 96
"""Degrees from the middle of a region to its edges, and its rows and columns of cells."""
HARD_GRID: Final = GridDomain(0, 0, 0.01, 64, 64)


def hard_maps(seed: int) -> dict[str, Floats]:
    """(k,) weights by name of the maps on `HARD_GRID`."""
    row, column = np.divmod(np.arange(HARD_GRID.k, dtype=np.float64), HARD_GRID.columns)
    far, rng = np.hypot(row - 32, column - 32), np.random.default_rng(seed)
    smooth = 3.0 * np.exp(-(far**2) / 320.0)
    weights: dict[str, NDArray[Any]] = {
        "even": np.ones(row.size),
        "a checkerboard": (row + column) % 2,
        "a checkerboard of 2 × 2": (row // 2 + column // 2) % 2,
        "stripes": row % 2,
        "a lattice of 4": (row % 4 == 0) & (column % 4 == 0),
        "a lattice of 8": (row % 8 == 0) & (column % 8 == 0),
        "lone cells": rng.random(row.size) < 0.02,
        "lognormal": np.exp(rng.normal(0.0, 2.0, row.size)),
        "spikes": 1.0 + 200.0 * (rng.random(row.size) < 0.005),
        "even with one spike": 1.0 + 1229.0 * (np.arange(row.size) == 9),
        "a gradient": column + 1.0,
        "a ring": np.exp(-((far - 16.0) ** 2) / 8.0),
        "a road": 0.1 + 20.0 * (np.abs(row - 0.6 * column - 5) < 1),
        "a hole": 1.0 - 0.98 * (far < 11),
        "half smooth, half random": np.where(column < 32, smooth, rng.gamma(0.3, size=row.size)),
        "towns": np.exp(rng.normal(0.0, 1.0, row.size) - far**2 / 640.0),
    }
    return {name: np.asarray(each / each.sum(), np.float64) for name, each in weights.items()}


def region(name: str) -> tuple[GridDomain, Floats]:
    """The inhabitants of towns within some degrees of the largest town of that name."""
    towns = world_cities()
    middle = max((t for t in towns if t.name == name), key=lambda town: town.population)
    south, west = middle.latitude - _AROUND, middle.longitude - _AROUND
    grid = GridDomain(south, west, 2 * _AROUND / _SIDE, _SIDE, _SIDE)
    cells = grid.locate([town.latitude for town in towns], [town.longitude for town in towns])
    people = np.array([town.population for town in towns], np.float64)
    return grid, sums_by(cells[cells >= 0], people[cells >= 0], grid.k)
