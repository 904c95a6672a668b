"""Noise that hides near places better than far ones: two-sided geometric steps on a map's axes.

On one axis of m cells, with Z two-sided geometric, P(Z = z) = (1−α)/(1+α)·α^{|z|} (Ghosh,
Roughgarden, Sundararajan 2009), the report is x + Z moved to the nearest cell of the axis, so
Q(y|x) = w_y·α^{|x−y|} with w = 1/(1+α) at both ends and (1−α)/(1+α) between. One step of x changes
no probability by more than 1/α, hence E = ε·|x − x′|. α = A/2^48 is rounded up and draws are exact,
so this holds in rationals. On a map the channel is the product Q_row ⊗ Q_column and is never
written out: everything goes along rows, then along columns. Given which people of a row report
which column, their moves between rows are still independent draws, so `sample_tally` may do so,
too.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np

from caldp_core.basics.errors import require_exact
from caldp_core.basics.powers import ceiling_of
from caldp_core.basics.types import Floats, Ints, WordSource
from caldp_core.mechanisms.base import digest
from caldp_core.mechanisms.randomness import COIN_BITS, COIN_ONE, WORD_BITS, ExactInversion
from caldp_core.mechanisms.structures import InvertibleProducts
from caldp_core.mechanisms.written_out import SymbolReports
from caldp_core.privacy.distance import GridMetric

_MARGIN: Final = Fraction(1, 2**48)
"""E is a float, and may be rounded below ε times the distance by a few 2^-52 of itself."""


class GeometricAxis:
    """`size`: m ≥ 1 cells; `epsilon`: nats per step. Arrays of floats act on the last axis."""

    def __init__(self, size: int, epsilon: float) -> None:
        level = Fraction(float(epsilon)) * (1 - _MARGIN)
        self.whole = ceiling_of(lambda power: COIN_ONE * power, -level)
        self.size = size
        self._alpha = self.whole / COIN_ONE
        # 1 − α from whole numbers, so that it loses nothing where α is close to 1.
        self._stop = (COIN_ONE - self.whole) / COIN_ONE
        weights = np.full(size, self._stop / (1 + self._alpha))
        weights[[0, -1]] = 1 / (1 + self._alpha)
        self._weights: Floats = weights if size > 1 else np.ones(1)

    @cached_property
    def noise(self) -> ExactInversion:
        """Draws of Z + m − 1, with Z kept in [−(m−1), m−1]: P(Z ≤ −t) = P(Z ≥ t) = α^t/(1+α)."""
        tails = np.array(self._tail_floors(), np.uint64)
        # No tail is a whole number of 2^-64ths, so ⌊2^64(1 − tail)⌋ = 2^64 − 1 − ⌊2^64·tail⌋.
        return ExactInversion(np.concatenate([tails[::-1], ~tails]), self._noise_steps)

    def _tail_floors(self) -> list[int]:
        """⌊2^64·α^t/(1+α)⌋ for t = 1 … m−1, in whole numbers; zeros once they are reached."""
        floors: list[int] = []
        power = 1
        for t in range(1, self.size):
            power *= self.whole
            shifted = power << WORD_BITS >> COIN_BITS * (t - 1)
            floors.append(shifted // (COIN_ONE + self.whole))
            if not floors[-1]:
                break
        return floors + [0] * (self.size - 1 - len(floors))

    def _noise_steps(self) -> list[Fraction]:
        end = Fraction(COIN_ONE, COIN_ONE + self.whole)
        tails = [self._power(t) * end for t in range(1, self.size)]
        return [*reversed(tails), *(1 - tail for tail in tails)]

    def _power(self, exponent: int) -> Fraction:
        return Fraction(self.whole**exponent, COIN_ONE**exponent)

    def privatize(self, x: Ints, words: WordSource) -> Ints:
        """(n,) cells in [0, m) → (n,) cells."""
        noise = self.noise.draw(x.size, words) - (self.size - 1)
        return np.asarray(np.clip(x + noise, 0, self.size - 1), dtype=np.int64)

    def spread(self, counts: Ints, rng: np.random.Generator) -> Ints:
        """(lines, m) people → (lines, m) reports, from their joint distribution, at O(m) a line.

        Z ≥ 0 has probability 1/(1+α); then, as −1 − Z otherwise, it is geometric, and a
        geometric number has no memory: all who reach a cell stop there with probability 1 − α
        each, wherever they came from. So one pass in each direction is enough.
        """
        downwards = rng.binomial(counts, self._alpha / (1 + self._alpha))
        reports = self._sweep(counts - downwards, rng)
        # Who goes left starts one cell further left; from the first cell there is nowhere to go.
        moved = np.zeros_like(downwards)
        moved[:, :-1] = downwards[:, 1:]
        moved[:, 0] += downwards[:, 0]
        return reports + self._sweep(moved[:, ::-1], rng)[:, ::-1]

    def _sweep(self, starting: Ints, rng: np.random.Generator) -> Ints:
        """People walk from their cell to higher ones until they stop or the axis ends."""
        stopped = np.empty_like(starting)
        walking = np.zeros(starting.shape[0], np.int64)
        for cell in range(self.size - 1):
            here = walking + starting[:, cell]
            walking = rng.binomial(here, self._alpha)
            stopped[:, cell] = here - walking
        stopped[:, -1] = walking + starting[:, -1]
        return stopped

    def apply(self, p: Floats) -> Floats:
        """(…, m) shares → (…, m) expected shares of reports, p·Q, at O(m) a line."""
        return self._kernel(p) * self._weights

    def apply_transpose(self, weights: Floats) -> Floats:
        """(…, m) weights of reports → (…, m) their mean over each cell's reports, Q·weights."""
        return self._kernel(weights * self._weights)

    def _kernel(self, values: Floats) -> Floats:
        """(…, m) → (…, m) values·K with K = (α^{|x−y|}), by one recursion each way."""
        # Imported here: it takes longer than all that the command line needs at its start.
        from scipy.signal import lfilter

        recursion = [1.0, -self._alpha]
        ahead = lfilter([1.0], recursion, values, axis=-1)
        behind = lfilter([1.0], recursion, values[..., ::-1], axis=-1)[..., ::-1]
        return np.asarray(ahead + behind - values)

    def inverse(self, reports: Floats) -> Floats:
        """(…, m) → (…, m) reports·Q⁻¹, exact: Q = K·diag(w), K⁻¹ is tridiagonal.

        K = (α^{|x−y|}) is the Kac–Murdock–Szegő matrix: K⁻¹ has 1 + α² on the diagonal (1 at its
        ends) and −α beside it, over 1 − α².
        """
        return self._band(reports / self._weights, *self._bands())

    def score(self, weights: Floats) -> Floats:
        """(…, m) → (…, m) Q⁻¹·weights: what a report of each cell adds to n·Σ w_x p̂_x."""
        return np.asarray(self._band(weights, *self._bands()) / self._weights)

    def inverse_squared(self, reports: Floats) -> Floats:
        """(…, m) → (…, m) Σ_y reports_y·(Q⁻¹[y, x])²."""
        diagonal, beside = self._bands()
        return self._band(reports / self._weights**2, diagonal**2, beside**2)

    def _bands(self) -> tuple[Floats, float]:
        if self.size == 1:
            return np.ones(1), 0.0
        determinant = self._stop * (1 + self._alpha)
        diagonal = np.full(self.size, 1 + self._alpha**2)
        diagonal[[0, -1]] = 1.0
        return diagonal / determinant, -self._alpha / determinant

    @staticmethod
    def _band(values: Floats, diagonal: Floats, beside: float) -> Floats:
        result = values * diagonal
        result[..., 1:] += beside * values[..., :-1]
        result[..., :-1] += beside * values[..., 1:]
        return result

    def exact_channel(self) -> list[list[Fraction]]:
        """m rows of m probabilities in rationals."""
        if self.size == 1:
            return [[Fraction(1)]]
        end = Fraction(COIN_ONE, COIN_ONE + self.whole)
        inner = end * (1 - self._power(1))
        # Few entries differ; each is made once, as rationals of thousands of digits take long.
        steps = [self._power(t) for t in range(self.size)]
        at_ends, between = [end * step for step in steps], [inner * step for step in steps]
        last = self.size - 1
        return [
            [(between if 0 < y < last else at_ends)[abs(x - y)] for y in range(self.size)]
            for x in range(self.size)
        ]


class GridGeometricMechanism(SymbolReports):
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
        require_exact(self.k**2, "use a smaller map")
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
