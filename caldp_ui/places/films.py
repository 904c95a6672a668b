"""Films of the map page: every ε, and new noise.

A film of ε has the same people and random draws at every step, so only ε changes: with it the
page's slider of ε shows each level at once, and the server's answer confirms it.
"""

from dataclasses import replace
from typing import Final

from caldp_core.basics.types import Progress
from caldp_core.experiments.run import Result
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import plain_ldp, runs
from caldp_ui.controls.common import EPSILONS, Slider
from caldp_ui.maps import scene
from caldp_ui.parts import films, headline, odds
from caldp_ui.parts.film_jobs import FilmRequest
from caldp_ui.parts.films import SliderFilm
from caldp_ui.places.page_state import STATE
from caldp_ui.stage import Film, Stage, Step
from caldp_ui.words import promise
from caldp_ui.words.vocabulary import PLACES

DRAW_COUNT: Final = 20
_PER_SECOND: Final = 2.0


def show(scenario: Scenario, stage: Stage) -> None:
    """Sends the scenario's films to the stage, now or as soon as they are made."""
    if is_possible(scenario):
        films.show([EPSILON_FILM.request(scenario), _draws_request(scenario)], stage)


def is_possible(scenario: Scenario) -> bool:
    """Whether the scenario has films: one ε, and pictures that are fast to compute."""
    both = (scenario, plain_ldp.best_plain_ldp(scenario))
    return not isinstance(scenario.context.epsilon, tuple) and not any(map(runs.takes_long, both))


def render(scenario: Scenario) -> Step:
    """The film step of a scenario: maps, errors, headline and odds."""
    ours, plain = runs.result(scenario), runs.result(plain_ldp.best_plain_ldp(scenario))
    step = _render_step(ours, plain)
    return replace(
        step, replacements={**step.replacements, odds.PLACE: odds.html(PLACES, ours.setup)}
    )


EPSILON_FILM: Final = SliderFilm[Scenario](
    STATE,
    "epsilon",
    "Privacy level ε",
    Slider(
        "epsilon",
        promise.largest_epsilon,
        lambda scenario, epsilon: scenario.with_context(epsilon=float(epsilon)),
        EPSILONS,
        lambda epsilon: f"{epsilon:g}",
    ),
    render,
    runs.key,
)


def _draws_request(scenario: Scenario) -> FilmRequest:
    name = f"{runs.key(replace(scenario, seed=0))} draws"
    return FilmRequest(
        STATE.key("film-draws"), name, lambda progress: _draws_film(scenario, progress)
    )


def _draws_film(scenario: Scenario, progress: Progress) -> Film:
    steps = []
    for number in range(DRAW_COUNT):
        progress(number / DRAW_COUNT)
        at = replace(scenario, seed=number + 1)
        ours, plain = runs.uncached_result(at), runs.uncached_result(plain_ldp.best_plain_ldp(at))
        label = f"draw {number + 1}"
        steps.append(replace(_render_step(ours, plain), label=label, value=float(number + 1)))
    film_steps = tuple(steps)
    return Film(
        "draws",
        "New noise",
        film_steps,
        False,
        _PER_SECOND,
        loops=True,
        place=1,
        beside=STATE.key("another"),
    )


def _render_step(ours: Result, plain: Result) -> Step:
    pair = {scene.PLAIN: plain, scene.OURS: ours}
    named = pair | {scene.error_id(name): result for name, result in pair.items()}
    return Step(
        codes={name: scene.estimate_code(result) for name, result in pair.items()},
        subtitles={name: scene.subtitle(result) for name, result in named.items()},
        facts={name: scene.error_fact(result) for name, result in named.items()},
        pooled={name: levels for name, r in pair.items() if (levels := scene.pooling_levels(r))},
        replacements={headline.SENTENCE: headline.result_html(PLACES, ours, plain)},
    )
