"""What is pinned on the map page: its maps under the same view, and what differs."""

from typing import Final

from caldp_core.experiments.judged import is_judged
from caldp_ui.compute import runs
from caldp_ui.maps.ground import ground, home
from caldp_ui.maps.presets import title
from caldp_ui.maps.scene import scene
from caldp_ui.parts import pins
from caldp_ui.parts.comparison import Shown, at_once
from caldp_ui.places.slot import SLOT, Places
from caldp_ui.words import accuracy, policies
from caldp_ui.words.vocabulary import PLACES


def _said(what: Shown) -> str:
    told = what.ours is not None and is_judged(what.setup)
    tv = what.ours.first.errors.tv if told and what.ours is not None else None
    return f"{policies.in_short(PLACES, what.setup)} {accuracy.headline(PLACES, tv, None)}"


def _picture(now: Shown, what: Shown) -> None:
    here, there = (runs.map_of(each.setup.dataset) for each in (now, what))
    pins.maps(SLOT, scene(what, ground(what.setup, there, SLOT.now().region), "Pinned"), here)


BESIDE: Final[pins.Beside[Places, Shown]] = pins.Beside(
    find=lambda record: at_once(SLOT, record.scenario),
    title=lambda record: title(record.scenario),
    said=_said,
    numbers=lambda what: pins.numbers_of(PLACES, what.ours),
    picture=_picture,
    files=lambda what: pins.maps_of(
        {"plain-ldp": what.plain, "this-protection": what.ours},
        home(runs.map_of(what.setup.dataset)),
    ),
)
