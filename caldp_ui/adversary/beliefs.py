"""The attacker's beliefs day by day, for this protection and for the best plain LDP.

Reports are drawn once for a scenario, a place and a day: adding a day leaves the
days before as they were. Kept for all visits.
"""

from dataclasses import dataclass, replace

import numpy as np

from caldp_core.audit.even_guess import even_guess
from caldp_core.audit.inference import credible_set, max_posteriors, posterior_after_reports
from caldp_core.basics.cache import cached_by
from caldp_core.basics.types import Floats, Ints, Reports, read_only
from caldp_core.experiments.run import Setup
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.adversary.page_state import DAYS_MAX, AttackerState
from caldp_ui.compute import plain_ldp, runs


@dataclass(frozen=True, eq=False)
class Attacker:
    """Beliefs about one person under one protection.

    `reports`: (1,) each, of ten days. `beliefs`: (k,) chances after 0, 1, … 10 of
    them, each sums to 1. `limits`: the most that the promise lets the true place be believed after
    as many, whatever the reports.
    """

    setup: Setup
    place: int
    reports: tuple[Reports, ...]
    beliefs: tuple[Floats, ...]
    limits: tuple[float, ...]

    def stored_belief(self, days: int) -> Floats:
        """(k,) after so many days of one stored report, which shows all on the first."""
        return self.beliefs[min(days, 1)]

    def single_report_belief(self, day: int) -> Floats:
        """(k,) after the report of one day alone, counted from 1."""
        mechanism = self.setup.mechanism
        return posterior_after_reports(
            mechanism, self.beliefs[0], [mechanism.tally(self.reports[day - 1])]
        )

    def chance_of_truth(self, reports: int) -> float:
        """Chance of the true place after so many fresh reports."""
        return float(self.beliefs[reports][self.place])


@dataclass(frozen=True)
class CandidatePair:
    """Two candidates: the true place, and the likeliest other place that it hides among.

    From 50:50 before, `fresh_chance`: chance of the true one after a fresh report every day,
    `stored_chance`: after one that is stored; `fresh_limit` and `stored_limit`: what the promise
    allows.
    """

    rival: int
    fresh_chance: float
    stored_chance: float
    fresh_limit: float
    stored_limit: float


@dataclass(frozen=True, eq=False)
class BeliefData:
    """What the page shows: the record, both attackers, and the candidates of this protection.

    `odds`: how often the choice between the true place and another that it hides among, both
    equally likely, is right at most after one report and after one a day, in [0.5, 1]: the largest
    over all such pairs. `pair`, `odds`: None where the place hides among no other.
    """

    record: AttackerState
    ours: Attacker
    plain: Attacker
    pair: CandidatePair | None
    odds: tuple[float, float] | None


def load_data(record: AttackerState) -> BeliefData:
    """All of it."""
    ours = compute_attacker(record.scenario, record.place)
    plain = compute_attacker(plain_ldp.best_plain_ldp(record.scenario), record.place)
    return BeliefData(record, ours, plain, _pair(ours, record.days), _odds(ours, record.days))


@cached_by(lambda scenario, place: (runs.key(scenario), place))
def compute_attacker(scenario: Scenario, place: int) -> Attacker:
    """The beliefs of all days."""
    setup = runs.setup(scenario)
    mechanism, prior = setup.mechanism, setup.dataset.distribution
    # Where nobody is, nobody's place can be believed in: an attacker allows for any place a bit.
    prior = read_only((1 - 1e-3) * prior + 1e-3 / prior.size)
    after, reports = [prior], []
    for seed in np.random.SeedSequence((scenario.seed, place)).spawn(DAYS_MAX):
        report = mechanism.privatize(np.array([place]), np.random.default_rng(seed))
        reports.append(report)
        after.append(
            read_only(posterior_after_reports(mechanism, after[-1], [mechanism.tally(report)]))
        )
    most = max_posteriors(setup.policy, prior, place, range(DAYS_MAX + 1))
    shown_as = replace(setup, scenario=scenario)
    return Attacker(shown_as, place, tuple(reports), tuple(after), tuple(most))


def _bounds(ours: Attacker) -> tuple[Ints, Floats]:
    """The other places that the person's own hides among, and E[own, other] for each."""
    k, policy = ours.setup.policy.k, ours.setup.policy
    others = np.flatnonzero(np.arange(k) != ours.place)
    levels = policy.between(np.full(k - 1, ours.place), others)
    held = np.isfinite(levels)
    return others[held], levels[held]


def _odds(ours: Attacker, days: int) -> tuple[float, float] | None:
    among, forward = _bounds(ours)
    if not among.size:
        return None
    backward = ours.setup.policy.between(among, np.full(among.size, ours.place))
    once, many = (even_guess(forward, backward, m) for m in (1, max(days, 1)))
    return float(once.max()), float(many.max())


def _pair(ours: Attacker, days: int) -> CandidatePair | None:
    setup, place = ours.setup, ours.place
    among, _ = _bounds(ours)
    if not among.size:
        return None
    prior = ours.beliefs[0]
    rival = int(among[prior[among].argmax()])
    even = np.zeros(setup.policy.k)
    even[[place, rival]] = 0.5

    def share(now: Floats) -> float:
        here, there = now[place] / prior[place], now[rival] / prior[rival]
        return float(here / (here + there))

    most, most_kept = max_posteriors(setup.policy, even, place, [days, min(days, 1)])
    return CandidatePair(
        rival, share(ours.beliefs[days]), share(ours.stored_belief(days)), most, most_kept
    )


def likely_area(beliefs: Floats) -> Ints:
    """The 95 % likely area: the fewest places that hold as much chance, the likeliest first."""
    return credible_set(beliefs)
