"""A user's places and areas on the map, points nearby, and who is not protected.

Also larger cells, parts of the map, and the public prior."""

import io
import json
import re
from contextlib import redirect_stdout
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import POLYGON_BYTES_MAX
from caldp_core.cli.run import summary
from caldp_core.datasets import (
    Cities,
    Gowalla,
    OwnPlaces,
    OwnTable,
    hexagon_resolutions,
    read_places,
)
from caldp_core.datasets.base_map import areas_on_map, named_areas
from caldp_core.datasets.public_map import NoPrior
from caldp_core.domain.domains import US_GRID, Area, GridDomain
from caldp_core.estimation.cascade_estimator import cascade_estimate
from caldp_core.estimation.public_prior import prior_effect
from caldp_core.experiments.forecast import (
    CIRCULAR,
    SAME,
    forecast,
    invalid_error_reason,
    is_slow,
)
from caldp_core.experiments.metrics import total_variation
from caldp_core.experiments.regions import cell_errors
from caldp_core.experiments.run import Setup, prepare, run
from caldp_core.scenarios.blocks import (
    OUTSIDE,
    BlocksSpec,
    EverythingSensitive,
    GridBlocks,
    HexagonBlocks,
    OneBlock,
    PolygonBlocks,
    SensitiveAreas,
    SensitiveNear,
    SensitiveSpec,
    StateBlocks,
)
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.texts import escape_markdown
from caldp_ui.compute import runs
from caldp_ui.controls import choices
from caldp_ui.controls.choices import blocks_of
from caldp_ui.maps import scene
from caldp_ui.maps.scene import (
    BEGIN,
    EXAMPLE,
    OURS,
    PAIR,
    PLAIN,
    TRUTH,
    ground,
    land,
    protected,
)
from caldp_ui.maps.scene import scene as scene_scene
from caldp_ui.parts import sharing
from caldp_ui.parts.comparison import ComparisonData, load_fast_results
from caldp_ui.places import page_state, view
from caldp_ui.places.controls import with_dataset
from caldp_ui.places.page_state import LINK, STATE, PlacesState
from caldp_ui.session import visit
from caldp_ui.session.links import seal
from caldp_ui.stage.component import scene_head
from caldp_ui.stage.records import Scene
from caldp_ui.values.page_state import BEGIN as VALUES_BEGIN
from caldp_ui.values.page_state import switch_table, table_of
from caldp_ui.values.view import remarks
from caldp_ui.words import accuracy, formats, policies
from caldp_ui.words.formats import PLACES
from tests.conftest import THOROUGH
from tests.contract.checks import naming
from tests.ui import driver
from tests.ui.driver import (
    accepted,
    act,
    assert_shows,
    box,
    by_the_core,
    checked,
    headline_of,
    jobs_done,
    on_stage,
    open_app,
    open_page,
    open_tab,
    open_with,
    picture_of,
    pictures,
    query_of,
    scenario_of,
    scene_of,
    values_page_scenario_of,
)
from tests.ui.pages import PAGES
from tests.ui.readings import run_command, run_exported
from tests.ui.test_own_files import answer, bring

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


@pytest.mark.slow
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
    title = at.selectbox(key="places-preset").options[-1]
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
    assert sizes.options == [scene.hexagon_size(r) for r in reversed(hexagon_resolutions(grid))]
    finest = hexagon_resolutions(grid)[-1]
    checked(sizes.set_value(finest).run())
    assert_shows(at, scenario_of(at).with_context(blocks=HexagonBlocks(finest)))
    assert query_of(at)["blocks.resolution"] == str(finest)
    for _ in range(2):
        checked(act(at, "undo").run())
    assert scenario_of(at).context.blocks == before


@pytest.mark.slow
def test_many_places_stay_out_of_the_link_and_are_waited_for() -> None:
    at = show(open_app(), MANY)
    scenario, query = scenario_of(at), query_of(at)
    assert set(query) & {visit.OWN, "dataset"} == {visit.OWN}
    file = scenario.to_json()
    assert run_exported(file).error("tv") == by_the_core(scenario).first.errors.tv
    receiver = open_app(query)
    assert "This link holds settings and no data" in receiver.info[0].value
    assert scenario_of(show(receiver, MANY)) == scenario
    assert scenario_of(show(open_app(), file)) == scenario


def test_long_data_are_left_to_their_file_by_code_and_record() -> None:
    spec = read_places(MANY, NAME).places
    scenario = with_dataset(BEGIN, spec)
    corners = " ".join(f"{48 + i / 1e4:.4f},{11 + i % 7}" for i in range(300))
    areas = page_state.with_merge_factor(scenario, 3).with_context(
        blocks=PolygonBlocks(("All",), (corners,))
    )
    long = {visit.OWN, visit.AREAS, "own.together", "blocks"}
    said = {"estimator", "v", "own.form", "own.title", "own.cell"}
    assert {*visit.query(areas)} - said == long
    assert runs.literal(scenario) == 'Scenario.from_file("scenario-internal.json")'
    result = by_the_core(scenario)
    content = sharing.ReportContent(result, "It is so.", {})
    page = sharing.html(PLACES, content, sharing.audit_scenario(scenario, lambda share: None), "")
    assert spec.people[:200] not in page
    assert "with the file scenario-internal.json" in page
    assert runs.key(scenario) != runs.key(replace(scenario, seed=2))
    assert len(runs.key(scenario)) < 200


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
    assert scene.presets_of(coasts.grid()) == scene.PRESETS
    assert coasts.grid() == US_GRID


NEW_YORK = "40.71, -74.01"


@pytest.mark.slow
def test_points_make_what_is_near_them_sensitive() -> None:
    at = open_with(BEGIN.with_context(sensitive=SensitiveNear((), 30.0)))
    assert not runs.setup(scenario_of(at)).sensitive.any()
    checked(at.text_area(key="places-points").set_value(f"{NEW_YORK}\n\n41.9, -87.6").run())
    near = SensitiveNear(("40.71,-74.01", "41.9,-87.6"), 30.0)
    assert scenario_of(at).context.sensitive == near
    assert_shows(at, BEGIN.with_context(sensitive=near))
    assert query_of(at)["sensitive"] == "near"
    lines = "40.71, -74.01, \u200eClinic\u00a0A, women\n41.9, -87.6, B"
    checked(at.text_area(key="places-points").set_value(lines).run())
    named = SensitiveNear(("40.71,-74.01,Clinic A, women", "41.9,-87.6,B"), 30.0)
    assert scenario_of(at).context.sensitive == named
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
    """On the same page: each area of a file is a block; anything else is reported."""
    checked(at.selectbox(key="places-blocks").set_value("Areas from my file").run())
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
    assert visit.AREAS in query_of(at)
    with pytest.raises(CaldpError, match="stay with the visit"):
        visit.read(visit.query(scenario_of(at)))  # no visit has brought it here
    before = scenario_of(at)
    checked(_send(at, b"{}").run())
    assert scenario_of(at) == before
    assert "must be GeoJSON with polygons" in at.error[0].value
    upload = at.file_uploader(key="places-polygons")
    assert upload.proto.max_upload_size_mb == POLYGON_BYTES_MAX // 2**20  # what the browser says
    _areas_that_are_not_as_drawn(at)


def _areas_that_are_not_as_drawn(at: AppTest) -> None:
    """Copies, overlaps, and areas without a cell are said above the page, of this file."""
    north, south = ring(-90, 40, -80, 45), ring(-90, 35, -80, 41)
    tiny, over = ring(-90.01, 35.01, -90, 35.02), ring(-91, 34, -79, 42)
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


def ring(west: float, south: float, east: float, north: float) -> list[list[float]]:
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


def _send(at: AppTest, data: bytes) -> AppTest:
    at.file_uploader(key="places-polygons").set_value(("areas.geojson", data, "application/json"))
    return at


def remark_on(*keys: str) -> str:
    """What is said of a table of areas, all of which are sensitive."""
    names = tuple(named_areas()[key].name for key in keys)
    table = OwnTable(names, tuple(range(100, 100 + len(keys))), areas=keys)
    own = table_of(table)
    assert own is not None
    scenario = switch_table(VALUES_BEGIN, own)
    rival = runs.best_plain_ldp(scenario)
    ours, plain = (runs.uncached_result(each) for each in (scenario, rival))
    return " ".join(remarks(ComparisonData(ours.setup, plain.setup, ours, plain), keys))


@pytest.mark.slow
def test_a_click_on_an_area_ends_its_protection_or_begins_it() -> None:
    form = bring("values", "Kanton;Einwohner\nZürich;9\nBern;8\nGenève;7\n", "a.csv")
    at = accepted(answer(form, "areas-Switzerland"), "values")
    dataset = values_page_scenario_of(at).dataset
    assert isinstance(dataset, OwnTable)
    _, labels = areas_on_map(dataset.areas)
    for area, flags in ((1, [1, 0, 1]), (3, [1, 0, 1]), (1, [1, 1, 1])):
        cell = int(np.flatnonzero(labels == area)[-1])
        click = {"tool": "look", "action": "protect", "cells": f"{cell}+1"}
        at = on_stage(at, click, "values-maps")
        assert runs.setup(values_page_scenario_of(at)).sensitive.tolist() == flags


def test_a_table_of_areas_brought_among_places_opens_on_the_page_of_answers() -> None:
    form = bring("places", "Kanton;Einwohner\nZürich;9\nBern;8\nGenève;7\n", "a.csv")
    at = accepted(answer(form, "areas-Switzerland"), "places")
    dataset = values_page_scenario_of(at).dataset
    assert isinstance(dataset, OwnTable)
    assert dataset.areas == tuple(f"{n}, Switzerland" for n in ("Zürich", "Bern", "Genève"))
    assert [each["id"] for each in scene_of(at, "values-maps")["pictures"]] == [
        "truth",
        "plain",
        "ours",
    ]


def test_areas_that_are_out_of_view_or_too_small_are_named() -> None:
    states = [key for key, area in named_areas().items() if area.country == "United States"]
    assert "Drag the map to see Alaska, Hawaii." in remark_on(*states)
    said = remark_on("Anguilla", "Saint Martin", "France", "Brazil", "Canada", "Japan")
    assert "Too small to be seen here, and only in the list below: Anguilla." in said
    assert "Drag" not in said


def setup_of(blocks: BlocksSpec, sensitive: SensitiveSpec) -> Setup:
    return runs.setup(BEGIN.with_context(blocks=blocks, sensitive=sensitive))


def scene_of_who_is_protected(blocks: BlocksSpec, sensitive: SensitiveSpec) -> Scene:
    data = load_fast_results(STATE, BEGIN.with_context(blocks=blocks, sensitive=sensitive))
    land = ground(data.setup, runs.map_of(data.setup.dataset), None)
    return scene_scene(data, land, arrangement=PAIR)


def test_where_everybody_is_protected_nothing_is_hatched() -> None:
    page_scene = scene_of_who_is_protected(GridBlocks(25, 35), EverythingSensitive())
    assert scene.readable_people(setup_of(GridBlocks(25, 35), EverythingSensitive())) is None
    assert page_scene.ground.open is None
    assert page_scene.arrangement == PAIR
    assert all("open" not in picture.marks for picture in page_scene.pictures)


@pytest.mark.parametrize(
    "sensitive", [choices.NEW_YORK, SensitiveAreas(())], ids=["one city", "nothing"]
)
def test_who_can_be_read_is_hatched_counted_and_first_as_a_map(sensitive: SensitiveSpec) -> None:
    setup, page_scene = (
        setup_of(OneBlock(), sensitive),
        scene_of_who_is_protected(OneBlock(), sensitive),
    )
    read = scene.readable_people(setup)
    assert read is not None
    share = float(setup.dataset.distribution[protected(setup)].sum())
    assert read.safe.startswith(f"{round(100 * share)} of")
    assert page_scene.ground.open is not None
    pictures = {picture.id: picture for picture in page_scene.pictures}
    assert "open" in pictures[OURS].marks
    assert "open" not in pictures[PLAIN].marks
    assert any(read.open in label.text for label in pictures[OURS].labels)
    assert page_scene.arrangement is not None
    assert page_scene.arrangement.turns == (scene.READ, TRUTH)
    assert scene_head(page_scene, "maps")["pictures"][-1]["colours"] == "open"


def test_a_saved_picture_says_its_epsilon_people_and_source() -> None:
    page_scene = scene_of_who_is_protected(OneBlock(), choices.NEW_YORK)
    text = " ".join(page_scene.image_lines)
    assert "ε = 1 " in text
    assert f"{formats.people(page_scene.people)} check-ins" in text
    assert runs.setup(BEGIN).dataset.name in text
    mixed = BEGIN.with_context(blocks=GridBlocks(1, 2), epsilon=(0.5, 2.0))
    assert "ε from 0.5 to 2 " in policies.setting_text(runs.setup(mixed))


def test_the_form_of_protection_is_called_by_what_is_left_to_do() -> None:
    def named(at: AppTest) -> list[str]:
        blocks = (block.proto.popover for block in driver.blocks(at) if block.type == "popover")
        return [block.label for block in blocks]

    at = driver.open_with(BEGIN)
    assert "What is protected" in named(at)
    at = driver.open_with(BEGIN.with_context(sensitive=choices.NEW_YORK))
    assert "Protect more places" in named(at)
    # The form is open, and keeps its name: under another one it would close under the hand.
    sensitive = next(box for box in at.selectbox if box.label.startswith("Sensitive"))
    driver.checked(sensitive.set_value("Every place").run())
    assert scene.readable_people(runs.setup(driver.scenario_of(at))) is None
    assert "Protect more places" in named(at)


def test_a_sensitive_place_alone_in_its_block_can_be_read() -> None:
    setup = setup_of(GridBlocks(125, 250), EverythingSensitive())
    sizes = np.bincount(setup.partition.labels)
    assert set(sizes.tolist()) == {1, 2}
    assert np.array_equal(protected(setup), sizes[setup.partition.labels] > 1)


def test_the_brush_says_before_that_nothing_is_left_to_protect() -> None:
    everything = page_state.actions(setup_of(OneBlock(), EverythingSensitive()))
    one_city = page_state.actions(setup_of(OneBlock(), choices.NEW_YORK))
    (before,), (after,) = (
        [each.effects["brush"] for each in offered if each.id == page_state.PROTECT]
        for offered in (everything, one_city)
    )
    assert "nothing changes" in before
    assert "nothing changes" not in after


@pytest.mark.parametrize("policy", [EverythingSensitive(), choices.NEW_YORK])
def test_what_an_action_does_fits_in_a_line_below_the_view_switch(policy: SensitiveSpec) -> None:
    """At 1280 pixels there is room for 80 letters; a second line lay under the switch."""
    effects = [
        effect
        for action in page_state.actions(setup_of(GridBlocks(), policy))
        for effect in action.effects.values()
    ]
    assert effects
    assert max(map(len, effects)) <= 80, effects


STATES = BEGIN.with_context(blocks=StateBlocks())


def test_what_is_handed_on_is_what_is_shown() -> None:
    at = open_tab(open_with(STATES), "Share and export")
    address, command, python = (code.value for code in at.code)
    assert address.endswith(f"?{urlencode(seal('places', {'v': '2', 'blocks': 'states'}))}")
    assert command == runs.command(STATES)
    assert python.rstrip() == runs.snippet(STATES).rstrip()


def test_code_that_is_handed_on_gives_the_same_digits() -> None:
    scenario = replace(BEGIN.with_context(blocks=GridBlocks(5, 7)), n=10_000, seed=7)
    tv = run(prepare(scenario)).first.errors.tv
    with redirect_stdout(io.StringIO()) as printed:
        exec(runs.snippet(scenario), {})
    assert float(printed.getvalue()) == tv
    python, module, name, *command, _ = runs.command(scenario).split()
    assert (python, module, name) == ("python", "-m", "caldp_core")
    output = run_command(command, scenario.to_json())
    assert json.loads(output)["errors"]["tv"]["mean"] == tv


PART = Area(40.0, 42.0, -75.0, -72.0)


@pytest.fixture(scope="module")
def page() -> AppTest:
    return open_with(STATES)


@pytest.mark.slow
def test_larger_cells_keep_states_and_say_both_errors(page: AppTest) -> None:
    page.session_state["places-more"] = True
    checked(page.run())
    checked(page.select_slider(key="places-cells").set_value(5).run())
    larger = page_state.with_merge_factor(STATES, 5)
    assert scenario_of(page) == larger
    result = assert_shows(page, larger)
    found = cell_errors(result.setup, result.first.estimate)
    (caption,) = (c.value for c in page.caption if c.value.startswith("Larger cells blur"))
    for error in (found.blur, found.noise, found.both):
        assert formats.of_hundred(error) in caption
    assert any("40 km" in c.value or "Cells are equal in degrees" in c.value for c in page.caption)
    if not THOROUGH:
        return
    jobs_done(open_tab(page, "Cell size"))
    bodies = [item.proto.body for item in page.get("html")]
    (table,) = (body for body in bodies if "ladder" in body)
    assert table.count("<tr") == 1 + len(page_state.merge_factors(STATES))
    assert "1° (111 km) (now)" in table


def test_a_part_of_the_map_is_shown_and_taken_back() -> None:
    at = open_with(STATES)
    checked(act(at, "box", "cut", box=box(PART)).run())
    grid = Gowalla(area=str(PART)).grid()
    cut = page_state.crop(STATES, PART)
    assert cut.dataset == Gowalla(area=str(PART))
    assert cut.context.blocks == blocks_of(grid) == GridBlocks(2, 3)
    assert_shows(at, cut)
    checked(act(at, "undo").run())
    assert_shows(at, STATES)
    at.session_state["places-more"] = True
    checked(at.run())
    checked(at.text_input(key="places-part").set_value("40.01,41.99,-75,-72.1").run())
    assert scenario_of(at) == cut  # whole cells
    checked(at.text_input(key="places-part").set_value("0,1,0,1").run())
    assert scenario_of(at) == cut
    assert "The area must lie on the map" in at.warning[0].value
    checked(at.button(key="places-whole").click().run())
    assert scenario_of(at).dataset == Gowalla()


def test_a_map_of_a_million_cells_runs_beside_the_page() -> None:
    grid = GridDomain(48.0, 2.0, 0.001, 1_024, 1_024)
    data = OwnPlaces("17:3 1048575:4", str(grid.area), grid.cell)
    large = with_dataset(BEGIN, data)
    assert runs.dataset(large).domain.k == 2**20
    assert runs.takes_long(large)
    assert not is_slow(runs.setup(large))  # so that it starts automatically
    assert not runs.takes_long(page_state.with_merge_factor(large, 2**3))


KNOWING = Scenario(Cities(together=5), n=200_000, estimator=view.INHABITANTS_ESTIMATOR)
CIRCLE = replace(KNOWING, dataset=Gowalla(together=5), n=None).with_context(blocks=OneBlock())


def test_the_tab_says_how_much_is_prior_and_what_that_costs() -> None:
    ours = run(prepare(KNOWING))
    truth, shares = ours.setup.dataset.distribution, ours.first.estimate
    moved = shares - cascade_estimate(ours.first.evidence)
    judgement = view.judgement_text(ours, moved, runs.map_of(ours.setup.dataset))
    for estimate in (shares, shares - moved):
        assert formats.per_hundred(total_variation(truth, estimate)) in judgement
    assert "left alone" in view.prior_share_text(np.zeros(4), "It")
    share = np.zeros(4)
    share[:2] = 0.12, -0.12
    assert view.prior_share_text(share, "Where people live").startswith("**12 of 100 people")


def test_data_that_were_made_of_the_prior_are_not_judged() -> None:
    ours = run(prepare(CIRCLE))
    assert ours.setup.dataset.from_inhabitants
    domain = runs.map_of(ours.setup.dataset)
    assert view.judgement_text(ours, np.zeros(domain.k), domain) == CIRCULAR
    with pytest.raises(CaldpError, match="made with where people live"):
        forecast(ours.setup)
    printed = summary(ours, None)
    assert printed["errors"] is printed["expected"] is None
    assert printed["not_judged"] == CIRCULAR
    headline = accuracy.headline(PLACES, ours.setup, ours.first.errors.tv, None)
    for text in (
        headline.sentence + headline.second,
        scene.subtitle(ours),
        scene.error_fact(ours).text,
    ):
        assert formats.per_hundred(ours.first.errors.tv) not in text
    plain = prepare(replace(CIRCLE, estimator="cascade"))
    assert "puts" in accuracy.headline(PLACES, plain, 0.3, 0.4).sentence


def test_pages_that_would_tell_an_error_refuse_it() -> None:
    for page in ("adversary", "personal", "coarser", "plan", "curves"):
        link = PAGES[page].state.codec
        begin = replace(link.fresh().scenario, dataset=Gowalla(), n=None)
        field: Any = {"scenario": replace(begin, estimator=view.INHABITANTS_ESTIMATOR)}
        if page == "curves":
            field = {"scenario": begin, "estimates": (view.INHABITANTS_ESTIMATOR,)}
        with naming(page), pytest.raises(CaldpError, match="made with where people live"):
            link.check(replace(link.fresh(), **field))


def test_the_offer_is_taken_and_the_page_says_why_it_tells_no_error() -> None:
    at = open_page("pages/places.py", {**CIRCLE.to_query(), "estimator": "cascade"})
    at.session_state["places-tabs"] = "Public prior"
    checked(at.run())
    checked(at.button(key="places-use-prior").click().run())
    at.session_state["places-tabs"] = "Public prior"
    checked(at.run())
    assert at.session_state["places/state"].record.scenario.estimator == view.INHABITANTS_ESTIMATOR
    assert any(CIRCULAR[:40] in each.value for each in at.markdown)


def publish(scenario: Scenario) -> str:
    """What the page gave out of another year's people."""
    return runs.estimate_csv(run(prepare(scenario))).decode()


def bring_map(at: AppTest, text: str, name: str) -> AppTest:
    """From the tab's button to the picture; a file comes as this text does."""
    at.session_state["places-tabs"] = "Public prior"
    checked(at.run())
    checked(at.button(key="places-bring").click().run())
    at.text_area(key="places-own-text").set_value(text)
    at.text_input(key="places-own-name").set_value(name)
    checked(at.button(key="places-own-show").click().run())
    return accepted(at, "places")


@pytest.mark.slow
def test_last_years_map_comes_from_a_file_and_stays_with_the_visit() -> None:
    now = replace(KNOWING, estimator="cascade", seed=7).with_context(blocks=OneBlock())
    text = publish(replace(now, seed=3).with_context(epsilon=4.0))
    at = bring_map(open_page("pages/places.py", now.to_query()), text, "**Last** <b>year")
    scenario = at.session_state["places/state"].record.scenario
    assert (scenario.estimator, scenario.prior.title) == ("cascade-map", "**Last** <b>year")
    assert replace(scenario, estimator="cascade", prior=NoPrior()) == now
    assert picture_of(by_the_core(scenario)) in pictures(at).values()
    assert picture_of(by_the_core(now)) not in pictures(at).values()
    query = query_of(at)
    assert set(query) & {visit.OWN, visit.PRIOR, "prior"} == {visit.PRIOR}
    assert any("Too long for a link" in each.value for each in at.warning)
    assert Scenario.from_json(scenario.to_json()) == scenario
    protocols = {runs.protocol_json(run(prepare(each))) for each in (scenario, now)}
    assert len(protocols) == 1  # what devices do does not depend on it
    at.session_state["places-tabs"] = "Public prior"
    checked(at.run())
    ours = run(prepare(scenario))
    moved = prior_effect(ours.first.evidence, ours.first.estimate)
    texts = [each.value for each in at.markdown]
    assert view.prior_share_text(moved, escape_markdown("“**Last** <b>year”")) in texts
    assert not any("**Last**" in each for each in texts)
    (refused,) = [each.value for each in open_page("pages/places.py", query).error]
    assert "stay with the visit" in refused
    for button, name in (("use-none", "cascade"), ("use-map", "cascade-map")):
        at.session_state["places-tabs"] = "Public prior"
        checked(at.run())
        checked(at.button(key=f"places-{button}").click().run())
        assert at.session_state["places/state"].record.scenario == replace(scenario, estimator=name)


def test_the_data_as_their_own_prior_are_not_judged_and_other_data_leave_it_behind() -> None:
    rng = np.random.default_rng(2)
    places = rng.normal((48.1, 11.6), 0.08, (400, 2)).round(3)
    text = "lat,lon\n" + "\n".join(f"{y},{x}" for y, x in places)
    data = read_places(text).places
    at = bring_map(open_page("pages/places.py", with_dataset(BEGIN, data).to_query()), text, "it")
    scenario = at.session_state["places/state"].record.scenario
    assert scenario.prior.shares_on(data.grid()) == pytest.approx(data.load().distribution)
    assert invalid_error_reason(prepare(scenario)) == SAME
    headline = headline_of(at)
    assert "accurate" not in headline
    assert formats.per_hundred(run(prepare(scenario)).first.errors.tv) not in headline
    later = with_dataset(scenario, Cities())
    assert (later.estimator, later.prior) == ("cascade", NoPrior())
    cut = with_dataset(scenario, replace(data, together=2))
    assert (cut.estimator, cut.prior) == ("cascade-map", scenario.prior)
