"""GeoJSON: its points and squares, such as a map's cells, and their properties, as a table.

GeoJSON: its polygons and their names, as texts.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from caldp_core.basics.errors import CaldpError, excerpt, require
from caldp_core.basics.files import ReaderFailedError, csv_text, read_aside
from caldp_core.basics.limits import CORNERS_MAX, OWN_NAME_MAX, POLYGON_BYTES_MAX, POLYGONS_MAX
from caldp_core.datasets.files.numbers import looks_like_number
from caldp_core.datasets.files.source import PAGE_BOUNDS, Bounds, FileSource, source_from_bytes

_COLUMNS_MAX: Final = 100
"""Further properties are skipped."""
POINTS_COLUMN: Final = "points_of_feature"
"""The column of how many points a feature has, where one has several."""
AREA_COLUMN: Final = "area_of_feature"
"""The column of the polygons of features, as `PolygonBlocks` writes them."""
SIDE_COLUMN: Final = "cell_side"
"""The column of the side of squares, in degrees."""
_SQUARE: Final = 1e-6
"""Part of its side by which a square may be wider than high: decimals are cut off."""
_CHILD: Final = Path(__file__).with_name("geojson_child.py")
HERE_BYTES: Final = 2**19
"""Files up to this size are read in this process: a new one takes longer than they do."""
_BASE_MB: Final = 256
_TIMES: Final = 10
"""Megabytes of a reader's own process: with nothing read, and for each of the file's."""
_PART: Final = 4
"""Of the bytes that may be built up whole, as JSON takes more memory than a table does."""


_SPACE: Final = re.compile(r"[ \t\n\r]*")
Row: TypeAlias = tuple[Any, Any, dict[str, Any]]
"""Latitude, longitude and properties of a place."""


def is_geojson(head: bytes) -> bool:
    """True of a text that begins as a JSON object does."""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"


def as_csv(source: FileSource, bounds: Bounds) -> FileSource:
    """Latitude, longitude and properties of every point, or middle of a square, as CSV in UTF-8.

    Where all are squares of one size the column `cell_side` holds it, and where a feature has
    several points `points_of_feature` how many. A feature with neither is a row without a place.
    Without any place areas with a property of numbers are rows, and `area_of_feature` has their
    polygons. Raises `CaldpError` if it is not GeoJSON, holds neither, or is not in degrees.
    """
    most = bounds.parsed_bytes // _PART
    data = source.head(most + 1)
    require(
        len(data) <= most,
        f"GeoJSON may have up to {most // 2**20:,} MB, {excerpt(source.name)} has more; save it as "
        "CSV.",
    )
    if len(data) <= HERE_BYTES:
        return source_from_bytes(table_of(data, source.name), source.name)
    table = read_json_aside("points", data, source.name, most, bounds.seconds)
    return source_from_bytes(table, source.name)


def read_json_aside(kind: str, data: bytes, name: str, most: int, seconds: float | None) -> bytes:
    """What `geojson_child.py` makes of JSON; `most`: bytes that this `kind` may have."""
    megabytes = _BASE_MB + most * _TIMES // 2**20
    try:
        return read_aside(_CHILD, (kind, json.dumps(name)), data, megabytes, seconds)
    except ReaderFailedError as error:
        raise CaldpError(f"The file {excerpt(name)} {error}; save it as CSV.") from None


def table_of(data: bytes, name: str) -> bytes:
    """The table of `as_csv`, read in this process. `name`: the file's, for errors."""
    try:
        text = data.decode("utf-8-sig")
        other: dict[str, Any] = {}
        names, sides = _columns(_points(text, other))
    except (ValueError, RecursionError):
        raise _no_json(name) from None
    _check_degrees(other.get("crs"), name)
    if not sides:
        return _table_of_areas(text, name)
    if len(sides) > 1:
        names.remove(SIDE_COLUMN)
    names = names[:_COLUMNS_MAX]
    return _csv(
        ["latitude", "longitude", *names],
        (
            [latitude, longitude, *(properties.get(each) for each in names)]
            for latitude, longitude, properties in _points(text, {})
        ),
    )


def _csv(titles: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    return csv_text(map(_text, row) for row in chain([titles], rows)).encode("utf-8", "replace")


def _table_of_areas(text: str, name: str) -> bytes:
    """The table of areas: what names them, other properties, and polygons as texts."""
    features = list(_features(text, {}))
    _simplify(features)
    drawn = [(_properties(each), parts) for each in features if (parts := _parts(each, name))]
    found = [properties for properties, _ in drawn]
    titles = list(dict.fromkeys(chain(*found)))[:_COLUMNS_MAX]
    titles.sort(key=lambda title: title != name_key(found))
    numbers = [t for t in titles if all(looks_like_number(_text(each.get(t))) for each in found)]
    require(
        bool(numbers),
        f"The file {excerpt(name)} must be GeoJSON with points, or areas and their numbers of "
        "people, and has neither; give a FeatureCollection of them.",
    )
    return _csv(
        [*titles, AREA_COLUMN],
        ([*(each.get(title) for title in titles), " + ".join(parts)] for each, parts in drawn),
    )


def _columns(rows: Iterable[Row]) -> tuple[list[str], set[float | None]]:
    """The first properties, and the sides of all places: those of squares, None for points."""
    names, sides = dict[str, None](), set[float | None]()
    for latitude, _, properties in rows:
        if len(names) <= _COLUMNS_MAX:
            names |= dict.fromkeys(properties)
        if latitude != "":
            sides.add(properties.get(SIDE_COLUMN))
    return list(names), sides


def _members(text: str) -> Iterator[tuple[str, Any]]:
    """Key and value of each member of a JSON object; of a list "features" each item alone.

    So a large collection is never in memory whole. The features may also be a line each. Raises
    `ValueError` and `RecursionError`.
    """
    first, _, rest = text.partition("\n")
    if first.rstrip().endswith("}") and rest.strip():
        yield from (("features", json.loads(line)) for line in text.splitlines() if line.strip())
        return
    read, at = json.JSONDecoder().raw_decode, _after(text, 0, "{")
    while not text.startswith("}", at):
        key, at = read(text, at)
        if not isinstance(key, str):
            raise ValueError("A key must be a text.")
        at = _after(text, at, ":")
        if key == "features" and text.startswith("[", at):
            at = _after(text, at, "[")
            while not text.startswith("]", at):
                value, at = read(text, at)
                yield key, value
                at = _next(text, at, "]")
            at += 1
        else:
            value, at = read(text, at)
            yield key, value
        at = _next(text, at, "}")
    if text[at + 1 :].strip():
        raise ValueError("There is more behind the object.")


def _after(text: str, at: int, sign: str) -> int:
    """Where the next value begins, behind this sign; raises `ValueError` without the sign."""
    at = _SPACE.match(text, at).end()  # type: ignore[union-attr]
    if not text.startswith(sign, at):
        raise ValueError(f"Here should be {sign}.")
    return _SPACE.match(text, at + 1).end()  # type: ignore[union-attr]


def _next(text: str, at: int, end: str) -> int:
    """Where the next value begins behind a comma, or the place of the sign `end`."""
    at = _SPACE.match(text, at).end()  # type: ignore[union-attr]
    if text.startswith(end, at):
        return at
    at = _after(text, at, ",")
    if text.startswith(end, at):
        raise ValueError("A comma must have a value behind it.")
    return at


def _no_json(name: str) -> CaldpError:
    return CaldpError(f"The file {excerpt(name)} is not valid JSON; export it again.")


def _features(text: str, other: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The features of a collection; an object of another type by itself.

    `other`: gets what the object has besides features.
    """
    is_collection = False
    for key, value in _members(text):
        if key != "features":
            other[key] = value
            continue
        is_collection = True
        if isinstance(value, dict):
            yield value
    if not is_collection:
        yield other


def _points(text: str, other: dict[str, Any]) -> Iterator[Row]:
    """Latitude, longitude and properties of each point and square of all features."""
    return chain.from_iterable(map(_rows, _features(text, other)))


def _rows(feature: dict[str, Any]) -> Iterator[Row]:
    properties = _properties(feature)
    geometry = feature.get("geometry", feature)
    geometry = geometry if isinstance(geometry, dict) else {}
    square = _square(geometry)
    places = [each for each in _places(geometry) if isinstance(each, list) and len(each) > 1]
    if square is not None:
        latitude, longitude, side = square
        yield latitude, longitude, {SIDE_COLUMN: side, **properties}
    elif not places:
        yield "", "", properties
    several = {POINTS_COLUMN: len(places)} if len(places) > 1 else {}
    for place in places:
        yield place[1], place[0], properties | several


def _check_degrees(crs: Any, name: str) -> None:
    """Raise `CaldpError` for a file that says that its numbers are not degrees."""
    attributes = _properties(crs) if isinstance(crs, dict) else {}
    system = str(attributes.get("name", ""))
    require(
        not system or re.search(r"(CRS84|EPSG:+(\d*\.?\d*:)?4326|WGS ?84)$", system) is not None,
        f"The file {excerpt(name)} is in {excerpt(system)}, and places must be in degrees; save it "
        "as WGS 84 (EPSG:4326).",
    )


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


_FINEST: Final = 1e-4
"""Degrees by which borders of too many corners are simplified at first: some ten metres."""
_DECIMALS: Final = 5
"""Of degrees: a metre."""
_JOINERS: Final = "\u200c\u200d"
"""Parts of Persian and Indian words."""
_NAMES: Final = ("name", "nom", "nombre", "nome", "naam", "label", "title", "bezeichnung")
"""Properties that are names, the best first; a word of the property may begin or end so."""


@dataclass(frozen=True)
class AreasOfFile:
    """Areas of a file: `polygons` by name, as texts of `PolygonBlocks`.

    `named_by`: the property that names them, None where they are numbered. `united`: by name,
    how many features one area was made of, where more than one; `copies`: by name, the features
    among them that say what one before says. `unused`: features that hold no polygon. `simplified`:
    degrees by which borders were moved at most, as there were too many corners; 0 for none.
    """

    polygons: dict[str, str]
    named_by: str | None
    united: dict[str, int]
    copies: dict[str, int]
    unused: int
    simplified: float = 0.0


def read_polygons(data: bytes, file: str) -> AreasOfFile:
    """The areas of a GeoJSON file: all polygons of one name are united, holes stay holes.

    Corners are rounded to a metre; borders of more than 30,000 corners are simplified. Raises
    `CaldpError` for a file without polygons, or with too many.
    """
    require(
        len(data) <= POLYGON_BYTES_MAX,
        f"A file of areas may have up to {POLYGON_BYTES_MAX // 2**20} MB, {excerpt(file)} has "
        "more; simplify the areas, or leave some out.",
    )
    if len(data) <= HERE_BYTES:
        return areas_of(data, file)
    found = read_json_aside("areas", data, file, POLYGON_BYTES_MAX, PAGE_BOUNDS.seconds)
    return AreasOfFile(**json.loads(found))


def areas_of(data: bytes, file: str) -> AreasOfFile:
    """The areas of `read_polygons`, read in this process."""
    try:
        text = data.decode("utf-8-sig")
        features = list(_features(text, {})) if isinstance(json.loads(text), dict) else []
    except (ValueError, RecursionError):
        raise _no_json(file) from None
    simplified = _simplify(features)
    drawn = [(each, parts) for each in features if (parts := _parts(each, file))]
    key = name_key([_properties(each) for each, _ in drawn])
    areas: dict[str, list[tuple[str, ...]]] = {}
    for number, (feature, parts) in enumerate(drawn, start=1):
        name = _line(_properties(feature).get(key, "")) if key else ""
        areas.setdefault(name or f"area {number}", []).append(parts)
    polygons = {name: " + ".join(dict.fromkeys(chain(*each))) for name, each in areas.items()}
    _check(polygons, file)
    return AreasOfFile(
        polygons,
        key,
        {name: len(each) for name, each in areas.items() if len(each) > 1},
        {name: copies for name, each in areas.items() if (copies := len(each) - len(set(each)))},
        len(features) - len(drawn),
        simplified,
    )


def _simplify(features: list[dict[str, Any]]) -> float:
    """Simplify borders in place where there are too many corners; returns by how many degrees."""
    texts = [json.dumps(each.get("geometry", each)) for each in features]
    if sum(text.count("[") for text in texts) <= CORNERS_MAX:
        return 0.0
    import shapely

    shapes = shapely.from_geojson(texts, on_invalid="ignore")
    degrees, fewer = 0.0, shapes
    while shapely.get_num_coordinates(fewer).sum() > CORNERS_MAX and degrees < 1.0:
        degrees = 4.0 * degrees or _FINEST
        fewer = shapely.simplify(shapes, degrees)
    for feature, shape, was in zip(features, fewer, shapes, strict=True):
        if shape is not was:
            feature["geometry"] = json.loads(shapely.to_geojson(shape))
    return degrees


def _check(polygons: Mapping[str, str], file: str) -> None:
    require(
        bool(polygons),
        f"The file {excerpt(file)} must be GeoJSON with polygons, and has none; give a "
        "FeatureCollection of them, in degrees (WGS 84).",
    )
    corners = sum(text.count(",") for text in polygons.values())
    require(
        len(polygons) <= POLYGONS_MAX and corners <= CORNERS_MAX,
        f"Areas may be up to {POLYGONS_MAX} with {CORNERS_MAX:,} corners in all, {excerpt(file)} "
        f"has {len(polygons):,} with {corners:,}; simplify them, or leave some out.",
    )


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


def _parts(feature: Mapping[str, Any], file: str) -> tuple[str, ...]:
    """The parts of a feature as texts, each with its holes, without those that have no inside."""
    drawn = [[_ring(ring, file) for ring in _list(each)] for each in _polygons(feature)]
    return tuple(
        " - ".join([rings[0], *filter(None, rings[1:])]) for rings in drawn if rings and rings[0]
    )


def polygon_of_wkt(file: str, text: str | None) -> str:
    """An area in WKT as `PolygonBlocks` writes it; raises `CaldpError` where it is not valid."""
    import shapely

    shape = shapely.from_wkt((text or "").rpartition(";")[2], on_invalid="ignore")
    require(shape is not None, f"The area {excerpt(text or '')} in {excerpt(file)} is not WKT.")
    feature = {"geometry": json.loads(shapely.to_geojson(shape))}
    _simplify([feature])
    return " + ".join(_parts(feature, file))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _ring(ring: Any, file: str) -> str:
    """A ring as text, without its last corner, which is its first; "" for fewer than three."""
    try:
        corners = np.array([point[:2] for point in _list(ring)], np.float64).reshape(-1, 2)
    except (TypeError, ValueError):
        corners = np.full((1, 2), np.nan)
    bad = np.flatnonzero(~(np.abs(corners) <= (180.0, 90.0)).all(axis=1))
    require(
        not bad.size,
        f"Corners in {excerpt(file)} must be [longitude, latitude] in degrees, got "
        f"{excerpt(_list(ring)[bad[0]] if bad.size else '')}; save it as WGS 84 (EPSG:4326).",
    )
    rounded = np.round(corners, _DECIMALS) + 0.0
    rounded = rounded[(rounded != np.roll(rounded, -1, axis=0)).any(axis=1)]
    texts = [[np.format_float_positional(part, trim="-") for part in each] for each in rounded]
    return " ".join(f"{y},{x}" for x, y in texts) if len(texts) > 2 else ""


def name_key(properties: Sequence[Mapping[str, Any]]) -> str | None:
    """Which property names the areas; None where no property has a value in each.

    One that is called a name, if it has texts, and different ones: several areas of one name are
    one. Else the one with the most values, so that numbers of areas keep them apart.
    """
    first = properties[0] if properties else {}
    values = {key: [_line(each.get(key, "")) for each in properties] for key in first}
    full = {key: set(texts) for key, texts in values.items() if "" not in texts}

    def rank(key: str) -> tuple[int, int, bool]:
        is_text = not all(map(looks_like_number, full[key]))
        varies = len(full[key]) > 1 or len(properties) == 1
        return _called_a_name(key) if is_text and varies else 0, len(full[key]), is_text

    return max(full, key=rank, default=None)


def _called_a_name(key: str) -> int:
    """How surely a property is called a name: 0 for others, 1 if a word of it begins or ends so.

    More for exactly one of `_NAMES`, the most for the first of them.
    """
    exact = {name: 1 + len(_NAMES) - at for at, name in enumerate(_NAMES)}
    words = re.findall(r"[^\W\d_]+", key.casefold())
    like = any(word.startswith(_NAMES) or word.endswith(_NAMES) for word in words)
    return exact.get(key.casefold(), int(like))


def _line(value: Any) -> str:
    """A value as a name: one line that can be seen; "" for none."""
    if value is None or isinstance(value, dict | list | bool):
        return ""
    text = "".join(
        sign if sign.isprintable() or sign in _JOINERS else " "
        for sign in str(value)[: 4 * OWN_NAME_MAX]
    )
    return " ".join(text.split())[:OWN_NAME_MAX].strip()
