"""The attacker's beliefs day by day, for this protection and for the best plain LDP.

Reports are drawn once for a scenario, a place and a day: adding a day leaves the
days before as they were. Kept for all visits.
"""

from dataclasses import dataclass, replace

import numpy as np

from caldp_core.audit.even_guess import even_guess
from caldp_core.audit.inference import believed, likeliest, most_believed_after
from caldp_core.basics.cache import cached_by
from caldp_core.basics.types import Floats, Ints, Reports, read_only
from caldp_core.experiments.run import Setup
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.adversary.slot import DAYS_MAX, Suspect
from caldp_ui.compute import rivals, runs


@dataclass(frozen=True, eq=False)
class Attacker:
    """Beliefs about one person under one protection.

    `reports`: (1,) each, of ten days. `after`: (k,) chances after 0, 1, … 10 of
    them, each sums to 1. `most`: the most that the promise lets the true place be believed after as
    many, whatever the reports.
    """

    setup: Setup
    place: int
    reports: tuple[Reports, ...]
    after: tuple[Floats, ...]
    most: tuple[float, ...]

    def kept(self, days: int) -> Floats:
        """(k,) after so many days of one stored report, which shows all on the first."""
        return self.after[min(days, 1)]

    def alone(self, day: int) -> Floats:
        """(k,) after the report of one day alone, counted from 1."""
        mechanism = self.setup.mechanism
        return believed(mechanism, self.after[0], [mechanism.tally(self.reports[day - 1])])

    def on_truth(self, reports: int) -> float:
        """Chance of the true place after so many fresh reports."""
        return float(self.after[reports][self.place])


@dataclass(frozen=True)
class Pair:
    """Two candidates: the true place, and the likeliest other place that it hides among.

    From 50:50 before, `share`: chance of the true one after a fresh report every day, `kept`: after
    one that is stored; `most` and `most_kept`: what the promise allows.
    """

    rival: int
    share: float
    kept: float
    most: float
    most_kept: float


@dataclass(frozen=True, eq=False)
class Shown:
    """What the page shows: the record, both attackers, and the candidates of this protection.

    `odds`: how often the choice between the true place and another that it hides among, both
    equally likely, is right at most after one report and after one a day, in [0.5, 1]: the largest
    over all such pairs. `pair`, `odds`: None where the place hides among no other.
    """

    record: Suspect
    ours: Attacker
    plain: Attacker
    pair: Pair | None
    odds: tuple[float, float] | None


def shown(record: Suspect) -> Shown:
    """All of it."""
    ours = attacker(record.scenario, record.place)
    plain = attacker(rivals.rival(record.scenario), record.place)
    return Shown(record, ours, plain, _pair(ours, record.days), _odds(ours, record.days))


@cached_by(lambda scenario, place: (runs.key(scenario), place))
def attacker(scenario: Scenario, place: int) -> Attacker:
    """The beliefs of all days."""
    setup = runs.setup(scenario)
    mechanism, prior = setup.mechanism, setup.dataset.distribution
    # Where nobody is, nobody's place can be believed in: an attacker allows for any place a bit.
    prior = read_only((1 - 1e-3) * prior + 1e-3 / prior.size)
    after, reports = [prior], []
    for seed in np.random.SeedSequence((scenario.seed, place)).spawn(DAYS_MAX):
        report = mechanism.privatize(np.array([place]), np.random.default_rng(seed))
        reports.append(report)
        after.append(read_only(believed(mechanism, after[-1], [mechanism.tally(report)])))
    most = most_believed_after(setup.policy, prior, place, range(DAYS_MAX + 1))
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


def _pair(ours: Attacker, days: int) -> Pair | None:
    setup, place = ours.setup, ours.place
    among, _ = _bounds(ours)
    if not among.size:
        return None
    prior = ours.after[0]
    rival = int(among[prior[among].argmax()])
    even = np.zeros(setup.policy.k)
    even[[place, rival]] = 0.5

    def share(now: Floats) -> float:
        here, there = now[place] / prior[place], now[rival] / prior[rival]
        return float(here / (here + there))

    most, most_kept = most_believed_after(setup.policy, even, place, [days, min(days, 1)])
    return Pair(rival, share(ours.after[days]), share(ours.kept(days)), most, most_kept)


def region(beliefs: Floats) -> Ints:
    """The 95 % likely area: the fewest places that hold as much chance, the likeliest first."""
    return likeliest(beliefs)
