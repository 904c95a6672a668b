"""Last year's map as what everybody knows: from its file to the picture, and back again."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks.browser import wait_until_settled
from caldp_core.datasets import Cities, inspect_data
from caldp_core.datasets.files.published import count_published_map
from caldp_core.datasets.public_map import PublicMap
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.run import prepare, run
from caldp_core.experiments.table import as_geojson
from caldp_core.scenarios.blocks import OneBlock
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.places.page_state import LINK, PlacesState
from tests.browser.conftest import Visit
from tests.browser.hands import HEADLINE, expect, headline_of, tab

pytestmark = pytest.mark.browser
NOW = Scenario(Cities(together=5), n=200_000).with_context(blocks=OneBlock())
BEFORE = Scenario(Cities(together=5), n=300_000, seed=9).with_context(
    blocks=OneBlock(), epsilon=4.0
)


def expect_result(page: Any, scenario: Scenario) -> None:
    expect(page.locator(HEADLINE)).to_have_text([headline_of(scenario)])
    wait_until_settled(page)


def test_last_years_estimate_is_taken_for_known(visit: Visit, tmp_path: Path) -> None:
    last = run(prepare(BEFORE))
    (tmp_path / "last year.geojson").write_text(as_geojson(last), "utf-8")
    query = "&".join(f"{key}={text}" for key, text in LINK.write(PlacesState(NOW)).items())
    page = visit(f"places?{query}")
    expect_result(page, NOW)
    tab(page, "Public prior")
    page.get_by_role("button", name="Use a file of mine").click()
    page.get_by_role("tab", name="Choose a file").click()
    chosen = page.locator(".st-key-places-own-file input[type=file]")
    chosen.set_input_files(tmp_path / "last year.geojson")
    expect(page.get_by_text("last year.geojson")).to_be_visible()
    page.get_by_role("button", name="Read the file").click()
    preview = page.locator(".st-key-places-own-preview")
    expect(preview.get_by_role("radio", name="what is public already")).to_be_checked()
    expect(preview).to_contain_text("people in")
    page.get_by_role("button", name="Show it").click()
    domain = prepare(Scenario(Cities(), n=1)).dataset.domain
    detected = inspect_data((tmp_path / "last year.geojson").read_bytes())
    assert isinstance(domain, GridDomain)
    prior = count_published_map(detected, detected.places, "last year", domain).published
    knowing = Scenario(NOW.dataset, NOW.policy, estimator="cascade-map", n=NOW.n, prior=prior)
    expect_result(page, knowing)
    sentence = page.get_by_text("people are where they are on this map because of “last year”")
    expect(sentence).to_be_visible()
    tab(page, "Share and export")
    with page.expect_download() as saved:
        page.locator(".st-key-places-json button").click()
    found = Scenario.from_text(Path(saved.value.path()).read_text("utf-8"))
    assert isinstance(found.prior, PublicMap)
    assert found == knowing
    tab(page, "Public prior")
    page.get_by_role("button", name="Use reports alone").click()
    expect_result(page, NOW)  # the maps above the tab, too
    page.get_by_role("button", name="Use “last year”").click()
    expect_result(page, knowing)
