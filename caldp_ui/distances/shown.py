"""What the page has to show: noise that fades with distance, and the blocks that stand beside it.

The blocks are made from the policy alone, never from where people are. Kept for
all visits.
"""

from dataclasses import dataclass, replace

import numpy as np

from caldp_core.audit.adversary import guessed_right
from caldp_core.basics.cache import cached, cached_by
from caldp_core.basics.limits import EPSILON_MAX
from caldp_core.basics.types import Bools, Floats
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.run import Result, Setup
from caldp_core.privacy.distance import about_as_likely
from caldp_core.scenarios.best import Best
from caldp_core.scenarios.blocks import GridBlocks
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_core.scenarios.sensitive import EverythingSensitive
from caldp_core.theory import displacement as theory
from caldp_ui.compute import runs
from caldp_ui.distances.slot import AS_NEAR, SLOT, Far
from caldp_ui.parts import comparison


@dataclass(frozen=True, eq=False)
class Reports:
    """Reports of one person at a place. `law`: (k,) where they lie; `km`: how far off on average.

    `apart`: share of the pairs of neighbouring cells that a report always tells apart.
    """

    law: Floats
    km: float
    apart: float


@dataclass(frozen=True, eq=False)
class Shown:
    """What the page shows; results are None as long as they are not there.

    `ring`: (k,) True where a person is about as likely to be as at the place. `noise`, `in_blocks`:
    reports from the place. `typical`: kilometres that reports lie off on average, with noise from
    the map's middle and in blocks from anywhere; the blocks are cut so that these are alike.
    """

    record: Far
    domain: GridDomain
    setup: Setup
    blocks_setup: Setup
    ring: Bools
    noise: Reports
    in_blocks: Reports
    typical: tuple[float, float]
    ours: Result | None
    blocks: Result | None
    plain: Result | None

    @property
    def blocks_epsilon(self) -> float:
        """The one ε of the blocks."""
        return level(self.blocks_setup.scenario)


def shown(record: Far, results: comparison.Way = comparison.shown) -> Shown:
    """All of it; what takes long comes as `results` brings it."""
    setup = runs.setup(record.scenario)
    domain = runs.map_of(setup.dataset)
    beside = blocks_beside(record)
    blocks_setup = runs.setup(beside)
    there = results(SLOT, record.scenario)
    middle = _middle_km(setup, domain)
    cut = beside.context.blocks
    assert isinstance(cut, GridBlocks)
    return Shown(
        record,
        domain,
        setup,
        blocks_setup,
        about_as_likely(setup.policy, record.place, record.policy.epsilon),
        _noise(setup, domain, record.place),
        _in_blocks(blocks_setup, domain, record.place),
        (middle, theory.displacement_in_blocks(domain, cut.rows, cut.columns, level(beside))),
        there.ours,
        comparison.quick(beside),
        there.plain,
    )


def blocks_beside(record: Far) -> Scenario:
    """The same people in blocks whose reports lie as far off, at the ε that the record asks for."""
    scenario = record.scenario
    setup = runs.setup(scenario)
    domain = runs.map_of(setup.dataset)
    epsilon = record.policy.epsilon
    if record.beside == AS_NEAR:
        epsilon = neighbours(setup, domain)
    km = _middle_km(setup, domain)
    cut = GridBlocks(*_cut(domain, km, epsilon))
    policy = ContextPolicy(cut, EverythingSensitive(), epsilon)
    same = {"simplex": "simplex-per-block"}.get(scenario.estimator, scenario.estimator)
    return replace(scenario, policy=policy, mechanism=Best(), estimator=same)


def neighbours(setup: Setup, domain: GridDomain) -> float:
    """ε between neighbouring cells where that is least: east to west."""
    sizes = ((1, domain.columns), (domain.columns, domain.rows))
    steps = [step for step, size in sizes if size > 1]
    return float(setup.policy.between([0] * len(steps), steps).min(initial=EPSILON_MAX))


def level(blocks: Scenario) -> float:
    """The one ε of the blocks beside."""
    return blocks.policy.plain_epsilon


@cached_by(lambda setup, *_: runs.key(replace(setup.scenario, seed=0)))
def _middle_km(setup: Setup, domain: GridDomain) -> float:
    """How far off reports from the map's middle lie: that depends on nobody's place."""
    middle = domain.rows // 2 * domain.columns + domain.columns // 2
    return _noise(setup, domain, middle).km


@cached
def _cut(domain: GridDomain, km: float, epsilon: float) -> tuple[int, int]:
    return theory.blocks_as_far(domain, km, epsilon)


def _noise(setup: Setup, domain: GridDomain, place: int) -> Reports:
    law = theory.reports_from(setup.mechanism, place)
    return Reports(law, theory.displacement(law, domain.km_from(place)), 0.0)


def _in_blocks(setup: Setup, domain: GridDomain, place: int) -> Reports:
    labels = setup.partition.labels
    law = theory.reports_in_block(labels, place, level(setup.scenario))
    on_map = labels.reshape(domain.rows, domain.columns)
    cuts = [(on_map[1:] != on_map[:-1]).ravel(), (on_map[:, 1:] != on_map[:, :-1]).ravel()]
    pairs = np.concatenate(cuts)
    apart = float(pairs.mean()) if pairs.size else 0.0
    return Reports(law, theory.displacement(law, domain.km_from(place)), apart)


def guess_at(record: Far, km: float) -> float:
    """Most that an even guess between two places so far apart becomes right, in [0.5, 1]."""
    return guessed_right(record.rate * km)
