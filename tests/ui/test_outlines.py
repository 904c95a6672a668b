"""Outlines: every border between cells is drawn once and nothing else is; areas are closed."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.domain.grid import GridDomain
from caldp_ui.places.outlines import Lines, block_lines, mask_lines

Edge = tuple[int, int, int, int]
"""A side of a cell, from its lower left grid point (x, y) to (x, y), counted in cells."""

SHAPES = st.tuples(st.integers(1, 9), st.integers(1, 9))
LABELS = SHAPES.flatmap(lambda shape: arrays(np.int64, shape, elements=st.integers(0, 2)))
MASKS = SHAPES.flatmap(lambda shape: arrays(np.bool_, shape))


def domain_of(grid: Ints | Bools) -> GridDomain:
    rows, columns = grid.shape
    return GridDomain(south=-7.5, west=100.0, cell=0.2, rows=rows, columns=columns)


def pieces(lines: Lines, domain: GridDomain) -> list[Floats]:
    """(2, 2) ends of each drawn line in cells, split at the gaps; checks the gaps on the way."""
    x = (lines[0] - domain.west) / domain.cell
    y = (lines[1] - domain.south) / domain.cell
    assert x.shape == y.shape
    assert x.size % 3 == 0
    ends = np.stack([x, y], axis=1).reshape(-1, 3, 2)
    assert np.isnan(ends[:, 2]).all()
    assert np.isfinite(ends[:, :2]).all()
    np.testing.assert_allclose(ends[:, :2], np.rint(ends[:, :2]), atol=1e-9)
    return list(ends[:, :2])


def edges(lines: Lines, domain: GridDomain) -> Counter[Edge]:
    """How often each side of a cell is drawn."""
    drawn: Counter[Edge] = Counter()
    for (x0, y0), (x1, y1) in np.rint(pieces(lines, domain)).astype(int).tolist():
        assert (x0 == x1) != (y0 == y1)  # upright or level, and not a mere point
        for step in range(max(x1 - x0, y1 - y0)):
            right, up = (step, 0) if y0 == y1 else (0, step)
            at = (x0 + right, y0 + up)
            drawn[(*at, at[0] + (y0 == y1), at[1] + (x0 == x1))] += 1
    return drawn


def between(grid: Ints | Bools, outside: int | None) -> set[Edge]:
    """Cell by cell: all sides with something else beyond; beyond the map is `outside`, if given."""
    rows, columns = grid.shape

    def value(row: int, column: int) -> int | None:
        if 0 <= row < rows and 0 <= column < columns:
            return int(grid[row, column])
        return outside

    found: set[Edge] = set()
    for row in range(rows + 1):
        for column in range(columns + 1):
            here, left, below = value(row, column), value(row, column - 1), value(row - 1, column)
            if here != left and None not in (here, left):
                found.add((column, row, column, row + 1))
            if here != below and None not in (here, below):
                found.add((column, row, column + 1, row))
    return found


@given(LABELS)
def test_block_lines_are_the_borders_inside_the_map(grid: Ints) -> None:
    domain = domain_of(grid)
    drawn = edges(block_lines(grid.ravel(), domain), domain)
    assert drawn == Counter(between(grid, None))


@given(MASKS)
def test_mask_lines_are_the_border_of_the_set(grid: Bools) -> None:
    domain = domain_of(grid)
    drawn = edges(mask_lines(grid.ravel(), domain), domain)
    assert drawn == Counter(between(grid, 0))


@given(MASKS)
def test_areas_are_closed(grid: Bools) -> None:
    domain = domain_of(grid)
    meeting: Counter[tuple[int, int]] = Counter()
    for x0, y0, x1, y1 in edges(mask_lines(grid.ravel(), domain), domain):
        meeting[x0, y0] += 1
        meeting[x1, y1] += 1
    assert all(number % 2 == 0 for number in meeting.values())


@pytest.mark.parametrize(("rows", "columns", "lines"), [(1, 1, 4), (4, 6, 4)])
def test_straight_borders_are_one_line_each(rows: int, columns: int, lines: int) -> None:
    grid = np.ones((rows, columns), np.bool_)
    domain = domain_of(grid)
    assert len(pieces(mask_lines(grid.ravel(), domain), domain)) == lines


def test_one_block_has_no_lines() -> None:
    grid = np.zeros((5, 7), np.int64)
    assert block_lines(grid.ravel(), domain_of(grid))[0].size == 0


def test_the_brute_force_finds_a_shifted_line() -> None:
    grid = np.array([[0, 1, 1], [0, 0, 1]])
    domain = domain_of(grid)
    x, y = block_lines(grid.ravel(), domain)
    assert edges((x + domain.cell, y), domain) != Counter(between(grid, None))
