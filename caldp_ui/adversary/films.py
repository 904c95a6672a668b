"""The attacker's beliefs as films: over ε, day by day, and what each day's report shows alone.

Made in the background, for all visits; the browser plays them alone.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

from caldp_core.basics.types import Progress
from caldp_core.domain.grid import GridDomain
from caldp_ui.adversary import scene, side, words
from caldp_ui.adversary.beliefs import Shown, shown
from caldp_ui.adversary.slot import DAYS_MAX, SLOT, Suspect
from caldp_ui.compute import runs
from caldp_ui.controls.common import EPSILONS
from caldp_ui.parts import headline, odds
from caldp_ui.parts.films import Asked, several, steps
from caldp_ui.stage import Film, Stage, Step, project
from caldp_ui.words import promise
from caldp_ui.words.headline import Headline

_PER_SECOND: Final = 1.25
"""Slow enough to read a picture's number."""


def show(what: Shown, domain: GridDomain, on: Stage) -> None:
    """Bring the films to the stage one after another, now or as soon as they are made."""
    project(several(asked(what, domain)), on)


def asked(what: Shown, domain: GridDomain) -> list[Asked[Film]]:
    """The films of what is shown; their names say all that their pictures and words rest on."""
    record = what.record
    here = f"{runs.key(record.scenario)} {record.place}"
    makers: list[tuple[str, str, Callable[[Shown, GridDomain, Progress], Film]]] = [
        ("days", here, over_days),
        ("reports", here, one_by_one),
    ]
    if not isinstance(record.scenario.context.epsilon, tuple):
        whatever = runs.key(record.scenario.with_context(epsilon=EPSILONS[0]))
        makers.insert(1, ("epsilon", f"{whatever} {record.place} {record.days}", over_epsilon))
    return [
        Asked(SLOT.key(f"film-{kind}"), f"{name} {kind}", partial(make, what, domain))
        for kind, name, make in makers
    ]


def over_epsilon(what: Shown, domain: GridDomain, progress: Progress) -> Film:
    """Every ε of the page's slider."""
    record = what.record

    def step(epsilon: float) -> Step:
        at = replace(record, scenario=record.scenario.with_context(epsilon=epsilon))
        made = _whole_step(f"ε = {epsilon:g}", epsilon, at, domain)
        return replace(made, reading=f"{epsilon:g}")

    made = steps(EPSILONS, promise.strongest(record.scenario), step, progress)
    return Film(scene.EPSILON, "Privacy level ε", made, dial=SLOT.key("epsilon"), place=1)


def over_days(what: Shown, domain: GridDomain, progress: Progress) -> Film:
    """From no report to ten: what is believed from all reports so far."""
    made = []
    for day in range(DAYS_MAX + 1):
        progress(day / (DAYS_MAX + 1))
        label = f"day {day}" if day else "before any report"
        step = _whole_step(label, day, replace(what.record, days=day), domain)
        made.append(replace(step, reading=f"{day}"))
    dial = SLOT.key("days")
    return Film(scene.DAYS, "Day", tuple(made), per_second=_PER_SECOND, dial=dial)


def one_by_one(what: Shown, domain: GridDomain, progress: Progress) -> Film:
    """Ten reports about one place, each by itself; a stored one is always the same."""
    made = []
    for day in range(1, DAYS_MAX + 1):
        progress((day - 1) / DAYS_MAX)
        alone = {scene.PLAIN: what.plain.alone(day), scene.KEPT: what.ours.kept(1)}
        alone[scene.OURS] = what.ours.alone(day)
        place = what.record.place
        seen = {name: scene.belief(each, domain, place) for name, each in alone.items()}
        step = _step(f"report {day} alone", day, seen)
        said = words.alone(day, float(alone[scene.OURS][place]), float(alone[scene.PLAIN][place]))
        made.append(replace(step, elsewhere=_sentence(said)))
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


def _whole_step(label: str, value: float, record: Suspect, domain: GridDomain) -> Step:
    """What the page shows of this record, its sentence and its odds, too."""
    what = shown(record)
    beside = {**_sentence(words.headline(what)), odds.PLACE: side.odds_html(what, domain)}
    step = _step(label, value, scene.after(what, record.days, domain))
    return replace(step, elsewhere=beside)


def _sentence(said: Headline) -> dict[str, str]:
    return {headline.SENTENCE: headline.html(said)}


def _step(label: str, value: float, beliefs: dict[str, scene.Belief]) -> Step:
    return Step(
        label,
        float(value),
        {name: each.code for name, each in beliefs.items()},
        {name: each.told for name, each in beliefs.items()},
        {name: each.fact for name, each in beliefs.items()},
        nobody={name: each.lit_from for name, each in beliefs.items()},
    )
