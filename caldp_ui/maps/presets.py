"""Ready protections for maps: each one sentence, one click."""

from typing import Final

from caldp_core.basics.cache import cached
from caldp_core.datasets import country_labels, hexagon_km, hexagon_resolutions, region_labels
from caldp_core.domain.grid import US_GRID, GridDomain
from caldp_core.scenarios.blocks import (
    AdaptiveBlocks,
    BlocksSpec,
    CountryBlocks,
    EverythingSensitive,
    GridBlocks,
    HexagonBlocks,
    OneBlock,
    RegionBlocks,
    SensitiveAreas,
    SensitiveInhabited,
    StateBlocks,
)
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.controls import choices
from caldp_ui.controls.choices import Preset, blocks_of, cells_along
from caldp_ui.words import formats, policies

BEGIN: Final = Scenario()
_THREE_CITIES: Final = SensitiveAreas(
    ("+40.2,41.4,-74.8,-73.2", "+41.4,42.4,-88.4,-87.2", "+33.4,34.6,-118.8,-117.4")
)
ONE_CITY: Final = SensitiveAreas(("+40.2,41.4,-74.8,-73.2",))
_ALL_SENSITIVE: Final = EverythingSensitive()
_PLAIN: Final = Preset(
    "Plain LDP: everything alike",
    "Hide every place from every other, from one end of the map to the other.",
    OneBlock(),
    _ALL_SENSITIVE,
)
_NONE_SENSITIVE: Final = Preset(
    "Nothing",
    "Every report names its place: what is left is the error of sampling.",
    OneBlock(),
    SensitiveAreas(()),
)
_COUNTRIES: Final = Preset(
    "Countries",
    "Hide where in a country someone is, not which country.",
    CountryBlocks(),
    _ALL_SENSITIVE,
)
_REGIONS: Final = Preset(
    "States and provinces",
    "Hide where in a region of a country someone is, not which region.",
    RegionBlocks(),
    _ALL_SENSITIVE,
)


PRESETS: Final = (
    Preset(
        "The paper's 25 × 35 blocks",
        "Hide where in a block of about 1° × 2° someone is, not which block.",
        GridBlocks(25, 35),
        _ALL_SENSITIVE,
    ),
    _PLAIN,
    Preset(
        "US states",
        "Hide where in a state someone is, not which state.",
        StateBlocks(),
        _ALL_SENSITIVE,
    ),
    Preset(
        "Every city equally",
        "875 blocks, large over plains, small over cities, none of a single place.",
        AdaptiveBlocks(875),
        _ALL_SENSITIVE,
    ),
    Preset(
        "Three big cities only",
        "Hide being in or near New York, Chicago or Los Angeles; other places are harmless.",
        OneBlock(),
        _THREE_CITIES,
    ),
    Preset(
        "Hide one city",
        "Hide being in or near New York; people elsewhere sometimes report as if from there.",
        OneBlock(),
        ONE_CITY,
    ),
    Preset(
        "Thinly settled places",
        "In each block, hide places with 1 to 5,000 inhabitants, where a report points at few.",
        GridBlocks(25, 35),
        SensitiveInhabited(1, 5_000),
    ),
    _NONE_SENSITIVE,
)


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
        blocks,
        _ALL_SENSITIVE,
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
            blocks_of(domain),
            _ALL_SENSITIVE,
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
