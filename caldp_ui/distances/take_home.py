"""The page as one file: secrecy that fades with distance beside blocks, along its slider."""

from functools import partial

from caldp_ui.distances import films, scene
from caldp_ui.distances.shown import shown
from caldp_ui.distances.slot import Far
from caldp_ui.offline import maps
from caldp_ui.offline.records import Part
from caldp_ui.parts.comparison import at_once


def part(record: Far) -> Part | None:
    """The page; None where no film of it is made."""
    what = shown(record, at_once)
    if not films.can_be_made(what):
        return None
    return maps.part(
        "distances",
        "Privacy by distance",
        "Places close by are hidden best. Move ε per kilometre.",
        films.look(record).elsewhere,
        scene.scene(what),
        films=(partial(films.RATE.film, record),),
    )
