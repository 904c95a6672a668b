"""Ways to cut a domain into blocks, and which cells of a map lie in or near polygons and points.

A `Partition` is labels and names; secrecy comes in `privacy/`. All of this is public knowledge, so
none may be made from private data: adaptive blocks split a public prior. Blocks fitted to the data
themselves would leak where the people are before a single report is sent, and no ε would account
for it.
"""

import heapq
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics import errors
from caldp_core.basics.cache import cached, cached_by
from caldp_core.basics.limits import AREAS_MAX, TOGETHER_MAX
from caldp_core.basics.types import Bools, EqualByFields, Floats, Ints, read_only, sums_by
from caldp_core.domain.domains import KM_PER_DEGREE, Area, Domain, GridDomain, degrees_apart

_CELLS_MIN: Final = 2
"""Fewest cells of an adaptive block: a report from a block of one would name it."""


@dataclass(frozen=True, eq=False)
class Partition(EqualByFields):
    """Blocks of a domain: `labels` (k,) int64 in [0, m), `names` of the m blocks for readers."""

    labels: Ints
    names: tuple[str, ...]

    @property
    def m(self) -> int:
        """Number of blocks."""
        return len(self.names)

    def sizes(self) -> Ints:
        """(m,) symbols in each block."""
        return np.bincount(self.labels, minlength=self.m)

    def sums(self, values: Floats) -> Floats:
        """(m,) sum of (k,) values over each block."""
        return sums_by(self.labels, values, self.m)


def single_block(domain: Domain | GridDomain) -> Partition:
    """One block that holds everything: plain LDP if all of it is sensitive."""
    return Partition(read_only(np.zeros(domain.k, np.int64)), ("everything",))


def even_blocks(k: int, m: int) -> Partition:
    """m runs of neighbouring symbols, as even as can be (CALDP §7: {0 … k/m−1}, …).

    Raises `CaldpError` unless 1 ≤ m ≤ k.
    """
    errors.check_whole("blocks", m, 1, k)
    labels = np.arange(k) * m // k
    return Partition(read_only(labels), tuple(f"block {j + 1}" for j in range(m)))


def grid_blocks(domain: GridDomain, rows: int, columns: int) -> Partition:
    """rows × columns rectangles (CALDP §7's m₁ × m₂), as even as can be if they don't divide.

    Raises `CaldpError` unless 1 ≤ m₁ ≤ rows of the map and 1 ≤ m₂ ≤ its columns.
    """
    errors.check_whole("rows of blocks", rows, 1, domain.rows)
    errors.check_whole("columns of blocks", columns, 1, domain.columns)
    row = np.arange(domain.rows) * rows // domain.rows
    column = np.arange(domain.columns) * columns // domain.columns
    labels = (row[:, None] * columns + column[None, :]).ravel()
    names = tuple(f"row {i + 1}, column {j + 1}" for i in range(rows) for j in range(columns))
    return Partition(read_only(labels), names)


def named_blocks(labels: ArrayLike, names: Sequence[str]) -> Partition:
    """Blocks from labels made elsewhere, such as US states; (k,) labels in [0, len(names)).

    Raises `CaldpError` unless labels are whole numbers that use every block.
    """
    array = errors.check_symbols("labels", labels, len(names))
    errors.require(
        bool(np.array_equal(np.unique(array), np.arange(len(names)))),
        f"labels must use every number from 0 to {len(names) - 1}, one per name.",
    )
    return Partition(read_only(array.copy()), tuple(names))


def present_blocks(numbers: Ints, names: Sequence[str]) -> Partition:
    """The blocks that have a symbol, by the (k,) number of each symbol's in `names`."""
    present, labels = np.unique(numbers, return_inverse=True)
    return Partition(read_only(labels.astype(np.int64)), tuple(names[each] for each in present))


def drawn_blocks(domain: GridDomain, areas: Sequence[Area]) -> Partition:
    """Each drawn area is a block (a later one wins where two overlap); the rest is one more.

    Areas without a cell of their own, hidden under later ones or off the map, are left out.
    """
    errors.require(len(areas) <= AREAS_MAX, f"At most {AREAS_MAX} areas, got {len(areas)}.")
    raw = np.zeros(domain.k, np.int64)
    for number, area in enumerate(areas, start=1):
        raw[domain.area_mask(area)] = number
    drawn = (f"drawn block {number + 1}" for number in range(len(areas)))
    return present_blocks(raw, ["everywhere else", *drawn])


def adaptive_blocks(domain: GridDomain, prior: ArrayLike, blocks: int) -> Partition:
    """Rectangles that hold similar numbers of people of a *public* prior (k-d splitting).

    The heaviest rectangle is halved along its longer side (on the ground) until there are enough.
    None holds a single cell, as nobody would be hidden there. `blocks`: up to a third of the cells.
    `prior`: (k,) whole numbers ≥ 0, such as inhabitants; never the private data. Where nobody
    lives the prior counts one person a cell, so that empty land is split by area.
    """
    errors.check_whole("blocks", blocks, 1, max(1, domain.k // 3))
    people = errors.check_counts("prior", prior, domain.k).reshape(domain.rows, domain.columns) + 1
    sums = np.zeros((domain.rows + 1, domain.columns + 1), np.int64)
    sums[1:, 1:] = people.cumsum(axis=0).cumsum(axis=1)
    squeeze = float(np.cos(np.radians(domain.latitudes().mean())))
    heap = [_Rectangle(0, domain.rows, 0, domain.columns).heap_entry(sums)]
    done: list[_Rectangle] = []
    while len(heap) + len(done) < blocks:
        rectangle = heapq.heappop(heap)[-1]
        if rectangle.cells < 2 * _CELLS_MIN:
            done.append(rectangle)
            continue
        for part in rectangle.halves(sums, squeeze):
            heapq.heappush(heap, part.heap_entry(sums))
    rectangles = sorted(done + [entry[-1] for entry in heap])
    labels = np.empty((domain.rows, domain.columns), np.int64)
    for j, r in enumerate(rectangles):
        labels[r.top : r.bottom, r.left : r.right] = j
    names = tuple(f"block {j + 1}" for j in range(len(rectangles)))
    return Partition(read_only(labels.ravel()), names)


@dataclass(frozen=True, order=True)
class _Rectangle:
    top: int
    bottom: int
    left: int
    right: int

    @property
    def cells(self) -> int:
        return (self.bottom - self.top) * (self.right - self.left)

    def heap_entry(self, sums: Ints) -> tuple[int, "_Rectangle"]:
        """Entry of a heap that gives the rectangle with the most people first."""
        return -int(self.people_above(sums, along_rows=np.array([self.bottom]))[0]), self

    def people_above(self, sums: Ints, along_rows: Ints) -> Ints:
        """People between the top edge and each given row edge."""
        right = sums[along_rows, self.right] - sums[self.top, self.right]
        left = sums[along_rows, self.left] - sums[self.top, self.left]
        return np.asarray(right - left)

    def halves(self, sums: Ints, squeeze: float) -> tuple["_Rectangle", "_Rectangle"]:
        """Two parts that hold as similar numbers as can be, cut across the longer side."""
        rows, columns = self.bottom - self.top, self.right - self.left
        if columns == 1 or (rows > 1 and rows >= columns * squeeze):
            cut = self._cut(sums)
            return (
                _Rectangle(self.top, cut, self.left, self.right),
                _Rectangle(cut, self.bottom, self.left, self.right),
            )
        turned = _Rectangle(self.left, self.right, self.top, self.bottom)
        cut = turned._cut(sums.T)
        return (
            _Rectangle(self.top, self.bottom, self.left, cut),
            _Rectangle(self.top, self.bottom, cut, self.right),
        )

    def _cut(self, sums: Ints) -> int:
        # A part one column wide needs two rows, so that it holds two cells.
        margin = _CELLS_MIN if self.right - self.left == 1 else 1
        edges = np.arange(self.top + margin, self.bottom - margin + 1)
        before = self.people_above(sums, edges)
        total = self.people_above(sums, np.array([self.bottom]))[0]
        return int(edges[np.argmin(np.abs(2 * before - total))])


SIDE_MOST: Final = 32
"""Cells along the side of the largest tile."""
_SHIFTS: Final = ((0, 0), (21, 11), (10, 21), (31, 0))
"""Cells by which tiles are moved: other borders at every size. Maps draw the first cut."""


@dataclass(frozen=True)
class GridNeighbours:
    """Cells of a map: squares of 2 × 2, 4 × 4, … cells, and the eight cells around each.

    Those of the first cut are counted from the first row and column.
    """

    rows: int
    columns: int

    def tilings(self) -> Iterator[Iterator[Ints]]:
        """One cut for each of `_SHIFTS`."""
        return (self._tiles(down, right) for down, right in _SHIFTS)

    def _tiles(self, down: int, right: int) -> Iterator[Ints]:
        row, column = np.arange(self.rows) + down, np.arange(self.columns) + right
        for side in _sides(max(self.rows, self.columns)):
            across = int(column[-1]) // side + 1
            yield ((row // side * across)[:, None] + column // side).ravel()

    def neighbour_means(self, values: Floats) -> Floats:
        """(k,) means in which cells that share a side count twice, those at a corner once."""
        grid = values.reshape(self.rows, self.columns)
        weights = _binomial(_binomial(np.ones_like(grid)).T).T - 4.0
        return np.asarray(_mean(_binomial(_binomial(grid).T).T - 4.0 * grid, weights).ravel())


@dataclass(frozen=True)
class SequenceNeighbours:
    """Values in a row: runs of 2, 4, … values, and two values on each side."""

    k: int

    def tilings(self) -> Iterator[Iterator[Ints]]:
        """One cut for each of `_SHIFTS`."""
        places = np.arange(self.k)
        return (((places + by) // side for side in _sides(self.k)) for by, _ in _SHIFTS)

    def neighbour_means(self, values: Floats) -> Floats:
        """(k,) means in which the nearer value of each side counts twice."""

        def beside(row: Floats) -> Floats:
            padded = np.pad(row, 2)
            near, far = padded[1:-3] + padded[3:-1], padded[:-4] + padded[4:]
            return np.asarray(2.0 * near + far)

        return _mean(beside(values), beside(np.ones(self.k)))


@dataclass(frozen=True, eq=False)
class GroupNeighbours:
    """Values in named groups, of which nothing else is known; `labels`: (k,)."""

    labels: Ints

    def tilings(self) -> Iterator[Iterator[Ints]]:
        """One cut: the groups."""
        return iter([iter([self.labels])])

    def neighbour_means(self, values: Floats) -> Floats:
        """(k,) means of the others of the group; 0 for a symbol alone in its group."""
        sums, sizes = np.bincount(self.labels, values), np.bincount(self.labels)
        others = sizes[self.labels].astype(np.float64) - 1.0
        return _mean(sums[self.labels] - values, others)


def _sides(longest: int) -> Iterator[int]:
    side = 2
    while side <= min(SIDE_MOST, longest):
        yield side
        side *= 2


def _binomial(grid: Floats) -> Floats:
    """Sums along the first axis with weights 1, 2, 1; nothing lies beyond the edge."""
    sums = 2.0 * grid
    sums[1:] += grid[:-1]
    sums[:-1] += grid[1:]
    return sums


def _mean(sums: Floats, weights: Floats) -> Floats:
    return np.asarray(np.where(weights > 0, sums / np.maximum(weights, 1.0), 0.0))


Neighbours: TypeAlias = GridNeighbours | SequenceNeighbours | GroupNeighbours
"""Which symbols lie beside each other: tiles of `tilings`, each level inside the next, and means.

A cut whose largest tile is everything ends without that level.
"""


def neighbours(domain: Domain | GridDomain) -> Neighbours:
    """The neighbours of a domain: squares on a map, else groups, else the order of the values."""
    if isinstance(domain, GridDomain):
        return GridNeighbours(domain.rows, domain.columns)
    if domain.groups:
        return GroupNeighbours(np.unique(domain.groups, return_inverse=True)[1].astype(np.int64))
    return SequenceNeighbours(domain.k)


Tree = tuple[Ints, ...]
"""Level by level the number of the tile that each tile lies in, from symbols upwards."""


@cached_by(lambda domain, blocks: (domain, blocks.tobytes()))
def tile_trees(domain: Domain | GridDomain, blocks: Ints) -> tuple[Tree, ...]:
    """Each tiling inside each block: no tile reaches over a border. `blocks`: (k,) labels.

    Cached, as sorting cells takes half the time, and every ε has the same blocks.
    """
    return tuple(tuple(_tree(levels, blocks)) for levels in neighbours(domain).tilings())


def _tree(levels: Iterator[Ints], blocks: Ints) -> Iterator[Ints]:
    members = np.arange(blocks.size)  # a symbol of each tile
    m = int(blocks.max()) + 1
    for labels in levels:
        joint = labels[members] * m + blocks[members]
        _, first, parent = np.unique(joint, return_index=True, return_inverse=True)
        yield read_only(parent.astype(np.int64))
        members = members[first]


_WHOLE_WITHIN = 1e-6


@dataclass(frozen=True)
class LargerCells:
    """The cells of `fine` put together, `together` by `together` of them.

    Where these do not divide the map it grows to whole larger cells, to the north and the east as
    far as the Earth goes, then to the south and the west. Raises `CaldpError` where it can't.
    """

    fine: GridDomain
    together: int

    def __post_init__(self) -> None:
        errors.check_whole("together", self.together, 1, TOGETHER_MAX)
        _ = self.grid

    @cached_property
    def grid(self) -> GridDomain:
        """The map of the larger cells."""
        fine, times = self.fine, self.together
        down, left = self._padding
        return GridDomain(
            round(fine.south - down * fine.cell, 9),
            round(fine.west - left * fine.cell, 9),
            round(fine.cell * times, 9),
            -(-(fine.rows + down) // times),
            -(-(fine.columns + left) // times),
        )

    @cached_property
    def _padding(self) -> tuple[int, int]:
        """Rows and columns by which the map grows to the south and to the west."""
        area, fine = self.fine.area, self.fine
        down = self._padding_before(fine.rows, 90 - area.north, area.south + 90)
        if area.crosses_antimeridian:  # a larger cell ends at 180°, too
            return down, -round((180 - fine.west) / fine.cell) % self.together
        return down, self._padding_before(fine.columns, 180 - area.east, area.west + 180)

    def _padding_before(self, cells: int, after: float, before: float) -> int:
        missing = -cells % self.together
        rest = max(0, missing - int(after / self.fine.cell + _WHOLE_WITHIN))
        errors.require(
            rest * self.fine.cell <= before + _WHOLE_WITHIN,
            f"{cells:,} cells from edge to edge of the Earth can't be put together "
            f"{self.together} by {self.together}; take a number that divides them.",
        )
        return rest

    @cached_property
    def larger_cell_of(self) -> Ints:
        """(fine.k,) number of the larger cell that each small cell is in, read-only."""
        down, left = self._padding
        row = (np.arange(self.fine.rows) + down) // self.together
        column = (np.arange(self.fine.columns) + left) // self.together
        return read_only((row[:, None] * self.grid.columns + column[None, :]).ravel())

    def sums(self, values: Floats) -> Floats:
        """(grid.k,) sums of (fine.k,) values over each larger cell."""
        return sums_by(self.larger_cell_of, values, self.grid.k)

    def spread_evenly(self, values: Floats) -> Floats:
        """(fine.k,) shares of (grid.k,) values, each spread evenly over its small cells."""
        sizes = np.bincount(self.larger_cell_of, minlength=self.grid.k)
        return np.asarray((values / np.maximum(sizes, 1))[self.larger_cell_of])

    def any_in_cell(self, flags: Bools) -> Bools:
        """(grid.k,) True for larger cells with a small cell flagged in (fine.k,) `flags`."""
        any_flagged = np.zeros(self.grid.k, np.bool_)
        any_flagged[self.larger_cell_of[flags]] = True
        return any_flagged

    def coarsen(self, partition: Partition) -> Partition:
        """A partition of the larger cells, each in the block of its middle small cell.

        Blocks without a larger cell are left out.
        """
        down, left = self._padding
        rows, columns = self.grid.rows, self.grid.columns
        half = self.together // 2
        row = np.clip(np.arange(rows) * self.together + half - down, 0, self.fine.rows - 1)
        column = np.clip(np.arange(columns) * self.together + half - left, 0, self.fine.columns - 1)
        middle = (row[:, None] * self.fine.columns + column[None, :]).ravel()
        return present_blocks(partition.labels[middle], partition.names)


_TURNS: Final = (0.0, 360.0, -360.0)


@dataclass(frozen=True)
class AreaPart:
    """A part of an area: inside of `rings`, by the even-odd rule, and of none of its `holes`.

    Rings and holes: closed, (points, 2) longitude and latitude in degrees.
    """

    rings: Sequence[Floats]
    holes: Sequence[Floats] = ()


def cells_by_area(areas: Sequence[Sequence[Floats]], grid: GridDomain) -> tuple[Ints, Ints]:
    """(k,) block of each cell, and (m,) the number of the area that each block is, rising.

    Each area is the rings of one `AreaPart`. Rings and maps may lie on either side of the 180th
    meridian. A later area wins where two overlap; those without a cell are not blocks; cells in
    none are one more, with the number of areas.
    """
    raw = np.full(grid.k, len(areas), np.int64)
    for number, cells in cells_of_parts([AreaPart(rings) for rings in areas], grid):
        raw[cells] = number
    present, labels = np.unique(raw, return_inverse=True)
    return np.asarray(labels, np.int64), present


def cells_of_parts(parts: Sequence[AreaPart], grid: GridDomain) -> Iterator[tuple[int, Ints]]:
    """Parts in their order: number and (n,) cells whose centre is inside, by the even-odd rule.

    A part comes more than once where it lies on both sides of a map of the whole Earth, and not at
    all where it is elsewhere.
    """
    for number, turn, box in _meeting([part.rings for part in parts], grid):
        rows, columns = _reach(box, grid)
        part = parts[number]
        inside = _windings(_shift_rings(part.rings, turn), grid, rows, columns) % 2 == 1
        for hole in part.holes:
            inside &= _windings(_shift_rings([hole], turn), grid, rows, columns) % 2 == 0
        row, column = np.nonzero(inside)
        yield number, (row + rows.start) * grid.columns + column + columns.start


def cells_enclosed_twice(ring: Floats, grid: GridDomain) -> Ints:
    """(n,) cells whose centre a ring goes around 2, 4, … times, so outside by the even-odd rule."""
    found = [np.zeros(0, np.int64)]
    for _, turn, box in _meeting([[ring]], grid):
        rows, columns = _reach(box, grid)
        windings = _windings(_shift_rings([ring], turn), grid, rows, columns)
        row, column = np.nonzero((windings != 0) & (windings % 2 == 0))
        found.append((row + rows.start) * grid.columns + column + columns.start)
    return np.concatenate(found)


def _shift_rings(rings: Sequence[Floats], degrees: float) -> Sequence[Floats]:
    return [ring + np.array([degrees, 0.0]) for ring in rings] if degrees else rings


def _meeting(
    areas: Sequence[Sequence[Floats]], grid: GridDomain
) -> Iterator[tuple[int, float, Floats]]:
    """Areas that may have a cell: number, degrees to shift it to the east, and its shifted box."""
    edges, turns = grid.area, np.array(_TURNS)
    boxes = _boxes(areas)[:, None] + turns[:, None] * (1.0, 0.0, 1.0, 0.0)
    west, south, east, north = np.moveaxis(boxes, -1, 0)
    meets = (
        (west < edges.east) & (east > edges.west) & (south < edges.north) & (north > edges.south)
    )
    for number, turn in np.argwhere(meets).tolist():
        yield number, _TURNS[turn], boxes[number, turn]


def _boxes(areas: Sequence[Sequence[Floats]]) -> Floats:
    """(areas, 4) their west, south, east and north."""
    if not areas:
        return np.empty((0, 4))
    rings = [ring for area in areas for ring in area]
    points = np.concatenate(rings)
    corners = [sum(map(len, area)) for area in areas]
    first = np.cumsum([0, *corners[:-1]])
    ends = np.minimum.reduceat(points, first), np.maximum.reduceat(points, first)
    return np.concatenate(ends, axis=1)


def unwrap_rings(rings: Sequence[Floats]) -> list[Floats]:
    """Rings without jumps from 180° E to 180° W or back: their degrees go on; others stay.

    Each ring: (points, 2) longitude and latitude in degrees. A side along all of a parallel, as
    Antarctica's at the pole, is not a jump.
    """
    unwrapped = [_unwrap_ring(ring) for ring in rings]
    if all(new is old for new, old in zip(unwrapped, rings, strict=True)):
        return unwrapped
    middle = float(unwrapped[0][:, 0].mean())
    turns = [360.0 * round((middle - float(ring[:, 0].mean())) / 360.0) for ring in unwrapped]
    return [ring + np.array([turn, 0.0]) for ring, turn in zip(unwrapped, turns, strict=True)]


def _unwrap_ring(ring: Floats) -> Floats:
    steps = np.diff(ring[:, 0])
    jumps = (np.abs(steps) > 180.0) & (np.abs(steps) < 360.0)
    # Where it does not end where it began it goes around a pole.
    turns = np.cumsum(np.where(jumps, -360.0 * np.sign(steps), 0.0))
    if not jumps.any() or turns[-1] != 0.0:
        return ring
    return np.asarray(ring + np.stack([np.append(0.0, turns), np.zeros(len(ring))], axis=1))


def _reach(box: Floats, grid: GridDomain) -> tuple[slice, slice]:
    """Rows and columns of the cells whose centre may be in a box; none where it is elsewhere."""
    west, south, east, north = box
    return (
        slice(*_from(np.array([south, north]), grid.latitudes(), grid)),
        slice(*_from(np.array([west, east]), grid.longitudes(), grid)),
    )


def _from(at: Floats, centres: Floats, grid: GridDomain) -> list[int]:
    """How many centres of cells lie before each of `at`."""
    before = np.ceil((at - centres[0]) / grid.cell)
    return [int(number) for number in np.clip(before, 0, centres.size)]


def _windings(rings: Sequence[Floats], grid: GridDomain, rows: slice, columns: slice) -> Ints:
    """(rows, columns) how often rings go around the centre of each cell, opposite turns less.

    The parallel of each row's centres is cut by the rings' sides; each cut adds 1 to all that is
    east of it, or −1, by the side's direction.
    """
    latitudes, longitudes = grid.latitudes()[rows], grid.longitudes()[columns]
    turns = np.zeros((latitudes.size, longitudes.size + 1), np.int64)
    if not latitudes.size or not longitudes.size:
        return turns[:, :-1]
    for ring in rings:
        (x0, y0), (x1, y1) = ring[:-1].T, ring[1:].T
        low, high = (
            np.clip(np.ceil((y - latitudes[0]) / grid.cell), 0, latitudes.size).astype(np.int64)
            for y in (np.minimum(y0, y1), np.maximum(y0, y1))
        )
        times = high - low
        side = np.repeat(np.arange(times.size), times)
        row = low[side] + np.arange(side.size) - np.repeat(np.cumsum(times) - times, times)
        share = (latitudes[row] - y0[side]) / (y1[side] - y0[side])
        cut = np.ceil((x0[side] + share * (x1[side] - x0[side]) - longitudes[0]) / grid.cell)
        column = np.clip(cut, 0, longitudes.size).astype(np.int64)
        np.add.at(turns, (row, column), np.sign(y1 - y0).astype(np.int64)[side])
    return np.asarray(np.cumsum(turns, axis=1)[:, :-1])


_SLACK: Final = 1 + 1e-9
"""Factor on a distance, so that rounding leaves nobody out."""


def cells_within_km(grid: GridDomain, points: Floats, km: float) -> Bools:
    """(k,) True for cells of which any part is within `km` of a point, on the sphere.

    `points`: (p, 2) latitude and longitude in degrees; points off the map count as well. So
    everybody within `km` of a point is in such a cell.
    """
    flags = np.zeros((grid.rows, grid.columns), np.bool_)
    south = np.asarray(grid.south + grid.cell * np.arange(grid.rows), np.float64)
    west = np.asarray(grid.west + grid.cell * np.arange(grid.columns), np.float64)
    reach = _SLACK * km / KM_PER_DEGREE
    for latitude, longitude in points:
        rows = _within(south, grid.cell, latitude, reach)
        for turned in longitude + np.array([-360.0, 0.0, 360.0]):
            columns = _within(west, grid.cell, turned, _half_width(latitude, reach))
            beside = np.clip(turned, west[columns], west[columns] + grid.cell) - turned
            nearest = np.clip(
                _nearest_latitude(latitude, beside)[None, :],
                south[rows, None],
                south[rows, None] + grid.cell,
            )
            flags[rows, columns] |= degrees_apart(nearest, latitude, beside[None, :]) <= reach
    return flags.ravel()


def _within(edges: Floats, cell: float, at: float, reach: float) -> slice:
    """The intervals [edge, edge + cell] that come within `reach` of a place on their line."""
    indices = np.flatnonzero((edges <= at + reach) & (edges + cell >= at - reach))
    return slice(int(indices[0]), int(indices[-1]) + 1) if indices.size else slice(0, 0)


def _half_width(latitude: float, reach: float) -> float:
    """Degrees of longitude that a circle of `reach` degrees covers on each side."""
    if abs(latitude) + reach >= 90.0:  # there is a pole in it
        return 180.0
    part = np.sin(np.radians(reach)) / np.cos(np.radians(latitude))
    return float(np.degrees(np.arcsin(part))) * _SLACK


def _nearest_latitude(latitude: float, beside: Floats) -> Floats:
    """The nearest latitude on each meridian `beside` degrees away from a point."""
    ahead = np.cos(np.radians(beside))
    nearest = np.degrees(np.arctan2(np.tan(np.radians(latitude)), np.maximum(ahead, 0.0)))
    return np.asarray(np.where(ahead > 0.0, nearest, 90.0 * np.sign(latitude)))


_NUMBER: Final = r"-?[0-9]{1,3}(?:\.[0-9]{1,12})?"
_RING: Final = re.compile(rf"{_NUMBER},{_NUMBER}(?: {_NUMBER},{_NUMBER})*")
_CORNERS_MIN: Final = 3


@cached
def parse_polygon(text: str) -> tuple[AreaPart, ...]:
    """The parts that a text of `PolygonBlocks` unites; raises `CaldpError` for any other text."""
    return tuple(_part(part) for part in text.split(" + "))


def _part(text: str) -> AreaPart:
    area, *holes = text.split(" - ")
    rings = area.split(" / ")
    errors.require(
        len({frozenset(ring.split(" ")) for ring in rings}) == len(rings),
        "A ring of a polygon stands twice after “ / ”, where two copies cancel each other; leave "
        f"one out, got {errors.excerpt(text)}.",
    )
    whole = unwrap_rings([_ring(ring) for ring in (*rings, *holes)])
    return AreaPart(whole[: len(rings)], whole[len(rings) :])


def _ring(text: str) -> Floats:
    """A closed ring, (points, 2) longitude and latitude; raises `CaldpError` for other texts."""
    if _RING.fullmatch(text) is None:
        raise errors.CaldpError(
            "A polygon is written as corners “latitude,longitude” in degrees with spaces "
            f"between them, got {errors.excerpt(text)}."
        )
    points = np.array(re.split("[ ,]", text), dtype=np.float64).reshape(-1, 2)
    inside = (np.abs(points) <= (90.0, 180.0)).all()
    errors.require(
        bool(inside) and len(points) >= _CORNERS_MIN,
        f"A polygon needs {_CORNERS_MIN} corners or more within ±90° and ±180°, got "
        f"{errors.excerpt(text)}.",
    )
    return np.asarray(np.vstack([points, points[:1]])[:, ::-1])
