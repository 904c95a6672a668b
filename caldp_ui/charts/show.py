"""The one place that shows Plotly charts, each with a name in words, and small SVG drawings.

Streamlit's own chart takes the old drawing down and puts a new one up, twice; here Plotly draws new
numbers into what is there, in a tenth of a second. A drawing that needs no chart's machinery takes
a few milliseconds: SVG from here, put on the page by one line. Its texts inherit the page's font.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Final, Literal
from weakref import ref

import plotly
import streamlit as st
from plotly.io.json import to_json_plotly
from starlette.responses import FileResponse
from starlette.routing import Route

from caldp_ui.server.components import send_once
from caldp_ui.stage import records

_FILE: Final = Path(plotly.__file__).with_name("package_data") / "plotly.min.js"
ADDRESS: Final = f"plotly-{plotly.__version__}.min.js"
"""Where the code is, beside the page."""
_FOR_EVER: Final = {"cache-control": "public, max-age=31536000, immutable"}


def library(address: str) -> Route:
    """The route of Plotly's code at this address; see `settings.join_path`."""
    kind = "application/javascript"
    return Route(address, lambda _: FileResponse(_FILE, headers=_FOR_EVER, media_type=kind))


_WEB: Final = Path(__file__).with_name("web")


def script(*names: str) -> str:
    """These scripts as one ES module, after that with which pictures register (see `hub.js`)."""
    return records.join_modules(_WEB, ("hub", *names))


_chart: Final = st.components.v2.component(
    "caldp_chart",
    html='<div class="chart" role="figure"></div>',
    js=script("narrow", "figure", "chart"),
    isolate_styles=False,
)


KINDS: Final = ("scatter", "bar", "pie")
"""Kinds of traces that files without a server can draw, too (`offline/vendor`)."""


@dataclass(frozen=True, eq=False)
class Figure:
    """A chart by the names and values of Plotly, which checks them in the tests alone.

    Plotly's own check takes a third of the time that a chart costs the server. Checked here is what
    the browser's side rests on, as a chart without it would be empty there and no error be seen.

    `traces`: what is drawn, each of a kind in `KINDS`; of "scatter" with its mode. `layout`: axes,
    shapes and texts; its height in pixels and all four margins ("l", "r", "t", "b").
    Raises ValueError for what is missing.
    """

    traces: Sequence[Mapping[str, Any]]
    layout: Mapping[str, Any]

    def __post_init__(self) -> None:
        for number, trace in enumerate(self.traces):
            kind = trace.get("type")
            if kind not in KINDS:
                known = ", ".join(KINDS)
                raise ValueError(f"trace {number} must have a type of {known}, got {kind!r}.")
            if kind == "scatter" and "mode" not in trace:
                raise ValueError(f'trace {number} must have a mode, "lines" or "markers", say.')
        height = self.layout.get("height")
        if not isinstance(height, int | float) or height <= 0:
            raise ValueError(f"layout must have a height in pixels above 0, got {height!r}.")
        _check_margin("layout", self.layout, {"l", "r", "t", "b"})
        # What a narrow chart has in the place of the layout's own (`narrow.js`).
        narrow = self.layout.get("meta", {}).get("narrow")
        if narrow is not None:
            _check_margin("layout's narrow form", narrow, {"l", "r"})


def _check_margin(owner: str, layout: Mapping[str, Any], sides: set[str]) -> None:
    """Raise ValueError unless the margin of a layout has these sides."""
    missing = sides - set(layout.get("margin", {}))
    if missing:
        names = ", ".join(sorted(missing))
        raise ValueError(f"{owner} must have a margin in pixels for each side, {names} is missing.")


def show(figure: Figure, key: str, alt: str) -> None:
    """Show a figure; `alt`: what it says, for those who do not see it.

    Its height is sent apart from the figure, so that there is room before Plotly's code has come.
    """
    show_json(figure_json(figure, alt), key, figure.layout.get("height", "content"))


def show_json(figure: str, key: str, height: int | Literal["content"]) -> None:
    """Show a figure that is given as `figure_json`; `height`: pixels, or that of its content."""
    _chart(key=key, data=[key, figure, ADDRESS], height=height)


def figure_json(figure: Figure, alt: str) -> str:
    """A figure as JSON for the browser, where the page's theme sets what it leaves open."""
    text: str = to_json_plotly({"data": figure.traces, "layout": figure.layout, "alt": alt})
    return text


_films: Final = st.components.v2.component(
    "caldp_films", js=records.partial_script("follower") + script("films")
)


@dataclass(frozen=True)
class SliderState:
    """A slider in this run: its text `reading`, and `Film.settings`, which name all else."""

    reading: str
    settings: str


def feed(key: str, film: records.Film) -> None:
    """Send a film to the browser. `key`: names the place on the page with that of its slider."""
    send_once(f"{key}-{film.dial}", ref(film), _films, lambda: film.chart_message)


def send_slider_states(key: str, sliders: Mapping[str, SliderState]) -> None:
    """Send the states of the page's sliders to the browser, by their keys.

    Call it last: that the page is there is what takes a step off the screen again.
    """
    now = {dial: vars(at) for dial, at in sliders.items()}
    _films(key=f"{key}-page", data=[{"page": now}])


_show: Final = st.components.v2.component("caldp_drawing", html="<div></div>", js=script("drawing"))
Point = tuple[float, float]
_MARKS: Final = {
    "circle": "m-{r},0a{r},{r} 0 1,0 {d},0a{r},{r} 0 1,0 -{d},0z",
    "diamond": "m0,-{l}l{l},{l}l-{l},{l}l-{l},-{l}z",
    "square": "m-{r},-{r}h{d}v{d}h-{d}z",
}


@dataclass(frozen=True)
class Frame:
    """Where numbers are on a drawing: `x`, `y` are their ranges, `box` is left, top, right, bottom.

    The box is in the drawing's own pixels; `size`: its width and height.
    """

    size: Point
    box: tuple[float, float, float, float]
    x: Point
    y: Point

    def to_pixel(self, x: float, y: float) -> Point:
        """The pixel of a pair of numbers; y goes up."""
        left, top, right, bottom = self.box
        across, up = (
            (value - low) / (high - low) for value, (low, high) in ((x, self.x), (y, self.y))
        )
        return round(left + across * (right - left), 2), round(bottom - up * (bottom - top), 2)

    def path(self, points: Iterable[Point], style: str) -> str:
        """A line through pairs of numbers; `style`: CSS of its stroke and fill."""
        coordinates = "L".join("{},{}".format(*self.to_pixel(*point)) for point in points)
        return f'<path d="M{coordinates}" style="{style}"/>'

    def text(
        self, at: Point, words: str, style: str, anchor: str = "start", shift: Point = (0, 0)
    ) -> str:
        """Words at a pair of numbers, `shift` pixels right and down from there."""
        x, y = (place + more for place, more in zip(self.to_pixel(*at), shift, strict=True))
        return (
            f'<text x="{x}" y="{y}" text-anchor="{anchor}" style="{style}">{escape(words)}</text>'
        )

    def marks(
        self, points: Iterable[Point], symbol: str, size: float, style: str, tooltip: str
    ) -> str:
        """Marks at pairs of numbers, as one element; `tooltip`: shown where it is pointed at."""
        shape = _MARKS[symbol].format(r=size / 2, d=size, l=round(0.62 * size, 2))
        drawn = "".join("M{},{}{}".format(*self.to_pixel(*point), shape) for point in points)
        return f'<path d="{drawn}" style="{style}"><title>{escape(tooltip)}</title></path>'

    def ticks(self, x: Sequence[float], y: Sequence[float], ink: str, line: str) -> str:
        """Numbers along both axes, with a faint line each; `ink`, `line`: their colours."""
        (left, right), (low, high) = self.x, self.y
        style, rule = f"fill:{ink}", f"stroke:{line};stroke-width:1;opacity:0.35"
        parts = [self.path([(at, low), (at, high)], rule) for at in x]
        parts += [self.path([(left, at), (right, at)], rule) for at in y]
        parts += [self.text((at, low), f"{at:g}", style, "middle", (0, 16)) for at in x]
        parts += [self.text((left, at), f"{at:g}", style, "end", (-6, 4)) for at in y]
        return "".join(parts)


def svg(frame: Frame, parts: Iterable[str], alt: str, height: int | None) -> str:
    """A drawing of SVG `parts`; `alt`: what it says, for those who do not see it.

    `height`: pixels; None for as high as its width makes it.
    """
    wide, tall = frame.size
    label, high = escape(alt, quote=True), "auto" if height is None else f"{height}px"
    return (
        f'<svg viewBox="0 0 {wide:g} {tall:g}" role="img" aria-label="{label}" '
        f'preserveAspectRatio="xMidYMin" '
        f'style="display: block; width: 100%; height: {high}; font-size: 12px">'
        f"{''.join(parts)}</svg>"
    )


def show_drawing(markup: str, key: str, height: int | None) -> None:
    """Put a drawing on the page; `height`: pixels, None for as high as its width makes it."""
    _show(key=key, data=[key, markup], height="content" if height is None else height)
