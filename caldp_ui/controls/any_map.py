"""Blocks and sensitive places to begin with on a map anywhere on Earth."""

from typing import Final

from caldp_core.basics.cache import cached
from caldp_core.datasets import country_labels, region_labels
from caldp_core.datasets.base_map import cities_in
from caldp_core.domain.grid import US_GRID, Area, GridDomain
from caldp_core.scenarios.blocks import (
    BlocksSpec,
    CountryBlocks,
    GridBlocks,
    RegionBlocks,
    SensitiveAreas,
)

_CELLS: Final = 5
"""Rows and columns of cells in a block, on maps other than the paper's."""
_ACROSS: Final = 100
"""Most blocks along a side: of more, their lines are all that is seen."""
_AROUND: Final = 0.04
"""Of a map's longer side, how far around a town is sensitive."""


def blocks_of(domain: GridDomain) -> GridBlocks:
    """Blocks to begin with: the paper's on its map, elsewhere of 5 × 5 cells or more."""
    if domain == US_GRID:
        return GridBlocks()
    cells = cells_along(domain)
    return GridBlocks(max(domain.rows // cells, 1), max(domain.columns // cells, 1))


def cells_along(domain: GridDomain) -> int:
    """Cells along the side of a block of `blocks_of`, on maps other than the paper's."""
    return max(_CELLS, -(-max(domain.rows, domain.columns) // _ACROSS))


def large_blocks_of(domain: GridDomain) -> tuple[str, BlocksSpec]:
    """Title and large blocks: regions, countries or quarters, whichever first are two or more."""
    for title, spec, labels in (
        ("States and provinces", RegionBlocks(), region_labels),
        ("Countries", CountryBlocks(), country_labels),
    ):
        if len(labels(domain)[1]) > 1:
            return title, spec
    return "Quarters of the map", GridBlocks(min(2, domain.rows), min(2, domain.columns))


@cached
def largest_town(domain: GridDomain) -> tuple[str, SensitiveAreas]:
    """Name and surroundings of the map's largest town; the middle of a map without towns."""
    area = domain.area
    towns = cities_in(area)
    name, latitude, longitude = (
        (towns[0].name, towns[0].latitude, towns[0].longitude)
        if towns
        else ("The middle", (area.south + area.north) / 2, (area.west + area.east) / 2)
    )
    reach = max(_AROUND * max(area.north - area.south, area.east - area.west), 0.4 * domain.cell)
    around = domain.snap(
        Area(
            max(latitude - reach, area.south),
            min(latitude + reach, area.north),
            max(longitude - reach, area.west),
            min(longitude + reach, area.east),
        )
    )
    assert around is not None  # the town is on the map
    return name, SensitiveAreas((f"+{around}",))
