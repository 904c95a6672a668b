"""Data: check-ins, made-up distributions, and public facts about the map.

Room: datasets. What a dataset is, is said in `base.py`.
"""

from caldp_core.datasets.base import Dataset, DatasetSpec, from_counts, from_weights
from caldp_core.datasets.cities import City, us_cities
from caldp_core.datasets.fetch import GOWALLA_URL, cache_folder, fetch_gowalla
from caldp_core.datasets.gowalla import Gowalla
from caldp_core.datasets.prior import population_prior
from caldp_core.datasets.snap import Snap
from caldp_core.datasets.states import ELSEWHERE, state_outline, us_state_labels
from caldp_core.datasets.synthetic import Cities, Geometric, PermutedGeometric, Uniform, Zipf

__all__ = [
    "ELSEWHERE",
    "GOWALLA_URL",
    "Cities",
    "City",
    "Dataset",
    "DatasetSpec",
    "Geometric",
    "Gowalla",
    "PermutedGeometric",
    "Snap",
    "Uniform",
    "Zipf",
    "cache_folder",
    "fetch_gowalla",
    "from_counts",
    "from_weights",
    "population_prior",
    "state_outline",
    "us_cities",
    "us_state_labels",
]
