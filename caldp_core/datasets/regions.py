"""Which first-order region (state, province, …) of a country each cell of a map is in.

Made by `scripts/make_regions.py` from Natural Earth's 1:10m states and provinces (public domain):
as countries are in fact ruled; others see some borders otherwise.
"""

from functools import cache
from typing import Final

import numpy as np

from caldp_core.basics.cache import cached
from caldp_core.basics.types import Floats, Ints, read_only
from caldp_core.datasets.countries import AT_SEA
from caldp_core.datasets.shipped import DATA_FOLDER, explain_file_errors
from caldp_core.datasets.world_lines import unpack_lines
from caldp_core.domain.grid import GridDomain
from caldp_core.domain.polygons import cells_by_area

WORLD_REGIONS: Final = "world_regions.npz"


@cached
def region_labels(grid: GridDomain) -> tuple[Ints, tuple[str, ...]]:
    """(k,) block of each cell, read-only, and the blocks' names, such as "Bayern, Germany".

    Regions with a cell, by country and name. A cell belongs to the region that its centre is in,
    by borders true to a few kilometres; cells whose centre is in none are in the last block,
    `AT_SEA`, if there are any. Raises `CaldpError` if the file is gone.
    """
    names, areas = _regions()
    labels, present = cells_by_area(areas, grid)
    return read_only(labels), tuple((*names, AT_SEA)[number] for number in present)


@cache
def _regions() -> tuple[tuple[str, ...], tuple[tuple[Floats, ...], ...]]:
    """Names, and of each region its rings, (points, 2) longitude and latitude."""
    path = DATA_FOLDER / WORLD_REGIONS
    with explain_file_errors(WORLD_REGIONS), np.load(path, allow_pickle=False) as file:
        rings, of_ring = unpack_lines(file, "rings"), file["of_ring"]
        pairs = list(zip(file["names"].tolist(), file["countries"].tolist(), strict=True))
        first = np.searchsorted(of_ring, np.arange(len(pairs) + 1))
        areas = tuple(rings[first[i] : first[i + 1]] for i in range(len(pairs)))
    return tuple(name if name == of else f"{name}, {of}" for name, of in pairs), areas
