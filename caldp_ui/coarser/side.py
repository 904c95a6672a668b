"""Below the maps: what the treatments are set to, the data, new noise, the pin."""

from dataclasses import replace

import streamlit as st

from caldp_core.datasets import PERIODS, InfantDeaths
from caldp_core.domain.grid import GridDomain
from caldp_ui.coarser import brought, pinned, presets, words
from caldp_ui.coarser.slot import (
    BASES,
    HIDE,
    OFFICES,
    ROUND,
    SLOT,
    TABLES,
    THRESHOLDS,
    Publication,
)
from caldp_ui.coarser.treated import PageData
from caldp_ui.controls import common, undo
from caldp_ui.parts import pins, sharing


def show(what: PageData) -> None:
    """All of it."""
    record = what.record
    with st.container(key=SLOT.key("settings")):
        _cells(what)
        _office(record)
        if record.scenario.dataset == InfantDeaths():
            _period(record)
        common.epsilon(SLOT)
    with st.container(key=SLOT.key("forms"), horizontal=True, gap="small"):
        presets.menu(record)
        brought.popover(what)
        pins.again(SLOT, pinned.title, "The same people and treatments, new noise.")
        undo.button(SLOT)


def alone(record: Publication) -> None:
    """Of attacks that stand alone: ε and rounding where they matter, the example, the pin."""
    with st.container(key=SLOT.key("settings")):
        if record.attack == TABLES:
            common.epsilon(SLOT)
            _base(record)
    with st.container(key=SLOT.key("forms"), horizontal=True, gap="small"):
        presets.menu(record)
        pins.again(SLOT, pinned.title, "Other people and other tables of the same kind.")
        undo.button(SLOT)
    with st.container(key=SLOT.key("share")):
        sharing.drawer(SLOT.key("share-drawer"), lambda: sharing.link(SLOT))


def _base(record: Publication) -> None:
    st.select_slider(
        "Round to",
        sorted({*BASES, record.base}),
        **SLOT.bind("base", record.base, lambda r, n: replace(r, base=int(n))),
    )


def _period(record: Publication) -> None:
    """Which period's counties are drawn; the numbers are of both."""
    st.selectbox(
        "Drawn",
        list(range(len(PERIODS))),
        format_func=PERIODS.__getitem__,
        **SLOT.bind("period", record.period, lambda r, n: replace(r, period=int(n))),
    )


def _cells(what: PageData) -> None:
    """How large the larger cells are, which are also the blocks of noise."""
    sizes = presets.sizes(what.domain)
    blocks = what.setup.scenario.context.blocks
    titles = list(sizes)
    now = next((title for title, made in sizes.items() if made == blocks), None)
    st.selectbox(
        "Larger cells and blocks" if isinstance(what.domain, GridDomain) else "Larger cells",
        titles,
        placeholder=words.cells_of(what),
        help="What is published together, and within which noise hides people: one and the same, "
        "so that both hide as much.",
        **SLOT.bind("cells", now, lambda r, title: presets.cut(r, sizes[title])),
    )


def _office(record: Publication) -> None:
    """Which treatment of an office takes the third picture, and its number."""
    st.selectbox(
        "Third picture",
        list(OFFICES),
        format_func=words.TITLES.__getitem__,
        **SLOT.bind("office", record.office, lambda r, name: replace(r, office=name)),
    )
    if record.office == ROUND:
        _base(record)
    elif record.office == HIDE:
        st.select_slider(
            "Hide counts under",
            sorted({*THRESHOLDS, record.threshold}),
            format_func=lambda n: f"{n:,}",
            **SLOT.bind("threshold", record.threshold, lambda r, n: replace(r, threshold=int(n))),
        )
