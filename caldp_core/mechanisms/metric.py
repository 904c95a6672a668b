"""Noise that hides near places better than far ones: two-sided geometric steps on a map's axes.

Room: mechanisms. For `GridMetric`: a report is the true cell moved by independent geometric
numbers of rows and columns, kept on the map (`geometric_axis.py`). The channel is the product
Q_row ⊗ Q_column and is never written out: everything goes along rows, then along columns. Given
which people of a row report which column, their moves between rows are still independent draws,
so `sample_tally` may spread counts along one axis and then along the other.

Euclidean geo-indistinguishability (Andrés et al. 2013) is kept by running it on
`EuclideanMetric.stricter_steps()`.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.coins import seeded_words, system_words
from caldp_core.errors import check_counts, check_n, check_symbols, require
from caldp_core.limits import EXACT_MAX_ENTRIES
from caldp_core.mechanisms.base import Tally, digest
from caldp_core.mechanisms.geometric_axis import GeometricAxis
from caldp_core.metric_privacy import GridMetric
from caldp_core.types import Floats, Ints, WordSource

Cells = TypeVar("Cells", Ints, Floats)


class GridGeometric:
    """Product of two truncated geometric mechanisms. See `Mechanism` for what methods promise.

    Reports are cells: symbols of the same grid.
    """

    def __init__(self, policy: GridMetric) -> None:
        self.policy = policy
        self._row = GeometricAxis(policy.rows, policy.epsilon_row)
        self._column = GeometricAxis(policy.columns, policy.epsilon_column)

    @property
    def k(self) -> int:
        """Number of cells."""
        return self.policy.k

    @property
    def outputs(self) -> int:
        """Number of different reports: the cells again."""
        return self.policy.k

    @cached_property
    def fingerprint(self) -> str:
        """Digest that two mechanisms share only if their reports mean the same."""
        axes = (self._row, self._column)
        return digest("grid geometric", *(f"{axis.size}:{axis.whole}" for axis in axes))

    def privatize(self, x: ArrayLike, rng: np.random.Generator) -> Ints:
        """(n,) symbols → (n,) symbols, simulated with `rng`."""
        return self._reports(check_symbols("x", x, self.k), seeded_words(rng))

    def client_report(self, x: int) -> Ints:
        """(1,) one real user's report, with the operating system's randomness; takes no seed."""
        return self._reports(check_symbols("x", [x], self.k), system_words)

    def _reports(self, x: Ints, words: WordSource) -> Ints:
        row, column = np.divmod(x, self.policy.columns)
        moved = self._row.privatize(row, words) * self.policy.columns
        return moved + self._column.privatize(column, words)

    def every_report(self) -> Ints:
        """(k,) all different reports in the order of the channel's columns."""
        return np.arange(self.k)

    def tally(self, reports: ArrayLike) -> Tally:
        """(n,) reports → (k,) histogram; `CaldpError` on a report off the map."""
        cells = check_symbols("reports", reports, self.k)
        return Tally(np.bincount(cells, minlength=self.k), cells.size, self.fingerprint)

    def sample_tally(self, counts: ArrayLike, rng: np.random.Generator) -> Tally:
        """Tally of (k,) people per cell, for any n; same law as `tally(privatize(x))`."""
        people = check_counts("counts", counts, self.k)
        along = self._column.spread(self._map(people), rng)
        across = self._row.spread(np.ascontiguousarray(along.T), rng).T
        return Tally(across.ravel(), int(people.sum()), self.fingerprint)

    def estimate(self, tally: Tally) -> Floats:
        """(k,) unbiased shares by the exact inverse of each axis; entries may be negative."""
        require(
            tally.fingerprint == self.fingerprint,
            "This tally was made by another mechanism; use the one that made the reports.",
        )
        require(tally.n > 0, "A tally of no reports says nothing; collect at least one report.")
        shares = tally.counts / tally.n
        return self._on_axes(shares, self._row.inverse, self._column.inverse)

    def variance(self, p: Floats, n: int) -> Floats:
        """(k,) exact variance of `estimate` when n people come from p: (k,) shares.

        (1/n)(Σ_y q_y·(Q⁻¹[y, x])² − p_x²) with q = pQ, axis by axis.
        """
        reported = self._on_axes(p, self._row.forward, self._column.forward)
        square = self._on_axes(reported, self._row.inverse_squared, self._column.inverse_squared)
        return np.asarray((square - p**2) / check_n(n))

    def sum_variance(self, p: Floats, weights: Floats, n: int) -> float:
        """Exact variance of Σ w_x p̂_x, such as a region's share; `p`, `weights`: (k,)."""
        reported = self._on_axes(p, self._row.forward, self._column.forward)
        z = self._on_axes(weights, self._row.score, self._column.score)
        square = float(reported @ z**2)
        return max((square - float(weights @ p) ** 2) / check_n(n), 0.0)

    def exact_channel(self) -> list[list[Fraction]]:
        """k rows of k probabilities in rationals; `CaldpError` above the stated size."""
        entries = self.k**2
        require(
            entries <= EXACT_MAX_ENTRIES,
            f"A channel in rationals may have at most {EXACT_MAX_ENTRIES:,} entries, "
            f"this one would have {entries:,}; use a smaller map.",
        )
        columns = self._column.exact_channel()
        return [
            [a * b for a in row for b in column]
            for row in self._row.exact_channel()
            for column in columns
        ]

    def _map(self, cells: Cells) -> Cells:
        return cells.reshape(self.policy.rows, self.policy.columns)

    def _on_axes(
        self, cells: Floats, rows: Callable[[Floats], Floats], columns: Callable[[Floats], Floats]
    ) -> Floats:
        return np.asarray(rows(columns(self._map(cells)).T).T.ravel())
