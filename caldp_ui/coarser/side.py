"""Controls below the maps: settings of the treatments, the data, new noise, the pin."""

from dataclasses import replace

import streamlit as st

from caldp_core.datasets import PERIODS, InfantDeaths
from caldp_core.domain.grid import GridDomain
from caldp_ui.coarser import page_state, pin_view, upload, words
from caldp_ui.coarser.page_state import (
    BASES,
    HIDE,
    OFFICE_TREATMENTS,
    ROUND,
    STATE,
    TABLES,
    THRESHOLDS,
    Publication,
    TreatmentData,
)
from caldp_ui.controls import common
from caldp_ui.parts import pins, sharing


def show(data: TreatmentData) -> None:
    """The controls of attacks on one table."""
    record = data.record
    with st.container(key=STATE.key("settings")):
        _cells(data)
        _office(record)
        if record.scenario.dataset == InfantDeaths():
            _period(record)
        common.epsilon(STATE)
    with st.container(key=STATE.key("forms"), horizontal=True, gap="small"):
        page_state.show_menu(record)
        upload.popover(data)
        pins.redraw_and_pin(STATE, pin_view.title, "The same people and treatments, new noise.")
        common.button(STATE)


def show_standalone(record: Publication) -> None:
    """The controls of attacks that stand alone: ε and rounding where they matter, the rest."""
    with st.container(key=STATE.key("settings")):
        if record.attack == TABLES:
            common.epsilon(STATE)
            _base(record)
    with st.container(key=STATE.key("forms"), horizontal=True, gap="small"):
        page_state.show_menu(record)
        pins.redraw_and_pin(
            STATE, pin_view.title, "Other people and other tables of the same kind."
        )
        common.button(STATE)
    with st.container(key=STATE.key("share")):
        sharing.drawer(STATE.key("share-drawer"), lambda: sharing.show_link(STATE))


def _base(record: Publication) -> None:
    st.select_slider(
        "Round to",
        sorted({*BASES, record.base}),
        **STATE.bind("base", record.base, lambda r, n: replace(r, base=int(n))),
    )


def _period(record: Publication) -> None:
    """The menu of the period whose counties are drawn; the numbers are of both."""
    st.selectbox(
        "Drawn",
        list(range(len(PERIODS))),
        format_func=PERIODS.__getitem__,
        **STATE.bind("period", record.period, lambda r, n: replace(r, period=int(n))),
    )


def _cells(data: TreatmentData) -> None:
    """The menu of the larger cells, which are also the blocks of the noise."""
    sizes = page_state.block_choices(data.domain)
    blocks = data.setup.scenario.context.blocks
    titles = list(sizes)
    now = next((title for title, partition in sizes.items() if partition == blocks), None)
    st.selectbox(
        "Larger cells and blocks" if isinstance(data.domain, GridDomain) else "Larger cells",
        titles,
        placeholder=words.cell_size_text(data),
        help="What is published together, and within which noise hides people: one and the same, "
        "so that both hide as much.",
        **STATE.bind("cells", now, lambda r, title: page_state.with_blocks(r, sizes[title])),
    )


def _office(record: Publication) -> None:
    """The menu of the office's treatment in the third picture, and its number."""
    st.selectbox(
        "Third picture",
        list(OFFICE_TREATMENTS),
        format_func=words.TITLES.__getitem__,
        **STATE.bind("office", record.office, lambda r, name: replace(r, office=name)),
    )
    if record.office == ROUND:
        _base(record)
    elif record.office == HIDE:
        st.select_slider(
            "Hide counts under",
            sorted({*THRESHOLDS, record.threshold}),
            format_func=lambda n: f"{n:,}",
            **STATE.bind("threshold", record.threshold, lambda r, n: replace(r, threshold=int(n))),
        )
