"""Sentences about cells of a map: their size, and the error of larger ones."""

import numpy as np

from caldp_core.domain.grid import KM_PER_DEGREE, GridDomain
from caldp_core.experiments.cell_errors import CellErrors
from caldp_ui.words import formats


def cell_size_text(degrees: float) -> str:
    """The side of a cell in degrees, and its height on the ground."""
    return f"{degrees:g}° ({formats.length(degrees * KM_PER_DEGREE)})"


def cell_area_text(grid: GridDomain) -> str:
    """Height and width of a map's cells, where they are widest and where they are narrowest."""
    high = grid.cell * KM_PER_DEGREE
    latitudes = grid.latitudes()
    least, most = (high * float(f(np.cos(np.radians(latitudes)))) for f in (np.min, np.max))
    if formats.length(least) == formats.length(most):
        return f"A cell is {formats.length(high)} high and {formats.length(most)} wide."
    toward = "north" if abs(latitudes[-1]) > abs(latitudes[0]) else "south"
    return (
        f"Cells are equal in degrees, not in area: all are {formats.length(high)} high, but "
        f"{formats.length(most)} wide where they are widest and {formats.length(least)} in the far "
        f"{toward}; the same colour there means {formats.times(most / least)} as many people a "
        "square kilometre."
    )


def cell_error_text(found: CellErrors, finest: float) -> str:
    """Blur and noise of one estimate, in a sentence each; `finest`: smallest cells, in degrees."""
    if found.blur == 0:
        return (
            f"Noise puts **{formats.of_hundred(found.noise)}** people in the wrong cell of "
            f"{finest:g}°, and nothing is blurred: these are the smallest cells."
        )
    return (
        f"Larger cells blur: within them people are taken to be anywhere, which puts "
        f"**{formats.of_hundred(found.blur)}** in the wrong cell of {finest:g}°. Noise puts "
        f"**{formats.of_hundred(found.noise)}** in the wrong cell of {found.cell:g}°. Both "
        f"together put {formats.of_hundred(found.both)} in the wrong cell of {finest:g}°."
    )
