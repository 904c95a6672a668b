"""One person's week: where they are, what their device reports, and what an attacker infers.

An example: they live in the map's largest city and work in the nearest other one.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.audit.inference import likelihood, posterior_after_reports
from caldp_core.basics.types import Floats
from caldp_core.mechanisms.base import Tally
from caldp_core.mechanisms.capabilities import symbol_partition_of
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.personalised import NO_PLACE
from caldp_ui.personal.page_data import PersonalData, tagged_mechanism
from caldp_ui.words.towns import towns

_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_STOPS: Final = (0, 1, -1, 1, 0, -2, 0)
"""By day: the tag of the own place, or a key of `_ELSEWHERE` for another place."""
_ELSEWHERE: Final = {-1: 4, -2: 7}
"""Rank by size of the city that such a stop is in."""
HOME_REPORTS: Final = 10
"""Reports from one home."""


@dataclass(frozen=True)
class Day:
    """A day of the week. `place`: symbol where the person is; `tag`: that stands for it, or None.

    `reported_place`: symbol that the report names, or None. `home_probability`: chance that they
    are at home, by this report alone, if home and one other place (`_ELSEWHERE[-1]`) were equally
    likely before.
    """

    name: str
    place: int
    tag: int | None
    reported_place: int | None
    home_probability: float


def simulate_week(data: PersonalData) -> list[Day]:
    """Seven days, with the noise of the record's seed; none where the map has too few cities."""
    cities = list(towns(data.domain))
    mechanism = tagged_mechanism(data.setup)
    tags, personalised = mechanism.policy.tags, mechanism.personalised
    if len(cities) <= max(_ELSEWHERE.values()):
        return []
    km = data.domain.km_from(cities[0])
    work = min(cities[1:], key=lambda city: float(km[city]))
    own = [*(cities[0], work)[:tags], *[NO_PLACE] * (tags - 2)]
    stops = [stop if stop < tags else 0 for stop in _STOPS]
    places = [cities[_ELSEWHERE[s]] if s < 0 else own[s] for s in stops]
    rng = np.random.default_rng(np.random.SeedSequence((data.record.scenario.seed, 7)))
    reports = personalised.privatize(places, np.tile(own, (len(places), 1)), rng)
    days = []
    for number, (day, stop, place) in enumerate(zip(_DAYS, stops, places, strict=True)):
        tally = personalised.tally(reports[number : number + 1])
        chances = likelihood(mechanism.common, tally)
        tag = personalised.add_tags([place], [own])[0] - mechanism.k
        days.append(
            Day(
                day,
                place,
                None if stop < 0 or tag < 0 else int(tag),
                _reported_symbol(mechanism.common, tally),
                _home_probability(chances, mechanism.k, cities[_ELSEWHERE[-1]]),
            )
        )
    return days


@dataclass(frozen=True)
class HomeInference:
    """Belief after `HOME_REPORTS` reports from one home, if only the distribution is known before.

    `own_place_probability`: that they are at a place of their own. `home_probability`: that they
    are at the right place; `prior_probability`: that before any report.
    """

    own_place_probability: float
    home_probability: float
    prior_probability: float


def infer_home(data: PersonalData) -> HomeInference | None:
    """Belief after `HOME_REPORTS` reports from the largest city; None if the map has no city."""
    cities = list(towns(data.domain))
    if not cities:
        return None
    mechanism, home = tagged_mechanism(data.setup), cities[0]
    own = np.full((HOME_REPORTS, mechanism.policy.tags), NO_PLACE)
    own[:, 0] = home
    rng = np.random.default_rng(np.random.SeedSequence((data.record.scenario.seed, HOME_REPORTS)))
    reports = mechanism.personalised.privatize([home] * HOME_REPORTS, own, rng)
    tallies = [mechanism.tally(reports[day : day + 1]) for day in range(HOME_REPORTS)]
    prior = data.setup.dataset.distribution
    tags = posterior_after_reports(mechanism.common, mechanism.shares_with_tags(prior), tallies)
    posterior = mechanism.without_tags(tags, prior)
    return HomeInference(
        float(tags[mechanism.k :].sum()), float(posterior[home]), float(prior[home])
    )


def _reported_symbol(common: ContextMechanism, tally: Tally) -> int | None:
    """The symbol that a report names openly; None where it names none."""
    (named,) = np.nonzero(common.clear_counts(tally))
    return int(symbol_partition_of(common).clear[named[0]]) if named.size else None


def _home_probability(chances: Floats, k: int, other: int) -> float:
    """Chance of home's tag against the place `other`, from even odds; `chances`: likelihoods."""
    home, elsewhere = float(chances[k]), float(chances[other])
    return home / (home + elsewhere) if home + elsewhere > 0 else 0.0
