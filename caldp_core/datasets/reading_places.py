"""Places that people paste or upload, counted on a map that is chosen for them.

A list of places always has lines that say none: they are left out and told.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.limits import OWN_CELLS_MAX
from caldp_core.basics.numerals import read_number
from caldp_core.basics.types import Floats
from caldp_core.datasets.own import quoted
from caldp_core.datasets.own_places import OwnPlaces, places_of
from caldp_core.datasets.reading import (
    COUNT_NAMES,
    DELIMITERS,
    Row,
    check_whole_people,
    lines_of,
    people_of,
    rows_of,
)
from caldp_core.domain.grid import US_GRID, GridDomain

_LATITUDE: Final = {"lat", "latitude", "y"}
_LONGITUDE: Final = {"lon", "lng", "long", "longitude", "x"}
_CELLS: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Sides of cells in degrees; each divides a quarter of a circle."""
_WIDE: Final = 5.0
"""Degrees from which on places in the United States are shown on the paper's map."""


@dataclass(frozen=True)
class ReadPlaces:
    """The places of a text, and what of it is none.

    `example`: the first line that was left out. `unread`: names of columns that were passed over.
    """

    places: OwnPlaces
    lines: int
    left_out: int
    example: str
    unread: tuple[str, ...]

    def told(self) -> str:
        """What was left out, as a sentence; empty where nothing was."""
        if not self.left_out:
            return ""
        return (
            f"{self.left_out:,} of {self.lines:,} lines say no place and are left out; the first "
            f"is {self.example}."
        )


@dataclass(frozen=True)
class _Columns:
    latitude: int
    longitude: int
    count: int | None
    unread: tuple[str, ...] = ()


def read_places(text: str, title: str = OwnPlaces.title) -> ReadPlaces:
    """The places of a text, counted in cells; raises `CaldpError` if it holds none.

    A line a place, with commas, semicolons or tabs. A header names the columns (latitude, longitude
    and perhaps count, or short forms of them); without one latitude, longitude and perhaps a count
    are the first. The map is the paper's where all places lie on it and are more than 5° apart,
    else a box around them in the smallest cells of 0.01° to 10° that it has room for.
    """
    lines = lines_of(text)
    first = next((line for line in lines if line.strip()), "")
    delimiter = max(DELIMITERS, key=first.count)
    head = rows_of([first], delimiter)
    require(bool(head), "There is nothing to read; give lines such as “40.71, -74.01”.")
    columns = _header(head[0][1])  # before all others are read
    rows = rows_of(lines, delimiter)
    if columns is None:
        columns = _Columns(0, 1, 2 if len(rows[0][1]) > 2 else None)
    else:
        rows = rows[1:]
    found = [_place(row, columns) for row in rows]
    good = np.array([place for place in found if place], dtype=np.float64).reshape(-1, 3)
    left_out = [row for row, place in zip(rows, found, strict=True) if place is None]
    example = _example(left_out)
    require(
        good[:, 2].sum() > 0,
        f"No line says a place with people{f': the first is {example}' if example else ''}; give "
        "latitude and longitude in degrees, with a point, such as “40.71, -74.01”.",
    )
    return ReadPlaces(_counted(good, title), len(rows), len(left_out), example, columns.unread)


def _header(cells: Sequence[str]) -> _Columns | None:
    """Which column is what, if this is a header; raises `CaldpError` if it lacks one."""
    names = [cell.casefold() for cell in cells]

    def column(known: Collection[str]) -> int | None:
        return next((place for place, name in enumerate(names) if name in known), None)

    latitude, longitude = column(_LATITUDE), column(_LONGITUDE)
    if latitude is not None and longitude is not None:
        read = (latitude, longitude, column(COUNT_NAMES))
        return _Columns(*read, tuple(cell for at, cell in enumerate(cells) if at not in read))
    if len(cells) > 1 and all(read_number(cell) is not None for cell in cells[:2]):
        return None
    raise CaldpError(
        f"The first line must name the columns latitude and longitude, got "
        f"{quoted(' | '.join(cells))}; call them so."
    )


def _place(row: Row, columns: _Columns) -> tuple[float, float, int] | None:
    """Latitude, longitude and people of a line; None if it says no place."""
    line, cells = row
    if len(cells) <= max(columns.latitude, columns.longitude, columns.count or 0):
        return None
    latitude = read_number(cells[columns.latitude])
    longitude = read_number(cells[columns.longitude])
    count = 1 if columns.count is None else people_of(cells[columns.count])
    if latitude is None or longitude is None:
        return None
    if count is None:
        check_whole_people(line, cells[columns.count or 0])
        return None
    # Where a place is not known, lists say 0, 0, which is in the sea.
    known = -90 <= latitude < 90 and -180 <= longitude < 180 and (latitude, longitude) != (0, 0)
    return (latitude, longitude, count) if known else None


def _example(rows: Sequence[Row]) -> str:
    return f"line {rows[0][0]:,}, {quoted(' | '.join(rows[0][1]))}" if rows else ""


def _counted(places: Floats, title: str) -> OwnPlaces:
    """(n, 3) latitudes, longitudes and people, counted in the cells of a map made for them."""
    latitude, longitude, people = places.T
    grid = _map_of(latitude.min(), latitude.max(), longitude.min(), longitude.max())
    symbols = grid.locate(latitude, longitude)
    counts = np.zeros(grid.k, dtype=np.int64)
    np.add.at(counts, symbols, people.astype(np.int64))
    return places_of(counts, grid, title)


def _map_of(south: float, north: float, west: float, east: float) -> GridDomain:
    on_us = bool((US_GRID.locate([south, north], [west, east]) >= 0).all())
    if on_us and max(north - south, east - west) >= _WIDE:
        return US_GRID
    for cell in _CELLS:
        (bottom, top), (left, right) = _span(south, north, cell, 90), _span(west, east, cell, 180)
        rows, columns = top - bottom, right - left
        if rows * columns <= OWN_CELLS_MAX:
            break
    return GridDomain(round(bottom * cell, 9), round(left * cell, 9), cell, rows, columns)


def _span(low: float, high: float, cell: float, most: int) -> tuple[int, int]:
    """First cell and the one after the last, from 0°; one more on each side where there is one."""
    ends = round(most / cell)
    return max(math.floor(low / cell) - 1, -ends), min(math.floor(high / cell) + 2, ends)
