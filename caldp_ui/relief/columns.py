"""Maps of shares as columns: cells merged into tiles, and how uncertain each tile's share is."""

import math
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats, Ints
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.run import Result

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
        summed = np.bincount(self.of_cell, weights=each, minlength=self.m)
        return np.asarray(summed, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Columns:
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


def truth(tiles: Tiles, distribution: Floats) -> Columns:
    """Columns of the true (k,) `distribution`, with spread 0."""
    return Columns(tiles.total(distribution), np.zeros(tiles.m))


def estimated(tiles: Tiles, result: Result) -> Columns | None:
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
    return Columns(tiles.total(result.first.unbiased), spread)
