"""What fake phones make of the estimate, and what a repair makes of it again.

The honest people and their coins are those of the scenario's run, as the map page
shows it; the fake phones' reports are added to its tally. Kept for all visits.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from caldp_core.audit import poisoning
from caldp_core.audit.block_sums import BlockSum, block_sum
from caldp_core.audit.poisoning import ATTACKS, MAXIMAL_GAIN, RANDOM_ITEMS, AttackPower
from caldp_core.basics.cache import cached_by
from caldp_core.basics.errors import require
from caldp_core.basics.types import Floats, Levels, read_only
from caldp_core.estimation.estimators import estimator
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.recovery import (
    FakesGuess,
    even_fakes,
    fakes_from_block,
    recovery_estimator,
    remove_fakes,
)
from caldp_core.experiments.run import Setup
from caldp_core.mechanisms.tally import Tally
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

    `phones`: fake ones; `share`: β, their part of all phones. `honest`: what is known without them,
    `evidence`: with them. `estimate_without_fakes`: the estimate without them,
    `estimate_with_fakes`: with them; `levels`: how far its cells were pooled, see `Outcome`. What
    not every reader asks for is worked out once somebody does.
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
        """The estimate by what a repair knows."""
        return self._knows_target if knows == KNOWS_TARGET else self._knows_share

    @cached_property
    def _knows_target(self) -> Repaired:
        """Told the target it reckons with strongest reports for it."""
        return self._subtract_fakes(fakes_from_block(self.evidence, self.place, self._crafted_mean))

    @cached_property
    def _knows_share(self) -> Repaired:
        return self._subtract_fakes(even_fakes(self.evidence, float(self._crafted_mean.sum())))

    @property
    def _crafted_mean(self) -> Floats:
        return poisoning.crafted_mean(self.setup.mechanism, self.place)

    def _subtract_fakes(self, guess: FakesGuess) -> Repaired:
        made = recovery_estimator(self.setup.scenario.estimator)
        clean = remove_fakes(self.evidence, self.share, guess)
        return Repaired(read_only(made.apply(clean)), made.levels(clean))

    @cached_property
    def gain(self) -> float:
        """How much the unbiased estimate of the place rises on average, by formula."""
        target, attack = np.array([self.place]), ATTACKS[self.attack]
        return poisoning.expected_gain(attack, self.setup.mechanism, self.truth, target, self.share)

    @property
    def occupied_without_fakes(self) -> int:
        """Places of the block where the estimate without them has half a person or more."""
        return _count_occupied(self.estimate_without_fakes, self.honest, self.place)

    @property
    def occupied_with_fakes(self) -> int:
        """The same with them."""
        return _count_occupied(self.estimate_with_fakes, self.evidence, self.place)

    @cached_property
    def sum_check(self) -> BlockSum:
        """Whether the block's sum shows them."""
        return block_sum(self.evidence, self.place)

    @cached_property
    def phones_to_detect(self) -> int | None:
        """Strongest reports that the sum would show every other time; None where it shows none."""
        alone = block_sum(self.honest, self.place)
        return alone.detectable_fakes(self.setup.mechanism, self.place)


def run_attack(record: AttackerState, attack: str | None = None) -> PoisonedEstimate:
    """The record's attack, or another with as many phones; `CaldpError` for slow methods."""
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
    people, before = honest.first.evidence.tally, honest.first.estimate
    phones = round(people.n * share / (1 - share))
    rng = np.random.default_rng(np.random.SeedSequence((scenario.seed, place)))
    sent = people + _SENT[attack](setup, place, phones, rng)
    evidence = setup.evidence(sent)
    made = estimator(scenario.estimator)
    after, levels = read_only(made.apply(evidence)), made.levels(evidence)
    kept = replace(evidence)  # without what was found on the way
    return PoisonedEstimate(
        setup, place, attack, phones, share, honest.first.evidence, kept, before, after, levels
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

    Both by the same method and ε. `hidden`: sensitive places of the block, and of all.
    """

    own_block: AttackPower
    in_one_block: AttackPower
    hidden: tuple[int, int]


@cached_by(lambda scenario, place: (runs.key(replace(scenario, seed=0)), place))
def compute_powers(scenario: Scenario, place: int) -> PhonePowers:
    """Both; the closed forms are in `poisoning.power`."""
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
