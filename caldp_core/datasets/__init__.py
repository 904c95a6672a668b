"""Data: check-ins, made-up distributions, and public facts about the map.

`base.py` defines what a dataset is.
"""

from caldp_core.basics.exports import exports_of
from caldp_core.datasets.base_map import base_map as base_map  # else its module has the name

__getattr__, __dir__, __all__ = exports_of(__name__, __file__)
