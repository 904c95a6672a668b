"""The film of the page: the same people and coins at every ε per kilometre.

Made in the background; the browser plays it alone.
"""

from typing import Final

from caldp_core.mechanisms.specs import BestKernel
from caldp_ui.compute import runs
from caldp_ui.distances import scene, side, words
from caldp_ui.distances.shown import Shown, shown
from caldp_ui.distances.slot import SLOT, Far
from caldp_ui.maps.scene import TRUTH
from caldp_ui.parts import films
from caldp_ui.parts.comparison import at_once
from caldp_ui.parts.films import Along
from caldp_ui.stage import Stage, Step


def show(what: Shown, on: Stage) -> None:
    """Bring the film to the stage, now or as soon as it is made; none of what takes long."""
    if can_be_made(what):
        films.show([RATE.asked(what.record)], on)


def can_be_made(what: Shown) -> bool:
    """Whether its pictures are there and take a moment; each step of the best would be designed."""
    scenario = what.record.scenario
    is_there = what.ours is not None and what.blocks is not None
    is_quick = not runs.takes_long(scenario) and not isinstance(scenario.mechanism, BestKernel)
    return is_there and is_quick


def look(record: Far) -> Step:
    """What the page shows of a record."""
    what = shown(record, at_once)
    odds = {side.ODDS: side.odds_html(record)}
    return films.look_of(scene.scene(what), TRUTH, words.headline(what), odds)


def _rests_on(record: Far) -> str:
    return f"{runs.key(record.scenario)} {record.show} {record.beside} {record.place}"


RATE: Final = Along(
    SLOT,
    scene.RATE,
    "ε per kilometre",
    side.RATE,
    look,
    _rests_on,
    "ε = {} per kilometre".format,
    hides=("blocks", "sensitive"),  # the ring and the blocks beside have another size at every step
)
