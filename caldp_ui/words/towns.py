"""Names of places of a map: their town, or degrees."""

from caldp_core.basics.cache import cached
from caldp_core.datasets import base_map
from caldp_core.domain.grid import US_GRID, GridDomain
from caldp_ui.words import formats


@cached
def towns(domain: GridDomain = US_GRID) -> dict[int, str]:
    """Name of the largest city of each cell that has one, the largest city first."""
    names: dict[int, str] = {}
    for city in base_map(domain).cities:
        (cell,) = domain.locate([city.latitude], [city.longitude]).tolist()
        if cell >= 0:
            names.setdefault(cell, f"{city.name}, {city.region}")
    return names


def place_name(domain: GridDomain, symbol: int) -> str:
    """Name of a cell of the map: its largest city, else degrees."""
    if symbol in towns(domain):
        return towns(domain)[symbol]
    (row,), (column,) = domain.row_column([symbol])
    where = float(domain.latitudes()[row]), float(domain.longitudes()[column])
    return formats.degrees(*where, domain.cell)
