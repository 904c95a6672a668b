"""What a station of the lecture is, and how an open one is laid out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import pandas as pd
import streamlit as st

from caldp_ui.app.theme import Palette
from caldp_ui.classroom import audits
from caldp_ui.classroom.dials import Dials
from caldp_ui.classroom.page_state import STATE, Lesson
from caldp_ui.classroom.picture import Picture
from caldp_ui.compute import exports
from caldp_ui.parts import mathematics, sharing
from caldp_ui.parts.tabs import tabs
from caldp_ui.words.headline import Headline
from caldp_ui.words.statements import OF_STATIONS


@dataclass(frozen=True, eq=False)
class Board:
    """An open station. `headline`: what it shows, with the live numbers.

    `picture`: builds the picture in a theme's colours. `formula`: draws the expander's content.
    `numbers`: columns of a table of what the picture shows, cells by row.
    """

    headline: Headline
    picture: Callable[[Palette], Picture]
    formula: Callable[[], None]
    numbers: Mapping[str, Mapping[str, str]]


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
            mathematics.list_statements(OF_STATIONS.get(STATE.current().station, ()))
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
    table = pd.DataFrame(board.numbers).rename_axis("number")
    st.table(table)
    sharing.file_button(STATE.key("csv"), "numbers.csv", exports.csv(table.reset_index()))


def _sharing(offer_file: Callable[[], None]) -> None:
    with sharing.link_columns(STATE):
        offer_file()


_TABS: Final[dict[str, Callable[[Board], None]]] = {
    "The exact audit": lambda _: _audit(),
    "Numbers": _table,
}
