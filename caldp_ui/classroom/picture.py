"""A station's picture, as a record that both the page and its films are made from."""

from dataclasses import dataclass
from typing import Final, TypeAlias

import plotly.graph_objects as go
import streamlit as st

from caldp_ui.charts import show as charts
from caldp_ui.charts.legend import legend
from caldp_ui.classroom.page_state import STATE

_HERE: Final = f".st-key-{STATE.key('picture')}"


@dataclass(frozen=True, eq=False)
class Chart:
    """A figure below the names of its lines. `name`: its key on the page; `alt`: what it says."""

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
    """What is seen, from left to right, and how wide each part is beside the others."""

    parts: tuple[Part, ...]
    widths: tuple[float, ...] = (1.0,)


def draw(picture: Picture) -> None:
    """Show it."""
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
    """Its charts by their keys, as the browser is told of them."""
    found = [part for part in picture.parts if isinstance(part, Chart)]
    return {STATE.key(part.name): charts.figure_json(part.figure, part.alt) for part in found}


def html_by_selector(picture: Picture) -> dict[str, str]:
    """Its words and the names of its lines as HTML, by where they are on the page."""
    return {
        f"{_HERE} .{part.css_class}": part.html
        for part in (_as_html_part(each) for each in picture.parts)
    }


def _as_html_part(part: Part) -> HtmlPart:
    return part if isinstance(part, HtmlPart) else HtmlPart(legend(part.figure), "legend")
