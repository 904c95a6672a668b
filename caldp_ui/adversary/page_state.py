"""State of the page: a scenario of places, and one person's days at a place.

The attacker's beliefs day by day, for this protection and for the best plain LDP: reports are drawn
once for a scenario, a place and a day, so that adding a day leaves the days before as they were.
Cached for all visits.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from caldp_core.audit.adversary import even_guess
from caldp_core.audit.inference import max_posteriors, posterior_after_reports
from caldp_core.basics.cache import cached_by
from caldp_core.basics.errors import check_whole
from caldp_core.basics.types import Floats, Ints, Reports, read_only
from caldp_core.domain.domains import GridDomain
from caldp_core.experiments.forecast import require_valid_errors
from caldp_core.experiments.run import Setup
from caldp_core.mechanisms.randomness import generators
from caldp_core.scenarios.blocks import StateBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.maps.scene import BEGIN as ON_THE_MAP
from caldp_ui.session.page_state import PinPageState, ScenarioLink, ScenarioRecord
from caldp_ui.stage.component import BROWSER_KEYS

DAYS_MAX: Final = 10
BEGIN: Final = replace(ON_THE_MAP.with_context(blocks=StateBlocks()), seed=16)
"""Its reports are typical: of seeds 1 to 20, whose chances of the true place after 1 and 7 reports
have the medians 0.17 and 0.49, this one is nearest to both."""
LIKELIEST: Final = -1
DENVER: Final = 73 * 350 + 125
"""The cell of Denver on the map of the United States."""


@dataclass(frozen=True)
class AttackerState(ScenarioRecord):
    """The page's record. `place`: the symbol where the person truly is, all the time.

    `days`: how many days have passed, a report on each. `other`: the place that the true one is
    tested against, −1 for the likeliest that it hides among.
    """

    scenario: Scenario = BEGIN
    place: int = DENVER
    days: int = 7
    other: int = LIKELIEST


def _check(record: AttackerState) -> None:
    """Raise `CaldpError` for policies without blocks, data without a map, places off it."""
    _ = record.scenario.context
    domain = runs.map_of(runs.dataset(record.scenario))
    check_whole("place", record.place, 0, domain.k - 1)
    check_whole("days", record.days, 0, DAYS_MAX)
    check_whole("other", record.other, LIKELIEST, domain.k - 1)
    require_valid_errors(runs.setup(record.scenario))


_NO_FAKES: Final = "The view of fake phones is given up; the page shows one person."
LINK: Final = ScenarioLink(
    AttackerState(),
    _check,
    BROWSER_KEYS,
    given_up=dict.fromkeys(("show", "tenths", "attack", "repair"), _NO_FAKES),
)
STATE: Final = PinPageState("adversary", LINK)
NEW_NOISE: Final = "New noise: the same people could have sent other reports."


UNSURE: Final = 1.0 - 1e-12
"""Most that is said of a place that hides among others, where floats would make it sure."""


@dataclass(frozen=True, eq=False)
class Attacker:
    """Beliefs about one person under one protection.

    `place`: symbol of the true place. `reports`: ten, one a day, (1,) each. `beliefs`: (k,) chances
    after 0, 1, … 10 of them, each sums to 1. `limits`: the largest chance of the true place that
    the promise allows after as many, whatever the reports.
    """

    setup: Setup
    place: int
    reports: tuple[Reports, ...]
    beliefs: tuple[Floats, ...]
    limits: tuple[float, ...]

    def stored_belief(self, days: int) -> Floats:
        """(k,) belief after a number of days on which the phone repeats its first report."""
        return self.beliefs[min(days, 1)]

    def single_report_belief(self, day: int) -> Floats:
        """(k,) belief after the report of one day alone; days count from 1."""
        mechanism = self.setup.mechanism
        return posterior_after_reports(
            mechanism, self.beliefs[0], [mechanism.tally(self.reports[day - 1])]
        )

    def chance_of_truth(self, reports: int) -> float:
        """Chance of the true place, in [0, 1], after a number of fresh reports."""
        share = float(self.beliefs[reports][self.place])
        return min(share, UNSURE) if self.limits[1] < 1.0 else share


@dataclass(frozen=True)
class CandidatePair:
    """Two candidates: the true place, and the likeliest other place that it hides among.

    `rival`: symbol of that other place. Both are equally likely before. `fresh_chance`: chance of
    the true one after a fresh report every day, `stored_chance`: after one stored report;
    `fresh_limit`, `stored_limit`: the largest that the promise allows.
    """

    rival: int
    fresh_chance: float
    stored_chance: float
    fresh_limit: float
    stored_limit: float


@dataclass(frozen=True, eq=False)
class BeliefData:
    """Data of the page: the record, both attackers, and the candidates of this protection.

    `ours`, `plain`: under this protection, and under the best plain LDP.
    `odds`: how often the choice between the true place and another that it hides among, both
    equally likely, is right at most after one report and after one a day, in [0.5, 1]: the largest
    over all such pairs. `pair`, `odds`: None where the place hides among no other.
    """

    record: AttackerState
    ours: Attacker
    plain: Attacker
    pair: CandidatePair | None
    odds: tuple[float, float] | None

    @property
    def domain(self) -> GridDomain:
        """The map of both."""
        return runs.map_of(self.ours.setup.dataset)


def load_data(record: AttackerState) -> BeliefData:
    """Compute the data that the page shows of a record."""
    ours = compute_attacker(record.scenario, record.place)
    plain = compute_attacker(runs.best_plain_ldp(record.scenario), record.place)
    return BeliefData(record, ours, plain, _pair(ours, record.days), _odds(ours, record.days))


@cached_by(lambda scenario, place: (runs.key(scenario), place))
def compute_attacker(scenario: Scenario, place: int) -> Attacker:
    """Draw the reports of all days, and the beliefs after each."""
    setup = runs.setup(scenario)
    mechanism, prior = setup.mechanism, setup.dataset.distribution
    # Where nobody is, nobody's place can be believed in: an attacker allows for any place a bit.
    prior = read_only((1 - 1e-3) * prior + 1e-3 / prior.size)
    beliefs, reports = [prior], []
    for coins in generators(runs.seeds(scenario, "days", place), DAYS_MAX):
        report = mechanism.privatize(np.array([place]), coins)
        reports.append(report)
        beliefs.append(
            read_only(posterior_after_reports(mechanism, beliefs[-1], [mechanism.tally(report)]))
        )
    limits = max_posteriors(setup.policy, prior, place, range(DAYS_MAX + 1))
    own_setup = replace(setup, scenario=scenario)
    return Attacker(own_setup, place, tuple(reports), tuple(beliefs), tuple(limits))


def _bounds(ours: Attacker) -> tuple[Ints, Floats]:
    """(m,) other places that the true one hides among, and (m,) E[true, other]."""
    k, policy = ours.setup.policy.k, ours.setup.policy
    others = np.flatnonzero(np.arange(k) != ours.place)
    levels = policy.between(np.full(k - 1, ours.place), others)
    finite = np.isfinite(levels)
    return others[finite], levels[finite]


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
        true_ratio, rival_ratio = now[place] / prior[place], now[rival] / prior[rival]
        return float(true_ratio / (true_ratio + rival_ratio))

    fresh_limit, stored_limit = max_posteriors(setup.policy, even, place, [days, min(days, 1)])
    chances = share(ours.beliefs[days]), share(ours.stored_belief(days)), fresh_limit, stored_limit
    return CandidatePair(rival, *(min(chance, UNSURE) for chance in chances))
