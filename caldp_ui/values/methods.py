"""Methods and estimators side by side, with the protection and the people of the page.

Room: values. What the catalogue lists is listed here without this file being changed.
"""

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from caldp_ui.app.theme import palette
from caldp_ui.charts.show import show as show_chart
from caldp_ui.compute import runs
from caldp_ui.parts.comparison import Shown
from caldp_ui.session import jobs
from caldp_ui.values import figures
from caldp_ui.values.figures import Compared, Method
from caldp_ui.values.slot import SLOT
from caldp_ui.words import formats


def show(what: Shown) -> None:
    """The plane of error against bits at once; the table of estimators by a job."""
    scenario = what.setup.scenario
    found = figures.methods(scenario)
    left, right = st.columns([1.2, 1], gap="large")
    with left:
        best = min(found, key=lambda method: method.l2)
        show_chart(
            _plane(found),
            SLOT.key("plane"),
            "Expected error against bits per report, one point a method: lower left is better. "
            f"{best.title} has the least error.",
        )
    with right:
        st.table(
            pd.DataFrame(
                {
                    "expected error (l2)": {_name(m): formats.share(m.l2) for m in found},
                    "bits per report": {_name(m): formats.exactly(m.bits) for m in found},
                }
            )
        )
        st.caption("Error of the unbiased estimate by its exact variance, this table's people.")
    offer = jobs.Offer(
        "Compare all estimators, too",
        ":material/table_view:",
        "Forecasts every method with every estimator: half a minute or so, beside the page.",
    )
    done = jobs.offered(
        SLOT.key("compared"),
        runs.key(scenario),
        lambda progress: figures.compared(scenario, progress),
        offer,
        lambda job: f"Methods and estimators: {job.share:.0%}",
    )
    if done is not None:
        _table(done)


def _name(method: Method) -> str:
    return f"{method.title}{' (chosen)' if method.chosen else ''}"


def _plane(found: list[Method]) -> go.Figure:
    looks = palette()
    marks = {
        "color": [looks.ours if method.chosen else looks.plain for method in found],
        "symbol": ["circle" if method.chosen else "diamond-open" for method in found],
        "size": 13,
    }
    texts = {"tickfont_color": looks.text, "title_font_color": looks.text}
    points = {
        "type": "scatter",
        "mode": "markers+text",
        "x": [method.bits for method in found],
        "y": [method.l2 for method in found],
        "text": [method.title for method in found],
        "textposition": _beside(found),
        "textfont": {"color": looks.text},
        "marker": marks,
        "cliponaxis": False,
        "hovertemplate": "%{text}<br>%{x:,} bits, error %{y:.3g}<extra></extra>",
    }
    ticks = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000]
    layout = {
        "xaxis": {"type": "log", "title_text": "bits per report", "tickvals": ticks, **texts},
        "yaxis": {"title_text": "expected error (l2)", "rangemode": "tozero", **texts},
        "height": 360,
        "margin": {"l": 0, "r": 90, "t": 20, "b": 0},
        "dragmode": False,
        "showlegend": False,
    }
    return go.Figure([points], layout)


def _beside(found: list[Method]) -> list[str]:
    """Names above and below by turns, so that neighbours do not cover each other."""
    order = sorted(range(len(found)), key=lambda i: (found[i].bits, found[i].l2))
    sides = ("middle right", "top center", "bottom center")
    placed = {i: sides[rank % len(sides)] for rank, i in enumerate(order)}
    return [placed[i] for i in range(len(found))]


def _table(done: Compared) -> None:
    best = min((tv for row in done.tv for tv in row if tv is not None), default=0.0)
    frame = pd.DataFrame(
        {
            estimator: {method: _told(done.tv[i][j], best) for i, method in enumerate(done.methods)}
            for j, estimator in enumerate(done.estimators)
        }
    )
    st.table(frame)
    st.caption(
        "Expected total variation, to about 3 %; ★: the least, and what is within 3 % of it. –: "
        "takes too long here, or does not go together."
    )


def _told(tv: float | None, best: float) -> str:
    if tv is None:
        return "–"
    return f"{formats.share(tv)}{' ★' if tv <= 1.03 * best else ''}"
