"""Post-processing: projections on the probability simplex, and the Bayesian remap of a place.

How many people each block holds no context hides, so the sum of a block's estimates says how far
its noise has gone astray: each estimate takes its part of that back.

The remap post-processes one report, so no promise changes; an attacker can do the same.
docs/mathematics.md, "Reading one report in the light of all", has how. Chatzikokolakis,
ElSalamouny, Palamidessi 2017 ("Efficient utility improvement for location privacy") remap to the
geometric median of the posterior; here it is sought among the fullest cells and the posterior's
mean.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.types import Floats, Ints, Progress, no_progress, read_only, sums_by
from caldp_core.domain.domains import KM_PER_DEGREE, GridDomain, degrees_apart
from caldp_core.mechanisms import Mechanism
from caldp_core.mechanisms.capabilities import ReportsSymbols, channel_products

if TYPE_CHECKING:
    from caldp_core.estimation.evidence import Evidence


def simplex_projection(estimate: Floats, total: float = 1.0) -> Floats:
    """(k,) the shares ≥ 0 of a sum `total` nearest to a (k,) estimate in Euclidean distance.

    Source: Held, Wolfe, Crowder 1974.
    """
    everything = np.zeros(estimate.size, np.int64)
    threshold = block_thresholds(estimate, everything, np.array([total]))[0]
    return np.asarray(np.maximum(estimate - threshold, 0.0))


def block_thresholds(estimate: Floats, blocks: Ints, totals: Floats) -> Floats:
    """(m,) thresholds τ_j with Σ_{x in block j} max(p̂_x − τ_j, 0) = totals_j.

    `estimate`: (k,) shares; `blocks`: (k,) labels in [0, m); `totals`: (m,) ≥ 0. Sort a block's
    estimates from large to small and let c_r be the sum of the first r: then τ = (c_r − total)/r
    for the last r whose estimate is above (c_r − total)/r. One sort serves all blocks.
    """
    order = np.argsort(-estimate)
    if totals.size > 1:  # few labels in a small type are sorted by counting
        labels = blocks[order].astype(np.min_scalar_type(totals.size))
        order = order[np.argsort(labels, kind="stable")]
    values, block = estimate[order], blocks[order]
    sizes = np.bincount(blocks, minlength=totals.size)
    first = np.cumsum(sizes) - sizes
    sums = np.cumsum(values)
    before = np.where(first > 0, sums[first - 1], 0.0)
    rank = np.arange(values.size) - first[block] + 1
    candidates = (sums - before[block] - totals[block]) / rank
    holds = values > candidates
    last = np.bincount(block, weights=holds, minlength=totals.size).astype(np.int64)
    # Where the total is 0 no estimate may stay positive: the largest one is the threshold.
    thresholds = candidates[first + np.maximum(last, 1) - 1]
    return np.asarray(np.where(last > 0, thresholds, values[first]))


_ROUNDING: Final = 1e-9


@dataclass(frozen=True, eq=False)
class TiedShares:
    """(k,) `estimate` that sums to (m,) `totals` over `blocks`, (k,) labels.

    `variance`: (k,) of each estimate before it was tied; `block_variance`: (m,) its sums.
    `remaining_variance`: what a set of variance v in a block of variance V has once they are tied,
    from arrays v and V.
    """

    estimate: Floats
    variance: Floats
    blocks: Ints
    totals: Floats
    block_variance: Floats
    remaining_variance: Callable[[Floats, Floats], Floats]

    @classmethod
    def of(cls, evidence: "Evidence") -> "TiedShares":
        """The tied estimates, by least squares: the error of a block's sum is parted by variance.

        Estimates that keep the totals by themselves stay as they are, with the variance stated.
        """
        blocks, totals, m = evidence.blocks, evidence.block_shares, evidence.block_shares.size
        variance = _of_coins(evidence.deviation**2, evidence.plausible, evidence.n)
        of_blocks = sums_by(blocks, variance, m)
        excess = sums_by(blocks, evidence.unbiased, m) - totals
        if (np.abs(excess) <= _ROUNDING).all():
            return cls(evidence.unbiased, variance, blocks, totals, of_blocks, _balanced_variance)
        part = np.divide(excess, of_blocks, out=np.zeros(m), where=of_blocks > 0)
        estimate = evidence.unbiased - part[blocks] * variance
        return cls(estimate, variance, blocks, totals, of_blocks, _freed)

    def with_noise_at(self, shares: Floats, evidence: "Evidence") -> "TiedShares":
        """The same estimates, and the noise that they have where people have the (k,) `shares`."""
        variance = _of_coins(evidence.mechanism.variance(shares, evidence.n), shares, evidence.n)
        of_blocks = sums_by(self.blocks, variance, self.totals.size)
        return replace(self, variance=variance, block_variance=of_blocks)

    @cached_property
    def deviations(self) -> Floats:
        """(k,) standard deviations of the tied estimates."""
        return read_only(self.deviation(self.variance, self.blocks))

    def deviation(self, variance: Floats, blocks: Ints) -> Floats:
        """(t,) standard deviations of sums over sets of `variance` in `blocks`, each (t,)."""
        return np.sqrt(
            np.maximum(self.remaining_variance(variance, self.block_variance[blocks]), 0.0)
        )


def _of_coins(variance: Floats, shares: Floats, n: int) -> Floats:
    """(k,) of the variances; who happened to take part is what is looked for, and no noise."""
    drawn = shares * (1.0 - shares) / n
    coins = variance - drawn
    return np.where(coins > _ROUNDING * drawn, coins, 0.0)


def _freed(variance: Floats, whole: Floats) -> Floats:
    """Variance once the projection has taken its part from each: v·(1 − v/V)."""
    part = np.divide(variance, whole, out=np.ones_like(variance), where=whole > 0)
    return np.asarray(variance * (1.0 - part))


def _balanced_variance(variance: Floats, whole: Floats) -> Floats:
    """What a set gains the rest of its block loses, so its variance is that of the rest, too."""
    rest = whole - variance
    return np.minimum(variance, np.where(rest > _ROUNDING * whole, rest, 0.0))


CANDIDATES: Final = 256
"""Cells that a report may be read as, beside the mean; on a smaller map all of them."""
_REPORT_SHARE_MIN: Final = 1e-300
_Mean: TypeAlias = Callable[[Floats], Floats]


@dataclass(frozen=True, eq=False)
class Remap:
    """Where a report of each cell is read to be: (k,) `latitude` and `longitude` in degrees."""

    domain: GridDomain
    latitude: Floats
    longitude: Floats

    def kilometres(self, true: Ints, reports: Ints) -> Floats:
        """(n,) km between people in cells `true` and where their `reports` are read to be."""
        north, east = _degrees(self.domain)
        apart = degrees_apart(
            north[true], self.latitude[reports], east[true] - self.longitude[reports]
        )
        return apart * KM_PER_DEGREE


def remap(
    mechanism: Mechanism, prior: Floats, domain: GridDomain, progress: Progress = no_progress
) -> Remap:
    """The remap for people like `prior`, (k,) shares ≥ 0, such as an estimate from all reports.

    Raises `CaldpError` for a mechanism whose reports are not cells, or another number of shares.
    """
    products = channel_products(mechanism)
    if products is None or not isinstance(mechanism, ReportsSymbols):
        raise CaldpError(
            "Only reports that are places can be remapped; choose one that adds noise."
        )
    require(
        prior.shape == (domain.k,) and bool((prior >= 0).all()) and float(prior.sum()) > 0,
        f"prior must be {domain.k:,} shares of at least 0, not all 0.",
    )
    report_shares = np.maximum(products.apply(prior), _REPORT_SHARE_MIN)

    def mean(values: Floats) -> Floats:
        """(k,) values ≥ 0 of true cells → (k,) their mean after each report."""
        means = products.apply(prior * values) / report_shares
        return np.clip(means, values.min(), values.max())  # no report lies where rounding has it

    north, east = _degrees(domain)
    south, west = float(north.min()), float(east.min())
    latitude, longitude = south + mean(north - south), west + mean(east - west)
    least = _spread(mean, domain, latitude, longitude)
    fullest = np.argsort(-prior, kind="stable")[:CANDIDATES]
    for done, cell in enumerate(fullest[prior[fullest] > 0].tolist()):
        cost = mean(domain.km_from(cell))
        nearer = cost < least
        least[nearer], latitude[nearer], longitude[nearer] = cost[nearer], north[cell], east[cell]
        progress((done + 1) / fullest.size)
    return Remap(domain, read_only(latitude), read_only(longitude))


def identity_remap(domain: GridDomain) -> Remap:
    """The remap that reads every report as the cell that it names."""
    north, east = _degrees(domain)
    return Remap(domain, read_only(north), read_only(east))


def _degrees(domain: GridDomain) -> tuple[Floats, Floats]:
    """(k,) latitudes and longitudes of cells."""
    lat, lon = domain.latitudes(), domain.longitudes()
    return np.repeat(lat, domain.columns), np.tile(lon, domain.rows)


def _spread(mean: _Mean, domain: GridDomain, latitude: Floats, longitude: Floats) -> Floats:
    """(k,) bounds on the expected km from the posterior's mean: root mean squares (Jensen)."""
    north, east = _degrees(domain)
    narrow = float(np.cos(np.radians(north.mean())))
    up, right = KM_PER_DEGREE * (north - north.min()), KM_PER_DEGREE * narrow * (east - east.min())
    centre = (
        KM_PER_DEGREE * (latitude - north.min()),
        KM_PER_DEGREE * narrow * (longitude - east.min()),
    )
    square = mean(up**2 + right**2) - centre[0] ** 2 - centre[1] ** 2
    return np.asarray(np.sqrt(np.maximum(square, 0.0)))
