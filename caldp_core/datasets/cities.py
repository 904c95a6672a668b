"""Names of cities to show on the paper's map.

Made by `scripts/make_cities.py` from GeoNames (CC-BY 4.0).
"""

from dataclasses import dataclass

from caldp_core.datasets.shipped import own_file, read_rows


@dataclass(frozen=True)
class City:
    """A city: degrees of its middle, number of inhabitants; `region`: its state or country."""

    name: str
    region: str
    latitude: float
    longitude: float
    population: int


def us_cities() -> tuple[City, ...]:
    """The cities of the map of `US_GRID`, what to name first at the front: the largest.

    Those abroad stand as if they had a quarter of their inhabitants. At least 15,000 inhabitants;
    of places within 0.2° of each other only the first is there. Raises `CaldpError` if the file is
    gone.
    """
    with own_file("us_cities.csv.gz"):
        return tuple(
            City(name, region, float(latitude), float(longitude), int(population))
            for name, region, latitude, longitude, population in read_rows("us_cities.csv.gz")
        )
