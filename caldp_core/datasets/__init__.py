"""Data: check-ins, made-up distributions, and public facts about the map.

`base.py` defines what a dataset is.
"""

from caldp_core.datasets.base import Dataset, DatasetSpec, from_counts, from_weights
from caldp_core.datasets.base_map import BaseMap, base_map
from caldp_core.datasets.cities import City, us_cities
from caldp_core.datasets.counties import PERIODS, InfantDeaths, county_outlines
from caldp_core.datasets.countries import AT_SEA, country_labels
from caldp_core.datasets.fetch import GOWALLA_URL, cache_folder, fetch_gowalla
from caldp_core.datasets.hexagons import hexagon_km, hexagon_labels, hexagon_resolutions
from caldp_core.datasets.own import OwnTable
from caldp_core.datasets.own_places import OwnPlaces
from caldp_core.datasets.own_survey import OwnSurvey
from caldp_core.datasets.reading import check_size, inspect_data, read_places, read_table
from caldp_core.datasets.regions import region_labels
from caldp_core.datasets.shipped import (
    ELSEWHERE,
    Gowalla,
    land_outline,
    population_prior,
    state_outline,
    us_state_labels,
)
from caldp_core.datasets.snap import Snap
from caldp_core.datasets.surveys import SURVEYS, Survey, SurveyTable, WebVisits
from caldp_core.datasets.synthetic import (
    Cities,
    Geometric,
    PermutedGeometric,
    Uniform,
    YesOrNo,
    Zipf,
)

__all__ = [
    "AT_SEA",
    "ELSEWHERE",
    "GOWALLA_URL",
    "PERIODS",
    "SURVEYS",
    "BaseMap",
    "Cities",
    "City",
    "Dataset",
    "DatasetSpec",
    "Geometric",
    "Gowalla",
    "InfantDeaths",
    "OwnPlaces",
    "OwnSurvey",
    "OwnTable",
    "PermutedGeometric",
    "Snap",
    "Survey",
    "SurveyTable",
    "Uniform",
    "WebVisits",
    "YesOrNo",
    "Zipf",
    "base_map",
    "cache_folder",
    "check_size",
    "country_labels",
    "county_outlines",
    "fetch_gowalla",
    "from_counts",
    "from_weights",
    "hexagon_km",
    "hexagon_labels",
    "hexagon_resolutions",
    "inspect_data",
    "land_outline",
    "population_prior",
    "read_places",
    "read_table",
    "region_labels",
    "state_outline",
    "us_cities",
    "us_state_labels",
]
