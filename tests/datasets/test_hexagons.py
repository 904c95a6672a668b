"""Cells are in the hexagon of H3 that their centre is in, held to hexagons as polygons."""

import sys
from typing import Any

import h3
import numpy as np
import pytest
import shapely

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import HEXAGONS_MAX
from caldp_core.datasets import hexagon_km, hexagon_labels, hexagon_resolutions
from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import US_GRID, GridDomain
from caldp_core.scenarios.blocks import HexagonBlocks

EUROPE = GridDomain(42.0, -4.0, 0.5, 24, 40)
JAPAN = GridDomain(34.9, 138.9, 0.05, 20, 30)
FIJI = GridDomain(-20.0, 176.0, 0.2, 20, 40)  # across 180°
WORLD = GridDomain(-90.0, -180.0, 2.0, 90, 180)


def index_of(name: str) -> str:
    return name.rpartition(" ")[2].strip("()")


@pytest.mark.parametrize(("grid", "resolution"), [(EUROPE, 2), (JAPAN, 5), (FIJI, 4)])
def test_cells_are_in_the_polygon_of_their_hexagon(grid: GridDomain, resolution: int) -> None:
    # Sides are great circles, here straight lines in degrees: within some hundredths of a side.
    labels, names = hexagon_labels(grid, resolution)
    x, y = np.meshgrid(grid.longitudes(), grid.latitudes())
    points = shapely.points(x.ravel(), y.ravel())
    for block, name in enumerate(names):
        corners = np.array(h3.cell_to_boundary(index_of(name)))[:, ::-1]
        corners[:, 0] += 360.0 * (corners[:, 0] < grid.west - 90)
        polygon = shapely.Polygon(corners)
        near = 0.05 * np.sqrt(polygon.area)
        inside = shapely.contains(shapely.buffer(polygon, -near), points)
        outside = ~shapely.contains(shapely.buffer(polygon, near), points)
        assert (labels[inside] == block).all()
        assert (labels[outside] != block).all()


def test_a_hexagon_is_the_parent_of_nearly_all_small_ones_in_it() -> None:
    labels, names = hexagon_labels(JAPAN, 5)
    x, y = np.meshgrid(JAPAN.longitudes(), JAPAN.latitudes())
    small = [h3.latlng_to_cell(*at, 10) for at in zip(y.ravel(), x.ravel(), strict=True)]
    parents = [h3.cell_to_parent(each, 5) for each in small]
    # Children reach a little over the sides of their parent.
    same = [index_of(names[label]) == parent for label, parent in zip(labels, parents, strict=True)]
    assert np.mean(same) > 0.9
    assert len(set(parents)) > 20


def test_blocks_are_the_worlds_hexagons() -> None:
    partition = HexagonBlocks(0).build(WORLD)
    assert {index_of(name) for name in partition.names} <= set(h3.get_res0_cells())
    assert partition.m > 115  # of 122: those that hold the middle of a cell of 2°
    assert partition.sizes().min() > 0
    names = HexagonBlocks(2).build(EUROPE).names
    assert "Paris and around (821fb7fffffffff)" in names


@pytest.mark.parametrize("resolution", range(HEXAGONS_MAX + 1))
def test_sizes_are_those_of_h3(resolution: int) -> None:
    area = h3.average_hexagon_area(resolution, "km^2")  # without the twelve pentagons
    expected = np.sqrt(area * 2 / np.sqrt(3))
    assert hexagon_km(resolution) == pytest.approx(expected, rel=0.025 if resolution == 0 else 4e-3)


@pytest.mark.parametrize("grid", [EUROPE, JAPAN, FIJI, WORLD, US_GRID])
def test_the_sizes_offered_are_blocks_of_some_cells(grid: GridDomain) -> None:
    offered = hexagon_resolutions(grid)
    assert offered == tuple(range(offered[0], offered[-1] + 1))
    for resolution in offered:
        assert 2 <= HexagonBlocks(resolution).build(grid).m <= grid.k
    finest = HexagonBlocks(offered[-1]).build(grid)
    assert 2 < grid.k / finest.m < 2 * 7 * 1.5  # the next are a seventh of it, and too small


@pytest.mark.parametrize("grid", [EUROPE, JAPAN, FIJI, WORLD, US_GRID])
def test_hexagons_smaller_than_a_cell_are_refused_before_they_are_found(grid: GridDomain) -> None:
    with pytest.raises(CaldpError, match="smaller than the map's cells; at most") as refusal:
        HexagonBlocks(HEXAGONS_MAX).build(grid)
    most = int(str(refusal.value).rpartition(" ")[2].strip("."))
    assert most >= hexagon_resolutions(grid)[-1]
    with pytest.raises(CaldpError, match="smaller than"):
        HexagonBlocks(most + 1).build(grid)
    assert HexagonBlocks(most).build(grid).m <= grid.k


def test_maps_of_few_cells_have_none() -> None:
    assert hexagon_resolutions(GridDomain(0.0, 0.0, 1.0, 1, 2)) == ()


@pytest.mark.parametrize("resolution", [-1, 16, 2.5, True])
def test_no_other_resolutions(resolution: Any) -> None:
    with pytest.raises(CaldpError, match="resolution of hexagons must be"):
        HexagonBlocks(resolution)


def test_what_hexagons_need() -> None:
    with pytest.raises(CaldpError, match="Hexagon blocks need a map; choose"):
        HexagonBlocks().build(Domain(4))


def test_without_the_package_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "h3.api.basic_int", None)
    with pytest.raises(CaldpError, match=r"needs h3; run pip install '\.\[dashboard\]'"):
        HexagonBlocks(3).build(GridDomain(1.0, 1.0, 0.5, 4, 4))
