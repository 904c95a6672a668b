"""One person's week: where they are, what their device reports, and what an attacker makes of it.

An example: they live in the map's largest city and work in the nearest other one.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.audit.inference import believed, likelihood
from caldp_core.basics.types import Floats
from caldp_core.mechanisms.backgrounds import NO_PLACE
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.offers import cover_of
from caldp_core.mechanisms.tally import Tally
from caldp_ui.personal.shown import Shown, tagged
from caldp_ui.words.towns import towns

_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_ROUTE: Final = (0, 1, -1, 1, 0, -2, 0)
"""By day: the tag of the own place, or below 0 some place that is none of their own."""
_ELSEWHERE: Final = {-1: 4, -2: 7}
"""Which city by size that place is."""


EVENINGS: Final = 10
"""Reports from one home."""


@dataclass(frozen=True)
class Day:
    """A day: its name, where they are, the tag that stands for it (or None), what the report names.

    `named`: a symbol, or None where the report names no place. `home`: chance that they are at
    home, by this report alone, where it was 50:50 between home and the place `torn`.
    """

    day: str
    place: int
    tag: int | None
    named: int | None
    home: float


def week(what: Shown) -> list[Day]:
    """Seven days, by the coins of the record's seed; none where the map has too few cities."""
    cities = list(towns(what.domain))
    made = tagged(what.setup)
    tags, personalised = made.policy.tags, made.personalised
    if len(cities) <= max(_ELSEWHERE.values()):
        return []
    km = what.domain.km_from(cities[0])
    near = min(cities[1:], key=lambda city: float(km[city]))
    own = [*(cities[0], near)[:tags], *[NO_PLACE] * (tags - 2)]
    stops = [stop if stop < tags else 0 for stop in _ROUTE]
    places = [cities[_ELSEWHERE[s]] if s < 0 else own[s] for s in stops]
    rng = np.random.default_rng(np.random.SeedSequence((what.record.scenario.seed, 7)))
    reports = personalised.privatize(places, np.tile(own, (len(places), 1)), rng)
    days = []
    for number, (day, stop, place) in enumerate(zip(_DAYS, stops, places, strict=True)):
        tally = personalised.tally(reports[number : number + 1])
        chances = likelihood(made.common, tally)
        tag = personalised.tagged([place], [own])[0] - made.k
        days.append(
            Day(
                day,
                place,
                None if stop < 0 or tag < 0 else int(tag),
                _named(made.common, tally),
                _home(chances, made.k, cities[_ELSEWHERE[-1]]),
            )
        )
    return days


@dataclass(frozen=True)
class AtHome:
    """After `EVENINGS` reports from one home, for who knows how many people are where, no more.

    `own`: chance that they are at a place of their own. `there`: on the right place; `before`: that
    before any report.
    """

    own: float
    there: float
    before: float


def at_home(what: Shown) -> AtHome | None:
    """What ten reports of somebody in the largest city tell; None where the map has no city."""
    cities = list(towns(what.domain))
    if not cities:
        return None
    made, home = tagged(what.setup), cities[0]
    own = np.full((EVENINGS, made.policy.tags), NO_PLACE)
    own[:, 0] = home
    rng = np.random.default_rng(np.random.SeedSequence((what.record.scenario.seed, EVENINGS)))
    reports = made.personalised.privatize([home] * EVENINGS, own, rng)
    tallies = [made.tally(reports[day : day + 1]) for day in range(EVENINGS)]
    prior = what.setup.dataset.distribution
    tags = believed(made.common, made.shares(prior), tallies)
    there = made.without_tags(tags, prior)
    return AtHome(float(tags[made.k :].sum()), float(there[home]), float(prior[home]))


def _named(common: ContextMechanism, tally: Tally) -> int | None:
    """The symbol that a report names openly."""
    (found,) = np.nonzero(common.clear_counts(tally))
    return int(cover_of(common).clear[found[0]]) if found.size else None


def _home(chances: Floats, k: int, other: int) -> float:
    """Of home's tag against another place, from even odds."""
    home, there = float(chances[k]), float(chances[other])
    return home / (home + there) if home + there > 0 else 0.0
