"""GeoJSON: its points and squares, such as a map's cells, and their properties, as a table."""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any, Final

from caldp_core.basics.errors import CaldpError, require
from caldp_core.datasets.files.source import Bounds, Source, source_from_bytes
from caldp_core.datasets.own import excerpt

_COLUMNS_MAX: Final = 100
"""Further properties are skipped."""
SIDE_COLUMN: Final = "cell_side"
"""The column of the side of squares, in degrees."""
_SQUARE: Final = 1e-6
"""Part of its side by which a square may be wider than high: decimals are cut off."""
_PART: Final = 4
"""Of the bytes that may be built up whole, as JSON takes more memory than a table does."""


def is_geojson(head: bytes) -> bool:
    """True of a text that begins as a JSON object does."""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"


def as_csv(source: Source, bounds: Bounds) -> Source:
    """Latitude, longitude and properties of every point, or middle of a square, as CSV in UTF-8.

    Where all are squares of one size the column `cell_side` holds it. Raises `CaldpError` for what
    is no GeoJSON, or holds neither.
    """
    most = bounds.parsed_bytes // _PART
    data = source.head(most + 1)
    require(
        len(data) <= most,
        f"GeoJSON may have up to {most // 2**20:,} MB, {excerpt(source.name)} has more; save it as "
        "CSV.",
    )
    try:
        parsed = json.loads(data)
    except (ValueError, RecursionError):
        raise CaldpError(f"The file {excerpt(source.name)} is no JSON that can be read.") from None
    rows = list(_points(parsed))
    require(
        bool(rows),
        f"The file {excerpt(source.name)} must be GeoJSON with points, and has none; give a "
        "FeatureCollection of them.",
    )
    if len({properties.get(SIDE_COLUMN) for _, _, properties in rows}) > 1:
        rows = [
            (y, x, {n: each for n, each in properties.items() if n != SIDE_COLUMN})
            for y, x, properties in rows
        ]
    names = list(dict.fromkeys(name for _, _, properties in rows for name in properties))[
        :_COLUMNS_MAX
    ]
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(["latitude", "longitude", *names])
    for latitude, longitude, properties in rows:
        writer.writerow([latitude, longitude, *(_text(properties.get(name)) for name in names)])
    return source_from_bytes(out.getvalue().encode("utf-8", "replace"), source.name)


def _points(parsed: Any) -> Iterator[tuple[Any, Any, dict[str, Any]]]:
    """Latitude, longitude and properties of each point and square."""
    features = parsed.get("features") if isinstance(parsed, dict) else None
    for feature in features if isinstance(features, list) else [parsed]:
        if not isinstance(feature, dict):
            continue
        attributes = feature.get("properties")
        properties = attributes if isinstance(attributes, dict) else {}
        geometry = feature.get("geometry", feature)
        geometry = geometry if isinstance(geometry, dict) else {}
        for place in _places(geometry):
            if isinstance(place, list) and len(place) > 1:
                yield place[1], place[0], properties
        square = _square(geometry)
        if square is not None:
            latitude, longitude, side = square
            yield latitude, longitude, {SIDE_COLUMN: side, **properties}


def _places(geometry: dict[str, Any]) -> list[Any]:
    coordinates = geometry.get("coordinates")
    if not isinstance(coordinates, list):
        return []
    kinds = {"Point": [coordinates], "MultiPoint": coordinates}
    return kinds.get(str(geometry.get("type")), [])


def _square(geometry: dict[str, Any]) -> tuple[float, float, float] | None:
    """Latitude and longitude of the middle of a square between meridians, and its side; or None."""
    if geometry.get("type") != "Polygon":
        return None
    try:
        (ring,) = geometry["coordinates"]
        corners = {(float(x), float(y)) for x, y in ring}
        (west, east), (south, north) = (sorted(set(ends)) for ends in zip(*corners, strict=True))
    except (KeyError, TypeError, ValueError):
        return None
    side = north - south
    if len(ring) != 5 or len(corners) != 4 or not abs(east - west - side) <= _SQUARE * side:
        return None
    return round((south + north) / 2, 9), round((west + east) / 2, 9), round(side, 9)


def _text(value: Any) -> str:
    return "" if value is None or isinstance(value, dict | list) else str(value)
