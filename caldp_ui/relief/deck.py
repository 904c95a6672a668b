"""Columns of several maps beside each other in one space, so that one camera shows them all.

Coordinates are those of a plane: a degree of latitude is 1, heights are in the same unit. No map
tiles are loaded, and nothing is requested from other servers.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pydeck as pdk

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.domain.domains import GridDomain
from caldp_core.experiments.run import Result
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_ui.app.theme import LEVELS, NIGHT_LAND, WRONG
from caldp_ui.relief.columns import (
    Blocks,
    ReliefColumns,
    Tiles,
    borders,
    estimated,
    narrowing,
    percent,
    points,
    squares_of,
    truth,
)
from caldp_ui.words import formats

GAP: Final = 0.16
"""Between two maps, as a part of their width."""
_HEIGHT: Final = 0.6
"""The top of the scale, as a part of a map's width."""


@dataclass(frozen=True)
class Look:
    """Scale and colours that all maps of a relief share.

    `top`: value at the top of the scale; `step`: between two of its ticks. `widest`: spread of the
    strongest colour. `text`: colour of words on the page, (red, green, blue) in [0, 255].
    `describe`: a height in words.
    """

    top: float
    step: float
    widest: float
    text: tuple[int, int, int]
    describe: Callable[[float], str] = percent


def shared_look(maps: Mapping[str, ReliefColumns], text: tuple[int, int, int]) -> Look:
    """One scale for all `maps`: its top is a round number not below the highest column."""
    highest = max(float(each.shares.max()) for each in maps.values())
    step = _round_step(max(highest, 1e-9) / 6)
    widest = max(float(each.spread.max()) for each in maps.values())
    return Look(step * math.ceil(highest / step), step, widest, text)


def _round_step(least: float) -> float:
    """Smallest of 1, 2 and 5 times a power of ten that is not below `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(times * power for times in (1, 2, 5, 10) if times * power >= least)


@dataclass(frozen=True)
class MapPosition:
    """Position of a map in space, in degrees of latitude.

    `column`, `row`: its place among the maps, the first row farthest back. `west`, `south`: of its
    area, in degrees. `narrow`: width of a degree of longitude; `wide`, `high`: sides of the map.
    `rise`: the top of the scale, as a part of `wide`.
    """

    title: str
    number: int
    column: int
    row: int
    west: float
    south: float
    narrow: float
    wide: float
    high: float
    rise: float = _HEIGHT

    @classmethod
    def of(cls, domain: GridDomain, number: int, title: str, across: int) -> "MapPosition":
        """Panel of map `number`, among maps of which `across` stand in a row."""
        area, narrow = domain.area, narrowing(domain)
        wide = narrow * (area.east - area.west)
        high, (row, column) = area.north - area.south, divmod(number, across)
        return cls(title, number, column, row, area.west, area.south, narrow, wide, high)

    @property
    def left(self) -> float:
        """The left edge."""
        return self.column * self.wide * (1 + GAP)

    @property
    def low(self) -> float:
        """The southern edge: seen at 45°, a map's scale hides as much behind it as it is high."""
        return -self.row * (self.high + self.top) * (1 + GAP)

    @property
    def right(self) -> float:
        """The right edge."""
        return self.left + self.wide

    @property
    def ruler(self) -> float:
        """x of the scale."""
        return self.left - self.wide / 100

    @property
    def top(self) -> float:
        """Height of the scale."""
        return self.rise * self.wide

    def x(self, longitudes: Floats) -> Floats:
        """Longitudes in degrees → x, from left to right; same shape."""
        return (longitudes - self.west) * self.narrow + self.left

    def y(self, latitudes: Floats) -> Floats:
        """Latitudes in degrees → y, away from the reader; same shape."""
        return latitudes - self.south + self.low


_SHADES: Final = 0.3
"""Range of brightness by which blocks differ from their neighbours."""
_GOLDEN: Final = (math.sqrt(5) - 1) / 2
_LOW: Final = 1 / 300
"""Lower columns, as a part of the scale, are less than a pixel high and left out."""


def columns_layer(
    panel: MapPosition, columns: ReliefColumns, tiles: Tiles, look: Look
) -> pdk.Layer:
    """One column per tile, as high as its share; the stronger its colour, the larger its spread."""
    visible = np.flatnonzero(columns.shares > look.top * _LOW)
    x, y = panel.x(tiles.longitudes), panel.y(tiles.latitudes)
    height = columns.shares / look.top * panel.top
    strength = columns.spread / look.widest if look.widest > 0 else columns.spread
    colours = WRONG[np.rint(strength * (LEVELS - 1)).astype(np.int64)]
    rows = [
        {
            "p": [round(float(x[i]), 3), round(float(y[i]), 3)],
            "h": round(float(height[i]), 4),
            "c": colours[i].tolist(),
            "t": describe_column(panel.title, columns, tiles, int(i)),
        }
        for i in visible
    ]
    return pdk.Layer(
        "ColumnLayer",
        rows,
        id=f"columns-{panel.number}",
        get_position="p",
        get_elevation="h",
        get_fill_color="c",
        **_disk(tiles, panel.narrow),
        extruded=True,
        pickable=True,
        auto_highlight=True,
    )


def blocks_layer(panel: MapPosition, blocks: Blocks, look: Look) -> pdk.Layer:
    """Boxes over each block's cells, as high as its ε; more orange, the fewer are protected."""
    colours = WRONG[np.rint((1.0 - blocks.protected) * (LEVELS - 1)).astype(np.int64)]
    shades = 1.0 - _SHADES * (np.arange(len(colours)) * _GOLDEN % 1.0)
    colours = np.rint(colours * shades[:, None]).astype(np.int64)
    rows = []
    for box, block in zip(blocks.boxes, blocks.of_box, strict=True):
        south, north, west, east = box
        x, y = panel.x(np.array([west, east])), panel.y(np.array([south, north]))
        corners = [[x[0], y[0]], [x[1], y[0]], [x[1], y[1]], [x[0], y[1]]]
        rows.append(
            {
                "p": np.round(corners, 3).tolist(),
                "h": round(float(blocks.heights[block]) / look.top * panel.top, 4),
                "c": colours[block].tolist(),
                "t": blocks.descriptions[block],
            }
        )
    return pdk.Layer(
        "PolygonLayer",
        rows,
        id="blocks",
        get_polygon="p",
        get_elevation="h",
        get_fill_color="c",
        extruded=True,
        pickable=True,
        auto_highlight=True,
    )


def _disk(tiles: Tiles, narrow: float) -> dict[str, Any]:
    """pydeck arguments of a tile's shape, a little smaller than the tile; `narrow`: `narrowing`."""
    if tiles.kind == "hexagon":
        radius = tiles.degrees * 0.92 / math.sqrt(3)
        return {"disk_resolution": 6, "angle": 90, "radius": round(radius, 4)}
    radius = tiles.degrees * narrow * 0.88 / math.sqrt(2)
    return {"disk_resolution": 4, "angle": 45, "radius": round(radius, 4)}


def describe_column(title: str, columns: ReliefColumns, tiles: Tiles, i: int) -> str:
    """Text of column `i`: title, place, share and spread."""
    middle = float(tiles.latitudes[i]), float(tiles.longitudes[i])
    place = formats.degrees(*middle, tiles.degrees)
    spread = float(columns.spread[i])
    spread_text = f", ± {points(spread)} at most (95 %)" if spread > 0 else ""
    return f"{title}, {place}\n{percent(float(columns.shares[i]))} of all people{spread_text}"


_BORDERS: Final = (190, 205, 222, 110)


def ground(panel: MapPosition, lines: Floats) -> list[pdk.Layer]:
    """Layers of the map's floor and its borders; `lines`: (points, 2), see `lines.borders`."""
    left, right, low, far = panel.left, panel.right, panel.low, panel.low + panel.high
    corners = [[left, low], [right, low], [right, far], [left, far]]
    sea = pdk.Layer(
        "SolidPolygonLayer",
        [{"p": corners}],
        id=f"sea-{panel.number}",
        get_polygon="p",
        get_fill_color=[*NIGHT_LAND, 255],
    )
    paths = []
    for line in np.split(lines, np.flatnonzero(np.isnan(lines[:, 0]))):
        points = line[~np.isnan(line[:, 0])]
        if len(points) > 1:
            x, y = panel.x(points[:, 0]), panel.y(points[:, 1])
            paths.append({"p": np.stack([x, y, np.full(x.shape, 0.02)], 1).round(2).tolist()})
    borders = pdk.Layer(
        "PathLayer",
        paths,
        id=f"borders-{panel.number}",
        get_path="p",
        get_color=list(_BORDERS),
        get_width=1,
        width_units="'pixels'",
    )
    return [sea, borders]


def _ticks(look: Look) -> list[float]:
    return [look.step * tick for tick in range(round(look.top / look.step) + 1)]


def scale(panel: MapPosition, look: Look) -> pdk.Layer:
    """A ruler at the left of a map, as tall as a column of the share `look.top`."""
    x, y, short = panel.ruler, panel.low + panel.high / 2, panel.wide / 60
    rows = [{"a": [x, y, 0], "b": [x, y, panel.top]}]
    for tick in _ticks(look):
        up = round(tick / look.top * panel.top, 3)
        rows.append({"a": [x, y, up], "b": [x - short, y, up]})
    return pdk.Layer(
        "LineLayer",
        rows,
        id=f"scale-{panel.number}",
        get_source_position="a",
        get_target_position="b",
        get_color=[*look.text, 255],
        get_width=2,
    )


def labels(panel: MapPosition, look: Look) -> pdk.Layer:
    """Numbers of the ticks, and the map's title in front of it."""
    x, y = panel.ruler - panel.wide / 45, panel.low + panel.high / 2
    rows: list[dict[str, Any]] = [
        {"p": [x, y, tick / look.top * panel.top], "t": look.describe(tick), "s": 13, "a": "end"}
        for tick in _ticks(look)
    ]
    front = [(panel.left + panel.right) / 2, panel.low - 0.09 * panel.high, 0]
    rows.append({"p": front, "t": panel.title, "s": 17, "a": "middle"})
    return pdk.Layer(
        "TextLayer",
        rows,
        id=f"labels-{panel.number}",
        get_position="p",
        get_text="t",
        get_size="s",
        get_text_anchor="a",
        get_color=[*look.text, 255],
        get_alignment_baseline="'center'",
        character_set="'auto'",
        font_family="'Source Sans, sans-serif'",
    )


_FLAT: Final = 0.12
"""Top of the scale of a map of blocks, as a part of its width: blocks stand side by side."""
_ALONE: Final = 1.5
"""How much wider one map alone may be than one of a column."""
_TITLE: Final = "Blocks, as high as their ε"
_ROW_HIGH: Final = 285.0
_ROWS_HIGH: Final = 235.0
"""Initial height of a map in pixels: maps in one row, and each of several rows."""
_CANVAS: Final = 1_150.0
"""Initial width of all maps in a row, in pixels."""
_NARROW: Final = 330.0
"""Initial width of a map on a phone, in pixels."""
_CONTROLS: Final = {"scrollZoom": False, "doubleClickZoom": True, "keyboard": True}


class CompactDeck(pdk.Deck):  # type: ignore[misc]  # pydeck has no types
    """A deck whose JSON has no spaces: pydeck's own is indented and six times as long."""

    def to_json(self) -> str:
        """The deck as the browser reads it."""
        return json.dumps(json.loads(super().to_json()), separators=(",", ":"), ensure_ascii=False)


def deck(
    maps: Mapping[str, ReliefColumns], tiles: Tiles, look: Look, lines: Floats, across: int
) -> CompactDeck:
    """Relief of `maps` by title, `across` of them in a row: all, or one on a phone.

    `lines`: (points, 2) longitude and latitude of borders, NaN between one line and the next.
    """
    panels = [
        MapPosition.of(tiles.domain, number, title, across) for number, title in enumerate(maps)
    ]
    columns = {p.number: columns_layer(p, maps[p.title], tiles, look) for p in panels}
    canvas = _CANVAS if across > 1 else _NARROW
    return _scene(panels, columns, look, lines, canvas)


def blocks_deck(
    blocks: Blocks, domain: GridDomain, look: Look, lines: Floats, across: int
) -> CompactDeck:
    """Relief of one map of blocks, each as high as its ε; `lines` and `across` as in `deck`."""
    panel = replace(MapPosition.of(domain, 0, _TITLE, 1), rise=_FLAT)
    canvas = _NARROW * (_ALONE if across > 1 else 1.0)
    return _scene([panel], {0: blocks_layer(panel, blocks, look)}, look, lines, canvas)


def _scene(
    panels: Sequence["MapPosition"],
    standing: Mapping[int, pdk.Layer],
    look: Look,
    lines: Floats,
    canvas: float,
) -> CompactDeck:
    """Panels under one camera; `standing`: layer of each by its number; `canvas`: pixels across."""
    layers: list[pdk.Layer] = []
    for panel in panels:
        layers += [
            *ground(panel, lines),
            scale(panel, look),
            labels(panel, look),
            standing[panel.number],
        ]
    first, last = panels[0], panels[-1]
    middle = [
        last.right / 2 - GAP * first.wide / 3,
        (first.low + last.low + first.high) / 2,
        first.top / 2.7,
    ]
    rows = last.row + 1
    high = (first.high - last.low + first.top) * math.sqrt(0.5)  # seen at 45°
    height = _ROW_HIGH if rows == 1 else _ROWS_HIGH * rows
    zoom = math.log2(min(canvas / (last.right + GAP * first.wide), height / high))
    view = {
        "target": middle,
        "rotationX": 45,
        "rotationOrbit": 0,
        "zoom": zoom,
        "minZoom": zoom - 2,
        "maxZoom": zoom + 5,
    }
    return CompactDeck(
        layers=layers,
        # Orthographic: equal heights look equal everywhere. The wheel scrolls the page.
        views=[pdk.View(type="OrbitView", controller=_CONTROLS, orbitAxis="Z", orthographic=True)],
        initial_view_state=view,
        map_provider=None,
        map_style=None,
        tooltip={"text": "{t}"},
    )


_TEXT: Final = (27, 39, 51)
_NEEDS: Final = "A relief needs a map whose shares' variance is known; "


def deck_of(result: Result) -> CompactDeck:
    """Truth and estimate as columns on squares, in one scale; colour shows their uncertainty.

    Raises `CaldpError` for values without a map, and where no variance is known.
    """
    domain = result.setup.dataset.domain
    if not isinstance(domain, GridDomain):
        raise CaldpError(f"{_NEEDS}these values are on no map: show the result itself.")
    tiles = squares_of(domain)
    estimate = estimated(tiles, result)
    if estimate is None:
        raise CaldpError(f"{_NEEDS}that of this method is not, on a map of this size.")
    title = MECHANISMS[result.setup.mechanism_name].title
    maps = {"Truth": truth(tiles, result.setup.dataset.distribution), title: estimate}
    return deck(maps, tiles, shared_look(maps, _TEXT), borders(domain), len(maps))
