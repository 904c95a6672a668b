"""A small, sensitive, real table with a map: sudden infant deaths in North Carolina's counties.

Source: N. Cressie, Statistics for Spatial Data, 1993, pp. 386–389; see `data/README.md`.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from caldp_core.basics.types import Floats, Progress, no_progress, read_only
from caldp_core.datasets.base import Dataset, from_counts
from caldp_core.datasets.shipped import explain_file_errors, read_rows
from caldp_core.domain.answers import Domain

PERIODS: Final = ("1974–78", "1979–84")
_NOTE: Final = (
    "1,503 sudden infant deaths in the 100 counties of North Carolina, 667 in 1974–78 and 836 in "
    "1979–84: N. Cressie, Statistics for Spatial Data, 1993, pp. 386–389."
)


@dataclass(frozen=True)
class InfantDeaths:
    """1,503 deaths by county and period: 200 cells, in groups of one county's two periods."""

    def load(self, progress: Progress = no_progress) -> Dataset:
        """Read data/nc_infant_deaths.csv.gz; raises `CaldpError` if it is gone."""
        with explain_file_errors("nc_infant_deaths.csv.gz"):
            rows = read_rows("nc_infant_deaths.csv.gz")
            groups = tuple(row[1] for row in rows for _ in PERIODS)
            names = tuple(f"{row[1]}, {period}" for row in rows for period in PERIODS)
            counts = np.array([[row[3], row[5]] for row in rows], dtype=np.int64).ravel()
        progress(1.0)
        domain = Domain(len(names), names, groups)
        return from_counts("Infant deaths in North Carolina", _NOTE, domain, counts)


@cache
def county_outlines() -> tuple[tuple[Floats, ...], ...]:
    """Closed rings of the counties, in the order of `InfantDeaths`' groups: land of each.

    Each ring: (points, 2) longitudes and latitudes in degrees, read-only; within about 0.01° of the
    Census Bureau's borders. Raises `CaldpError` if the file is gone.
    """
    rings: dict[str, dict[str, list[tuple[float, float]]]] = {}
    with explain_file_errors("nc_counties.csv.gz"):
        for fips, ring, longitude, latitude in read_rows("nc_counties.csv.gz"):
            points = rings.setdefault(fips, {}).setdefault(ring, [])
            points.append((float(longitude), float(latitude)))
        counties = [row[0] for row in read_rows("nc_infant_deaths.csv.gz")]
        return tuple(
            tuple(read_only(np.array(points)) for points in rings[fips].values())
            for fips in counties
        )
