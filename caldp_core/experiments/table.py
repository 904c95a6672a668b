"""A result as a table, one row a value; on a map as GeoJSON and GeoParquet 1.1, a square a cell.

GeoParquet takes a sixth of the size. See geoparquet.org; the form of a cell is OGC 06-103r4's.
"""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.extras import explain_missing
from caldp_core.basics.files import escape_formula, parse_float
from caldp_core.basics.types import Floats, Ints
from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import GridDomain
from caldp_core.estimation.intervals import margins

if TYPE_CHECKING:
    from caldp_core.experiments.run import Result

Columns: TypeAlias = Mapping[str, Sequence[object]]


def columns_of(result: "Result") -> dict[str, list[object]]:
    """The columns by name, each (k,): where a cell is or what an answer is called, and its share.

    `number`; on a map `latitude` and `longitude` of the cell's centre in degrees, else `answer` and
    `group` where they have names; `block`; `estimated share` and `estimated people`, of the first
    trial; and those of `margins`, where the variance of each share is known (not of planar noise on
    a large map).
    """
    setup = result.setup
    columns, names = place_columns(setup.dataset.domain), setup.partition.names
    columns["block"] = [names[label] for label in setup.partition.labels.tolist()]
    columns["estimated share"] = result.first.estimate.tolist()
    columns["estimated people"] = (result.first.estimate * setup.n).tolist()
    with suppress(CaldpError):
        columns |= margins(result.first.evidence, result.first.estimate)
    return columns


def place_columns(domain: Domain | GridDomain) -> dict[str, list[object]]:
    """The columns that say which value a row is, each (k,)."""
    columns: dict[str, list[object]] = {"number": list(range(domain.k))}
    if isinstance(domain, GridDomain):
        row, column = np.divmod(np.arange(domain.k), domain.columns)
        columns["latitude"] = domain.latitudes()[row].round(6).tolist()
        columns["longitude"] = domain.wrapped_longitudes()[column].round(6).tolist()
    elif domain.names:
        columns["answer"] = list(domain.names)
        columns["group"] = list(domain.groups or ("",) * domain.k)
    return columns


def as_csv(columns: Columns) -> str:
    """The columns as a file by RFC 4180; texts are guarded, see `as_cell`."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(map(as_cell, columns))
    writer.writerows(map(as_cell, row) for row in zip(*columns.values(), strict=True))
    return buffer.getvalue()


def as_cell(value: object) -> object:
    """A text that a spreadsheet would run as a formula, behind an apostrophe; all else as it is."""
    if isinstance(value, str) and parse_float(value) is None:
        return escape_formula(value)
    return value


_PLACE: Final = ("latitude", "longitude")


def as_geojson(result: "Result") -> str:
    """The cells that are estimated to hold anybody, with the other columns of `columns_of`.

    Raises `CaldpError` for a result without a map.
    """
    domain = result.setup.dataset.domain
    return cells_as_geojson(domain, columns_of(result), result.first.estimate)


def map_for_geojson(domain: Domain | GridDomain, form: str = "GeoJSON") -> GridDomain:
    """The domain, as a map; raises `CaldpError` for values that are on none."""
    if not isinstance(domain, GridDomain):
        raise CaldpError(f"{form} needs a map, and these values are on none; save them as CSV.")
    return domain


def cells_as_geojson(grid: Domain | GridDomain, columns: Columns, shares: Floats) -> str:
    """The cells of (k,) `shares` above 0 with their columns, each of k entries.

    By RFC 7946: degrees of WGS 84, longitude first, rings against the clock. Raises `CaldpError`
    for values that are on no map.
    """
    grid = map_for_geojson(grid)
    properties = {name: cells for name, cells in columns.items() if name not in _PLACE}
    cells_shown = np.flatnonzero(shares > 0)
    features = [
        {
            "type": "Feature",
            "geometry": {"type": "Polygon", "coordinates": [ring]},
            "properties": {
                name: None if cells[cell] == "" else cells[cell]
                for name, cells in properties.items()
            },
        }
        for cell, ring in zip(cells_shown.tolist(), _rings(grid, cells_shown).tolist(), strict=True)
    ]
    whole: dict[str, Any] = {
        "type": "FeatureCollection",
        "description": "Estimates from randomised reports; cells that are not here have none.",
        "features": features,
    }
    return json.dumps(whole, ensure_ascii=False)


def _rings(grid: GridDomain, cells: Ints) -> Floats:
    """(n, corners, 2) longitude and latitude around each of (n,) cells, against the clock."""
    row, column = np.divmod(cells, grid.columns)
    turns = np.where(grid.longitudes()[column] > 180, 360.0, 0.0)  # RFC 7946, section 3.1.9
    rings = np.empty((cells.size, len(_CORNERS), 2))
    for at, (up, right) in enumerate(_CORNERS):
        rings[:, at, 0] = (grid.west + (column + right) * grid.cell - turns).round(9)
        rings[:, at, 1] = (grid.south + (row + up) * grid.cell).round(9)
    return rings


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
    grid = map_for_geojson(result.setup.dataset.domain, "GeoParquet")
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
    polygons["ring"] = _rings(grid, cells)
    whole, size = polygons.tobytes(), _POLYGON.itemsize
    return [whole[at : at + size] for at in range(0, len(whole), size)]
