"""One person's week: where they are, what their device reports, and what an attacker makes of it.

An example: they live in the map's largest city and work in the nearest other one.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.audit.inference import likelihood, posterior_after_reports
from caldp_core.basics.types import Floats
from caldp_core.mechanisms.backgrounds import NO_PLACE
from caldp_core.mechanisms.capabilities import symbol_partition_of
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.tally import Tally
from caldp_ui.personal.page_data import PersonalData, tagged_mechanism
from caldp_ui.words.towns import towns

_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_STOPS: Final = (0, 1, -1, 1, 0, -2, 0)
"""By day: the tag of the own place, or below 0 some place that is none of their own."""
_ELSEWHERE: Final = {-1: 4, -2: 7}
"""Which city by size that place is."""


HOME_REPORTS: Final = 10
"""Reports from one home."""


@dataclass(frozen=True)
class Day:
    """A day: its name, where they are, the tag that stands for it (or None), what the report names.

    `reported_place`: a symbol, or None where the report names no place. `home_probability`: chance
    that they are at home, by this report alone, where it was 50:50 between home and the place
    `torn`.
    """

    name: str
    place: int
    tag: int | None
    reported_place: int | None
    home_probability: float


def simulate_week(data: PersonalData) -> list[Day]:
    """Seven days, by the coins of the record's seed; none where the map has too few cities."""
    cities = list(towns(data.domain))
    made = tagged_mechanism(data.setup)
    tags, personalised = made.policy.tags, made.personalised
    if len(cities) <= max(_ELSEWHERE.values()):
        return []
    km = data.domain.km_from(cities[0])
    near = min(cities[1:], key=lambda city: float(km[city]))
    own = [*(cities[0], near)[:tags], *[NO_PLACE] * (tags - 2)]
    stops = [stop if stop < tags else 0 for stop in _STOPS]
    places = [cities[_ELSEWHERE[s]] if s < 0 else own[s] for s in stops]
    rng = np.random.default_rng(np.random.SeedSequence((data.record.scenario.seed, 7)))
    reports = personalised.privatize(places, np.tile(own, (len(places), 1)), rng)
    days = []
    for number, (day, stop, place) in enumerate(zip(_DAYS, stops, places, strict=True)):
        tally = personalised.tally(reports[number : number + 1])
        chances = likelihood(made.common, tally)
        tag = personalised.add_tags([place], [own])[0] - made.k
        days.append(
            Day(
                day,
                place,
                None if stop < 0 or tag < 0 else int(tag),
                _reported_symbol(made.common, tally),
                _home_probability(chances, made.k, cities[_ELSEWHERE[-1]]),
            )
        )
    return days


@dataclass(frozen=True)
class HomeInference:
    """After `HOME_REPORTS` reports from one home, for who knows how many people are where, no more.

    `own_place_probability`: chance that they are at a place of their own. `home_probability`: on
    the right place; `prior_probability`: that before any report.
    """

    own_place_probability: float
    home_probability: float
    prior_probability: float


def infer_home(data: PersonalData) -> HomeInference | None:
    """What ten reports of somebody in the largest city tell; None where the map has no city."""
    cities = list(towns(data.domain))
    if not cities:
        return None
    made, home = tagged_mechanism(data.setup), cities[0]
    own = np.full((HOME_REPORTS, made.policy.tags), NO_PLACE)
    own[:, 0] = home
    rng = np.random.default_rng(np.random.SeedSequence((data.record.scenario.seed, HOME_REPORTS)))
    reports = made.personalised.privatize([home] * HOME_REPORTS, own, rng)
    tallies = [made.tally(reports[day : day + 1]) for day in range(HOME_REPORTS)]
    prior = data.setup.dataset.distribution
    tags = posterior_after_reports(made.common, made.shares_with_tags(prior), tallies)
    there = made.without_tags(tags, prior)
    return HomeInference(float(tags[made.k :].sum()), float(there[home]), float(prior[home]))


def _reported_symbol(common: ContextMechanism, tally: Tally) -> int | None:
    """The symbol that a report names openly."""
    (found,) = np.nonzero(common.clear_counts(tally))
    return int(symbol_partition_of(common).clear[found[0]]) if found.size else None


def _home_probability(chances: Floats, k: int, other: int) -> float:
    """Of home's tag against another place, from even odds."""
    home, there = float(chances[k]), float(chances[other])
    return home / (home + there) if home + there > 0 else 0.0
