"""What is pinned: its maps under the same view, and the numbers that differ.

Room: distances.
"""

from dataclasses import replace
from typing import Final

from caldp_ui.distances import designing, scene, words
from caldp_ui.distances.shown import Shown, shown
from caldp_ui.distances.slot import SLOT, Far
from caldp_ui.parts import pins
from caldp_ui.parts.comparison import at_once
from caldp_ui.words.towns import place_name
from caldp_ui.words.vocabulary import PLACES


def _find(record: Far) -> Shown:
    """In the view that is open, so that both are of one kind."""
    return shown(replace(designing.or_stand_in(record), show=SLOT.now().show), at_once)


def _title(record: Far) -> str:
    return f"ε = {record.rate:.3g} a kilometre"


def _numbers(what: Shown) -> dict[str, str]:
    found = pins.numbers_of(PLACES, what.ours)
    if not found:
        return {}
    odds = {
        f"guessed right at {words.km(each)}, of 100": words.odds_at(what.record, each)
        for each in words.ODDS_AT
    }
    lies = {
        "reports from": place_name(what.domain, what.record.place),
        "a report lies off by": words.km(what.noise.km),
    }
    return {**odds, **lies, **found}


BESIDE: Final[pins.Beside[Far, Shown]] = pins.Beside(
    find=_find,
    title=_title,
    said=words.headline,
    numbers=_numbers,
    picture=lambda now, what: pins.maps(SLOT, scene.scene(what), now.domain),
)
