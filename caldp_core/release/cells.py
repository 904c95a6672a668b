"""The cells of a release, and the totals beside them: from public lists and edges, never from data.

Cells with nobody are cells as all others. Where two lists are crossed, all combinations are cells.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.errors import CaldpError, count_text, excerpt, quoted, require
from caldp_core.basics.limits import K_MAX
from caldp_core.basics.types import Ints
from caldp_core.release.files import Files, read_columns
from caldp_core.release.settings import CellSettings, MapExtent, ValueList
from caldp_core.treatments.suppression import Margins, margins_of

ELSEWHERE: Final = "everybody else in the list"
"""The name of the cell of all people who are in no other, so that nobody is dropped."""


@dataclass(frozen=True, eq=False)
class Level:
    """Totals of groups of cells.

    `names`: of the g groups; `groups`: (k,) the group of each cell, from 0; g for none of them.
    """

    title: str
    names: tuple[str, ...]
    groups: Ints


@dataclass(frozen=True, eq=False)
class Cells:
    """k cells of a table.

    `names`: of each cell. `hierarchies`: one or two, each of levels of totals, the finest first;
    one may be empty. `values`: for lists, of each list its values, in the order of the cells.
    """

    names: tuple[str, ...]
    hierarchies: tuple[tuple[Level, ...], ...]
    values: tuple[tuple[str, ...], ...] = ()

    @property
    def levels(self) -> tuple[Level, ...]:
        """All levels of totals, in the order of `margins`."""
        return tuple(itertools.chain.from_iterable(self.hierarchies))

    def with_elsewhere(self) -> "Cells":
        """The cells, and one more for everybody else, which is in no total but that of all."""
        made = [tuple(map(_with_one_more, levels)) for levels in self.hierarchies]
        return Cells((*self.names, ELSEWHERE), tuple(made), self.values)

    def larger(self) -> "Cells":
        """The finest level of the first hierarchy as cells; raises `CaldpError` without any."""
        levels = self.hierarchies[0]
        require(
            bool(levels),
            "There are no larger cells: take a map, cross two lists, or name a column of the "
            "public file with larger areas (cells.lists.group).",
        )
        first, *others = levels
        coarser = []
        for level in others:
            groups = np.zeros(len(first.names), np.int64)
            groups[first.groups] = level.groups
            coarser.append(Level(level.title, level.names, groups))
        return Cells(first.names, (tuple(coarser),))

    def margins(self) -> Margins:
        """The sums of cells and totals; the total of everybody is the last number."""
        everybody = np.zeros(len(self.names), np.int64)
        found = [[level.groups for level in levels] for levels in self.hierarchies]
        return margins_of(*(groups or [everybody] for groups in found))


def _with_one_more(level: Level) -> Level:
    """The level with one cell more, which is in no group of it."""
    return Level(level.title, level.names, np.append(level.groups, len(level.names)))


def make_cells(settings: CellSettings, files: Files) -> Cells:
    """The cells of the settings; `files`: with the public lists. Raises `CaldpError`."""
    if settings.map is not None:
        return _map_cells(settings.map)
    lists = [_values_of(each, files) for each in settings.lists]
    values = tuple(found for found, _ in lists)
    k = len(values[0]) * (len(values[1]) if len(values) == 2 else 1)
    require(
        k <= K_MAX,
        f"A table may have at most {K_MAX:,} cells, got {k:,}; take shorter lists.",
    )
    names = tuple(" · ".join(combination) for combination in itertools.product(*values))
    if len(lists) == 1:
        larger = _group_level(settings.lists[0], lists[0][1], np.arange(k))
        return Cells(names, (larger,), values)
    first, second = np.divmod(np.arange(k), len(values[1]))
    hierarchies = []
    for number, place in enumerate((first, second)):
        title = settings.lists[number].column or "title"
        level = Level(title, values[number], place)
        hierarchies.append((level, *_group_level(settings.lists[number], lists[number][1], place)))
    return Cells(names, tuple(_without_whole(levels) for levels in hierarchies), values)


def _without_whole(levels: Sequence[Level]) -> tuple[Level, ...]:
    """Without levels of a single group: that is the total of everybody, which is there anyway."""
    return tuple(level for level in levels if len(level.names) > 1)


def _map_cells(extent: MapExtent) -> Cells:
    """Cells row by row from the south-west corner, with blocks of them."""
    west = [_degrees(extent.west + i * extent.step) for i in range(extent.columns)]
    south = [_degrees(extent.south + j * extent.step) for j in range(extent.rows)]
    names = tuple(f"{lat} N {lon} E" for lat in south for lon in west)
    across = -(-extent.columns // extent.block)
    row, column = np.divmod(np.arange(len(names)), extent.columns)
    groups = row // extent.block * across + column // extent.block
    corners = itertools.product(south[:: extent.block], west[:: extent.block])
    blocks = tuple(f"block from {lat} N {lon} E" for lat, lon in corners)
    return Cells(names, (_without_whole([Level("block", blocks, groups)]),))


def _degrees(value: float) -> str:
    return f"{round(value, 6):g}" if abs(value) < 100 else f"{round(value, 6):.9g}"


def _values_of(settings: ValueList, files: Files) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The values of a list, and the larger area of each, () without any."""
    if settings.values:
        return tuple(" ".join(value.split()) for value in settings.values), ()
    columns = [settings.key, settings.group] if settings.group else [settings.key]
    rows = read_columns(files, settings.file, columns)
    named = [row for row in rows if row[0]]
    require(bool(named), f"The list {quoted(settings.file)} has no values.")
    groups: dict[str, str] = {}
    for value, *group in named:
        require(
            groups.setdefault(value, "".join(group)) == "".join(group),
            f"{excerpt(value)} is in two larger areas of {quoted(settings.file)}.",
        )
    return tuple(groups), tuple(groups.values()) if settings.group else ()


def _group_level(settings: ValueList, groups: tuple[str, ...], place: Ints) -> tuple[Level, ...]:
    """The level of a list's larger areas; `place`: (k,) the value of each cell."""
    if not groups:
        return ()
    names = tuple(dict.fromkeys(groups))
    number = {name: at for at, name in enumerate(names)}
    of_values = np.array([number[group] for group in groups], np.int64)
    return _without_whole([Level(settings.group, names, of_values[place])])


class MapFinder:
    """Which cell a row is in, by its coordinates."""

    def __init__(self, extent: MapExtent, mark: str) -> None:
        self.extent, self.mark = extent, mark

    def find(self, texts: Sequence[str]) -> int | None:
        """The cell of a longitude and a latitude; None outside the map and for no numbers."""
        try:
            east, north = (
                float(text.replace(",", ".") if self.mark == "," else text) for text in texts
            )
        except ValueError:
            return None
        extent = self.extent
        if not (-180 <= east <= 540 and -90 <= north <= 90):  # also what is no number
            return None
        # A point on the line between two cells belongs to the eastern and northern one, also where
        # floats are a little too small.
        near = 1e-9 * extent.step
        column = math.floor((east - extent.west + near) % 360 / extent.step)
        row = math.floor((north - extent.south + near) / extent.step)
        is_inside = 0 <= column < extent.columns and 0 <= row < extent.rows
        return row * extent.columns + column if is_inside else None


class ListFinder:
    """Which cell a row is in, by its values in one or two columns."""

    def __init__(self, values: Sequence[Sequence[str]]) -> None:
        self.places: list[Mapping[str, int]] = []
        for listed in values:
            self.places.append({value: at for at, value in enumerate(listed)})

    def find(self, texts: Sequence[str]) -> int | None:
        """The cell of these values; None where one is not in its list."""
        cell = 0
        for text, places in zip(texts, self.places, strict=True):
            if text not in places:
                return None
            cell = cell * len(places) + places[text]
        return cell


def describe_cells(settings: CellSettings, cells: Cells) -> str:
    """The cells in words, for the record."""
    extent = settings.map
    if extent is None:
        sizes = " × ".join(count_text(len(values), "value", "values") for values in cells.values)
        return f"{count_text(len(cells.names), 'cell', 'cells')} from lists ({sizes})"
    edges = f"{extent.south:g} to {extent.north:g} N, {extent.west:g} to {extent.east:g} E"
    return (
        f"{count_text(extent.columns * extent.rows, 'cell', 'cells')} of {extent.step:g}°, {edges}"
    )


def no_cell(texts: Sequence[str]) -> CaldpError:
    """The error for a row of a table of counts that is in no cell."""
    row = excerpt(", ".join(texts))
    return CaldpError(
        f"The row {row} of the table is in no cell of the public lists; add it to a list, or take "
        "out a total."
    )
