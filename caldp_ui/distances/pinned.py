"""What is pinned: its maps under the same view, and the numbers that differ."""

from dataclasses import replace
from typing import Final

from caldp_ui.distances import designing, scene, words
from caldp_ui.distances.shown import Shown, shown
from caldp_ui.distances.slot import SLOT, Far
from caldp_ui.maps.ground import home
from caldp_ui.parts import pins
from caldp_ui.parts.comparison import at_once
from caldp_ui.words.towns import place_name
from caldp_ui.words.vocabulary import PLACES


def _find(record: Far) -> Shown:
    """In the view that is open, so that both are of one kind."""
    return shown(replace(designing.or_stand_in(record), show=SLOT.now().show), at_once)


def _title(record: Far) -> str:
    return f"ε = {record.rate:.3g} per kilometre"


def _numbers(what: Shown) -> dict[str, str]:
    found = pins.numbers_of(PLACES, what.ours)
    if not found:
        return {}
    odds = {
        f"right guesses of 100, at most, at {words.km(each)}": words.odds_at(what.record, each)
        for each in words.ODDS_AT
    }
    lies = {
        "reports from": place_name(what.domain, what.record.place),
        "a report lies away by": words.km(what.noise.km),
    }
    return {**odds, **lies, **found}


BESIDE: Final[pins.Beside[Far, Shown]] = pins.Beside(
    find=_find,
    title=_title,
    said=lambda what: words.headline(what).sentence,
    numbers=_numbers,
    picture=lambda now, what: pins.maps(SLOT, scene.scene(what), now.domain),
    files=lambda what: pins.maps_of(
        {"in-blocks": what.blocks, "this-noise": what.ours}, home(what.domain)
    ),
)
