"""The attacker's beliefs as films: over ε, day by day, and what each day's report shows alone.

Made in the background, for all visits; the browser plays them alone.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from caldp_core.basics.types import Progress
from caldp_core.domain.grid import GridDomain
from caldp_ui.adversary import scene, side, words
from caldp_ui.adversary.beliefs import Shown, shown
from caldp_ui.adversary.slot import DAYS_MAX, SLOT, Suspect
from caldp_ui.compute import runs
from caldp_ui.controls.common import along_epsilon
from caldp_ui.parts import headline, odds
from caldp_ui.parts.film_jobs import Asked
from caldp_ui.parts.films import Along
from caldp_ui.stage import Film, Step
from caldp_ui.words.headline import Headline

_PER_SECOND: Final = 1.25
"""Slow enough to read a picture's number."""


def asked(what: Shown, domain: GridDomain) -> list[Asked]:
    """The films of what is shown; their names say all that their pictures and words rest on."""
    record = what.record
    reports = Asked(
        SLOT.key("film-reports"),
        f"{_rests_on(replace(record, days=0))} reports",
        lambda progress: one_by_one(what, domain, progress),
    )
    return [*(each.asked(record) for each in along(record)), reports]


def along(record: Suspect) -> list[Along[Suspect]]:
    """The films along sliders."""
    many = isinstance(record.scenario.context.epsilon, tuple)
    return [OVER_DAYS] if many else [OVER_DAYS, OVER_EPSILON]


def one_by_one(what: Shown, domain: GridDomain, progress: Progress) -> Film:
    """Ten reports about one place, each by itself; a stored one is always the same."""
    made = []
    for day in range(1, DAYS_MAX + 1):
        progress((day - 1) / DAYS_MAX)
        alone = {scene.PLAIN: what.plain.alone(day), scene.KEPT: what.ours.kept(1)}
        alone[scene.OURS] = what.ours.alone(day)
        place = what.record.place
        seen = {name: scene.belief(each, domain, place) for name, each in alone.items()}
        said = words.alone(day, float(alone[scene.OURS][place]), float(alone[scene.PLAIN][place]))
        step = _step(seen, said, {})
        made.append(replace(step, label=f"report {day} alone", value=float(day)))
    return Film(
        "reports",
        "Ten reports, one by one",
        tuple(made),
        follows=False,
        per_second=_PER_SECOND,
        loops=True,
        place=2,
        beside=SLOT.key("another"),
    )


def look(record: Suspect) -> Step:
    """What the page shows of a record, its sentence and its odds, too."""
    what = shown(record)
    domain = runs.map_of(what.ours.setup.dataset)
    risk = {odds.PLACE: side.odds_html(what, domain)}
    return _step(scene.after(what, record.days, domain), words.headline(what), risk)


def _step(beliefs: dict[str, scene.Belief], said: Headline, elsewhere: Mapping[str, str]) -> Step:
    return Step(
        codes={name: each.code for name, each in beliefs.items()},
        subtitles={name: each.told for name, each in beliefs.items()},
        facts={name: each.fact for name, each in beliefs.items()},
        elsewhere={headline.SENTENCE: headline.html(said), **elsewhere},
        nobody={name: each.lit_from for name, each in beliefs.items()},
    )


def _rests_on(record: Suspect) -> str:
    return f"{runs.key(record.scenario)} {record.place} {record.days}"


def _day(said: str) -> str:
    return "before any report" if said == "0" else f"day {said}"


OVER_DAYS: Final = Along[Suspect](
    SLOT,
    scene.DAYS,
    "Day",
    side.DAYS,
    look,
    _rests_on,
    _day,
    per_second=_PER_SECOND,
)
OVER_EPSILON: Final = Along[Suspect](
    SLOT, scene.EPSILON, "Privacy level ε", along_epsilon(), look, _rests_on, place=1
)
