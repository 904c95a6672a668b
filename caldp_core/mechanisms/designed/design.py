"""`design`: the best channel for any privacy matrix, with a proof of how good it is.

See `problem` for what is solved, `rays` and `generation` for how, `certificate` for the proof, and
docs/mathematics.md, "The designer", for the derivation.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from caldp_core.basics.errors import require
from caldp_core.basics.limits import EXACT_MAX_ENTRIES
from caldp_core.basics.types import Floats, Progress, no_progress, read_only
from caldp_core.mechanisms.designed.arrange import expand_orbits, reduce_columns
from caldp_core.mechanisms.designed.certificate import ROUNDING, Proof, make_proof, relative_gap
from caldp_core.mechanisms.designed.exact import WholeChannel, require_levels, whole_channel
from caldp_core.mechanisms.designed.generation import AllRays, excess_of, generate
from caldp_core.mechanisms.designed.master import WeightedColumns
from caldp_core.mechanisms.designed.merged import merged_bounds
from caldp_core.mechanisms.designed.moments import Classes, columns_of
from caldp_core.mechanisms.designed.orbits import Orbit
from caldp_core.mechanisms.designed.planes import hyperplane_columns
from caldp_core.mechanisms.designed.problem import Part, Problem
from caldp_core.mechanisms.designed.rays import extreme_rays
from caldp_core.mechanisms.designed.relaxation import K_MAX as RELAXED_MAX
from caldp_core.mechanisms.designed.relaxation import relaxed_bound
from caldp_core.mechanisms.designed.search import SearchedRays
from caldp_core.mechanisms.designed.stars import star_cut
from caldp_core.privacy.context import PrivacyMatrix

K_MAX: Final = 256
"""Most symbols of a design."""
ENTRIES: Final = 3_200_000
"""Default for the entries of extreme rays that are all looked at: 200,000 kinds for 16 symbols."""
ENTRIES_MAX: Final = 20_000_000
"""Most entries that a caller may ask for: a quarter of a minute for 13 symbols, and a gigabyte."""
_ACCURACY: Final = 1e-5
"""Relative gain by other columns that is left when the search ends, with all rays known."""
_SEARCHED: Final = 1e-4
"""Relative gain that is left where columns are searched for."""
_SHIFT_LOSS_MAX: Final = 1.002
"""Shifts of large orbits that lose more are compared with small orbits and with hyperplanes."""
_SEED: Final = 11
"""Seed of the search for even arrangements, so that one problem has one design."""


@dataclass(frozen=True, eq=False)
class Design:
    """A channel that keeps `policy`, the best that was found for people like `prior`.

    `prior`, `weights`: (k,) π and ω of the loss Σ ω_x·n·Var(p̂_x) of the best linear unbiased
    estimate. `loss`: that of this channel, computed from it. `bound`: no channel that keeps
    the policy has a smaller one. `exact`: the bound compares with every extreme ray there is.
    Where E = 0 makes symbols indistinguishable, the loss is that of estimating their sum.
    Raises `CaldpError` for a bound above the loss, as its proof is wrong.
    """

    policy: PrivacyMatrix
    prior: Floats
    weights: Floats
    channel: WholeChannel
    loss: float
    bound: float
    exact: bool

    def __post_init__(self) -> None:
        rounding = ROUNDING * (self.loss + float(self.weights @ self.prior**2))
        require(
            self.bound <= self.loss + rounding,
            f"A bound of {self.bound:g} on the loss of every channel is wrong where one has "
            f"{self.loss:g}; design it again.",
        )

    @property
    def gap(self) -> float:
        """How far, at most, `loss` is above any mechanism's, relative: 0.008 stands for 0.8 %.

        0 only where loss and bound are equal but for rounding.
        """
        return relative_gap(self.loss, self.bound)


def design(
    policy: PrivacyMatrix,
    prior: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    progress: Progress = no_progress,
    entries: int = ENTRIES,
) -> Design:
    """Find a channel with the least Σ ω_x·n·Var(p̂_x) under `policy`, where people are like π.

    `prior`: (k,) positive, scaled to sum to 1. `weights`: (k,) ω > 0. Both default to even ones.
    `entries`: where the extreme rays have no more of them (rays times symbols), all are looked at,
    so that the proof is tight; more take longer.
    Raises `CaldpError` for too many symbols or entries, or for levels near 0, and what
    `progress` raises to cancel.
    """
    require(
        policy.k <= K_MAX,
        f"A design may have at most {K_MAX} symbols, got {policy.k:,}; merge some, or use a "
        "family in a context.",
    )
    require(
        0 < entries <= ENTRIES_MAX,
        f"entries must be between 1 and {ENTRIES_MAX:,}, got {entries:,}.",
    )
    # Several threads of BLAS wait for each other at such sizes: five times as long on two cores.
    with threadpool_limits(limits=1, user_api="blas"):
        return _designed(policy, Problem.of(policy, prior, weights), entries, progress)


def _designed(policy: PrivacyMatrix, problem: Problem, entries: int, progress: Progress) -> Design:
    parts = problem.parts()
    columns, chances, bound, exact = [], [], 0.0, True
    for i, (own, share, part) in enumerate(parts):
        most = EXACT_MAX_ENTRIES * len(own) // policy.k**2
        v, w, proof = _best_of(part, most, entries, _piece_of(progress, i, len(parts)))
        columns.append(problem.columns(own, v) / share)
        chances.append(w * share)
        bound, exact = bound + share * proof.bound, exact and proof.exact
    channel = whole_channel(
        np.concatenate(columns), np.concatenate(chances), problem.prior, problem.levels
    )
    require_levels(channel, problem.levels)
    loss = problem.loss(channel.floats())
    shares, omega = read_only(problem.prior), read_only(problem.weights)
    return Design(policy, shares, omega, channel, loss, max(bound - problem.squares, 0.0), exact)


def _piece_of(progress: Progress, i: int, pieces: int) -> Progress:
    return lambda share: progress((i + share) / pieces)


def _best_of(
    part: Part, most: int, entries: int, progress: Progress
) -> tuple[Floats, Floats, Proof]:
    """(N, k) columns, (N,) weights, about `most` of them where it can be, and the proof."""
    classes = part.classes()
    rng = np.random.default_rng(_SEED)
    rays = extreme_rays(part.levels, classes.labels, entries // len(part.prior))
    if rays is None:
        return _searched(part, SearchedRays(classes, part.levels, rng), most, progress)
    source = AllRays(classes, columns_of(rays, classes), part.levels)
    best = generate(source, _ACCURACY, progress)
    proof = make_proof(best, float(excess_of(best, source.rays).max()))
    few = reduce_columns(best, classes)
    v, w = expand_orbits(few, classes, most, rng)
    if len(v) > most or proof.loss * _SHIFT_LOSS_MAX < _loss(v, w, classes):
        small = expand_orbits(reduce_columns(_of_small(source, most), classes), classes, most, rng)
        candidates = [(v, w), small, *hyperplane_columns(few, classes, most)]
        v, w = min(candidates, key=lambda each: _loss(each[0], each[1], classes))
    return v, w, proof


def _searched(
    part: Part, source: SearchedRays, most: int, progress: Progress
) -> tuple[Floats, Floats, Proof]:
    """(N, k) columns, (N,) weights and the proof where not all rays can be looked at."""
    best = generate(source, _SEARCHED, lambda share: progress(0.7 * share))
    bound = _bound(part, best, lambda share: progress(0.7 + 0.3 * share))
    few = reduce_columns(best, source.classes, 0.1 * _SEARCHED)
    v, w = expand_orbits(few, source.classes, most, source.rng)
    return v, w, Proof(best.information.loss, bound, False)


def _bound(part: Part, best: WeightedColumns, progress: Progress) -> float:
    """A lower bound from merged symbols, from a star, and from a relaxation where it is quick."""
    cuts = merged_bounds(part, lambda share: progress(0.5 * share))
    bound = sum(cut.bound for cut in cuts)
    star = star_cut(part, best, lambda share: progress(0.5 + 0.1 * share))
    if star is not None:
        cuts, bound = [*cuts, star], max(bound, star.bound)
    if len(part.prior) > RELAXED_MAX:
        return bound
    return max(bound, relaxed_bound(part, best, cuts, lambda share: progress(0.6 + 0.4 * share)))


def _of_small(source: AllRays, most: int) -> WeightedColumns:
    """The best weights of the orbits that can be written out."""
    sizes = np.array([Orbit(v, source.classes).size for v in source.rays.v], dtype=np.float64)
    small = source.rays.rows(np.flatnonzero(sizes <= most))
    return generate(AllRays(source.classes, small, source.levels), _ACCURACY, no_progress)


def _loss(v: Floats, w: Floats, classes: Classes) -> float:
    return float(classes.weights @ np.linalg.inv((v * w[:, None]).T @ v).diagonal())
