"""Noise in the plane that hides near places better than far ones, as the crow flies.

The planar Laplace mechanism of geo-indistinguishability (Andrés et al. 2013), on the map's own
lattice: the report is the true cell + Z with P(Z = z) ∝ e^{−d(z)}, d the distance of
`EuclideanMetric`, and then moved to the nearest row and column of the map. By the triangle
inequality no weight changes by more than e^{E[x, x′]} between two true cells; moving the report
does not see the true cell, so it costs nothing (their §4.3).

They draw in the continuous plane and round to a grid (§4.2). Rounding merges points, so cells are
told apart less than E allows, at a price: with 1, 2 and 4 nats per cell reports lie 6 %, 40 % and
more than 300 % farther from the truth. And drawn in finite precision it leaks, so they keep back a
part of ε. Here each weight is a float, taken as exact, of a distance reduced by more than all
rounding errors.

On m rows a displacement of m − 1 or more always ends on the border, so displacements up to ±(m−1)
are enough, the last of which hold the sums of the infinite tails; by symmetry one quadrant
determines the rest. A tail is summed panel by panel. Its terms are analytic in z but for branch
points at distance |z| or more, so on a panel no longer than its distance from 0, and no longer than
a few 1/ε, a Gauss rule for sums over whole numbers (with the polynomials of Gram and Chebyshev)
gives the sum from 16 terms with a relative error of a few 2^-52, however small ε is.

p·Q is a convolution, by FFT, whose rows and columns beyond the map are added to its border; Q·w one
with the map's border repeated outwards. The inverse is found by GMRES (Saad, Schultz 1986), with
cosine transforms for a preconditioner: a map mirrored at its border is nearly this one. A tally is
multinomial displacements, put to the people in a random arrangement, a million of them at a time.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import accumulate, islice
from typing import Final, TypeAlias, TypeVar

import numpy as np
import scipy
from numpy.typing import NDArray

from caldp_core.basics.errors import (
    CaldpError,
    check_epsilon,
    check_symbols,
    require,
    require_exact,
)
from caldp_core.basics.limits import DENSE_MAX_ENTRIES, DRAWS_MAX, SPAN_NATS
from caldp_core.basics.types import Floats, Ints, Words, WordSource
from caldp_core.mechanisms.base import digest
from caldp_core.mechanisms.randomness import WORD, ExactInversion, stream_tally
from caldp_core.mechanisms.structures import DenseProducts, InvertibleProducts
from caldp_core.mechanisms.written_out import SymbolReports
from caldp_core.privacy.distance import EuclideanMetric

SLACK_NATS: Final = 1e-11
"""Kept back from every E. A weight is wrong by less than 2e-12 of itself: an exponent of 1380 by a
few 2^-52 of itself, the sum by 1e-14. E is a float too, and may be 1e-12 below its distance."""
_FORGET: Final = 40.0
"""Nats below the largest term of a sum from which terms are left out: together 1e-15."""
_TERMS: Final = 16
_PANEL_NATS: Final = 4.0


@dataclass(frozen=True, eq=False)
class SumRule:
    """Σ f(z) over many whole z is Σ weights·f(nodes): (terms,) and (terms,)."""

    nodes: Floats
    weights: Floats


def sum_rule(start: int, epsilon: float, reach: float) -> SumRule:
    """Rule for the sum over all whole z ≥ start ≥ 1 of an f that is negligible beyond `reach`.

    `epsilon`: log f falls by no more than this in a step.
    """
    nodes, weights = [], []
    longest = max(_TERMS, int(_PANEL_NATS / epsilon))
    while start <= reach:
        length = min(max(start, _TERMS), longest)
        panel = _panel(length)
        nodes.append(start + panel.nodes)
        weights.append(panel.weights)
        start += length
    return SumRule(np.concatenate(nodes), np.concatenate(weights))


def _panel(length: int) -> SumRule:
    """Gauss's rule for Σ f(z), z = 0 … length − 1, exact for degree 31 (Golub, Welsch 1969)."""
    if length <= _TERMS:
        return SumRule(np.arange(length, dtype=np.float64), np.ones(length))
    i = np.arange(1, _TERMS)
    beside = np.sqrt(i**2 * (length**2 - i**2) / (16 * i**2 - 4))
    nodes, vectors = scipy.linalg.eigh_tridiagonal(np.full(_TERMS, 0.5 * (length - 1)), beside)
    return SumRule(np.asarray(nodes, np.float64), length * np.square(vectors[0]))


def quadrant(policy: EuclideanMetric) -> Floats:
    """(rows, columns) weights of displacements by z_row, z_column ≥ 0; the last hold the tails.

    An axis of one cell has no noise. Farthest cells at most `SPAN_NATS` apart.
    """
    rows, columns = policy.rows, policy.columns
    a, b = reduced_epsilons(policy)
    farthest = float(np.hypot(a * (rows - 1), b * (columns - 1)))
    down, right = _axis(rows, a, farthest), _axis(columns, b, farthest)
    distance = np.hypot(a * down.nodes[:, None], b * right.nodes)
    # Weights times e^690 use the whole range of floats: their sum, below 2π·10^6·e^690, is in it.
    terms = np.exp(0.5 * SPAN_NATS - distance)
    return _with_tail(_with_tail(terms, down, rows).T, right, columns).T


def reduced_epsilons(policy: EuclideanMetric) -> tuple[float, float]:
    """ε per row and per column, both times one factor so that every E keeps `SLACK_NATS`."""
    sizes = ((policy.rows, policy.epsilon_row), (policy.columns, policy.epsilon_column))
    least = min((epsilon for size, epsilon in sizes if size > 1), default=1.0)
    share = 1.0 - SLACK_NATS / least
    return share * policy.epsilon_row, share * policy.epsilon_column


def _axis(size: int, epsilon: float, farthest: float) -> SumRule:
    """Displacements 0 … size − 2, and from there on a rule for the tail."""
    if size == 1:
        return SumRule(np.zeros(1), np.ones(1))
    # Beyond the circle farthest + _FORGET nothing counts beside the far corner's own term.
    reach = np.sqrt((size - 1) ** 2 + _FORGET * (2 * farthest + _FORGET) / epsilon**2)
    tail = sum_rule(size - 1, epsilon, reach)
    near = np.arange(size - 1, dtype=np.float64)
    return SumRule(np.append(near, tail.nodes), np.append(np.ones(size - 1), tail.weights))


def _with_tail(terms: Floats, axis: SumRule, size: int) -> Floats:
    tail = axis.weights[size - 1 :] @ terms[size - 1 :]
    return np.concatenate([terms[: size - 1], tail[None]])


Wholes: TypeAlias = NDArray[np.object_]
"""Whole numbers of any size."""
Cells = TypeVar("Cells", Floats, Wholes, Ints)

_RESIDUAL: Final = 1e-12
_RESIDUAL_MAX: Final = 1e-9
"""Of the right side. Shares of 10^12 reports have noise of 10^-6 of themselves or more."""
_RESTART: Final = 100
_CYCLES: Final = 6


def mirror_quadrant(quadrant: Cells) -> Cells:
    """(rows, columns) → (2·rows − 1, 2·columns − 1): displacements of both signs."""
    rows, columns = quadrant.shape
    down, right = np.abs(np.arange(1 - rows, rows)), np.abs(np.arange(1 - columns, columns))
    return quadrant[down[:, None], right]


def law_at(window: Cells, row: int, column: int) -> Cells:
    """(rows, columns) distribution of one cell's reports; `window`: as by `mirror_quadrant`."""
    return _ending_on_map(_ending_on_map(window, row).T, column).T


def _ending_on_map(window: Cells, start: int) -> Cells:
    """(2m − 1, …) displacements of people who start at cell `start` of m → (m, …) their ends."""
    m: int = window.shape[0] // 2 + 1
    starts = [0, *range(m - start, 2 * m - 1 - start)]
    return np.add.reduceat(window, starts, axis=0)


def all_laws(window: Floats) -> Floats:
    """(k, k) distributions of every cell's reports, each scaled to sum 1; see `law_at`."""
    starts = [range(size // 2 + 1) for size in window.shape]
    by_row = np.stack([_ending_on_map(window, row) for row in starts[0]])
    across = by_row.transpose(2, 0, 1)
    ends = np.stack([_ending_on_map(across, column) for column in starts[1]])
    # (column, its ends, row, its ends) → (row, column, its ends, their ends)
    laws = ends.transpose(2, 0, 3, 1).reshape(len(starts[0]) * len(starts[1]), -1)
    return np.asarray(laws / laws.sum(axis=1, keepdims=True))


def clamp_to_map(ends: Cells, rows: int, columns: int) -> Cells:
    """(3·rows − 2, 3·columns − 2) ends around a map → (rows, columns), each at its nearest cell."""
    south_to_north = np.add.reduceat(ends, [0, *range(rows, 2 * rows - 1)], axis=0)
    return np.add.reduceat(south_to_north, [0, *range(columns, 2 * columns - 1)], axis=1)


class PlanarProducts:
    """`InvertibleProducts` of the channel.

    `window`: (2·rows − 1, 2·columns − 1) distribution of the noise. `epsilon_row`,
    `epsilon_column`: nats per step, for the preconditioner.
    """

    def __init__(self, window: Floats, epsilon_row: float, epsilon_column: float) -> None:
        rows, columns = window.shape[0] // 2 + 1, window.shape[1] // 2 + 1
        self._sizes = (rows, columns)
        self._epsilon = (epsilon_row, epsilon_column)
        self._shape = tuple(scipy.fft.next_fast_len(3 * m - 2, real=True) for m in (rows, columns))
        self._spectrum = scipy.fft.rfft2(window, self._shape)

    def apply(self, p: Floats) -> Floats:
        """p·Q: (k,) shares → (k,) distribution of the reports, ≥ 0 if p is."""
        least = 0.0 if float(p.min()) >= 0 else -np.inf
        return np.maximum(self._forward(p), least)

    def apply_transpose(self, weights: Floats) -> Floats:
        """Q·w: (k,) → (k,) means of the weights, so none is beyond their least and largest."""
        return np.clip(self._backward(weights), weights.min(), weights.max())

    def inverse(self, reports: Floats) -> Floats:
        """reports·Q⁻¹; `CaldpError` where floating point cannot find it."""
        return self._solve(self._forward, reports)

    def score(self, weights: Floats) -> Floats:
        """Q⁻¹·w; `CaldpError` where floating point cannot find it."""
        return self._solve(self._backward, weights)

    def inverse_squared(self, reports: Floats) -> Floats:
        """Raises `CaldpError`, as it needs the whole inverse."""
        raise CaldpError(
            f"The variance of every share needs a table of {reports.size:,}² numbers, too many; "
            "use a smaller map, or sum_variance for the cells or regions that matter."
        )

    def _forward(self, p: Floats) -> Floats:
        rows, columns = self._sizes
        ends = self._convolved(p.reshape(self._sizes))[: 3 * rows - 2, : 3 * columns - 2]
        return clamp_to_map(ends, rows, columns).ravel()

    def _backward(self, weights: Floats) -> Floats:
        rows, columns = self._sizes
        around = [(size - 1, size - 1) for size in self._sizes]
        repeated = np.pad(weights.reshape(self._sizes), around, mode="edge")
        # The noise is symmetric, so that correlation is convolution.
        moved = self._convolved(repeated)
        return moved[2 * rows - 2 : 3 * rows - 2, 2 * columns - 2 : 3 * columns - 2].ravel()

    def _convolved(self, cells: Floats) -> Floats:
        spectrum = scipy.fft.rfft2(cells, self._shape) * self._spectrum
        return np.asarray(scipy.fft.irfft2(spectrum, self._shape))

    @cached_property
    def _mirrored(self) -> Floats:
        """(rows, columns) spectrum of the noise on a mirrored map, roughly.

        In the plane e^{−‖z‖} has the spectrum (1 + ‖ω‖²)^{−3/2}, on the line the power is −1;
        4·sin²(ω/2)·α/(1 − α)² in place of (ω/ε)² is exact on the line.
        """
        power = -0.5 * (1 + sum(size > 1 for size in self._sizes))
        square = [
            np.square(np.sin(0.5 * np.pi * np.arange(size) / size) / np.sinh(0.5 * epsilon))
            for size, epsilon in zip(self._sizes, self._epsilon, strict=True)
        ]
        return np.asarray((1.0 + square[0][:, None] + square[1]) ** power)

    def _unmirror(self, cells: Floats) -> Floats:
        waves = scipy.fft.dctn(cells.reshape(self._sizes), norm="ortho") / self._mirrored
        return np.asarray(scipy.fft.idctn(waves, norm="ortho").ravel())

    def _solve(self, product: Callable[[Floats], Floats], right: Floats) -> Floats:
        k = right.size
        operator = scipy.sparse.linalg.LinearOperator(
            (k, k), matvec=lambda cells: product(self._unmirror(cells)), dtype=np.float64
        )
        spectrum, _ = scipy.sparse.linalg.gmres(
            operator, right, rtol=_RESIDUAL, restart=_RESTART, maxiter=_CYCLES
        )
        solution = self._unmirror(spectrum)
        error = np.linalg.norm(product(solution) - right)
        require(
            bool(error <= _RESIDUAL_MAX * np.linalg.norm(right)),
            f"At this epsilon the noise hides too much to undo it for {k:,} cells in floating "
            "point; choose a larger epsilon or a smaller map, or estimate by maximum likelihood.",
        )
        return solution


class DisplacedTally:
    """Tallies on a map of rows × columns cells.

    `window`: (2·rows − 1, 2·columns − 1) distribution of the noise.
    """

    def __init__(self, window: Floats) -> None:
        self._rows, self._columns = (size // 2 + 1 for size in window.shape)
        # Places are numbered on a map with room for every displacement on all sides.
        self._wide = 3 * self._columns - 2
        down = np.arange(1 - self._rows, self._rows)[:, None]
        right = np.arange(1 - self._columns, self._columns)
        # The likeliest first: a multinomial ends with its last person.
        order = np.argsort(-window, axis=None)
        self._shifts = (down * self._wide + right).ravel()[order].astype(np.int32)
        self._chances = window.ravel()[order]

    def draw(self, people: Ints, rng: np.random.Generator) -> Ints:
        """(k,) people per cell → (k,) reports per cell, from their joint distribution."""
        k = self._rows * self._columns
        row, column = np.divmod(np.arange(k), self._columns)
        places = (row + self._rows - 1) * self._wide + column + self._columns - 1
        ends = stream_tally(
            people,
            lambda x: places[x] + self._moved(x.size, rng),
            partial(np.bincount, minlength=(3 * self._rows - 2) * self._wide),
        )
        return clamp_to_map(ends.reshape(-1, self._wide), self._rows, self._columns).ravel()

    def _moved(self, n: int, rng: np.random.Generator) -> Ints:
        """(n,) displacements, as differences of places."""
        return rng.permutation(np.repeat(self._shifts, rng.multinomial(n, self._chances)))


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
        require_exact(self.k**2, "use a smaller map")
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


class PlanarGeometricMechanism(PlanarNoise):
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


_REACH: Final = 64.0
"""Nats beyond which neither noise counts: e^{−64/√2} of the product's is left."""


def product_displacement(epsilon_row: float, epsilon_column: float) -> float:
    """Mean distance of report and truth for geometric noise on both axes, same promise and ε."""
    return _mean_distance(epsilon_row, epsilon_column, lambda x, y: np.sqrt(0.5) * (x + y))


def _mean_distance(a: float, b: float, exponent: Callable[[Floats, Floats], Floats]) -> float:
    check_epsilon([a, b])
    (x, x_times), (y, y_times) = _axis_terms(a), _axis_terms(b)
    weights = np.exp(-exponent(x[:, None], y)) * np.outer(x_times, y_times)
    return float((weights * np.hypot(x[:, None], y)).sum() / weights.sum())


def _axis_terms(epsilon: float) -> tuple[Floats, Floats]:
    """Nats and how many displacements they stand for: 0 once, all others on both sides."""
    rule = sum_rule(1, epsilon, max(_REACH / epsilon, 1.0))
    return epsilon * np.append(0.0, rule.nodes), np.append(1.0, 2.0 * rule.weights)
