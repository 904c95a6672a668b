"""Charts that are not maps.

Room: charts. Colour is never alone: this protection is solid, plain LDP dashed.
"""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from caldp_core.curves import Curve
from caldp_ui.theme import Palette

HEIGHT = 300


def error_curves(
    ours: Curve, plain: Curve, present: float, points: tuple[float, float], colours: Palette
) -> go.Figure:
    """Expected TV of both with 90 % bands; `points`: this very outcome at `present`."""
    figure = go.Figure()
    _band(figure, plain, colours.plain)
    _band(figure, ours, colours.ours)
    _mean(figure, plain, "plain LDP", colours.plain, "dash")
    _mean(figure, ours, "this protection", colours.ours, "solid")
    edge = {"color": colours.edge, "width": 1.5}
    mark = {"color": colours.plain, "symbol": "diamond", "size": 12, "line": edge}
    _mark(figure, (present, points[1]), "plain LDP, this outcome", mark)
    mark = {"color": colours.ours, "symbol": "circle", "size": 11, "line": edge}
    _mark(figure, (present, points[0]), "this protection, this outcome", mark)
    figure.add_vline(x=present, line={"color": colours.faint, "dash": "dot", "width": 1.5})
    top = float(max(ours.high.max(), plain.high.max(), *points))
    scale = {"type": "log"} if top > 1.5 else {"range": [0, min(1.0, 1.08 * top)]}
    figure.update_yaxes(title_text="error (total variation)", **scale)
    figure.update_layout(
        height=HEIGHT,
        margin={"l": 0, "r": 8, "t": 28, "b": 0},
        legend={"orientation": "h", "y": 1.14, "x": 0, "title": None},
        hovermode="x unified",
    )
    return figure


def against_epsilon(figure: go.Figure) -> go.Figure:
    """Name the abscissa: ε, on a log scale."""
    figure.update_xaxes(
        title_text="privacy level ε (left: more secret)",
        type="log",
        tickvals=[0.1, 0.2, 0.5, 1, 2, 5, 10],
    )
    return figure


def against_people(figure: go.Figure) -> go.Figure:
    """Name the abscissa: people, on a log scale."""
    powers = range(3, 13)
    words = ["1,000", "", "100,000", "1 mill.", "", "", "1 bill.", "", "", "1 trill."]
    figure.update_xaxes(
        title_text="number of people",
        type="log",
        tickvals=[10**power for power in powers],
        ticktext=words,
    )
    return figure


def _band(figure: go.Figure, curve: Curve, colour: str) -> None:
    figure.add_scatter(
        x=np.concatenate([curve.x, curve.x[::-1]]),
        y=np.concatenate([curve.high, curve.low[::-1]]),
        fill="toself",
        fillcolor=colour,
        opacity=0.22,
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
        showlegend=False,
    )


def _mean(figure: go.Figure, curve: Curve, name: str, colour: str, dash: str) -> None:
    figure.add_scatter(
        x=curve.x,
        y=curve.tv,
        mode="lines",
        name=name,
        line={"color": colour, "dash": dash, "width": 2.5},
        hovertemplate="%{y:.3f}",
    )


def _mark(figure: go.Figure, at: tuple[float, float], name: str, marker: dict[str, Any]) -> None:
    figure.add_scatter(
        x=[at[0]],
        y=[at[1]],
        mode="markers",
        name=name,
        showlegend=False,
        marker=marker,
        hovertemplate="%{y:.3f}",
    )
