r"""How often an even guess between two symbols can become right, by the promise alone.

Source: CALDP (Acharya, Bonawitz, Kairouz, Ramage, Sun 2020). Theorem 1 bounds the two errors of
every test of "x or x′?" by the region of E[x, x′] = a and E[x′, x] = b; the corner of that region
in Theorem 2's proof, eq. (23), has the least sum of both errors. With both symbols equally likely
beforehand that leaves

    ½·(1 + (e^a − 1)(e^b − 1)/(e^{a+b} − 1)),

which is e^a/(1 + e^a) for a = b, and 1 − e^{−a}/2 where only x is protected (b = ∞).
"""

from dataclasses import dataclass
from functools import singledispatch

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.errors import check_whole, require
from caldp_core.basics.types import Floats
from caldp_core.privacy.context import Context, PersonalPolicy, PrivacyMatrix, dense
from caldp_core.privacy.distance import DistanceMetric, EuclideanMetric, GridMetric
from caldp_core.privacy.matrix import closure


@dataclass(frozen=True)
class PairOdds:
    """Most that an even guess between two symbols becomes right, each in [0.5, 1].

    `both_ways`: over all pairs of which each symbol is protected against the other; `one_way`: over
    all pairs of which just one is. None where there is no such pair.
    """

    both_ways: float | None
    one_way: float | None

    @property
    def protected(self) -> bool:
        """Whether any symbol is protected at all."""
        return self.both_ways is not None or self.one_way is not None

    @property
    def largest(self) -> float:
        """The larger one: over all pairs that a protected symbol is in. 1 without any."""
        return max((each for each in (self.both_ways, self.one_way) if each), default=1.0)


def even_guess(forward: ArrayLike, backward: ArrayLike, reports: int = 1) -> Floats:
    """The module's formula for `forward` = E[x, x′] and `backward` = E[x′, x], in [0, ∞] nats.

    Levels of any shapes that fit each other → floats in [0.5, 1] of their common shape. After m =
    `reports` independent reports both levels are m times as large (CALDP Proposition 2). Raises
    `CaldpError` for a level below 0 and for fewer reports than one.
    """
    many = check_whole("reports", reports, 1, 10**9)
    a, b = (many * np.asarray(level, dtype=np.float64) for level in (forward, backward))
    require(bool((a >= 0).all() and (b >= 0).all()), "Levels of a promise must be in [0, inf].")
    both = -np.expm1(-(a + b))
    # Both levels 0: the two symbols send alike, and the guess stays even.
    difference = np.divide(
        np.expm1(-a) * np.expm1(-b), both, out=np.zeros(np.shape(both)), where=both > 0
    )
    return np.asarray(0.5 * (1.0 + difference))


@singledispatch
def pair_odds(policy: PrivacyMatrix, reports: int = 1) -> PairOdds:
    """The largest chance over the pairs that the protected symbols of a policy are in.

    A symbol x is protected against x′ where E[x, x′] is finite. Pairs without any bound are in no
    promise and not counted. Contexts of any size; other policies by their shortest-path closure,
    which they imply. Raises `CaldpError` where `dense` does.
    """
    return _of_table(closure(policy).entries, reports)


@pair_odds.register
def _of_distance_table(policy: DistanceMetric, reports: int = 1) -> PairOdds:
    # Distances keep the triangle inequality: they are their own closure.
    return _of_table(dense(policy), reports)


def _of_table(levels: Floats, reports: int) -> PairOdds:
    first, second = np.triu_indices(len(levels), 1)
    return _largest(levels[first, second], levels[second, first], reports)


@pair_odds.register
def _of_context(policy: Context, reports: int = 1) -> PairOdds:
    sensitive = np.bincount(policy.blocks[policy.sensitive], minlength=policy.m)
    others = policy.block_sizes() - sensitive
    within = policy.epsilon[sensitive >= 2]
    beside = policy.epsilon[(sensitive >= 1) & (others >= 1)]
    forward = np.concatenate([within, beside])
    backward = np.concatenate([within, np.full(beside.size, np.inf)])
    return _largest(forward, backward, reports)


@pair_odds.register
def _of_tags(policy: PersonalPolicy, reports: int = 1) -> PairOdds:
    return _of_context(policy.with_tags(), reports)


@pair_odds.register(GridMetric)
@pair_odds.register(EuclideanMetric)
def _of_distances(policy: GridMetric | EuclideanMetric, reports: int = 1) -> PairOdds:
    """The odds of the two cells that are farthest apart, opposite corners."""
    if policy.k == 1:
        return PairOdds(None, None)
    level = policy.between([0], [policy.k - 1])
    return _largest(level, level, reports)


def _largest(forward: Floats, backward: Floats, reports: int) -> PairOdds:
    chances = even_guess(forward, backward, reports)
    forward_finite, backward_finite = np.isfinite(forward), np.isfinite(backward)

    def largest(pairs: Floats) -> float | None:
        return float(pairs.max()) if pairs.size else None

    return PairOdds(
        largest(chances[forward_finite & backward_finite]),
        largest(chances[forward_finite ^ backward_finite]),
    )
