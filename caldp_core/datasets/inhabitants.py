"""Where people live, as everybody can look it up: a public prior for maps.

From the towns of `world_cities` (GeoNames, CC-BY 4.0), which has none below 15,000 inhabitants.
"""

from typing import Final

import numpy as np
import scipy

from caldp_core.basics.cache import cached
from caldp_core.basics.types import Floats, read_only, sums_by
from caldp_core.datasets.cities import world_cities
from caldp_core.domain.grid import KM_PER_DEGREE, GridDomain

_TOWN_KM: Final = 4.0
"""Standard deviation of a town's inhabitants around its middle."""
_AROUND_KM: Final = 20.0
"""Standard deviation of people in the villages around it; at least a cell."""
_AROUND: Final = 0.6
"""Share of people in villages. All three are chosen on the world's check-ins, see
docs/estimators.md."""
_ANYWHERE: Final = 1e-3
"""Share of people who live anywhere, all cells alike."""


@cached
def population_shares(grid: GridDomain) -> Floats:
    """(k,) shares of people by where they live, positive, sum 1; even where a map has no town.

    Raises `CaldpError` if the file of towns is gone.
    """
    towns = world_cities()
    cells = grid.locate([town.latitude for town in towns], [town.longitude for town in towns])
    people = np.array([town.population for town in towns], np.float64)
    on_map = cells >= 0
    middles = sums_by(cells[on_map], people[on_map], grid.k)
    if middles.sum() <= 0:
        return read_only(np.full(grid.k, 1.0 / grid.k))
    own, around = (_spread(middles, grid, km) for km in (_TOWN_KM, max(_AROUND_KM, _cell(grid))))
    live = (1.0 - _AROUND) * own + _AROUND * around
    return read_only((1.0 - _ANYWHERE) * live / live.sum() + _ANYWHERE / grid.k)


def _cell(grid: GridDomain) -> float:
    """Height of a cell in kilometres."""
    return grid.cell * KM_PER_DEGREE


def _spread(values: Floats, grid: GridDomain, km: float) -> Floats:
    """(k,) values blurred with a standard deviation of `km`; unchanged if cells are larger."""
    if km < _cell(grid):
        return values
    middle = np.radians(0.5 * (grid.area.south + grid.area.north))
    sizes = (km / _cell(grid), km / _cell(grid) / max(float(np.cos(middle)), 0.1))
    table = values.reshape(grid.rows, grid.columns)
    return np.asarray(
        scipy.ndimage.gaussian_filter(table, sizes, mode="constant", truncate=3.0).ravel()
    )
