"""State of the page: a scenario of places, one person's days at a place, or fake phones there."""

from dataclasses import dataclass, replace
from typing import Final

from caldp_core.audit.poisoning import MAXIMAL_GAIN, RANDOM_ITEMS
from caldp_core.basics.errors import check_choice, check_whole
from caldp_core.experiments.error_validity import require_valid_errors
from caldp_core.scenarios.blocks import StateBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.maps.presets import BEGIN as ON_THE_MAP
from caldp_ui.session.pins import PinPageState
from caldp_ui.session.record_link import ScenarioLink
from caldp_ui.session.scenarios import ScenarioRecord
from caldp_ui.stage import BROWSER_KEYS

DAYS_MAX: Final = 10
BEGIN: Final = ON_THE_MAP.with_context(blocks=StateBlocks())
LIKELIEST: Final = -1
DENVER: Final = 73 * 350 + 125
"""The cell of Denver on the map of the United States."""
PERSON: Final = "person"
FAKES: Final = "fakes"
VIEWS: Final = (PERSON, FAKES)
TENTHS: Final = (0, 1, 2, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50)
"""Shares of fake phones that the page offers, in tenths of a percent of all phones."""
KNOWS_TARGET: Final = "target"
KNOWS_SHARE: Final = "share"
REPAIRS: Final = (KNOWS_TARGET, KNOWS_SHARE)
PUSHES: Final = (MAXIMAL_GAIN, RANDOM_ITEMS)
"""Attacks that the page offers: those that push one place."""


@dataclass(frozen=True)
class AttackerState(ScenarioRecord):
    """The page's record. `place`: the symbol where the person truly is, all the time.

    `show`: one person's reports, or fake phones that push the place. `days`: how many days have
    passed, a report on each. `other`: the place that the true one is tested against, −1 for
    the likeliest that it hides among. `tenths`: of a percent of all phones are fake; `attack`: what
    they send; `repair`: what the collector knows of them.
    """

    scenario: Scenario = BEGIN
    place: int = DENVER
    days: int = 7
    other: int = LIKELIEST
    show: str = PERSON
    tenths: int = 10
    attack: str = MAXIMAL_GAIN
    repair: str = KNOWS_TARGET

    def with_place(self, place: int) -> "AttackerState":
        """The record with the person at another place."""
        return replace(self, place=place)


_CHOICES: Final = {"show": VIEWS, "attack": PUSHES, "repair": REPAIRS}


def _check(record: AttackerState) -> None:
    """Raise `CaldpError` for policies without blocks, data without a map, places off it."""
    _ = record.scenario.context
    domain = runs.map_of(runs.dataset(record.scenario))
    check_whole("place", record.place, 0, domain.k - 1)
    check_whole("days", record.days, 0, DAYS_MAX)
    check_whole("other", record.other, LIKELIEST, domain.k - 1)
    check_whole("tenths", record.tenths, 0, TENTHS[-1])
    for key, allowed in _CHOICES.items():
        check_choice(key, getattr(record, key), allowed)
    require_valid_errors(runs.setup(record.scenario))


LINK: Final = ScenarioLink(AttackerState(), _check, BROWSER_KEYS)
STATE: Final = PinPageState("adversary", LINK)
