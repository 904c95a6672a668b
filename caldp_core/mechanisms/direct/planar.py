"""Noise in the plane that hides near places better than far ones, as the crow flies.

The planar Laplace mechanism of geo-indistinguishability (Andrés et al. 2013), on the map's own
lattice: the report is the true cell + Z with P(Z = z) ∝ e^{−d(z)}, d the distance of
`EuclideanMetric`, and then moved to the nearest row and column of the map. By the triangle
inequality no weight changes by more than e^{E[x, x′]} between two true cells; moving the report
does not see the true cell, so it costs nothing (their §4.3).

They draw in the continuous plane and round to a grid (§4.2). Rounding merges points, so cells are
told apart less than E allows, at a price: with 1, 2 and 4 nats per cell reports lie 6 %, 40 % and
more than 300 % farther from the truth. And drawn in finite precision it leaks, so they keep back a
part of ε. Here Z is drawn on the grid, from a distribution in rationals: each weight is a
float, taken as exact, of a distance reduced by more than all rounding errors (`planar_law.py`).
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, islice
from typing import Final, TypeAlias

import numpy as np

from caldp_core.basics.errors import check_symbols, require
from caldp_core.basics.limits import DENSE_MAX_ENTRIES, DRAWS_MAX, SPAN_NATS
from caldp_core.basics.types import Floats, Ints, Words, WordSource
from caldp_core.mechanisms.channel_products import DenseProducts, InvertibleProducts
from caldp_core.mechanisms.direct.base import SymbolReports, require_exact
from caldp_core.mechanisms.direct.planar_law import quadrant, reduced_epsilons
from caldp_core.mechanisms.direct.planar_products import (
    PlanarProducts,
    Wholes,
    all_laws,
    law_at,
    mirror_quadrant,
)
from caldp_core.mechanisms.direct.planar_tally import DisplacedTally
from caldp_core.mechanisms.randomness.inversion import WORD, ExactInversion
from caldp_core.mechanisms.tally import digest
from caldp_core.privacy.distance import EuclideanMetric

_MANTISSA: Final = 53
_TWIN_ROWS: Final = 7
_TWIN_COLUMNS: Final = 9


Quadrant: TypeAlias = Callable[[EuclideanMetric], Floats]
"""(rows, columns) weights of displacements ≥ 0 on a map, the last of which hold the tails."""


class PlanarNoise(SymbolReports):
    """Noise on the lattice that is alike in all four quadrants, moved onto the map.

    `quadrant`: its weights. `name`: of the noise, for the fingerprint. The variance of every share
    needs k² ≤ 4,000,000; the rest any map. Raises `CaldpError` where the map is farther across
    than 1,380 nats.
    """

    def __init__(self, policy: EuclideanMetric, quadrant: Quadrant, name: str) -> None:
        self.policy: EuclideanMetric = policy
        self._of_map, self._name = quadrant, name
        farthest = float(policy.between([0], [policy.k - 1])[0])
        require(
            farthest <= SPAN_NATS,
            f"Planar noise may put at most {SPAN_NATS:,.0f} nats between the map's corners, here "
            f"are {farthest:,.0f}; choose a smaller epsilon per step, a smaller map, or "
            "GridGeometric on stricter_grid_metric().",
        )

    @cached_property
    def fingerprint(self) -> str:
        """Digest that two mechanisms share only if their reports mean the same."""
        p = self.policy
        steps = (float(p.epsilon_row).hex(), float(p.epsilon_column).hex())
        return digest(self._name, f"{p.rows}:{p.columns}", *steps)

    @cached_property
    def _quadrant(self) -> Floats:
        return self._of_map(self.policy)

    @cached_property
    def _window(self) -> Floats:
        window = mirror_quadrant(self._quadrant)
        return np.asarray(window / window.sum())

    @cached_property
    def products(self) -> InvertibleProducts:
        """Products with the channel: written out on a small map, by FFT on a large one."""
        if self.k**2 > DENSE_MAX_ENTRIES:
            return PlanarProducts(self._window, *reduced_epsilons(self.policy))
        return DenseProducts(all_laws(self._window))

    def law_of(self, x: int) -> Floats:
        """(k,) probabilities of the reports of a person at x (see `ReportsSymbols`)."""
        (cell,) = check_symbols("x", [x], self.k).tolist()
        law = law_at(self._window, *divmod(cell, self.policy.columns)).ravel()
        return np.asarray(law / law.sum())

    def small_twin(self) -> "PlanarNoise":
        """The same noise on a corner of the map (see `HasSmallTwin`)."""
        p = self.policy
        rows, columns = min(p.rows, _TWIN_ROWS), min(p.columns, _TWIN_COLUMNS)
        return PlanarNoise(replace(p, rows=rows, columns=columns), self._of_map, self._name)

    def exact_channel(self) -> list[list[Fraction]]:
        """k rows of k probabilities in rationals; `CaldpError` above the stated size."""
        require_exact(self.k)
        whole: Wholes = np.array(list(_whole(self._quadrant.ravel())), object)
        window: Wholes = mirror_quadrant(whole.reshape(self._quadrant.shape))
        total = int(window.sum())
        cells = [divmod(x, self.policy.columns) for x in range(self.k)]
        return [[Fraction(int(n), total) for n in law_at(window, *cell).flat] for cell in cells]

    @cached_property
    def _sizes(self) -> ExactInversion:
        """Draws of |Z|, the place of (|z_row|, |z_column|) in the quadrant."""
        doubled = [np.where(np.arange(size) > 0, 2.0, 1.0) for size in self._quadrant.shape]
        weights = (self._quadrant * np.outer(*doubled)).ravel()
        total = sum(_whole(weights))
        floors = (step * WORD // total for step in _running(weights))
        return ExactInversion(
            np.fromiter(floors, np.uint64, weights.size - 1),
            lambda: [Fraction(step, total) for step in _running(weights)],
        )

    def _reports(self, x: Ints, words: WordSource) -> Ints:
        rows, columns = self.policy.rows, self.policy.columns
        row, column = np.divmod(x, columns)
        down, right = np.divmod(self._sizes.draw(x.size, words), columns)
        signs = words(x.size)
        row = np.clip(row + _signed(down, signs, 0), 0, rows - 1)
        column = np.clip(column + _signed(right, signs, 1), 0, columns - 1)
        return np.asarray(row * columns + column)

    @cached_property
    def _one_by_one(self) -> DisplacedTally:
        return DisplacedTally(self._window)

    def _spread(self, people: Ints, rng: np.random.Generator) -> Ints:
        """Cells of fewer than k people are drawn one by one, others by a multinomial each.

        No cheaper way to draw all reports together is known, so there is a limit to Σ min(c, k).
        """
        work = int(np.minimum(people, self.k).sum())
        require(
            work <= DRAWS_MAX,
            f"A tally of planar noise may take at most {DRAWS_MAX:,} draws, this one {work:,}; "
            "take fewer people, or GridGeometric on stricter_grid_metric(), whose cost ignores "
            "them.",
        )
        crowded = people >= self.k
        reports = self._one_by_one.draw(np.where(crowded, 0, people), rng)
        for x in np.flatnonzero(crowded):
            reports = reports + rng.multinomial(people[x], self.law_of(int(x)))
        return reports


class PlanarGeometric(PlanarNoise):
    """Planar geometric noise; see the module and `PlanarNoise`."""

    def __init__(self, policy: EuclideanMetric) -> None:
        super().__init__(policy, quadrant, "planar geometric")


def _signed(size: Ints, signs: Words, bit: int) -> Ints:
    """(n,) sizes with one bit of (n,) words each for a sign."""
    return np.where(signs >> np.uint64(bit) & np.uint64(1), -size, size)


def _whole(weights: Floats) -> Iterator[int]:
    """(n,) floats, all times one power of two that makes them whole."""
    parts, powers = np.frexp(weights)
    least = int(powers.min())
    for part, power in zip(np.ldexp(parts, _MANTISSA).tolist(), powers.tolist(), strict=True):
        yield int(part) << (power - least)


def _running(weights: Floats) -> Iterator[int]:
    """Running sums of (n,) such whole numbers, all but the last."""
    return islice(accumulate(_whole(weights)), weights.size - 1)
