"""Methods and estimators side by side, with the protection and the people of the page.

Room: values. What the catalogue lists is listed here without this file being changed.
"""

from typing import Final

import numpy as np
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
    told = _together(found)
    texts = {"tickfont_color": looks.text, "title_font_color": looks.text}
    bits = [method.bits for method, _ in told]
    errors = [method.l2 for method, _ in told]
    # A name goes to where the plane is: rightwards from its left half, leftwards from the right.
    middle = np.sqrt(min(bits) * max(bits))
    points = {
        "type": "scatter",
        "mode": "markers+text",
        "x": bits,
        "y": errors,
        "text": [name for _, name in told],
        "textposition": ["middle right" if b <= middle else "middle left" for b in bits],
        "textfont": {"color": looks.text},
        "marker": {
            "color": [looks.ours if method.chosen else looks.plain for method, _ in told],
            "symbol": ["circle" if method.chosen else "diamond-open" for method, _ in told],
            "size": 13,
        },
        "cliponaxis": False,
        "hovertemplate": "%{text}<br>%{x:,} bits, error %{y:.3g}<extra></extra>",
    }
    low, high = 0.97 * min(errors), 1.03 * max(errors)
    bit_axis = {"title_text": "bits per report", "type": "log", "tickvals": _BITS, **texts}
    layout = {
        "xaxis": bit_axis,
        "yaxis": {"title_text": "expected error (l2)", "range": [low, high or 1.0], **texts},
        "height": 360,
        "margin": {"l": 0, "r": 20, "t": 20, "b": 0},
        "dragmode": False,
        "showlegend": False,
    }
    return go.Figure([points], layout)


def _together(found: list[Method]) -> list[tuple[Method, str]]:
    """Methods that fall on one point share it: their names in one, the chosen one first."""
    told: list[tuple[Method, str]] = []
    for method in sorted(found, key=lambda each: (not each.chosen, each.l2)):
        near = (i for i, (at, _) in enumerate(told) if _is_at(method, at))
        place = next(near, None)
        if place is None:
            told.append((method, method.title))
        else:
            at, names = told[place]
            told[place] = at, f"{names}, {method.title}"
    return told


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
    st.table(frame)
    st.caption(
        "Expected total variation, to about 3 %; ★: the least, and what is within 3 % of it. –: "
        "takes too long here, or does not go together."
    )


def _told(tv: float | None, best: float) -> str:
    if tv is None:
        return "–"
    return f"{formats.share(tv)}{' ★' if tv <= 1.03 * best else ''}"
