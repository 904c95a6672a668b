"""Surroundings of a map's columns: the ground with its borders, the scale and its labels."""

from typing import Any, Final

import numpy as np
import pydeck as pdk

from caldp_core.basics.types import Floats
from caldp_ui.app.theme import NIGHT_LAND
from caldp_ui.relief.panel import Look, Panel

_BORDERS: Final = (190, 205, 222, 110)


def ground(panel: Panel, lines: Floats) -> list[pdk.Layer]:
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


def scale(panel: Panel, look: Look) -> pdk.Layer:
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


def labels(panel: Panel, look: Look) -> pdk.Layer:
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
