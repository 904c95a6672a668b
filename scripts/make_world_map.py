"""Make data/world_lines.npz, coasts and borders of the world, from npm's world-atlas.

`npm pack world-atlas@2.0.2`, unpack it, then `python scripts/make_world_map.py package`. Needs
shapely. The package has the ISC licence; its geometry is Natural Earth's 1:10m, public domain.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import shapely

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

from caldp_core.basics.types import Floats  # noqa: E402
from caldp_core.datasets.world_lines import WORLD_LINES, packed  # noqa: E402

THINNED: Final = 0.005
"""Degrees, half a kilometre: finer than the geometry is true."""
LONGEST: Final = 50.0
"""Degrees between two points, so that the way from one to the next fits in two bytes."""


def main() -> None:
    """Write the file."""
    folder = Path(sys.argv[1])
    land, countries = (
        json.loads((folder / f"{name}-10m.json").read_text("utf-8"))
        for name in ("land", "countries")
    )
    rings = list(_rings(land))
    borders = [shapely.LineString(line) for line in _shared(countries)]
    lines = {"coasts": _thinned(rings), "borders": _thinned(borders)}
    np.savez_compressed(ROOT / "data" / WORLD_LINES, **packed(lines))
    for name, each in lines.items():
        print(f"{name}: {len(each):,} lines, {sum(map(len, each)):,} points")


def _thinned(lines: Sequence[shapely.LineString]) -> list[Floats]:
    """Each (points, 2); what is too small to be seen goes."""
    thin = [line.simplify(THINNED).segmentize(LONGEST) for line in lines]
    return [np.asarray(line.coords) for line in thin if line.length > 4 * THINNED]


def _rings(land: dict[str, Any]) -> Iterator[shapely.LineString]:
    """All rings of the land, islands and lakes alike."""
    arcs = _arcs(land)
    for geometry in land["objects"]["land"]["geometries"]:
        for polygon in geometry["arcs"]:
            for ring in polygon:
                parts = [arcs[i] if i >= 0 else arcs[~i][::-1] for i in ring]
                whole = np.concatenate([parts[0], *(part[1:] for part in parts[1:])])
                if len(whole) >= 4:
                    yield shapely.LineString(whole)


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
