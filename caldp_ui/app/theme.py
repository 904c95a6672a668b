"""Colours for light and dark: Cividis for amounts, Okabe–Ito for things to tell apart.

Room: looks. Both palettes hold up for colour-blind readers; charts add dashes to colours.
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
class Night:
    """Colours on maps, which are dark in both themes: few lights on a dark land read best."""

    land: str = "rgb(10,20,36)"
    ink: str = "rgba(232,237,242,0.38)"
    faint: str = "rgba(200,208,220,0.42)"
    sensitive: str = "#FF7AB8"
    region: str = "#FFFFFF"


NIGHT: Final = Night()
NIGHT_LAND: Final = (10, 20, 36)
"""The same land as numbers, for deck.gl and pictures."""
SENSITIVE_TINT: Final = (255, 122, 184)
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
"""(256, 3) from small (dark blue) to large (yellow)."""
WRONG: Final = _ramp(["rgb(158,216,246)", "rgb(244,226,150)", "rgb(230,105,15)"])
"""(256, 3) from nobody in the wrong place (pale blue) to all (orange): bright on the dark land."""
