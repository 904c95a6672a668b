"""Columns of several maps beside each other in one space, so that one camera shows them all.

Coordinates are those of a table: a degree of latitude is 1, heights are in the same unit. There are
no tiles and nothing is asked of the outside.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pydeck as pdk

from caldp_core.basics.types import Floats
from caldp_core.domain.grid import GridDomain
from caldp_ui.app.theme import LEVELS, NIGHT_LAND, WRONG
from caldp_ui.relief.blocks import Blocks
from caldp_ui.relief.columns import Columns, Tiles, narrowing
from caldp_ui.relief.words import percent, points
from caldp_ui.words import formats

_GAP: Final = 0.16
"""Between two maps, as a part of their width."""
_HEIGHT: Final = 0.6
"""The top of the scale, as a part of a map's width."""
_FLAT: Final = 0.12
"""The same of a map of blocks, which stand side by side."""
_ALONE: Final = 1.5
"""How much wider one map alone may be than one of a column."""
_TITLE: Final = "Blocks, as high as their ε"
_ROW_HIGH: Final = 285.0
_ROWS_HIGH: Final = 235.0
"""Pixels that a map may be high at first: alone in a row, and one of a column."""
_SHADES: Final = 0.3
"""By how much blocks differ in brightness, to be told from their neighbours."""
_GOLDEN: Final = (math.sqrt(5) - 1) / 2
_LOW: Final = 1 / 300
"""Columns that are lower, as a part of the scale, are less than a pixel and left out."""
_CANVAS: Final = 1_150.0
"""Pixels across which all maps in a row are seen at first."""
_NARROW: Final = 330.0
"""The same on a phone, where they stand in a column."""
_CONTROLS: Final = {"scrollZoom": False, "doubleClickZoom": True, "keyboard": True}
_BORDERS: Final = (190, 205, 222, 110)


class CompactDeck(pdk.Deck):  # type: ignore[misc]  # pydeck has no types
    """A deck whose JSON has no spaces: pydeck's own is indented, which makes six times of it."""

    def to_json(self) -> str:
        """The deck as the browser reads it."""
        return json.dumps(json.loads(super().to_json()), separators=(",", ":"), ensure_ascii=False)


@dataclass(frozen=True)
class Look:
    """What all maps of a relief share.

    `top`: the share at the top of the scale, `step`: between two of its ticks. `widest`: the spread
    of the strongest colour. `text`: colour of words on the page, as (red, green, blue). `told`: a
    height in words.
    """

    top: float
    step: float
    widest: float
    text: tuple[int, int, int]
    told: Callable[[float], str] = percent


def look_of(maps: Mapping[str, Columns], text: tuple[int, int, int]) -> Look:
    """One scale for all: its top is a round number above the highest column."""
    highest = max(float(each.shares.max()) for each in maps.values())
    step = _round_step(max(highest, 1e-9) / 6)
    widest = max(float(each.spread.max()) for each in maps.values())
    return Look(step * math.ceil(highest / step), step, widest, text)


def _round_step(least: float) -> float:
    """The next of 1, 2 and 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(times * power for times in (1, 2, 5, 10) if times * power >= least)


def deck(
    maps: Mapping[str, Columns], tiles: Tiles, look: Look, lines: Floats, across: int
) -> CompactDeck:
    """The relief of maps by title, `across` of them in a row: all of them, or one on a phone.

    `lines`: (points, 2) longitude and latitude, NaN between one line and the next.
    """
    panels = [_Panel.of(tiles.domain, number, title, across) for number, title in enumerate(maps)]
    columns = {p.number: _columns(p, maps[p.title], tiles, look) for p in panels}
    canvas = _CANVAS if across > 1 else _NARROW
    return _scene(panels, columns, look, lines, canvas)


def blocks_deck(
    blocks: Blocks, domain: GridDomain, look: Look, lines: Floats, across: int
) -> CompactDeck:
    """One map of blocks, each as high as its ε; `lines` and `across` as in `deck`."""
    panel = replace(_Panel.of(domain, 0, _TITLE, 1), rise=_FLAT)
    canvas = _NARROW * (_ALONE if across > 1 else 1.0)
    return _scene([panel], {0: _blocks(panel, blocks, look)}, look, lines, canvas)


def _scene(
    panels: Sequence["_Panel"],
    standing: Mapping[int, pdk.Layer],
    look: Look,
    lines: Floats,
    canvas: float,
) -> CompactDeck:
    """Maps with what stands on each, by its number, under one camera; `canvas`: pixels across."""
    layers: list[pdk.Layer] = []
    for panel in panels:
        layers += [
            *_ground(panel, lines),
            _scale(panel, look),
            _labels(panel, look),
            standing[panel.number],
        ]
    first, last = panels[0], panels[-1]
    middle = [
        last.right / 2 - _GAP * first.wide / 3,
        (first.low + last.low + first.high) / 2,
        first.top / 2.7,
    ]
    rows = last.row + 1
    high = (first.high - last.low + first.top) * math.sqrt(0.5)  # seen at 45°
    room = _ROW_HIGH if rows == 1 else _ROWS_HIGH * rows
    zoom = math.log2(min(canvas / (last.right + _GAP * first.wide), room / high))
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
        # Parallel rays: as high is as high wherever it stands. The wheel scrolls the page.
        views=[pdk.View(type="OrbitView", controller=_CONTROLS, orbitAxis="Z", orthographic=True)],
        initial_view_state=view,
        map_provider=None,
        map_style=None,
        tooltip={"text": "{t}"},
    )


@dataclass(frozen=True)
class _Panel:
    """Where a map stands. `narrow`: a degree of longitude; `left`, `wide`, `high`: its edges.

    `rise`: the top of the scale, as a part of `wide`. `column` and `row`: its place among the
    maps, the first row farthest back.
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
    def of(cls, domain: GridDomain, number: int, title: str, across: int) -> "_Panel":
        area, narrow = domain.area, narrowing(domain)
        wide = narrow * (area.east - area.west)
        high, (row, column) = area.north - area.south, divmod(number, across)
        return cls(title, number, column, row, area.west, area.south, narrow, wide, high)

    @property
    def left(self) -> float:
        """The left edge."""
        return self.column * self.wide * (1 + _GAP)

    @property
    def low(self) -> float:
        """The southern edge: seen at 45°, a map's scale hides as much behind it as it is high."""
        return -self.row * (self.high + self.top) * (1 + _GAP)

    @property
    def right(self) -> float:
        """The right edge."""
        return self.left + self.wide

    @property
    def ruler(self) -> float:
        """Where the scale stands."""
        return self.left - self.wide / 100

    @property
    def top(self) -> float:
        """How high the scale is."""
        return self.rise * self.wide

    def x(self, longitudes: Floats) -> Floats:
        """Across."""
        return (longitudes - self.west) * self.narrow + self.left

    def y(self, latitudes: Floats) -> Floats:
        """Away from the reader."""
        return latitudes - self.south + self.low


def _columns(panel: _Panel, columns: Columns, tiles: Tiles, look: Look) -> pdk.Layer:
    seen = np.flatnonzero(columns.shares > look.top * _LOW)
    x, y = panel.x(tiles.longitudes), panel.y(tiles.latitudes)
    height = columns.shares / look.top * panel.top
    strength = columns.spread / look.widest if look.widest > 0 else columns.spread
    colours = WRONG[np.rint(strength * (LEVELS - 1)).astype(np.int64)]
    rows = [
        {
            "p": [round(float(x[i]), 3), round(float(y[i]), 3)],
            "h": round(float(height[i]), 4),
            "c": colours[i].tolist(),
            "t": told(panel.title, columns, tiles, int(i)),
        }
        for i in seen
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


def _blocks(panel: _Panel, blocks: Blocks, look: Look) -> pdk.Layer:
    """Each block as boxes over its cells: as high as its ε, orange as far as it can be read."""
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
                "t": blocks.told[block],
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
    """A tile's shape, with a little room around it; squares are as wide as their longitudes."""
    if tiles.kind == "hexagon":
        radius = tiles.degrees * 0.92 / math.sqrt(3)
        return {"disk_resolution": 6, "angle": 90, "radius": round(radius, 4)}
    radius = tiles.degrees * narrow * 0.88 / math.sqrt(2)
    return {"disk_resolution": 4, "angle": 45, "radius": round(radius, 4)}


def told(title: str, columns: Columns, tiles: Tiles, i: int) -> str:
    """A column's numbers in words."""
    middle = float(tiles.latitudes[i]), float(tiles.longitudes[i])
    where = formats.degrees(*middle, tiles.degrees)
    spread = float(columns.spread[i])
    sure = f", ± {points(spread)} at most" if spread > 0 else ""
    return f"{title}, {where}\n{percent(float(columns.shares[i]))} of all people{sure}"


def _ground(panel: _Panel, lines: Floats) -> list[pdk.Layer]:
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


def _scale(panel: _Panel, look: Look) -> pdk.Layer:
    """A ruler at the left of each map, as tall as a column of that share is long."""
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


def _labels(panel: _Panel, look: Look) -> pdk.Layer:
    """Numbers of the ticks, and the map's title before its front."""
    x, y = panel.ruler - panel.wide / 45, panel.low + panel.high / 2
    rows: list[dict[str, Any]] = [
        {"p": [x, y, tick / look.top * panel.top], "t": look.told(tick), "s": 13, "a": "end"}
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
