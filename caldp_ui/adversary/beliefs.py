"""The onlooker's beliefs day by day, for this protection and for the best plain LDP.

Room: adversary. Reports are drawn once for a scenario, a place and a day: adding a day leaves the
days before as they were. Kept for all visits.
"""

from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from caldp_core.audit.inference import believed, likeliest, most_believed
from caldp_core.audit.told_apart import told_apart
from caldp_core.basics.types import Floats, read_only
from caldp_core.experiments.run import Setup
from caldp_core.mechanisms.offers import block_totals, cover_of
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.adversary.slot import DAYS_MAX, MEMOISED, Suspect
from caldp_ui.compute import rivals, runs


@dataclass(frozen=True, eq=False)
class Onlooker:
    """Beliefs about one person under one protection.

    `after`: (k,) chances after 0, 1, … 10 fresh reports, each sums to 1. `most`: the most that the
    promise lets the true place be believed after as many, whatever the reports.
    """

    setup: Setup
    place: int
    after: tuple[Floats, ...]
    most: tuple[float, ...]

    def now(self, record: Suspect) -> Floats:
        """(k,) after the days of the record; a memoised report tells all on the first day."""
        return self.after[1 if record.noise == MEMOISED else record.days]

    def on_truth(self, reports: int) -> float:
        """Chance of the true place after so many fresh reports."""
        return float(self.after[reports][self.place])


@dataclass(frozen=True)
class Pair:
    """Two candidates: the true place, and the likeliest other place that it hides among.

    `share`: chance of the true one after the reports, from 50:50 before. `most`: what the promise
    allows; `on_average`: how often the best guess between them is right after one report.
    """

    rival: int
    share: float
    most: float
    on_average: float


@dataclass(frozen=True, eq=False)
class Shown:
    """What the page shows: the record, both onlookers, and the candidates of this protection."""

    record: Suspect
    ours: Onlooker
    plain: Onlooker
    pair: Pair | None

    @property
    def reports(self) -> int:
        """Different reports that the onlooker has seen."""
        return 1 if self.record.noise == MEMOISED else self.record.days


def shown(record: Suspect) -> Shown:
    """All of it."""
    ours = onlooker(record.scenario, record.place)
    plain = onlooker(rivals.rival(record.scenario), record.place)
    seen = 1 if record.noise == MEMOISED else record.days
    return Shown(record, ours, plain, _pair(ours, seen))


def onlooker(scenario: Scenario, place: int) -> Onlooker:
    """The beliefs of all days."""
    return _onlooker(f"{runs.key(scenario)} {place}", scenario, place)


@st.cache_resource(max_entries=64, show_spinner=False)
def _onlooker(text: str, _scenario: Scenario, _place: int) -> Onlooker:
    del text
    setup = runs.setup(_scenario)
    mechanism, prior = setup.mechanism, setup.dataset.distribution
    # Where nobody is, nobody's place can be believed in: an onlooker allows for any place a bit.
    prior = read_only((1 - 1e-3) * prior + 1e-3 / prior.size)
    after = [prior]
    for seed in np.random.SeedSequence((_scenario.seed, _place)).spawn(DAYS_MAX):
        report = mechanism.privatize(np.array([_place]), np.random.default_rng(seed))
        after.append(read_only(believed(mechanism, after[-1], [mechanism.tally(report)])))
    most = [most_believed(setup.policy, prior, _place, m) for m in range(DAYS_MAX + 1)]
    return Onlooker(replace(setup, scenario=_scenario), _place, tuple(after), tuple(most))


def _pair(ours: Onlooker, reports: int) -> Pair | None:
    """None where the place hides among no other."""
    setup, place = ours.setup, ours.place
    tally = setup.mechanism.tally(setup.mechanism.client_report(place))
    labels, _ = block_totals(setup.mechanism, tally)
    hidden = cover_of(setup.mechanism).hidden
    among = hidden[(labels[hidden] == labels[place]) & (hidden != place)]
    if place not in hidden or not among.size:
        return None
    prior, now = ours.after[0], ours.after[reports]
    rival = int(among[prior[among].argmax()])
    here, there = now[place] / prior[place], now[rival] / prior[rival]
    even = np.zeros(setup.policy.k)
    even[[place, rival]] = 0.5
    return Pair(
        rival,
        float(here / (here + there)),
        most_believed(setup.policy, even, place, reports),
        told_apart(setup.mechanism, place, rival),
    )


def region(beliefs: Floats) -> int:
    """How many places the onlooker needs to be 95 % sure."""
    return int(likeliest(beliefs).size)
