"""The state of the page: a scenario with blocks, an office's treatment, and an attack."""

from dataclasses import dataclass, replace
from typing import Final

from caldp_core.basics.errors import CaldpError, check_whole
from caldp_core.datasets import PERIODS, DatasetSpec, InfantDeaths
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.error_validity import require_valid_errors
from caldp_core.scenarios.best import Best
from caldp_core.scenarios.blocks import (
    BlocksSpec,
    EvenRuns,
    EverythingSensitive,
    GridBlocks,
    GroupBlocks,
)
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.compute.sources import with_population
from caldp_ui.session.pins import PinPageState
from caldp_ui.session.record_link import ScenarioLink
from caldp_ui.session.scenarios import ScenarioRecord
from caldp_ui.stage import BROWSER_KEYS

NOTHING: Final = "nothing"
LARGER: Final = "larger"
HIDE: Final = "hide"
ROUND: Final = "round"
CENTRAL: Final = "central"
PLAIN: Final = "plain"
BLOCKS: Final = "blocks"
OFFICE_TREATMENTS: Final = (HIDE, ROUND, CENTRAL)
"""Treatments that can be the third picture."""
TWO_PLACES: Final = "places"
MOVED: Final = "moved"
PAIR_ATTACKS: Final = (TWO_PLACES, MOVED)
"""Attacks on one person between two cells."""
PARTS: Final = "parts"
NEWCOMER: Final = "newcomer"
REGIONS: Final = "regions"
TABLES: Final = "tables"
CENSUS_BLOCK: Final = "seven"
ATTACKS: Final = (TWO_PLACES, PARTS, NEWCOMER, MOVED, REGIONS, TABLES, CENSUS_BLOCK)
MOVE_COUNTS: Final = {PARTS: 5}
"""Moves of attacks that have more than one."""
THRESHOLDS: Final = (1, 3, 5, 10, 11, 20, 50, 100, 1000)
BASES: Final = (3, 5, 10)
PAIRS: Final = (1, 2, 5, 10, 20, 50, 80, 200)
TABLE_COUNTS: Final = (5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 400)
"""Numbers of tables of a reconstruction."""
LINES: Final = ("all", "without-4A", "without-2A-2B")
"""Which published lines the attacker of seven people has."""
DEFAULT_PLACE: Final = -1
BEGIN: Final = Scenario()


@dataclass(frozen=True)
class Publication(ScenarioRecord):
    """The page's record.

    `office`: the treatment of the third picture. Counts below `threshold` are hidden; numbers are
    rounded to multiples of `base`. `attack`: which is played; `moves`: how many of its moves are
    made. `place`: the cell of the person who is attacked, −1 for the page's choice; `far`: whether
    the other place is in another block. `pairs`: of overlapping regions; `tables`: of a
    reconstruction; `lines`: which are published of the block of seven people; `period`: which of
    the infant deaths' two is drawn.
    """

    scenario: Scenario = BEGIN
    office: str = HIDE
    threshold: int = 10
    base: int = 5
    attack: str = TWO_PLACES
    moves: int = 1
    place: int = DEFAULT_PLACE
    far: bool = False
    pairs: int = 20
    tables: int = 50
    lines: str = LINES[0]
    period: int = 0

    def with_attack(self, attack: str) -> "Publication":
        """The record before the first move of an attack."""
        return replace(self, attack=attack, moves=0)

    def with_place(self, place: int) -> "Publication":
        """The record with the person in another cell."""
        return replace(self, place=place)

    @property
    def last_move(self) -> int:
        """How many moves the attack has."""
        return MOVE_COUNTS.get(self.attack, 1)


def with_data(record: Publication, data: DatasetSpec) -> Publication:
    """The record with other data and their default blocks."""
    scenario = with_population(replace(record.scenario, dataset=data, n=None, mechanism=Best()))
    blocks, epsilon = default_blocks(scenario), scenario.policy.plain_epsilon
    policy = ContextPolicy(blocks, EverythingSensitive(), epsilon)
    threshold = 5 if data == InfantDeaths() else record.threshold
    changed = replace(record, scenario=replace(scenario, policy=policy), threshold=threshold)
    return replace(changed, place=DEFAULT_PLACE, moves=min(record.moves, 1))


def default_blocks(scenario: Scenario) -> BlocksSpec:
    """Blocks of 5 × 10 cells on a map; the groups of a table, or runs of five of its values."""
    domain = runs.dataset(scenario).domain
    if isinstance(domain, GridDomain):
        return GridBlocks(max(domain.rows // 5, 1), max(domain.columns // 10, 1))
    if domain.groups:
        return GroupBlocks()
    return EvenRuns(max(domain.k // 5, 1))


_CHOICES: Final = {"office": OFFICE_TREATMENTS, "attack": ATTACKS, "lines": LINES}


def _check(record: Publication) -> None:
    """Raise `CaldpError` for policies without blocks, and for numbers out of range."""
    _ = record.scenario.context
    for key, allowed in _CHOICES.items():
        if getattr(record, key) not in allowed:
            one_of = ", ".join(allowed)
            raise CaldpError(f"{key} must be one of {one_of}, got {getattr(record, key)!r}.")
    check_whole("threshold", record.threshold, THRESHOLDS[0], THRESHOLDS[-1])
    check_whole("base", record.base, 2, BASES[-1])
    check_whole("moves", record.moves, 0, record.last_move)
    check_whole("pairs", record.pairs, PAIRS[0], PAIRS[-1])
    check_whole("tables", record.tables, TABLE_COUNTS[0], TABLE_COUNTS[-1])
    check_whole("period", record.period, 0, len(PERIODS) - 1)
    check_whole("place", record.place, DEFAULT_PLACE, runs.dataset(record.scenario).domain.k - 1)
    require_valid_errors(runs.setup(record.scenario))


LINK: Final = ScenarioLink(Publication(), _check, BROWSER_KEYS)
STATE: Final = PinPageState("coarser", LINK)
