"""A result on a map as GeoParquet 1.1: the cells of GeoJSON in a sixth of its size.

For QGIS, GDAL, geopandas and DuckDB. See geoparquet.org; the form of a cell is OGC 06-103r4's.
"""

import io
import json
from typing import TYPE_CHECKING, Final

import numpy as np

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.extras import explain_missing
from caldp_core.basics.types import Ints
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.table import columns_of

if TYPE_CHECKING:
    from caldp_core.experiments.run import Result

_PLACE: Final = ("latitude", "longitude")
_CORNERS: Final = ((0, 0), (0, 1), (1, 1), (1, 0), (0, 0))
"""Rows up and columns to the right of a cell's south-west corner, against the clock."""
_POLYGON: Final = np.dtype(
    [
        ("little_endian", "u1"),
        ("kind", "<u4"),
        ("rings", "<u4"),
        ("points", "<u4"),
        ("ring", "<f8", (len(_CORNERS), 2)),
    ]
)
_KIND: Final = 3


def as_geoparquet(result: "Result") -> bytes:
    """The cells that are estimated to hold anybody, with the other columns of `columns_of`.

    Degrees of WGS 84, longitude first. Raises `CaldpError` for a result without a map, and where
    pyarrow is not installed.
    """
    grid = result.setup.dataset.domain
    if not isinstance(grid, GridDomain):
        raise CaldpError("GeoParquet needs a map, and these values are on none; save them as CSV.")
    with explain_missing("GeoParquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq
    cells = np.flatnonzero(result.first.estimate > 0)
    columns: dict[str, list[object]] = {
        name: [None if column[cell] == "" else column[cell] for cell in cells.tolist()]
        for name, column in columns_of(result).items()
        if name not in _PLACE
    }
    table = pa.table({**columns, "geometry": pa.array(_polygons(grid, cells), pa.binary())})
    out = io.BytesIO()
    pq.write_table(table.replace_schema_metadata({"geo": json.dumps(_META)}), out)
    return out.getvalue()


_META: Final = {
    "version": "1.1.0",
    "primary_column": "geometry",
    "columns": {
        "geometry": {
            "encoding": "WKB",
            "geometry_types": ["Polygon"],
            "orientation": "counterclockwise",
        }
    },
}


def _polygons(grid: GridDomain, cells: Ints) -> list[bytes]:
    """Each of the (n,) `cells` as a polygon in well-known binary."""
    polygons = np.zeros(cells.size, _POLYGON)
    polygons["little_endian"], polygons["kind"] = 1, _KIND
    polygons["rings"], polygons["points"] = 1, len(_CORNERS)
    row, column = np.divmod(cells, grid.columns)
    for at, (up, right) in enumerate(_CORNERS):
        turns = np.where(grid.longitudes()[column] > 180, 360.0, 0.0)
        polygons["ring"][:, at, 0] = (grid.west + (column + right) * grid.cell - turns).round(9)
        polygons["ring"][:, at, 1] = (grid.south + (row + up) * grid.cell).round(9)
    whole, size = polygons.tobytes(), _POLYGON.itemsize
    return [whole[at : at + size] for at in range(0, len(whole), size)]
