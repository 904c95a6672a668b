"""Layers on a map of a relief: columns of its tiles, or blocks as high as their ε."""

import math
from typing import Any, Final

import numpy as np
import pydeck as pdk

from caldp_ui.app.theme import LEVELS, WRONG
from caldp_ui.relief.blocks import Blocks
from caldp_ui.relief.columns import Columns, Tiles
from caldp_ui.relief.panel import Look, Panel
from caldp_ui.relief.words import percent, points
from caldp_ui.words import formats

_SHADES: Final = 0.3
"""Range of brightness by which blocks differ from their neighbours."""
_GOLDEN: Final = (math.sqrt(5) - 1) / 2
_LOW: Final = 1 / 300
"""Lower columns, as a part of the scale, are less than a pixel high and left out."""


def columns_layer(panel: Panel, columns: Columns, tiles: Tiles, look: Look) -> pdk.Layer:
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


def blocks_layer(panel: Panel, blocks: Blocks, look: Look) -> pdk.Layer:
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


def describe_column(title: str, columns: Columns, tiles: Tiles, i: int) -> str:
    """Text of column `i`: title, place, share and spread."""
    middle = float(tiles.latitudes[i]), float(tiles.longitudes[i])
    place = formats.degrees(*middle, tiles.degrees)
    spread = float(columns.spread[i])
    spread_text = f", ± {points(spread)} at most" if spread > 0 else ""
    return f"{title}, {place}\n{percent(float(columns.shares[i]))} of all people{spread_text}"
