"""A result as a table, one row a value; on a map as GeoJSON and GeoParquet 1.1, a square a cell.

GeoParquet takes a sixth of the size. See geoparquet.org; the form of a cell is OGC 06-103r4's.
"""

import io
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import product
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.extras import explain_missing
from caldp_core.basics.files import csv_text, escape_formula, parse_float
from caldp_core.basics.types import Floats, Ints, sums_by
from caldp_core.domain.domains import Domain, GridDomain
from caldp_core.estimation.estimators import GroupShare, compare_groups
from caldp_core.estimation.intervals import margins

if TYPE_CHECKING:
    from caldp_core.experiments.run import Result

Columns: TypeAlias = Mapping[str, Sequence[object]]


def columns_of(result: "Result") -> dict[str, list[object]]:
    """The columns by name, each (k,): where a cell is or what an answer is called, and its share.

    `number`; on a map `latitude` and `longitude` of the cell's centre in degrees, else `answer` and
    `group` where they have names; `block`; `estimated share` and `estimated people`, of the first
    trial; those of `margins`, where the variance of each share is known (not of planar noise on
    a large map) with those of `group_columns`; of answers in groups `share of its group`.
    """
    setup = result.setup
    columns, names = place_columns(setup.dataset.domain), setup.partition.names
    columns["block"] = [names[label] for label in setup.partition.labels.tolist()]
    columns["estimated share"] = result.first.estimate.tolist()
    columns["estimated people"] = people_column(result.first.estimate * setup.n)
    with suppress(CaldpError):
        columns |= margins(result.first.evidence, result.first.estimate)
        columns |= group_columns(compare_groups(result.first.evidence))
    if columns.get("group", [""])[0]:
        columns["share of its group"] = shares_within(columns["group"], result.first.estimate)
    return columns


def people_column(people: Floats) -> list[object]:
    """(k,) numbers of people for a file, to 11 digits of the largest: whole ones as such."""
    decimals = 11 - len(str(int(np.abs(people).max(initial=0.0))))
    rounded = people.round(max(decimals, 0)).tolist()
    return [int(number) if number.is_integer() else number for number in rounded]


def shares_within(groups: Sequence[object], shares: Floats) -> list[object]:
    """(k,) the part of its group that each share is; 0 in a group of nobody."""
    _, labels = np.unique(np.array(groups, np.str_), return_inverse=True)
    wholes = sums_by(labels, shares, int(labels.max()) + 1)[labels]
    return list(np.divide(shares, wholes, out=np.zeros(shares.size), where=wholes > 0).tolist())


def group_columns(found: Sequence[GroupShare]) -> dict[str, list[object]]:
    """Columns of compared groups, each (k,): unbiased shares and the ends of their ranges."""
    rows = [(*each.share, *each.elsewhere, *each.difference) for each in found]
    names = product(("group share", "elsewhere", "difference"), ("", " low", " high"))
    return dict(zip(map("".join, names), map(list, zip(*rows, strict=True)), strict=False))


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
    return csv_text(map(as_cell, row) for row in (columns, *zip(*columns.values(), strict=True)))


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
    rings = cell_rings(grid, cells_shown)
    features = [
        {
            "type": "Feature",
            "geometry": {"type": "Polygon", "coordinates": [ring]},
            "properties": {
                name: None if cells[cell] == "" else cells[cell]
                for name, cells in properties.items()
            },
        }
        for cell, ring in zip(cells_shown.tolist(), rings.tolist(), strict=True)
    ]
    whole: dict[str, Any] = {
        "type": "FeatureCollection",
        "description": "Estimates from randomised reports; cells that are not here have none.",
        "features": features,
    }
    return json.dumps(whole, ensure_ascii=False)


def cell_rings(grid: GridDomain, cells: Ints) -> Floats:
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


def as_geoparquet(result: "Result") -> bytes:
    """The cells that are estimated to hold anybody, with the other columns of `columns_of`.

    Degrees of WGS 84, longitude first. Raises `CaldpError` for a result without a map, and where
    pyarrow or shapely is not installed.
    """
    grid = map_for_geojson(result.setup.dataset.domain, "GeoParquet")
    with explain_missing("GeoParquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq
        import shapely
    cells = np.flatnonzero(result.first.estimate > 0)
    columns: dict[str, list[object]] = {
        name: [None if column[cell] == "" else column[cell] for cell in cells.tolist()]
        for name, column in columns_of(result).items()
        if name not in _PLACE
    }
    columns["estimated people"] = np.array(columns["estimated people"], float).tolist()
    polygons = shapely.to_wkb(shapely.polygons(cell_rings(grid, cells)), byte_order=1)
    table = pa.table({**columns, "geometry": pa.array(polygons, pa.binary())})
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
