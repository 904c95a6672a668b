"""Colours for light and dark: Cividis for amounts, Okabe–Ito for things to tell apart.

Both palettes hold up for colour-blind readers; charts add dashes to colours.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import plotly.colors
import streamlit as st
from numpy.typing import NDArray

LEVELS: Final = 256


@dataclass(frozen=True)
class Palette:
    """Colours of one theme, as CSS texts; `text`: of axes, 4.5 or more against the page (WCAG)."""

    ours: str
    plain: str
    faint: str
    edge: str
    text: str
    pinned: str


@dataclass(frozen=True)
class MapStyle:
    """Colours under and over the cells of a map, as CSS texts; the reader chooses the style.

    `faint`: coasts and borders of states; `ink`: borders of blocks; `open`: who can be read;
    `hand`, `shade`: what is drawn by hand and its edge; `name`: of cities, around which is the sea.
    """

    sea: str
    land: str
    faint: str
    ink: str
    sensitive: str
    region: str
    open: str
    hand: str
    shade: str
    name: str


NIGHT: Final = MapStyle(
    sea="rgb(10,18,29)",
    land="rgb(16,27,42)",
    faint="rgba(190,205,222,0.42)",
    ink="rgba(232,237,242,0.38)",
    sensitive="#FFFFFF",
    region="#FFFFFF",
    open="#F0A040",
    hand="#FFFFFF",
    shade="rgba(0,0,0,0.7)",
    name="rgba(238,242,247,0.92)",
)
DAY: Final = MapStyle(
    sea="rgb(227,234,241)",
    land="rgb(250,251,252)",
    faint="rgba(70,90,110,0.55)",
    ink="rgba(70,90,110,0.5)",
    sensitive="#1B2733",
    region="#1B2733",
    open="#A84A00",
    hand="#1B2733",
    shade="rgba(255,255,255,0.85)",
    name="#1B2733",
)
NIGHT_LAND: Final = (16, 27, 42)
"""The land of the dark style as numbers, for small pictures."""
LIGHT: Final = Palette("#0072B2", "#C44E00", "rgba(70,80,95,0.6)", "#FFFFFF", "#4A5663", "#007A5A")
DARK: Final = Palette(
    "#56B4E9", "#E69F00", "rgba(200,208,220,0.6)", "#0B0F14", "#B4BEC9", "#3CC79B"
)


def palette() -> Palette:
    """The palette of the theme that the reader has chosen."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def _ramp(scale: str | list[str]) -> NDArray[np.uint8]:
    texts = plotly.colors.sample_colorscale(scale, list(np.linspace(0.0, 1.0, LEVELS)))
    rows = [[int(float(part)) for part in text[4:-1].split(",")] for text in texts]
    return np.array(rows, dtype=np.uint8)


CIVIDIS: Final = _ramp("Cividis")
"""(256, 3) from small (dark blue) to large (yellow), for dark maps."""
BLUES: Final = _ramp(
    [
        f"rgb({int(code[:2], 16)},{int(code[2:4], 16)},{int(code[4:], 16)})"
        for code in ("BAD4E7", "97C0DC", "6BA6CD", "3C82B8", "1F5F9E", "12407A", "0A2450")
    ]
)
"""(256, 3) from small (pale blue) to large (dark blue), for light maps."""
NIGHT_RAMPS: Final = {
    "amounts": CIVIDIS,
    "open": _ramp(["rgb(92,52,12)", "rgb(200,110,30)", "rgb(255,190,110)"]),
    "safe": _ramp(["rgb(20,70,110)", "rgb(70,150,210)", "rgb(160,215,250)"]),
}
DAY_RAMPS: Final = {
    "amounts": BLUES,
    "open": _ramp(["rgb(246,205,165)", "rgb(224,130,50)", "rgb(130,55,0)"]),
    "safe": _ramp(["rgb(186,212,231)", "rgb(60,130,184)", "rgb(10,36,80)"]),
}
"""Colours by amount on a map of a style: of all people, of those who can be read, of the others."""
WRONG: Final = _ramp(["rgb(158,216,246)", "rgb(244,226,150)", "rgb(230,105,15)"])
"""(256, 3) from nobody in the wrong place (pale blue) to all (orange): bright on the dark land."""
