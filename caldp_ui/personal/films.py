"""The film of the page: the same people and coins at every ε.

Made in the background; the browser plays it alone.
"""

from dataclasses import replace

from caldp_core.basics.types import Progress
from caldp_ui.compute import runs
from caldp_ui.controls.common import EPSILONS
from caldp_ui.maps.scene import TRUTH
from caldp_ui.parts import films, headline, odds
from caldp_ui.personal import scene, words
from caldp_ui.personal.shown import Shown, at_once
from caldp_ui.personal.slot import SLOT, Personal, with_tags
from caldp_ui.stage import Film, Stage, Step, project
from caldp_ui.words.vocabulary import PLACES


def show(what: Shown, on: Stage) -> None:
    """Bring the film to the stage, now or as soon as it is made; none of what takes long."""
    scenario = what.record.scenario
    if not can_be_made(what):
        return
    name = runs.key(with_tags(scenario, epsilon=EPSILONS[0]))
    made = films.film(SLOT.key("film"), name, lambda progress: over_epsilon(what.record, progress))
    if made is not None:
        project([made], on)


def can_be_made(what: Shown) -> bool:
    """Whether its pictures are there and take no longer than a moment."""
    is_there = what.assumed is not None and what.everything is not None
    return is_there and not runs.takes_long(what.record.scenario)


def over_epsilon(record: Personal, progress: Progress) -> Film:
    """Every ε of the page's slider."""

    def step(epsilon: float) -> Step:
        at = replace(record, scenario=with_tags(record.scenario, epsilon=epsilon))
        what = at_once(at)
        made = films.step_of(scene.scene(what), f"ε = {epsilon:g}", epsilon, TRUTH)
        beside = {
            headline.SENTENCE: headline.html(words.headline(what)),
            odds.PLACE: odds.html(PLACES, what.setup),
        }
        return replace(made, reading=f"{epsilon:g}", elsewhere=beside)

    made = films.steps(EPSILONS, record.policy.epsilon, step, progress)
    return Film(scene.EPSILON, "Privacy level ε", made, dial=SLOT.key("epsilon"))
