"""Coasts and borders on the ground of a relief."""

import numpy as np

from caldp_core.basics.types import Floats
from caldp_core.datasets import base_map
from caldp_core.domain.grid import US_GRID, GridDomain


def borders(domain: GridDomain) -> Floats:
    """(points, 2) longitude and latitude of borders on a map, NaN between lines."""
    longitudes, latitudes = base_map(domain).outline
    lines = np.stack([longitudes, latitudes], axis=1)
    if domain == US_GRID:
        return lines
    area = domain.area
    inside = (area.west <= longitudes) & (longitudes <= area.east)
    inside &= (area.south <= latitudes) & (latitudes <= area.north)
    return np.where(inside[:, None], lines, np.nan)
