"""The lecture's votes for four items, whose bits' majorities spell another than the favourite.

Room: classroom.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import plotly.graph_objects as go

from caldp_ui.app.theme import Palette
from caldp_ui.classroom import charts

EXAMPLE: Final = (40, 30, 0, 30)
"""Votes of 100 people for 00, 01, 10, 11: the lecture's example."""
_PALE: Final = "rgba(128,140,152,0.3)"


def bit_shares() -> tuple[float, float]:
    """Shares of the example's people whose item has the first bit set, and the last."""
    return (EXAMPLE[2] + EXAMPLE[3]) / 100, (EXAMPLE[1] + EXAMPLE[3]) / 100


def elected() -> int:
    """What the majorities of the bits spell."""
    first, last = bit_shares()
    return 2 * (first > 0.5) + (last > 0.5)


def told() -> str:
    """What it shows, with its numbers."""
    first, last = bit_shares()
    won, best = elected(), int(np.argmax(EXAMPLE))
    return (
        f"**Even without any noise, bit by bit elects {won:02b} with {EXAMPLE[won]} of 100 votes, "
        f"though {EXAMPLE[best]} chose {best:02b}**: {100 * (1 - first):.0f} have first bit 0, "
        f"but {100 * last:.0f} have last bit 1."
    )


def figure(colours: Palette) -> go.Figure:
    """Votes for four items, and what their two bits' majorities are."""
    ours, other, _, _ = charts.looks(colours)
    items, bits = [f"item {i:02b}" for i in range(4)], ["first bit", "last bit"]
    ones = [100 * share for share in bit_shares()]
    traces = [
        _bars("votes", items, list(EXAMPLE), (ours.colour, colours.edge)),
        _bars("say 0", bits, [100 - one for one in ones], (_PALE, colours.text)),
        _bars("say 1", bits, ones, (other.colour, colours.edge)),
    ]
    y = {"title_text": "of 100 people", "range": [0, 104]}
    more = {"barmode": "stack", "hovermode": False}
    return charts.figure(traces, {"type": "category"}, y, colours, **more)


def _bars(name: str, x: list[str], y: Sequence[float], looks: tuple[str, str]) -> dict[str, object]:
    """Bars with their numbers inside; `looks`: colours of bar and text."""
    return {
        "type": "bar",
        "name": name,
        "x": x,
        "y": y,
        "text": [f"{value:.0f} {name}" for value in y],
        "textfont": {"size": 18, "color": looks[1]},
        "textposition": "auto",
        "marker": {"color": looks[0]},
    }
