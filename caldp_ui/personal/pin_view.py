"""View of a pinned record: its maps under the same view, and the numbers that differ."""

from typing import Final

from caldp_ui.controls.presets import matching_preset
from caldp_ui.maps.ground import home
from caldp_ui.parts import pins
from caldp_ui.personal import scene, words
from caldp_ui.personal.page_data import PersonalData, load_fast_data
from caldp_ui.personal.page_state import STATE, PersonalState
from caldp_ui.personal.presets import PRESETS
from caldp_ui.words import formats
from caldp_ui.words.vocabulary import PLACES


def _title(record: PersonalState) -> str:
    preset = matching_preset(PRESETS, record.scenario)
    return f"{preset.title if preset else 'own'}, ε = {record.policy.epsilon:g}"


def _numbers(data: PersonalData) -> dict[str, str]:
    errors = pins.result_numbers(PLACES, data.ours)
    if not errors:
        return {}
    bias = formats.out_of(data.bias.total_variation)
    return {"people in the wrong place by the guess alone": bias, **errors}


PIN_VIEW: Final[pins.PinView[PersonalState, PersonalData]] = pins.PinView(
    load=load_fast_data,
    title=_title,
    describe=lambda data: words.headline(data).sentence,
    numbers=_numbers,
    picture=lambda now, data: pins.maps(STATE, scene.scene(data), now.domain),
    files=lambda data: pins.map_files(
        {"everything-hidden": data.plain, "home-and-work": data.ours}, home(data.domain)
    ),
)
