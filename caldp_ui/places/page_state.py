"""The state of the map page: a scenario of places and a marked box; link and undo."""

from dataclasses import dataclass, replace
from typing import Final

from caldp_core.domain.grid import Area
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.compute.sources import is_own
from caldp_ui.maps.presets import BEGIN
from caldp_ui.session.pins import PinPageState
from caldp_ui.session.record_link import FieldFormat, ScenarioLink
from caldp_ui.session.scenarios import ScenarioRecord
from caldp_ui.stage import BROWSER_KEYS


@dataclass(frozen=True)
class PlacesState(ScenarioRecord):
    """The page's record. `region`: the box whose numbers are shown, if there is one."""

    scenario: Scenario = BEGIN
    region: Area | None = None


def _check(record: PlacesState) -> None:
    """Raise `CaldpError` for other policies, data without a map, blocks that don't fit."""
    _ = record.scenario.context
    runs.map_of(runs.dataset(record.scenario))
    runs.setup(record.scenario)


def _with_earlier_protection(shown: PlacesState, earlier: PlacesState) -> PlacesState:
    """The record with an earlier protection; all of the earlier one where the map is another."""
    data = (shown.scenario.dataset, earlier.scenario.dataset)
    if data[0] != data[1] and (type(data[0]) is type(data[1]) or any(map(is_own, data))):
        return earlier
    was = earlier.scenario.context
    changed = shown.scenario.with_context(blocks=was.blocks, sensitive=was.sensitive)
    return replace(shown, scenario=changed)


_REGION: Final = FieldFormat(str, lambda _, text: Area.parse(text))
LINK: Final = ScenarioLink(PlacesState(), _check, BROWSER_KEYS, {"region": _REGION})
STATE: Final = PinPageState("places", LINK, _with_earlier_protection)
"""Undo brings an earlier protection back; ε, people and the rest stay as they are."""
