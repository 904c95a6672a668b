"""What the page shows: a scenario of places, where one person truly is, and for how many days.

Room: adversary.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from caldp_core.basics.errors import CaldpError, check_whole
from caldp_core.basics.numerals import read_whole
from caldp_core.scenarios.protection import StateBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.places.slot import BEGIN as ON_THE_MAP
from caldp_ui.session.scenarios import WithScenario, read_scenario, scenario_query, unknown_keys
from caldp_ui.session.slot import Slot
from caldp_ui.stage import LOOK_KEY, VIEW_KEY

DAYS_MAX: Final = 10
FRESH: Final = "fresh"
MEMOISED: Final = "memoised"
NOISES: Final = (FRESH, MEMOISED)
BEGIN: Final = ON_THE_MAP.with_context(blocks=StateBlocks())
DENVER: Final = 73 * 350 + 125
"""The cell of Denver on the map of the United States."""
_PLACE: Final = "place"
_DAYS: Final = "days"
_NOISE: Final = "noise"


@dataclass(frozen=True)
class Suspect(WithScenario):
    """The page's record. `place`: the symbol where the person truly is, all the time.

    `days`: how many reports there are, one a day; `noise`: a new draw each day, or one for all.
    """

    scenario: Scenario = BEGIN
    place: int = DENVER
    days: int = 1
    noise: str = FRESH

    def at(self, place: int) -> "Suspect":
        """The same elsewhere."""
        return replace(self, place=place)


class SuspectLink:
    """How the record is written into a link: the scenario's own keys, place, days and noise."""

    browser: tuple[str, ...] = (VIEW_KEY, LOOK_KEY)

    def fresh(self) -> Suspect:
        """See `Codec`."""
        return Suspect()

    def write(self, record: Suspect) -> dict[str, str]:
        """See `Codec`."""
        flat = {} if record.scenario == BEGIN else scenario_query(record.scenario)
        own = {_PLACE: str(record.place), _DAYS: str(record.days), _NOISE: record.noise}
        begin = {_PLACE: str(DENVER), _DAYS: "1", _NOISE: FRESH}
        return flat | {key: text for key, text in own.items() if text != begin[key]}

    def read(self, query: Mapping[str, str]) -> Suspect:
        """See `Codec`."""
        flat = dict(query)
        place = _whole(_PLACE, flat.pop(_PLACE, str(DENVER)))
        days = _whole(_DAYS, flat.pop(_DAYS, "1"))
        noise = flat.pop(_NOISE, FRESH)
        return Suspect(read_scenario(flat) if flat else BEGIN, place, days, noise)

    def strangers(self, query: Mapping[str, str]) -> list[str]:
        """See `Codec`."""
        return [key for key in unknown_keys(query) if key not in (_PLACE, _DAYS, _NOISE)]

    def check(self, record: Suspect) -> None:
        """See `Codec`: policies without blocks, data without a map, places off it are refused."""
        _ = record.scenario.context
        domain = runs.map_of(runs.dataset(record.scenario))
        check_whole(_PLACE, record.place, 0, domain.k - 1)
        check_whole(_DAYS, record.days, 1, DAYS_MAX)
        if record.noise not in NOISES:
            raise CaldpError(f"noise must be one of {', '.join(NOISES)}, got {record.noise!r}.")
        runs.setup(record.scenario)


def _whole(name: str, text: str) -> int:
    number = read_whole(text)
    if number is None:
        raise CaldpError(f"{name} in the link must be a whole number, got {text!r}.")
    return number


SLOT: Final = Slot("adversary", SuspectLink())
