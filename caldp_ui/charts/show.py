"""The one place that shows Plotly charts: each with a name in words, and the same row of buttons.

Streamlit's own chart takes the old drawing down and puts a new one up, twice; here Plotly draws new
numbers into what is there.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import plotly
import plotly.graph_objects as go
import streamlit as st
from plotly.io.json import to_json_plotly
from starlette.responses import FileResponse
from starlette.routing import Route

from caldp_ui.stage import Film, bundle
from caldp_ui.stage.bundle import join_modules

_FILE: Final = Path(plotly.__file__).with_name("package_data") / "plotly.min.js"
ADDRESS: Final = f"plotly-{plotly.__version__}.min.js"
"""Where the code is, beside the page."""
_FOR_EVER: Final = {"cache-control": "public, max-age=31536000, immutable"}


def _code(_: object) -> FileResponse:
    return FileResponse(_FILE, headers=_FOR_EVER, media_type="application/javascript")


def library(address: str) -> Route:
    """The route of Plotly's code at this address; see `settings.join_path`."""
    return Route(address, _code)


_WEB: Final = Path(__file__).with_name("web")


def hub_script() -> str:
    """The script with which pictures register to be shown ahead of the server; see `hub.js`."""
    return join_modules(_WEB, ("hub",))


def narrow_script() -> str:
    """The script that fits a figure to a narrow screen; see `narrow.js`."""
    return join_modules(_WEB, ("narrow",))


def script(*names: str) -> str:
    """The component of the last name, as one ES module, after what it needs."""
    return join_modules(_WEB, ("hub", *names))


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


_films: Final = st.components.v2.component(
    "caldp_films", js=bundle.partial_script("follower") + script("films")
)


@dataclass(frozen=True)
class SliderState:
    """A slider in this run: its text `reading`, and `Film.settings`, which name all else."""

    reading: str
    settings: str


def feed(key: str, film: Film) -> None:
    """Send a film to the browser. `key`: names the place on the page with that of its slider."""
    _films(key=f"{key}-{film.dial}", data=film.chart_message)


def send_slider_states(key: str, sliders: Mapping[str, SliderState]) -> None:
    """Send the states of the page's sliders to the browser, by their keys.

    Call it last: that the page is there is what takes a step off the screen again.
    """
    now = {dial: vars(at) for dial, at in sliders.items()}
    _films(key=f"{key}-page", data=[{"page": now}])
