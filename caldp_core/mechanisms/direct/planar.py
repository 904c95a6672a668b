"""Noise that hides near places better than far ones: in the plane, and on a map's axes.

docs/derivations.md, “Noise in the plane” and “Noise on the axes of a map”, has the derivations.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import accumulate, islice
from typing import Final, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics import errors
from caldp_core.basics.extras import scipy
from caldp_core.basics.limits import DENSE_MAX_ENTRIES, DRAWS_MAX, SPAN_NATS
from caldp_core.basics.powers import ceiling_of
from caldp_core.basics.types import Floats, Ints, Words, WordSource
from caldp_core.mechanisms import randomness
from caldp_core.mechanisms.base import digest
from caldp_core.mechanisms.capabilities import DenseProducts, InvertibleProducts
from caldp_core.mechanisms.written_out import SymbolReports
from caldp_core.privacy.distance import EuclideanMetric, GridMetric

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
        raise errors.CaldpError(
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
        errors.require(
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
        ends = randomness.stream_tally(
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
    """Noise on the lattice that is equal in all four quadrants, moved onto the map.

    `quadrant`: its weights. `name`: of the noise, for the fingerprint. The variance of every share
    needs k² ≤ 4,000,000; the rest any map. Raises `CaldpError` where the map is farther across
    than 1,380 nats.
    """

    def __init__(self, policy: EuclideanMetric, quadrant: Quadrant, name: str) -> None:
        self.policy: EuclideanMetric = policy
        self._of_map, self._name = quadrant, name
        farthest = float(policy.between([0], [policy.k - 1])[0])
        errors.require(
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
        (cell,) = errors.check_symbols("x", [x], self.k).tolist()
        law = law_at(self._window, *divmod(cell, self.policy.columns)).ravel()
        return np.asarray(law / law.sum())

    def small_twin(self) -> "PlanarNoise":
        """The same noise on a corner of the map (see `HasSmallTwin`)."""
        p = self.policy
        rows, columns = min(p.rows, _TWIN_ROWS), min(p.columns, _TWIN_COLUMNS)
        return PlanarNoise(replace(p, rows=rows, columns=columns), self._of_map, self._name)

    def exact_channel(self) -> list[list[Fraction]]:
        """k rows of k probabilities in rationals; `CaldpError` above the stated size."""
        errors.require_exact(self.k**2, "use a smaller map")
        whole: Wholes = np.array(list(_whole(self._quadrant.ravel())), object)
        window: Wholes = mirror_quadrant(whole.reshape(self._quadrant.shape))
        total = int(window.sum())
        cells = [divmod(x, self.policy.columns) for x in range(self.k)]
        return [[Fraction(int(n), total) for n in law_at(window, *cell).flat] for cell in cells]

    @cached_property
    def _sizes(self) -> randomness.ExactInversion:
        """Draws of |Z|, the place of (|z_row|, |z_column|) in the quadrant."""
        doubled = [np.where(np.arange(size) > 0, 2.0, 1.0) for size in self._quadrant.shape]
        weights = (self._quadrant * np.outer(*doubled)).ravel()
        total = sum(_whole(weights))
        floors = (step * randomness.WORD // total for step in _running(weights))
        return randomness.ExactInversion(
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
        errors.require(
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
    errors.check_epsilon([a, b])
    (x, x_times), (y, y_times) = _axis_terms(a), _axis_terms(b)
    weights = np.exp(-exponent(x[:, None], y)) * np.outer(x_times, y_times)
    return float((weights * np.hypot(x[:, None], y)).sum() / weights.sum())


def _axis_terms(epsilon: float) -> tuple[Floats, Floats]:
    """Nats and how many displacements they stand for: 0 once, all others on both sides."""
    rule = sum_rule(1, epsilon, max(_REACH / epsilon, 1.0))
    return epsilon * np.append(0.0, rule.nodes), np.append(1.0, 2.0 * rule.weights)


_MARGIN: Final = Fraction(1, 2**48)
"""E is a float, and may be rounded below ε times the distance by a few 2^-52 of itself."""


class GeometricAxis:
    """`size`: m ≥ 1 cells; `epsilon`: nats per step. Arrays of floats act on the last axis."""

    def __init__(self, size: int, epsilon: float) -> None:
        level = Fraction(float(epsilon)) * (1 - _MARGIN)
        self.whole = ceiling_of(lambda power: randomness.COIN_ONE * power, -level)
        self.size = size
        self._alpha = self.whole / randomness.COIN_ONE
        # 1 − α from whole numbers, so that it loses nothing where α is close to 1.
        self._stop = (randomness.COIN_ONE - self.whole) / randomness.COIN_ONE
        weights = np.full(size, self._stop / (1 + self._alpha))
        weights[[0, -1]] = 1 / (1 + self._alpha)
        self._weights: Floats = weights if size > 1 else np.ones(1)

    @cached_property
    def noise(self) -> randomness.ExactInversion:
        """Draws of Z + m − 1, with Z kept in [−(m−1), m−1]: P(Z ≤ −t) = P(Z ≥ t) = α^t/(1+α)."""
        tails = np.array(self._tail_floors(), np.uint64)
        # No tail is a whole number of 2^-64ths, so ⌊2^64(1 − tail)⌋ = 2^64 − 1 − ⌊2^64·tail⌋.
        return randomness.ExactInversion(np.concatenate([tails[::-1], ~tails]), self._noise_steps)

    def _tail_floors(self) -> list[int]:
        """⌊2^64·α^t/(1+α)⌋ for t = 1 … m−1, in whole numbers; zeros once they are reached."""
        floors: list[int] = []
        power = 1
        for t in range(1, self.size):
            power *= self.whole
            shifted = power << randomness.WORD_BITS >> randomness.COIN_BITS * (t - 1)
            floors.append(shifted // (randomness.COIN_ONE + self.whole))
            if not floors[-1]:
                break
        return floors + [0] * (self.size - 1 - len(floors))

    def _noise_steps(self) -> list[Fraction]:
        end = Fraction(randomness.COIN_ONE, randomness.COIN_ONE + self.whole)
        tails = [self._power(t) * end for t in range(1, self.size)]
        return [*reversed(tails), *(1 - tail for tail in tails)]

    def _power(self, exponent: int) -> Fraction:
        return Fraction(self.whole**exponent, randomness.COIN_ONE**exponent)

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
        recursion = [1.0, -self._alpha]
        ahead = scipy.signal.lfilter([1.0], recursion, values, axis=-1)
        behind = scipy.signal.lfilter([1.0], recursion, values[..., ::-1], axis=-1)[..., ::-1]
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
        end = Fraction(randomness.COIN_ONE, randomness.COIN_ONE + self.whole)
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
        errors.require_exact(self.k**2, "use a smaller map")
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
