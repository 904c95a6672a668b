"""A result on a map as GeoJSON: a square a cell, for geographic information systems."""

import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.table import Columns, columns_of

if TYPE_CHECKING:
    from caldp_core.experiments.run import Result

_PLACE: Final = ("latitude", "longitude")


def as_geojson(result: "Result") -> str:
    """The cells that are estimated to hold anybody, with the other columns of `columns_of`.

    Raises `CaldpError` for a result without a map.
    """
    domain = result.setup.dataset.domain
    return cells_as_geojson(domain, columns_of(result), result.first.estimate)


def map_for_geojson(domain: Domain | GridDomain) -> GridDomain:
    """The domain, as a map; raises `CaldpError` for values that are on none."""
    if not isinstance(domain, GridDomain):
        raise CaldpError("GeoJSON needs a map, and these values are on none; save them as CSV.")
    return domain


def cells_as_geojson(grid: Domain | GridDomain, columns: Columns, shares: Floats) -> str:
    """The cells of (k,) `shares` above 0 with their columns, each of k entries.

    By RFC 7946: degrees of WGS 84, longitude first, rings against the clock. Raises `CaldpError`
    for values that are on no map.
    """
    grid = map_for_geojson(grid)
    properties = {name: cells for name, cells in columns.items() if name not in _PLACE}
    features = [
        {
            "type": "Feature",
            "geometry": {"type": "Polygon", "coordinates": [_ring(grid, cell)]},
            "properties": {
                name: None if cells[cell] == "" else cells[cell]
                for name, cells in properties.items()
            },
        }
        for cell in np.flatnonzero(shares > 0).tolist()
    ]
    whole: dict[str, Any] = {
        "type": "FeatureCollection",
        "description": "Estimates from randomised reports; cells that are not here have none.",
        "features": features,
    }
    return json.dumps(whole, ensure_ascii=False)


def _ring(grid: GridDomain, cell: int) -> list[list[float]]:
    row, column = divmod(cell, grid.columns)
    south, north = (round(grid.south + each * grid.cell, 9) for each in (row, row + 1))
    west, east = (round(grid.west + each * grid.cell, 9) for each in (column, column + 1))
    if west >= 180:  # RFC 7946, section 3.1.9; no cell lies on both sides
        west, east = round(west - 360, 9), round(east - 360, 9)
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]
