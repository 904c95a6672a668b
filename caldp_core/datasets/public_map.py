"""A public map: where people are by what everybody can look up, such as last year's published map.

It is nobody's data: it comes from other sources than the reports, so that an estimate may take it
for known at no privacy cost (`estimation/public_prior.py`).
"""

from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from caldp_core.basics.cache import cached
from caldp_core.basics.errors import CaldpError, excerpt, require
from caldp_core.basics.extras import scipy
from caldp_core.basics.types import Floats, Ints, read_only
from caldp_core.datasets.own import check_line, format_cells, parse_cells
from caldp_core.domain.domains import Area, Domain, GridDomain

_TURNS: Final = (0.0, 360.0, -360.0)
_PARTS_SUM: Final = 1_000_000_000
"""Sum of the parts that `public_map_from_weights` makes, but for rounding."""


class PriorSpec(Protocol):
    """Public knowledge that an estimate may take for known."""

    def shares_on(self, domain: Domain | GridDomain) -> Floats | None:
        """(k,) shares of people on these symbols, None where nothing is known."""


@dataclass(frozen=True)
class NoPrior:
    """Nothing is taken for known."""

    def shares_on(self, domain: Domain | GridDomain) -> None:
        """None, as nothing is known of any domain."""


@dataclass(frozen=True)
class PublicMap:
    """How people are spread over a map that is published.

    `parts`: the cells with people, ascending, as "cell:part" with spaces between them: "17:3 25:1".
    A part is a whole number; only what it is beside others means anything. `area`: the map,
    "south,north,west,east" in degrees; `cell`: side of a cell in degrees; at most 2²⁰ cells.
    `title`: what the map is called. Raises `CaldpError` for anything else.
    """

    parts: str
    area: str
    cell: float = 0.2
    title: str = "Public map"

    def __post_init__(self) -> None:
        check_line("title", self.title)
        require(bool(self.weights().any()), "parts must be above 0 in one cell at least.")

    def grid(self) -> GridDomain:
        """The map's cells."""
        return GridDomain.from_area(Area.parse(self.area), self.cell)

    def weights(self) -> Ints:
        """(k,) part of each cell of `grid`, whole numbers ≥ 0."""
        weights = np.zeros(self.grid().k, dtype=np.int64)
        cells, parts = parse_cells("parts", self.parts, weights.size)
        weights[cells] = parts
        return weights

    @cached
    def shares_on(self, domain: Domain | GridDomain) -> Floats:
        """(k,) shares ≥ 0 on another map, sum 1: each cell's part is spread evenly over it.

        Raises `CaldpError` for values without a map, and for a map without anybody in common.
        """
        if not isinstance(domain, GridDomain):
            raise CaldpError("A public map says nothing of values that are on no map.")
        source = self.grid()
        table = self.weights().reshape(source.rows, source.columns).astype(np.float64)
        upwards = _overlap_matrix(
            (source.south, source.cell, source.rows), (domain.south, domain.cell, domain.rows)
        )
        table, across = upwards @ table, (domain.west, domain.cell, domain.columns)
        table_on = np.zeros((domain.rows, domain.columns))
        for turn in _TURNS:
            along = _overlap_matrix((source.west + turn, source.cell, source.columns), across)
            table_on += (along @ table.T).T
        weights = table_on.ravel()
        require(
            float(weights.sum()) > 0,
            f"The public map {excerpt(self.title)} has nobody on this map, {domain.area}; take one "
            "of the same part of the Earth.",
        )
        return read_only(weights / weights.sum())


def public_map_from_weights(weights: Floats | Ints, grid: GridDomain, title: str) -> PublicMap:
    """The record of (k,) `weights` ≥ 0 of a map's cells, not all 0; parts of a billion."""
    parts = np.rint(weights * (_PARTS_SUM / float(weights.sum()))).astype(np.int64)
    return PublicMap(format_cells(parts), str(grid.area), grid.cell, title)


def _overlap_matrix(
    source: tuple[float, float, int], on: tuple[float, float, int]
) -> "scipy.sparse.csr_array":
    """(cells of `on`, cells of `source`) share of each source cell's side in each cell of `on`.

    Each: its first edge, the side of a cell in degrees, and the number of cells.
    """
    edges = np.unique(
        np.concatenate([first + side * np.arange(n + 1) for first, side, n in (source, on)])
    )
    middles, lengths = 0.5 * (edges[1:] + edges[:-1]), np.diff(edges)
    at, to = (
        np.floor((middles - first) / side).astype(np.int64) for first, side, _ in (source, on)
    )
    inside = (at >= 0) & (at < source[2]) & (to >= 0) & (to < on[2])
    parts = lengths[inside] / source[1]
    return scipy.sparse.csr_array((parts, (to[inside], at[inside])), shape=(on[2], source[2]))
