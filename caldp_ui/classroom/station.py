"""What a station of the lecture is: its picture, its dials, and how an open one is laid out."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from caldp_core.basics.limits import SEED_MAX
from caldp_ui.app.texts import read_toml
from caldp_ui.app.theme import Palette
from caldp_ui.charts import show as charts
from caldp_ui.charts.curves import legend
from caldp_ui.classroom import audits
from caldp_ui.classroom.page_state import ITEMS_MOST, STATE, Lesson
from caldp_ui.compute import exports
from caldp_ui.controls import common
from caldp_ui.controls.common import Slider, field_slider
from caldp_ui.parts import promises, sharing
from caldp_ui.parts.layout import tabs
from caldp_ui.words import formats
from caldp_ui.words.formats import Headline
from caldp_ui.words.glossary import DEFINITIONS, OF_STATIONS

_EPSILONS: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0)
_PEOPLE: Final = (10, 100, 1_000, 10_000, 100_000, 10**6, 10**7, 10**8, 10**9)


@dataclass(frozen=True)
class Dial:
    """A slider over some values of one field of the lesson, with its title and help."""

    slider: Slider[Lesson]
    title: str
    help_text: str


def dial(
    field: str,
    title: str,
    steps: tuple[float, ...],
    help_text: str,
    format_value: Callable[[float], str] = formats.people,
) -> Dial:
    """The dial of a field; `steps`: where it stops."""
    return Dial(field_slider(field, steps, format_value), title, help_text)


Dials = tuple[Dial, ...]
EPSILON: Final = dial(
    "epsilon", "Privacy level ε", _EPSILONS, DEFINITIONS["ε"], lambda level: f"{level:g}"
)


def people(least: int = 10) -> Dial:
    """The dial of the number of people, from `least` on."""
    steps = tuple(n for n in (1, *_PEOPLE) if n >= least)
    help_text = "More people cost no time: sums are drawn from their exact distribution."
    return dial("n", "People", steps, help_text)


def item_dials(help_text: str) -> Callable[[Lesson], Dials]:
    """The dials of a station about items. `help_text`: says what these are."""
    powers = tuple(1 << b for b in range(2, ITEMS_MOST.bit_length()))
    return lambda _: (EPSILON, dial("items", "Items", powers, help_text), people(100))


def show_dials(dials: Dials) -> None:
    """Draw the dials; the first two stay under the thumb on a phone."""
    with st.container(key=STATE.key("dials")):
        for dial in dials[:2]:
            common.show(STATE, dial.slider, dial.title, dial.help_text)
    for dial in dials[2:]:
        common.show(STATE, dial.slider, dial.title, dial.help_text)


def break_it(lesson: Lesson, naive: tuple[str, str]) -> None:
    """Draw the switch that shows the naive version failing. `naive`: its label and its help."""
    st.markdown("**Try to break it**")
    st.toggle(
        naive[0],
        help=naive[1],
        **STATE.bind("broken", lesson.broken, lambda r, v: replace(r, broken=v)),
    )


def steps() -> None:
    """Draw the buttons for new noise and for undo."""
    with st.container(horizontal=True, gap="xsmall"):
        st.button(
            "Draw new noise",
            icon=":material/casino:",
            key=STATE.key("another"),
            on_click=STATE.change,
            args=(lambda lesson: replace(lesson, seed=(lesson.seed + 1) % (SEED_MAX + 1)),),
            help="The same settings, another draw.",
        )
        common.button(STATE)


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


def two_digits(number: float) -> str:
    """A number of people or votes to two digits, with decimals below 10."""
    return formats.digits(number) if number < 10 else formats.people(float(f"{number:.2g}"))


Table: TypeAlias = Mapping[str, Mapping[str, str]]
"""Cells by column and row."""


def table(
    rows: Sequence[str], columns: Mapping[str, Iterable[Any]], cell: Callable[[Any], str]
) -> Table:
    """A table of numbers. `columns`: a number a row each; `cell`: how a number is written."""
    return {
        title: {row: cell(value) for row, value in zip(rows, values, strict=True)}
        for title, values in columns.items()
    }


def alt_text(sentence: str, numbers: Table) -> str:
    """A picture's alt text: a sentence on what is drawn, and its numbers."""
    columns = [
        f"{title}: {', '.join(f'{row} {cell}' for row, cell in cells.items())}"
        for title, cells in numbers.items()
    ]
    return f"{sentence} {'; '.join(columns)}."


_FORMULAS: Final = read_toml(__file__, "formulas.toml")


def formula(name: str, **figures: object) -> None:
    """Draw a station's formula, and what there is to say of it with these figures."""
    texts = _FORMULAS[name]
    st.latex(texts["latex"])
    st.markdown(texts["text"].format(**figures))


@dataclass(frozen=True, eq=False)
class Board:
    """An open station. `headline`: what it shows, with the live numbers.

    `picture`: builds the picture in a theme's colours. `formula`: draws the expander's content.
    `numbers`: columns of a table of what the picture shows, cells by row.
    """

    headline: Headline
    picture: Callable[[Palette], Picture]
    formula: Callable[[], None]
    numbers: Table


@dataclass(frozen=True)
class Station:
    """One station. `title`: in the strip. `open`: computes its board; `dials`: its sliders.

    `show_choice`: draws a choice above the sliders. `naive`: label and help of the switch "Try to
    break it". `can_break`: whether the lesson shows something that the switch could break.
    """

    title: str
    open: Callable[[Lesson], Board]
    dials: Callable[[Lesson], Dials]
    naive: tuple[str, str]
    can_break: Callable[[Lesson], bool] = lambda lesson: True  # noqa: ARG005 — most always can
    show_choice: Callable[[Lesson], None] = lambda lesson: None  # noqa: ARG005 — most have none


def below(board: Board, offer_file: Callable[[], None]) -> None:
    """Draw what is under the picture: the formula in an expander, and the tabs.

    `offer_file`: offers the station as one file.
    """
    expander = st.expander("The formula", key=STATE.key("formula"), on_change="rerun")
    if expander.open:
        with expander:
            board.formula()
            promises.list_statements(OF_STATIONS.get(STATE.current().station, ()))
    tabs(STATE.key("tabs"), {**_TABS, "Share and export": lambda _: _sharing(offer_file)}, board)


def _audit() -> None:
    lesson = STATE.current()
    columns = audits.table_columns(audits.audit_station(lesson.station, lesson.epsilon))
    st.table(pd.DataFrame(columns).rename_axis("mechanism"))
    st.caption(
        "The largest log Q(y|x)/Q(y|x′) of every report and pair, in fractions, at a size small "
        "enough to write the whole channel out."
    )


def _table(board: Board) -> None:
    frame = pd.DataFrame(board.numbers).rename_axis("number")
    st.table(frame)
    sharing.file_button(STATE.key("csv"), "numbers.csv", exports.csv(frame.reset_index()))


def _sharing(offer_file: Callable[[], None]) -> None:
    with sharing.link_columns(STATE):
        offer_file()


_TABS: Final[dict[str, Callable[[Board], None]]] = {
    "The exact audit": lambda _: _audit(),
    "Numbers": _table,
}
