"""The page as one file: all treatments and the attack as far as it was played, along ε."""

from functools import partial

from caldp_core.domain.grid import GridDomain
from caldp_ui.coarser import films, outcomes, scene
from caldp_ui.coarser.slot import SEVEN, TABLES, Publication
from caldp_ui.coarser.treated import find
from caldp_ui.offline import maps
from caldp_ui.offline.records import Part
from caldp_ui.parts import comparison


def part(record: Publication) -> Part | None:
    """The page; None where no film of it is made: without a map, or where that takes long."""
    if record.attack in (SEVEN, TABLES):
        return None
    what = find(record, comparison.at_once)
    if not isinstance(what.domain, GridDomain) or not films.can_be_made(what):
        return None
    return maps.part(
        "coarser",
        "Noise, coarser, or nothing?",
        "The same people under each treatment, and how many an attacker finds. Move ε: only the "
        "treatments with noise change.",
        films.look(record).elsewhere,
        scene.scene(what, outcomes.played(what)),
        films=(partial(films.EPSILON.film, record),),
    )
