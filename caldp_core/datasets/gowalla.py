"""Gowalla check-ins over the United States, as shipped with the project.

Room: datasets. The real file, given as a path, is `snap.py`; fetching it is `fetch.py`.
"""

from dataclasses import dataclass

from caldp_core.basics.types import Progress, no_progress
from caldp_core.datasets.base import Dataset, from_counts
from caldp_core.datasets.shipped import read_us_cells
from caldp_core.domain.grid import US_GRID

_NOTE = (
    "A reconstruction, not the original file: 3,671,812 check-ins on the paper's 0.2° grid. "
    "Published totals on a coarse world grid were split over finer cells by a public subset of "
    "the check-ins and by where people live (GeoNames), with one random draw for whole numbers. "
    "It gives Table 1 of the context-aware LDP paper within 4 to 7 % of each entry; single cells "
    "may differ from the original. Original data: E. Cho, S. A. Myers, J. Leskovec, Friendship "
    "and Mobility, KDD 2011."
)


@dataclass(frozen=True)
class Gowalla:
    """The paper's 3,671,812 check-ins on `US_GRID` (CALDP §7), reconstructed; k = 43,750."""

    def load(self, progress: Progress = no_progress) -> Dataset:
        """Read data/gowalla_us_reconstruction.csv.gz; raises `CaldpError` if it is gone."""
        progress(0.0)
        counts = read_us_cells("gowalla_us_reconstruction.csv.gz")
        progress(1.0)
        return from_counts("Gowalla (reconstructed grid)", _NOTE, US_GRID, counts)
