"""The map pictures: shares of people per cell as a small image, with outlines and a selection.

Room: charts. A picture is a palette PNG stretched over the axes: 20–60 kB for 43,750 cells and
nothing to draw for the browser. Invisible markers, one a block, carry the hover texts and make
box selection work. Nothing is fetched: no tiles, no fonts.
"""

import base64
import io
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from PIL import Image

from caldp_core.basics.types import Bools, Floats
from caldp_core.datasets import state_outline
from caldp_core.domain.grid import US_GRID, Area, GridDomain
from caldp_core.domain.partitions import Partition
from caldp_ui.app.theme import CIVIDIS, LEVELS, NIGHT, NIGHT_LAND, SENSITIVE_TINT, Palette
from caldp_ui.places.outlines import Lines, block_lines, mask_lines

SHARE_LOW: Final = 1e-6
SHARE_HIGH: Final = 1e-2
"""The one colour scale: shares of all people per cell, logarithmic; less than low is drawn low."""
HEIGHT: Final = 232
_MARKERS_MAX: Final = 1200
_NAMES_MAX: Final = 100
_BORDER_MAX: Final = 1500
"""Points of a border that still reads as one."""


def nobody_below(people: int) -> float:
    """Share that is less than half a person, and so little that the scale does not tell it."""
    return min(0.5 / people, SHARE_LOW)


def levels(shares: Floats, nobody: float = 0.0) -> NDArray[np.uint8]:
    """Colour numbers 1 … 255 on the log scale; 0 for nobody, or shares below `nobody`."""
    top = LEVELS - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        place = np.log(shares / SHARE_LOW) / np.log(SHARE_HIGH / SHARE_LOW)
    colour = 1 + np.clip(np.nan_to_num(place, nan=0.0, neginf=0.0), 0, 1) * (top - 1)
    seen = (shares > 0) & (shares >= nobody)
    return np.where(seen, np.rint(colour), 0).astype(np.uint8)


def picture(shares: Floats, domain: GridDomain, nobody: float = 0.0) -> str:
    """(k,) shares as a PNG data URI, southernmost row first; empty cells are transparent."""
    return _png(levels(shares, nobody), CIVIDIS, domain)


def _png(indices: NDArray[np.uint8], colours: NDArray[np.uint8], domain: GridDomain) -> str:
    image = Image.fromarray(indices.reshape(domain.rows, domain.columns))
    image.putpalette(colours.tobytes())
    buffer = io.BytesIO()
    image.save(buffer, format="PNG", transparency=0, optimize=False)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()


def map_figure(
    shares: Floats,
    domain: GridDomain,
    layers: Sequence[go.Scatter | go.Image],
    nobody: float = 0.0,
) -> go.Figure:
    """One map of (k,) shares with further layers on top; shares below `nobody` stay dark."""
    image = _stretched(picture(shares, domain, nobody), domain)
    return go.Figure([image, *layers], _layout(domain))


def _stretched(source: str, domain: GridDomain, opacity: float = 1.0) -> go.Image:
    return go.Image(
        source=source,
        x0=domain.west + domain.cell / 2,
        dx=domain.cell,
        y0=domain.south + domain.cell / 2,
        dy=domain.cell,
        hoverinfo="skip",
        opacity=opacity,
    )


def _layout(domain: GridDomain) -> dict[str, Any]:
    area = domain.area
    plain = {"showgrid": False, "zeroline": False, "visible": False, "constrain": "domain"}
    return {
        "xaxis": {"range": [area.west, area.east], **plain},
        "yaxis": {
            "range": [area.south, area.north],
            "autorange": False,
            "scaleanchor": "x",
            "scaleratio": float(1 / np.cos(np.radians((area.south + area.north) / 2))),
            **plain,
        },
        "margin": {"l": 0, "r": 0, "t": 0, "b": 0},
        "height": HEIGHT,
        "dragmode": "select",
        "showlegend": False,
        "hoverlabel": {"align": "left"},
        "newselection": {"line": {"width": 1.5, "color": NIGHT.region}},
        "plot_bgcolor": NIGHT.land,
    }


def outline_layer(domain: GridDomain) -> list[go.Scatter]:
    """State borders, where the map is the one they are known for."""
    if domain != US_GRID:
        return []
    longitude, latitude = state_outline()
    return [_line((longitude, latitude), NIGHT.faint, 0.8)]


def block_layer(partition: Partition, domain: GridDomain) -> list[go.Scatter]:
    """Borders between blocks; finer the more there are."""
    if partition.m == 1:
        return []
    width = 1.4 if partition.m <= 150 else 0.6
    return [_line(block_lines(partition.labels, domain), NIGHT.ink, width)]


def sensitive_layer(sensitive: Bools, domain: GridDomain) -> list[go.Scatter]:
    """Border of the sensitive set, where it is not the whole map nor scattered all over it."""
    if sensitive.all() or not sensitive.any():
        return []
    lines = mask_lines(sensitive, domain)
    return [_line(lines, NIGHT.sensitive, 2.0)] if lines[0].size <= _BORDER_MAX else []


def veil_layer(sensitive: Bools, domain: GridDomain) -> list[go.Image]:
    """The sensitive cells tinted, where a border around each scattered one would hide the map."""
    if sensitive.all() or mask_lines(sensitive, domain)[0].size <= _BORDER_MAX:
        return []
    colours = np.array([NIGHT_LAND, SENSITIVE_TINT], dtype=np.uint8)
    return [_stretched(_png(sensitive.astype(np.uint8), colours, domain), domain, opacity=0.5)]


def region_layer(region: Area | None) -> list[go.Scatter]:
    """The box whose numbers are shown."""
    if region is None:
        return []
    x = np.array([region.west, region.east, region.east, region.west, region.west])
    y = np.array([region.south, region.south, region.north, region.north, region.south])
    return [_line((x, y), NIGHT.region, 2.0, dash="dot")]


def _line(lines: Lines, colour: str, width: float, dash: str = "solid") -> go.Scatter:
    x, y = (part.astype(np.float32) for part in lines)
    style = {"color": colour, "width": width, "dash": dash}
    return go.Scatter(x=x, y=y, mode="lines", line=style, hoverinfo="skip")


def marker_layer(
    partition: Partition, domain: GridDomain, truth: Floats, estimate: Floats
) -> go.Scatter:
    """Invisible markers in the blocks' middles: hover texts, and something to select."""
    blocks = np.unique(np.linspace(0, partition.m - 1, min(partition.m, _MARKERS_MAX)).astype(int))
    row, column = np.divmod(np.arange(domain.k), domain.columns)
    size = partition.sizes()
    x = partition.sums(domain.longitudes()[column]) / size
    y = partition.sums(domain.latitudes()[row]) / size
    percent = 100 * np.stack([partition.sums(truth), partition.sums(estimate)], axis=1)
    named = partition.m <= _NAMES_MAX
    return go.Scatter(
        x=x[blocks].astype(np.float32),
        y=y[blocks].astype(np.float32),
        mode="markers",
        marker={"opacity": 0, "size": 14},
        selected={"marker": {"opacity": 0}},
        unselected={"marker": {"opacity": 0}},
        customdata=percent[blocks].astype(np.float32),
        text=[partition.names[j] for j in blocks] if named else None,
        hovertemplate=("<b>%{text}</b><br>" if named else "")
        + "this block holds %{customdata[0]:.3f} % of the people<br>"
        + "the map's estimate says %{customdata[1]:.3f} %<extra></extra>",
    )


def legend(colours: Palette) -> go.Figure:
    """The one colour scale of all maps, as a strip."""
    steps = LEVELS - 1
    strip = CIVIDIS[1:][None, :, :]
    width = np.log10(SHARE_HIGH / SHARE_LOW) / steps
    figure = go.Figure(go.Image(z=strip, x0=np.log10(SHARE_LOW) + width / 2, dx=width, dy=1))
    powers = np.arange(round(np.log10(SHARE_LOW)), round(np.log10(SHARE_HIGH)) + 1)
    texts = ["1 in a million<br>or fewer", "1 in 100,000", "1 in 10,000", "1 in 1,000"]
    figure.update_xaxes(
        tickvals=powers,
        ticktext=[*texts, "1 in 100<br>or more"],
        range=[np.log10(SHARE_LOW), np.log10(SHARE_HIGH)],
        showgrid=False,
        ticks="outside",
        tickfont={"color": colours.text},
    )
    figure.update_yaxes(visible=False, scaleanchor=False, autorange=True, fixedrange=True)
    figure.update_traces(hoverinfo="skip")
    figure.update_layout(height=66, margin={"l": 44, "r": 44, "t": 2, "b": 44})
    return figure
