"""A map as columns in space: its tiles, their shares with uncertainty, its blocks, its borders."""

import math
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats, Ints, sums_by
from caldp_core.datasets import base_map
from caldp_core.domain.domains import US_GRID, GridDomain
from caldp_core.experiments.run import Result, Setup
from caldp_core.privacy.context import Context
from caldp_ui.app.user_text import user_texts
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
        f"{name.plain}: ε = {level}\n{percent(float(share))} of all people, "
        f"{percent(float(safe))} of them protected"
        for name, level, share, safe in zip(
            user_texts(partition.names), levels, people, protected, strict=True
        )
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
