"""Make data/world_lines.npz and world_countries.npz, from npm's world-atlas.

`npm pack world-atlas@2.0.2`, unpack it, then `python scripts/make_world_map.py package`. Needs
shapely. The package has the ISC licence; its geometry is Natural Earth's, public domain: 1:10m for
lines to be drawn, 1:50m for the countries that cells are in.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import shapely
import shapely.affinity

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

from caldp_core.basics.types import Floats  # noqa: E402
from caldp_core.datasets.base_map import WORLD_COUNTRIES  # noqa: E402
from caldp_core.datasets.world_lines import STEP, WORLD_LINES, pack_lines  # noqa: E402

THINNED: Final = 0.005
"""Degrees, half a kilometre: finer than the geometry is true."""
LONGEST: Final = 50.0
"""Degrees between two points, so that the way from one to the next fits in two bytes."""


def main() -> None:
    """Write the files."""
    folder = Path(sys.argv[1])
    land, lines, countries = (
        json.loads((folder / name).read_text("utf-8"))
        for name in ("land-10m.json", "countries-10m.json", "countries-50m.json")
    )
    borders = [shapely.LineString(line) for line in _shared(lines)]
    drawn = {
        "coasts": list(_closed(_rings(land, land["objects"]["land"]["geometries"]))),
        "borders": [_points(line) for line in _thinned(borders)],
    }
    _write(WORLD_LINES, drawn, [])
    rings, names = _countries(countries)
    _write(WORLD_COUNTRIES, {name: rings[name] for name in names}, names)


def _write(name: str, lines: dict[str, list[Floats]], names: list[str]) -> None:
    numbered = {str(i): lines[each] for i, each in enumerate(names)}
    arrays: dict[str, Any] = dict(pack_lines(numbered or lines))
    if names:
        arrays["names"] = np.array(names)
    path = ROOT / "data" / name
    np.savez_compressed(path, allow_pickle=False, **arrays)
    print(f"{name}: {sum(map(len, lines.values())):,} lines, {path.stat().st_size:,} bytes")


def _countries(topology: dict[str, Any]) -> tuple[dict[str, list[Floats]], list[str]]:
    """The rings of each country, and their names in the order of the alphabet."""
    rings: dict[str, list[Floats]] = {}
    for geometry in topology["objects"]["countries"]["geometries"]:
        outlines = list(_closed(_rings(topology, [geometry])))
        rings.setdefault(geometry["properties"]["name"], []).extend(outlines)
    return rings, sorted(name for name, outlines in rings.items() if outlines)


def _closed(rings: Iterable[Floats]) -> Iterator[Floats]:
    """Closed lines (points, 2) that still cross nowhere once they are thinned and rounded."""
    whole = [part for ring in rings for part in _on_one_sheet(ring)]
    for shape in shapely.set_precision(shapely.make_valid(_thinned(whole)), STEP):
        for part in _polygons(shape):
            yield from (_points(line) for line in (part.exterior, *part.interiors))


def _polygons(shape: shapely.Geometry) -> list[shapely.Polygon]:
    """The polygons of a shape that may be a collection of collections."""
    parts = shapely.get_parts(shapely.get_parts(shape))
    return [part for part in parts if isinstance(part, shapely.Polygon) and not part.is_empty]


def _on_one_sheet(ring: Floats) -> Iterator[shapely.Geometry]:
    """What a ring encloses, cut where it crosses 180° of longitude; around a pole it has that."""
    longitudes = np.unwrap(ring[:, 0], period=360.0)
    ring = np.stack([longitudes, ring[:, 1]], axis=1)
    if abs(longitudes[-1] - longitudes[0]) > 180.0:
        pole = 90.0 * np.sign(ring[0, 1])
        ring = np.vstack([ring, [longitudes[-1], pole], [longitudes[0], pole], ring[:1]])
    whole = shapely.make_valid(shapely.Polygon(ring))
    for turn in (-360.0, 0.0, 360.0):
        moved = shapely.affinity.translate(whole, turn)
        part = shapely.make_valid(shapely.intersection(moved, shapely.box(-180, -90, 180, 90)))
        if not part.is_empty:
            yield part


def _thinned(shapes: Sequence[shapely.Geometry]) -> list[shapely.Geometry]:
    """The shapes simplified, without those that are too small to be seen."""
    visible = [each for each in shapes if shapely.length(each) > 4 * THINNED]
    return list(shapely.simplify(visible, THINNED))


def _points(line: shapely.Geometry) -> Floats:
    return np.asarray(shapely.get_coordinates(shapely.segmentize(line, LONGEST)))


def _rings(topology: dict[str, Any], geometries: Sequence[dict[str, Any]]) -> Iterator[Floats]:
    """All rings (points, 2) of some polygons, holes alike."""
    arcs = _arcs(topology)
    for geometry in geometries:
        one = geometry["type"] == "Polygon"
        for polygon in [geometry["arcs"]] if one else geometry.get("arcs", []):
            for ring in polygon:
                parts = [arcs[i] if i >= 0 else arcs[~i][::-1] for i in ring]
                whole = np.concatenate([parts[0], *(part[1:] for part in parts[1:])])
                if len(whole) >= 4:
                    yield whole


def _shared(countries: dict[str, Any]) -> Iterator[Floats]:
    """The arcs that two countries share."""
    arcs, used = _arcs(countries), Counter[int]()
    for geometry in countries["objects"]["countries"]["geometries"]:
        used.update(i if i >= 0 else ~i for i in _flat(geometry.get("arcs", [])))
    yield from (arcs[i] for i, times in used.items() if times > 1)


def _flat(nested: list[Any]) -> Iterator[int]:
    for each in nested:
        if isinstance(each, int):
            yield each
        else:
            yield from _flat(each)


def _arcs(topology: dict[str, Any]) -> list[Floats]:
    """Each (points, 2) longitude and latitude: TopoJSON has whole numbers and their differences."""
    scale, translate = (np.array(topology["transform"][name]) for name in ("scale", "translate"))
    return [np.cumsum(arc, axis=0) * scale + translate for arc in topology["arcs"]]


if __name__ == "__main__":
    main()
