"""The state of the page: a scenario with blocks, an office's treatment, and an attack.

Ready examples: real tables, small and large, and choices for their larger cells.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from caldp_core.basics.errors import check_choice, check_whole
from caldp_core.basics.types import Ints
from caldp_core.datasets import PERIODS, DatasetSpec, Gowalla, InfantDeaths, Survey
from caldp_core.domain.domains import US_GRID, Domain, GridDomain
from caldp_core.estimation.estimators import COMPARED_MAX
from caldp_core.experiments.forecast import require_valid_errors
from caldp_core.scenarios import blocks as block_specs
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Best, Scenario
from caldp_ui.compute import runs
from caldp_ui.compute.runs import with_population
from caldp_ui.session.page_state import PinPageState, ScenarioLink, ScenarioRecord
from caldp_ui.stage.component import BROWSER_KEYS

NOTHING: Final = "nothing"
LARGER: Final = "larger"
HIDE: Final = "hide"
ROUND: Final = "round"
CENTRAL: Final = "central"
PLAIN: Final = "plain"
BLOCKS: Final = "blocks"
OFFICE_TREATMENTS: Final = (CENTRAL, HIDE, ROUND)
"""Treatments that can be the third picture; the first fits a list that an office holds."""
TWO_PLACES: Final = "places"
MOVED: Final = "moved"
PAIR_ATTACKS: Final = (TWO_PLACES, MOVED)
"""Attacks on one person between two cells."""
PARTS: Final = "parts"
NEWCOMER: Final = "newcomer"
REGIONS: Final = "regions"
TABLES: Final = "tables"
CENSUS_BLOCK: Final = "seven"
ALONE: Final = (TABLES, CENSUS_BLOCK)
"""Attacks that stand alone: they do not attack the treatments."""
ATTACKS: Final = (TWO_PLACES, PARTS, NEWCOMER, MOVED, REGIONS, *ALONE)
MOVE_COUNTS: Final = {PARTS: 5}
"""Moves of attacks that have more than one."""
GROUPS: Final = "groups"
LEVELS: Final = "levels"
CROSSED: Final = "crossed"
TOTALS: Final = (GROUPS, LEVELS, CROSSED)
"""Which totals are attacked: of larger cells; at every level; by group and by answer."""
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
    reconstruction; `totals`: which are published beside a table's parts; `lines`: which of the
    block of seven people; `period`: which of the infant deaths' two is drawn.
    """

    scenario: Scenario = BEGIN
    office: str = CENTRAL
    threshold: int = 10
    base: int = 5
    attack: str = TWO_PLACES
    moves: int = 1
    place: int = DEFAULT_PLACE
    far: bool = False
    pairs: int = 20
    tables: int = 50
    totals: str = GROUPS
    lines: str = LINES[0]
    period: int = 0

    def with_attack(self, attack: str) -> "Publication":
        """The record before the first move of an attack; one on hidden counts shows these."""
        office = HIDE if attack == PARTS else self.office
        return replace(self, attack=attack, office=office, moves=0)

    @property
    def published_totals(self) -> str:
        """The totals that are published: all attacks but that on parts know larger cells alone."""
        return self.totals if self.attack == PARTS else GROUPS

    @property
    def last_move(self) -> int:
        """How many moves the attack has."""
        return MOVE_COUNTS.get(self.attack, 1)


def with_data(record: Publication, data: DatasetSpec) -> Publication:
    """The record with other data and their default blocks."""
    scenario = with_population(replace(record.scenario, dataset=data, n=None, mechanism=Best()))
    changed = with_blocks(replace(record, scenario=scenario), default_blocks(scenario))
    threshold, moves = 5 if data == InfantDeaths() else record.threshold, min(record.moves, 1)
    changed = replace(changed, threshold=threshold, place=DEFAULT_PLACE, moves=moves)
    return replace(changed, totals=GROUPS if record.totals == CROSSED else record.totals)


def default_blocks(scenario: Scenario) -> block_specs.BlocksSpec:
    """Blocks of 5 × 10 cells on a map; the groups of a table, or runs of five of its values."""
    domain = runs.dataset(scenario).domain
    if isinstance(domain, GridDomain):
        return block_specs.GridBlocks(max(domain.rows // 5, 1), max(domain.columns // 10, 1))
    if domain.groups:
        return block_specs.GroupBlocks()
    return block_specs.EvenRuns(max(domain.k // 5, 1))


_CHOICES: Final = {"office": OFFICE_TREATMENTS, "attack": ATTACKS, "lines": LINES}


def _check(record: Publication) -> None:
    """Raise `CaldpError` for policies without blocks, and for numbers out of range."""
    _ = record.scenario.context
    for key, allowed in _CHOICES.items():
        check_choice(key, getattr(record, key), allowed)
    check_whole("threshold", record.threshold, THRESHOLDS[0], THRESHOLDS[-1])
    check_whole("base", record.base, 2, BASES[-1])
    check_whole("moves", record.moves, 0, record.last_move)
    check_whole("pairs", record.pairs, PAIRS[0], PAIRS[-1])
    check_whole("tables", record.tables, TABLE_COUNTS[0], TABLE_COUNTS[-1])
    check_whole("period", record.period, 0, len(PERIODS) - 1)
    check_whole("place", record.place, DEFAULT_PLACE, runs.dataset(record.scenario).domain.k - 1)
    check_choice("totals", record.totals, total_choices(runs.dataset(record.scenario).domain))
    require_valid_errors(runs.setup(record.scenario))


LINK: Final = ScenarioLink(Publication(), _check, BROWSER_KEYS)
STATE: Final = PinPageState("coarser", LINK)


@dataclass(frozen=True)
class AttackExample:
    """A title, the data, and the attack that it opens with."""

    title: str
    data: DatasetSpec
    attack: str

    def apply(self, record: Publication) -> Publication:
        """The record with these data, at the attack's first move."""
        changed = record if record.scenario.dataset == self.data else with_data(record, self.data)
        return replace(
            changed.with_attack(self.attack), moves=1 if self.attack == TWO_PLACES else 0
        )

    def fits(self, record: Publication) -> bool:
        """Whether the record shows the example; by the attack alone where that has no data."""
        if {record.attack, self.attack} & {*ALONE}:
            return record.attack == self.attack
        return record.scenario.dataset == self.data


EXAMPLES: Final = (
    AttackExample("Check-ins in the United States", Gowalla(), TWO_PLACES),
    AttackExample("Infant deaths in North Carolina", InfantDeaths(), PARTS),
    AttackExample("A census block of seven people", InfantDeaths(), CENSUS_BLOCK),
    AttackExample("Many tables, everybody's answer", Gowalla(), TABLES),
    AttackExample("Marriage and affairs", Survey("affairs"), TWO_PLACES),
)


def block_choices(domain: Domain | GridDomain) -> dict[str, block_specs.BlocksSpec]:
    """Choices for the larger cells, by title."""
    if not isinstance(domain, GridDomain):
        groups = {"groups of the table": block_specs.GroupBlocks()} if domain.groups else {}
        fewer = {n: block_specs.EvenRuns(n) for n in (2, 5, 10, 20, 50) if 2 * n <= domain.k}
        even = {f"{n} runs of values": spec for n, spec in fewer.items()}
        return {**groups, **even, "all in one": block_specs.OneBlock()}
    choices: dict[str, block_specs.BlocksSpec] = {}
    for rows, columns in ((1, 2), (2, 5), (5, 10), (12, 25), (25, 35)):
        if domain.rows % rows == 0 and domain.columns % columns == 0:
            size = f"{rows * domain.cell:.3g}° × {columns * domain.cell:.3g}°"
            choices[size] = block_specs.GridBlocks(domain.rows // rows, domain.columns // columns)
    return {**choices, **({"US states": block_specs.StateBlocks()} if domain == US_GRID else {})}


def with_blocks(record: Publication, blocks: block_specs.BlocksSpec) -> Publication:
    """The record with other larger cells."""
    policy = ContextPolicy(
        blocks, block_specs.EverythingSensitive(), record.scenario.policy.plain_epsilon
    )
    return replace(record, scenario=replace(record.scenario, policy=policy, mechanism=Best()))


def total_choices(domain: Domain | GridDomain) -> tuple[str, ...]:
    """The totals that can be published."""
    return TOTALS if answers_in_common(domain) is not None else TOTALS[:-1]


def answers_in_common(domain: Domain | GridDomain) -> Ints | None:
    """(k,) number of each value's answer, where groups have answers in common; else None."""
    if isinstance(domain, GridDomain) or not domain.groups or domain.k > COMPARED_MAX:
        return None
    pairs = zip(domain.short_names(), domain.groups, strict=True)
    answers = [name.removeprefix(f"{group}, ") for name, group in pairs]
    found = np.unique(answers, return_inverse=True)[1]
    return found if found.max() + 1 < domain.k else None
