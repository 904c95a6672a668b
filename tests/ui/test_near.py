"""Points of one's own, such as clinics: what is near them is sensitive; what is none is told."""

import json
import re

import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.basics.errors import CaldpError
from caldp_core.scenarios.blocks import OUTSIDE, PolygonBlocks, SensitiveNear
from caldp_ui.compute import runs
from caldp_ui.maps.presets import BEGIN
from caldp_ui.session import visitor_data
from tests.ui.driver import assert_shows, checked, open_with, query_of, scenario_of

NEW_YORK = "40.71, -74.01"


def test_points_make_what_is_near_them_sensitive() -> None:
    at = open_with(BEGIN.with_context(sensitive=SensitiveNear((), 30.0)))
    assert not runs.setup(scenario_of(at)).sensitive.any()
    checked(at.text_area(key="places-points").set_value(f"{NEW_YORK}\n\n41.9, -87.6").run())
    near = SensitiveNear(("40.71,-74.01", "41.9,-87.6"), 30.0)
    assert scenario_of(at).context.sensitive == near
    assert_shows(at, BEGIN.with_context(sensitive=near))
    assert query_of(at)["sensitive"] == "near"
    table = "clinic\tlongitude\tlatitude\nA\t-74.01\t40.71\nB\t87.6° W\t41.9° N\n"
    checked(at.text_area(key="places-points").set_value("40,-80").run())
    checked(at.text_area(key="places-points").set_value(table).run())
    assert scenario_of(at).context.sensitive == near
    few = runs.setup(scenario_of(at)).sensitive.sum()
    checked(at.number_input(key="places-km").set_value(60.0).run())
    assert runs.setup(scenario_of(at)).sensitive.sum() > few > 10
    before = scenario_of(at)
    checked(at.text_area(key="places-points").set_value("in New York").run())
    assert scenario_of(at) == before
    (warning,) = at.warning
    assert "A point is written latitude,longitude in degrees" in warning.value
    _areas_of_a_file(at)


def _areas_of_a_file(at: AppTest) -> None:
    """On the same page: each area of a file is a block; what is none is told, nothing changes."""
    checked(at.selectbox(key="places-blocks").set_value("Areas of a file of mine").run())
    assert runs.setup(scenario_of(at)).partition.names == (OUTSIDE,)
    east = [[-90 + i / 500, 26 + i / 25] for i in range(500)]
    ring = [*east, [-70, 46], [-70, 26], east[0]]
    for corners in (ring[::100], ring):
        file = {"type": "Polygon", "coordinates": [corners]}
        checked(_send(at, json.dumps(file).encode()).run())
        if corners != ring:  # short enough for a link
            assert_shows(at, scenario_of(at))
    blocks = scenario_of(at).context.blocks
    assert isinstance(blocks, PolygonBlocks)
    (name,) = blocks.names
    partition = runs.setup(scenario_of(at)).partition
    assert (name, partition.names) == ("area 1", ("area 1", OUTSIDE))
    assert visitor_data.AREAS in query_of(at)
    with pytest.raises(CaldpError, match="stay with the visit"):
        visitor_data.read(visitor_data.query(scenario_of(at)))  # no visit has brought it here
    before = scenario_of(at)
    checked(_send(at, b"{}").run())
    assert scenario_of(at) == before
    assert "must be GeoJSON with polygons" in at.error[0].value
    _areas_that_are_not_as_drawn(at)


def _areas_that_are_not_as_drawn(at: AppTest) -> None:
    """Copies, overlaps, and areas without a cell are said above the page, of this file."""
    north, south = box(-90, 40, -80, 45), box(-90, 35, -80, 41)
    tiny, over = box(-90.01, 35.01, -90, 35.02), box(-91, 34, -79, 42)
    features = [("North", north), ("North", north), ("South", south), ("Tiny", tiny)]
    checked(_send(at, _file([*features, ("Under", north), ("Over", over)])).run())
    (warning,) = at.warning
    said = re.sub(r"\\", "", warning.value)
    for sentence in (
        "2 features of the file are united by name: “North”. 1 is a copy of another one.",
        "Without a polygon, so left out: 1 feature of the file.",
        "The property “name” names the areas.",
        "Without the middle of a cell, so not a block: “Tiny”.",
        "Covered by later areas of the file, so not a block: “North”, “South”.",
        "2,500 cells lie in several areas and belong to the latest of them in the file: ",
        "“Over” takes 1,250 of “South”.",
    ):
        assert sentence in said, said
    twice = north[:-1] + north
    checked(_send(at, _file([("Twice", twice), ("South", south)])).run())
    (warning,) = at.warning
    assert "1,250 cells count as outside of “Twice”, whose border crosses itself" in warning.value
    checked(_send(at, _file([("North", north)])).run())
    assert not at.warning


def _file(features: list[tuple[str, list[list[float]]]]) -> bytes:
    return json.dumps(
        {
            "type": "FeatureCollection",
            "features": [
                *(
                    {
                        "properties": {"name": name},
                        "geometry": {"type": "Polygon", "coordinates": [ring]},
                    }
                    for name, ring in features
                ),
                *[{"geometry": {"type": "Point", "coordinates": [0, 0]}}] * (len(features) > 1),
            ],
        }
    ).encode()


def box(west: float, south: float, east: float, north: float) -> list[list[float]]:
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


def _send(at: AppTest, data: bytes) -> AppTest:
    at.file_uploader(key="places-polygons").set_value(("areas.geojson", data, "application/json"))
    return at
