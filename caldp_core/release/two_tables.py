"""Whether a small number follows from two tables of one list, of which each alone hides it.

Both tables count the same people, so what one hides may be a sum or a difference in the other. The
people are split into the smallest groups that the two tables tell apart (pairs of a cell of each),
leaving out pairs that cannot be, such as a department and another one. Each published number is a
sum of pairs. Whole numbers that fit all of them are what a reader, or someone who knows one hidden
cell, cannot rule out; a small number must have threshold + 1 values among them, as in one table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.extras import scipy
from caldp_core.basics.types import Bools, Ints, Progress, no_progress
from caldp_core.release.cells import Cells
from caldp_core.release.counting import count_pairs
from caldp_core.release.files import Files
from caldp_core.release.hiding import Part, narrow_in_parts
from caldp_core.release.settings import LargerCells, Settings
from caldp_core.treatments.suppression import Sums

PAIRS_MAX: Final = 6_000
"""Most pairs of cells for which the programs are solved."""
_GRID_MAX: Final = 4_000_000
"""Most pairs that are looked at."""
_MAP: Final = "\0map"
"""The map as a column beside those of lists; no title has this sign."""


class NotCheckedError(CaldpError):
    """Two tables that cannot be compared: the record says so."""


@dataclass(frozen=True, eq=False)
class ExactTable:
    """A table of exact and hidden numbers.

    `base`: the cells of the settings; `cells`: those of the table, larger ones perhaps, and
    everybody else as the last. `numbers`: (N,) cells and totals as published, −1 where hidden.
    """

    settings: Settings
    base: Cells
    cells: Cells
    numbers: Ints

    def cell_of(self) -> Ints:
        """(k + 1,) the table's cell of each cell of the settings, everybody else last."""
        own = np.arange(len(self.base.names) + 1)
        if isinstance(self.settings.treatment, LargerCells):
            own = np.append(self.base.hierarchies[0][0].groups, len(self.cells.names) - 1)
        return own

    def members(self) -> Bools:
        """(N, k + 1) True for cells of the settings that a number counts, everybody else last."""
        own = self.cell_of()
        found = np.zeros((self.numbers.size, own.size), np.bool_)
        found[own, np.arange(own.size)] = True
        for level in self.cells.margins().levels:
            found[level[own], np.arange(own.size)] = True
        return found


def check_two_tables(
    new: ExactTable, old: ExactTable, files: Files, progress: Progress = no_progress
) -> int:
    """How many small numbers of either table follow from both together.

    Also a small number of people who are in a cell of one table and left out of the other: exact
    counts of both say it by their difference. Raises `NotCheckedError` for tables that cannot be
    compared, and `Cancelled`.
    """
    feasible = _feasible_pairs(new, old)
    require_checkable(bool(feasible.sum() <= PAIRS_MAX))
    first, second = np.nonzero(feasible)
    true = count_pairs(new.settings, new.base, old.settings, old.base, files)
    require_checkable(bool((true[~feasible] == 0).all()))
    pairs = _Pairs((new, old), (first, second), true[first, second])
    found = 0
    for threshold in {new.settings.threshold, old.settings.threshold}:
        part = _whole_part(pairs, threshold)
        # What follows for every reader needs no look at those who know a cell, which takes long.
        reader = replace(part, insiders=np.zeros(0, np.int64))
        narrow = narrow_in_parts(reader, threshold, progress)
        if not narrow.any():
            narrow = narrow_in_parts(part, threshold, progress)
        found += int(narrow.sum())
    return found


@dataclass(frozen=True, eq=False)
class _Pairs:
    """The p pairs of cells in which a person can be.

    `places`: of each table (p,) the cell of the settings, everybody else last; `people`: (p,).
    """

    tables: tuple[ExactTable, ExactTable]
    places: tuple[Ints, Ints]
    people: Ints

    def left_out(self, threshold: int) -> Bools:
        """(o, p) small numbers of people in a cell of one table whom the other leaves out."""
        found = []
        for this, other in ((0, 1), (1, 0)):
            k = len(self.tables[this].base.names)
            is_outside = self.places[other] == len(self.tables[other].base.names)
            found.append((self.places[this] == np.arange(k)[:, None]) & is_outside)
        whole = np.vstack(found)
        people = whole @ self.people
        return np.asarray(whole[(people > 0) & (people < threshold)], np.bool_)


def require_checkable(holds: bool) -> None:
    """Raise `NotCheckedError` unless two tables can be compared."""
    if not holds:
        raise NotCheckedError("These two tables cannot be compared.")


def _whole_part(pairs: _Pairs, threshold: int) -> Part:
    """The programs' variables: pairs, the hidden numbers of both tables, those left out by one.

    Of the tables those with this `threshold` have small numbers.
    """
    sparse: Any = scipy.sparse
    cells, sums, members, small, insiders = [], [], [], [], []
    hidden_before = 0
    for table, places in zip(pairs.tables, pairs.places, strict=True):
        k = len(table.cells.names)
        (hidden,) = np.nonzero(table.numbers < 0)
        of_pairs = table.members()[hidden][:, places]
        members.append(of_pairs)
        people = of_pairs @ pairs.people
        is_own = table.settings.threshold == threshold
        small.append((people > 0) & (people < threshold) & is_own)
        insiders.append(hidden_before + np.flatnonzero(hidden < k))
        hidden_before += hidden.size
        # A cell is the sum of its pairs; a total is the sum of cells or totals, as in its table.
        rows = sparse.csr_array(
            (np.ones(places.size), (table.cell_of()[places], np.arange(places.size))),
            shape=(k, places.size),
        )
        inside = np.flatnonzero(hidden < k)
        own = sparse.csr_array(
            (-np.ones(inside.size), (hidden[inside], inside)), shape=(k, hidden.size)
        )
        cells.append((rows, own))
        sums.append(table.cells.margins().sums[:, hidden])
    left_out = pairs.left_out(threshold)
    rest = np.vstack([*members, left_out])
    (one, own_one), (other, own_other) = cells
    whole = sparse.bmat(
        [
            [None, sums[0], None, None],
            [None, None, sums[1], None],
            [one, own_one, None, None],
            [other, None, own_other, None],
            [
                sparse.csr_array(left_out.astype(np.float64)),
                None,
                None,
                -sparse.eye_array(len(left_out)),
            ],
        ]
    ).tocsr()
    true = np.concatenate([pairs.people, rest @ pairs.people]).astype(np.float64)
    p = pairs.people.size
    is_small = np.concatenate([np.zeros(p, np.bool_), *small, np.ones(len(left_out), np.bool_)])
    # A pair that alone is a published cell is known: without it the sums fall apart into parts.
    alone = abs(whole).sum(axis=1) == 1
    is_known = (abs(whole[alone]).sum(axis=0) > 0) & (np.arange(true.size) < p)
    kept = np.flatnonzero(~is_known)
    members_left = whole[:, kept]
    rows_left = np.flatnonzero(abs(members_left).sum(axis=1))
    free = np.zeros(kept.size)
    of_sums = Sums(
        kept,
        members_left[rows_left],
        (members_left @ true[kept])[rows_left],
        free,
        free + float(true.max()) + 2.0 * threshold,
        free,
    )
    known = np.isin(kept, p + np.concatenate(insiders))
    labels = _labels(rest, p)[kept]
    return Part(of_sums, true[kept], is_small[kept], np.flatnonzero(known), labels)


def _labels(derived: Bools, p: int) -> Ints:
    """(p + h,) labels of pairs and of derived numbers, equal for those of the same people."""
    known: dict[bytes, int] = {}
    labels = list(range(p))
    for place, row in enumerate(derived, p):
        labels.append(known.setdefault(np.packbits(row).tobytes(), place))
    return np.array(labels, np.int64)


def _conditions(table: ExactTable) -> Mapping[str, Sequence[str]]:
    """By column the value of each base cell of the table, everybody else left out."""
    settings = table.settings.cells
    if settings.map is not None:
        return {_MAP: table.base.names}
    sizes = [len(values) for values in table.base.values]
    places = np.unravel_index(np.arange(len(table.base.names)), sizes)
    found = {}
    for listed, values, place in zip(settings.lists, table.base.values, places, strict=True):
        found[listed.column] = [values[at] for at in place.tolist()]
    return found


def _feasible_pairs(new: ExactTable, old: ExactTable) -> Bools:
    """(k + 1, k' + 1) True for pairs of cells in which a person can be; everybody else is last."""
    tables = (new, old)
    for table in tables:
        require_checkable(table.settings.list.unit == "row")
    extents = [table.settings.cells.map for table in tables]
    if extents[0] is not None and extents[1] is not None:
        edges = [(e.west, e.east, e.south, e.north, e.step) for e in extents if e is not None]
        columns = [(e.longitude, e.latitude) for e in extents if e is not None]
        require_checkable(edges[0] == edges[1] and columns[0] == columns[1])
    sizes = [len(table.base.names) for table in tables]
    require_checkable((sizes[0] + 1) * (sizes[1] + 1) <= _GRID_MAX)
    by_column = [_conditions(table) for table in tables]
    wanted = [
        {column: frozenset(values) for column, values in table.settings.list.where}
        for table in tables
    ]
    inside = np.ones((sizes[0], sizes[1]), np.bool_)
    for column in by_column[0].keys() & by_column[1].keys():
        inside &= np.array(by_column[0][column])[:, None] == np.array(by_column[1][column])
    for column in wanted[0].keys() & wanted[1].keys():
        inside &= bool(wanted[0][column] & wanted[1][column])
    for column in by_column[0].keys() & wanted[1].keys():
        inside &= np.isin(by_column[0][column], list(wanted[1][column]))[:, None]
    for column in by_column[1].keys() & wanted[0].keys():
        inside &= np.isin(by_column[1][column], list(wanted[0][column]))
    feasible = np.ones((sizes[0] + 1, sizes[1] + 1), np.bool_)
    feasible[:-1, :-1] = inside
    feasible[:-1, -1] = ~_is_counted(by_column[0], wanted[0], by_column[1], wanted[1], sizes[0])
    feasible[-1, :-1] = ~_is_counted(by_column[1], wanted[1], by_column[0], wanted[0], sizes[1])
    return feasible


def _is_counted(
    values: Mapping[str, Sequence[str]],
    wanted: Mapping[str, frozenset[str]],
    other_values: Mapping[str, Sequence[str]],
    other_wanted: Mapping[str, frozenset[str]],
    k: int,
) -> Bools:
    """(k,) True for cells whose people the other table must count, too: it asks nothing more."""
    allowed = {column: frozenset(listed) for column, listed in other_values.items()}
    found = np.ones(k, np.bool_)
    for column, accepted in [*allowed.items(), *other_wanted.items()]:
        if column in values:
            found &= np.isin(values[column], list(accepted))
        else:
            found &= column in wanted and wanted[column] <= accepted
    return found
