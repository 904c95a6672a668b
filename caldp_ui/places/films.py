"""Films of the map page: every ε, and other outcomes.

A film of ε has the same people and coins at every step, so what changes is ε alone: with it the
page's slider of ε shows each level at once, and the server's answer confirms it.
"""

from dataclasses import replace
from typing import Final

from caldp_core.basics.types import Progress
from caldp_core.experiments.run import Result
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import rivals, runs
from caldp_ui.controls.common import EPSILONS
from caldp_ui.controls.slider import Slider
from caldp_ui.maps import scene
from caldp_ui.parts import films, headline, odds
from caldp_ui.parts.film_jobs import Asked
from caldp_ui.parts.films import Along
from caldp_ui.places.slot import SLOT
from caldp_ui.stage import Film, Stage, Step
from caldp_ui.words import promise
from caldp_ui.words.vocabulary import PLACES

DRAWS: Final = 20
_PER_SECOND: Final = 2.0


def show(scenario: Scenario, on: Stage) -> None:
    """Bring the films of this scenario to the stage, now or as soon as they are made."""
    if can_be_made(scenario):
        films.show([LEVELS.asked(scenario), _draws(scenario)], on)


def can_be_made(scenario: Scenario) -> bool:
    """Whether it has one ε, and pictures that take no longer than a moment."""
    both = (scenario, rivals.rival(scenario))
    return not isinstance(scenario.context.epsilon, tuple) and not any(map(runs.takes_long, both))


def look(scenario: Scenario) -> Step:
    """What the page shows of a scenario."""
    ours, plain = runs.result(scenario), runs.result(rivals.rival(scenario))
    made = _step(ours, plain)
    return replace(made, elsewhere={**made.elsewhere, odds.PLACE: odds.html(PLACES, ours.setup)})


LEVELS: Final = Along[Scenario](
    SLOT,
    "epsilon",
    "Privacy level ε",
    Slider(
        "epsilon",
        promise.strongest,
        lambda scenario, epsilon: scenario.with_context(epsilon=float(epsilon)),
        EPSILONS,
        lambda epsilon: f"{epsilon:g}",
    ),
    look,
    runs.key,
)


def _draws(scenario: Scenario) -> Asked:
    alike = f"{runs.key(replace(scenario, seed=0))} draws"
    return Asked(SLOT.key("film-draws"), alike, lambda progress: _outcomes(scenario, progress))


def _outcomes(scenario: Scenario, progress: Progress) -> Film:
    steps = []
    for number in range(DRAWS):
        progress(number / DRAWS)
        at = replace(scenario, seed=number + 1)
        ours, plain = runs.once(at), runs.once(rivals.rival(at))
        label = f"draw {number + 1}"
        steps.append(replace(_step(ours, plain), label=label, value=float(number + 1)))
    made = tuple(steps)
    return Film(
        "draws",
        "New noise",
        made,
        False,
        _PER_SECOND,
        loops=True,
        place=1,
        beside=SLOT.key("another"),
    )


def _step(ours: Result, plain: Result) -> Step:
    pair = {scene.PLAIN: plain, scene.OURS: ours}
    named = pair | {scene.error_id(name): result for name, result in pair.items()}
    return Step(
        codes={name: scene.code(result) for name, result in pair.items()},
        subtitles={name: scene.subtitle(result) for name, result in named.items()},
        facts={name: scene.fact(result) for name, result in named.items()},
        pooled={name: levels for name, r in pair.items() if (levels := scene.pooled(r))},
        elsewhere={headline.SENTENCE: headline.sentence_html(PLACES, ours, plain)},
    )
