"""A table of 50 states by their names, pasted, to maps of areas and to its blocks."""

from urllib.parse import parse_qs, urlsplit

import pytest

from caldp_core.datasets.areas import named_areas
from tests.browser.conftest import Profiles
from tests.browser.hands import expect
from tests.browser.watch import Watch

pytestmark = pytest.mark.browser
REGIONS = ("Midwest", "Northeast", "South", "West")
STATES = [
    area.name
    for area in named_areas().values()
    if area.country == "United States" and area.name != "District of Columbia"
]


def test_fifty_states_become_maps_and_blocks(
    profiles: Profiles, address: str, watch: Watch
) -> None:
    page = profiles().new_page()
    watch.follow(page)
    page.goto(f"{address}/values")
    page.get_by_role("button", name="Your data").first.click()
    rows = "\n".join(f"{name};{100 + 7 * at}" for at, name in enumerate(STATES))
    page.locator(".st-key-values-own-text textarea").fill(f"State;People\n{rows}\n")
    page.get_by_role("button", name="Read the text").click()
    page.get_by_role("button", name="Show areas of United States").click()
    people = sum(100 + 7 * at for at in range(50))
    expect(page.get_by_text(f"{people:,} people in 50 rows are counted.")).to_be_visible()
    page.get_by_text("the answer; the group is open").click()
    page.get_by_role("button", name="Show it").click()
    expect(page.locator(".st-key-values-maps-stage .pane canvas:visible")).to_have_count(3)
    expect(page.locator(".chart .row")).to_have_count(50 + len(REGIONS))
    expect(page.get_by_text("Drag the map to see Alaska, Hawaii.")).to_be_visible()
    page.wait_for_url("**/values?*blocks=groups*")
    assert parse_qs(urlsplit(page.url).query)["own.answers"] == ["50"]
    page.close()
    watch.check()
