"""The relief of a page's maps: columns with their uncertainty, colours, heights and numbers."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats, Ints, sums_by
from caldp_core.datasets import base_map
from caldp_core.domain.domains import US_GRID, GridDomain
from caldp_core.experiments.run import Result, Setup
from caldp_core.experiments.table import as_cell
from caldp_core.privacy.context import Context
from caldp_ui.app.texts import read_texts
from caldp_ui.session.page_state import PageState
from caldp_ui.words import formats

TILES_MAX: Final = 2_000
"""Most tiles of a map: each column costs the browser about 90 bytes."""
Kind: TypeAlias = Literal["square", "hexagon"]
_STEP: Final = math.sqrt(3) / 2
"""Distance between rows of hexagons, as a part of their width."""
_INTERVAL: Final = 1.959964
"""Standard errors in half of a 95 % interval."""


@dataclass(frozen=True, eq=False)
class Tiles:
    """A map of k cells merged into m tiles of one shape; those at the edges may hold fewer cells.

    `of_cell`: (k,) number of each cell's tile. `latitudes`, `longitudes`: (m,) middles, in degrees.
    `degrees`: width of a tile from side to side, in degrees of latitude.
    """

    domain: GridDomain
    of_cell: Ints
    latitudes: Floats
    longitudes: Floats
    degrees: float
    kind: Kind = "square"

    @property
    def m(self) -> int:
        """Number of tiles."""
        return self.latitudes.size

    def total(self, each: Floats) -> Floats:
        """(k,) values of cells → (m,) sums over each tile."""
        return sums_by(self.of_cell, each, self.m)


@dataclass(frozen=True, eq=False)
class ReliefColumns:
    """`shares`: (m,) of all people; `spread`: (m,) bounds on half of their 95 % intervals."""

    shares: Floats
    spread: Floats


def squares_of(domain: GridDomain) -> Tiles:
    """The smallest squares of cells of which a map has at most `TILES_MAX`."""
    side = 1
    while _across(domain.rows, side) * _across(domain.columns, side) > TILES_MAX:
        side += 1
    row, column = np.divmod(np.arange(domain.k), domain.columns)
    high, wide = _across(domain.rows, side), _across(domain.columns, side)
    step = side * domain.cell
    latitudes = domain.south + step * (np.arange(high) + 0.5)
    longitudes = domain.west + step * (np.arange(wide) + 0.5)
    return Tiles(
        domain,
        (row // side) * wide + column // side,
        np.repeat(latitudes, wide),
        np.tile(longitudes, high),
        step,
    )


def hexagons_of(domain: GridDomain) -> Tiles:
    """Hexagons, at most `TILES_MAX`, that are regular on the ground in the middle of the map.

    A cell is in the hexagon that its centre is in; a hexagon is at least two cells wide.
    """
    narrow = narrowing(domain)
    latitudes = np.repeat(domain.latitudes(), domain.columns)
    x = np.tile(domain.longitudes() - domain.west, domain.rows) * narrow
    y = latitudes - domain.south
    wide = 2 * domain.cell
    while True:
        middles = _hexagons(x, y, wide)
        tiles, of_cell = np.unique(middles, return_inverse=True)
        if tiles.size <= TILES_MAX:
            break
        wide *= max(1.05, float(np.sqrt(tiles.size / TILES_MAX)))
    across, up = tiles.real, tiles.imag
    return Tiles(
        domain,
        of_cell.ravel().astype(np.int64),
        domain.south + up * wide * _STEP,
        domain.west + (across + up / 2) * wide / narrow,
        wide,
        "hexagon",
    )


def _hexagons(x: Floats, y: Floats, wide: float) -> NDArray[np.complex128]:
    """Nearest middle of each point (`x`, `y`), as q + r·i: r rows up, q along the row.

    Rounded so that the three coordinates of a hexagonal lattice add up to 0.
    """
    r = y / (wide * _STEP)
    q = x / wide - r / 2
    whole = np.rint([q, r, -q - r])
    off = np.abs(whole - [q, r, -q - r])
    worst = off.argmax(axis=0)
    q_whole = np.where(worst == 0, -whole[1] - whole[2], whole[0])
    r_whole = np.where(worst == 1, -whole[0] - whole[2], whole[1])
    return np.asarray(q_whole + 1j * r_whole)


def narrowing(domain: GridDomain) -> float:
    """Width of a degree of longitude in the middle of a map, in degrees of latitude."""
    return math.cos(math.radians((domain.area.south + domain.area.north) / 2))


def _across(cells: int, side: int) -> int:
    return -(-cells // side)


def truth(tiles: Tiles, distribution: Floats) -> ReliefColumns:
    """Columns of the true (k,) `distribution`, with spread 0."""
    return ReliefColumns(tiles.total(distribution), np.zeros(tiles.m))


def estimated(tiles: Tiles, result: Result) -> ReliefColumns | None:
    """Columns of the unbiased estimate with its spread; None where no variance is known.

    The covariance of two cells' estimates is 0 or less, so the sum of the cells' variances bounds
    that of a tile.
    """
    setup = result.setup
    try:
        variance = setup.mechanism.variance(setup.dataset.distribution, setup.n)
    except CaldpError:
        return None
    spread = _INTERVAL * np.sqrt(tiles.total(np.maximum(variance, 0.0)))
    return ReliefColumns(tiles.total(result.first.unbiased), spread)


def percent(share: float) -> str:
    """A share in [0, 1] as a percentage, three digits at most: "12.3 %", "less than 0.01 %"."""
    if 0 < share < 1e-4:
        return "less than 0.01 %"
    return f"{formats.digits(100 * share, 3)} %"


def points(spread: float) -> str:
    """Half an interval of shares as percentage points, two digits: "1.2 points"."""
    return formats.points(max(spread, 1e-4))


BOXES_MAX: Final = 4_000
"""Most boxes of a relief: each costs the browser some 200 bytes."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """Names, levels, people and rectangles of the m blocks of a map.

    `heights`: (m,) ε; `people`: (m,) share of all people; `protected`: (m,) share of a block's
    people who are protected. `boxes`: (n, 4) south, north, west and east of the rectangles that
    make up the blocks, in degrees; `of_box`: (n,) block of each. `descriptions`: (m,) a block's
    numbers in words; `levels`: (m,) its ε, or "none" where nothing is hidden.
    """

    names: tuple[str, ...]
    heights: Floats
    people: Floats
    protected: Floats
    boxes: Floats
    of_box: Ints
    descriptions: tuple[str, ...]
    levels: tuple[str, ...]


def blocks_of(setup: Setup, domain: GridDomain) -> Blocks | None:
    """The blocks of a context on a map; None for other policies."""
    policy, partition = setup.policy, setup.partition
    if not isinstance(policy, Context):
        return None
    people = partition.sums(setup.dataset.distribution)
    hidden = partition.sums(np.where(policy.hidden(), setup.dataset.distribution, 0.0))
    cells = partition.sums(policy.hidden().astype(np.float64)) / partition.sizes()
    protected = np.where(people > 0, hidden / np.maximum(people, 1e-300), cells)
    boxes, of_box = _boxes(partition.labels.reshape(domain.rows, domain.columns), domain)
    hides = policy.hidden_sizes.tolist()
    levels = tuple(
        f"{epsilon:g}" if some else "none"
        for epsilon, some in zip(policy.epsilon.tolist(), hides, strict=True)
    )
    descriptions = tuple(
        f"{name}: ε = {level}\n{percent(float(share))} of all people, "
        f"{percent(float(safe))} of them protected"
        for name, level, share, safe in zip(partition.names, levels, people, protected, strict=True)
    )
    return Blocks(
        partition.names, policy.epsilon, people, protected, boxes, of_box, descriptions, levels
    )


def _boxes(labels: Ints, domain: GridDomain) -> tuple[Floats, Ints]:
    """(n, 4) rectangles in degrees and (n,) block of each, from (rows, columns) labels.

    More than `BOXES_MAX` are thinned: only every second cell, or every third and so on, counts.
    """
    step = 1
    rectangles = merged_runs(labels)
    while len(rectangles) > BOXES_MAX:
        step += 1
        rectangles = merged_runs(labels[step // 2 :: step, step // 2 :: step])
    table = np.array(rectangles, dtype=np.int64)
    ends = np.minimum(
        table[:, 1:] * step, [domain.rows, domain.rows, domain.columns, domain.columns]
    )
    degrees = ends * domain.cell
    degrees[:, :2] += domain.south
    degrees[:, 2:] += domain.west
    return degrees, table[:, 0]


def merged_runs(labels: Ints) -> list[tuple[int, int, int, int, int]]:
    """Rectangles of one block: label, first row, row after the last, first and end column.

    Runs of one block along a row, merged over rows.
    """
    open_runs: dict[tuple[int, int, int], int] = {}
    rectangles = []
    rows, columns = labels.shape
    for row in range(rows + 1):
        current_runs: set[tuple[int, int, int]] = set()
        if row < rows:
            changes = np.flatnonzero(np.diff(labels[row])) + 1
            starts = [0, *changes.tolist()]
            ends = [*changes.tolist(), columns]
            current_runs = set(zip(labels[row][starts].tolist(), starts, ends, strict=True))
        ended = [run for run in open_runs if run not in current_runs]
        rectangles += [(run[0], open_runs.pop(run), row, run[1], run[2]) for run in ended]
        for run in current_runs:
            open_runs.setdefault(run, row)
    return rectangles


def borders(domain: GridDomain) -> Floats:
    """(points, 2) longitude and latitude of borders on a map, NaN between lines."""
    longitudes, latitudes = base_map(domain).outline
    lines = np.stack([longitudes, latitudes], axis=1)
    if domain == US_GRID:
        return lines
    area = domain.area
    inside = (area.west <= longitudes) & (longitudes <= area.east)
    inside &= (area.south <= latitudes) & (latitudes <= area.north)
    return np.where(inside[:, None], lines, np.nan)


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
    spread = float(columns.spread[i])
    spread_text = f" ± {points(spread)}" if spread > 0 else ""
    return f"{percent(float(columns.shares[i]))}{spread_text}"
