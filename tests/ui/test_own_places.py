"""Places of one's own on the map page: their own map and blocks, a way back, nothing of the US."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.datasets import OwnPlaces, hexagon_resolutions, read_places
from caldp_core.domain.grid import US_GRID, Area, GridDomain
from caldp_core.scenarios.blocks import GridBlocks, HexagonBlocks, OneBlock, PolygonBlocks
from caldp_ui.compute import exports, runs
from caldp_ui.maps import presets
from caldp_ui.maps.ground import land
from caldp_ui.maps.presets import BEGIN
from caldp_ui.maps.scene import EXAMPLE
from caldp_ui.parts import sharing
from caldp_ui.places import page_state as extent
from caldp_ui.places import view
from caldp_ui.places.controls import with_dataset
from caldp_ui.places.page_state import LINK, STATE, PlacesState
from caldp_ui.session import links, visitor_data
from caldp_ui.words import formats
from caldp_ui.words.formats import PLACES
from tests.ui.driver import (
    accepted,
    act,
    assert_shows,
    by_the_core,
    checked,
    open_app,
    query_of,
    scenario_of,
    scene_of,
)
from tests.ui.exported import run_exported

NAME = "**Munich** <b>"
FEW = "\n".join(EXAMPLE.splitlines()[:20])
MANY = "lat,lon\n" + "\n".join(
    f"{40 + i % 37 / 50:.2f},{10 + i % 41 / 50:.2f}" for i in range(1500)
)


def show(at: AppTest, text: str, name: str = NAME) -> AppTest:
    at.session_state["places-own"] = True
    checked(at.run())
    at.text_area(key="places-own-text").set_value(text)
    at.text_input(key="places-own-name").set_value(name)
    checked(at.button(key="places-own-show").click().run())
    return accepted(at, "places")


def sentences(at: AppTest) -> list[str]:
    return [item.value for item in (*at.error, *at.warning)]


def test_places_are_shown_on_a_map_of_their_own_and_undo_leads_back() -> None:
    at = show(open_app(), FEW)
    scenario = scenario_of(at)
    data = scenario.dataset
    assert isinstance(data, OwnPlaces)
    assert_shows(at, scenario)
    ground = scene_of(at)["ground"]
    assert ground["rows"] == data.grid().rows
    below = land(data.grid())
    assert (ground["outline"], ground["cities"]) == (below["outline"].name, below["cities"].name)
    assert below["cities"] != land(US_GRID)["cities"]
    kinds = [
        *at.selectbox(key="places-blocks").options,
        *at.selectbox(key="places-sensitive").options,
    ]
    assert not [kind for kind in kinds if "state" in kind or "settled" in kind or "similar" in kind]
    for title in at.selectbox(key="places-preset").options:
        checked(at.selectbox(key="places-preset").set_value(title).run())
        assert (sentences(at), at.selectbox(key="places-preset").value) == ([], title)
    assert NAME not in "".join(item.value for item in (*at.markdown, *at.caption))
    _hexagons_in_all_sizes(at, data.grid())
    gowalla = at.selectbox(key="places-data").options[0]
    checked(at.selectbox(key="places-data").set_value(gowalla).run())
    assert_shows(at, BEGIN)
    checked(at.selectbox(key="places-data").set_value(f"Yours: {NAME}").run())
    assert_shows(at, scenario)
    held = at.session_state["places/state"]
    assert STATE.undoable(held.record, held.past[-1]) == PlacesState(BEGIN)
    checked(act(at, "undo").run())
    assert_shows(at, BEGIN)


def _hexagons_in_all_sizes(at: AppTest, grid: GridDomain) -> None:
    before = scenario_of(at).context.blocks
    checked(at.selectbox(key="places-blocks").set_value("Hexagons").run())
    sizes = at.select_slider(key="places-hexagons")
    assert sizes.options == [presets.hexagon_size(r) for r in reversed(hexagon_resolutions(grid))]
    finest = hexagon_resolutions(grid)[-1]
    checked(sizes.set_value(finest).run())
    assert_shows(at, scenario_of(at).with_context(blocks=HexagonBlocks(finest)))
    assert query_of(at)["blocks.resolution"] == str(finest)
    for _ in range(2):
        checked(act(at, "undo").run())
    assert scenario_of(at).context.blocks == before


def test_many_places_stay_out_of_the_link_and_come_back_in_the_visit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at = show(open_app(), MANY)
    scenario, query = scenario_of(at), query_of(at)
    assert set(query) & {visitor_data.OWN, "dataset"} == {visitor_data.OWN}
    file = exports.scenario_json(scenario)
    assert run_exported(file).error("tv") == by_the_core(scenario).first.errors.tv
    at.query_params.clear()
    monkeypatch.setattr(
        links, "is_history_navigation", lambda: True
    )  # as after a step of the browser
    checked(at.run())
    assert scenario_of(at) == BEGIN
    for key, text in query.items():
        at.query_params[key] = text
    checked(at.run())
    assert (scenario_of(at), sentences(at)) == (scenario, [])
    monkeypatch.undo()
    receiver = open_app(query)
    assert "This link holds settings and no data" in receiver.info[0].value
    assert scenario_of(show(receiver, MANY)) == scenario
    assert scenario_of(show(open_app(), file)) == scenario


def test_long_data_are_left_to_their_file_by_code_and_record() -> None:
    spec = read_places(MANY, NAME).places
    scenario = with_dataset(BEGIN, spec)
    corners = " ".join(f"{48 + i / 1e4:.4f},{11 + i % 7}" for i in range(300))
    areas = extent.with_merge_factor(scenario, 3).with_context(
        blocks=PolygonBlocks(("All",), (corners,))
    )
    long = {visitor_data.OWN, visitor_data.AREAS, "own.together", "blocks"}
    said = {"estimator", "v", "own.form", "own.title", "own.cell"}
    assert {*visitor_data.query(areas)} - said == long
    assert exports.literal(scenario) == 'Scenario.from_file("scenario-internal.json")'
    result = by_the_core(scenario)
    content = sharing.ReportContent(result, "It is so.", {})
    page = sharing.html(PLACES, content, sharing.audit_scenario(scenario, lambda share: None), "")
    assert spec.people[:200] not in page
    assert "with the file scenario-internal.json" in page
    assert runs.key(scenario) != runs.key(replace(scenario, seed=2))
    assert len(runs.key(scenario)) < 200


def test_neighbouring_cells_of_a_small_map_have_names_of_their_own() -> None:
    grid = GridDomain(48.0, 11.0, 0.01, 10, 10)
    names = {formats.place_name(grid, cell) for cell in range(grid.k)}
    assert len(names) == grid.k
    boxes = (Area(48.0, 48.01, 11.0, 11.01), Area(48.01, 48.02, 11.0, 11.01))
    assert len({view.describe_area(box) for box in boxes}) == 2
    assert (
        view.describe_area(Area(40.0, 41.2, -75.0, -73.6)) == "40.0° N, 75.0° W to 41.2° N, 73.6° W"
    )


def test_the_example_is_a_town_with_room_for_blocks() -> None:
    scenario = with_dataset(BEGIN, read_places(EXAMPLE).places)
    ours, plain = (by_the_core(each) for each in (scenario, scenario.plain()))
    assert ours.setup.partition.m > 10
    assert ours.first.errors.tv < 0.7 * plain.first.errors.tv


def test_data_on_another_map_take_blocks_that_it_has() -> None:
    spec = read_places(FEW).places
    there = with_dataset(BEGIN, spec)
    grid = spec.grid()
    assert there.context.blocks == GridBlocks(grid.rows // 5, grid.columns // 5)
    LINK.check(PlacesState(there))
    assert with_dataset(there, BEGIN.dataset).context == BEGIN.context
    coasts = read_places("lat,lon\n40.71,-74.0\n34.05,-118.24").places
    states = BEGIN.with_context(blocks=OneBlock())
    assert with_dataset(states, coasts).context == states.context
    assert presets.presets_of(coasts.grid()) == presets.PRESETS
    assert coasts.grid() == US_GRID
