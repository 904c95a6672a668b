"""Ready protections for maps: each one sentence, one click.

Room: places.
"""

from typing import Final

from caldp_core.scenarios.protection import (
    AdaptiveBlocks,
    EverythingSensitive,
    GridBlocks,
    OneBlock,
    SensitiveAreas,
    SensitiveInhabited,
    StateBlocks,
)
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.controls import presets
from caldp_ui.controls.presets import Preset

_THREE_CITIES: Final = SensitiveAreas(
    ("+40.2,41.4,-74.8,-73.2", "+41.4,42.4,-88.4,-87.2", "+33.4,34.6,-118.8,-117.4")
)
_ALL: Final = EverythingSensitive()

PRESETS: Final = (
    Preset(
        "The paper's 25 × 35 blocks",
        "Hide where in a block of about 1° × 2° someone is, not which block.",
        GridBlocks(25, 35),
        _ALL,
    ),
    Preset(
        "Plain LDP: everything alike",
        "Hide every place from every other, coast to coast.",
        OneBlock(),
        _ALL,
    ),
    Preset(
        "US states",
        "Hide where in a state someone is, not which state.",
        StateBlocks(),
        _ALL,
    ),
    Preset(
        "Every city equally",
        "875 blocks, large over plains, small over cities, none of a single place.",
        AdaptiveBlocks(875),
        _ALL,
    ),
    Preset(
        "Three big cities only",
        "Hide being in or near New York, Chicago or Los Angeles; other places are harmless.",
        OneBlock(),
        _THREE_CITIES,
    ),
    Preset(
        "Thinly settled places",
        "In each block, hide places with 1 to 5,000 inhabitants, where a report points at few.",
        GridBlocks(25, 35),
        SensitiveInhabited(1, 5_000),
    ),
    Preset(
        "Nothing",
        "Every report names its place: what is left is the error of sampling.",
        OneBlock(),
        SensitiveAreas(()),
    ),
)


def fitting(scenario: Scenario) -> Preset | None:
    """The preset that the scenario shows, if it is one."""
    return presets.fitting(PRESETS, scenario)
