"""The relief's tab: a choice of tiles, the columns in space, and the same numbers as a table."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import numpy as np
import pandas as pd
import streamlit as st

from caldp_core.domain.domains import GridDomain
from caldp_core.experiments.run import Result, Setup
from caldp_core.experiments.table import as_cell
from caldp_ui.app.texts import read_texts
from caldp_ui.relief.columns import (
    Blocks,
    ReliefColumns,
    Tiles,
    blocks_of,
    borders,
    estimated,
    hexagons_of,
    percent,
    points,
    squares_of,
    truth,
)
from caldp_ui.session.page_state import PageState
from caldp_ui.words import formats

TEXTS: Final = read_texts(__file__)
CODE_MB: Final = 0.8
"""Compressed size of the drawing's code in MB; it is sent once, with the first relief."""
_HEIGHT: Final = 340
"""Pixels of a relief on a wide page."""
_ROW: Final = 250
"""Pixels of a map on a phone, where they stand in a column."""
_ROWS: Final = 12
"""Rows of a table of numbers."""
Results: TypeAlias = Mapping[str, Result | None]
"""Estimates by the title of their map; None: not there yet."""
_FORMS: Final[Mapping[str, Callable[[GridDomain], Tiles]]] = {
    "Squares": squares_of,
    "Hexagons": hexagons_of,
}
_BLOCKS: Final = "Blocks and their ε"
_DARK, _LIGHT = (232, 237, 242), (27, 39, 51)


def show(state: PageState[Any], setup: Setup, domain: GridDomain, results: Results) -> None:
    """Show truth and estimates by title as columns, or the blocks of `setup` as high as their ε."""
    form, distribution = _form(state), setup.dataset.distribution
    if form not in _FORMS:
        _show_blocks(state, setup, domain)
        return
    tiles = _FORMS[form](domain)
    maps = {"Truth": truth(tiles, distribution)}
    for title, result in results.items():
        columns = None if result is None else estimated(tiles, result)
        if columns is not None:
            maps[title] = columns
    if len(maps) == 1:
        st.info("The relief comes once there are estimates whose uncertainty is known.")
        return
    from caldp_ui.relief import deck  # pydeck comes only with the first relief

    dark = st.context.theme.type == "dark"
    look = deck.shared_look(maps, _DARK if dark else _LIGHT)
    across = 1 if _is_phone() else len(maps)
    chart = deck.deck(maps, tiles, look, borders(domain), across)
    height = _HEIGHT if across > 1 else _ROW * len(maps)
    st.pydeck_chart(chart, height=height, key=state.key("relief"), alt=_alt(maps, tiles))
    megabytes = len(chart.to_json().encode()) / 1e6
    widest = points(look.widest)
    st.caption(
        TEXTS["maps_notes"].format(tiles=tiles, widest=widest, megabytes=megabytes, code=CODE_MB)
    )
    st.table(table(maps, tiles))


def _show_blocks(state: PageState[Any], setup: Setup, domain: GridDomain) -> None:
    from caldp_ui.relief import deck  # pydeck comes only with the first relief

    blocks = blocks_of(setup, domain)
    if blocks is None:
        st.info("There are no blocks here: this promise is not a context.")
        return
    dark = st.context.theme.type == "dark"
    top = float(blocks.heights.max())
    look = deck.Look(top, top, 1.0, _DARK if dark else _LIGHT, lambda e: f"ε = {e:g}")
    chart = deck.blocks_deck(blocks, domain, look, borders(domain), 1 if _is_phone() else 2)
    readable = int((blocks.protected == 0).sum())
    alt = (
        f"Relief of {formats.count(len(blocks.heights), 'block', 'blocks')}, ε as height, from "
        f"{blocks.heights.min():g} to {top:g}; in {readable} of them nobody is protected."
    )
    st.pydeck_chart(chart, height=_HEIGHT, key=state.key("relief-blocks"), alt=alt)
    st.caption(TEXTS["blocks_notes"])
    st.table(_largest(blocks))


def _largest(blocks: Blocks) -> pd.DataFrame:
    """The blocks with the most people, a row each."""
    largest = np.argsort(-blocks.people, kind="stable")[:_ROWS]
    return pd.DataFrame(
        {
            "ε": [blocks.levels[i] for i in largest],
            "people": [percent(float(blocks.people[i])) for i in largest],
            "protected": [percent(float(blocks.protected[i])) for i in largest],
        },
        index=pd.Index([as_cell(blocks.names[i]) for i in largest], name="block"),
    )


def _form(state: PageState[Any]) -> str:
    chosen = st.segmented_control(
        "Columns",
        [*_FORMS, _BLOCKS],
        default="Squares",
        required=True,
        label_visibility="collapsed",
        key=state.key("relief-form"),
    )
    return chosen or "Squares"


def _is_phone() -> bool:
    """Whether the browser says so: the camera needs the width before the relief is drawn."""
    return "Mobi" in st.context.headers.get("User-Agent", "")


def _alt(maps: Mapping[str, ReliefColumns], tiles: Tiles) -> str:
    heights = "; ".join(
        f"{title}: highest in {name_of(tiles, int(each.shares.argmax()))}, "
        f"{percent(float(each.shares.max()))}"
        for title, each in maps.items()
    )
    return f"Relief of {len(maps)} maps, share of all people as height. {heights}."


def name_of(tiles: Tiles, number: int) -> str:
    """Name of tile `number`: its largest city, else degrees."""
    domain = tiles.domain
    for cell, name in formats.towns(domain).items():
        if tiles.of_cell[cell] == number:
            return name
    latitude, longitude = tiles.latitudes[number], tiles.longitudes[number]
    return formats.degrees(float(latitude), float(longitude), tiles.degrees)


def table(maps: Mapping[str, ReliefColumns], tiles: Tiles) -> pd.DataFrame:
    """The highest columns of any map, a row each: share and, of estimates, its spread."""
    highest = np.max([each.shares for each in maps.values()], axis=0)
    largest = np.argsort(-highest, kind="stable")[:_ROWS]
    return pd.DataFrame(
        {title: [_cell(each, int(i)) for i in largest] for title, each in maps.items()},
        index=pd.Index([name_of(tiles, int(i)) for i in largest], name=f"{tiles.kind} around"),
    )


def _cell(columns: ReliefColumns, i: int) -> str:
    """The share of tile `i`; of an estimate with ± half of its 95 % range."""
    share = percent(float(columns.shares[i]))
    spread = float(columns.spread[i])
    if spread > 0:
        return f"{share} ± {points(spread)}"
    return share
