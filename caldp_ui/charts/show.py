"""The one place that shows Plotly charts: each with a name in words, and the same row of buttons.

Streamlit's own chart takes the old drawing down and puts a new one up, twice; here Plotly draws new
numbers into what is there.
"""

from typing import Final, Literal

import plotly.graph_objects as go
import streamlit as st
from plotly.io.json import to_json_plotly

from caldp_ui.charts.library import ADDRESS
from caldp_ui.charts.scripts import script

_chart: Final = st.components.v2.component(
    "caldp_chart",
    html='<div class="chart" role="figure"></div>',
    js=script("narrow", "chart"),
    isolate_styles=False,
)


def show(figure: go.Figure, key: str, alt: str) -> None:
    """Show a figure; `alt`: what it says, for those who do not see it.

    Its height is sent apart from the figure, so that there is room before Plotly's code has come.
    """
    show_json(figure_json(figure, alt), key, figure.layout.height or "content")


def show_json(figure: str, key: str, height: int | Literal["content"]) -> None:
    """Show a figure that is given as `figure_json`; `height`: pixels, or that of its content."""
    _chart(key=key, data=[key, figure, ADDRESS], height=height)


def figure_json(figure: go.Figure, alt: str) -> str:
    """A figure as JSON for the browser, where the page's theme sets what it leaves open."""
    whole = figure.to_plotly_json()
    whole["layout"].pop("template", None)
    text: str = to_json_plotly({**whole, "alt": alt})
    return text
