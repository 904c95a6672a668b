"""Areas of a file as blocks: cells are in what holds their centre; harm is one sentence."""

import json
from typing import Any

import numpy as np
import pytest
import shapely

from caldp_core.basics.errors import SENTENCE_MAX, CaldpError
from caldp_core.basics.limits import CORNERS_MAX, POLYGON_BYTES_MAX, POLYGONS_MAX
from caldp_core.datasets.files.polygons import read_polygons
from caldp_core.domain.grid import GridDomain
from caldp_core.scenarios.polygon_blocks import OUTSIDE, PolygonBlocks
from tests.contract.checks import naming

GRID = GridDomain(48.0, 11.0, 0.01, 40, 50)
Ring = list[tuple[float, float]]


def star(x: float, y: float, far: float, near: float, points: int = 7) -> Ring:
    """A closed ring, longitude and latitude, that is not convex."""
    angles = np.pi * np.arange(2 * points + 1) / points
    reach = np.where(np.arange(angles.size) % 2, near, far)
    return [
        (round(x + r * np.cos(a), 5), round(y + r * np.sin(a), 5))
        for a, r in zip(angles, reach, strict=True)
    ]


WEST: list[list[Ring]] = [[star(11.15, 48.2, 0.13, 0.06), star(11.15, 48.2, 0.03, 0.02)]]
EAST: list[list[Ring]] = [[star(11.35, 48.25, 0.1, 0.05)], [star(11.42, 48.07, 0.05, 0.03)]]
OVER: list[list[Ring]] = [[star(11.25, 48.2, 0.09, 0.04, 4)]]


def feature(polygons: Any, **properties: Any) -> dict[str, Any]:
    geometry = {"type": "MultiPolygon", "coordinates": polygons}
    if len(polygons) == 1:
        geometry = {"type": "Polygon", "coordinates": polygons[0]}
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def collection(*features: Any) -> bytes:
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


def test_cells_are_in_the_polygon_that_a_geometry_library_says() -> None:
    areas = {"West": WEST, "<b>East</b>": EAST, "Over": OVER}
    data = collection(*(feature(each, id=7, name_de=name) for name, each in areas.items()))
    found = read_polygons(data, "areas.geojson")
    assert tuple(found) == tuple(areas)
    partition = PolygonBlocks(tuple(found), tuple(found.values())).build(GRID)
    x, y = np.meshgrid(GRID.longitudes(), GRID.latitudes())
    wanted = np.full(x.shape, OUTSIDE, dtype=object)
    for name, polygons in areas.items():
        shape = shapely.MultiPolygon([(each[0], each[1:]) for each in polygons])
        wanted[shapely.contains_xy(shape, x, y)] = name
    np.testing.assert_array_equal(np.array(partition.names)[partition.labels], wanted.ravel())
    assert partition.names == (*areas, OUTSIDE)
    assert (partition.sizes() > 20).all()


def test_areas_without_a_cell_are_no_blocks_and_names_are_found_or_made() -> None:
    small, large = "48.001,11.001 48.002,11.001 48.002,11.002", "47,10 49,10 49,12 47,12"
    tiny = PolygonBlocks(("tiny", "all"), (small, large))
    assert tiny.build(GRID).names == ("all",)
    assert PolygonBlocks().build(GRID).names == (OUTSIDE,)
    for column, names in {
        ("name", "a", "b"): ("a", "b"),
        ("BEZIRK_NR", 1, 2): ("1", "2"),
        ("name", "a", "a"): ("a",),
        ("name", "a", None): ("area 1", "area 2"),
    }.items():
        key, *values = column
        data = collection(
            *(
                feature([[star(11 + i, 48, 0.2, 0.1)]], **{str(key): value})
                for i, value in enumerate(values)
            )
        )
        assert tuple(read_polygons(data, "x")) == names


RING = star(11.0, 48.0, 0.2, 0.1)
HARM: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "is no JSON"),
    "deep": (b"[" * 200_000, "is no JSON"),
    "no bytes of a text": (b'{"type": "\xff"}', "is no JSON"),
    "points": (collection({"geometry": {"type": "Point", "coordinates": [1, 2]}}), "and has none"),
    "a list": (b"[1, 2]", "and has none"),
    "lines": (collection(feature([[[[1, 2], [3, 4]]]])), "and has none"),
    "metres": (collection(feature([[[[468_000, 5_330_000]] * 3]])), "save it as WGS 84"),
    "no numbers": (collection(feature([[[["a", {}], [None, 1], [2]]]])), "must be"),
    "not finite": (collection(feature([[[[1, 1], [float("inf"), 2], [2, float("nan")]]]])), "must"),
    "many": (collection(*[feature([[RING]], n=i) for i in range(POLYGONS_MAX + 1)]), "up to 500"),
    "corners": (
        collection(feature([[[[i / 1e4, i % 7] for i in range(CORNERS_MAX + 1)]]])),
        "corners in all",
    ),
    "large": (b" " * (POLYGON_BYTES_MAX + 1), "up to 10 MB"),
}


@pytest.mark.parametrize("name", HARM)
def test_what_means_harm_is_one_sentence(name: str) -> None:
    data, words = HARM[name]
    with pytest.raises(CaldpError, match=words) as refused:
        read_polygons(data, "f" * 5_000)
    assert len(str(refused.value)) <= SENTENCE_MAX


def test_records_refuse_what_is_no_polygon() -> None:
    triangle = "48,11 48.1,11 48.1,11.1"
    for names, polygons, words in (
        (("a",), (), "with a name for each"),
        (("a", "a"), (triangle, triangle), "'a' is there twice"),
        (("a\n",), (triangle,), "one line"),
        (("a",), ("48,11 48.1,11",), "needs 3 corners or more"),
        (("a",), ("48,11 48.1,11 48.1,191",), "within ±90° and ±180°"),
        (("a",), ("",), "A polygon is written"),
        (("a",), (f"{triangle}/{triangle}",), "A polygon is written"),
        (("a",), ("48,11 " * (CORNERS_MAX + 1),), "corners in all"),
    ):
        with naming(words), pytest.raises(CaldpError, match=words):
            PolygonBlocks(names, polygons)
