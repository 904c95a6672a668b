"""Ready stories: each one sentence, one click. Data, ε and people stay as they are."""

from dataclasses import dataclass
from typing import Final

from caldp_core.scenarios.blocks import SensitiveAreas, SensitiveSpec
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.personal.page_state import PersonalState, with_tags

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
