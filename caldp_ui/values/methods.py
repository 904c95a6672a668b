"""Methods and estimators side by side, with the protection and the people of the page.

What the catalogue lists is listed here without this file being changed.
"""

from typing import Final

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

_BITS: Final = [1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000]
_ERRORS: Final = [part * 10.0**power for power in range(-7, 2) for part in (1, 2, 3, 5, 7)]
_SAME: Final = 0.01
"""Methods whose errors are within 1 % have one point."""


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
            "Expected error against bits per report, one point per method; lower left is better. "
            f"{best.title} has the least error.",
        )
    with right:
        st.table(
            pd.DataFrame(
                {
                    "expected error (l2)": [formats.share(m.l2) for m in found],
                    "bits per report": [formats.exactly(m.bits) for m in found],
                },
                index=pd.Index(_names(found), name="method"),
            )
        )
        st.caption(
            "Error of the unbiased estimate, by its exact variance, for this table's people."
        )
    offer = jobs.Offer(
        "Compare all estimators",
        ":material/table_view:",
        "Forecasts every method with every estimator; takes about half a minute, beside the page.",
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


def _names(found: list[Method]) -> list[str]:
    """A letter for the plane, and what the method is called."""
    chosen = {True: " (chosen)", False: ""}
    return [f"{chr(65 + i)} · {m.title}{chosen[m.chosen]}" for i, m in enumerate(found)]


def _plane(found: list[Method]) -> go.Figure:
    """One point a method; those that fall on one point share it, with all their letters."""
    looks = palette()
    points = _together(found)
    texts = {"tickfont_color": looks.text, "title_font_color": looks.text}
    ours = [any(found[i].chosen for i in point) for point in points]
    trace = {
        "type": "scatter",
        "mode": "markers+text",
        "x": [found[point[0]].bits for point in points],
        "y": [found[point[0]].l2 for point in points],
        "text": ["".join(chr(65 + i) for i in point) for point in points],
        "customdata": [", ".join(found[i].title for i in point) for point in points],
        "textposition": "top center",
        "textfont": {"color": looks.text, "size": 14},
        "marker": {
            "color": [looks.ours if our else looks.plain for our in ours],
            "symbol": ["circle" if our else "diamond-open" for our in ours],
            "size": 13,
        },
        "cliponaxis": False,
        "hovertemplate": "%{customdata}<br>%{x:,} bits, error %{y:.3g}<extra></extra>",
    }
    logarithmic = {"type": "log", **texts}
    layout = {
        "xaxis": {"title_text": "bits per report", "tickvals": _BITS, **logarithmic},
        "yaxis": {"title_text": "expected error (l2)", "tickvals": _ERRORS, **logarithmic},
        "height": 360,
        "margin": {"l": 0, "r": 20, "t": 24, "b": 0},
        "dragmode": False,
        "showlegend": False,
    }
    return go.Figure([trace], layout)


def _together(found: list[Method]) -> list[list[int]]:
    """Numbers of methods, point by point."""
    points: list[list[int]] = []
    for i, method in enumerate(found):
        near = (point for point in points if _is_at(method, found[point[0]]))
        place = next(near, None)
        if place is None:
            points.append([i])
        else:
            place.append(i)
    return points


def _is_at(method: Method, other: Method) -> bool:
    return method.bits == other.bits and abs(method.l2 - other.l2) <= _SAME * other.l2


def _table(done: Compared) -> None:
    best = min((tv for row in done.tv for tv in row if tv is not None), default=0.0)
    frame = pd.DataFrame(
        {
            estimator: {method: _told(done.tv[i][j], best) for i, method in enumerate(done.methods)}
            for j, estimator in enumerate(done.estimators)
        }
    )
    st.table(frame.rename_axis("method"))
    st.caption(
        "Expected total variation, to about 3 %. ★: the least, and all within 3 % of it. –: takes "
        "too long here, or can't be combined."
    )


def _told(tv: float | None, best: float) -> str:
    if tv is None:
        return "–"
    return f"{formats.share(tv)}{' ★' if tv <= 1.03 * best else ''}"
