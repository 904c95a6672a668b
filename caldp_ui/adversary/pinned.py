"""What is pinned: another attacker's maps under the same view, and the numbers that differ."""

from dataclasses import replace
from typing import Final

from caldp_ui.adversary import below, scene, words
from caldp_ui.adversary.beliefs import Shown, shown
from caldp_ui.adversary.slot import PERSON, SLOT, Suspect
from caldp_ui.compute import runs
from caldp_ui.maps.ground import home
from caldp_ui.maps.presets import title
from caldp_ui.parts import pictures, pins
from caldp_ui.words import formats
from caldp_ui.words.towns import place_name


def _find(record: Suspect) -> Shown:
    """Its attacker, whatever view it was pinned in."""
    return shown(replace(record, show=PERSON))


def _numbers(what: Shown) -> dict[str, str]:
    domain = runs.map_of(what.ours.setup.dataset)
    return {
        "protection": title(what.record.scenario),
        "the person is in": place_name(domain, what.record.place),
        "days": formats.exactly(what.record.days),
        **below.column(what.ours, what),
    }


def _maps(now: Shown, what: Shown) -> None:
    here, there = (runs.map_of(each.ours.setup.dataset) for each in (now, what))
    pins.maps(SLOT, scene.scene(what, there), here)


def _files(what: Shown) -> dict[str, bytes]:
    """What the attacker believes in the end, by the names of the pictures."""
    domain = runs.map_of(what.ours.setup.dataset)
    days = what.record.days
    beliefs = {
        "fresh-reports": what.ours.after[days],
        "one-stored-report": what.ours.kept(days),
        "plain-ldp": what.plain.after[days],
    }
    scale = scene.CHANCES
    return {
        name: pictures.png(chances, domain, home(domain), scale.low, scale)
        for name, chances in beliefs.items()
    }


BESIDE: Final[pins.Beside[Suspect, Shown]] = pins.Beside(
    find=_find,
    title=lambda record: title(record.scenario),
    said=lambda what: words.headline(what).sentence,
    numbers=_numbers,
    picture=_maps,
    files=_files,
)
