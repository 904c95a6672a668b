"""The lecture's votes for four items, whose bits' majorities spell another than the favourite."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import plotly.graph_objects as go

from caldp_ui.app.theme import Palette
from caldp_ui.classroom import charts
from caldp_ui.words.headline import Headline

EXAMPLE: Final = (40, 30, 0, 30)
"""Votes of 100 people for 00, 01, 10, 11: the lecture's example."""
_PALE: Final = "rgba(128,140,152,0.3)"


def bit_shares() -> tuple[float, float]:
    """Shares of the example's people whose item has the first bit set, and the last."""
    return (EXAMPLE[2] + EXAMPLE[3]) / 100, (EXAMPLE[1] + EXAMPLE[3]) / 100


def elected() -> int:
    """The item that the majorities of the bits spell."""
    first, last = bit_shares()
    return 2 * (first > 0.5) + (last > 0.5)


def headline() -> Headline:
    """The headline of the example."""
    first, last = bit_shares()
    won, best = elected(), int(np.argmax(EXAMPLE))
    return Headline(
        f"Even without noise, bit by bit elects {won:02b} with {EXAMPLE[won]} votes, though "
        f"{EXAMPLE[best]} of 100 chose {best:02b}.",
        f"{100 * (1 - first):.0f} of 100 votes have first bit 0, and {100 * last:.0f} have last "
        "bit 1. Four items, 100 people, no noise.",
    )


def alt() -> str:
    """Alt text of the picture."""
    return headline().whole


def figure(colours: Palette) -> go.Figure:
    """Votes for four items, and what their two bits' majorities are."""
    ours, other, _, _ = charts.line_styles(colours)
    items, bits = [f"item {i:02b}" for i in range(4)], ["first bit", "last bit"]
    ones = [100 * share for share in bit_shares()]
    traces = [
        _bars("votes", items, list(EXAMPLE), (ours.colour, colours.edge)),
        _bars("say 0", bits, [100 - one for one in ones], (_PALE, colours.text)),
        _bars("say 1", bits, ones, (other.colour, colours.edge)),
    ]
    y = {"title_text": "people, of 100", "range": [0, 104]}
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
