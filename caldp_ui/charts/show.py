"""The one place that shows Plotly charts: each with a name in words, and the same row of buttons.

Room: charts.
"""

from typing import Final, Literal

import plotly.graph_objects as go
import streamlit as st

_CONFIG: Final = {
    "displaylogo": False,
    "modeBarButtonsToRemove": ["lasso2d", "select2d", "autoScale2d"],
}


def show(figure: go.Figure, key: str, alt: str) -> None:
    """Show a figure; `alt`: what it says, for those who do not see it.

    Its height is told apart from the figure, so that there is room before Plotly's code has come.
    Plotly's buttons stand in a column, where they leave titles and names of lines free; `style.css`
    hides them on touch screens until a finger is on the chart.
    """
    figure.layout.modebar.orientation = "v"
    height: int | Literal["content"] = figure.layout.height or "content"
    st.plotly_chart(figure, key=key, height=height, config=_CONFIG, alt=alt)
