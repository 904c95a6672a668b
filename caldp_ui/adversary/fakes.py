"""What fake phones make of the estimate, and what a repair makes of it again.

The honest people and their coins are those of the scenario's run, as the map page
shows it; the fake phones' reports are added to its tally. Kept for all visits.
"""

from dataclasses import dataclass, replace

import numpy as np

from caldp_core.audit import poisoning
from caldp_core.audit.block_sums import BlockSum, block_sum
from caldp_core.audit.poisoning import ATTACKS, MAXIMAL_GAIN, RANDOM_ITEMS, Power
from caldp_core.basics.cache import cached_by
from caldp_core.basics.errors import require
from caldp_core.basics.types import Floats, Levels, read_only
from caldp_core.estimation.estimators import estimator
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.recovery import (
    after_repair,
    all_from,
    spread_evenly,
    without_fakes,
)
from caldp_core.experiments.run import Setup
from caldp_core.mechanisms.tally import Tally
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.adversary.slot import KNOWS_SHARE, KNOWS_TARGET, Suspect
from caldp_ui.compute import runs


@dataclass(frozen=True, eq=False)
class Poisoned:
    """One attack on one place. All shares are (k,).

    `phones`: fake ones; `share`: β, their part of all phones. `before`: the estimate without them,
    `after`: with them, `repaired`: by what the repair knows. `levels`: how far cells were pooled
    for `repaired` and, by "", for `after`; see `Outcome`. `gain`: how much the unbiased estimate of
    the place rises on average, by formula. `peopled_before`, `peopled_after`: places of its
    block where either estimate has half a person or more. `check`: whether the block's sum shows
    them. `to_be_seen`: strongest reports that it would show every other time, None where it shows
    none.
    """

    setup: Setup
    place: int
    phones: int
    share: float
    before: Floats
    after: Floats
    repaired: dict[str, Floats]
    levels: dict[str, Levels | None]
    gain: float
    peopled_before: int
    peopled_after: int
    check: BlockSum
    to_be_seen: int | None

    @property
    def truth(self) -> Floats:
        """(k,) the honest people's shares."""
        return self.setup.dataset.distribution


def poisoned(record: Suspect, attack: str | None = None) -> Poisoned:
    """The record's attack, or another with as many phones; `CaldpError` for slow methods."""
    require(
        not runs.takes_long(record.scenario),
        "Fake phones are shown for methods and estimates that are drawn within a second; "
        "choose another preset here, or another method on “Places on a map”.",
    )
    chosen = attack or record.attack
    return _poisoned(record.scenario, record.place, record.tenths, chosen)


@cached_by(lambda scenario, *rest: (runs.key(scenario), *rest))
def _poisoned(scenario: Scenario, place: int, tenths: int, attack: str) -> Poisoned:
    honest = runs.result(scenario)
    setup, share = replace(honest.setup, scenario=scenario), tenths / 1000
    people, before = honest.first.evidence.tally, honest.first.estimate
    phones = round(people.n * share / (1 - share))
    rng = np.random.default_rng(np.random.SeedSequence((scenario.seed, place)))
    sent = people + _SENT[attack](setup, place, phones, rng)
    evidence = setup.evidence(sent)
    made = estimator(scenario.estimator)
    after = read_only(made.apply(evidence))
    repaired, levels = _repaired(evidence, place, share, scenario.estimator)
    target, p = np.array([place]), setup.dataset.distribution
    return Poisoned(
        setup,
        place,
        phones,
        share,
        before,
        after,
        repaired,
        {"": made.levels(evidence), **levels},
        poisoning.expected_gain(ATTACKS[attack], setup.mechanism, p, target, share),
        _peopled(before, evidence, place),
        _peopled(after, evidence, place),
        block_sum(evidence, place),
        block_sum(honest.first.evidence, place).phones_to_be_seen(setup.mechanism, place),
    )


def _repaired(
    evidence: Evidence, place: int, share: float, name: str
) -> tuple[dict[str, Floats], dict[str, Levels | None]]:
    """Estimates by what the repair knows: told the target it reckons with strongest reports for it.

    And how far their cells were pooled.
    """
    added = poisoning.crafted_mean(evidence.mechanism, place)
    guesses = {
        KNOWS_TARGET: all_from(evidence, place, added),
        KNOWS_SHARE: spread_evenly(evidence, float(added.sum())),
    }
    made = after_repair(name)
    clean = {knows: without_fakes(evidence, share, guess) for knows, guess in guesses.items()}
    estimates = {knows: read_only(made.apply(each)) for knows, each in clean.items()}
    return estimates, {knows: made.levels(each) for knows, each in clean.items()}


def _peopled(estimate: Floats, evidence: Evidence, place: int) -> int:
    """Places of the block of `place` where the estimate has half a person or more."""
    around = evidence.blocks == evidence.blocks[place]
    return int((estimate[around] * evidence.n >= 0.5).sum())


def _crafted(setup: Setup, place: int, phones: int, rng: np.random.Generator) -> Tally:
    return poisoning.sample_crafted(setup.mechanism, place, phones, rng)


def _by_the_coins(setup: Setup, place: int, phones: int, rng: np.random.Generator) -> Tally:
    counts = np.zeros(setup.policy.k, np.int64)
    counts[place] = phones
    return setup.mechanism.sample_tally(counts, rng)


_SENT = {MAXIMAL_GAIN: _crafted, RANDOM_ITEMS: _by_the_coins}


@dataclass(frozen=True)
class Powers:
    """One fake phone's power at the place: with this protection, and in one block of all places.

    Both by the same method and ε. `hidden`: sensitive places of the block, and of all.
    """

    here: Power
    in_one_block: Power
    hidden: tuple[int, int]


@cached_by(lambda scenario, place: (runs.key(replace(scenario, seed=0)), place))
def powers(scenario: Scenario, place: int) -> Powers:
    """Both; the closed forms are in `poisoning.power`."""
    ours = runs.setup(scenario)
    plain = runs.setup(replace(scenario.plain(), mechanism=ours.spec))
    p, n = ours.dataset.distribution, ours.n
    labels = runs.context_of(ours).blocks
    hidden = runs.context_of(ours).hidden()
    return Powers(
        poisoning.power(ours.mechanism, place, p, n),
        poisoning.power(plain.mechanism, place, p, n),
        (int(hidden[labels == labels[place]].sum()), ours.policy.k),
    )
