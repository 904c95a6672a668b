"""Ready protections for maps: each one sentence, one click."""

from typing import Final

from caldp_core.basics.cache import cached
from caldp_core.datasets import country_labels, hexagon_km, hexagon_resolutions, region_labels
from caldp_core.domain.grid import US_GRID, GridDomain
from caldp_core.scenarios.blocks import (
    BlocksSpec,
    GridBlocks,
    HexagonBlocks,
    SensitiveAreas,
)
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.controls import choices
from caldp_ui.controls.choices import Preset, blocks_of, cells_along, read_presets
from caldp_ui.words import formats, policies

BEGIN: Final = Scenario()
ONE_CITY: Final = SensitiveAreas(("+40.2,41.4,-74.8,-73.2",))
_PLAIN, _NONE_SENSITIVE, _COUNTRIES, _REGIONS = read_presets(__file__, "every_map", Preset)
_GRID, *_OTHERS = read_presets(__file__, "paper", Preset)
PRESETS: Final = (_GRID, _PLAIN, *_OTHERS, _NONE_SENSITIVE)


def initial_blocks(spec: BlocksSpec, domain: GridDomain) -> BlocksSpec:
    """Blocks of the same kind to begin with, in the sizes that the map wants."""
    if isinstance(spec, GridBlocks):
        return blocks_of(domain)
    return hexagons_of(domain) if isinstance(spec, HexagonBlocks) else spec


def hexagons_of(domain: GridDomain) -> HexagonBlocks:
    """Hexagons to begin with: in the middle of the sizes that a map has."""
    sizes = hexagon_resolutions(domain)
    return HexagonBlocks(sizes[len(sizes) // 2]) if sizes else HexagonBlocks()


def hexagon_size(resolution: int) -> str:
    """The distance across a hexagon, as text in km or m."""
    return f"about {formats.length(hexagon_km(resolution))}"


def _hexagons(domain: GridDomain) -> Preset:
    blocks = hexagons_of(domain)
    return Preset(
        f"Hexagons of {hexagon_size(blocks.resolution)}",
        "Hide where in a hexagon someone is, not which; they are about equally large everywhere.",
        ContextPolicy(blocks),
    )


def presets_of(domain: GridDomain) -> tuple[Preset, ...]:
    """The ready protections of a map: states, cities and numbers of inhabitants are the paper's."""
    return PRESETS if domain == US_GRID else _other_map_presets(domain)


@cached
def _other_map_presets(domain: GridDomain) -> tuple[Preset, ...]:
    side = f"{cells_along(domain) * domain.cell:g}°"
    return (
        Preset(
            f"Blocks of about {side}",
            f"Hide where in a block of about {side} × {side} someone is, not which block.",
            ContextPolicy(blocks_of(domain)),
        ),
        _PLAIN,
        *([_COUNTRIES] if len(country_labels(domain)[1]) > 1 else []),
        *([_REGIONS] if len(region_labels(domain)[1]) > 1 else []),
        *([_hexagons(domain)] if hexagon_resolutions(domain) else []),
        _NONE_SENSITIVE,
    )


def matching_preset(scenario: Scenario) -> Preset | None:
    """The preset that the scenario shows, if it is one."""
    domain = runs.finest_map_of(runs.dataset(scenario))
    return choices.matching_preset(presets_of(domain), scenario)


def title(scenario: Scenario) -> str:
    """A title for a scenario, in a few words."""
    preset = matching_preset(scenario)
    level = policies.level_text(runs.setup(scenario))
    return f"{preset.title if preset else 'own protection'}, {level}"
