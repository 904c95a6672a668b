"""Coasts and borders of the world, cut to an area and thinned for its size.

Made by `scripts/make_world_map.py` from Natural Earth's 1:10m lines (public domain).
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.extras import explain_missing
from caldp_core.basics.types import Floats
from caldp_core.datasets.shipped import DATA_FOLDER, explain_file_errors
from caldp_core.domain.grid import Area

WORLD_LINES: Final = "world_lines.npz"
STEP: Final = 0.002
"""Degrees: the file holds whole multiples."""
_AROUND: Final = 1.0
"""Of an area's longer side, what is drawn beyond its edges: frames have other shapes than maps."""
_BETWEEN: Final = 0.37 * STEP
"""Edges lie between the points of lines: GEOS can't cut a ring that touches one at a point."""
_INVISIBLE: Final = 1 / 1200
"""Share of an area's longer side below which nothing is visible on a screen."""

Lines = tuple[Floats, Floats]
"""(longitudes, latitudes), each (points,) degrees, NaN between one line and the next."""


def coasts(area: Area) -> Lines:
    """Closed rings of the land in and around an area, to be filled by the even-odd rule.

    Lakes are rings as well. Within half a kilometre of Natural Earth's lines, and thinned to what
    a screen shows of the area. Raises `CaldpError` if the file is gone or shapely is missing.
    """
    with explain_missing("A map of the world"):
        import shapely

    rings = [shapely.Polygon(ring) for ring in _visible_lines("coasts", area)]
    cut = shapely.clip_by_rect(rings, *_edges(area))
    return _join_lines(
        [
            np.asarray(part.exterior.coords)
            for part in shapely.get_parts(shapely.simplify(cut, _tolerance(area)))
            if isinstance(part, shapely.Polygon) and not part.is_empty
        ]
    )


def borders(area: Area) -> Lines:
    """Lines of coasts and of borders between countries in and around an area, to be drawn.

    As exact as `coasts`; raises `CaldpError` as it does.
    """
    with explain_missing("A map of the world"):
        import shapely

    lines = [*_visible_lines("coasts", area), *_visible_lines("borders", area)]
    if area.crosses_antimeridian:
        lines = [part for line in lines for part in _without_seam(line)]
    cut = shapely.clip_by_rect([shapely.LineString(line) for line in lines], *_edges(area))
    return _join_lines(
        [
            np.asarray(part.coords)
            for part in shapely.get_parts(shapely.simplify(cut, _tolerance(area)))
            if part.length > _tolerance(area)
        ]
    )


def pack_lines(lines: Mapping[str, Sequence[Floats]]) -> dict[str, NDArray[np.integer]]:
    """The arrays of the file: starts, steps and lengths of lines, each (points, 2) degrees."""
    arrays: dict[str, NDArray[np.integer]] = {}
    for name, each in lines.items():
        whole = [np.rint(line / STEP).astype(np.int64) for line in each]
        arrays[f"{name}_starts"] = np.array([line[0] for line in whole], np.int32)
        arrays[f"{name}_lengths"] = np.array([len(line) for line in whole], np.int32)
        steps = np.concatenate([np.diff(line, axis=0) for line in whole])
        if np.abs(steps).max() > np.iinfo(np.int16).max:
            raise ValueError("Two points of a line are too far apart.")
        arrays[f"{name}_steps"] = np.ascontiguousarray(steps.T.astype(np.int16))
    return arrays


def unpack_lines(file: Mapping[str, NDArray[np.integer]], name: str) -> tuple[Floats, ...]:
    """The lines of one kind, each (points, 2) degrees, from the arrays of `pack_lines`."""
    starts, lengths, steps = (file[f"{name}_{part}"] for part in ("starts", "lengths", "steps"))
    ends = np.cumsum(lengths - 1)
    return tuple(
        STEP * np.concatenate([[start], start + np.cumsum(part, axis=0, dtype=np.int64)])
        for start, part in zip(starts, np.split(steps.T, ends[:-1]), strict=True)
    )


@cache
def _load_lines(name: str) -> tuple[tuple[Floats, ...], Floats]:
    """The lines of that kind, each (points, 2), and (lines, 4) their west, south, east, north."""
    with (
        explain_file_errors(WORLD_LINES),
        np.load(DATA_FOLDER / WORLD_LINES, allow_pickle=False) as file,
    ):
        lines = unpack_lines(file, name)
    boxes = np.array([[*line.min(axis=0), *line.max(axis=0)] for line in lines])
    return lines, boxes


def _visible_lines(name: str, area: Area) -> list[Floats]:
    """Lines of a kind in and around an area, those large enough to be visible."""
    turns = (0.0, 360.0) if area.crosses_antimeridian else (0.0,)
    return [
        line + np.array([turn, 0.0]) for turn in turns for line in _lines_in_box(name, area, turn)
    ]


def _lines_in_box(name: str, area: Area, turn: float) -> list[Floats]:
    """Visible lines of a kind in and around an area, before they are shifted east by `turn`."""
    lines, boxes = _load_lines(name)
    west, south, east, north = np.subtract(_edges(area), (turn, 0.0, turn, 0.0))
    visible = (boxes[:, 0] <= east) & (boxes[:, 2] >= west)
    visible &= (boxes[:, 1] <= north) & (boxes[:, 3] >= south)
    visible &= np.ptp(boxes.reshape(-1, 2, 2), axis=1).max(axis=1) > 2 * _tolerance(area)
    return [lines[i] for i in np.flatnonzero(visible)]


def _edges(area: Area) -> tuple[float, float, float, float]:
    """West, south, east and north of what is drawn."""
    beyond = _AROUND * _longer(area)
    middle = 0.5 * (area.west + area.east) if area.crosses_antimeridian else 0.0
    return (
        max(area.west - beyond, middle - 180.0) - _BETWEEN,
        max(area.south - beyond, -90.0) - _BETWEEN,
        min(area.east + beyond, middle + 180.0) + _BETWEEN,
        min(area.north + beyond, 90.0) + _BETWEEN,
    )


def _without_seam(line: Floats) -> list[Floats]:
    """A line without its sides along the 180th meridian, where countries are cut in two."""
    at = np.abs(np.abs(line[:, 0] - 180.0) % 360.0) < STEP
    seams = np.flatnonzero(at[:-1] & at[1:])
    return [part for part in np.split(line, seams + 1) if len(part) > 1]


def _longer(area: Area) -> float:
    return max(area.east - area.west, area.north - area.south)


def _tolerance(area: Area) -> float:
    return _INVISIBLE * _longer(area)


def _join_lines(lines: Sequence[Floats]) -> Lines:
    """Lines as one, NaN between them."""
    gap = np.full((1, 2), np.nan)
    points = np.concatenate([part for line in lines for part in (line, gap)] or [gap])[:-1]
    return points[:, 0], points[:, 1]
