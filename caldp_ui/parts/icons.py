"""Small pictures of numbers as HTML: a 10 × 10 array of people, a dotplot of a likely range.

`style.css` draws them in the colour of the text around them, so that both themes and paper show
them; each says in words what it is.
"""

from html import escape
from typing import Final

import numpy as np
from scipy.special import ndtri

DOTS: Final = 50
_COLUMNS: Final = 24
_Z: Final = 1.959964


def people_array(marked: int, words: str, kind: str = "hundred") -> str:
    """A 10 × 10 array with the first `marked` of 100 people full, the others faint.

    One element, as a hundred of them took a browser longer to paint than the maps beside them.
    `kind`: its CSS classes; "hundred split" has two colours, for the protected and the others.
    """
    tens, ones = divmod(marked, 10)
    style = f"--tens:{tens};--ones:{ones}"
    return f'<div class="{kind}" role="img" aria-label="{escape(words)}" style="{style}"></div>'


def dotplot(middle: float, half_width: float, words: str) -> str:
    """50 quantiles of a normal whose 95 % range is this wide, stacked over a line.

    What would be below 0 is at 0. Without a width all would fall on one: there is one dot then.
    """
    columns = _columns(middle, half_width)
    heights: dict[int, int] = {}
    dots = []
    for column in columns:
        level = heights[column] = heights.get(column, -1) + 1
        dots.append(f'<i style="left:{4 * column}%;bottom:{0.68 * level + 0.1:.2f}rem"></i>')
    room = 0.68 * max(heights.values()) + 0.9
    return (
        f'<div class="dots" role="img" aria-label="{escape(words)}" style="height:{room:.2f}rem">'
        f"{''.join(dots)}</div>"
    )


def _columns(middle: float, half_width: float) -> list[int]:
    if half_width <= 0:
        return [_COLUMNS // 2]
    normal = ndtri((np.arange(DOTS) + 0.5) / DOTS)
    values = np.maximum(middle + half_width / _Z * normal, 0.0)
    low, high = values[0], max(values[-1], values[0] + half_width / 10)
    places: list[int] = np.rint((values - low) / (high - low) * _COLUMNS).astype(int).tolist()
    return places
