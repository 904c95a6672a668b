"""Checks of where places are: exchanged, from 0° to 360°, ten-millionths of degrees, metres."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Final

import numpy as np

from caldp_core.basics.types import Bools, Floats
from caldp_core.datasets.base_map import world_cities
from caldp_core.datasets.files import numbers
from caldp_core.datasets.files.checks.people import with_number
from caldp_core.datasets.files.checks.record import Check, Offer, Reading
from caldp_core.datasets.files.layout_detection import normalize_name

_FEW: Final = 0.2
_MOST: Final = 0.8
"""Of all places near a town, as they are and exchanged."""
_NUMBER: Final = r"-?\d+(?:\.\d+)?"
_PAIR: Final = rf"{_NUMBER}\s+{_NUMBER}"
_BOTH: Final = {
    r"[(\[]?-?\d{1,3}\.\d+°? ?[,;] ?-?\d{1,3}\.\d+°?[)\]]?": ((1,), (2,)),
    rf"(?i:POINT)\s*Z?\s*\({_PAIR}[^()]*\)": ((2,), (1,)),
    rf"(?i:POLYGON)\s*\(\({_PAIR}(,\s*{_PAIR}){{4}}\)\)": ((2, 6), (1, 5)),
    rf'\{{[^\d]*"coordinates"\s*:\s*\[\s*{_NUMBER}\s*,\s*{_NUMBER}[^\]]*\][^\d]*\}}': ((2,), (1,)),
}
"""A place in one cell, also as WKT and GeoJSON, and which of its numbers are its degrees.

Of a square opposite corners: in the middle between them is the place.
"""
_E7: Final = ("latitudee7", "longitudee7")
_METRES: Final = (
    ("e", "n"),
    ("x", "y"),
    ("easting", "northing"),
    ("rechtswert", "hochwert"),
    ("utm e", "utm n"),
    ("utm_e", "utm_n"),
    ("ost", "nord"),
)
"""Names of the columns of maps in metres, in lower case."""


def exchanged(reading: Reading) -> Check | None:
    """Latitude and longitude that hold each other's degrees."""
    layout = reading.layout
    pairs = _places(reading)
    if layout.latitude is None or layout.longitude is None or not len(pairs):
        return None
    latitude, longitude = pairs.T
    usual, other = _near_a_town(latitude, longitude), _near_a_town(longitude, latitude)
    if usual.mean() > _FEW or other.mean() < _MOST:
        return None
    swapped = replace(layout, latitude=layout.longitude, longitude=layout.latitude)
    return Check(
        "exchanged",
        f"{int(usual.sum()):,} of {len(pairs):,} places are near a town, and {int(other.sum()):,} "
        "with latitude and longitude exchanged: exchange them?",
        (
            Offer(
                "exchange",
                "Exchange them",
                "latitude and longitude exchanged",
                lambda read: replace(read, layout=swapped),
            ),
        ),
        "No: they are right",
    )


def _places(reading: Reading) -> Floats:
    """(rows, 2) latitude and longitude of the first rows that have both, but not 0, 0."""
    if None in (reading.layout.latitude, reading.layout.longitude):
        return np.zeros((0, 2))
    places = reading.file.first_places(reading.layout)
    return places[places.any(axis=1)]


def _near_a_town(latitude: Floats, longitude: Floats) -> Bools:
    """Which places are within a degree or two of a town of 15,000 inhabitants."""
    inside = (np.abs(latitude) <= 90) & (np.abs(longitude) <= 360)
    rows = np.where(inside, np.floor(latitude) + 90, 0).astype(int)
    columns = np.where(inside, np.floor(longitude) % 360, 0).astype(int)
    return np.asarray(_town_degrees()[rows, columns] & inside, dtype=bool)


@cache
def _town_degrees() -> Bools:
    """(181, 360) squares of a degree that hold a town or touch one that does."""
    found = np.zeros((181, 360), dtype=bool)
    for city in world_cities():
        row, column = int(np.floor(city.latitude)) + 90, int(np.floor(city.longitude)) % 360
        beside = [(column + step) % 360 for step in (-1, 0, 1)]
        found[max(row - 1, 0) : row + 2, beside] = True
    return found


def turned_longitudes(reading: Reading) -> Check | None:
    """Longitudes from 0° to 360°."""
    longitude = _places(reading)[:, 1]
    column = reading.layout.longitude
    beyond = int(((longitude > 180) & (longitude <= 360)).sum())
    if not beyond or bool((longitude < 0).any()) or bool((longitude > 360).any()):
        return None

    def turned(read: Reading) -> Reading:
        number = numbers.number_sql(f"c{column}", read.layout.mark or ".")
        west = f"CASE WHEN {number} > 180 THEN {number} - 360 ELSE {number} END"
        return with_number(read, column, west)

    places, verb = ("longitude", "is") if beyond == 1 else ("longitudes", "are")
    return Check(
        "longitudes-360",
        f"{beyond:,} {places} {verb} above 180°: counted from 0° to 360°?",
        (Offer("west", "Yes: 359° is 1° west", "longitudes read from 0° to 360°", turned),),
        "No: leave them out",
    )


def one_column(reading: Reading) -> Check | None:
    """Latitude and longitude in one column, as maps on the web copy them."""
    columns = {at: reading.file.cells(at)[:100] for at in range(len(reading.file.names))}
    able = [
        (at, numbers_of)
        for at, cells in columns.items()
        for pattern, numbers_of in _BOTH.items()
        if cells and all(re.fullmatch(pattern, cell) for cell in cells)
    ]
    if not able or reading.layout.latitude is not None:
        return None
    column, order = able[0]

    def split(read: Reading) -> Reading:
        width = read.file.table.width
        people = read.file.answers.count if read.layout.count is None else read.layout.count
        layout = replace(read.layout, answer=None, group=None, count=people)
        layout = replace(layout, latitude=width, longitude=width + 1)
        found = f"regexp_extract_all(c{column}, '{_NUMBER}')"
        parts = [
            f"(({' + '.join(f'{found}[{at}]::DOUBLE' for at in each)}) / {len(each)})::VARCHAR"
            for each in order
        ]
        names = (*read.file.names, "latitude (split)", "longitude (split)")
        return read.derive([*read.sql_of(), *parts], names, replace(layout, mark="."))

    return Check(
        "one-column",
        f"The column {reading.name(column)} holds latitude and longitude together, such as "
        f"“{columns[column][0]}”: split it?",
        (Offer("split", "Yes: read places", "latitude and longitude split", split),),
        "No: these texts are answers",
    )


def ten_millionths(reading: Reading) -> Check | None:
    """Columns latitudeE7 and longitudeE7, as phones write them."""
    names = [normalize_name(name).replace(" ", "") for name in reading.file.names]
    if not set(_E7) <= set(names) or reading.layout.latitude is not None:
        return None
    latitude, longitude = (names.index(name) for name in _E7)

    def divided(read: Reading) -> Reading:
        layout = replace(read.layout, latitude=latitude, longitude=longitude, answer=None)
        read = replace(read, layout=replace(layout, count=None, group=None, mark="."))
        columns = read.sql_of()
        for at in (latitude, longitude):
            columns[at] = f"CAST(TRY_CAST(c{at} AS DOUBLE) / 1e7 AS VARCHAR)"
        return read.derive(columns, read.file.names, read.layout)

    return Check(
        "ten-millionths",
        f"{reading.name(latitude)} and {reading.name(longitude)} are ten-millionths of degrees: "
        "read them as places?",
        (Offer("degrees", "Yes: read places", "ten-millionths of degrees read", divided),),
        "No: they are answers",
    )


def metres(reading: Reading) -> Check | None:
    """Two columns of a map in metres, which would be read as answers and people."""
    pair = _metre_columns(reading)
    if pair is None:
        return None
    east, north = pair
    return Check(
        "metres",
        f"{reading.name(east)} and {reading.name(north)} look like metres on a map, such as "
        f"{reading.numbers(east)[0]:,.0f} and {reading.numbers(north)[0]:,.0f}: for places save "
        "the file in degrees, as WGS 84 (EPSG:4326).",
        (),
        "They are answers",
    )


def _metre_columns(reading: Reading) -> Sequence[int] | None:
    names = [normalize_name(name) for name in reading.file.names]
    for pair in _METRES:
        if set(pair) <= set(names):
            columns = [names.index(name) for name in pair]
            found = [reading.numbers(at) for at in columns]
            if all(each and min(map(abs, each)) > 1_000 for each in found):
                return columns
    return None
