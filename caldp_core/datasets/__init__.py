"""Data: check-ins, made-up distributions, and public facts about the map.

`base.py` defines what a dataset is.
"""

from caldp_core.datasets.base import Dataset, DatasetSpec, from_counts, from_weights
from caldp_core.datasets.base_map import (
    AT_SEA,
    BaseMap,
    City,
    base_map,
    country_labels,
    hexagon_km,
    hexagon_labels,
    hexagon_resolutions,
    region_labels,
    us_cities,
)
from caldp_core.datasets.own import OwnPlaces, OwnSurvey, OwnTable
from caldp_core.datasets.reading import check_size, inspect_data, read_places
from caldp_core.datasets.shipped import (
    ELSEWHERE,
    PERIODS,
    Gowalla,
    InfantDeaths,
    county_outlines,
    land_outline,
    population_prior,
    state_outline,
    us_state_labels,
)
from caldp_core.datasets.snap import GOWALLA_URL, Snap, cache_folder, fetch_gowalla
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
    "region_labels",
    "state_outline",
    "us_cities",
    "us_state_labels",
]
