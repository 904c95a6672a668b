"""The film of the page: the same people and coins at every ε per kilometre.

Made in the background; the browser plays it alone.
"""

from dataclasses import replace
from typing import Final

from caldp_core.basics.types import Progress
from caldp_core.mechanisms.specs import BestKernel
from caldp_ui.compute import runs
from caldp_ui.distances import scene, side, words
from caldp_ui.distances.shown import Shown, shown
from caldp_ui.distances.side import RATES
from caldp_ui.distances.slot import SLOT, Far, per_km
from caldp_ui.maps.scene import TRUTH
from caldp_ui.parts import films, headline
from caldp_ui.parts.comparison import at_once
from caldp_ui.stage import Film, Stage, Step, project
from caldp_ui.stage.records import Mark

NAME: Final = scene.RATE


def show(what: Shown, on: Stage) -> None:
    """Bring the film to the stage, now or as soon as it is made; none of what takes long."""
    record = what.record
    if not can_be_made(what):
        return
    still = replace(record, scenario=per_km(record.scenario, RATES[0]))
    name = f"{runs.key(still.scenario)} {record.show} {record.beside} {record.place}"
    made = films.film(SLOT.key("film"), name, lambda progress: over_rates(record, progress))
    if made is not None:
        project([made], on)


def can_be_made(what: Shown) -> bool:
    """Whether its pictures are there and take a moment; each step of the best would be designed."""
    scenario = what.record.scenario
    is_there = what.ours is not None and what.blocks is not None
    is_quick = not runs.takes_long(scenario) and not isinstance(scenario.mechanism, BestKernel)
    return is_there and is_quick


def over_rates(record: Far, progress: Progress) -> Film:
    """Every ε per kilometre of the page's slider."""

    def step(rate: float) -> Step:
        at = replace(record, scenario=per_km(record.scenario, rate))
        what = shown(at, at_once)
        made = films.step_of(scene.scene(what), f"ε = {rate:g} per kilometre", rate, TRUTH)
        beside = {
            headline.SENTENCE: headline.html(words.headline(what)),
            side.ODDS: side.odds_html(at),
        }
        return replace(made, reading=f"{rate:g}", elsewhere=beside)

    made = films.steps(RATES, record.rate, step, progress)
    # The ring and the blocks beside have another size at every step.
    lines: tuple[Mark, ...] = ("blocks", "sensitive")
    return Film(NAME, "ε per kilometre", made, hides=lines, dial=SLOT.key("rate"))
