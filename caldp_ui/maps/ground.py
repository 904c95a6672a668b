"""What lies under and over the pictures of one scenario: land, cities, blocks, sensitive places.

Made once for all visits; what does not change is not sent again by the stage.
"""

import json
from dataclasses import replace
from typing import Final, TypedDict

import numpy as np

from caldp_core.basics.cache import cached, cached_by
from caldp_core.basics.types import Bools
from caldp_core.datasets import base_map
from caldp_core.domain.grid import US_GRID, Area, GridDomain
from caldp_core.experiments.run import Setup
from caldp_core.privacy.context import Context
from caldp_ui.stage import Blob, Ground, encode_labels, encode_lines, encode_mask, encode_rows

_US: Final = Area(24.55, 49.75, -125.2, -66.6)
"""The least that the button "fit" shows of the United States: wide frames have more sea."""


def ground(setup: Setup, domain: GridDomain, box: Area | None) -> Ground:
    """The ground of a scenario, with the marked box."""
    return replace(_ground(setup, domain), box=box)


def _areas(setup: Setup, domain: GridDomain) -> str:
    policy = setup.scenario.to_dict()["policy"]
    return json.dumps([policy["blocks"], policy["sensitive"], repr(domain)], sort_keys=True)


@cached_by(_areas)
def _ground(setup: Setup, domain: GridDomain) -> Ground:
    partition, sensitive = setup.partition, setup.sensitive
    hidden = protected(setup)
    cut = partition.m > 1
    some = bool(sensitive.any()) and not sensitive.all()
    return Ground(
        domain,
        home(domain),
        **land(domain),
        labels=encode_labels(partition.labels) if cut else None,
        names=encode_rows([partition.names]) if cut else None,
        sensitive=encode_mask(sensitive) if some else None,
        open=None if hidden.all() else encode_mask(~hidden),
    )


def protected(setup: Setup) -> Bools:
    """(k,) True for places whose people hide among others by the policy."""
    if isinstance(setup.policy, Context):
        return setup.policy.hidden()
    return np.ones(setup.dataset.domain.k, np.bool_)


def home(domain: GridDomain) -> Area:
    """The area that the stage shows at first."""
    return _US if domain == US_GRID else domain.area


class Land(TypedDict):
    """Fields of `Ground` that depend on the map alone."""

    outline: Blob
    land: Blob
    cities: Blob


@cached
def land(domain: GridDomain) -> Land:
    """Borders, land and cities of the part of the Earth that the map shows."""
    under = base_map(domain)
    rows = ((c.name, c.region, c.latitude, c.longitude, c.population) for c in under.cities)
    return {
        "outline": encode_lines(*under.outline),
        "land": encode_lines(*under.land),
        "cities": encode_rows(rows),
    }
