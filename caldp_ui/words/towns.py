"""What readers call a place of a map: its town, or degrees."""

from functools import lru_cache

from caldp_core.datasets import base_map
from caldp_core.domain.grid import US_GRID, GridDomain
from caldp_ui.words import formats


@lru_cache(maxsize=8)
def towns(domain: GridDomain = US_GRID) -> dict[int, str]:
    """Cities by their cell of the map, the largest first."""
    named: dict[int, str] = {}
    for city in base_map(domain).cities:
        (cell,) = domain.locate([city.latitude], [city.longitude]).tolist()
        if cell >= 0:
            named.setdefault(cell, f"{city.name}, {city.region}")
    return named


def place_name(domain: GridDomain, symbol: int) -> str:
    """A city where there is one, else degrees."""
    if symbol in towns(domain):
        return towns(domain)[symbol]
    (row,), (column,) = domain.row_column([symbol])
    where = float(domain.latitudes()[row]), float(domain.longitudes()[column])
    return formats.degrees(*where, domain.cell)
