"""The cascade with a public prior: what everybody knows anyway tells where the rest is likely.

A prior that comes from other sources than the reports costs no privacy. It never says how many
people a region has, only how they part within it: of a cell one may expect its part, by the prior,
of what the estimate so far has around it. Between that and what neighbours hold the data choose, as
between all expectations of `cascade_estimator.py`, so a prior that does not fit is left alone.

It is an option, never the default: where people are not where the prior has them, the map is drawn
towards the prior, and nothing in the picture shows it. `prior_effect` says how much.
"""

from functools import partial
from typing import Final

import numpy as np
import scipy
from numpy.typing import ArrayLike

from caldp_core.basics.errors import CaldpError, as_array, require
from caldp_core.basics.types import Floats
from caldp_core.datasets.base_map import population_shares
from caldp_core.domain.grid import GridDomain
from caldp_core.estimation.cascade_estimator import cascade_estimate, cascade_with_expectations
from caldp_core.estimation.evidence import Evidence

NEEDS_MAP: Final = (
    'The estimator "cascade-map" needs a public map: give the scenario a prior of kind map, or the '
    "command --prior FILE."
)
_REACH: Final = 4.0
"""Cells: standard deviation of the surroundings within which the prior parts people."""
_PARTS: Final = (0.5, 0.75, 1.0)
"""Weights of the prior beside neighbours, on a log scale; the data choose among them."""
_EVEN_SHARE: Final = 1e-3
"""Share of a prior that is spread evenly: what it calls impossible, reports may still show."""


def cascade_with_prior(evidence: Evidence, prior: ArrayLike) -> Floats:
    """(k,) shares ≥ 0 that keep each block's observed total; `prior`: (k,) ≥ 0, not all 0.

    Such as an earlier map that is published already. Raises `CaldpError` for another shape or
    negative numbers, and where the evidence has no map.
    """
    domain = evidence.domain
    require(isinstance(domain, GridDomain), "A prior is for maps; give the evidence its domain.")
    assert isinstance(domain, GridDomain)
    weights = as_array("prior", prior).astype(np.float64)
    require(
        weights.shape == (domain.k,)
        and bool(np.isfinite(weights).all() and (weights >= 0).all() and weights.sum() > 0),
        f"prior must be {domain.k:,} numbers of at least 0, not all 0, one a cell.",
    )
    known = (1.0 - _EVEN_SHARE) * weights / weights.sum() + _EVEN_SHARE / domain.k
    return cascade_with_expectations(evidence, partial(_expected, domain, known))


def cascade_with_inhabitants(evidence: Evidence) -> Floats:
    """(k,) shares with GeoNames' towns as the prior; without a map the cascade alone."""
    domain = evidence.domain
    if not isinstance(domain, GridDomain):
        return cascade_estimate(evidence)
    return cascade_with_prior(evidence, population_shares(domain))


def cascade_with_public_map(evidence: Evidence) -> Floats:
    """(k,) shares by the cascade with the public map in the evidence's options as the prior.

    Raises `CaldpError` where they have none.
    """
    prior = evidence.options.prior
    if prior is None:
        raise CaldpError(NEEDS_MAP)
    return cascade_with_prior(evidence, prior)


def prior_effect(evidence: Evidence, estimate: Floats) -> Floats:
    """(k,) what the prior has added to each cell of an `estimate` made with it; sums to 0.

    Beside the cascade from the same reports. Half of the sum of its sizes is the share of people
    who are where they are because of the prior.
    """
    return np.asarray(estimate - cascade_estimate(evidence))


def _expected(
    domain: GridDomain, prior: Floats, shares: Floats, around: Floats
) -> tuple[Floats, ...]:
    """(k,) expected shares, each of `_PARTS` of the way from `around` to the prior's part."""

    def near(values: Floats) -> Floats:
        table = values.reshape(domain.rows, domain.columns)
        return np.asarray(
            scipy.ndimage.gaussian_filter(table, _REACH, mode="constant", truncate=3.0).ravel()
        )

    local = np.log(np.maximum(prior * near(shares) / near(prior), 1e-300))
    beside = np.log(np.maximum(around, 1e-300))
    return tuple(np.exp((1.0 - part) * beside + part * local) for part in _PARTS)
