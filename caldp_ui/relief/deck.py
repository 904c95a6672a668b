"""Columns of several maps beside each other in one space, so that one camera shows them all.

Coordinates are those of a plane: a degree of latitude is 1, heights are in the same unit. No map
tiles are loaded, and nothing is requested from other servers.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import pydeck as pdk

from caldp_core.basics.types import Floats
from caldp_core.domain.grid import GridDomain
from caldp_ui.relief.blocks import Blocks
from caldp_ui.relief.columns import Columns, Tiles
from caldp_ui.relief.layers import blocks_layer, columns_layer
from caldp_ui.relief.panel import GAP, Look, Panel
from caldp_ui.relief.surroundings import ground, labels, scale

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
    maps: Mapping[str, Columns], tiles: Tiles, look: Look, lines: Floats, across: int
) -> CompactDeck:
    """Relief of `maps` by title, `across` of them in a row: all, or one on a phone.

    `lines`: (points, 2) longitude and latitude of borders, NaN between one line and the next.
    """
    panels = [Panel.of(tiles.domain, number, title, across) for number, title in enumerate(maps)]
    columns = {p.number: columns_layer(p, maps[p.title], tiles, look) for p in panels}
    canvas = _CANVAS if across > 1 else _NARROW
    return _scene(panels, columns, look, lines, canvas)


def blocks_deck(
    blocks: Blocks, domain: GridDomain, look: Look, lines: Floats, across: int
) -> CompactDeck:
    """Relief of one map of blocks, each as high as its ε; `lines` and `across` as in `deck`."""
    panel = replace(Panel.of(domain, 0, _TITLE, 1), rise=_FLAT)
    canvas = _NARROW * (_ALONE if across > 1 else 1.0)
    return _scene([panel], {0: blocks_layer(panel, blocks, look)}, look, lines, canvas)


def _scene(
    panels: Sequence["Panel"],
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
