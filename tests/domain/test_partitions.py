"""Partitions: every label is used, blocks are what they claim, and adaptive ones are balanced.

Cells put together: every person stays where they were, and what is lost is counted apart.

Tiles grow inside each other and inside blocks; surroundings leave their own symbol out.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import AREAS_MAX
from caldp_core.basics.types import Ints
from caldp_core.datasets import OwnPlaces
from caldp_core.datasets.own import places_from_counts
from caldp_core.domain.domains import Area, Domain, GridDomain
from caldp_core.domain.partitions import (
    LargerCells,
    Partition,
    adaptive_blocks,
    drawn_blocks,
    even_blocks,
    grid_blocks,
    named_blocks,
    neighbours,
    single_block,
    tile_trees,
)
from caldp_core.experiments.regions import cell_errors
from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.blocks import GridBlocks, SensitiveAreas
from caldp_core.scenarios.scenario import Scenario

GRID = GridDomain(south=30.0, west=-100.0, cell=1.0, rows=7, columns=11)
SIDES = st.tuples(st.integers(1, 12), st.integers(1, 12))


def grid_of(sides: tuple[int, int]) -> GridDomain:
    return GridDomain(south=30.0, west=-100.0, cell=1.0, rows=sides[0], columns=sides[1])


def check_partition(partition: Partition, k: int) -> None:
    """Labels from 0 on, all used, read-only, one name each, sizes and sums that add up."""
    assert partition.labels.shape == (k,)
    assert partition.labels.dtype == np.int64
    assert not partition.labels.flags.writeable
    np.testing.assert_array_equal(np.unique(partition.labels), np.arange(partition.m))
    assert len(set(partition.names)) == partition.m
    assert partition.sizes().sum() == k
    values = np.arange(k, dtype=np.float64)
    expected = [values[partition.labels == j].sum() for j in range(partition.m)]
    np.testing.assert_array_equal(partition.sums(values), expected)


def rectangle_sides(labels: Ints, block: int) -> tuple[int, int]:
    """(rows, columns) of a block, which has to be a full rectangle; `labels`: (rows, columns)."""
    rows, columns = np.nonzero(labels == block)
    height, width = int(np.ptp(rows)) + 1, int(np.ptp(columns)) + 1
    assert rows.size == height * width, f"block {block} is no rectangle"
    return height, width


def test_whole_is_one_block() -> None:
    partition = single_block(Domain(5))
    check_partition(partition, 5)
    assert partition.m == 1


@given(st.integers(1, 200), st.data())
def test_runs_are_even_and_in_order(k: int, data: st.DataObject) -> None:
    m = data.draw(st.integers(1, k))
    partition = even_blocks(k, m)
    check_partition(partition, k)
    assert partition.m == m
    assert (np.diff(partition.labels) >= 0).all()
    assert np.ptp(partition.sizes()) <= 1


@given(SIDES, st.data())
def test_grid_blocks_are_even_rectangles(sides: tuple[int, int], data: st.DataObject) -> None:
    rows, columns = (data.draw(st.integers(1, side)) for side in sides)
    partition = grid_blocks(grid_of(sides), rows, columns)
    check_partition(partition, sides[0] * sides[1])
    assert partition.m == rows * columns
    labels = partition.labels.reshape(sides)
    found = np.array([rectangle_sides(labels, j) for j in range(partition.m)])
    # Even also where they don't divide: no two blocks differ by more than one row or column.
    assert np.ptp(found, axis=0).max() <= 1


def test_later_drawings_win_and_hidden_ones_go() -> None:
    areas = [Area(30, 33, -100, -96), Area(31, 32, -99, -98), Area(32, 35, -97, -94)]
    partition = drawn_blocks(GRID, areas)
    check_partition(partition, GRID.k)
    expected = np.zeros((7, 11), np.int64)
    expected[0:3, 0:4] = 1
    expected[1, 1] = 2
    expected[2:5, 3:6] = 3
    np.testing.assert_array_equal(partition.labels.reshape(7, 11), expected)
    hidden = drawn_blocks(GRID, [areas[1], areas[0], Area(0, 1, 0, 1)])
    check_partition(hidden, GRID.k)
    assert hidden.names == ("everywhere else", "drawn block 2")


def test_drawings_may_leave_nothing_elsewhere_or_everything() -> None:
    assert drawn_blocks(GRID, []).names == ("everywhere else",)
    full = drawn_blocks(GRID, [GRID.area])
    check_partition(full, GRID.k)
    assert full.names == ("drawn block 1",)
    with pytest.raises(CaldpError, match="At most 200 areas"):
        drawn_blocks(GRID, [GRID.area] * (AREAS_MAX + 1))


@given(SIDES, st.integers(0, 2**32 - 1), st.data())
def test_adaptive_blocks_are_rectangles(
    sides: tuple[int, int], seed: int, data: st.DataObject
) -> None:
    grid = grid_of(sides)
    prior = np.random.default_rng(seed).geometric(0.01, grid.k) - 1
    blocks = data.draw(st.integers(1, max(1, grid.k // 3)))
    partition = adaptive_blocks(grid, prior, blocks)
    check_partition(partition, grid.k)
    assert partition.m == blocks
    assert partition.sizes().min() >= min(2, grid.k)
    for j in range(blocks):
        rectangle_sides(partition.labels.reshape(sides), j)


@pytest.mark.parametrize("blocks", [2, 4, 16, 64])
def test_adaptive_blocks_hold_similar_numbers(blocks: int) -> None:
    # A smooth city: no cell is heavier than a thousandth, so halving is fair at every step.
    grid = GridDomain(south=30.0, west=-100.0, cell=0.1, rows=80, columns=90)
    row, column = np.divmod(np.arange(grid.k), 90)
    prior = np.rint(1e6 * np.exp(-((row - 30) ** 2 + (column - 50) ** 2) / 800)).astype(np.int64)
    people = adaptive_blocks(grid, prior, blocks).sums((prior + 1).astype(np.float64))
    even = grid_blocks(grid, 8, 8).sums((prior + 1).astype(np.float64))
    # A cut misses the half by at most half a row of cells, and a block of 64 comes from six cuts:
    # 1.18 is what that adds up to here, against more than 100 for blocks of equal area.
    assert people.max() / people.min() < 1.25
    assert even.max() / even.min() > 100


def test_empty_land_is_split_by_area_and_across_the_longer_side() -> None:
    grid = GridDomain(south=0.0, west=0.0, cell=1.0, rows=4, columns=16)
    nobody = np.zeros(grid.k, np.int64)
    partition = adaptive_blocks(grid, nobody, 4)
    assert (partition.sizes() == 16).all()
    assert rectangle_sides(partition.labels.reshape(4, 16), 0) == (4, 4)
    # At 60° a degree of longitude is half as long: 8 rows by 12 columns are taller than wide.
    north = GridDomain(south=56.0, west=0.0, cell=1.0, rows=8, columns=12)
    halves = adaptive_blocks(north, np.zeros(96, np.int64), 2).labels.reshape(8, 12)
    assert rectangle_sides(halves, 0) == (4, 12)


@pytest.mark.parametrize("crowded", [0, 38, GRID.k - 1])
def test_a_crowded_cell_keeps_company(crowded: int) -> None:
    prior = np.zeros(GRID.k, np.int64)
    prior[crowded] = 10**6
    partition = adaptive_blocks(GRID, prior, GRID.k // 3)
    assert 2 <= partition.sizes()[partition.labels[crowded]] <= 3


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: even_blocks(5, 6), r"blocks must be a whole number in \[1, 5\]"),
        (lambda: even_blocks(5, 0), "blocks must"),
        (lambda: grid_blocks(GRID, 8, 1), "rows of blocks"),
        (lambda: grid_blocks(GRID, 1, 12), "columns of blocks"),
        (lambda: adaptive_blocks(GRID, np.zeros(3, np.int64), 2), "prior must be an array of 77"),
        (lambda: adaptive_blocks(GRID, np.full(77, -1), 2), "prior must not be negative"),
        (lambda: adaptive_blocks(GRID, np.zeros(77, np.int64), 78), "blocks must"),
        (lambda: named_blocks([0, 2], ["a", "b", "c"]), "every number from 0 to 2"),
        (
            lambda: named_blocks([0, 1, 2], ["a", "b"]),
            r"labels must hold symbols in \[0, 1\], got 2",
        ),
        (lambda: named_blocks([0.0, 1.7], ["a", "b"]), "labels must be .* whole numbers"),
        (lambda: named_blocks([[0, 1]], ["a", "b"]), "labels must be a one-dimensional"),
    ],
)
def test_partitions_that_are_none(make: object, words: str) -> None:
    with pytest.raises(CaldpError, match=words):
        make()  # type: ignore[operator]


def test_named_blocks_keep_a_copy() -> None:
    labels = np.array([0, 1, 1])
    partition = named_blocks(labels, ["a", "b"])
    labels[0] = 1
    check_partition(partition, 3)
    assert partition.names == ("a", "b")


GRIDS = st.builds(
    GridDomain,
    south=st.sampled_from([-90.0, 10.0, 89.0]),
    west=st.sampled_from([-180.0, 0.0, 178.5]),
    cell=st.just(0.1),
    rows=st.integers(1, 9),
    columns=st.integers(1, 14),
)


@settings(max_examples=60)
@given(GRIDS, st.integers(1, 12))
def test_a_cell_s_middle_is_in_the_larger_cell_that_it_is_said_to_be_in(
    fine: GridDomain, together: int
) -> None:
    cells = LargerCells(fine, together)
    middles = np.repeat(fine.latitudes(), fine.columns), np.tile(fine.longitudes(), fine.rows)
    np.testing.assert_array_equal(cells.larger_cell_of, cells.grid.locate(*middles))
    assert cells.grid.cell == pytest.approx(together * fine.cell)
    assert cells.grid.k <= (fine.rows // together + 1) * (fine.columns // together + 1)
    values = np.random.default_rng(1).random(fine.k)
    assert cells.sums(values).sum() == pytest.approx(values.sum())
    np.testing.assert_allclose(
        cells.sums(cells.spread_evenly(cells.sums(values))), cells.sums(values)
    )


def test_the_whole_earth_takes_only_what_divides_it() -> None:
    earth = GridDomain(-90.0, -180.0, 5.0, 36, 72)
    assert LargerCells(earth, 4).grid.k == 9 * 18
    with pytest.raises(CaldpError, match="can't be put together 5 by 5; take a number"):
        LargerCells(earth, 5)


def places(together: int, part: str = "") -> OwnPlaces:
    rng = np.random.default_rng(3)
    grid = GridDomain(40.0, 0.0, 0.1, 12, 18)
    spec = places_from_counts(rng.integers(0, 2_000, grid.k), grid, "Made up")
    return OwnPlaces(spec.people, spec.area, spec.cell, part=part, together=together)


def test_squared_error_is_that_of_blur_and_that_of_noise_and_the_parts_bound_the_whole() -> None:
    scenario = Scenario(dataset=places(3)).with_context(blocks=GridBlocks(2, 2), epsilon=0.5)
    setup = prepare(scenario)
    finest, estimate = setup.dataset.fine_map, run(setup).first.estimate
    assert finest is not None
    found, cells, truth = cell_errors(setup, estimate), finest.cells, finest.distribution
    whole = np.sum((cells.spread_evenly(estimate) - truth) ** 2)
    blur = np.sum((finest.even_distribution - truth) ** 2)
    noise = np.sum((estimate - setup.dataset.distribution) ** 2) / 9
    assert whole == pytest.approx(blur + noise, rel=1e-9)
    assert min(blur, noise) > 0.01 * whole
    assert found.noise <= found.both + 1e-12
    assert found.both <= found.blur + found.noise
    alone = prepare(Scenario(dataset=places(1)).with_context(blocks=GridBlocks(2, 2)))
    errors = cell_errors(alone, run(alone).first.estimate)
    assert (errors.blur, errors.noise) == (0.0, errors.both)


def test_larger_cells_are_as_private_as_the_small_ones_in_them() -> None:
    one = "+40.0,40.1,0.0,0.1"
    context = {"blocks": GridBlocks(2, 3), "sensitive": SensitiveAreas((one,))}
    setup = prepare(Scenario(dataset=places(2)).with_context(**context))
    assert np.flatnonzero(setup.sensitive).tolist() == [0]
    small = prepare(Scenario(dataset=places(1)).with_context(**context))
    assert setup.partition.names == small.partition.names
    middle = small.dataset.domain.locate(  # type: ignore[union-attr]
        np.repeat(40.15 + 0.2 * np.arange(6), 9), np.tile(0.15 + 0.2 * np.arange(9), 6)
    )
    np.testing.assert_array_equal(setup.partition.labels, small.partition.labels[middle])
    part = prepare(Scenario(dataset=places(1, "40.2,40.5,0.3,0.9")).with_context(**context))
    assert part.dataset.counts is not None
    assert small.dataset.counts is not None
    kept = small.dataset.counts.reshape(12, 18)[2:5, 3:9]
    np.testing.assert_array_equal(part.dataset.counts, kept.ravel())


MAP = GridDomain(0, 0, 0.1, 9, 14)
GROUPS = Domain(20, groups=tuple("aabbbbcdddddddddeeff"))
DOMAINS: dict[str, Domain | GridDomain] = {
    "map": MAP,
    "order": Domain(37),
    "groups": GROUPS,
    "one": Domain(1),
    "row": Domain(2),
}


@pytest.mark.parametrize("name", DOMAINS)
def test_tiles_lie_inside_larger_ones_and_inside_blocks(name: str) -> None:
    domain = DOMAINS[name]
    blocks = np.arange(domain.k) % 3 if domain.k > 3 else np.zeros(domain.k, np.int64)
    for tree in tile_trees(domain, blocks):
        below = np.arange(domain.k)
        for parent in tree:
            assert parent.size == np.unique(below).size
            below = parent[below]
            for tile in np.unique(below):
                assert np.unique(blocks[below == tile]).size == 1


def test_tiles_of_a_map_are_squares_at_other_places_each_time() -> None:
    plain = np.zeros(MAP.k, np.int64)
    first = [tree[0].reshape(MAP.rows, MAP.columns) for tree in tile_trees(MAP, plain)]
    assert len({labels.tobytes() for labels in first}) == 4
    for labels in first:
        assert np.bincount(labels.ravel()).max() == 4
        row, column = np.nonzero(labels == labels[4, 6])
        assert [int(np.ptp(row)), int(np.ptp(column))] == [1, 1]


@pytest.mark.parametrize("name", DOMAINS)
def test_surroundings_do_not_know_their_own_symbol(name: str) -> None:
    domain = DOMAINS[name]
    around = neighbours(domain).neighbour_means
    values = np.asarray(np.random.default_rng(0).uniform(size=domain.k))
    before = around(values)
    for symbol in range(domain.k):
        changed = values.copy()
        changed[symbol] += 1.0
        after = around(changed)
        assert after[symbol] == pytest.approx(before[symbol], abs=1e-12)
        assert (after >= before - 1e-12).all()
        if domain.k > 2 and name != "groups":
            assert (after > before + 0.01).any()


def test_surroundings_are_means() -> None:
    for name in ("map", "order"):
        around = neighbours(DOMAINS[name]).neighbour_means
        np.testing.assert_allclose(around(np.full(DOMAINS[name].k, 0.7)), 0.7)
    grid = np.zeros((9, 14))
    grid[3, 5] = 12.0
    found = neighbours(MAP).neighbour_means(grid.ravel()).reshape(9, 14)
    assert (found[3, 6], found[4, 6], found[3, 7]) == pytest.approx((2.0, 1.0, 0.0))
    values = np.arange(20.0)
    of_groups = neighbours(GROUPS).neighbour_means(values)
    assert of_groups[:2].tolist() == [1.0, 0.0]
    assert of_groups[6] == 0.0  # alone in its group
