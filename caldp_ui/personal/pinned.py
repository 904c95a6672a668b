"""What is pinned: its maps under the same view, and the numbers that differ."""

from typing import Final

from caldp_ui.controls.presets import fitting
from caldp_ui.maps.ground import home
from caldp_ui.parts import pins
from caldp_ui.personal import scene, words
from caldp_ui.personal.presets import PRESETS
from caldp_ui.personal.shown import Shown, at_once
from caldp_ui.personal.slot import SLOT, Personal
from caldp_ui.words import formats
from caldp_ui.words.vocabulary import PLACES


def _title(record: Personal) -> str:
    preset = fitting(PRESETS, record.scenario)
    return f"{preset.title if preset else 'own'}, ε = {record.policy.epsilon:g}"


def _numbers(what: Shown) -> dict[str, str]:
    found = pins.numbers_of(PLACES, what.assumed)
    if not found:
        return {}
    bias = formats.out_of(what.bias.total_variation)
    return {"people in the wrong place by the guess alone": bias, **found}


BESIDE: Final[pins.Beside[Personal, Shown]] = pins.Beside(
    find=at_once,
    title=_title,
    said=lambda what: words.headline(what).sentence,
    numbers=_numbers,
    picture=lambda now, what: pins.maps(SLOT, scene.scene(what), now.domain),
    files=lambda what: pins.maps_of(
        {"everything-hidden": what.everything, "home-and-work": what.assumed}, home(what.domain)
    ),
)
