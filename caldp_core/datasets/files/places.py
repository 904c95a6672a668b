"""Places of a file, counted in a map's cells as they are read; and a published map of them."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from caldp_core.basics.errors import CaldpError, excerpt, require
from caldp_core.basics.limits import N_MAX
from caldp_core.basics.types import Ints, Progress, no_progress
from caldp_core.datasets.files import maps, numbers
from caldp_core.datasets.files.answers import (
    UNIT,
    CountedFile,
    RefusedRows,
    find_refused_rows,
    left_out_sql,
    part_sql,
    people_of_rows,
    reasons,
    round_to_people,
    sum_sql,
    with_people_sql,
)
from caldp_core.datasets.files.geojson import SIDE_COLUMN
from caldp_core.datasets.files.layout_detection import DetectedFile, Layout
from caldp_core.datasets.files.table import Reader
from caldp_core.datasets.own import OwnPlaces, places_from_counts
from caldp_core.datasets.public_map import PublicMap, public_map_from_weights
from caldp_core.domain.domains import POLE_WITHIN, TURN_WITHIN, GridDomain

_WORDS: Final = reasons("places")
_OUTSIDE: Final = 7


@dataclass(frozen=True)
class CountedPlaces(CountedFile):
    """Places counted in cells."""

    places: OwnPlaces


def count_places(
    file: DetectedFile, layout: Layout, title: str, progress: Progress = no_progress
) -> CountedPlaces:
    """Count the people of a file in cells: of the map that is asked for, or of one made for them.

    That is the paper's where all places lie on it and are more than 5° apart, else a box around
    them in the smallest cells of 0.01° to 10° of which it has at most 43,750. Raises `CaldpError`
    where the file holds no place with people, or the map has more than 2²⁰ cells.
    """
    parts, grid, refused, part = count_parts_by_cell(file, layout, _cell_of(file, layout), progress)
    places = places_from_counts(_people(parts, grid), grid, title)
    places = replace(places, reading=layout.reading, unit=layout.unit, cap=layout.cap)
    if layout.people_column is not None:
        coded = with_people_sql(_rows_sql(file, layout), layout)
        with file.table.open_reader() as reader:
            places = replace(places, person_rows=people_of_rows(reader, coded, layout))
    column = layout.count or 0
    met = ((column, part),) if part and part not in file.cells(column) else ()
    return CountedPlaces(places, refused=refused, rounded=bool(part), met=met)


def count_parts_by_cell(
    file: DetectedFile, layout: Layout, cell: float | None, progress: Progress = no_progress
) -> tuple[Counter[int], GridDomain, RefusedRows, str]:
    """People by cell in `UNIT` parts, the map, what is refused, and a cell of a part of a person.

    `cell`: the side of cells in degrees where the file has one. Raises `CaldpError` as
    `count_places` does.
    """
    layout.check_complete(file, "latitude", "longitude")
    read = _rows_sql(file, layout)
    coded = with_people_sql(read, layout)
    first_map = maps.map_for_places(layout.wanted, _likely(file, layout), cell)
    with file.table.open_reader() as reader:
        entries = _count_by_cell(reader, coded, layout, first_map, progress)
        codes = [(each.code, each.rows) for each in entries]
        refused = find_refused_rows(reader, file, layout, rows_sql=read, codes=codes, words=_WORDS)
        good = [each for each in entries if each.code == 0]
        require(
            sum(each.parts for each in good) > 0,
            f"No row of {excerpt(file.table.source.name)} says a place with people"
            f"{f': the first is {refused.example}' if refused.example else ''}; give latitude and "
            "longitude in degrees, such as “40.71, -74.01”.",
        )
        on = maps.map_for_places(layout.wanted, _box(good), cell)
        symbols = _symbols(good, first_map, on)
        if on != first_map and None in symbols:  # the first rows had led to another map
            good = [e for e in _count_by_cell(reader, coded, layout, on, progress) if e.code == 0]
            symbols = _symbols(good, on, on)
    outside = sum(e.rows for e, symbol in zip(good, symbols, strict=True) if symbol is None)
    if outside:
        reasons = (*refused.reasons, (_WORDS[_OUTSIDE], outside))
        refused = RefusedRows(refused.rows, reasons, refused.example)
    parts: Counter[int] = Counter()
    for each, symbol in zip(good, symbols, strict=True):
        if symbol is not None:
            parts[symbol] += each.parts
    return parts, on, refused, next((each.part for each in good if each.part), "")


def _rows_sql(file: DetectedFile, layout: Layout) -> str:
    """SQL of all rows: lat, lon, n (people), code (what is wrong), and the columns as they are."""
    mark = layout.mark or "."
    latitude, longitude = f"c{layout.latitude}", f"c{layout.longitude}"
    at = [each for each in (layout.latitude, layout.longitude) if each is not None]
    is_written = any(numbers.has_degree_signs(row[each]) for row in file.rows for each in at)
    degrees = numbers.degrees_sql if is_written else numbers.number_sql  # which is twice as fast
    people = "1.0" if layout.count is None else numbers.number_sql(f"c{layout.count}", mark)
    read = (
        f"SELECT *, {degrees(latitude, mark)} AS lat, "
        f"{degrees(longitude, mark)} AS lon, "
        f"{people} AS n FROM {file.table.relation_sql(bool(layout.header))}"
    )
    empty = " OR ".join(f"trim(coalesce({each}, '')) = ''" for each in (latitude, longitude))
    return (
        f"SELECT *, CASE WHEN {left_out_sql(layout)} THEN 8 "
        f"WHEN lat IS NULL OR lon IS NULL THEN CASE WHEN {empty} THEN 1 ELSE 2 END "
        "WHEN NOT (abs(lat) <= 90 AND abs(lon) <= 180) THEN 3 WHEN lat = 0 AND lon = 0 THEN 4 "
        f"WHEN n IS NULL THEN 5 WHEN NOT (n >= 0 AND n <= {N_MAX}) THEN 6 ELSE 0 END AS code "
        f"FROM ({read})"
    )


class _CellRows(NamedTuple):
    """Rows of one `code` in one cell, by its row and column; None: all that are far from the map.

    `parts`: their people, see `UNIT`; `part`: a cell of a part of a person, None if all are whole.
    """

    code: int
    row: int | None
    column: int | None
    rows: int
    parts: int
    part: str | None
    south: float
    north: float
    west: float
    east: float
    turned_west: float
    turned_east: float


def _count_by_cell(
    reader: Reader, rows_sql: str, layout: Layout, grid: GridDomain, progress: Progress
) -> list[_CellRows]:
    """All rows by what is wrong with them and by cell, of the map and half as far around it.

    By the same sum as `GridDomain.locate`; the poles and 180° east are in the last cells.
    """
    row = f"floor((least(lat, {POLE_WITHIN}) - ({grid.south})) / {grid.cell} + 1e-9)"
    at = f"least(lon, {TURN_WITHIN})"
    if grid.area.crosses_antimeridian:
        at = f"(CASE WHEN lon < {grid.west} - 1e-9 THEN lon + 360 ELSE lon END)"
    column = f"floor(({at} - ({grid.west})) / {grid.cell} + 1e-9)"
    near = (
        f"code = 0 AND abs(2 * r - {grid.rows}) <= {2 * grid.rows} "
        f"AND abs(2 * c - {grid.columns}) <= {2 * grid.columns}"
    )
    at = f"CASE WHEN {near} THEN r::INT END AS i, CASE WHEN {near} THEN c::INT END AS j"
    turned = "CASE WHEN lon < 0 THEN lon + 360 ELSE lon END"
    ends = f"min(lat), max(lat), min(lon), max(lon), min({turned}), max({turned})"
    people = "" if layout.count is None else f"c{layout.count}, "
    rows = reader.fetch_rows(
        f"SELECT code, {at}, count(*), {sum_sql(layout)}, {part_sql(layout)}, {ends} FROM "
        f"(SELECT code, n, {people}lat, lon, {row} AS r, {column} AS c FROM ({rows_sql})) "
        "GROUP BY code, i, j",
        progress=progress,
    )
    return [_CellRows(*each) for each in rows]


def _box(found: Sequence[_CellRows]) -> tuple[float, float, float, float]:
    """South, north, west and east of all rows, in degrees."""
    souths, norths, wests, easts, turned, ends = zip(*(each[-6:] for each in found), strict=True)
    return (
        min(souths),
        max(norths),
        *maps.shortest_longitude_range(min(wests), max(easts), min(turned), max(ends)),
    )


def _symbols(found: Sequence[_CellRows], by: GridDomain, on: GridDomain) -> list[int | None]:
    """The cell of map `on` for each entry counted by cells of map `by`; None: outside."""
    up, right = (by.south - on.south) / on.cell, (by.west - on.west) / on.cell
    off = max(abs(up - round(up)), abs(right - round(right)))
    if by.cell != on.cell or off > maps.WHOLE_WITHIN:
        return [None] * len(found)

    def symbol(row: int | None, column: int | None) -> int | None:
        if row is None or column is None:
            return None
        at = row + round(up), column + round(right)
        inside = 0 <= at[0] < on.rows and 0 <= at[1] < on.columns
        return at[0] * on.columns + at[1] if inside else None

    return [symbol(each.row, each.column) for each in found]


def _people(parts: Mapping[int, int], grid: GridDomain) -> Ints:
    counts = np.zeros(grid.k, dtype=np.int64)
    cells = sorted(parts)
    for symbol, people in zip(cells, round_to_people([parts[at] for at in cells]), strict=True):
        require(people <= N_MAX, f"A cell may have up to {N_MAX:,} people, one has {people:,}.")
        counts[symbol] = people
    require(bool(counts.any()), "No cell has one person, rounded; give people, or larger weights.")
    return counts


def _likely(file: DetectedFile, layout: Layout) -> tuple[float, float, float, float]:
    """The box of the first rows: where its map is that of all, one reading is enough."""
    places = file.first_places(layout)
    known = places[(np.abs(places) <= (90, 180)).all(axis=1) & places.any(axis=1)]
    latitudes, longitudes = known.T if len(known) else np.zeros((2, 1))
    turned = longitudes % 360
    ends = maps.shortest_longitude_range(
        float(longitudes.min()), float(longitudes.max()), float(turned.min()), float(turned.max())
    )
    return float(latitudes.min()), float(latitudes.max()), *ends


def _cell_of(file: DetectedFile, layout: Layout) -> float | None:
    """The side of cells, in degrees, of counts that were made before; None if it has none."""
    if layout.cell is None:
        return None
    sides = {numbers.parse_number(row[layout.cell], layout.mark or ".") for row in file.rows}
    if len(sides) == 1 and (cell := sides.pop()) in (*maps.FINE_CELLS, *maps.CELLS):
        return cell
    raise CaldpError("The column cell_degrees must say one side of cells, the same in every row.")


def people_at_centres(places: OwnPlaces) -> Sequence[tuple[float, float, int]]:
    """Latitude and longitude of the centres of cells with people, and how many."""
    grid, counts = places.grid(), places.counts()
    cells = np.flatnonzero(counts)
    rows, columns = grid.row_column(cells)
    latitudes, longitudes = (
        grid.latitudes()[rows].round(6),
        grid.wrapped_longitudes()[columns].round(6),
    )
    return list(zip(latitudes.tolist(), longitudes.tolist(), counts[cells].tolist(), strict=True))


_STEP_TOLERANCE: Final = 2e-6
"""Degrees by which steps of a grid may differ: files have six decimals."""
_ALONG: Final = 0.5
"""Of the rows of a file that goes along a grid, those that are one step from the row before."""
_ROWS: Final = 8


@dataclass(frozen=True)
class CountedMap(CountedFile):
    """A published map, and its number of `people` on the map it is a prior for.

    `rounded` is always False: parts of people are parts of a map as well.
    """

    published: PublicMap
    people: int


def count_published_map(
    file: DetectedFile,
    layout: Layout,
    title: str,
    domain: GridDomain,
    progress: Progress = no_progress,
) -> CountedMap:
    """The people of a file in the cells of `domain`, or in its own where those are larger.

    Its own cells: of squares in GeoJSON, of `cell_degrees`, and of rows that go along a grid, as
    those of estimate.csv do. Raises `CaldpError` where it has nobody on that map.
    """
    side = _side_of(file, layout)
    on = (
        domain
        if side is None or side <= domain.cell + _STEP_TOLERANCE
        else _aligned_grid(file, layout, side, domain)
    )
    wanted = replace(layout, wanted=maps.MapRequest(on.cell, on.area), cell=None)
    parts, grid, refused, _ = count_parts_by_cell(file, wanted, None, progress)
    weights = np.zeros(grid.k)
    for cell, part in parts.items():
        weights[cell] = part / UNIT
    people = float(weights.sum())
    require(
        people > 0,
        f"Nobody of {excerpt(file.table.source.name)} is on this map, {domain.area}; take a file "
        "of the same part of the Earth.",
    )
    published = public_map_from_weights(weights, grid, title)
    return CountedMap(published, round(people), refused=refused)


def _side_of(file: DetectedFile, layout: Layout) -> float | None:
    """Side of the file's own cells in degrees; None where it has none."""
    at = file.names.index(SIDE_COLUMN) if SIDE_COLUMN in file.names else layout.cell
    if at is not None:
        return numbers.parse_number(file.rows[0][at], layout.mark or ".")
    steps = np.abs(np.diff(file.first_places(layout), axis=0))
    for here, other in ((1, 0), (0, 1)):
        along = steps[steps[:, other] <= _STEP_TOLERANCE, here]
        if len(along) < max(_ROWS, _ALONG * len(steps)):
            continue
        side = float(np.median(along))
        if side > _STEP_TOLERANCE and (
            np.abs(along - side) <= _STEP_TOLERANCE
        ).sum() >= _ALONG * len(steps):
            return round(side, 6)
    return None


def _aligned_grid(
    file: DetectedFile, layout: Layout, side: float, domain: GridDomain
) -> GridDomain:
    """The file's own cells that cover the map of `domain`."""
    (latitude, longitude), area = file.first_places(layout)[0], domain.area
    south, west = (
        _edge_before(middle - side / 2, side, low, least)
        for middle, low, least in ((latitude, area.south, -90.0), (longitude, area.west, -180.0))
    )
    rows, columns = (
        max(1, math.ceil((high - low) / side - _STEP_TOLERANCE))
        for low, high in ((south, area.north), (west, area.east))
    )
    rows = min(rows, math.floor((90.0 - south) / side + _STEP_TOLERANCE))
    if not area.crosses_antimeridian:
        columns = min(columns, math.floor((180.0 - west) / side + _STEP_TOLERANCE))
    return GridDomain(south, west, side, rows, columns)


def _edge_before(edge: float, side: float, low: float, least: float) -> float:
    """The last edge of cells at or before `low`, no less than `least`."""
    before = edge + side * math.floor((low - edge) / side + _STEP_TOLERANCE)
    return round(before if before >= least - _STEP_TOLERANCE else before + side, 9)
