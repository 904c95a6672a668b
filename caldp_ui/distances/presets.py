"""Ready distances: each one sentence, one click. Data, people and the place stay as they are."""

from dataclasses import dataclass, replace
from typing import Final

from caldp_core.scenarios.policies import CrowFlies, Streets
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.controls.presets import PolicyPreset
from caldp_ui.distances.page_state import MapDistance, with_distance_kind


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
