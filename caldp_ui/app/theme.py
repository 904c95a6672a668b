"""Colours for light and dark: Cividis for amounts, Okabe–Ito for things to tell apart.

Both palettes hold up for colour-blind readers; charts add dashes to colours.

The page's style sheet, as it is sent to browsers.

Streamlit names a container's class after its key, which begins with the page's name. `style.css`
says what all pages have in common by the end of such a name, `[class*="-title"]`; where a selector
looks into class names, a browser styles the whole document anew for each element that changes (13
ms a move of a slider instead of 4). So names are written out here.

What runs in the document itself: on every page, before anything of Streamlit does.

Settings from the server's environment, beside Streamlit's own.
"""

import os
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import plotly.colors
import streamlit as st
from numpy.typing import NDArray

from caldp_ui.app.navigation import PAGES

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


SHEET: Final = Path(__file__).with_name("style.css")
_ENDING: Final = re.compile(r'\[class\*="(-[a-z-]+)"\]')


@cache
def style() -> str:
    """The text of the style sheet, without selectors that look into class names."""
    return expand_selectors(SHEET.read_text("utf-8"), [Path(page.path).stem for page in PAGES])


def expand_selectors(css: str, pages: Iterable[str]) -> str:
    """The sheet with each `[class*="-end"]` as the classes of such containers on these pages."""
    names = list(pages)

    def classes(ending: re.Match[str]) -> str:
        return f":is({','.join(f'.st-key-{name}{ending[1]}' for name in names)})"

    return _ENDING.sub(classes, css)


_WEB: Final = Path(__file__).with_name("web")
_NAMES: Final = ("language", "rest", "history", "focus", "popovers", "toggles", "speech")


@cache
def scripts() -> str:
    """The elements of the scripts of `web`, in order."""
    return "".join(f"<script>{(_WEB / f'{n}.js').read_text('utf-8')}</script>" for n in _NAMES)


WORKER: Final = "CALDP_WORKER"
ANCESTORS: Final = "CALDP_FRAME_ANCESTORS"
NOISE: Final = "CALDP_NOISE_SECRET"
POLL_KEY: Final = "CALDP_POLL_KEY"
_OWN_NOISE: Final = secrets.randbits(128)
"""What noise on visitors' data follows from where nothing is set: gone with this process."""
_OWN_POLL_KEY: Final = f"{secrets.randbelow(10**10):010}"
_POLL_KEY_MIN: Final = 8
_NAME: Final = re.compile(r"[a-z0-9]{1,20}")
_SITE: Final = re.compile(r"https?://(\*\.)?[A-Za-z0-9.-]+(:\d{1,5})?")


@dataclass(frozen=True)
class Settings:
    """Settings of this process; raises `ValueError` for invalid names or sites.

    `worker`: its name among several behind one address; "" where it is alone. `ancestors`: sites
    that may show the dashboard in a frame. `noise_secret`: a whole number from which noise on
    visitors' own data follows, the same on workers that share it; 0 for none, as in tests.
    `poll_key`: what opens a poll where strangers hold all that this server takes.
    """

    worker: str = ""
    ancestors: tuple[str, ...] = ()
    noise_secret: int = _OWN_NOISE
    poll_key: str = _OWN_POLL_KEY

    def __post_init__(self) -> None:
        if self.worker and not _NAME.fullmatch(self.worker):
            raise ValueError(
                f"{WORKER} must be 1 to 20 of the signs a to z and 0 to 9, "
                f"got {self.worker[:60]!r}; rename the worker."
            )
        wrong = next((site for site in self.ancestors if not _SITE.fullmatch(site)), None)
        if wrong is not None:
            raise ValueError(
                f"{ANCESTORS} must be addresses of sites such as https://learn.example.org, "
                f"with spaces between them, got {wrong[:60]!r}; correct it."
            )
        if len(self.poll_key) < _POLL_KEY_MIN:
            raise ValueError(f"{POLL_KEY} must have {_POLL_KEY_MIN} signs or more; lengthen it.")

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "Settings":
        """The settings of an environment's variables; raises `ValueError`."""
        ancestors = tuple(environment.get(ANCESTORS, "").split())
        noise = environment.get(NOISE, str(_OWN_NOISE))
        if not noise.isascii() or not noise.isdigit():
            raise ValueError(f"{NOISE} must be a whole number, such as openssl prints; correct it.")
        key = environment.get(POLL_KEY, _OWN_POLL_KEY)
        return cls(environment.get(WORKER, ""), ancestors, int(noise), key)


def settings() -> Settings:
    """The settings of this process's environment; raises `ValueError`."""
    return Settings.of(os.environ)


def join_path(base: str, name: str) -> str:
    """The path of `name` on a server whose addresses are below the path `base`; "" is the root."""
    return "/".join(["", *filter(None, base.split("/")), name])
