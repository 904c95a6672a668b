"""People of the held list in each cell; those in no cell are in one more: nobody is dropped."""

import re
import secrets
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from caldp_core.basics.errors import count_text, excerpt, quoted, require
from caldp_core.basics.limits import N_MAX
from caldp_core.basics.types import Ints
from caldp_core.datasets.files.table import Chosen
from caldp_core.release.cells import Cells, ListFinder, MapFinder, no_cell
from caldp_core.release.files import Files, detect_file, read_rows
from caldp_core.release.settings import CentralNoise, HeldList, Settings

_WHOLE: Final = re.compile(r"[0-9]{1,12}(\.0+)?")
_THOUSANDS: Final = re.compile(r"[0-9]{1,3}(?:[,'\s][0-9]{3})+")
"""With a point between thousands a count would look like 1.234, which may be a rate."""
_EXAMPLES: Final = 3


@dataclass(frozen=True, eq=False)
class Counted:
    """People of each cell, the last of everybody else unless the list is a table.

    `draw_counts`: the (k,) counts; before noise it draws which cells stay of a person who is in too
    many, so it is called once, after the release is in the ledger. `people`: in the list.
    `remarks`: sentences for the officer alone, with true numbers.
    """

    draw_counts: Callable[[], Ints]
    people: int
    remarks: tuple[str, ...]


class Finder(Protocol):
    """Finds the cell of a row by the texts of its columns."""

    def find(self, texts: Sequence[str]) -> int | None:
        """The cell, None for no cell."""


def count_people(settings: Settings, cells: Cells, files: Files) -> Counted:
    """The counts of the held list.

    Before noise, a person who is in more cells than `most` stays in that many, drawn by the
    operating system's coins: otherwise one person could move more counts than the noise is for.
    Raises `CaldpError` for a file that is not such a list.
    """
    if settings.list.unit == "table":
        return _count_table(settings, cells, files)
    return _count_rows(settings, cells, files)


def count_pairs(
    first: Settings, first_cells: Cells, second: Settings, second_cells: Cells, files: Files
) -> Ints:
    """(k + 1, k' + 1) people by their cells in two tables of one list; everybody else is last.

    Both must say that a row is a person. Raises `CaldpError` for a file that is not such a list.
    """
    held = first.list
    file = detect_file(files, held.file, _chosen(held))
    mark = held.decimal or file.places.mark or "."
    tables = []
    columns: list[str] = []
    for settings, cells in ((first, first_cells), (second, second_cells)):
        own, finder = _finder(settings, cells, mark)
        conditions = [column for column, _ in settings.list.where]
        wanted = [{" ".join(v.split()) for v in values} for _, values in settings.list.where]
        columns += [column for column in (*own, *conditions) if column not in columns]
        tables.append((own, conditions, wanted, finder, len(cells.names)))
    read = read_rows(file, columns)
    read.require_all()
    counts = np.zeros([len(first_cells.names) + 1, len(second_cells.names) + 1], np.int64)
    for row, times in zip(read.rows, read.times, strict=True):
        by_column = dict(zip(columns, row, strict=True))
        places = []
        for own, conditions, wanted, finder, elsewhere in tables:
            asked = zip(conditions, wanted, strict=True)
            is_counted = all(by_column[column] in allowed for column, allowed in asked)
            cell = finder.find([by_column[column] for column in own]) if is_counted else None
            places.append(elsewhere if cell is None else cell)
        counts[places[0], places[1]] += times
    return counts


def _chosen(held: HeldList) -> Chosen:
    return Chosen(held.sheet, held.encoding, held.delimiter, True, held.decimal or None)  # type: ignore[arg-type]


def _finder(settings: Settings, cells: Cells, mark: str) -> tuple[list[str], Finder]:
    """The columns that say where a row is, and what finds its cell."""
    extent = settings.cells.map
    if extent is not None:
        return [extent.longitude, extent.latitude], MapFinder(extent, mark)
    columns = [each.column for each in settings.cells.lists if each.column]
    return columns, ListFinder(cells.values)


def _count_rows(settings: Settings, cells: Cells, files: Files) -> Counted:
    """A row, or several rows with one identifier, are a person."""
    held = settings.list
    file = detect_file(files, held.file, _chosen(held))
    columns, finder = _finder(settings, cells, held.decimal or file.places.mark or ".")
    conditions = [column for column, _ in held.where]
    identifier = [held.column] if held.column else []
    read = read_rows(file, [*columns, *conditions, *identifier])
    read.require_all()
    wanted = [{" ".join(value.split()) for value in values} for _, values in held.where]
    elsewhere = len(cells.names)
    found = np.empty(len(read.rows), np.int64)
    unknown: Counter[str] = Counter()
    first, last = len(columns), len(columns) + len(conditions)
    for number, row in enumerate(read.rows):
        pairs = zip(row[first:last], wanted, strict=True)
        is_counted = all(value in allowed for value, allowed in pairs)
        cell = finder.find(row[:first]) if is_counted else None
        if is_counted and cell is None:
            unknown[", ".join(row[:first])] += read.times[number]
        found[number] = elsewhere if cell is None else cell
    times = np.array(read.times, np.int64)
    if not identifier:
        return _people_of_rows(found, times, elsewhere, unknown)
    people = [row[last] for row in read.rows]
    require(
        "" not in people,
        f"A row of {quoted(held.file)} has no {quoted(held.column)}, so that nobody knows whose it "
        "is; fill it in.",
    )
    is_cut = isinstance(settings.treatment, CentralNoise)
    most = held.most if is_cut else elsewhere + 1
    return _people_of_identifiers(people, found, elsewhere, most, unknown)


def _people_of_rows(cells: Ints, times: Ints, elsewhere: int, unknown: Counter[str]) -> Counted:
    """Each row is a person; (r,) the cell of each different row, and how often it is there."""
    counts = np.zeros(elsewhere + 1, np.int64)
    np.add.at(counts, cells, times)
    people, outside = int(counts.sum()), int(counts[-1])
    _check_somebody(outside < people)
    return Counted(lambda: counts, people, _remarks(outside, people, unknown, 0, 1))


def _people_of_identifiers(
    identifiers: Sequence[str], cells: Ints, elsewhere: int, most: int, unknown: Counter[str]
) -> Counted:
    """The rows with one identifier are a person, who is once in each of their cells."""
    cells_of: dict[str, set[int]] = {}
    for identifier, cell in zip(identifiers, cells.tolist(), strict=True):
        cells_of.setdefault(identifier, set()).add(cell)
    people = list(cells_of.values())
    outside = sum(found == {elsewhere} for found in people)
    _check_somebody(outside < len(people))
    above = sum(len(found) > most for found in people)
    remarks = _remarks(outside, len(people), unknown, above, most)
    return Counted(lambda: _add_up(people, elsewhere + 1, most), len(people), remarks)


def _add_up(people: Collection[set[int]], k: int, most: int) -> Ints:
    """(k,) people of each cell; of each person `most` cells at most, drawn if there are more."""
    counts = np.zeros(k, np.int64)
    coins = secrets.SystemRandom()
    for cells in people:
        for cell in cells if len(cells) <= most else coins.sample(sorted(cells), most):
            counts[cell] += 1
    return counts


def _check_somebody(is_somebody_there: bool) -> None:
    require(
        is_somebody_there,
        "Nobody of the list is in any cell; look at the names of columns, at the lists, and "
        "whether longitude and latitude are exchanged.",
    )


def _remarks(
    outside: int, people: int, unknown: Counter[str], above: int, most: int
) -> tuple[str, ...]:
    found = []
    if outside:
        who = count_text(outside, "person is", "people are")
        found.append(f"{who} in no cell, of {people:,}, and counted as everybody else in the list.")
    if unknown:
        examples = "; ".join(excerpt(text) for text, _ in unknown.most_common(_EXAMPLES))
        rows = count_text(unknown.total(), "row is", "rows are")
        found.append(f"{rows} outside the map or the lists, such as {examples}.")
    if above:
        who = count_text(above, "person is", "people are")
        stay = count_text(most, "cell of each stays", "cells of each stay")
        found.append(f"{who} in more than {count_text(most, 'cell', 'cells')}; {stay}, drawn.")
    return tuple(found)


def _count_table(settings: Settings, cells: Cells, files: Files) -> Counted:
    """A table of counts: every number must be exact, and every combination must be there."""
    held = settings.list
    file = detect_file(files, held.file, _chosen(held))
    columns, finder = _finder(settings, cells, held.decimal or file.places.mark or ".")
    titles = list(cells.values[-1]) if not held.column else []
    read = read_rows(file, [*columns, *(titles or [held.column])])
    # A note below the table is no row. A row that is broken leaves its cells out, which is refused
    # unless missing cells mean nobody.
    if held.missing or settings.cells.map is not None:
        read.require_all()
    counts, seen = np.zeros(len(cells.names), np.int64), np.zeros(len(cells.names), np.bool_)
    for row, times in zip(read.rows, read.times, strict=True):
        keys = row[: len(columns)]
        if not any(keys):
            continue  # lines below the table
        for number, text in enumerate(row[len(columns) :]):
            people = _exact_count(text, keys)
            whole = [*keys, titles[number]] if titles else list(keys)
            cell = finder.find(_in_order(whole, settings))
            if cell is None:
                raise no_cell(whole)
            counts[cell] += times * people
            seen[cell] = True
    missing = np.flatnonzero(~seen)
    require(
        not missing.size or held.missing == "nobody" or settings.cells.map is not None,
        f"The table has no row for {count_text(missing.size, 'cell', 'cells')} of "
        f"{seen.size:,}, such as {quoted(cells.names[missing[0]]) if missing.size else ''}; if "
        'nobody is there, say list.missing = "nobody", else add them.',
    )
    _check_somebody(bool(counts.any()))
    require(int(counts.sum()) <= N_MAX, f"The table may have at most {N_MAX:,} people.")
    return Counted(lambda: counts, int(counts.sum()), ())


def _in_order(keys: list[str], settings: Settings) -> list[str]:
    """The keys in the order of the lists; those of titles come last in a row of a table."""
    lists = settings.cells.lists
    if len(lists) == 2 and not lists[0].column:
        return keys[::-1]
    return keys


def _exact_count(text: str, keys: Sequence[str]) -> int:
    """The count; raises `CaldpError` for a hidden, rounded or missing number."""
    plain = re.sub(r"[,'\s]", "", text) if _THOUSANDS.fullmatch(text) else text
    require(
        _WHOLE.fullmatch(plain) is not None,
        f"{quoted(text)} at {excerpt(', '.join(keys))} is not a count; a table whose small numbers "
        "were hidden or rounded before is no held list, as what is hidden may follow from its "
        "totals: release it from the list that it was made of.",
    )
    return int(plain.partition(".")[0])
