"""Columns of several maps beside each other in one space, so that one camera shows them all.

Coordinates are those of a table: a degree of latitude is 1, heights are in the same unit. There are
no tiles and nothing is asked of the outside.
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
"""The same of a map of blocks, which stand side by side."""
_ALONE: Final = 1.5
"""How much wider one map alone may be than one of a column."""
_TITLE: Final = "Blocks, as high as their ε"
_ROW_HIGH: Final = 285.0
_ROWS_HIGH: Final = 235.0
"""Pixels that a map may be high at first: alone in a row, and one of a column."""
_CANVAS: Final = 1_150.0
"""Pixels across which all maps in a row are seen at first."""
_NARROW: Final = 330.0
"""The same on a phone, where they stand in a column."""
_CONTROLS: Final = {"scrollZoom": False, "doubleClickZoom": True, "keyboard": True}


class CompactDeck(pdk.Deck):  # type: ignore[misc]  # pydeck has no types
    """A deck whose JSON has no spaces: pydeck's own is indented, which makes six times of it."""

    def to_json(self) -> str:
        """The deck as the browser reads it."""
        return json.dumps(json.loads(super().to_json()), separators=(",", ":"), ensure_ascii=False)


def deck(
    maps: Mapping[str, Columns], tiles: Tiles, look: Look, lines: Floats, across: int
) -> CompactDeck:
    """The relief of maps by title, `across` of them in a row: all of them, or one on a phone.

    `lines`: (points, 2) longitude and latitude, NaN between one line and the next.
    """
    panels = [Panel.of(tiles.domain, number, title, across) for number, title in enumerate(maps)]
    columns = {p.number: columns_layer(p, maps[p.title], tiles, look) for p in panels}
    canvas = _CANVAS if across > 1 else _NARROW
    return _scene(panels, columns, look, lines, canvas)


def blocks_deck(
    blocks: Blocks, domain: GridDomain, look: Look, lines: Floats, across: int
) -> CompactDeck:
    """One map of blocks, each as high as its ε; `lines` and `across` as in `deck`."""
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
    """Maps with what stands on each, by its number, under one camera; `canvas`: pixels across."""
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
    room = _ROW_HIGH if rows == 1 else _ROWS_HIGH * rows
    zoom = math.log2(min(canvas / (last.right + GAP * first.wide), room / high))
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
