"""The attacker's beliefs as films: over ε, day by day, and what each day's report shows alone.

Made in the background, shared by all visits; the browser plays them alone.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from caldp_core.basics.types import Progress
from caldp_core.domain.grid import GridDomain
from caldp_ui.adversary import scene, side, words
from caldp_ui.adversary.beliefs import BeliefData, load_data
from caldp_ui.adversary.page_state import DAYS_MAX, STATE, AttackerState
from caldp_ui.compute import runs
from caldp_ui.controls.common import epsilon_slider
from caldp_ui.parts import films, headline, odds
from caldp_ui.parts.film_jobs import FilmRequest
from caldp_ui.parts.films import SliderFilm
from caldp_ui.stage import Film, Stage, Step, stage
from caldp_ui.words.headline import Headline

_PER_SECOND: Final = 1.25
"""Slow enough to read a picture's number."""


def maps(data: BeliefData, domain: GridDomain) -> Stage:
    """Draw the stage with the three beliefs, which the films move."""
    on_step = films.follow_step(OVER_DAYS, OVER_EPSILON)
    return stage(scene.editable(data, domain), STATE.key("maps"), scene.handle_action, on_step)


def film_requests(data: BeliefData, domain: GridDomain) -> list[FilmRequest]:
    """Requests for the page's films; each name holds all that pictures and words depend on."""
    record = data.record
    reports = FilmRequest(
        STATE.key("film-reports"),
        f"{_depends_on(replace(record, days=0))} reports",
        lambda progress: single_reports_film(data, domain, progress),
    )
    return [*(each.request(record) for each in slider_films(record)), reports]


def slider_films(record: AttackerState) -> list[SliderFilm[AttackerState]]:
    """Films over days and ε; none over ε where the context has several."""
    many = isinstance(record.scenario.context.epsilon, tuple)
    return [OVER_DAYS] if many else [OVER_DAYS, OVER_EPSILON]


def single_reports_film(data: BeliefData, domain: GridDomain, progress: Progress) -> Film:
    """A film of ten reports about one place, each by itself; a stored one is always the same."""
    steps = []
    for day in range(1, DAYS_MAX + 1):
        progress((day - 1) / DAYS_MAX)
        beliefs = {
            scene.PLAIN: data.plain.single_report_belief(day),
            scene.STORED: data.ours.stored_belief(1),
        }
        beliefs[scene.OURS] = data.ours.single_report_belief(day)
        place = data.record.place
        pictures = {name: scene.belief(each, domain, place) for name, each in beliefs.items()}
        day_headline = words.single_report_headline(
            day, float(beliefs[scene.OURS][place]), float(beliefs[scene.PLAIN][place])
        )
        step = _step(pictures, day_headline, {})
        steps.append(replace(step, label=f"report {day} alone", value=float(day)))
    return Film(
        "reports",
        "Ten reports, one by one",
        tuple(steps),
        follows=False,
        per_second=_PER_SECOND,
        loops=True,
        place=2,
        beside=STATE.key("another"),
    )


def render(record: AttackerState) -> Step:
    """Render one step of a film: the maps, the headline and the odds."""
    data = load_data(record)
    domain = runs.map_of(data.ours.setup.dataset)
    risk = {odds.PLACE: side.odds_html(data, domain)}
    return _step(scene.after(data, record.days, domain), words.headline(data), risk)


def _step(
    beliefs: dict[str, scene.BeliefPicture],
    step_headline: Headline,
    replacements: Mapping[str, str],
) -> Step:
    return Step(
        codes={name: each.code for name, each in beliefs.items()},
        subtitles={name: each.subtitle for name, each in beliefs.items()},
        facts={name: each.fact for name, each in beliefs.items()},
        replacements={headline.SENTENCE: headline.html(step_headline), **replacements},
        nobody={name: each.lit_from for name, each in beliefs.items()},
    )


def _depends_on(record: AttackerState) -> str:
    return f"{runs.key(record.scenario)} {record.place} {record.days}"


def _day(reading: str) -> str:
    return "before any report" if reading == "0" else f"day {reading}"


OVER_DAYS: Final = SliderFilm[AttackerState](
    STATE,
    scene.DAYS,
    "Day",
    side.DAYS,
    render,
    _depends_on,
    _day,
    per_second=_PER_SECOND,
)
OVER_EPSILON: Final = SliderFilm[AttackerState](
    STATE, scene.EPSILON, "Privacy level ε", epsilon_slider(), render, _depends_on, place=1
)
