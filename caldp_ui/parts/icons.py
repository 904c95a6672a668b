"""Small pictures of numbers as SVG: a 10 × 10 array of people, a dotplot of a likely range.

Room: parts. They take the colour of the text around them (`currentColor`), so that both themes and
paper can show them; each has a title that says it in words.
"""

from collections.abc import Sequence
from html import escape
from typing import Final

import numpy as np
from scipy.special import ndtri

_PERSON: Final = (
    '<circle cx="5" cy="2.6" r="1.9"/><path d="M1.7 9.6V7.4a3.3 2.4 0 0 1 6.6 0v2.2z"/>'
)
DOTS: Final = 50


def people_array(marked: int, title: str) -> str:
    """A 10 × 10 array with the first `marked` people full, the others faint."""
    people = "".join(
        f'<g transform="translate({11 * (i % 10)} {11 * (i // 10)})" '
        f'fill-opacity="{1 if i < marked else 0.22}">{_PERSON}</g>'
        for i in range(100)
    )
    return _svg(109, 109, "people", title, people)


def dotplot(middle: float, half_width: float, title: str) -> str:
    """50 equally likely values of a normal whose 95 % range is this wide, stacked over an axis.

    What would be below 0 is at 0. Without a width all would fall on one: there is one dot then.
    """
    if half_width <= 0:
        return _svg(300, 30, "dots", title, '<circle cx="150" cy="15" r="6"/>')
    normal = ndtri((np.arange(DOTS) + 0.5) / DOTS)
    values = np.maximum(middle + half_width / 1.959964 * normal, 0.0)
    low, high = values[0], max(values[-1], values[0] + half_width / 10)
    columns = np.rint((values - low) / (high - low) * 24).astype(int)
    return _svg(300, 86, "dots", title, "".join(_stack(columns.tolist())) + _axis())


def _stack(columns: Sequence[int]) -> list[str]:
    heights: dict[int, int] = {}
    dots = []
    for column in columns:
        level = heights[column] = heights.get(column, -1) + 1
        dots.append(f'<circle cx="{6 + 12 * column}" cy="{76 - 11 * level}" r="5"/>')
    return dots


def _axis() -> str:
    return '<path d="M0 83.5H300" stroke="currentColor" stroke-opacity="0.5"/>'


def _svg(width: int, height: int, kind: str, title: str, inside: str) -> str:
    return (
        f'<svg class="{kind}" viewBox="0 0 {width} {height}" role="img" fill="currentColor" '
        f'aria-label="{escape(title)}"><title>{escape(title)}</title>{inside}</svg>'
    )
