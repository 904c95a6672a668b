"""Reading a noisy place in the light of all others: the Bayesian remap of geo-indistinguishability.

Post-processing of one report, so no promise changes; an attacker can do the same.
docs/mathematics.md, "Reading one report in the light of all", has how. Chatzikokolakis,
ElSalamouny, Palamidessi 2017 ("Efficient utility improvement for location privacy") remap to the
geometric median of the posterior; here it is sought among the fullest cells and the posterior's
mean.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.types import Floats, Ints, Progress, no_progress, read_only
from caldp_core.domain.grid import KM_PER_DEGREE, GridDomain, degrees_apart
from caldp_core.mechanisms import Mechanism
from caldp_core.mechanisms.capabilities import ReportsSymbols, channel_products

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

    Raises `CaldpError` for a mechanism whose reports are no cells, or another number of shares.
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
