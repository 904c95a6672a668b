"""GeoJSON: its points, and what it says of each, as a table."""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any, Final

from caldp_core.basics.errors import CaldpError, require
from caldp_core.datasets.files.source import Bounds, Source, of_bytes
from caldp_core.datasets.own import quoted

_COLUMNS_MAX: Final = 100
"""Properties beyond are passed over."""
_PART: Final = 4
"""Of the bytes that may be built up whole, as JSON takes more memory than a table does."""


def is_geojson(head: bytes) -> bool:
    """True of a text that begins as a JSON object does."""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"


def as_csv(source: Source, bounds: Bounds) -> Source:
    """Latitude, longitude and properties of every point, as CSV in UTF-8.

    Raises `CaldpError` for what is no GeoJSON, or holds no points.
    """
    most = bounds.parsed // _PART
    data = source.head(most + 1)
    require(
        len(data) <= most,
        f"GeoJSON may have up to {most // 2**20:,} MB, {quoted(source.name)} has more; save it as "
        "CSV.",
    )
    try:
        read = json.loads(data)
    except (ValueError, RecursionError):
        raise CaldpError(f"The file {quoted(source.name)} is no JSON that can be read.") from None
    rows = list(_points(read))
    require(
        bool(rows),
        f"The file {quoted(source.name)} must be GeoJSON with points, and has none; give a "
        "FeatureCollection of them.",
    )
    names = list(dict.fromkeys(name for _, _, told in rows for name in told))[:_COLUMNS_MAX]
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(["latitude", "longitude", *names])
    for latitude, longitude, told in rows:
        writer.writerow([latitude, longitude, *(_text(told.get(name)) for name in names)])
    return of_bytes(out.getvalue().encode("utf-8", "replace"), source.name)


def _points(read: Any) -> Iterator[tuple[Any, Any, dict[str, Any]]]:
    """Latitude, longitude and properties of each point."""
    features = read.get("features") if isinstance(read, dict) else None
    for feature in features if isinstance(features, list) else [read]:
        if not isinstance(feature, dict):
            continue
        told = feature.get("properties")
        geometry = feature.get("geometry", feature)
        for place in _places(geometry if isinstance(geometry, dict) else {}):
            if isinstance(place, list) and len(place) > 1:
                yield place[1], place[0], told if isinstance(told, dict) else {}


def _places(geometry: dict[str, Any]) -> list[Any]:
    coordinates = geometry.get("coordinates")
    if not isinstance(coordinates, list):
        return []
    kinds = {"Point": [coordinates], "MultiPoint": coordinates}
    return kinds.get(str(geometry.get("type")), [])


def _text(value: Any) -> str:
    return "" if value is None or isinstance(value, dict | list) else str(value)
