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
from caldp_ui.classroom.statements import LECTURE
from caldp_ui.compute import exports
from caldp_ui.parts import mathematics, sharing
from caldp_ui.parts.tabs import tabs
from caldp_ui.words.headline import Headline


@dataclass(frozen=True, eq=False)
class Board:
    """An open station. `headline`: what it shows, with the live numbers.

    `picture`: what is seen, in a theme's colours. `formula`: what stands behind the expander.
    `numbers`: columns of a table with what the picture shows.
    """

    headline: Headline
    picture: Callable[[Palette], Picture]
    formula: Callable[[], None]
    numbers: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class Station:
    """One stop. `title`: in the strip. `open`: computes what is shown; `dials`: its sliders.

    `show_choice`: what is chosen above the sliders.
    `naive`: what the switch "Try to break it" does, and its explanation. `can_break`: whether the
    lesson shows something that it could break.
    """

    title: str
    open: Callable[[Lesson], Board]
    dials: Callable[[Lesson], Dials]
    naive: tuple[str, str]
    can_break: Callable[[Lesson], bool] = lambda lesson: True  # noqa: ARG005 — most always can
    show_choice: Callable[[Lesson], None] = lambda lesson: None  # noqa: ARG005 — most have none


def below(board: Board, offer_file: Callable[[], None]) -> None:
    """Under the picture: the formula once it is asked for, and tabs.

    `offer_file`: offers the station as one file.
    """
    made = st.expander("The formula", key=STATE.key("formula"), on_change="rerun")
    if made.open:
        with made:
            board.formula()
            mathematics.list_statements(LECTURE.get(STATE.current().station, ()))
    tabs(STATE.key("tabs"), {**_TABS, "Share and export": lambda _: _sharing(offer_file)}, board)


def _audit() -> None:
    lesson = STATE.current()
    told = audits.table_columns(audits.audit_station(lesson.station, lesson.epsilon))
    st.table(pd.DataFrame(told).rename_axis("mechanism"))
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
