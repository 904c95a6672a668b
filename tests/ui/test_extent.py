"""A map in larger cells and of a part: the same people and protection, and a way back."""

import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.datasets import Gowalla, OwnPlaces
from caldp_core.domain.grid import Area, GridDomain
from caldp_core.experiments.regions import cell_errors
from caldp_core.scenarios.blocks import GridBlocks, StateBlocks
from caldp_ui.compute import runs
from caldp_ui.controls.choices import blocks_of
from caldp_ui.maps.presets import BEGIN
from caldp_ui.places import page_state as extent
from caldp_ui.places.controls import with_dataset
from caldp_ui.words import formats
from tests.ui.driver import (
    act,
    assert_shows,
    box,
    checked,
    jobs_done,
    open_tab,
    open_with,
    scenario_of,
)

PART = Area(40.0, 42.0, -75.0, -72.0)
STATES = BEGIN.with_context(blocks=StateBlocks())


@pytest.fixture(scope="module")
def page() -> AppTest:
    return open_with(STATES)


def test_larger_cells_keep_states_and_say_both_errors(page: AppTest) -> None:
    page.session_state["places-more"] = True
    checked(page.run())
    checked(page.select_slider(key="places-cells").set_value(5).run())
    larger = extent.with_merge_factor(STATES, 5)
    assert scenario_of(page) == larger
    result = assert_shows(page, larger)
    found = cell_errors(result.setup, result.first.estimate)
    (caption,) = (c.value for c in page.caption if c.value.startswith("Larger cells blur"))
    for error in (found.blur, found.noise, found.both):
        assert formats.of_hundred(error) in caption
    assert any("40 km" in c.value or "Cells are equal in degrees" in c.value for c in page.caption)
    jobs_done(open_tab(page, "Cell size"))
    bodies = [item.proto.body for item in page.get("html")]
    (table,) = (body for body in bodies if "ladder" in body)
    assert table.count("<tr") == 1 + len(extent.merge_factors(STATES))
    assert "1° (111 km) (now)" in table


def test_a_part_of_the_map_is_shown_and_taken_back() -> None:
    at = open_with(STATES)
    checked(act(at, "box", "cut", box=box(PART)).run())
    grid = Gowalla(area=str(PART)).grid()
    cut = extent.crop(STATES, PART)
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
    assert not runs.may_take_minutes(large)  # so that it starts by itself
    assert not runs.takes_long(extent.with_merge_factor(large, 2**3))
