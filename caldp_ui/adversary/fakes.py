"""How fake phones change the estimate, and how much a repair restores.

The honest people and their coins are those of the scenario's run, as the map page
shows it; the fake phones' reports are added to its tally. Cached for all visits.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from caldp_core.audit import poisoning
from caldp_core.audit.poisoning import (
    ATTACKS,
    MAXIMAL_GAIN,
    RANDOM_ITEMS,
    AttackPower,
    BlockSum,
    block_sum,
)
from caldp_core.basics.cache import cached_by
from caldp_core.basics.errors import require
from caldp_core.basics.types import Floats, Levels, read_only
from caldp_core.estimation.estimators import (
    FakesGuess,
    estimator,
    even_fakes,
    fakes_from_block,
    recovery_estimator,
    remove_fakes,
)
from caldp_core.estimation.evidence import Evidence
from caldp_core.experiments.run import Setup
from caldp_core.mechanisms.base import Tally
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.adversary.page_state import KNOWS_TARGET, AttackerState
from caldp_ui.compute import runs


@dataclass(frozen=True, eq=False)
class Repaired:
    """(k,) `shares` after a repair; `levels`: how far their cells were pooled, see `Outcome`."""

    shares: Floats
    levels: Levels | None


@dataclass(frozen=True, eq=False)
class PoisonedEstimate:
    """One attack on one place. All shares are (k,).

    `phones`: fake ones; `share`: β, their part of all phones, in [0, 1). `honest`: evidence without
    them, `evidence`: with them. `estimate_without_fakes`, `estimate_with_fakes`: what is estimated
    from either; `levels`: how far the latter's cells were pooled, see `Outcome`. Repairs, gain and
    tests are computed on first use.
    """

    setup: Setup
    place: int
    attack: str
    phones: int
    share: float
    honest: Evidence
    evidence: Evidence
    estimate_without_fakes: Floats
    estimate_with_fakes: Floats
    levels: Levels | None

    @property
    def truth(self) -> Floats:
        """(k,) the honest people's shares."""
        return self.setup.dataset.distribution

    def repaired(self, knows: str) -> Repaired:
        """The estimate after a repair that knows `knows`, one of `REPAIRS`."""
        return self._knows_target if knows == KNOWS_TARGET else self._knows_share

    @cached_property
    def _knows_target(self) -> Repaired:
        """Assumes strongest reports for the target, which it knows."""
        return self._subtract_fakes(fakes_from_block(self.evidence, self.place, self._crafted_mean))

    @cached_property
    def _knows_share(self) -> Repaired:
        return self._subtract_fakes(even_fakes(self.evidence, float(self._crafted_mean.sum())))

    @property
    def _crafted_mean(self) -> Floats:
        return poisoning.crafted_mean(self.setup.mechanism, self.place)

    def _subtract_fakes(self, guess: FakesGuess) -> Repaired:
        recovery = recovery_estimator(self.setup.scenario.estimator)
        clean = remove_fakes(self.evidence, self.share, guess)
        return Repaired(read_only(recovery.apply(clean)), recovery.levels(clean))

    @cached_property
    def gain(self) -> float:
        """Mean rise of the unbiased share of the place, by formula."""
        target, attack = np.array([self.place]), ATTACKS[self.attack]
        return poisoning.expected_gain(attack, self.setup.mechanism, self.truth, target, self.share)

    @property
    def occupied_without_fakes(self) -> int:
        """Places of the block where the estimate without fakes has half a person or more."""
        return _count_occupied(self.estimate_without_fakes, self.honest, self.place)

    @property
    def occupied_with_fakes(self) -> int:
        """Places of the block where the estimate with fakes has half a person or more."""
        return _count_occupied(self.estimate_with_fakes, self.evidence, self.place)

    @cached_property
    def sum_check(self) -> BlockSum:
        """Test of whether the block's sum shows the fakes."""
        return block_sum(self.evidence, self.place)

    @cached_property
    def phones_to_detect(self) -> int | None:
        """How many strongest reports the sum shows half of the time; None if it never does."""
        alone = block_sum(self.honest, self.place)
        return alone.detectable_fakes(self.setup.mechanism, self.place)


def run_attack(record: AttackerState, attack: str | None = None) -> PoisonedEstimate:
    """Run the record's attack, or another with as many phones; `CaldpError` for slow methods."""
    require(
        not runs.takes_long(record.scenario),
        "Fake phones are shown for methods and estimates that are drawn within a second; "
        "choose another preset here, or another method on “Places on a map”.",
    )
    chosen = attack or record.attack
    return _run_attack(record.scenario, record.place, record.tenths, chosen)


@cached_by(lambda scenario, *rest: (runs.key(scenario), *rest))
def _run_attack(scenario: Scenario, place: int, tenths: int, attack: str) -> PoisonedEstimate:
    honest = runs.result(scenario)
    setup, share = replace(honest.setup, scenario=scenario), tenths / 1000
    honest_tally, before = honest.first.evidence.tally, honest.first.estimate
    phones = round(honest_tally.n * share / (1 - share))
    rng = np.random.default_rng(np.random.SeedSequence((scenario.seed, place)))
    tally = honest_tally + _SENT[attack](setup, place, phones, rng)
    evidence = setup.evidence(tally)
    method = estimator(scenario.estimator)
    after, levels = read_only(method.apply(evidence)), method.levels(evidence)
    uncached = replace(evidence)  # without its cached properties
    return PoisonedEstimate(
        setup, place, attack, phones, share, honest.first.evidence, uncached, before, after, levels
    )


def _count_occupied(estimate: Floats, evidence: Evidence, place: int) -> int:
    """Places of the block of `place` where the estimate has half a person or more."""
    around = evidence.blocks == evidence.blocks[place]
    return int((estimate[around] * evidence.n >= 0.5).sum())


def _crafted(setup: Setup, place: int, phones: int, rng: np.random.Generator) -> Tally:
    return poisoning.sample_crafted(setup.mechanism, place, phones, rng)


def _sample_by_protocol(setup: Setup, place: int, phones: int, rng: np.random.Generator) -> Tally:
    counts = np.zeros(setup.policy.k, np.int64)
    counts[place] = phones
    return setup.mechanism.sample_tally(counts, rng)


_SENT = {MAXIMAL_GAIN: _crafted, RANDOM_ITEMS: _sample_by_protocol}


@dataclass(frozen=True)
class PhonePowers:
    """One fake phone's power at the place: with this protection, and in one block of all places.

    Both by the same method and ε. `hidden`: number of sensitive places in either block.
    """

    own_block: AttackPower
    in_one_block: AttackPower
    hidden: tuple[int, int]


@cached_by(lambda scenario, place: (runs.key(replace(scenario, seed=0)), place))
def compute_powers(scenario: Scenario, place: int) -> PhonePowers:
    """Compute both powers; the closed forms are in `poisoning.attack_power`."""
    ours = runs.setup(scenario)
    plain = runs.setup(replace(scenario.plain(), mechanism=ours.spec))
    p, n = ours.dataset.distribution, ours.n
    labels = runs.context_of(ours).blocks
    hidden = runs.context_of(ours).hidden()
    return PhonePowers(
        poisoning.attack_power(ours.mechanism, place, p, n),
        poisoning.attack_power(plain.mechanism, place, p, n),
        (int(hidden[labels == labels[place]].sum()), ours.policy.k),
    )
