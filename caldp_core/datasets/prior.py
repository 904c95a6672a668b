"""Where people live, from public figures that have nothing to do with the check-ins.

Room: datasets. Made by `scripts/make_population_prior.py` from GeoNames (CC-BY 4.0).
"""

from caldp_core.basics.types import Floats
from caldp_core.datasets.shipped import read_us_cells


def population_prior() -> Floats:
    """(43750,) inhabitants per cell of `US_GRID`, whole numbers ≥ 0; divide by the sum for shares.

    All towns of more than 500 inhabitants in the map's rectangle, those of Canada, Mexico, the
    Bahamas and Bermuda too; a town counts wholly in the cell of its centre, people outside of
    towns are missing, so that most cells are 0. Raises `CaldpError` if the file is gone.
    """
    return read_us_cells("us_population_prior.csv.gz").astype("float64")
