"""Noise that hides near places better than far ones: two-sided geometric steps on a map's axes.

For `GridMetric`: a report is the true cell moved by independent geometric numbers of rows and
columns, kept on the map (`geometric_axis.py`). The channel is the product Q_row ⊗ Q_column and is
never written out: everything goes along rows, then along columns. Given which people of a row
report which column, their moves between rows are still independent draws, so `sample_tally` may
spread counts along one axis and then along the other.

Euclidean geo-indistinguishability (Andrés et al. 2013) is kept by running it on
`EuclideanMetric.stricter_grid_metric()`. `planar.py` keeps it with 13 % less displacement, but not
with tallies of any size at one cost.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property

import numpy as np

from caldp_core.basics.types import Floats, Ints, WordSource
from caldp_core.mechanisms.channel_products import InvertibleProducts
from caldp_core.mechanisms.direct.base import SymbolReports, require_exact
from caldp_core.mechanisms.direct.geometric_axis import GeometricAxis
from caldp_core.mechanisms.tally import digest
from caldp_core.privacy.distance import GridMetric


class GridGeometric(SymbolReports):
    """Product of two truncated geometric mechanisms. See `Mechanism` for what methods promise.

    Reports are cells: symbols of the same grid. `sample_tally` takes any n at one cost.
    """

    def __init__(self, policy: GridMetric) -> None:
        self.policy: GridMetric = policy
        self._row = GeometricAxis(policy.rows, policy.epsilon_row)
        self._column = GeometricAxis(policy.columns, policy.epsilon_column)

    @cached_property
    def fingerprint(self) -> str:
        """Digest that two mechanisms share only if their reports mean the same."""
        axes = (self._row, self._column)
        return digest("grid geometric", *(f"{axis.size}:{axis.whole}" for axis in axes))

    @cached_property
    def products(self) -> InvertibleProducts:
        """Products axis by axis."""
        return _AxisProducts(self._row, self._column)

    def _reports(self, x: Ints, words: WordSource) -> Ints:
        row, column = np.divmod(x, self.policy.columns)
        moved = self._row.privatize(row, words) * self.policy.columns
        return moved + self._column.privatize(column, words)

    def _spread(self, people: Ints, rng: np.random.Generator) -> Ints:
        start = people.reshape(self.policy.rows, self.policy.columns)
        along = self._column.spread(start, rng)
        across = self._row.spread(np.ascontiguousarray(along.T), rng).T
        return across.ravel()

    def axis_channels(self) -> tuple[list[list[Fraction]], list[list[Fraction]]]:
        """Channels of rows and of columns (see `HasAxisChannels`)."""
        return self._row.exact_channel(), self._column.exact_channel()

    def exact_channel(self) -> list[list[Fraction]]:
        """k rows of k probabilities in rationals; `CaldpError` above the stated size."""
        require_exact(self.k)
        rows, columns = self.axis_channels()
        return [[a * b for a in row for b in column] for row in rows for column in columns]


class _AxisProducts:
    """`InvertibleProducts` of Q_row ⊗ Q_column."""

    def __init__(self, row: GeometricAxis, column: GeometricAxis) -> None:
        self._row, self._column = row, column

    def apply(self, p: Floats) -> Floats:
        return self._on_axes(p, self._row.apply, self._column.apply)

    def apply_transpose(self, weights: Floats) -> Floats:
        return self._on_axes(weights, self._row.apply_transpose, self._column.apply_transpose)

    def inverse(self, reports: Floats) -> Floats:
        return self._on_axes(reports, self._row.inverse, self._column.inverse)

    def score(self, weights: Floats) -> Floats:
        return self._on_axes(weights, self._row.score, self._column.score)

    def inverse_squared(self, reports: Floats) -> Floats:
        return self._on_axes(reports, self._row.inverse_squared, self._column.inverse_squared)

    def _on_axes(
        self, cells: Floats, rows: Callable[[Floats], Floats], columns: Callable[[Floats], Floats]
    ) -> Floats:
        on_map = cells.reshape(self._row.size, self._column.size)
        return np.asarray(rows(columns(on_map).T).T.ravel())
