"""Data: check-ins, made-up distributions, and public facts about the map.

`base.py` defines what a dataset is.
"""

from caldp_core.datasets.base import Dataset as Dataset
from caldp_core.datasets.base import DatasetSpec as DatasetSpec
from caldp_core.datasets.base import from_counts as from_counts
from caldp_core.datasets.base import from_weights as from_weights
from caldp_core.datasets.base_map import AT_SEA as AT_SEA
from caldp_core.datasets.base_map import BaseMap as BaseMap
from caldp_core.datasets.base_map import City as City
from caldp_core.datasets.base_map import base_map as base_map
from caldp_core.datasets.base_map import country_labels as country_labels
from caldp_core.datasets.base_map import hexagon_km as hexagon_km
from caldp_core.datasets.base_map import hexagon_labels as hexagon_labels
from caldp_core.datasets.base_map import hexagon_resolutions as hexagon_resolutions
from caldp_core.datasets.base_map import region_labels as region_labels
from caldp_core.datasets.base_map import us_cities as us_cities
from caldp_core.datasets.own import OwnPlaces as OwnPlaces
from caldp_core.datasets.own import OwnSurvey as OwnSurvey
from caldp_core.datasets.own import OwnTable as OwnTable
from caldp_core.datasets.reading import check_size as check_size
from caldp_core.datasets.reading import inspect_data as inspect_data
from caldp_core.datasets.reading import read_places as read_places
from caldp_core.datasets.shipped import ELSEWHERE as ELSEWHERE
from caldp_core.datasets.shipped import PERIODS as PERIODS
from caldp_core.datasets.shipped import Gowalla as Gowalla
from caldp_core.datasets.shipped import InfantDeaths as InfantDeaths
from caldp_core.datasets.shipped import county_outlines as county_outlines
from caldp_core.datasets.shipped import land_outline as land_outline
from caldp_core.datasets.shipped import population_prior as population_prior
from caldp_core.datasets.shipped import state_outline as state_outline
from caldp_core.datasets.shipped import us_state_labels as us_state_labels
from caldp_core.datasets.snap import GOWALLA_URL as GOWALLA_URL
from caldp_core.datasets.snap import Snap as Snap
from caldp_core.datasets.snap import cache_folder as cache_folder
from caldp_core.datasets.snap import fetch_gowalla as fetch_gowalla
from caldp_core.datasets.surveys import SURVEYS as SURVEYS
from caldp_core.datasets.surveys import Survey as Survey
from caldp_core.datasets.surveys import SurveyTable as SurveyTable
from caldp_core.datasets.surveys import WebVisits as WebVisits
from caldp_core.datasets.synthetic import Cities as Cities
from caldp_core.datasets.synthetic import Geometric as Geometric
from caldp_core.datasets.synthetic import PermutedGeometric as PermutedGeometric
from caldp_core.datasets.synthetic import Uniform as Uniform
from caldp_core.datasets.synthetic import YesOrNo as YesOrNo
from caldp_core.datasets.synthetic import Zipf as Zipf
