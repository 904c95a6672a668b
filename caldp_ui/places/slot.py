"""What the map page shows: a scenario of places and a marked box; its link and its undo.

Room: places.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from caldp_core.domain.grid import Area
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.session.scenarios import WithScenario, read_scenario, unknown_keys
from caldp_ui.session.slot import Slot

_REGION: Final = "region"


@dataclass(frozen=True)
class Places(WithScenario):
    """The page's record. `region`: the box whose numbers are shown, if there is one."""

    scenario: Scenario = Scenario()
    region: Area | None = None


class PlacesLink:
    """How the record is written into a link: the scenario's own keys, and `region`."""

    browser: tuple[str, ...] = ()

    def fresh(self) -> Places:
        """See `Codec`."""
        return Places()

    def write(self, record: Places) -> dict[str, str]:
        """See `Codec`."""
        region = {} if record.region is None else {_REGION: str(record.region)}
        return record.scenario.to_query() | region

    def read(self, query: Mapping[str, str]) -> Places:
        """See `Codec`."""
        flat = dict(query)
        box = flat.pop(_REGION, None)
        return Places(read_scenario(flat), Area.parse(box) if box else None)

    def strangers(self, query: Mapping[str, str]) -> list[str]:
        """See `Codec`."""
        return [key for key in unknown_keys(query) if key != _REGION]

    def check(self, record: Places) -> None:
        """See `Codec`: data without a map, or blocks that do not fit it, are refused."""
        runs.map_of(runs.dataset(record.scenario))
        runs.setup(record.scenario)


def _with_earlier_protection(shown: Places, earlier: Places) -> Places:
    was = earlier.scenario
    scenario = replace(shown.scenario, blocks=was.blocks, sensitive=was.sensitive)
    return replace(shown, scenario=scenario)


SLOT: Final = Slot("places", PlacesLink(), _with_earlier_protection)
"""Undo brings an earlier protection back; ε, people and the rest stay as they are."""
