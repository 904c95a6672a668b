"""A channel Q as a linear map: products with vectors, without writing Q out.

Estimation climbs likelihoods with the two products of `ChannelProducts`; a mechanism whose reports
are symbols of its own domain also estimates with the inverse (`InvertibleProducts`).
`DenseProducts` has all of them for a channel that is small enough to be written out; structured
channels have quicker ones of their own.
"""

from functools import cached_property
from math import prod
from typing import Final, Protocol

import numpy as np

from caldp_core.basics.errors import require
from caldp_core.basics.types import Floats

_CONDITION_MAX: Final = 1e10
"""A channel of larger condition leaves an inverse fewer than six right digits."""


class ChannelProducts(Protocol):
    """Products of vectors with a channel Q of k rows and `outputs` columns."""

    def apply(self, p: Floats, /) -> Floats:
        """p·Q: (k,) shares → (outputs,) distribution of the reports."""

    def apply_transpose(self, weights: Floats, /) -> Floats:
        """Q·w: (outputs,) weights of reports → (k,) their mean over each symbol's reports."""


class InvertibleProducts(ChannelProducts, Protocol):
    """Products of vectors with a (k, k) channel and with its inverse.

    The last three raise `CaldpError` where Q has no inverse, or floats cannot find it.
    """

    def inverse(self, reports: Floats, /) -> Floats:
        """reports·Q⁻¹: (k,) shares of reports → (k,) unbiased shares of symbols."""

    def score(self, weights: Floats, /) -> Floats:
        """Q⁻¹·w: (k,) weights → (k,) what a report of each symbol adds to n·Σ w_x p̂_x."""

    def inverse_squared(self, reports: Floats, /) -> Floats:
        """(k,) distribution of the reports → (k,) Σ_y reports_y·(Q⁻¹[y, x])²."""


class DenseProducts:
    """Products with a channel that is written out: (k, outputs), row = true symbol.

    Those with the inverse need outputs = k.
    """

    def __init__(self, channel: Floats) -> None:
        self.channel = channel

    @cached_property
    def _inverse(self) -> Floats:
        try:
            inverse = np.linalg.inv(self.channel)
            norms = [float(np.linalg.norm(each, 1)) for each in (self.channel, inverse)]
        except np.linalg.LinAlgError:
            norms = [np.inf]
        require(
            prod(norms) < _CONDITION_MAX,
            "This channel gives (nearly) the same reports for different shares, so shares "
            "can't be estimated; choose a larger epsilon or merge symbols.",
        )
        return np.asarray(inverse)

    def apply(self, p: Floats, /) -> Floats:
        """See `ChannelProducts`."""
        return np.asarray(p @ self.channel)

    def apply_transpose(self, weights: Floats, /) -> Floats:
        """See `ChannelProducts`."""
        return np.asarray(self.channel @ weights)

    def inverse(self, reports: Floats, /) -> Floats:
        """See `InvertibleProducts`."""
        return np.asarray(reports @ self._inverse)

    def score(self, weights: Floats, /) -> Floats:
        """See `InvertibleProducts`."""
        return np.asarray(self._inverse @ weights)

    def inverse_squared(self, reports: Floats, /) -> Floats:
        """See `InvertibleProducts`."""
        return np.asarray(reports @ self._inverse**2)
