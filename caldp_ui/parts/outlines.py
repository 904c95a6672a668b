"""Borders of blocks and of areas on a grid, as few long lines with gaps.

Room: charts.
"""

from typing import TypeAlias

import numpy as np

from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.domain.grid import GridDomain

Lines: TypeAlias = tuple[Floats, Floats]
"""x (longitudes) and y (latitudes), with a NaN between two lines."""


def block_lines(labels: Ints, domain: GridDomain) -> Lines:
    """Lines between neighbouring cells with different (k,) labels, inside the map."""
    grid = labels.reshape(domain.rows, domain.columns)
    return _join(domain, grid[:, 1:] != grid[:, :-1], grid[1:] != grid[:-1], 1)


def mask_lines(mask: Bools, domain: GridDomain) -> Lines:
    """The border of a (k,) set of cells, along the map's edge too."""
    grid = np.zeros((domain.rows + 2, domain.columns + 2), np.bool_)
    grid[1:-1, 1:-1] = mask.reshape(domain.rows, domain.columns)
    upright = (grid[:, 1:] != grid[:, :-1])[1:-1]
    level = (grid[1:] != grid[:-1])[:, 1:-1]
    return _join(domain, upright, level, 0)


def _join(domain: GridDomain, upright: Bools, level: Bools, first_edge: int) -> Lines:
    """Runs of border edges; `upright`: (rows, edges), `level`: (edges, columns).

    `first_edge`: the grid line on which the first of the edges lies.
    """
    at, start, stop = _runs(upright.T)
    along, first, last = _runs(level)
    x = domain.west + domain.cell * np.concatenate([_flat(at + first_edge), _gapped(first, last)])
    y = domain.south + domain.cell * np.concatenate(
        [_gapped(start, stop), _flat(along + first_edge)]
    )
    return x, y


def _runs(edges: Bools) -> tuple[Ints, Ints, Ints]:
    """(line, first, end) of each run of True along the lines of a (lines, length) array."""
    padded = np.zeros((edges.shape[0], edges.shape[1] + 2), np.int8)
    padded[:, 1:-1] = edges
    turns = np.diff(padded, axis=1)
    line, first = np.nonzero(turns == 1)
    end = np.nonzero(turns == -1)[1]
    return line, first, end


def _gapped(first: Ints, last: Ints) -> Floats:
    gaps = np.full(first.size, np.nan)
    return np.stack([first, last, gaps], axis=1).astype(np.float64).ravel()


def _flat(at: Ints) -> Floats:
    return _gapped(at, at)
