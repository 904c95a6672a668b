"""The common part of mechanisms whose reports are symbols of their own domain.

Such a channel Q is square and its tally is a histogram. So a mechanism only says how it draws
reports and how vectors are multiplied with Q and with its inverse (`InvertibleProducts`);
estimates, variances and what EM needs follow from the products.
"""

from abc import abstractmethod
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.errors import check_counts, check_floats, check_n, check_symbols
from caldp_core.basics.types import Floats, Ints, Seed
from caldp_core.mechanisms.base import Tally, check_tally
from caldp_core.mechanisms.randomness.coins import generator
from caldp_core.mechanisms.structures import ChannelProducts, InvertibleProducts
from caldp_core.mechanisms.written_out import NumberReports


class SymbolReports(NumberReports):
    """A mechanism whose reports are symbols. See `Mechanism` for what the methods promise."""

    @property
    @abstractmethod
    def products(self) -> InvertibleProducts:
        """Products with the channel and its inverse."""

    @abstractmethod
    def exact_channel(self) -> list[list[Fraction]]:
        """k rows of k probabilities in rationals; `CaldpError` above the stated size."""

    @abstractmethod
    def _spread(self, people: Ints, rng: np.random.Generator) -> Ints:
        """(k,) people per symbol → (k,) reports per symbol, from their joint distribution."""

    @property
    def outputs(self) -> int:
        """Number of different reports: the symbols again."""
        return self.k

    def sample_tally(self, counts: ArrayLike, rng: Seed) -> Tally:
        """Tally of (k,) people per symbol; same distribution as `tally(privatize(x))`."""
        people, rng = check_counts("counts", counts, self.k), generator(rng)
        return Tally(self._spread(people, rng), int(people.sum()), self.fingerprint)

    def apply(self, p: Floats) -> Floats:
        """p·Q: (k,) shares → (k,) distribution of the reports."""
        return self.products.apply(p)

    def apply_transpose(self, weights: Floats) -> Floats:
        """Q·w: (k,) weights of reports → (k,) their mean over each symbol's reports."""
        return self.products.apply_transpose(weights)

    def law_of(self, x: int) -> Floats:
        """(k,) probabilities of the reports of a person at x (see `ReportsSymbols`)."""
        one = np.zeros(self.k)
        one[check_symbols("x", [x], self.k)] = 1.0
        return np.maximum(self.products.apply(one), 0.0)

    def channel_products(self) -> ChannelProducts:
        """This mechanism, which has the two products (see `HasChannelProducts`)."""
        return self

    def estimate(self, tally: Tally) -> Floats:
        """(k,) unbiased shares, tally·Q⁻¹/n; entries may be negative.

        Raises `CaldpError` where Q has no inverse or floats cannot find it, on a tally of
        another mechanism, and on no reports.
        """
        check_tally(tally, self.fingerprint, self.k)
        return self.products.inverse(tally.counts / tally.n)

    def variance(self, p: Floats, n: int) -> Floats:
        """(k,) exact variance of `estimate` when n people come from p: (k,) shares.

        (1/n)(Σ_y q_y·(Q⁻¹[y, x])² − p_x²) with q = p·Q.
        """
        p = check_floats("p", p, self.k)
        square = self.products.inverse_squared(self.products.apply(p))
        return np.asarray((square - p**2) / check_n(n))

    def sum_variance(self, p: Floats, weights: Floats, n: int) -> float:
        """Exact variance of Σ w_x p̂_x, such as a region's share; `p`, `weights`: (k,)."""
        p, weights = check_floats("p", p, self.k), check_floats("weights", weights, self.k)
        square = float(self.products.apply(p) @ self.products.score(weights) ** 2)
        return max((square - float(weights @ p) ** 2) / check_n(n), 0.0)
