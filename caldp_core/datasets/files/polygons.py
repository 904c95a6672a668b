"""GeoJSON: its polygons and their names, as texts."""

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.limits import CORNERS_MAX, OWN_NAME_MAX, POLYGON_BYTES_MAX, POLYGONS_MAX
from caldp_core.datasets.own import excerpt

_DECIMALS: Final = 5
"""Of degrees: a metre."""
_JOINERS: Final = "\u200c\u200d"
"""Parts of Persian and Indian words."""
_NAMES: Final = ("name", "nom", "nombre", "nome", "naam", "label", "title", "bezeichnung", "id")
"""Properties that are names, the best first; a part of the property's name is enough."""


def read_polygons(data: bytes, file: str) -> dict[str, str]:
    """Polygons by name, each as its corners "latitude,longitude", further rings after " / ".

    Areas of one name are one. Corners are rounded to a metre. Raises `CaldpError` for what is no
    GeoJSON with polygons, or too much of it.
    """
    require(
        len(data) <= POLYGON_BYTES_MAX,
        f"A file of areas may have up to {POLYGON_BYTES_MAX // 2**20} MB, {excerpt(file)} has "
        "more; "
        "simplify the areas, or leave some out.",
    )
    try:
        parsed = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise CaldpError(f"The file {excerpt(file)} is no JSON that can be read.") from None
    areas: dict[str, list[str]] = {}
    features = [each for each in _features(parsed) if _polygons(each)]
    key = _name_key([_properties(each) for each in features])
    for number, feature in enumerate(features, start=1):
        name = _line(_properties(feature).get(key, "")) if key else ""
        rings = [_ring(ring, file) for polygon in _polygons(feature) for ring in _list(polygon)]
        areas.setdefault(name or f"area {number}", []).extend(ring for ring in rings if ring)
    areas = {name: rings for name, rings in areas.items() if rings}
    _check(areas, file)
    return {name: " / ".join(rings) for name, rings in areas.items()}


def _check(areas: Mapping[str, list[str]], file: str) -> None:
    require(
        bool(areas),
        f"The file {excerpt(file)} must be GeoJSON with polygons, and has none; give a "
        "FeatureCollection of them, in degrees (WGS 84).",
    )
    corners = sum(ring.count(",") for rings in areas.values() for ring in rings)
    require(
        len(areas) <= POLYGONS_MAX and corners <= CORNERS_MAX,
        f"Areas may be up to {POLYGONS_MAX} with {CORNERS_MAX:,} corners in all, {excerpt(file)} "
        f"has {len(areas):,} with {corners:,}; simplify them, or leave some out.",
    )


def _features(parsed: Any) -> Iterator[dict[str, Any]]:
    features = parsed.get("features") if isinstance(parsed, dict) else None
    for each in features if isinstance(features, list) else [parsed]:
        if isinstance(each, dict):
            yield each


def _properties(feature: Mapping[str, Any]) -> dict[str, Any]:
    properties = feature.get("properties")
    return properties if isinstance(properties, dict) else {}


def _polygons(feature: Mapping[str, Any]) -> list[Any]:
    """The polygons of a feature, each a list of rings."""
    geometry = feature.get("geometry", feature)
    if not isinstance(geometry, dict):
        return []
    coordinates = _list(geometry.get("coordinates"))
    kinds = {"Polygon": [coordinates], "MultiPolygon": coordinates}
    return kinds.get(str(geometry.get("type")), [])


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _ring(ring: Any, file: str) -> str:
    """A ring as text, without its last corner, which is its first; "" for fewer than three."""
    corners: list[str] = []
    for point in _list(ring):
        at = _list(point)[:2]
        if len(at) < 2 or not all(
            _is_degrees(x, most) for x, most in zip(at, (180, 90), strict=True)
        ):
            raise CaldpError(
                f"Corners in {excerpt(file)} must be [longitude, latitude] in degrees, got "
                f"{excerpt(point)}; save it as WGS 84 (EPSG:4326)."
            )
        text = f"{_format_degrees(at[1])},{_format_degrees(at[0])}"
        if not corners or corners[-1] != text:
            corners.append(text)
    if len(corners) > 1 and corners[0] == corners[-1]:
        corners.pop()
    return " ".join(corners) if len(corners) > 2 else ""


def _is_degrees(value: Any, most: float) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value) and abs(value) <= most


def _format_degrees(degrees: float) -> str:
    return f"{round(float(degrees), _DECIMALS) + 0.0:.{_DECIMALS}f}".rstrip("0").rstrip(".")


def _name_key(properties: list[dict[str, Any]]) -> str | None:
    """Which property names the areas: by what it is called, of those with the most values."""
    if not properties:
        return None
    different: dict[str, int] = {}
    for key in properties[0]:
        values = {_line(each.get(key, "")) for each in properties}
        if "" not in values:
            different[key] = len(values)
    if not different:
        return None
    most = max(different.values())
    keys = [key for key, number in different.items() if number == most]
    called = [key for word in _NAMES for key in keys if word in key.casefold()]
    texts = [key for key in keys if isinstance(properties[0][key], str)]
    return next(iter([*called, *texts, *keys]))


def _line(value: Any) -> str:
    """A value as a name: one line that can be seen; "" for none."""
    if value is None or isinstance(value, dict | list | bool):
        return ""
    text = "".join(
        sign if sign.isprintable() or sign in _JOINERS else " "
        for sign in str(value)[: 4 * OWN_NAME_MAX]
    )
    return " ".join(text.split())[:OWN_NAME_MAX].strip()
