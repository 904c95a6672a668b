"""The estimator "cascade": shares of the least expected error, given what lies around them.

docs/estimators.md has its steps, and what it gains. It takes the units of the noise's standard
deviation: an estimate z, normal around the share u, and an expected share e. Before the estimate is
seen, u/e has a beta prime distribution of mean 1: with a small shape most shares are far below what
is expected and a few far above it, as numbers of people in neighbouring cells are; with a large one
all are close to it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from operator import attrgetter
from typing import Final, TypeAlias

import numpy as np

from caldp_core.basics.extras import scipy
from caldp_core.basics.types import Floats, Ints, Levels, Singles, read_only, sums_by
from caldp_core.domain.partitions import neighbours
from caldp_core.estimation.cascade import Cascade, cascade
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.projection import TiedShares
from caldp_core.mechanisms import Mechanism
from caldp_core.mechanisms.randomness import generator
from caldp_core.privacy.context import Context, PersonalPolicy


@dataclass(frozen=True)
class Shape:
    """How shares spread around what is expected: beta prime with `shape` a and `tail` b."""

    shape: float
    tail: float


SHAPES: Final = (
    *(Shape(shape, tail) for tail in (1.5, 6.0) for shape in (0.1, 0.25, 0.5, 1.0, 2.0)),
    *(Shape(shape, shape) for shape in (8.0, 32.0, 128.0)),
)
"""From nearly all shares 0 to shares that are all nearly as expected."""
LEVELS: Final = np.array([0.02, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.98])
"""Probabilities of the quantiles."""
UNSHRUNK_ABOVE: Final = 12.0
"""Estimates above it are not drawn towards what was expected."""
_STEP: Final = 0.125
"""Step of the grids in z and in the logarithm of e."""
Z_GRID: Final = np.arange(-6.0, UNSHRUNK_ABOVE + _STEP / 2, _STEP)
LOG_E: Final = np.arange(-7.0, 4.0, _STEP)
EDGES: Final = np.concatenate(
    [
        np.geomspace(3e-4, 1.0, 60)[:-1],
        np.arange(1.0, UNSHRUNK_ABOVE + 6.0, _STEP),
        np.geomspace(18.0, 400, 30),
    ]
)
"""Upper edges of the grid in u: fine beside 0, then an eighth of the noise."""
_LOWEST: Final = -4.0
"""Estimates below it are taken for it: noise alone gives one in 30,000."""


@lru_cache(maxsize=len(SHAPES))
def prior_law(shape: Shape) -> Floats:
    """(e, u) probability that the share is in the cell of the grid below each u; rows sum to 1."""
    ratio = EDGES * np.exp(-LOG_E[:, None]) * shape.shape / (shape.tail - 1.0)
    below = scipy.special.betainc(shape.shape, shape.tail, ratio / (1.0 + ratio))
    below[:, -1] = 1.0
    return read_only(np.diff(below, axis=1, prepend=0.0))


@lru_cache(maxsize=1)
def likelihood() -> Floats:
    """(z, u) density of each estimate, but for a constant, if the share is in a cell u."""
    middle = EDGES - 0.5 * np.diff(EDGES, prepend=0.0)
    deviations = np.maximum(Z_GRID, _LOWEST)[:, None] - middle
    return read_only(np.exp(-0.5 * deviations**2))


@lru_cache(maxsize=1)
def log_evidence() -> Floats:
    """(shapes, e, z) logarithm of the density of an estimate, but for a constant."""
    law = likelihood().T
    return read_only(np.log(np.stack([prior_law(shape) @ law for shape in SHAPES]) + 1e-300))


@lru_cache(maxsize=len(SHAPES))
def quantile_table(shape: Shape) -> Floats:
    """(levels, e, z) quantiles of the share, once its estimate is seen."""
    return read_only(np.stack([posterior_quantiles(prior) for prior in prior_law(shape)], axis=1))


def posterior_quantiles(prior: Floats) -> Floats:
    """(levels, z) quantiles of a share that has the (u,) `prior`, once its estimate is seen."""
    each, edges = np.arange(Z_GRID.size), np.concatenate([[0.0], EDGES])
    below = np.cumsum(likelihood() * prior, axis=1)
    below /= below[:, -1:]
    reached = np.concatenate([np.zeros((Z_GRID.size, 1)), below], axis=1)
    # Row i between i and i + 1: one sorted list, in which all levels of all are looked up.
    places = np.searchsorted((below + each[:, None]).ravel(), LEVELS[:, None] + each)
    cell = np.clip(places - each * EDGES.size, 0, EDGES.size - 1)
    before, upto = reached[each, cell], reached[each, cell + 1]
    inside = (LEVELS[:, None] - before) / (upto - before)
    return np.asarray(edges[cell] + inside * (edges[cell + 1] - edges[cell]), np.float32)


@dataclass(frozen=True, eq=False)
class GridEstimates:
    """(k,) estimates `z`, each as its `place` on the grid and the `fraction` of a step beyond it.

    `far`: symbols whose estimates are beyond `UNSHRUNK_ABOVE`.
    """

    z: Floats
    place: Ints
    fraction: Floats
    far: Ints

    @classmethod
    def of(cls, z: Floats) -> "GridEstimates":
        """The grid places of (k,) estimates `z`, over their standard deviations."""
        at = (np.clip(z, Z_GRID[0], UNSHRUNK_ABOVE - 1e-9) - Z_GRID[0]) / _STEP
        place = at.astype(np.int64)
        return cls(z, place, at - place, np.flatnonzero(z >= UNSHRUNK_ABOVE))

    @cached_property
    def nearest(self) -> Ints:
        """(k,) nearest place on the grid."""
        return self.place + (self.fraction > 0.5)


def grid_rows(expected: Floats) -> Ints:
    """(k,) rows of the grid for (k,) expected shares, in standard deviations."""
    return log_rows(np.log(np.maximum(expected, np.exp(LOG_E[0]))))


def log_rows(logs: Floats | Singles) -> Ints:
    """(k,) rows of the grid for (k,) logarithms of expected shares, each at least the first."""
    at = np.rint((logs - LOG_E[0]) / _STEP)
    return np.asarray(np.minimum(at, LOG_E.size - 1), np.int64)


def shape_scores(estimates: GridEstimates, rows: Ints) -> Floats:
    """(shapes,) fit of `SHAPES` to all estimates that are not far, in nats, but for a constant."""
    cells = rows * Z_GRID.size + estimates.nearest
    size = LOG_E.size * Z_GRID.size
    numbers = np.bincount(cells, minlength=size) - np.bincount(cells[estimates.far], minlength=size)
    # Nats that speak against each beforehand: one for each factor of two from a = ½.
    surprise = np.array([abs(np.log2(each.shape / 0.5)) for each in SHAPES])
    return np.asarray(log_evidence().reshape(len(SHAPES), -1) @ numbers - surprise)


def look_up(estimates: GridEstimates, table: Floats, rows: Ints, level: Ints) -> Floats:
    """(k,) quantiles of the shares, in standard deviations, each ≥ 0 and rising with its `level`.

    `table`: (levels, rows, z), such as `quantile_table`. `level`: (k,) or one, places in `LEVELS`.
    Beyond `UNSHRUNK_ABOVE` the estimate counts as it is: its quantiles are those of the noise.
    """
    first = (level * table.shape[1] + rows) * Z_GRID.size + estimates.place
    flat = table.ravel()
    low = flat[first]
    values = low + (flat[first + 1] - low) * estimates.fraction
    noise = scipy.special.ndtri(LEVELS)[np.broadcast_to(level, rows.shape)[estimates.far]]
    values[estimates.far] = np.maximum(estimates.z[estimates.far] + noise, 0.0)
    return np.asarray(values)


SYMBOLS_LEAST: Final = 9
"""Noisy symbols of a block; of fewer nothing is expected, and they get the nearest shares."""
PEOPLE_LEAST: Final = 30
"""People of a block; the noise of fewer is not normal."""
ALL_LEAST: Final = 64
"""Noisy symbols of such blocks together; fewer do not say how shares spread."""
EVIDENCE_MIN_NATS: Final = 5.0
"""Nats by which further knowledge must fit better, or chance would choose it: 150 to 1."""
Expectations: TypeAlias = Callable[[Floats, Floats], Sequence[Floats]]
"""(k,) shares so far, (k,) means of what lies around → (k,) shares that may be expected, each."""
_ROUNDS: Final = 2
_EM_ROUNDS: Final = 60
_ALIKE: Final = 0.15
"""Spread of the logarithm of what is expected up to which one law is for all symbols."""
_HALVINGS: Final = (4, 2, 1)


@dataclass(frozen=True, eq=False)
class Fit:
    """What (u,) noisy symbols may hold: `quantile` of (u,) levels → (u,); `nats`: how well it fits.

    In standard deviations of each. `prior`: (e, u) laws, of which each symbol's is that of its row
    in `rows`, (u,). `uses_place`: whether what lies around a symbol says what it may hold.
    """

    quantile: Callable[[Ints], Floats]
    nats: float
    rows: Ints
    prior: Floats
    uses_place: bool = False


def cascade_estimate(evidence: Evidence) -> Floats:
    """(k,) shares ≥ 0 that keep each block's observed total."""
    if not pooling_helps(evidence.mechanism):
        return evidence.plausible
    noisy, fit = best_fit(evidence)
    return noisy.shares(fit)


def best_fit(
    evidence: Evidence, extra: Expectations = lambda _shares, _around: ()
) -> tuple["NoisySymbols", Fit]:
    """The noisy symbols, and the expectation that fits them best in the end."""
    tied = evidence.tied_shares
    noisy = NoisySymbols.of(tied, evidence)
    even = noisy.fit(even_shares(tied))
    apart = max(even, noisy.free(even), key=attrgetter("nats"))
    if evidence.domain is None:
        return noisy, apart
    around, best = neighbours(evidence.domain).neighbour_means, apart
    pooled = evidence.cascade_pooling
    shares, excess = pooled.shares, excess_nats(pooled, tied)
    for _ in range(_ROUNDS):
        beside = around(shares)
        own = noisy.fit(beside, excess)
        others = (noisy.fit(each, excess + EVIDENCE_MIN_NATS) for each in extra(shares, beside))
        beside_others = (replace(fit, uses_place=True) for fit in (own, *others))
        best = max(apart, *beside_others, key=attrgetter("nats"))
        shares = noisy.shares(best)
    return noisy, best


def pooling_helps(mechanism: Mechanism) -> bool:
    """Whether surroundings can help: symbols' noise is nearly independent, and there are enough.

    It is independent in contexts, with or without tags for own places. Under a policy of distances
    neighbours share their noise: there, and where symbols are few, the cascade returns the nearest
    shares.
    """
    policy = mechanism.policy
    if isinstance(policy, PersonalPolicy):
        return policy.k >= ALL_LEAST
    sizes = policy.block_sizes() if isinstance(policy, Context) else np.zeros(0, np.int64)
    return int(sizes[sizes >= SYMBOLS_LEAST].sum()) >= ALL_LEAST


def resolution(evidence: Evidence) -> Cascade:
    """Where the data bear which resolution: what stands out, and how far the rest is pooled."""
    if pooling_helps(evidence.mechanism):
        return evidence.cascade_pooling
    return cascade(evidence.tied_shares, (), evidence.false_share)


def pooling_levels(evidence: Evidence) -> Levels | None:
    """(k,) how far each symbol was pooled, as in `Cascade.levels`; None where nothing is."""
    if not pooling_helps(evidence.mechanism):
        return None
    levels = evidence.cascade_pooling.levels
    return read_only(levels) if levels.any() else None


def even_shares(tied: TiedShares) -> Floats:
    """(k,) each block's share parted evenly, but for a symbol that surely has most of it.

    Counted in, it would make all others expect a part of what is its own.
    """
    deviation, m = tied.deviations, tied.totals.size
    sure = tied.estimate > UNSHRUNK_ABOVE * deviation
    near = ~(sure & (tied.estimate > 0.5 * tied.totals[tied.blocks]))
    known = sums_by(tied.blocks, np.where(near, 0.0, np.maximum(tied.estimate, 0.0)), m)
    number = sums_by(tied.blocks, near.astype(np.float64), m)
    part = np.maximum(tied.totals - known, 0.0) / np.maximum(number, 1.0)
    return np.asarray(part[tied.blocks])


def excess_nats(pooled: Cascade, tied: TiedShares) -> float:
    """Degrees of freedom by which surroundings know the symbol that they surround.

    A tile of g symbols spreads a g-th of the noise of each over all of it, and about 1 − 1/√g of a
    symbol's neighbours are in its tile; tiles that were left nothing know nothing. A fit gains a
    nat for each (Akaike 1974); a block's total is known and takes one back.
    """
    number = pooled.pool_sizes[pooled.shares > 0]
    return max(float(((1.0 - 1.0 / np.sqrt(number)) / number).sum()) - tied.totals.size, 0.0)


def freest_law(counts: Ints, begin: Floats, rounds: int = _EM_ROUNDS) -> Floats:
    """(u,) law of shares that explains (z,) counts of estimates best, by EM from `begin`, (u,).

    Kiefer and Wolfowitz 1956; stopped early, so that it stays near `begin` where little is known.
    """
    seen = counts > 0
    density, weights, law = likelihood()[seen], counts[seen] / counts.sum(), begin
    for _ in range(rounds):
        law = law * (density.T @ (weights / (density @ law)))
    return 0.999 * law + 0.001 * begin


@dataclass(frozen=True, eq=False)
class NoisySymbols:
    """The (u,) hidden symbols `at` with noisy estimates `seen`, and their `deviation`.

    `known`: (k,) shares of all others, 0 for these. `left`: (m,) what `known` leaves of each block.
    """

    blocks: Ints
    at: Ints
    deviation: Floats
    seen: GridEstimates
    known: Floats
    left: Floats

    @classmethod
    def of(cls, tied: TiedShares, evidence: Evidence) -> "NoisySymbols":
        """Those of blocks that are large enough for something to be expected."""
        blocks, m = tied.blocks, tied.totals.size
        deviation = tied.deviations
        noisy = evidence.clear.hidden & (deviation > 0)
        symbols = sums_by(blocks, noisy.astype(np.float64), m)
        enough = (symbols >= SYMBOLS_LEAST) & (tied.totals * evidence.n >= PEOPLE_LEAST)
        enough &= symbols[enough].sum() >= ALL_LEAST
        at = np.flatnonzero(noisy & enough[blocks])
        known = evidence.plausible.copy()
        known[at] = 0.0
        left = np.maximum(tied.totals - sums_by(blocks, known, m), 0.0)
        seen = GridEstimates.of(tied.estimate[at] / deviation[at])
        return cls(blocks[at], at, deviation[at], seen, known, left)

    def fit(self, expected: Floats, excess: float = 0.0) -> Fit:
        """The shape that fits `expected`, (k,) shares, best; its fit is `excess` nats too good."""
        rows = grid_rows(expected[self.at] / self.deviation)
        nats = shape_scores(self.seen, rows)
        best = int(np.argmax(nats))
        shape = SHAPES[best]
        by_level = partial(look_up, self.seen, quantile_table(shape), rows)
        return Fit(by_level, float(nats[best]) - excess, rows, prior_law(shape))

    def free(self, even: Fit) -> Fit:
        """One law of any form for all symbols, where they are expected to hold about the same.

        Its nats are of symbols that it was not fitted to: two halves, each by the other's law.
        """
        near = np.ones(even.rows.size, np.bool_)
        near[self.seen.far] = False
        rows = np.zeros_like(even.rows)
        if 2 * near.sum() <= near.size or even.rows.std() * _STEP > _ALIKE:
            return Fit(even.quantile, -np.inf, rows, even.prior[:1])
        counts = np.bincount(self.seen.nearest[near], minlength=Z_GRID.size)
        of_rows = np.bincount(even.rows[near], minlength=LOG_E.size) / near.sum()
        begin = 0.99 * (of_rows @ even.prior) + 0.01 * np.diff(EDGES, prepend=0.0) / EDGES[-1]
        half = generator(0).multivariate_hypergeometric(counts, near.sum() // 2)
        parts = (half, counts - half)
        laws = [freest_law(part, begin) for part in parts]
        fits = zip(parts, laws[::-1], strict=True)
        nats = sum(part @ np.log(likelihood() @ law) for part, law in fits)
        law = freest_law(counts, begin)
        by_level = partial(look_up, self.seen, posterior_quantiles(law)[:, None], rows)
        return Fit(by_level, float(nats) - EVIDENCE_MIN_NATS, rows, law[None])

    def shares(self, fit: Fit) -> Floats:
        """(k,) shares of the least expected error by a fit."""
        result = self.known.copy()
        result[self.at] = self._parted(fit.quantile)
        return result

    def _parted(self, quantile: Callable[[Ints], Floats]) -> Floats:
        """(u,) shares between two quantiles next to each other, the same two in a block.

        They give what is `left` of the block; where that is beyond all, the nearest are scaled.
        `quantile`: (u,) of (u,) levels, in standard deviations.
        """
        blocks, m = self.blocks, self.left.size

        def at(levels: Ints) -> tuple[Floats, Floats]:
            each = quantile(levels[blocks]) * self.deviation
            return each, sums_by(blocks, each, m)

        below = np.zeros(m, np.int64)
        for step in _HALVINGS:
            below += step * (at(below + step)[1] < self.left)
        (each, low), (above, high) = at(below), at(below + 1)
        gap = high - low
        part = np.divide(self.left - low, gap, out=np.zeros(m), where=gap > 0)
        part = np.clip(part, 0.0, 1.0)
        reached = low + part * gap
        scale = np.divide(self.left, reached, out=np.zeros(m), where=reached > 0)
        return np.asarray((each + part[blocks] * (above - each)) * scale[blocks])
