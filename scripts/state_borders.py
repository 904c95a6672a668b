"""Geometry of data/us_states.geojson: rings, the inside test, border lines."""

import json
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import shapely

from caldp_core.basics.types import Bools, Floats

ROOT: Final = Path(__file__).resolve().parents[1]
_BESIDE: Final = 1e-9
Point: TypeAlias = tuple[float, float]
"""(longitude, latitude) in degrees."""


def state_rings() -> dict[str, list[Floats]]:
    """Closed rings per state, outer ones and holes, each (points, 2) of (longitude, latitude)."""
    text = (ROOT / "data" / "us_states.geojson").read_text(encoding="utf-8")
    rings = {}
    for feature in json.loads(text)["features"]:
        geometry = feature["geometry"]
        one = geometry["type"] == "Polygon"
        polygons = [geometry["coordinates"]] if one else geometry["coordinates"]
        rings[feature["properties"]["name"]] = [
            np.array(ring) for polygon in polygons for ring in polygon
        ]
    return rings


def inside(rings: list[Floats], longitude: Floats, latitude: Floats) -> Bools:
    """(n,) whether points are inside by the even-odd rule, so that holes need no special care.

    `longitude`, `latitude`: (n,) degrees; a point on a border belongs to its north-east.
    """
    x, y = longitude + _BESIDE, latitude + _BESIDE
    found = [shapely.contains_xy(shapely.Polygon(ring), x, y) for ring in rings]
    return np.asarray(np.logical_xor.reduce(found))


def coast_rings(rings: list[Floats]) -> list[Floats]:
    """Closed rings (points, 2) around all states together: what two states share is left out."""
    neighbours: dict[Point, set[Point]] = defaultdict(set)
    for ring in rings:
        points = [(float(x), float(y)) for x, y in ring]
        for a, b in pairwise(points):
            if a != b:
                # In place: an edge that a second state has, too, goes.
                neighbours[a].symmetric_difference_update({b})
                neighbours[b].symmetric_difference_update({a})
    coasts = []
    for start, near in neighbours.items():
        while near:
            coasts.append(_walk(start, neighbours, frozenset({start})))
    return coasts


def border_lines(rings: list[Floats]) -> list[Floats]:
    """The rings cut where three borders meet, each line once though two states share it.

    Returns lines (points, 2); those of a border without such a point are closed.
    """
    neighbours: dict[Point, set[Point]] = defaultdict(set)
    for ring in rings:
        points = [(float(x), float(y)) for x, y in ring]
        for a, b in pairwise(points):
            if a != b:
                neighbours[a].add(b)
                neighbours[b].add(a)
    junctions = [point for point, near in neighbours.items() if len(near) != 2]
    lines = []
    for start in (*junctions, *neighbours):
        while neighbours[start]:
            lines.append(_walk(start, neighbours, frozenset(junctions)))
    return lines


def _walk(start: Point, neighbours: dict[Point, set[Point]], junctions: frozenset[Point]) -> Floats:
    """Follow unused edges from `start` to a junction or back, and use them up."""
    line = [start]
    while neighbours[line[-1]] and (len(line) == 1 or line[-1] not in junctions):
        here = line[-1]
        there = min(neighbours[here])
        neighbours[here].remove(there)
        neighbours[there].remove(here)
        line.append(there)
    return np.array(line)


def thinned(line: Floats, tolerance: float) -> Floats:
    """The points of `line` that keep it within `tolerance` degrees (Douglas and Peucker, 1973)."""
    simple = shapely.simplify(shapely.LineString(line), tolerance, preserve_topology=False)
    return shapely.get_coordinates(simple)
