"""Maps of shares as columns: cells put together in squares, and how sure each square's share is."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats, Ints
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.run import Result

SQUARES_MAX: Final = 2_000
"""Most squares of a map: each column costs the browser about 90 bytes."""
_INTERVAL: Final = 1.959964


@dataclass(frozen=True, eq=False)
class Squares:
    """A map of cells put together, `side` by `side` of them; those at the edges may hold fewer.

    `of_cell`: (k,) number of each cell's square. `latitudes`, `longitudes`: (m,) middles, in
    degrees.
    """

    domain: GridDomain
    side: int
    of_cell: Ints
    latitudes: Floats
    longitudes: Floats

    @property
    def m(self) -> int:
        """How many squares there are."""
        return self.latitudes.size

    @property
    def degrees(self) -> float:
        """The side of a square."""
        return self.side * self.domain.cell

    def total(self, each: Floats) -> Floats:
        """(m,) sums over the cells of each square of (k,) values."""
        summed = np.bincount(self.of_cell, weights=each, minlength=self.m)
        return np.asarray(summed, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Columns:
    """(m,) shares of all people, and at most half of each one's 95 % interval, in shares too."""

    shares: Floats
    spread: Floats


def squares_of(domain: GridDomain) -> Squares:
    """The smallest squares of which a map has at most `SQUARES_MAX`."""
    side = 1
    while _across(domain.rows, side) * _across(domain.columns, side) > SQUARES_MAX:
        side += 1
    row, column = np.divmod(np.arange(domain.k), domain.columns)
    high, wide = _across(domain.rows, side), _across(domain.columns, side)
    step = side * domain.cell
    latitudes = domain.south + step * (np.arange(high) + 0.5)
    longitudes = domain.west + step * (np.arange(wide) + 0.5)
    return Squares(
        domain,
        side,
        (row // side) * wide + column // side,
        np.repeat(latitudes, wide),
        np.tile(longitudes, high),
    )


def _across(cells: int, side: int) -> int:
    return -(-cells // side)


def truth(squares: Squares, distribution: Floats) -> Columns:
    """Where people truly are: nothing about it is uncertain."""
    return Columns(squares.total(distribution), np.zeros(squares.m))


def estimated(squares: Squares, result: Result) -> Columns | None:
    """The unbiased estimate, to which the spread belongs; None where no variance is known.

    Estimates of two cells never err the same way on average (their covariance is 0 or less), so
    the sum of the cells' variances bounds that of a square.
    """
    setup = result.setup
    try:
        variance = setup.mechanism.variance(setup.dataset.distribution, setup.n)
    except CaldpError:
        return None
    spread = _INTERVAL * np.sqrt(squares.total(np.maximum(variance, 0.0)))
    return Columns(squares.total(result.first.unbiased), spread)
