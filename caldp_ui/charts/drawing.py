"""Small drawings that need no chart's machinery: SVG from here, put on the page by one line.

Plotly takes a tenth of a second to draw a chart anew; this a few milliseconds. Texts inherit the
page's font, and a mark's tooltip comes up when it is pointed at.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

import streamlit as st

from caldp_ui.charts.show import script

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


def show(markup: str, key: str, height: int | None) -> None:
    """Put a drawing on the page; `height`: pixels, None for as high as its width makes it."""
    _show(key=key, data=[key, markup], height="content" if height is None else height)
