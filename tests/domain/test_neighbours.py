"""Tiles grow inside each other and inside blocks; surroundings leave their own symbol out."""

import numpy as np
import pytest

from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import GridDomain
from caldp_core.domain.partitions import neighbours, tile_trees

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
