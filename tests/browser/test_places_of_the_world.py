"""Lists of places: people made up around real districts of two cities, and all airports, from the
file to estimate and record, as a visitor brings them."""

import io
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from benchmarks.browser import wait_until_settled
from caldp_core.basics.types import Floats
from caldp_core.datasets import inspect_data
from caldp_core.datasets.base_map import cities_in
from caldp_core.datasets.files.places import count_places
from caldp_core.domain.grid import Area
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.maps.presets import BEGIN, hexagon_size, hexagons_of
from caldp_ui.places.controls import with_dataset
from caldp_ui.places.page_state import with_merge_factor
from tests.browser.conftest import Visit
from tests.browser.hands import HEADLINE, expect, headline_of, open_internal, tab
from tests.browser.watch import Watch

pytestmark = pytest.mark.browser
PARIS = Area(48.6, 49.1, 2.0, 2.8)
TOKYO = Area(35.4, 36.0, 139.3, 140.2)


def people_of(area: Area, number: int) -> bytes:
    """A list of so many people around the middles of districts, by their inhabitants."""
    districts = cities_in(area)
    rng = np.random.default_rng(22)
    shares = np.array([each.population for each in districts], dtype=np.float64)
    near = rng.choice(len(districts), number, p=shares / shares.sum())
    middles = np.array([(each.latitude, each.longitude) for each in districts])
    return csv(middles[near] + 0.012 * rng.standard_normal((number, 2)))


def csv(places: Floats) -> bytes:
    out = io.BytesIO()
    rows = pa.table({"latitude": places[:, 0].round(5), "longitude": places[:, 1].round(5)})
    pyarrow.csv.write_csv(rows, out)
    return out.getvalue()


def scenario_of(data: bytes) -> Scenario:
    """What the page shows of a list, by the core."""
    file = inspect_data(data)
    return with_dataset(BEGIN, count_places(file, file.places, "list").places)


def bring(page: Any, data: bytes, people: str, folder: Path) -> None:
    """Choose the file, and show it as it was understood."""
    path = folder / "list.csv"  # from the disk: a megabyte by the test's own line takes seconds
    path.write_bytes(data)
    page.get_by_role("button", name="Your data").click()
    page.get_by_role("tab", name="Choose a file").click()
    page.locator(".st-key-places-own-file input[type=file]").set_input_files(path)
    expect(page.get_by_text("list.csv")).to_be_visible()
    page.get_by_role("button", name="Read the file").click()
    expect(page.locator(".st-key-places-own-preview")).to_contain_text(f"{people} people")
    page.get_by_role("button", name="Show it").click()


def expect_result(page: Any, scenario: Scenario) -> None:
    """The sentence becomes that of a fresh run by the core; such a list is too long for a link."""
    expect(page.locator(HEADLINE)).to_have_text([headline_of(scenario)])
    wait_until_settled(page)


def export_scenario(page: Any) -> Scenario:
    """The scenario that the page hands out."""
    tab(page, "Share and export")
    open_internal(page)
    with page.expect_download() as saved:
        page.locator(".st-key-places-json button").click()
    return Scenario.from_text(Path(saved.value.path()).read_text("utf-8"))


def record(page: Any, folder: Path) -> Path:
    """The record that the page hands out."""
    page.locator(".st-key-places-audit-start button").click()
    button = page.locator(".st-key-places-record button")
    expect(button).to_be_visible()
    with page.expect_download() as saved:
        button.click()
    saved.value.save_as(folder / "record.html")
    return folder / "record.html"


def test_200_000_people_of_paris_in_hexagons_of_larger_cells(visit: Visit, tmp_path: Path) -> None:
    data = people_of(PARIS, 200_000)
    page = visit()
    bring(page, data, "200,000", tmp_path)
    before = scenario_of(data)
    blocks = hexagons_of(runs.map_of(runs.dataset(before)))
    expect_result(page, before)
    page.locator(".st-key-places-preset input").click()
    page.get_by_role("option", name=f"Hexagons of {hexagon_size(blocks.resolution)}").click()
    scenario = before.with_context(blocks=blocks)
    expect_result(page, scenario)
    page.locator(".st-key-places-more button").first.click()
    page.locator(".st-key-places-cells input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    larger = with_merge_factor(scenario, 2)
    expect_result(page, larger)
    page.keyboard.press("Escape")
    tab(page, "Cell size")
    now = page.locator(".ladder .now th")
    expect(now).to_have_text("0.02° (2.2 km) (now)")
    assert export_scenario(page) == larger


def leads_to_an_estimate(page: Any, data: bytes, people: str, folder: Path) -> None:
    """From the file to its estimate and its scenario, as the core has them."""
    bring(page, data, people, folder)
    scenario = scenario_of(data)
    expect_result(page, scenario)
    assert export_scenario(page) == scenario


@pytest.mark.thorough
def test_a_million_people_of_tokyo(visit: Visit, tmp_path: Path) -> None:
    leads_to_an_estimate(visit(), people_of(TOKYO, 1_000_000), "1,000,000", tmp_path)


def test_airports_of_the_whole_world_and_a_record_that_asks_nobody(
    visit: Visit, watch: Watch, tmp_path: Path
) -> None:
    page = visit()
    airports = (files("airportsdata") / "airports.csv").read_bytes()  # eleven columns, as it came
    rows = airports.count(b"\n") - 1
    leads_to_an_estimate(page, airports, f"{rows:,}", tmp_path)
    page.goto(record(page, tmp_path).as_uri())
    expect(page.locator("img")).to_have_count(2)  # of estimates: the truth is in the internal one
    expect(page.locator("body")).to_contain_text("It holds.")
    assert watch.outside() == []
