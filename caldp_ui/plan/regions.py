"""Groups that a plan's answers or places come in, and how well each is known."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.cache import cached_by
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats, Progress, sums_by
from caldp_core.datasets import AT_SEA
from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import GridDomain
from caldp_core.domain.partitions import Partition
from caldp_core.experiments.run import Setup
from caldp_core.scenarios.blocks import (
    BlocksSpec,
    CountryBlocks,
    GroupBlocks,
    RegionBlocks,
    StateBlocks,
)
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.planner import group_margins
from caldp_ui.compute import runs


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
