"""What is pinned, beside what is shown: a picture, the numbers that differ, and all as files."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

import pandas as pd
import streamlit as st

from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.run import Result, Setup
from caldp_ui.controls import menus
from caldp_ui.controls.common import REDRAW_HELP, redraw_button
from caldp_ui.parts import numbers
from caldp_ui.session.page_state import R
from caldp_ui.session.pins import PINS_MAX, PinPageState
from caldp_ui.session.scenarios import S
from caldp_ui.stage import Scene, stage
from caldp_ui.words import formats, policies
from caldp_ui.words.vocabulary import Vocabulary

MAPS: Final = "pinned-maps"
"""Names the stage of what is pinned in keys."""


def redraw_and_pin(
    state: PinPageState[S], title: Callable[[S], str], help_text: str = REDRAW_HELP
) -> None:
    """The buttons that draw new noise and that pin; `help_text`: what new noise leaves as it is."""
    with st.container(horizontal=True, gap="xsmall", key=state.key("again")):
        redraw_button(state, help_text)
        pin_button(state, title)


def pin_button(state: PinPageState[R], title: Callable[[R], str]) -> None:
    """The button that pins what is shown, and the menu of what is pinned, by `title`."""
    full = len(state.pins) >= PINS_MAX
    st.button(
        "Pin",
        icon=":material/keep:",
        key=state.key("pin"),
        on_click=state.pin,
        disabled=not state.can_pin,
        help=f"Up to {PINS_MAX} are kept; let one go first."
        if full
        else "Keeps this to compare it with what you try next.",
    )
    if state.pins:
        label, icon = f"Pinned {len(state.pins)}", ":material/push_pin:"
        menus.fold(st.popover, label, state.key("pins"), lambda: _menu(state, title), icon=icon)


def _menu(state: PinPageState[R], title: Callable[[R], str]) -> None:
    with st.container(key=state.key("pinned-menu")):
        for number, record in enumerate(state.pins, 1):
            with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
                st.button(
                    f"{number}: {title(record)}",
                    key=state.key(f"choose-{number}"),
                    type="primary" if record == state.pinned else "secondary",
                    width="stretch",
                    on_click=state.choose_pin,
                    args=(record,),
                )
                st.button(
                    f"Unpin {number}",
                    key=state.key(f"unpin-{number}"),
                    icon=":material/keep_off:",
                    on_click=state.unpin,
                    args=(record,),
                )
        st.caption("The chosen one is drawn beside what you try; the table below compares all.")
        if len(state.pins) > 1:
            st.button("Unpin all", key=state.key("unpin-all"), on_click=state.unpin_all)


def maps(state: PinPageState[Any], scene: Scene, current: GridDomain) -> None:
    """The maps of the pins, under the view of the page's own maps, whose grid is `current`."""
    if scene.ground.domain != current:
        st.caption("Its map is another one, so only the numbers stand beside each other.")
        return
    still = replace(scene, actions=(), focus=None)
    stage(
        replace(still, label=f"Pinned: {scene.label}", look_hint=Scene.look_hint), state.key(MAPS)
    )


def result_numbers(nouns: Vocabulary, result: Result | None) -> dict[str, str]:
    """The numbers of a result: its levels of privacy, the odds, its errors; empty for None."""
    if result is None:
        return {}
    levels = dict(policies.describe_promise(nouns, result.setup).levels)
    return {**levels, **odds_numbers(nouns, result.setup), **numbers.column(result)}


def odds_numbers(nouns: Vocabulary, setup: Setup) -> dict[str, str]:
    """How many people are protected, and how often an attacker's even guess about one is right."""
    texts = policies.describe_promise(nouns, setup)
    covered = {"protected by nothing": texts.exposed} if texts.exposed else {}
    covered |= {"people protected": formats.out_of(texts.protected_share)}
    if texts.protected_share <= 0.0:
        return covered
    return {
        **covered,
        "right guesses about a protected person, of 100": formats.upper_bound(texts.chance),
    }


def comparison_table(table: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    """Numbers as rows, titles as columns; "–" for a number that a column lacks."""
    rows = list(dict.fromkeys(row for column in table.values() for row in column))
    columns = {title: [column.get(row, "–") for row in rows] for title, column in table.items()}
    return pd.DataFrame(columns, index=pd.Index(rows, name="number"))


def differing_rows(table: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    """The rows in which not all are alike."""
    frame = comparison_table(table)
    return frame[frame.nunique(axis=1) > 1]
