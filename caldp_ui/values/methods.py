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
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.session import jobs
from caldp_ui.values import chart
from caldp_ui.values.chart import Method, MethodComparison
from caldp_ui.values.page_state import STATE
from caldp_ui.words import formats

_BITS: Final = [1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000]
_ERRORS: Final = [part * 10.0**power for power in range(-7, 2) for part in (1, 2, 3, 5, 7)]
_POINT_TOLERANCE: Final = 0.01
"""Methods with as many bits whose errors are within 1 % share a point."""


def show(data: ComparisonData) -> None:
    """The plane and table of methods at once; the table of estimators by a job on demand."""
    scenario = data.setup.scenario
    methods = chart.methods(scenario)
    left, right = st.columns([1.2, 1], gap="large")
    with left:
        best = min(methods, key=lambda method: method.l2)
        show_chart(
            _plane(methods),
            STATE.key("plane"),
            "Expected error against bits per report, one point per method; lower left is better. "
            f"{best.title} has the least error.",
        )
    with right:
        st.table(
            pd.DataFrame(
                {
                    "expected error (l2)": [formats.share(m.l2) for m in methods],
                    "bits per report": [formats.integer(m.bits) for m in methods],
                },
                index=pd.Index(_names(methods), name="method"),
            )
        )
        st.caption(
            "Error of the unbiased estimate, by its exact variance, for this table's people."
        )
    button = jobs.StartButton(
        "Compare all estimators",
        ":material/table_view:",
        "Forecasts every method with every estimator; takes about half a minute, beside the page.",
    )
    comparison = jobs.run_on_click(
        STATE.key("compared"),
        runs.key(scenario),
        lambda progress: chart.compare_methods(scenario, progress),
        button,
        lambda job: f"Methods and estimators: {job.share:.0%}",
    )
    if comparison is not None:
        _table(comparison)


def _names(methods: list[Method]) -> list[str]:
    """The methods' names, each after its letter on the plane."""
    chosen = {True: " (chosen)", False: ""}
    return [f"{chr(65 + i)} · {m.title}{chosen[m.is_chosen]}" for i, m in enumerate(methods)]


def _plane(methods: list[Method]) -> go.Figure:
    """The plane of error against bits; methods on one point share it, with all their letters."""
    colours = palette()
    points = _group_points(methods)
    texts = {"tickfont_color": colours.text, "title_font_color": colours.text}
    ours = [any(methods[i].is_chosen for i in point) for point in points]
    trace = {
        "type": "scatter",
        "mode": "markers+text",
        "x": [methods[point[0]].bits for point in points],
        "y": [methods[point[0]].l2 for point in points],
        "text": ["".join(chr(65 + i) for i in point) for point in points],
        "customdata": [", ".join(methods[i].title for i in point) for point in points],
        "textposition": "top center",
        "textfont": {"color": colours.text, "size": 14},
        "marker": {
            "color": [colours.ours if our else colours.plain for our in ours],
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


def _group_points(methods: list[Method]) -> list[list[int]]:
    """Indices of the methods on each point."""
    points: list[list[int]] = []
    for i, method in enumerate(methods):
        near = (point for point in points if _is_same_point(method, methods[point[0]]))
        place = next(near, None)
        if place is None:
            points.append([i])
        else:
            place.append(i)
    return points


def _is_same_point(method: Method, other: Method) -> bool:
    return method.bits == other.bits and abs(method.l2 - other.l2) <= _POINT_TOLERANCE * other.l2


def _table(comparison: MethodComparison) -> None:
    best = min((tv for row in comparison.tv for tv in row if tv is not None), default=0.0)
    frame = pd.DataFrame(
        {
            estimator: {
                method: _error_text(comparison.tv[i][j], best)
                for i, method in enumerate(comparison.methods)
            }
            for j, estimator in enumerate(comparison.estimators)
        }
    )
    st.table(frame.rename_axis("method"))
    st.caption(
        "Expected total variation, to about 3 %. ★: the least, and all within 3 % of it. –: takes "
        "too long here, or can't be combined."
    )


def _error_text(tv: float | None, best: float) -> str:
    if tv is None:
        return "–"
    return f"{formats.share(tv)}{' ★' if tv <= 1.03 * best else ''}"
