"""The onlooker's beliefs as films: day by day, and what each day's report says alone.

Room: adversary. Made in the background, for all visits; the browser plays them alone.
"""

from dataclasses import replace
from typing import Final

from caldp_core.basics.types import Floats, Progress
from caldp_core.domain.grid import GridDomain
from caldp_ui.adversary import scene, words
from caldp_ui.adversary.beliefs import Shown
from caldp_ui.adversary.slot import DAYS_MAX, SLOT
from caldp_ui.compute import runs
from caldp_ui.parts import headline
from caldp_ui.parts.films import film
from caldp_ui.stage import Film, Stage, Step, encode, project
from caldp_ui.words import formats

_PER_SECOND: Final = 1.25
"""Slow enough to read a picture's number."""


def show(what: Shown, domain: GridDomain, on: Stage) -> None:
    """Bring both films to the stage, now or as soon as they are made."""
    name = f"{runs.key(what.record.scenario)} {what.record.place}"

    def days(progress: Progress) -> Film:
        return over_days(what, domain, progress)

    def reports(progress: Progress) -> Film:
        return one_by_one(what, domain, progress)

    first = film(SLOT.key("film-days"), f"{name} days", days)
    if first is not None:
        second = film(SLOT.key("film-reports"), f"{name} reports", reports)
        project([first] if second is None else [first, second], on)


def over_days(what: Shown, domain: GridDomain, progress: Progress) -> Film:
    """From no report to ten: what is believed from all reports so far."""
    steps = []
    for day in range(DAYS_MAX + 1):
        progress(day / (DAYS_MAX + 1))
        label = formats.count(day, "day", "days") if day else "before"
        said = words.headline(replace(what, record=replace(what.record, days=day)))
        step = _step(label, day, scene.after(what, day), domain, what.record.place)
        steps.append(replace(step, reading=f"{day}", elsewhere=_sentence(said)))
    dial = SLOT.key("days")
    return Film(scene.DAYS, "Days", tuple(steps), per_second=_PER_SECOND, dial=dial)


def one_by_one(what: Shown, domain: GridDomain, progress: Progress) -> Film:
    """Ten reports about one place, each by itself; one that is kept is always the same."""
    steps = []
    for day in range(1, DAYS_MAX + 1):
        progress((day - 1) / DAYS_MAX)
        alone = {scene.PLAIN: what.plain.alone(day), scene.KEPT: what.ours.kept(1)}
        alone[scene.OURS] = what.ours.alone(day)
        place = what.record.place
        step = _step(f"report {day} alone", day, alone, domain, place)
        said = words.alone(day, float(alone[scene.OURS][place]), float(alone[scene.PLAIN][place]))
        steps.append(replace(step, elsewhere=_sentence(said)))
    title = "Ten reports, one by one"
    return Film("reports", title, tuple(steps), False, _PER_SECOND, loops=True)


def _sentence(said: str) -> dict[str, str]:
    return {headline.SENTENCE: headline.as_html(said)}


def _step(label: str, day: int, beliefs: dict[str, Floats], domain: GridDomain, place: int) -> Step:
    return Step(
        label,
        float(day),
        {name: encode(each) for name, each in beliefs.items()},
        {name: words.subtitle(domain, each) for name, each in beliefs.items()},
        {name: scene.fact(each, place) for name, each in beliefs.items()},
        nobody={name: scene.lit_from(each) for name, each in beliefs.items()},
    )
