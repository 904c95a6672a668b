"""The key beside the maps names what is drawn on them, and nothing that is not."""

from dataclasses import replace

import pytest

from caldp_core.domain.grid import US_GRID, Area
from caldp_core.experiments.run import prepare
from caldp_core.scenarios.protection import SensitiveInhabited
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.theme import NIGHT
from caldp_ui.places import mapkey
from tests.ui.driver import chart, open_app
from tests.ui.scenarios import BASE, VARIED

BOX = Area.parse("40,41,-75,-73")
CASES: dict[str, tuple[Scenario, Area | None, set[str]]] = {
    "blocks": (BASE, None, {mapkey.BLOCKS}),
    "plain LDP": (VARIED["one block"], None, set()),
    "box": (VARIED["one block"], BOX, {mapkey.REGION}),
    "areas": (VARIED["areas"], None, {mapkey.BLOCKS, mapkey.BORDER}),
    "nothing": (VARIED["nothing"], None, {mapkey.BLOCKS}),
    "scattered": (
        replace(BASE, sensitive=SensitiveInhabited(1, 5_000)),
        BOX,
        {mapkey.BLOCKS, mapkey.VEIL, mapkey.REGION},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_key_names_what_is_on_the_maps(name: str) -> None:
    scenario, box, expected = CASES[name]
    assert set(mapkey.entries(prepare(scenario), US_GRID, box)) == expected


@pytest.mark.parametrize("name", ["areas", "plain LDP"])
def test_the_page_shows_the_key_in_the_colours_of_its_maps(name: str) -> None:
    scenario, _, expected = CASES[name]
    at = open_app(**scenario.to_query())
    (key,) = (item.body for item in at.get("html") if mapkey.SCALE in item.body)
    named = {mapkey.BORDER, mapkey.VEIL, mapkey.BLOCKS, mapkey.REGION}
    assert {text for text in named if f" {text}<" in key} == expected
    drawn = chart(at, "map-estimate").spec
    assert (NIGHT.sensitive in key) == (NIGHT.sensitive in drawn) == (name == "areas")
