"""The pin: another attacker's maps under the same view, and the numbers that differ."""

from dataclasses import replace
from typing import Final

from caldp_ui.adversary import below, scene, words
from caldp_ui.adversary.beliefs import BeliefData, load_data
from caldp_ui.adversary.page_state import PERSON, STATE, AttackerState
from caldp_ui.compute import runs
from caldp_ui.maps.ground import home
from caldp_ui.maps.presets import title
from caldp_ui.parts import pictures, pins
from caldp_ui.words import formats
from caldp_ui.words.towns import place_name


def _load_pinned(record: AttackerState) -> BeliefData:
    """Load the data of one person, whichever view was pinned."""
    return load_data(replace(record, show=PERSON))


def _numbers(data: BeliefData) -> dict[str, str]:
    domain = runs.map_of(data.ours.setup.dataset)
    return {
        "protection": title(data.record.scenario),
        "the person is in": place_name(domain, data.record.place),
        "days": formats.integer(data.record.days),
        **below.attacker_numbers(data.ours, data),
    }


def _maps(now: BeliefData, pinned: BeliefData) -> None:
    here, there = (runs.map_of(each.ours.setup.dataset) for each in (now, pinned))
    pins.maps(STATE, scene.scene(pinned, there), here)


def _files(data: BeliefData) -> dict[str, bytes]:
    """PNG files of the beliefs after all days, by picture name."""
    domain = runs.map_of(data.ours.setup.dataset)
    days = data.record.days
    beliefs = {
        "fresh-reports": data.ours.beliefs[days],
        "one-stored-report": data.ours.stored_belief(days),
        "plain-ldp": data.plain.beliefs[days],
    }
    scale = scene.CHANCES
    return {
        name: pictures.png(chances, domain, home(domain), scale.low, scale)
        for name, chances in beliefs.items()
    }


PIN_VIEW: Final[pins.PinView[AttackerState, BeliefData]] = pins.PinView(
    load=_load_pinned,
    title=lambda record: title(record.scenario),
    describe=lambda data: words.headline(data).sentence,
    numbers=_numbers,
    picture=_maps,
    files=_files,
)
