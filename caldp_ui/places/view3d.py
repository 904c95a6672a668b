"""The blocks as columns in 3-D, without a base map from anywhere.

Room: charts. deck.gl comes with Streamlit; `map_provider=None` keeps every tile server away.
"""

from typing import Final

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pydeck as pdk

from caldp_core.basics.types import Floats
from caldp_core.datasets import state_outline
from caldp_core.domain.grid import US_GRID, GridDomain
from caldp_core.domain.partitions import Partition, grid_blocks
from caldp_ui.app.theme import LEVELS, NIGHT_LAND, WRONG, Palette
from caldp_ui.compute.runs import Comparison

_FEWEST, _MOST = 20, 1000
_TILES: Final = (25, 35)
_TALLEST: Final = 700_000.0
_THIN: Final = 3
_SHORT: Final = 6
"""Points of a border that all count: straight borders have few."""
_LIGHT: Final = {"ambient": 0.75, "diffuse": 0.3, "shininess": 8, "specularColor": [0, 0, 0]}
"""Little shade, so that sides have nearly the legend's colours."""
_FLAT: Final = {"depthWriteEnabled": False}
"""The ground must not hide pieces of the borders that lie on it."""
_NAMED_ALOUD: Final = 3
_BORDER: Final = [128, 138, 152, 170]


def columns_deck(comparison: Comparison, domain: GridDomain) -> pdk.Deck:
    """A deck of at most 1,000 columns and the state borders."""
    borders = [_outline()] if domain == US_GRID else []
    layers = [_ground(domain), *borders, _columns(comparison, domain)]
    area = domain.area
    view = pdk.ViewState(
        latitude=(area.south + area.north) / 2 - 3,
        longitude=(area.west + area.east) / 2,
        zoom=3.1,
        pitch=48,
        bearing=0,
    )
    return pdk.Deck(
        layers=layers,
        initial_view_state=view,
        map_provider=None,
        tooltip={"text": "{text}"},
    )


def in_words(comparison: Comparison, domain: GridDomain) -> str:
    """What the columns show, for those who do not see them: how many, and the tallest."""
    table = column_table(comparison, domain)
    tallest = table.nlargest(_NAMED_ALOUD, "height")["text"]
    return (
        f"{len(table):,} columns on a map; height is the estimated number of people, colour how "
        f"many of them are in the wrong cell. The tallest: {'; '.join(tallest)}."
    )


def legend(colours: Palette) -> go.Figure:
    """The colours of the columns, as a strip."""
    width = 100 / (LEVELS - 1)
    strip = go.Image(z=WRONG[None, :, :], x0=0, dx=width, dy=1, hoverinfo="skip")
    axis = {
        "title": {"text": "people in the wrong cell", "font": {"color": colours.text}},
        "tickvals": [0, 25, 50, 75, 100],
        "ticktext": ["none", "25 of 100", "50", "75", "all"],
        "tickfont": {"color": colours.text},
        "range": [0, 100],
        "showgrid": False,
        "ticks": "outside",
    }
    layout = {
        "xaxis": axis,
        "yaxis": {"visible": False, "scaleanchor": False, "autorange": True, "fixedrange": True},
        "height": 76,
        "margin": {"l": 44, "r": 44, "t": 2, "b": 52},
    }
    return go.Figure(strip, layout)


def tiles(partition: Partition, domain: GridDomain) -> Partition:
    """The blocks themselves, or a grid of tiles where they are too few or too many to look at."""
    if _FEWEST <= partition.m <= _MOST:
        return partition
    return grid_blocks(domain, min(_TILES[0], domain.rows), min(_TILES[1], domain.columns))


def column_table(comparison: Comparison, domain: GridDomain) -> pd.DataFrame:
    """One row per column: place, height in metres, colour and hover text."""
    truth, estimate = comparison.setup.dataset.distribution, comparison.outcome.estimate
    parts = tiles(comparison.setup.partition, domain)
    held, shown = parts.sums(truth), parts.sums(np.maximum(estimate, 0.0))
    off = 0.5 * parts.sums(np.abs(estimate - truth))
    wrong = np.clip(off / np.maximum(np.maximum(held, shown), 1e-12), 0.0, 1.0)
    x, y = _middles(parts, domain)
    seen = np.flatnonzero(shown > shown.max() * 1e-5)
    n = comparison.setup.n
    colour = WRONG[np.rint((LEVELS - 1) * wrong[seen]).astype(int)]
    return pd.DataFrame(
        {
            "x": x[seen].round(2),
            "y": y[seen].round(2),
            "height": (_TALLEST * np.sqrt(shown[seen] / shown.max())).round(),
            "r": colour[:, 0],
            "g": colour[:, 1],
            "b": colour[:, 2],
            "text": [
                f"{parts.names[j]}: {n * shown[j]:,.0f} people estimated, {100 * wrong[j]:.0f} of "
                "100 in the wrong cell"
                for j in seen
            ],
        }
    )


def _columns(comparison: Comparison, domain: GridDomain) -> pdk.Layer:
    return pdk.Layer(
        "ColumnLayer",
        column_table(comparison, domain),
        id="columns",
        get_position="[x, y]",
        get_elevation="height",
        get_fill_color="[r, g, b]",
        material=_LIGHT,
        radius=28_000,
        disk_resolution=4,
        angle=45,
        pickable=True,
        auto_highlight=True,
    )


def _ground(domain: GridDomain) -> pdk.Layer:
    area = domain.area
    corners = [
        [area.west, area.south],
        [area.east, area.south],
        [area.east, area.north],
        [area.west, area.north],
    ]
    return pdk.Layer(
        "PolygonLayer",
        [{"polygon": corners}],
        id="ground",
        get_polygon="polygon",
        get_fill_color=list(NIGHT_LAND),
        stroked=False,
        parameters=_FLAT,
    )


def _outline() -> pdk.Layer:
    x, y = state_outline()
    gaps = np.flatnonzero(np.isnan(x))
    paths = [
        np.stack([part_x, part_y], axis=1)
        for part_x, part_y in zip(np.split(x, gaps), np.split(y, gaps), strict=True)
    ]
    paths = [path[~np.isnan(path[:, 0])] for path in paths]
    rows = [{"path": _thinned(path)} for path in paths if len(path) > 1]
    return pdk.Layer(
        "PathLayer",
        rows,
        id="outline",
        get_path="path",
        get_color=_BORDER,
        width_min_pixels=1,
    )


def _thinned(path: Floats) -> list[list[float]]:
    step = _THIN if len(path) > _SHORT else 1
    kept = np.unique(np.append(np.arange(0, len(path), step), len(path) - 1))
    return [[round(float(a), 2), round(float(b), 2)] for a, b in path[kept]]


def _middles(parts: Partition, domain: GridDomain) -> tuple[Floats, Floats]:
    row, column = np.divmod(np.arange(domain.k), domain.columns)
    size = parts.sizes()
    x = parts.sums(domain.longitudes()[column]) / size
    return x, parts.sums(domain.latitudes()[row]) / size
