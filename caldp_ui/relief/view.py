"""The relief of a page's maps, what its colours and heights mean, and its numbers as a table."""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import numpy as np
import pandas as pd
import streamlit as st

from caldp_core.basics.types import Floats
from caldp_core.datasets import base_map
from caldp_core.domain.grid import US_GRID, GridDomain
from caldp_core.experiments.run import Result
from caldp_ui.relief.columns import Columns, Squares, estimated, squares_of, truth
from caldp_ui.relief.words import percent, points
from caldp_ui.session.slot import Slot
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
_DARK, _LIGHT = (232, 237, 242), (27, 39, 51)


def show(slot: Slot[Any], distribution: Floats, domain: GridDomain, results: Results) -> None:
    """Truth and estimates by title as columns; a sentence where there is nothing to draw yet."""
    squares = squares_of(domain)
    maps = {"Truth": truth(squares, distribution)}
    for title, result in results.items():
        found = None if result is None else estimated(squares, result)
        if found is not None:
            maps[title] = found
    if len(maps) == 1:
        st.info("The relief comes once there are estimates whose uncertainty is known.")
        return
    from caldp_ui.relief import deck  # pydeck comes only with the first relief

    dark = st.context.theme.type == "dark"
    look = deck.look_of(maps, _DARK if dark else _LIGHT)
    across = 1 if _is_phone() else len(maps)
    made = deck.deck(maps, squares, look, _borders(domain), across)
    height = _HEIGHT if across > 1 else _ROW * len(maps)
    st.pydeck_chart(made, height=height, key=slot.key("relief"), alt=_alt(maps, squares))
    weight = len(made.to_json().encode()) / 1e6
    st.caption(
        f"Height: share of all people in squares of {squares.degrees:g}°, one scale for all maps; "
        "estimates are the unbiased ones, and those below zero are not drawn. "
        f"{_colours(look.widest)} Drag to turn all maps at once, double-click to come closer, "
        "point at a column for its numbers. "
        f"The drawing weighs {weight:.1f} MB, and {CODE_MB} MB more the first time."
    )
    st.table(table(maps, squares))


def _is_phone() -> bool:
    """Whether the browser says so; a camera is told, before it is there, how wide it will be."""
    return "Mobi" in st.context.headers.get("User-Agent", "")


def _colours(widest: float) -> str:
    return (
        "Colour: how unsure the share is, from pale blue (known) to orange "
        f"(± {points(widest)} at most, 95 of 100 times)."
    )


def _alt(maps: Mapping[str, Columns], squares: Squares) -> str:
    heights = "; ".join(
        f"{title}: highest in {name_of(squares, int(each.shares.argmax()))}, "
        f"{percent(float(each.shares.max()))}"
        for title, each in maps.items()
    )
    return f"Relief of {len(maps)} maps, share of all people as height. {heights}."


def _borders(domain: GridDomain) -> Floats:
    """(points, 2) longitude and latitude of borders on this map, NaN between lines."""
    longitudes, latitudes = base_map(domain).outline
    lines = np.stack([longitudes, latitudes], axis=1)
    if domain == US_GRID:
        return lines
    area = domain.area
    inside = (area.west <= longitudes) & (longitudes <= area.east)
    inside &= (area.south <= latitudes) & (latitudes <= area.north)
    return np.where(inside[:, None], lines, np.nan)


def name_of(squares: Squares, number: int) -> str:
    """The largest city of a square, else degrees."""
    domain = squares.domain
    for cell, name in towns(domain).items():
        if squares.of_cell[cell] == number:
            return name
    latitude, longitude = squares.latitudes[number], squares.longitudes[number]
    return formats.degrees(float(latitude), float(longitude), squares.degrees)


def table(maps: Mapping[str, Columns], squares: Squares) -> pd.DataFrame:
    """The highest columns of any map, a row each: share and, of estimates, ± at most."""
    highest = np.max([each.shares for each in maps.values()], axis=0)
    first = np.argsort(-highest, kind="stable")[:_ROWS]
    return pd.DataFrame(
        {title: [_cell(each, int(i)) for i in first] for title, each in maps.items()},
        index=pd.Index([name_of(squares, int(i)) for i in first], name="square around"),
    )


def _cell(columns: Columns, i: int) -> str:
    spread = float(columns.spread[i])
    sure = f" ± {points(spread)}" if spread > 0 else ""
    return f"{percent(float(columns.shares[i]))}{sure}"
