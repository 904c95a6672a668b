"""View of a pinned record: its maps under the same view, and the numbers that differ.

Ready stories: each one sentence, one click. Data, ε and people stay as they are.
"""

from dataclasses import dataclass
from typing import Final

from caldp_core.scenarios.blocks import SensitiveAreas, SensitiveSpec
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.controls.presets import matching_preset
from caldp_ui.maps.ground import home
from caldp_ui.parts import pins
from caldp_ui.personal import scene, words
from caldp_ui.personal.page_state import (
    STATE,
    PersonalData,
    PersonalState,
    load_fast_data,
    with_tags,
)
from caldp_ui.words import formats
from caldp_ui.words.vocabulary import PLACES

_NO_AREAS: Final = SensitiveAreas(())


@dataclass(frozen=True)
class Preset:
    """A story: shares of people at their own places, the common sensitive set, and the guess.

    `shares`: by tag, in [0, 1]; `background`: the collector's guess, by its name in files.
    """

    title: str
    sentence: str
    shares: tuple[float, ...]
    background: str
    sensitive: SensitiveSpec = _NO_AREAS

    def apply(self, scenario: Scenario) -> Scenario:
        """The scenario with this story."""
        return with_tags(
            scenario,
            shares=self.shares,
            background=self.background,
            sensitive=self.sensitive,
        )

    def fits(self, scenario: Scenario) -> bool:
        """Whether the scenario already is this story."""
        return self.apply(scenario).policy == PersonalState(scenario).policy


PRESETS: Final = (
    Preset(
        "Home and work, guessed from inhabitants",
        "Public figures say where people live, not where they check in.",
        (0.4, 0.2),
        "population",
    ),
    Preset(
        "Home and work, places known",
        "As if a survey had found own places: the map is nearly right.",
        (0.4, 0.2),
        "truth",
    ),
    Preset(
        "Home and work, nothing known",
        "Homes are spread evenly, even over desert: as bad as hiding everything.",
        (0.4, 0.2),
        "uniform",
    ),
    Preset(
        "Home and work, guessed wrong",
        "East for west: a mirror image of the country stays, however many people take part.",
        (0.4, 0.2),
        "mirrored",
    ),
    Preset(
        "Homes, and New York for everybody",
        "Each hides their home; all hide being in or near New York.",
        (0.3,),
        "population",
        SensitiveAreas(("+40.2,41.4,-74.8,-73.2",)),
    ),
)


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
