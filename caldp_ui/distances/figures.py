"""The odds by distance: noise, blocks and plain LDP as curves.

Room: distances. Colour is never alone: dashes and symbols tell the curves apart, too.
"""

from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from caldp_core.audit.adversary import guessed_right
from caldp_core.audit.told_apart import told_apart
from caldp_core.basics.types import Floats, Ints
from caldp_ui.app.theme import Palette
from caldp_ui.charts.planes import FIXED
from caldp_ui.distances.shown import Shown, guess_at

HEIGHT: Final = 340
_POINTS: Final = 12
"""Pairs of places for which the channel itself is asked."""


def odds(what: Shown, colours: Palette) -> go.Figure:
    """How often an even guess between two places becomes right, against their distance."""
    record = what.record
    km = np.geomspace(1.0, 1000.0, 61)
    flat = {"plain LDP, everywhere": guessed_right(record.policy.epsilon)}
    at, right = exactly(what)
    traces = [
        _line("noise: at most (the promise)", km, [guess_at(record, d) for d in km.tolist()],
              (colours.ours, "solid")),
        _dots("noise: from the channel", at, right, colours),
        _line("blocks: within one", km, [guessed_right(what.blocks_epsilon)] * km.size,
              (colours.faint, "dot")),
        _line("blocks: across a border", km, [1.0] * km.size, (colours.faint, "dashdot")),
        *(_line(name, km, [value] * km.size, (colours.plain, "dash"))
          for name, value in flat.items()),
    ]  # fmt: skip
    texts = {"tickfont_color": colours.text, "title_font_color": colours.text, **FIXED}
    ticks = [1, 5, 20, 100, 500]
    layout = {
        "xaxis": {
            "type": "log", "tickvals": ticks, "ticktext": [f"{t} km" for t in ticks],
            "title_text": "distance between two places, from 50:50 before", **texts,
        },
        "yaxis": {"title_text": "guessed right, of 100", "range": [48, 103], **texts},
        "height": HEIGHT,
        "margin": {"l": 56, "r": 10, "t": 40, "b": 50},
        "legend": {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0},
        "dragmode": False,
    }  # fmt: skip
    return go.Figure(traces, layout)


def exactly(what: Shown) -> tuple[Floats, Floats]:
    """(pairs,) kilometres and chances of the best guess from one report, by the channel itself.

    Pairs of the record's place and others due north or south of it, on this very map.
    """
    others = _due_north_and_south(what)
    place = what.record.place
    right = [told_apart(what.setup.mechanism, place, other) for other in others.tolist()]
    return what.domain.km_from(place)[others], np.array(right)


def _due_north_and_south(what: Shown) -> Ints:
    domain, place = what.domain, what.record.place
    row, column = divmod(place, domain.columns)
    steps = np.unique(np.rint(np.geomspace(1, domain.rows, _POINTS)).astype(np.int64))
    north = np.where(row + steps < domain.rows, row + steps, row - steps)
    return (north * domain.columns + column)[north >= 0]


def _line(name: str, x: Floats, y: list[float], look: tuple[str, str]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "name": name,
        "x": x,
        "y": [100 * each for each in y],
        "mode": "lines",
        "line": {"color": look[0], "dash": look[1], "width": 2.5},
        "hovertemplate": "%{x:.3g} km: %{y:.1f} of 100",
    }


def _dots(name: str, x: Floats, y: Floats, colours: Palette) -> dict[str, Any]:
    return {
        "type": "scatter",
        "name": name,
        "x": x,
        "y": 100 * y,
        "mode": "markers",
        "marker": {"color": colours.ours, "symbol": "circle-open", "size": 9},
        "hovertemplate": "%{x:.3g} km: %{y:.1f} of 100, exactly",
    }
