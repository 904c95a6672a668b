"""The relief of a page's maps, what its colours and heights mean, and its numbers as a table."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import numpy as np
import pandas as pd
import streamlit as st

from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.run import Result, Setup
from caldp_core.experiments.table import as_cell
from caldp_ui.relief import panel
from caldp_ui.relief.blocks import Blocks, blocks_of
from caldp_ui.relief.columns import (
    Columns,
    Tiles,
    estimated,
    hexagons_of,
    squares_of,
    truth,
)
from caldp_ui.relief.lines import borders
from caldp_ui.relief.words import percent, points
from caldp_ui.session.page_state import PageState
from caldp_ui.words import formats
from caldp_ui.words.towns import towns

CODE_MB: Final = 0.8
"""What the drawing's code weighs when it is sent, compressed; it comes once, when first opened."""
_HEIGHT: Final = 340
_ROW: Final = 250
"""Pixels of a map on a phone, where they stand in a column."""
_ROWS: Final = 12
Results: TypeAlias = Mapping[str, Result | None]
"""Estimates by the title of their map; None: not there yet."""
_FORMS: Final[Mapping[str, Callable[[GridDomain], Tiles]]] = {
    "Squares": squares_of,
    "Hexagons": hexagons_of,
}
_BLOCKS: Final = "Blocks and their ε"
_DARK, _LIGHT = (232, 237, 242), (27, 39, 51)


def show(slot: PageState[Any], setup: Setup, domain: GridDomain, results: Results) -> None:
    """Truth and estimates by title as columns, or the blocks of `setup` as high as their ε."""
    picked, distribution = _form(slot), setup.dataset.distribution
    if picked not in _FORMS:
        _show_blocks(slot, setup, domain)
        return
    tiles = _FORMS[picked](domain)
    maps = {"Truth": truth(tiles, distribution)}
    for title, result in results.items():
        found = None if result is None else estimated(tiles, result)
        if found is not None:
            maps[title] = found
    if len(maps) == 1:
        st.info("The relief comes once there are estimates whose uncertainty is known.")
        return
    from caldp_ui.relief import deck  # pydeck comes only with the first relief

    dark = st.context.theme.type == "dark"
    look = panel.shared_look(maps, _DARK if dark else _LIGHT)
    across = 1 if _is_phone() else len(maps)
    made = deck.deck(maps, tiles, look, borders(domain), across)
    height = _HEIGHT if across > 1 else _ROW * len(maps)
    st.pydeck_chart(made, height=height, key=slot.key("relief"), alt=_alt(maps, tiles))
    weight = len(made.to_json().encode()) / 1e6
    st.caption(
        f"Height: share of all people in {tiles.kind}s of {tiles.degrees:.3g}°, one scale for all "
        "maps; estimates are the unbiased ones, and those below zero are not drawn. "
        f"{_colours(look.widest)} Drag to turn all maps at once, double-click to come closer, "
        "point at a column for its numbers. "
        f"The drawing weighs {weight:.1f} MB, and {CODE_MB} MB more the first time."
    )
    st.table(table(maps, tiles))


def _show_blocks(slot: PageState[Any], setup: Setup, domain: GridDomain) -> None:
    from caldp_ui.relief import deck  # pydeck comes only with the first relief

    found = blocks_of(setup, domain)
    if found is None:
        st.info("There are no blocks here: this promise is no context.")
        return
    dark = st.context.theme.type == "dark"
    top = float(found.heights.max())
    look = panel.Look(top, top, 1.0, _DARK if dark else _LIGHT, lambda e: f"ε = {e:g}")
    made = deck.blocks_deck(found, domain, look, borders(domain), 1 if _is_phone() else 2)
    readable = int((found.protected == 0).sum())
    alt = (
        f"Relief of {len(found.heights)} blocks, ε as height, from {found.heights.min():g} to "
        f"{top:g}; in {readable} of them nobody is protected."
    )
    st.pydeck_chart(made, height=_HEIGHT, key=slot.key("relief-blocks"), alt=alt)
    st.caption(
        "Height: ε of each block; the higher, the less is hidden in it. Colour: who can be read, "
        "from pale blue (nobody) to orange (everybody in the block); there ε promises nothing. "
        "Point at a block for its name and numbers."
    )
    st.table(_largest(found))


def _largest(found: Blocks) -> pd.DataFrame:
    """The blocks with the most people, a row each."""
    first = np.argsort(-found.people, kind="stable")[:_ROWS]
    return pd.DataFrame(
        {
            "ε": [f"{found.heights[i]:g}" for i in first],
            "people": [percent(float(found.people[i])) for i in first],
            "protected": [percent(float(found.protected[i])) for i in first],
        },
        index=pd.Index([as_cell(found.names[i]) for i in first], name="block"),
    )


def _form(slot: PageState[Any]) -> str:
    picked = st.segmented_control(
        "Columns",
        [*_FORMS, _BLOCKS],
        default="Squares",
        required=True,
        label_visibility="collapsed",
        key=slot.key("relief-form"),
    )
    return picked or "Squares"


def _is_phone() -> bool:
    """Whether the browser says so; a camera is told, before it is there, how wide it will be."""
    return "Mobi" in st.context.headers.get("User-Agent", "")


def _colours(widest: float) -> str:
    return (
        "Colour: how unsure the share is, from pale blue (known) to orange "
        f"(± {points(widest)} at most, 95 of 100 times)."
    )


def _alt(maps: Mapping[str, Columns], tiles: Tiles) -> str:
    heights = "; ".join(
        f"{title}: highest in {name_of(tiles, int(each.shares.argmax()))}, "
        f"{percent(float(each.shares.max()))}"
        for title, each in maps.items()
    )
    return f"Relief of {len(maps)} maps, share of all people as height. {heights}."


def name_of(tiles: Tiles, number: int) -> str:
    """The largest city of a tile, else degrees."""
    domain = tiles.domain
    for cell, name in towns(domain).items():
        if tiles.of_cell[cell] == number:
            return name
    latitude, longitude = tiles.latitudes[number], tiles.longitudes[number]
    return formats.degrees(float(latitude), float(longitude), tiles.degrees)


def table(maps: Mapping[str, Columns], tiles: Tiles) -> pd.DataFrame:
    """The highest columns of any map, a row each: share and, of estimates, ± at most."""
    highest = np.max([each.shares for each in maps.values()], axis=0)
    first = np.argsort(-highest, kind="stable")[:_ROWS]
    return pd.DataFrame(
        {title: [_cell(each, int(i)) for i in first] for title, each in maps.items()},
        index=pd.Index([name_of(tiles, int(i)) for i in first], name=f"{tiles.kind} around"),
    )


def _cell(columns: Columns, i: int) -> str:
    spread = float(columns.spread[i])
    sure = f" ± {points(spread)}" if spread > 0 else ""
    return f"{percent(float(columns.shares[i]))}{sure}"
