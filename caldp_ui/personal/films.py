"""The film of the page: the same people and coins at every ε.

Made in the background; the browser plays it alone.
"""

from typing import Final

from caldp_ui.compute import runs
from caldp_ui.controls.common import along_epsilon
from caldp_ui.maps.scene import TRUTH
from caldp_ui.parts import films, odds
from caldp_ui.parts.films import Along
from caldp_ui.personal import scene, words
from caldp_ui.personal.shown import Shown, at_once
from caldp_ui.personal.slot import SLOT, Personal
from caldp_ui.stage import Stage, Step
from caldp_ui.words.vocabulary import PLACES


def show(what: Shown, on: Stage) -> None:
    """Bring the film to the stage, now or as soon as it is made; none of what takes long."""
    if can_be_made(what):
        films.show([EPSILON.asked(what.record)], on)


def can_be_made(what: Shown) -> bool:
    """Whether its pictures are there and take no longer than a moment."""
    is_there = what.assumed is not None and what.everything is not None
    return is_there and not runs.takes_long(what.record.scenario)


def look(record: Personal) -> Step:
    """What the page shows of a record."""
    what = at_once(record)
    risk = {odds.PLACE: odds.html(PLACES, what.setup)}
    return films.look_of(scene.scene(what), TRUTH, words.headline(what), risk)


EPSILON: Final = Along[Personal](
    SLOT,
    scene.EPSILON,
    "Privacy level ε",
    along_epsilon(),
    look,
    lambda record: runs.key(record.scenario),
)
