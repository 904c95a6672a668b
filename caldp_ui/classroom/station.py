"""What a station of the lecture is, and how an open one is laid out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import pandas as pd
import streamlit as st

from caldp_ui.app.theme import Palette
from caldp_ui.classroom import audits
from caldp_ui.classroom.dials import Dials
from caldp_ui.classroom.picture import Picture
from caldp_ui.classroom.slot import SLOT, Lesson
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

    `choice`: what is chosen above the sliders.
    `naive`: what the switch "Try to break it" does, and its explanation. `breaks`: whether the
    lesson shows something that it could break.
    """

    title: str
    open: Callable[[Lesson], Board]
    dials: Callable[[Lesson], Dials]
    naive: tuple[str, str]
    breaks: Callable[[Lesson], bool] = lambda lesson: True  # noqa: ARG005 — most always can
    choice: Callable[[Lesson], None] = lambda lesson: None  # noqa: ARG005 — most have none


def below(board: Board, home: Callable[[], None]) -> None:
    """Under the picture: the formula once it is asked for, and tabs.

    `home`: offers the station as one file.
    """
    made = st.expander("The formula", key=SLOT.key("formula"), on_change="rerun")
    if made.open:
        with made:
            board.formula()
            mathematics.listed(LECTURE.get(SLOT.now().station, ()))
    tabs(SLOT.key("tabs"), {**_TABS, "Share and export": lambda _: _sharing(home)}, board)


def _audit() -> None:
    lesson = SLOT.now()
    told = audits.told(audits.of(lesson.station, lesson.epsilon))
    st.table(pd.DataFrame(told).rename_axis("mechanism"))
    st.caption(
        "The largest log Q(y|x)/Q(y|x′) of every report and pair, in fractions, at a size small "
        "enough to write the whole channel out."
    )


def _table(board: Board) -> None:
    table = pd.DataFrame(board.numbers).rename_axis("number")
    st.table(table)
    sharing.file(SLOT.key("csv"), "numbers.csv", exports.csv(table.reset_index()))


def _sharing(home: Callable[[], None]) -> None:
    with sharing.beside_link(SLOT):
        home()


_TABS: Final[dict[str, Callable[[Board], None]]] = {
    "The exact audit": lambda _: _audit(),
    "Numbers": _table,
}
