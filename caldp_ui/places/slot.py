"""What the map page shows: a scenario of places, a marked box; link and undo."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from caldp_core.domain.grid import Area
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.maps.presets import BEGIN
from caldp_ui.session import own
from caldp_ui.session.pins import PinSlot
from caldp_ui.session.scenarios import (
    WithScenario,
    read_scenario,
    scenario_query,
    unknown_keys,
)
from caldp_ui.stage import BROWSER_KEYS

_REGION: Final = "region"


@dataclass(frozen=True)
class Places(WithScenario):
    """The page's record. `region`: the box whose numbers are shown, if there is one."""

    scenario: Scenario = BEGIN
    region: Area | None = None


class PlacesLink:
    """How the record is written into a link: the scenario's own keys, and `region`."""

    browser: tuple[str, ...] = BROWSER_KEYS

    def fresh(self) -> Places:
        """See `Codec`."""
        return Places()

    def write(self, record: Places) -> dict[str, str]:
        """See `Codec`."""
        flat = {} if record.scenario == BEGIN else scenario_query(record.scenario)
        if record.region is not None:
            flat[_REGION] = str(record.region)
        return flat

    def read(self, query: Mapping[str, str]) -> Places:
        """See `Codec`."""
        flat = dict(query)
        box = flat.pop(_REGION, None)
        return Places(read_scenario(flat) if flat else BEGIN, Area.parse(box) if box else None)

    def strangers(self, query: Mapping[str, str]) -> list[str]:
        """See `Codec`."""
        return [key for key in unknown_keys(query) if key != _REGION]

    def check(self, record: Places) -> None:
        """See `Codec`: other policies, data without a map, blocks that do not fit are refused."""
        _ = record.scenario.context
        runs.map_of(runs.dataset(record.scenario))
        runs.setup(record.scenario)


def _with_earlier_protection(shown: Places, earlier: Places) -> Places:
    """Data of one's own take their map along: a step back leads to what was shown before."""
    data = (shown.scenario.dataset, earlier.scenario.dataset)
    if data[0] != data[1] and any(map(own.is_own, data)):
        return earlier
    was = earlier.scenario.context
    changed = shown.scenario.with_context(blocks=was.blocks, sensitive=was.sensitive)
    return replace(shown, scenario=changed)


SLOT: Final = PinSlot("places", PlacesLink(), _with_earlier_protection)
"""Undo brings an earlier protection back; ε, people and the rest stay as they are."""
