"""Estimators that take a public map for known: it says how people part within a region.

What everybody knows anyway tells where the rest of a map is likely, at no privacy. It is an option,
never the default: where people are not where the map has them, the estimate is drawn towards it,
and nothing in the picture shows it. `prior_effect` says how much. docs/estimators.md says when a
map is left alone.
"""

from collections.abc import Iterator
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.errors import CaldpError, as_array, require
from caldp_core.basics.extras import scipy
from caldp_core.basics.types import Floats
from caldp_core.datasets.base_map import population_shares
from caldp_core.domain.domains import GridDomain
from caldp_core.domain.partitions import neighbours
from caldp_core.estimation import cascade_estimator as cascades
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.mixture import with_best_laws

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
_SHIFTS: Final = np.arange(1, 8)[:, None] * (0.7549, 0.5698) % 1.0
"""Of rows and columns, by a sequence whose steps are spread evenly (Roberts 2018)."""
_SHIFTED_MIN: Final = 0.1
"""Share of its people that a shift must move, or the shifted map is the same one."""


def cascade_with_prior(evidence: Evidence, prior: ArrayLike) -> Floats:
    """(k,) shares ≥ 0 that keep each block's observed total; `prior`: (k,) ≥ 0, not all 0.

    Such as an earlier map that is published already. The cascade's where the estimates do not
    speak for the prior, or speak for it as much once it is shifted to another place (Lotwick and
    Silverman 1982). Raises `CaldpError` for another shape or negative numbers, and where the
    evidence has no map.
    """
    domain = evidence.domain
    if not isinstance(domain, GridDomain):
        raise CaldpError("A prior is for maps; give the evidence its domain.")
    weights = as_array("prior", prior).astype(np.float64)
    require(
        weights.shape == (domain.k,)
        and bool(np.isfinite(weights).all() and (weights >= 0).all() and weights.sum() > 0),
        f"prior must be {domain.k:,} numbers of at least 0, not all 0, one a cell.",
    )
    known = (1.0 - _EVEN_SHARE) * weights / weights.sum() + _EVEN_SHARE / domain.k
    if not cascades.pooling_helps(evidence.mechanism) or not _speaks_for(evidence, domain, known):
        return cascades.cascade_estimate(evidence)
    noisy, fit = cascades.best_fit(evidence, partial(_expected, domain, known))
    excess = cascades.excess_nats(evidence.cascade_pooling, evidence.tied_shares)
    return noisy.shares(with_best_laws(noisy, fit, excess))


def _speaks_for(evidence: Evidence, domain: GridDomain, prior: Floats) -> bool:
    """Whether the estimates speak for the (k,) prior, and less for it at other places."""
    noisy, shares = (
        cascades.NoisySymbols.of(evidence.tied_shares, evidence),
        evidence.cascade_pooling.shares,
    )
    around = neighbours(domain).neighbour_means(shares)

    def nats(prior: Floats) -> float:
        return max(noisy.fit(each).nats for each in _expected(domain, prior, shares, around))

    enough = nats(prior) - cascades.EVIDENCE_MIN_NATS
    return all(nats(shifted) < enough for shifted in _shifted(domain, prior))


def _shifted(domain: GridDomain, prior: Floats) -> Iterator[Floats]:
    """(k,) priors at other places of the map: what leaves it at an edge comes back at the other."""
    table = prior.reshape(domain.rows, domain.columns)
    for shift in np.floor(_SHIFTS * table.shape).astype(np.int64):
        other = np.roll(table, shift, (0, 1)).ravel()
        if 0.5 * np.abs(other - prior).sum() >= _SHIFTED_MIN:
            yield other


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


def cascade_with_inhabitants(evidence: Evidence) -> Floats:
    """(k,) shares with GeoNames' towns as the prior; without a map the cascade alone."""
    domain = evidence.domain
    if not isinstance(domain, GridDomain):
        return cascades.cascade_estimate(evidence)
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
    return np.asarray(estimate - cascades.cascade_estimate(evidence))
