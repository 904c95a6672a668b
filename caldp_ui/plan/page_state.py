"""State of the page: data, the accuracy asked for, and the protection; regions of the data.

Groups that a plan's answers or places come in, and how well each is known.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from caldp_core.basics.cache import cached_by
from caldp_core.basics.errors import CaldpError, check_choice, check_number, require
from caldp_core.basics.types import Floats, Progress, sums_by
from caldp_core.datasets import AT_SEA, Survey
from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import GridDomain
from caldp_core.domain.partitions import Partition
from caldp_core.experiments.forecast import require_valid_errors
from caldp_core.experiments.run import Setup
from caldp_core.scenarios.blocks import (
    BlocksSpec,
    CountryBlocks,
    GroupBlocks,
    OneBlock,
    RegionBlocks,
    StateBlocks,
)
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.planner import group_margins
from caldp_ui.compute import runs
from caldp_ui.controls.choices import NAMES, protections
from caldp_ui.session.page_state import PinPageState
from caldp_ui.session.record_link import ScenarioLink, ScenarioRecord


@dataclass(frozen=True, eq=False)
class Regions:
    """Nouns for one region and several, the `spec` of their blocks, and the partition of values."""

    singular: str
    plural: str
    spec: BlocksSpec
    partition: Partition


_ON_MAPS: Final = (
    ("state", "states", StateBlocks()),
    ("country", "countries", CountryBlocks()),
    ("region", "regions", RegionBlocks()),
)
REGIONS: Final = "regions"
"""The goal of regions where there are states or countries, too."""
_IN_LISTS: Final = (("group", "groups", GroupBlocks()),)


@cached_by(lambda scenario, goal: (runs.data_key(scenario), goal == REGIONS))
def regions_of(scenario: Scenario, goal: str) -> Regions | None:
    """States, countries, their regions or groups: the first that there are two of, or None.

    Only regions of countries, where they are the goal.
    """
    domain = runs.dataset(scenario).domain
    known = _ON_MAPS if isinstance(domain, GridDomain) else _IN_LISTS
    for singular, plural, spec in _ON_MAPS[-1:] if goal == REGIONS else known:
        try:
            partition = spec.build(domain)
        except CaldpError:  # other maps, answers without groups, or no map
            continue
        if len({*partition.names} - {AT_SEA}) > 1:
            return Regions(singular, plural, spec, partition)
    return None


def have_smaller_regions(scenario: Scenario) -> bool:
    """Whether the data have regions besides their states or countries."""
    groups, regions = (regions_of(scenario, goal) for goal in ("groups", REGIONS))
    return groups is not None and regions is not None and groups.spec != regions.spec


@dataclass(frozen=True, eq=False)
class Margins:
    """(g,) names, true shares of the plan's data, and half the 95 % range of each share.

    By falling share; regions without people are left out.
    """

    names: tuple[str, ...]
    shares: Floats
    margins: Floats


@cached_by(lambda setup, goal, _: (runs.key(setup.scenario), goal == REGIONS))
def margins_of(setup: Setup, goal: str, progress: Progress) -> Margins:
    """Margins of every region for the setup's people; of every answer where there are none."""
    regions = regions_of(setup.scenario, goal)
    p = setup.dataset.distribution
    if regions is None:
        names = [_name(setup.dataset.domain, x) for x in range(p.size)]
        return _ordered(names, p, 1.959964 * np.sqrt(setup.mechanism.variance(p, setup.n)))
    labels = regions.partition.labels
    one_person_margins = group_margins(setup.mechanism, p, labels, progress=progress)
    shares = sums_by(labels, p, regions.partition.m)
    return _ordered(list(regions.partition.names), shares, one_person_margins / np.sqrt(setup.n))


def _name(domain: Domain | GridDomain, x: int) -> str:
    return domain.name_of(x) if isinstance(domain, Domain) else f"cell {x:,}"


def _ordered(names: list[str], shares: Floats, margins: Floats) -> Margins:
    order = [at for at in np.argsort(-shares, kind="stable").tolist() if shares[at] > 0]
    return Margins(tuple(names[at] for at in order), shares[order], margins[order])


BEGIN: Final = Scenario(
    Survey("income"), ContextPolicy(OneBlock()), n=1_000_000, estimator="simplex"
)
GOALS: Final = {
    "values": "Every answer",
    "groups": "Every group",
    REGIONS: "Regions",
    "overall": "All together",
}
OF_REGIONS: Final = ("groups", REGIONS)
RELATIVE: Final = ("values", *OF_REGIONS)
"""Goals that are met to within a share of the true value, each by a formula."""
_NUMBERS: Final = ("floor", "within", "wrong")


@dataclass(frozen=True)
class Plan(ScenarioRecord):
    """The page's record. `scenario`: data, people and ε; `protection`: its name in `NAMES`.

    `goal`: "values": every value with a share of at least `floor` is known to within ± `within` of
    its share; "groups": every group, state or country is; "regions": every region of a country is;
    "overall": total variation is at most `wrong`. The three numbers are in [1e-6, 1].
    """

    scenario: Scenario = BEGIN
    goal: str = "values"
    floor: float = 0.01
    within: float = 0.1
    wrong: float = 0.05
    protection: str = "blocks"

    def protected_scenario(self, name: str, epsilon: float) -> Scenario:
        """The scenario under the protection of that name at this ε, by the best method."""
        known = protections(runs.dataset(self.scenario).domain)[name].policy
        return self.scenario.with_context(
            blocks=known.blocks, sensitive=known.sensitive, epsilon=epsilon
        )

    @property
    def epsilon(self) -> float:
        """The ε of the plan."""
        return self.scenario.context.plain_epsilon


def _adopt_scenario(source: Scenario) -> Scenario:
    """The plan's scenario with the data, people and ε of another."""
    scenario = replace(BEGIN, dataset=source.dataset, n=source.n)
    return scenario.with_context(epsilon=source.context.plain_epsilon)


def _check(record: Plan) -> None:
    """Raise `CaldpError` for unknown names, numbers out of range, and a floor that none reaches."""
    check_choice("goal", record.goal, GOALS)
    check_choice("protection", record.protection, NAMES)
    for name in _NUMBERS:
        check_number(name, getattr(record, name), 1e-6, 1.0)
    require_valid_errors(runs.setup(record.protected_scenario(record.protection, record.epsilon)))
    if record.goal in RELATIVE:
        _check_floor(record)


def _check_floor(record: Plan) -> None:
    """Raise `CaldpError` where no answer, or no group, is as common as what is asked for."""
    shares, noun = runs.dataset(record.scenario).distribution, "answer"
    if record.goal in OF_REGIONS:
        regions = regions_of(record.scenario, record.goal)
        require(
            regions is not None,
            "These data come in no groups, states, countries or regions that could be asked for; "
            "choose another goal, or other data.",
        )
        assert regions is not None  # for mypy
        shares, noun = regions.partition.sums(shares), regions.singular
    largest = float(shares.max())
    require(
        largest >= record.floor,
        f"No {noun} here has {100 * record.floor:g} % of the people, the largest has "
        f"{100 * largest:.2g} %; ask for rarer ones too.",
    )


LINK: Final = ScenarioLink(Plan(), _check, restrict_scenario=_adopt_scenario)
STATE: Final = PinPageState("plan", LINK)
