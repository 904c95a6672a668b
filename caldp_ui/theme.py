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
    """Colours of one theme, as CSS texts; `reverse`: small amounts are light."""

    ours: str
    plain: str
    sampling: str
    ink: str
    faint: str
    sensitive: str
    region: str
    reverse: bool


LIGHT: Final = Palette(
    ours="#0072B2",
    plain="#C44E00",
    sampling="#00785A",
    ink="#1f2328",
    faint="rgba(70,80,95,0.45)",
    sensitive="#B0005E",
    region="#111111",
    reverse=True,
)
DARK: Final = Palette(
    ours="#56B4E9",
    plain="#E69F00",
    sampling="#2CC29B",
    ink="#e6e8eb",
    faint="rgba(200,208,220,0.40)",
    sensitive="#FF7AB8",
    region="#ffffff",
    reverse=False,
)


def palette() -> Palette:
    """The palette of the theme that the reader has chosen."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def is_dark(colours: Palette) -> bool:
    """True for the palette of the dark theme."""
    return colours is DARK


def cividis(colours: Palette) -> NDArray[np.uint8]:
    """(256, 3) Cividis from small to large; entry 0 is left for "none"."""
    stops = np.linspace(1.0, 0.0, LEVELS) if colours.reverse else np.linspace(0.0, 1.0, LEVELS)
    texts = plotly.colors.sample_colorscale("Cividis", list(stops))
    rows = [[int(float(part)) for part in text[4:-1].split(",")] for text in texts]
    return np.array(rows, dtype=np.uint8)


def css_scale(colours: Palette) -> list[str]:
    """The same scale as CSS texts, for legends."""
    return [f"rgb({r},{g},{b})" for r, g, b in cividis(colours)]
