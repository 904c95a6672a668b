"""Colours for light and dark, the page's style sheet and scripts, and settings of the environment.

Cividis is for amounts, Okabe–Ito for things to tell apart: both hold up for colour-blind readers,
and charts add dashes. `style.css` says what pages have in common by the end of a container's class,
`[class*="-title"]`; as such selectors are slow, the names are written out here.
"""

import os
import re
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import plotly.colors
import streamlit as st
from numpy.typing import NDArray

from caldp_ui.app.navigation import PAGES
from caldp_ui.app.texts import read_toml

LEVELS: Final = 256


@dataclass(frozen=True)
class Palette:
    """Colours of one theme or of both, as CSS texts; `text`: of axes, 4.5 or more against the page.

    `choose(light, dark)`: the colour that something has which no other page shows.
    """

    ours: str
    plain: str
    faint: str
    edge: str
    text: str
    pinned: str
    choose: Callable[[str, str], str]

    def for_words(self, line: str) -> str:
        """The colour of words beside a line of this colour: what is faint is no colour to read."""
        return self.text if line == self.faint else line


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


_COLOURS: Final = read_toml(__file__, "colours.toml")
NIGHT: Final = MapStyle(**_COLOURS["map"]["dark"])
DAY: Final = MapStyle(**_COLOURS["map"]["light"])
NIGHT_LAND: Final = (16, 27, 42)
"""The land of the dark style as numbers, for small pictures."""
LIGHT: Final = Palette(**_COLOURS["page"]["light"], choose=lambda light, _: light)
DARK: Final = Palette(**_COLOURS["page"]["dark"], choose=lambda _, dark: dark)


def colour_by_theme(light: str, dark: str) -> str:
    """A colour that CSS chooses by the theme, so that it follows when the reader changes it."""
    return light if light == dark else f"light-dark({light},{dark})"


_BY_NAME: Final = {
    name: colour_by_theme(light, _COLOURS["page"]["dark"][name])
    for name, light in _COLOURS["page"]["light"].items()
}
BOTH: Final = Palette(**_BY_NAME, choose=colour_by_theme)
"""For files without a server, whose scripts choose for Plotly, which takes no such colours."""


def palette() -> Palette:
    """The palette of the theme that the reader has chosen."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def _ramp(scale: str | list[str]) -> NDArray[np.uint8]:
    texts = plotly.colors.sample_colorscale(scale, list(np.linspace(0.0, 1.0, LEVELS)))
    rows = [[int(float(part)) for part in text[4:-1].split(",")] for text in texts]
    return np.array(rows, dtype=np.uint8)


CIVIDIS: Final = _ramp("Cividis")
"""(256, 3) from small (dark blue) to large (yellow), for dark maps."""
_RAMPS: Final = _COLOURS["ramps"]
NIGHT_RAMPS: Final = {"amounts": CIVIDIS, **{n: _ramp(c) for n, c in _RAMPS["dark"].items()}}
DAY_RAMPS: Final = {name: _ramp(colours) for name, colours in _RAMPS["light"].items()}
"""Colours by amount on a map of a style: of all people, of those who can be read, of the others."""
BLUES: Final = DAY_RAMPS["amounts"]
"""(256, 3) from small (pale blue) to large (dark blue), for light maps."""
WRONG: Final = _ramp(_RAMPS["wrong"])
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
_NAMES: Final = ("language", "rest", "history", "focus", "popovers", "toggles", "speech", "names")


@cache
def scripts() -> str:
    """The elements of the scripts of `web`, in order."""
    return "".join(f"<script>{(_WEB / f'{n}.js').read_text('utf-8')}</script>" for n in _NAMES)


WORKER: Final = "CALDP_WORKER"
ANCESTORS: Final = "CALDP_FRAME_ANCESTORS"
POLL_KEY: Final = "CALDP_POLL_KEY"
LOG: Final = "CALDP_LOG"
METRICS: Final = "CALDP_METRICS"
_OWN_POLL_KEY: Final = f"{secrets.randbelow(10**10):010}"
_POLL_KEY_MIN: Final = 8
_PORT: Final = re.compile(r"([\d.]+:)?[1-9]\d{0,4}", re.ASCII)
_NAME: Final = re.compile(r"[a-z0-9]{1,20}")
_SITE: Final = re.compile(r"https?://(\*\.)?[A-Za-z0-9.-]+(:\d{1,5})?")


@dataclass(frozen=True)
class Settings:
    """Settings of this process; raises `ValueError` for invalid names or sites.

    `worker`: its name among several behind one address; "" where it is alone. `ancestors`: sites
    that may show the dashboard in a frame. `poll_key`: what opens a poll where strangers hold all
    that this server takes. `log`: "text" or "json", the form of lines for the operator; "" for
    none. `metrics`: address and port of figures for Prometheus, on this machine alone without an
    address; "" for none.
    """

    worker: str = ""
    ancestors: tuple[str, ...] = ()
    poll_key: str = _OWN_POLL_KEY
    log: str = ""
    metrics: str = ""

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
        if self.log not in ("", "text", "json"):
            raise ValueError(f"{LOG} must be text or json, got {self.log[:60]!r}; correct it.")
        if self.metrics and not _PORT.fullmatch(self.metrics):
            raise ValueError(
                f"{METRICS} must be a port such as 9100, or 10.0.0.5:9100 with the address that it "
                f"is open at, got {self.metrics[:60]!r}; correct it."
            )

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "Settings":
        """The settings of an environment's variables; raises `ValueError`."""
        ancestors = tuple(environment.get(ANCESTORS, "").split())
        key = environment.get(POLL_KEY, _OWN_POLL_KEY)
        worker, log, metrics = (environment.get(name, "") for name in (WORKER, LOG, METRICS))
        return cls(worker, ancestors, key, log, metrics)


def settings() -> Settings:
    """The settings of this process's environment; raises `ValueError`."""
    return Settings.of(os.environ)


def join_path(base: str, name: str) -> str:
    """The path of `name` on a server whose addresses are below the path `base`; "" is the root."""
    return "/".join(["", *filter(None, base.split("/")), name])
