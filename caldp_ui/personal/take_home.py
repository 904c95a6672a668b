"""The page as one file: four ways to keep one's own places, along ε."""

from functools import partial

from caldp_ui.offline import maps
from caldp_ui.offline.records import Part
from caldp_ui.personal import films, scene
from caldp_ui.personal.shown import at_once
from caldp_ui.personal.slot import Personal


def part(record: Personal) -> Part | None:
    """The page; None where no film of it is made."""
    what = at_once(record)
    if not films.can_be_made(what):
        return None
    return maps.part(
        "personal",
        "Home and work",
        "Everybody hides their own places. Move ε, the privacy level.",
        films.look(record).elsewhere,
        scene.scene(what),
        films=(partial(films.EPSILON.film, record),),
    )
