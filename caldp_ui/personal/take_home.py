"""The page as one file: four ways to keep one's own places, along ε."""

from functools import partial

from caldp_ui.offline import maps
from caldp_ui.offline.records import Part
from caldp_ui.parts import headline, odds
from caldp_ui.personal import films, scene, words
from caldp_ui.personal.shown import at_once
from caldp_ui.personal.slot import Personal
from caldp_ui.words.vocabulary import PLACES


def part(record: Personal) -> Part | None:
    """The page; None where no film of it is made."""
    what = at_once(record)
    if not films.can_be_made(what):
        return None
    return maps.part(
        "personal",
        "Home and work",
        "Everybody hides their own places. Move ε, the privacy level.",
        {
            headline.SENTENCE: headline.html(words.headline(what)),
            odds.PLACE: odds.html(PLACES, what.setup),
        },
        scene.scene(what),
        films=(partial(films.over_epsilon, record),),
    )
