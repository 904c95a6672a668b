"""A station's picture, as a record that both the page and its films are made from."""

from dataclasses import dataclass
from typing import Final, TypeAlias

import plotly.graph_objects as go
import streamlit as st

from caldp_ui.charts import show as charts
from caldp_ui.charts.curves import legend
from caldp_ui.classroom.page_state import STATE

_HERE: Final = f".st-key-{STATE.key('picture')}"


@dataclass(frozen=True, eq=False)
class Chart:
    """A figure below its legend. `name`: its key on the page; `alt`: its alt text."""

    figure: go.Figure
    name: str
    alt: str


@dataclass(frozen=True)
class HtmlPart:
    """HTML of one element. `css_class`: its class, by which it is found on the page."""

    html: str
    css_class: str


Part: TypeAlias = Chart | HtmlPart


@dataclass(frozen=True, eq=False)
class Picture:
    """The parts from left to right, and their relative widths."""

    parts: tuple[Part, ...]
    widths: tuple[float, ...] = (1.0,)


def draw(picture: Picture) -> None:
    """Draw the picture on the page."""
    if len(picture.parts) == 1:
        _part(picture.parts[0])
        return
    columns = st.columns(picture.widths, gap="medium")
    for column, part in zip(columns, picture.parts, strict=True):
        with column:
            _part(part)


def _part(part: Part) -> None:
    if isinstance(part, HtmlPart):
        st.html(part.html)
        return
    st.html(legend(part.figure))
    charts.show(part.figure, STATE.key(part.name), part.alt)


def chart_messages(picture: Picture) -> dict[str, str]:
    """The messages from which the browser draws the charts, by widget key."""
    chart_parts = [part for part in picture.parts if isinstance(part, Chart)]
    return {STATE.key(part.name): charts.figure_json(part.figure, part.alt) for part in chart_parts}


def html_by_selector(picture: Picture) -> dict[str, str]:
    """HTML of the parts and of the charts' legends, by CSS selector."""
    return {
        f"{_HERE} .{part.css_class}": part.html
        for part in (_as_html_part(each) for each in picture.parts)
    }


def _as_html_part(part: Part) -> HtmlPart:
    return part if isinstance(part, HtmlPart) else HtmlPart(legend(part.figure), "legend")
