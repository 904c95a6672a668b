"""`design`: the best channel for any privacy matrix, with a proof of how good it is.

docs/mathematics.md, "The designer", has the derivation; `problem` says what is solved, `columns`
and `master` how, `relaxation` the proof. For the largest error and for sums of values, too. Where
groups leave single values open, their form Ω is made positive by a little of every value's error,
so that each still has an estimate.

As a mechanism of the catalogue its reports are the numbers of its columns.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.errors import CaldpError, as_array, require
from caldp_core.basics.extras import explain_missing, scipy
from caldp_core.basics.limits import EXACT_MAX_ENTRIES
from caldp_core.basics.types import Floats, Ints, Progress, no_progress, part_of, read_only, turn_of
from caldp_core.mechanisms.base import digest
from caldp_core.mechanisms.designed import master, relaxation
from caldp_core.mechanisms.designed.columns import SearchedRays, extreme_rays, hyperplane_columns
from caldp_core.mechanisms.designed.problem import Classes, Columns, ConnectedPart, Orbit, Problem
from caldp_core.mechanisms.designed.relaxation import K_MAX as RELAXED_MAX
from caldp_core.mechanisms.written_out import WrittenOut
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
    channel: master.WholeChannel
    loss: float
    bound: float
    exact: bool

    def __post_init__(self) -> None:
        rounding = relaxation.ROUNDING * (self.loss + float(self.weights @ self.prior**2))
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
        return relaxation.relative_gap(self.loss, self.bound)


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
    with explain_missing("The designer"):
        from threadpoolctl import threadpool_limits
    # Several threads of BLAS wait for each other at such sizes: five times as long on two cores.
    with threadpool_limits(limits=1, user_api="blas"):
        return _designed(policy, Problem.of(policy, prior, weights), entries, progress)


def _designed(policy: PrivacyMatrix, problem: Problem, entries: int, progress: Progress) -> Design:
    def best(
        own: Ints, part: ConnectedPart, piece: Progress
    ) -> tuple[Floats, Floats, relaxation.Proof]:
        return _best_of(part, EXACT_MAX_ENTRIES * len(own) // policy.k**2, entries, piece)

    channel, bound, exact = _joined(problem, best, progress)
    loss = problem.loss(channel.floats())
    shares, omega = read_only(problem.prior), read_only(problem.weights)
    return Design(policy, shares, omega, channel, loss, max(bound - problem.squares, 0.0), exact)


def _joined(
    problem: Problem,
    best: Callable[[Ints, ConnectedPart, Progress], tuple[Floats, Floats, relaxation.Proof]],
    progress: Progress,
) -> tuple[master.WholeChannel, float, bool]:
    """The channel of the best one of each part, the bound of all, and whether it is exact."""
    parts = problem.parts()
    columns, chances, bound, exact = [], [], 0.0, True
    for i, (own, share, part) in enumerate(parts):
        v, w, proof = best(own, part, turn_of(progress, i, len(parts)))
        columns.append(problem.columns(own, v) / share)
        chances.append(w * share)
        bound, exact = bound + share * proof.bound, exact and proof.exact
    v, w = np.concatenate(columns), np.concatenate(chances)
    channel = master.whole_channel(v, w, problem.prior, problem.levels)
    require(
        master.rows_keep_levels(channel.numerators, 1 << channel.bits, problem.levels),
        "This channel does not keep its privacy matrix: some row is not a distribution or some "
        "report tells two symbols apart by more than it may; design it again.",
    )
    return channel, bound, exact


def _best_of(
    part: ConnectedPart, most: int, entries: int, progress: Progress
) -> tuple[Floats, Floats, relaxation.Proof]:
    """(N, k) columns, (N,) weights, about `most` of them where it can be, and the proof."""
    classes = part.classes()
    rng = np.random.default_rng(_SEED)
    rays = extreme_rays(part.levels, classes.labels, entries // len(part.prior))
    if rays is None:
        return _searched(part, SearchedRays(classes, part.levels, rng), most, progress)
    source = master.AllRays(classes, classes.columns(rays), part.levels)
    best = master.generate(source, _ACCURACY, progress)
    proof = relaxation.make_proof(best, float(master.excess_of(best, source.rays).max()))
    few = master.reduce_columns(best, classes)
    v, w = master.expand_orbits(few, classes, most, rng)
    if len(v) > most or proof.loss * _SHIFT_LOSS_MAX < _loss(v, w, classes):
        small = master.expand_orbits(
            master.reduce_columns(_of_small(source, most), classes), classes, most, rng
        )
        candidates = [(v, w), small, *hyperplane_columns(few, classes, most)]
        v, w = min(candidates, key=lambda each: _loss(each[0], each[1], classes))
    return v, w, proof


def _searched(
    part: ConnectedPart, source: SearchedRays, most: int, progress: Progress
) -> tuple[Floats, Floats, relaxation.Proof]:
    """(N, k) columns, (N,) weights and the proof where not all rays can be looked at."""
    best = master.generate(source, _SEARCHED, part_of(progress, 0.0, 0.7))
    bound = _bound(part, best, part_of(progress, 0.7, 1.0))
    few = master.reduce_columns(best, source.classes, 0.1 * _SEARCHED)
    v, w = master.expand_orbits(few, source.classes, most, source.rng)
    return v, w, relaxation.Proof(best.information.loss, bound, False)


def _bound(part: ConnectedPart, best: master.WeightedColumns, progress: Progress) -> float:
    """A lower bound from merged symbols, from a star, and from a relaxation where it is quick."""
    cuts = relaxation.merged_bounds(part, part_of(progress, 0.0, 0.5))
    bound = sum(cut.bound for cut in cuts)
    star = relaxation.star_cut(part, best, part_of(progress, 0.5, 0.6))
    if star is not None:
        cuts, bound = [*cuts, star], max(bound, star.bound)
    if len(part.prior) > RELAXED_MAX:
        return bound
    return max(bound, relaxation.relaxed_bound(part, best, cuts, part_of(progress, 0.6, 1.0)))


def _of_small(source: master.AllRays, most: int) -> master.WeightedColumns:
    """The best weights of the orbits that can be written out."""
    sizes = np.array([Orbit(v, source.classes).size for v in source.rays.v], dtype=np.float64)
    small = source.rays.rows(np.flatnonzero(sizes <= most))
    return master.generate(
        master.AllRays(source.classes, small, source.levels), _ACCURACY, no_progress
    )


def _loss(v: Floats, w: Floats, classes: Classes) -> float:
    return float(classes.weights @ np.linalg.inv((v * w[:, None]).T @ v).diagonal())


_ROUNDS: Final = 16
_GAP: Final = 2e-3
"""Relative: largest variance and bound that are so close end the search."""
_RAISED: Final = 1.5
"""Power of the variance by which a weight is raised: it then falls by about its root."""
_WEIGHT_MIN: Final = 1e-4
"""Of the largest weight; a value whose variance does not matter still has one."""


@dataclass(frozen=True, eq=False)
class AimedDesign:
    """A `design` for another `loss` than the sum over values, which its own loss and bound are of.

    `loss`: the largest n·Var(p̂_x), or tr(Ω·n·Cov p̂). No channel that keeps E is below `bound`.
    """

    design: Design
    loss: float
    bound: float

    @property
    def gap(self) -> float:
        """How far, at most, `loss` is above any mechanism's, relative."""
        return relaxation.relative_gap(self.loss, self.bound)


def design_for_largest(policy: PrivacyMatrix, progress: Progress = no_progress) -> AimedDesign:
    """Find a channel with the least largest n·Var(p̂_x) under `policy`, for even people.

    Up to 16 designs, each with other weights; see `design` for the rest. Raises `CaldpError` as
    it does.
    """
    weights = np.full(policy.k, 1.0 / policy.k)
    best: AimedDesign | None = None
    for step in range(_ROUNDS):
        candidate = design(policy, None, weights, turn_of(progress, step, _ROUNDS))
        each = variances(candidate)
        bound = max(candidate.bound, 0.0 if best is None else best.bound)
        if best is None or each.max() < best.loss:
            best = AimedDesign(candidate, float(each.max()), bound)
        best = AimedDesign(best.design, best.loss, bound)
        if best.gap < _GAP:
            break
        raised = weights * (each / each.mean()) ** _RAISED
        raised = np.maximum(raised, _WEIGHT_MIN * raised.max())
        weights = raised / raised.sum()
    assert best is not None  # of the first round
    return best


def variances(design: Design) -> Floats:
    """(k,) n·Var(p̂_x) of the best linear unbiased estimate where people are like the prior.

    Values that the policy makes one have that of their sum, each.
    """
    rows = design.channel.floats()
    same = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)
    first = np.unique(same, return_index=True)[1]
    prior = np.bincount(same, design.prior)
    channel = rows[first]
    information = (channel / (prior @ channel)) @ channel.T
    each = np.linalg.inv(information).diagonal() - prior**2
    return np.asarray(each[same])


_SINGLE_VALUE_WEIGHT: Final = 1e-4
"""Weight of every single value's error in the search, relative to the mean weight."""
_FORMS_ACCURACY: Final = 1e-5


def form_of_groups(groups: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    """(k, k) Ω of Σ_g w_g·Var(p̂ of group g); groups may overlap, as boxes do.

    `groups`: (m, k) flags. `weights`: (m,) w > 0, even if None. Raises `CaldpError` for other
    shapes.
    """
    flags = as_array("groups", groups).astype(np.float64)
    require(
        flags.ndim == 2 and bool(np.isin(flags, (0.0, 1.0)).all() and flags.any(axis=1).all()),
        "groups must be a row of flags for each group, with a value at least; give m × k of them.",
    )
    w = np.ones(len(flags)) if weights is None else as_array("weights", weights).astype(np.float64)
    require(
        w.shape == (len(flags),) and bool(np.isfinite(w).all() and (w > 0).all()),
        f"weights must be {len(flags)} positive numbers, one for each group.",
    )
    return np.asarray(flags.T @ (w[:, None] * flags))


def form_loss(channel: Floats, prior: Floats, form: Floats) -> float:
    """tr(Ω·n·Cov p̂) of the best linear unbiased estimate from a (k, outputs) channel at π."""
    inverse = np.linalg.inv((channel / (prior @ channel)) @ channel.T)
    return float((form * inverse).sum() - prior @ form @ prior)


def design_for_form(
    policy: PrivacyMatrix,
    form: ArrayLike,
    prior: ArrayLike | None = None,
    progress: Progress = no_progress,
    entries: int = ENTRIES,
) -> AimedDesign:
    """Find a channel with the least tr(Ω·n·Cov p̂) under `policy`, where people are like π.

    `form`: (k, k) Ω, symmetric, no eigenvalue below 0, such as `form_of_groups` makes. `prior`,
    `entries`: as in `design`. Raises `CaldpError` for another form, for values that a level of 0
    makes one, and where there are more than `entries` of extreme rays: all are looked at.
    """
    omega = _checked(form, policy.k)
    problem = Problem.of(policy, prior, None)
    require(
        problem.groups == policy.k,
        "A level of 0 makes values one, which a form can't weigh apart; leave one of them out.",
    )

    def best(
        own: Ints, part: ConnectedPart, piece: Progress
    ) -> tuple[Floats, Floats, relaxation.Proof]:
        return _best_form(part.levels, part.prior, omega[np.ix_(own, own)], entries, piece)

    channel, bound, exact = _joined(problem, best, progress)
    rows, pi = channel.floats(), problem.prior
    base = Design(policy, pi, problem.weights, channel, problem.loss(rows), 0.0, exact)
    bound = max(bound - float(pi @ omega @ pi), 0.0)
    return AimedDesign(base, form_loss(rows, pi, omega), bound)


def _checked(form: ArrayLike, k: int) -> Floats:
    omega = as_array("form", form).astype(np.float64)
    message = f"form must be {k} × {k} numbers, symmetric and with no eigenvalue below 0"
    require(omega.shape == (k, k) and bool(np.isfinite(omega).all()), f"{message}.")
    values = np.linalg.eigvalsh(0.5 * (omega + omega.T))
    scale = float(values[-1])
    symmetric = bool(np.abs(omega - omega.T).max() <= 1e-12 * max(scale, 0.0))
    require(scale > 0 and symmetric and float(values[0]) >= -1e-12 * scale, f"{message}.")
    return np.asarray(0.5 * (omega + omega.T))


@dataclass(frozen=True, eq=False)
class _FormBasis(Classes):
    """Symbols in the basis in which the form is 1: no twins. `root`: (k, k) L."""

    root: Floats

    @cached_property
    def omega(self) -> Floats:
        """(k,) ones: the form in this basis."""
        return np.ones(len(self.root))

    @cached_property
    def rows_sum(self) -> Floats:
        """(k,) L⁻¹1."""
        return np.asarray(self.turned(np.ones((1, len(self.root))))[0])

    @cached_property
    def scale(self) -> Floats:
        """(k,) Lᵀπ."""
        return np.asarray(self.root.T @ self.prior)

    def turned(self, v: Floats) -> Floats:
        """(N, k) columns β = L⁻¹v."""
        return np.asarray(scipy.linalg.solve_triangular(self.root, v.T, lower=True).T)

    def columns(self, logarithms: Floats) -> Columns:
        """(N, k) logarithms of columns of any scale → columns."""
        plain = Classes(self.labels, self.prior, self.weights).columns(logarithms)
        return Columns(plain.v, self.turned(plain.v), plain.spreads)


def _best_form(
    levels: Floats, prior: Floats, form: Floats, entries: int, progress: Progress
) -> tuple[Floats, Floats, relaxation.Proof]:
    """(N, k) columns, (N,) weights, and the proof of what no channel's tr(ΩM⁻¹) is below."""
    k = len(prior)
    labels: Ints = np.arange(k, dtype=np.int64)
    rays = extreme_rays(levels, labels, entries // k)
    if rays is None:
        raise CaldpError(
            f"A design for sums looks at every extreme ray, and {k} values have more than "
            f"{entries // k:,} here; take fewer values, or more entries."
        )
    mean = max(float(np.trace(form)) / k, np.finfo(float).tiny)
    root: Floats = np.asarray(
        np.linalg.cholesky(form + _SINGLE_VALUE_WEIGHT * mean * np.eye(k)), np.float64
    )
    classes = _FormBasis(labels, prior, np.ones(k), root)
    every = classes.columns(rays)
    best = master.generate(master.AllRays(classes, every, levels), _FORMS_ACCURACY, progress)
    few = master.reduce_columns(best, classes)
    bound = _forms_bound(best, every.v, classes, form)
    return few.columns.v, few.w, relaxation.Proof(best.information.loss, bound, False)


def _forms_bound(
    best: master.WeightedColumns, rays: Floats, classes: _FormBasis, form: Floats
) -> float:
    """f(M)²/(λᵀ1 + δ) with G = M⁻¹ΩM⁻¹ and δ the largest vᵀGv − λᵀv of all rays."""
    v = best.columns.v
    inverse = np.linalg.inv((v * best.w[:, None]).T @ v)
    gradient = inverse @ form @ inverse
    loss = float((form * inverse).sum())
    dual = scipy.linalg.solve_triangular(classes.root, best.dual, lower=True, trans="T")
    gains = np.einsum("ij,ij->i", rays @ gradient, rays)
    most = float(dual.sum()) + max(float((gains - rays @ dual).max()), 0.0)
    return loss * min(loss / most, 1.0) * (1 - relaxation.ROUNDING)


class DesignedMechanism(WrittenOut):
    """The channel of the design `made`, with the estimate that is best at the design's prior."""

    def __init__(self, design: Design) -> None:
        super().__init__(
            design.policy, design.channel.numerators, 1 << design.channel.bits, design.prior
        )
        self.design = design

    @classmethod
    def for_policy(cls, policy: PrivacyMatrix) -> "DesignedMechanism":
        """The design for even people and weights; see `design`."""
        return cls(design(policy))

    @cached_property
    def fingerprint(self) -> str:
        """Digest that two mechanisms share only if their reports mean the same."""
        channel = self.design.channel
        return digest("designed", str(channel.bits), *(f"{row}" for row in channel.numerators))
