"""Make cells, borders and land (three tables in data/) from data/us_states.geojson.

Run it as `python -m scripts.make_state_cells`; it needs shapely.
"""

import json
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Final

import numpy as np
import shapely

from caldp_core.basics.types import Bools, Floats
from caldp_core.datasets import ELSEWHERE
from caldp_core.domain.domains import US_GRID
from scripts import DATA, write_table

TOLERANCE: Final = 0.05
"""Degrees by which the drawn outline may be off; a quarter of a cell."""
_BESIDE: Final = 1e-9


def state_shapes() -> dict[str, shapely.Geometry]:
    """The polygons of each state, longitude and latitude, holes included."""
    text = (DATA / "us_states.geojson").read_text(encoding="utf-8")
    return {
        feature["properties"]["name"]: shapely.from_geojson(json.dumps(feature["geometry"]))
        for feature in json.loads(text)["features"]
    }


def inside(shape: shapely.Geometry, longitude: Floats, latitude: Floats) -> Bools:
    """(n,) whether points are inside of a shape and of none of its holes.

    `longitude`, `latitude`: (n,) degrees; a point on a border belongs to its north-east.
    """
    return np.asarray(shapely.contains_xy(shape, longitude + _BESIDE, latitude + _BESIDE))


def coast_rings(shapes: Iterable[shapely.Geometry]) -> list[Floats]:
    """Closed rings (points, 2) around all states together: what two states share is left out."""
    land: shapely.Geometry = shapely.Polygon()
    for ring in shapely.get_rings(shapely.get_parts([*shapes])):
        land = shapely.symmetric_difference(land, shapely.Polygon(ring))
    return _lines(shapely.boundary(land))


def border_lines(shapes: Iterable[shapely.Geometry]) -> list[Floats]:
    """The rings cut where three borders meet, each line once though two states share it.

    Returns lines (points, 2); those of a border without such a point are closed.
    """
    borders = shapely.union_all([shapely.boundary(shape) for shape in shapes])
    return _lines(shapely.line_merge(borders))


def _lines(shape: shapely.Geometry) -> list[Floats]:
    return [shapely.get_coordinates(line) for line in shapely.get_parts(shape)]


def thinned(line: Floats, tolerance: float) -> Floats:
    """The points of `line` that keep it within `tolerance` degrees (Douglas and Peucker, 1973)."""
    simple = shapely.simplify(shapely.LineString(line), tolerance, preserve_topology=False)
    return shapely.get_coordinates(simple)


def cell_names(shapes: dict[str, shapely.Geometry]) -> list[str]:
    """(43750,) the state of each cell's centre; raises `ValueError` if two states claim one."""
    latitude = np.repeat(US_GRID.latitudes(), US_GRID.columns)
    longitude = np.tile(US_GRID.longitudes(), US_GRID.rows)
    names = [ELSEWHERE] * US_GRID.k
    for state, shape in shapes.items():
        for cell in np.flatnonzero(inside(shape, longitude, latitude)):
            if names[cell] != ELSEWHERE:
                raise ValueError(f"cell {cell} is in {names[cell]} and in {state}")
            names[cell] = state
    return names


def runs(names: list[str]) -> list[tuple[str, int]]:
    """(name, length) of each run of equal neighbours."""
    return [(name, len(list(run))) for name, run in groupby(names)]


def outline(shapes: Iterable[shapely.Geometry]) -> list[tuple[int, float, float]]:
    """(line, longitude, latitude) of the thinned borders, without islands within the tolerance."""
    thin = [_once(thinned(line, TOLERANCE)) for line in border_lines(shapes)]
    # The two shores of a narrow strait may become one and the same stroke.
    kept = {frozenset(map(tuple, line)): line for line in thin if len(line) > 1}.values()
    return [(i, float(x), float(y)) for i, line in enumerate(kept) for x, y in line]


def land(shapes: Iterable[shapely.Geometry]) -> list[tuple[int, float, float]]:
    """(ring, longitude, latitude) of the thinned coast, without what is then no area."""
    thin = [thinned(ring, TOLERANCE) for ring in coast_rings(shapes)]
    kept = [ring for ring in thin if len(ring) > 3]
    return [(i, float(x), float(y)) for i, ring in enumerate(kept) for x, y in ring]


def _once(line: Floats) -> Floats:
    """A narrow island is a line there and back: draw it once. A tiny one is a dot: one point."""
    closed = bool((line[0] == line[-1]).all())
    return line[:-1] if closed and len(line) < 4 else line


def main(data: Path = DATA) -> None:
    """Write the three files to a folder."""
    shapes = state_shapes()
    names, ends = cell_names(shapes), ("longitude", "latitude")
    write_table(data / "us_states_cells.csv.gz", ("state", "cells"), runs(names))
    write_table(data / "us_states_outline.csv.gz", ("line", *ends), outline(shapes.values()))
    write_table(data / "us_land.csv.gz", ("ring", *ends), land(shapes.values()))
    print("no cell's centre is in:", ", ".join(sorted(set(shapes) - set(names))) or "none")


if __name__ == "__main__":
    main()
