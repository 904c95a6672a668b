"""View of a pinned record: its maps under the same view, and the numbers that differ.

Ready distances: each one sentence, one click. Data, people and the place stay as they are.
"""

from dataclasses import dataclass, replace
from typing import Final

from caldp_core.scenarios.policies import CrowFlies, Streets
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.controls.presets import PolicyPreset
from caldp_ui.distances import best_noise, scene, words
from caldp_ui.distances.page_state import (
    STATE,
    DistanceData,
    DistanceState,
    MapDistance,
    load_data,
    with_distance_kind,
)
from caldp_ui.maps.ground import home
from caldp_ui.parts import pins
from caldp_ui.parts.comparison import load_fast_results
from caldp_ui.words import formats
from caldp_ui.words.towns import place_name
from caldp_ui.words.vocabulary import PLACES


def _load_pinned(record: DistanceState) -> DistanceData:
    """Data of a pinned record, in the view that is open on the page."""
    return load_data(
        replace(best_noise.with_fallback_noise(record), show=STATE.current().show),
        load_fast_results,
    )


def _title(record: DistanceState) -> str:
    return f"ε = {record.rate:.3g} per kilometre"


def _numbers(data: DistanceData) -> dict[str, str]:
    errors = pins.result_numbers(PLACES, data.ours)
    if not errors:
        return {}
    odds = {
        f"right guesses of 100, at most, at {formats.length(each)}": words.odds_text(
            data.record, each
        )
        for each in words.ODDS_DISTANCES
    }
    reports = {
        "reports from": place_name(data.domain, data.record.place),
        "a report lies away by": formats.length(data.noise_reports.mean_km),
    }
    return {**odds, **reports, **errors}


PIN_VIEW: Final[pins.PinView[DistanceState, DistanceData]] = pins.PinView(
    load=_load_pinned,
    title=_title,
    describe=lambda data: words.headline(data).sentence,
    numbers=_numbers,
    picture=lambda now, data: pins.maps(STATE, scene.scene(data), now.domain),
    files=lambda data: pins.map_files(
        {"in-blocks": data.blocks_result, "this-noise": data.ours}, home(data.domain)
    ),
)


@dataclass(frozen=True)
class Preset(PolicyPreset):
    """A distance policy with a title and a sentence for readers."""

    policy: MapDistance

    def apply(self, scenario: Scenario) -> Scenario:
        """The scenario with this distance, and a mechanism that keeps it."""
        return replace(with_distance_kind(scenario, type(self.policy)), policy=self.policy)


PRESETS: Final = (
    Preset(
        "Hide where around a city",
        "50 km apart, at most 73 of 100 guesses are right: suburbs are hidden, regions not.",
        CrowFlies(1.0, 50.0),
    ),
    Preset(
        "Hide where in a city",
        "20 km apart, at most 73 of 100 guesses are right: the city shows, the quarter does not.",
        CrowFlies(1.0, 20.0),
    ),
    Preset(
        "Hide where in a state",
        "200 km apart, at most 73 of 100 guesses are right: noise over whole states.",
        CrowFlies(1.0, 200.0),
    ),
    Preset(
        "Hide the house only",
        "2 km apart, at most 73 of 100 guesses are right: finer than a cell, so nearly no noise.",
        CrowFlies(1.0, 2.0),
    ),
    Preset(
        "Along streets",
        "Distance north–south plus east–west, as one drives: across a corner it is farther.",
        Streets(1.0, 50.0),
    ),
)
