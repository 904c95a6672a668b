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
from caldp_ui.maps import scene
from caldp_ui.parts import films, headline, odds
from caldp_ui.places.slot import SLOT
from caldp_ui.stage import Film, Stage, Step, project
from caldp_ui.words import promise
from caldp_ui.words.vocabulary import PLACES

DRAWS: Final = 20
_PER_SECOND: Final = 2.0


def show(key: str, scenario: Scenario, on: Stage) -> None:
    """Bring the films of this scenario to the stage, now or as soon as they are made.

    `key`: the place on its page of the job that makes them.
    """
    if not can_be_made(scenario):
        return
    levels = runs.key(scenario.with_context(epsilon=EPSILONS[0]))
    over = films.film(f"{key}-levels", levels, lambda progress: over_epsilon(scenario, progress))
    if over is None:
        return
    outcome = f"{runs.key(replace(scenario, seed=0))} draws"
    draws = films.film(f"{key}-draws", outcome, lambda progress: _outcomes(scenario, progress))
    project([over] if draws is None else [over, draws], on)


def can_be_made(scenario: Scenario) -> bool:
    """Whether it has one ε, and pictures that take no longer than a moment."""
    both = (scenario, rivals.rival(scenario))
    return not isinstance(scenario.context.epsilon, tuple) and not any(map(runs.takes_long, both))


def over_epsilon(scenario: Scenario, progress: Progress) -> Film:
    """Every ε of the page's slider."""

    def step(epsilon: float) -> Step:
        level = scenario.with_context(epsilon=epsilon)
        ours, plain = runs.result(level), runs.result(rivals.rival(level))
        made = _step(f"ε = {epsilon:g}", epsilon, ours, plain)
        graded = {odds.PLACE: odds.html(PLACES, ours.setup)}
        return replace(made, reading=f"{epsilon:g}", elsewhere={**made.elsewhere, **graded})

    made = films.steps(EPSILONS, promise.strongest(scenario), step, progress)
    return Film("epsilon", "Privacy level ε", made, dial=SLOT.key("epsilon"))


def _outcomes(scenario: Scenario, progress: Progress) -> Film:
    steps = []
    for number in range(DRAWS):
        progress(number / DRAWS)
        at = replace(scenario, seed=number + 1)
        ours, plain = runs.once(at), runs.once(rivals.rival(at))
        steps.append(_step(f"draw {number + 1}", float(number + 1), ours, plain))
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


def _step(label: str, value: float, ours: Result, plain: Result) -> Step:
    pair = {scene.PLAIN: plain, scene.OURS: ours}
    named = pair | {scene.error_id(name): result for name, result in pair.items()}
    return Step(
        label,
        value,
        {name: scene.code(result) for name, result in pair.items()},
        {name: scene.subtitle(result) for name, result in named.items()},
        {name: scene.fact(result) for name, result in named.items()},
        pooled={name: levels for name, r in pair.items() if (levels := scene.pooled(r))},
        elsewhere={headline.SENTENCE: headline.sentence_html(PLACES, ours, plain)},
    )
