"""Which country each cell of a map is in.

Made by `scripts/make_world_map.py` from Natural Earth's 1:50m borders (public domain): countries as
they are in fact ruled; others see some borders otherwise.
"""

from functools import cache
from typing import Final

import numpy as np

from caldp_core.basics.cache import cached
from caldp_core.basics.types import Floats, Ints, read_only
from caldp_core.datasets.shipped import DATA_FOLDER, explain_file_errors
from caldp_core.datasets.world_lines import unpack_lines
from caldp_core.domain.grid import GridDomain
from caldp_core.domain.polygons import cells_by_area

WORLD_COUNTRIES: Final = "world_countries.npz"
AT_SEA: Final = "At sea"


@cached
def country_labels(grid: GridDomain) -> tuple[Ints, tuple[str, ...]]:
    """(k,) block of each cell, read-only, and the blocks' names: countries with a cell, in order.

    A cell belongs to the country that its centre is in, by borders true to a few kilometres; cells
    whose centre is in none are in the last block, `AT_SEA`, if there are any. Raises `CaldpError`
    if the file is gone.
    """
    countries = _countries()
    labels, present = cells_by_area([rings for _, rings in countries], grid)
    names = [*(name for name, _ in countries), AT_SEA]
    return read_only(labels), tuple(names[number] for number in present)


@cache
def _countries() -> tuple[tuple[str, tuple[Floats, ...]], ...]:
    """Name and rings (points, 2), longitude and latitude, of each."""
    path = DATA_FOLDER / WORLD_COUNTRIES
    with explain_file_errors(WORLD_COUNTRIES), np.load(path, allow_pickle=False) as file:
        return tuple(
            (str(name), unpack_lines(file, str(number)))
            for number, name in enumerate(file["names"])
        )
