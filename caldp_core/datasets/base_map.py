"""What lies under a map anywhere on Earth: land, borders and the names of cities."""

from dataclasses import dataclass
from typing import Final

from caldp_core.basics.cache import cached
from caldp_core.datasets.cities import City, cities_in, us_cities
from caldp_core.datasets.shipped import land_outline, state_outline
from caldp_core.datasets.world_lines import Lines, borders, coasts
from caldp_core.domain.grid import US_GRID, Area, GridDomain

_OF_STATES: Final = 10.0
"""Degrees: on smaller maps the borders of states, true to 0.05°, would lie beside the coasts."""


@dataclass(frozen=True, eq=False)
class BaseMap:
    """`land`: closed rings; `outline`: coasts and borders; `cities`: the largest first."""

    land: Lines
    outline: Lines
    cities: tuple[City, ...]


@cached
def base_map(domain: GridDomain) -> BaseMap:
    """The base map of a domain: states on maps of the United States, else the world's countries.

    Raises `CaldpError` if a file of the project is gone, or shapely is missing for the latter.
    """
    area = domain.area
    if _is_us_map(area):
        cities = us_cities() if domain == US_GRID else cities_in(area)
        return BaseMap(land_outline(), state_outline(), cities)
    return BaseMap(coasts(area), borders(area), cities_in(area))


def _is_us_map(area: Area) -> bool:
    whole = US_GRID.area
    within = whole.south <= area.south and area.north <= whole.north
    within = within and whole.west <= area.west and area.east <= whole.east
    return within and max(area.north - area.south, area.east - area.west) >= _OF_STATES
