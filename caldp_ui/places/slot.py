"""What the map page shows: a scenario of places, a marked box, a pinned scenario; link and undo.

Room: places.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import parse_qsl, urlencode

from caldp_core.domain.grid import Area
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.session.scenarios import (
    WithScenario,
    read_scenario,
    scenario_query,
    unknown_keys,
)
from caldp_ui.session.slot import Slot
from caldp_ui.stage import LOOK_KEY, VIEW_KEY

_REGION: Final = "region"
_PINNED: Final = "pinned"
BEGIN: Final = Scenario(estimator="simplex-per-block")
"""No context hides how many people a block holds, so estimates keep what is known exactly."""


@dataclass(frozen=True)
class Places(WithScenario):
    """The page's record. `region`: the box whose numbers are shown, if there is one.

    `pinned`: the scenario that is kept beside the present one, if there is one.
    """

    scenario: Scenario = BEGIN
    region: Area | None = None
    pinned: Scenario | None = None


class PlacesLink:
    """How the record is written into a link: the scenario's own keys, `region` and `pinned`."""

    browser: tuple[str, ...] = (VIEW_KEY, LOOK_KEY)

    def fresh(self) -> Places:
        """See `Codec`."""
        return Places()

    def write(self, record: Places) -> dict[str, str]:
        """See `Codec`."""
        flat = {} if record.scenario == BEGIN else scenario_query(record.scenario)
        if record.region is not None:
            flat[_REGION] = str(record.region)
        if record.pinned is not None:
            flat[_PINNED] = urlencode(scenario_query(record.pinned))
        return flat

    def read(self, query: Mapping[str, str]) -> Places:
        """See `Codec`."""
        flat = dict(query)
        box, pinned = flat.pop(_REGION, None), flat.pop(_PINNED, None)
        return Places(
            read_scenario(flat) if flat else BEGIN,
            Area.parse(box) if box else None,
            None if pinned is None else read_scenario(dict(parse_qsl(pinned))),
        )

    def strangers(self, query: Mapping[str, str]) -> list[str]:
        """See `Codec`."""
        return [key for key in unknown_keys(query) if key not in (_REGION, _PINNED)]

    def check(self, record: Places) -> None:
        """See `Codec`: other policies, data without a map, blocks that do not fit are refused."""
        for scenario in filter(None, (record.scenario, record.pinned)):
            _ = scenario.context
            runs.map_of(runs.dataset(scenario))
            runs.setup(scenario)


def _with_earlier_protection(shown: Places, earlier: Places) -> Places:
    was = earlier.scenario.context
    changed = shown.scenario.with_context(blocks=was.blocks, sensitive=was.sensitive)
    return replace(shown, scenario=changed)


SLOT: Final = Slot("places", PlacesLink(), _with_earlier_protection)
"""Undo brings an earlier protection back; ε, people and the rest stay as they are."""
