"""Policies made for datasets, and areas of a file as blocks."""

import json
import math
from typing import Any

import numpy as np
import pytest
import shapely

from caldp_core.basics.errors import SENTENCE_MAX, CaldpError
from caldp_core.basics.limits import CORNERS_MAX, POLYGON_BYTES_MAX, POLYGONS_MAX
from caldp_core.datasets import Cities, Uniform, Zipf
from caldp_core.datasets.files.geojson import read_polygons
from caldp_core.domain.domains import KM_PER_DEGREE, US_GRID, GridDomain
from caldp_core.privacy.context import dense
from caldp_core.scenarios.blocks import OUTSIDE, EvenRuns, PolygonBlocks, SensitiveSymbols
from caldp_core.scenarios.policies import (
    BinaryQuestion,
    ContextPolicy,
    CrowFlies,
    Distances,
    Line,
    MatrixPolicy,
    PersonalTags,
    PolicySpec,
    Streets,
)
from caldp_core.scenarios.scenario import SLOTS
from tests.contract.checks import naming

CITIES, FIVE, TWO = Cities().load(), Zipf(5).load(), Uniform(2).load()


@pytest.mark.parametrize("spec", [Streets(2.0, 40.0), CrowFlies(2.0, 40.0)])
def test_places_within_the_distance_are_within_epsilon(spec: Streets | CrowFlies) -> None:
    """On the map's southern edge, where cells are widest: never more than ε, and nearly ε."""
    made = spec.build(CITIES)
    cell_km = US_GRID.cell * KM_PER_DEGREE
    north = made.policy.between([0], [US_GRID.columns])[0]
    assert north == pytest.approx(2.0 * cell_km / 40.0, rel=1e-12)
    east = made.policy.between([0], [1])[0]
    assert east < 2.0 * cell_km * math.cos(math.radians(25.0)) / 40.0
    diagonal = made.policy.between([0], [US_GRID.columns + 1])[0]
    both = north + east if isinstance(spec, Streets) else math.hypot(north, east)
    assert diagonal == pytest.approx(both, rel=1e-12)
    assert made.partition.m == 1
    assert made.sensitive.all()


def test_few_values_have_the_levels_that_were_written() -> None:
    np.testing.assert_allclose(Line(0.5).build(FIVE).policy.between([0, 3], [4, 2]), [2.0, 0.5])
    table = ((0.0, 2.0), (2.0, 0.0))
    np.testing.assert_array_equal(dense(Distances(table, 0.5).build(TWO).policy), [[0, 1], [1, 0]])
    levels = ((0.0, math.inf), (0.25, 0.0))
    np.testing.assert_array_equal(dense(MatrixPolicy(levels).build(TWO).policy), levels)
    np.testing.assert_array_equal(dense(BinaryQuestion(math.inf, 0.25).build(TWO).policy), levels)


def test_contexts_are_their_blocks_flags_and_levels() -> None:
    made = ContextPolicy(EvenRuns(2), SensitiveSymbols(("1",)), (0.5, 2.0)).build(FIVE)
    np.testing.assert_array_equal(made.policy.between([1, 1, 0], [2, 3, 1]), [0.5, np.inf, np.inf])


@pytest.mark.parametrize("background", ["uniform", "truth", "population"])
def test_backgrounds_leave_out_what_is_sensitive_for_all(background: str) -> None:
    spec = PersonalTags(SensitiveSymbols(("0-9",)), (0.3, 0.2), background)
    data = CITIES if background == "population" else FIVE
    if background != "population":
        spec = PersonalTags(SensitiveSymbols(("0",)), (0.3, 0.2), background)
    policy = spec.build(data).policy
    rows = policy.background  # type: ignore[attr-defined]
    assert rows.shape == (2, data.domain.k)
    np.testing.assert_allclose(rows.sum(axis=1), 1.0)
    assert not rows[:, policy.sensitive].any()  # type: ignore[attr-defined]
    if background == "truth":
        np.testing.assert_allclose(rows[0, 1:], data.distribution[1:] / data.distribution[1:].sum())


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (Streets(), "Distances in kilometres need a map"),
        (CrowFlies(), "Distances in kilometres need a map"),
        (Distances(((0.0, 1.0), (1.0, 0.0))), "made for 2 values, Zipf"),
        (MatrixPolicy(((0.0,),)), "made for 1 values, Zipf"),
        (BinaryQuestion(), "made for 2 values"),
        (PersonalTags(background="population"), "known for the map of the United States"),
        (PersonalTags(SensitiveSymbols(("0-4",))), "not sensitive for everybody; leave more open"),
    ],
)
def test_what_does_not_fit_the_data_is_one_sentence(spec: PolicySpec, words: str) -> None:
    with pytest.raises(CaldpError, match=words):
        spec.build(FIVE)


def test_steps_out_of_range_are_one_sentence() -> None:
    with pytest.raises(CaldpError, match="A step to the next cell must be worth"):
        Streets(0.001, 20_000.0).build(CITIES)


def test_each_kind_says_what_it_makes() -> None:
    table = ((0.0, 1.0), (1.0, 0.0))
    made = {
        "context": ContextPolicy(EvenRuns(2)).build(TWO),
        "streets": Streets().build(CITIES),
        "crow-flies": CrowFlies().build(CITIES),
        "line": Line().build(TWO),
        "distances": Distances(table).build(TWO),
        "binary": BinaryQuestion().build(TWO),
        "matrix": MatrixPolicy(table).build(TWO),
        "personal-tags": PersonalTags().build(TWO),
    }
    assert set(made) == set(SLOTS["policy"][1])
    for kind, protection in made.items():
        assert type(protection.policy) is SLOTS["policy"][1][kind].matrix  # type: ignore[attr-defined]
        assert protection.policy.k == protection.partition.labels.size


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


def feature(polygons: Any, **properties: Any) -> dict[str, Any]:
    geometry = {"type": "MultiPolygon", "coordinates": polygons}
    if len(polygons) == 1:
        geometry = {"type": "Polygon", "coordinates": polygons[0]}
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def collection(*features: Any) -> bytes:
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


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
        ("fid", 1, 2): ("1", "2"),
    }.items():
        key, *values = column
        data = collection(
            *(
                feature([[star(11 + i, 48, 0.2, 0.1)]], **{str(key): value})
                for i, value in enumerate(values)
            )
        )
        assert tuple(read_polygons(data, "x").polygons) == names


def test_the_property_that_reads_as_a_name_names_the_areas() -> None:
    """By property its values, one a feature: numbers keep areas apart, and are not names."""
    for properties, key in (
        (
            {"fid": (1, 2, 3), "name": ("North", "North", "South"), "year": (2019, 2020, 2020)},
            "name",
        ),
        (
            {"NAME_0": ("D", "D", "D"), "NAME_1": ("A", "A", "B"), "NAME_2": ("a", "b", "c")},
            "NAME_2",
        ),
        ({"ECONOMY": ("rich", "poor", "rich"), "name": ("a", "b", "b")}, "name"),
        ({"name": ("Texas",) * 3, "fid": (1, 2, 3)}, "fid"),
        ({"kind": ("urban", "rural", "urban"), "fid": (1, 2, 3)}, "fid"),
        ({"fid": (1, 2, 3), "kreis": ("a", "b", "c")}, "kreis"),
        ({"name": ("1", "2", "3"), "NAMELSAD": ("one", "two", "two")}, "NAMELSAD"),
        ({"width": (3, 1, 2), "Bezirksname": ("b", "a", "c")}, "Bezirksname"),
    ):
        with naming(key):
            features = [
                feature([[star(11 + i, 48, 0.2, 0.1)]], **{k: v[i] for k, v in properties.items()})
                for i in range(3)
            ]
            areas = read_polygons(collection(*features), "x")
            assert areas.named_by == key
            assert tuple(areas.polygons) == tuple(map(str, dict.fromkeys(properties[key])))


BOX = [(-90.0, 40.0), (-80.0, 40.0), (-80.0, 45.0), (-90.0, 45.0), (-90.0, 40.0)]
LEFT = [(min(x, -84.0), y) for x, y in BOX]
RIGHT = [(max(x, -86.0), y) for x, y in BOX]
SOUTH = [(x, y - 5) for x, y in BOX]


def blocks_of(data: bytes) -> PolygonBlocks:
    polygons = read_polygons(data, "x").polygons
    return PolygonBlocks(tuple(polygons), tuple(polygons.values()))


def test_a_district_that_is_there_twice_is_one_block() -> None:
    """As copies, under a running number, or as parts that overlap: North is 25 × 50 cells."""
    south = feature([[SOUTH]], name="South", fid=3)
    for features, said in (
        ([feature([[BOX]], name="North")] * 2, ({"North": 2}, {"North": 1})),
        ([feature([[BOX]], name="North", fid=i) for i in (1, 2)], ({"North": 2}, {"North": 1})),
        (
            [feature([[BOX]], name="North"), feature([[BOX[::-1]]], name="North")],
            ({"North": 2}, {}),
        ),
        ([feature([[LEFT], [RIGHT]], name="North")], ({}, {})),
    ):
        data = collection(*features, south, {"geometry": None})
        areas, blocks = read_polygons(data, "x"), blocks_of(data)
        assert (areas.united, areas.copies, areas.unused) == (*said, 1)
        partition = blocks.build(US_GRID)
        assert partition.names == ("North", "South", OUTSIDE)
        assert partition.sizes().tolist() == [25 * 50, 25 * 50, 43_750 - 2 * 25 * 50]
        assert blocks.overlaps(US_GRID).cells == 0


@pytest.mark.slow
def test_every_block_holds_the_cells_that_a_geometry_library_puts_into_it() -> None:
    """Random stars with holes that overlap, copied, united and laid over each other."""
    rng = np.random.default_rng(7)
    points = np.meshgrid(GRID.longitudes(), GRID.latitudes())
    for _ in range(40):
        drawn: list[tuple[str, list[Ring]]] = []
        for name in rng.choice(["a", "b", "c"], 6):
            x, y = rng.uniform(11.1, 11.4), rng.uniform(48.1, 48.3)
            holes = [
                star(x + rng.normal(0, 0.02), y, *rng.uniform(0.02, 0.06, 2))
                for _ in range(rng.integers(0, 4))
            ]
            outer = star(x, y, *rng.uniform(0.06, 0.15, 2))
            drawn += [(str(name), [outer, *holes])] * int(rng.integers(1, 4))
        data = collection(*(feature([rings], name=name) for name, rings in drawn))
        blocks = blocks_of(data)
        shapes = {
            name: shapely.union_all(
                [
                    shapely.Polygon(rings[0])
                    - shapely.union_all(list(map(shapely.Polygon, rings[1:])))
                    for other, rings in drawn
                    if other == name
                ]
            )
            for name in blocks.names
        }
        inside = {name: shapely.contains_xy(shape, *points) for name, shape in shapes.items()}
        wanted = np.full(points[0].shape, OUTSIDE, dtype=object)
        for name in blocks.names:
            wanted[inside[name]] = name
        partition = blocks.build(GRID)
        np.testing.assert_array_equal(np.array(partition.names)[partition.labels], wanted.ravel())
        several = sum(inside.values(), np.zeros_like(points[0], int)) > 1
        assert blocks.overlaps(GRID).cells == several.sum()


def test_what_an_area_loses_to_a_later_one_is_counted_by_both() -> None:
    over = collection(
        *(feature([[ring]], name=n) for n, ring in zip("abc", (BOX, LEFT, BOX), strict=True))
    )
    blocks = blocks_of(over)
    assert blocks.build(US_GRID).names == ("c", OUTSIDE)
    assert blocks.overlaps(US_GRID).cells == 1250
    assert blocks.overlaps(US_GRID).taken == {("a", "b"): 750, ("b", "c"): 750, ("a", "c"): 500}


def test_cells_that_a_border_goes_around_twice_are_counted_and_said() -> None:
    """Against shapely's union of all that each border encloses: what the even-odd rule leaves."""
    grid = GridDomain(40.0, -100.0, 0.1, 60, 60)
    centre, angles = np.array([-97.0, 43.0]), np.pi / 2 + 4 * np.pi / 5 * np.arange(5)
    star_ring = centre + 2.5 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    square = np.array([[-98.97, 41.0], [-97.97, 41.0], [-97.97, 42.0], [-98.97, 42.0]])
    rings = {
        "star": star_ring,
        "walked twice": np.concatenate([square, square]),
        "bow tie": square[[0, 2, 1, 3]],
        "plain": square,
    }
    longitude, latitude = np.meshgrid(grid.longitudes(), grid.latitudes())
    left = {}
    for name, ring in rings.items():
        text = " ".join(f"{y!r},{x!r}" for x, y in np.round(ring, 5).tolist())
        blocks = PolygonBlocks((name,), (text,))
        closed = [*np.round(ring, 5).tolist(), np.round(ring[0], 5).tolist()]
        lines = shapely.node(shapely.LineString(closed))
        enclosed = shapely.union_all(shapely.polygonize([lines]))
        whole = shapely.contains_xy(enclosed, longitude, latitude).ravel()
        built = blocks.build(grid)
        inside = np.array([built.names[label] == name for label in built.labels])
        assert not (inside & ~whole).any(), name
        left[name] = int((whole & ~inside).sum())
        assert blocks.overlaps(grid).left_out == ({name: left[name]} if left[name] else {}), name
    assert left["star"] > 50
    assert left["walked twice"] == 100
    assert left["bow tie"] == left["plain"] == 0
    patched = PolygonBlocks(
        ("twice",), (f"{as_text(square)} {as_text(square)} + {as_text(square)}",)
    )
    assert not patched.overlaps(grid).left_out  # another part of the area has them


def as_text(ring: Any) -> str:
    return " ".join(f"{y:g},{x:g}" for x, y in ring.tolist())


RING = star(11.0, 48.0, 0.2, 0.1)
HARM: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "is not valid JSON"),
    "deep": (b"[" * 200_000, "is not valid JSON"),
    "no bytes of a text": (b'{"type": "\xff"}', "is not valid JSON"),
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


@pytest.mark.slow
def test_borders_of_many_corners_are_simplified_and_stay_where_they_were() -> None:
    turns = np.linspace(0.0, 2.0 * np.pi, 2 * CORNERS_MAX)
    wide = 1.0 + 0.01 * np.sin(900.0 * turns)
    ring = np.stack([11.0 + wide * np.cos(turns), 48.0 + wide * np.sin(turns)], axis=1)
    ring[-1] = ring[0]
    found = read_polygons(collection(feature([[ring.round(6).tolist()]], name="a")), "f")
    (text,) = found.polygons.values()
    assert 0.0 < found.simplified <= 0.0016
    assert text.count(",") <= CORNERS_MAX
    kept = shapely.Polygon([[float(at) for at in each.split(",")[::-1]] for each in text.split()])
    assert kept.symmetric_difference(shapely.Polygon(ring)).area < 2.0 * np.pi * 0.0016 * 10.0
    both = (kept.exterior, ring), (shapely.LinearRing(ring), shapely.get_coordinates(kept))
    for border, corners in both:  # Hausdorff's distance, by an index
        shapely.prepare(border)
        assert shapely.dwithin(border, shapely.points(corners), found.simplified + 2e-5).all()


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
        (("a",), (f"{triangle} / {triangle}",), "cancel each other"),
        (("a",), ("48,11 " * (CORNERS_MAX + 1),), "corners in all"),
    ):
        with naming(words), pytest.raises(CaldpError, match=words):
            PolygonBlocks(names, polygons)


WEST: list[list[Ring]] = [[star(11.15, 48.2, 0.13, 0.06), star(11.15, 48.2, 0.03, 0.02)]]
EAST: list[list[Ring]] = [[star(11.35, 48.25, 0.1, 0.05)], [star(11.42, 48.07, 0.05, 0.03)]]
OVER: list[list[Ring]] = [[star(11.25, 48.2, 0.09, 0.04, 4)]]


def test_cells_are_in_the_polygon_that_a_geometry_library_says() -> None:
    areas = {"West": WEST, "<b>East</b>": EAST, "Over": OVER}
    data = collection(*(feature(each, id=7, name_de=name) for name, each in areas.items()))
    found = read_polygons(data, "areas.geojson").polygons
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
