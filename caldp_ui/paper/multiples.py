"""The chart of sensitive sets: people that each method takes, as multiples of the best's.

Colour is never alone: every line has its own dash and mark.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Final

import plotly.graph_objects as go

from caldp_ui.app.theme import Palette
from caldp_ui.charts.curves import Words, horizontal_line, plane, vertical_line
from caldp_ui.charts.labels import Label

HEIGHT: Final = 500
_PLACES: Final = (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
_DASHES: Final = ("dashdot", "longdash", "dash", "dot", "solid")
_SYMBOLS: Final = ("triangle-up", "star", "diamond", "square", "circle")


def multiples_figure(
    sizes: Sequence[int], ratios: Mapping[str, Sequence[float]], present: int, colours: Palette
) -> go.Figure:
    """People as multiples of the best's, a line a method, against the size of the sensitive set.

    `ratios`: for each of at most five methods one number per size. `present`: the headline's size.
    """
    inks = (colours.text, colours.text, colours.plain, colours.ours, colours.ours)
    traces = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": name,
            "x": list(sizes),
            "y": list(ratio),
            "line": {"color": inks[number], "dash": _DASHES[number], "width": 2.5},
            "marker": {"symbol": _SYMBOLS[number], "size": 8, "color": inks[number]},
            "hovertemplate": "%{y:.3g}",
        }
        for number, (name, ratio) in enumerate(ratios.items())
    ]
    # Randomized response soon leaves the picture: a scale for it would hide the others.
    top = max(3.0, *sorted(max(ratio) for ratio in ratios.values())[:-1])
    ticks = [1, 1.2, 1.5, 2, 3, 5, *(p * 10**d for d in range(1, 9) for p in (1, 3))]
    x = {
        "type": "log",
        "title_text": "number of sensitive values (log scale)",
        "tickvals": _PLACES,
        "ticktext": [f"{place:,}" for place in _PLACES],
        "range": [math.log10(0.9 * sizes[0]), math.log10(1.05 * sizes[-1])],
    }
    y = {
        "type": "log",
        "title_text": "people, as a multiple of the best (log scale)",
        "tickvals": ticks,
        "ticktext": [f"{tick:,g}" for tick in ticks],
        "range": [-0.05, math.log10(1.3 * top)],
    }
    names = [
        Label(sizes[0], min(ratio[0], 1.25 * top), name, ink)
        for ink, (name, ratio) in zip(inks, ratios.items(), strict=False)
    ]
    notes = [
        Label(present, 1.3 * top, f"{present:,} sensitive values", colours.text, "top center"),
        Label(sizes[-1], 1.0, "the best that can be", colours.text, "bottom left", lift=-3),
    ]
    shapes = [vertical_line(present, colours), horizontal_line(1.0, colours)]
    labels = Words(at_starts=names, notes=notes)
    return plane(traces, x, y, shapes, colours, words=labels, height=HEIGHT, left=80)
