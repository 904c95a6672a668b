"""Designs for what a reader asks: the error of groups of values, of boxes, of any sums of values.

The loss is tr(Ω·n·Cov p̂) for a form Ω ⪰ 0 instead of a diagonal one: Σ_g w_g·n·Var(p̂ of group g)
for Ω = Σ w_g 1_g 1_gᵀ. With Ω = LLᵀ and β = L⁻¹v it is that of even weights for the columns β, so
the search for weights is the same; the rows' sums become L⁻¹1. Where groups leave single values
open, Ω is made positive by a little of every value's error, so that each still has an estimate.
The proof is that of `certificate.py` with Ω itself, whose G needs no inverse of it.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import scipy
from numpy.typing import ArrayLike

from caldp_core.basics.errors import as_array, require
from caldp_core.basics.types import Floats, Ints, Progress, no_progress
from caldp_core.mechanisms.designed.arrange import reduce_columns
from caldp_core.mechanisms.designed.certificate import ROUNDING, relative_gap
from caldp_core.mechanisms.designed.design import ENTRIES, Design
from caldp_core.mechanisms.designed.exact import require_levels, whole_channel
from caldp_core.mechanisms.designed.generation import AllRays, generate
from caldp_core.mechanisms.designed.master import WeightedColumns
from caldp_core.mechanisms.designed.moments import Classes, Columns, columns_of
from caldp_core.mechanisms.designed.problem import Problem
from caldp_core.mechanisms.designed.rays import extreme_rays
from caldp_core.privacy.context import PrivacyMatrix

_SINGLE_VALUE_WEIGHT: Final = 1e-4
"""Weight of every single value's error in the search, relative to the mean weight."""
_ACCURACY: Final = 1e-5


@dataclass(frozen=True, eq=False)
class FormDesign:
    """A `design` whose tr(Ω·n·Cov p̂) is `loss`; no channel that keeps E is below `bound`.

    `form`: (k, k) Ω. The design's own loss and bound speak of the sum over single values.
    """

    design: Design
    form: Floats
    loss: float
    bound: float

    @property
    def gap(self) -> float:
        """How far, at most, `loss` is above any mechanism's, relative."""
        return relative_gap(self.loss, self.bound)


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
) -> FormDesign:
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
    columns, chances, bound = [], [], 0.0
    parts = problem.parts()
    for i, (own, share, part) in enumerate(parts):
        own_form = omega[np.ix_(own, own)]
        piece = _piece_of(progress, i, len(parts))
        v, w, least = _best_of(part.levels, part.prior, own_form, entries, piece)
        columns.append(problem.columns(own, v) / share)
        chances.append(w * share)
        bound += share * least
    channel = whole_channel(
        np.concatenate(columns), np.concatenate(chances), problem.prior, problem.levels
    )
    require_levels(channel, problem.levels)
    rows, pi = channel.floats(), problem.prior
    sums = problem.loss(rows)
    base = Design(policy, pi, problem.weights, channel, sums, 0.0, False)
    bound = max(bound - float(pi @ omega @ pi), 0.0)
    return FormDesign(base, omega, form_loss(rows, pi, omega), bound)


def _piece_of(progress: Progress, i: int, pieces: int) -> Progress:
    return lambda share: progress((i + share) / pieces)


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
        plain = columns_of(logarithms, Classes(self.labels, self.prior, self.weights))
        return Columns(plain.v, self.turned(plain.v), plain.spreads)


def _best_of(
    levels: Floats, prior: Floats, form: Floats, entries: int, progress: Progress
) -> tuple[Floats, Floats, float]:
    """(N, k) columns, (N,) weights, and what no channel's tr(ΩM⁻¹) is below."""
    k = len(prior)
    labels: Ints = np.arange(k, dtype=np.int64)
    rays = extreme_rays(levels, labels, entries // k)
    require(
        rays is not None,
        f"A design for sums looks at every extreme ray, and {k} values have more than "
        f"{entries // k:,} here; take fewer values, or more entries.",
    )
    assert rays is not None
    mean = max(float(np.trace(form)) / k, np.finfo(float).tiny)
    root: Floats = np.asarray(
        np.linalg.cholesky(form + _SINGLE_VALUE_WEIGHT * mean * np.eye(k)), np.float64
    )
    classes = _FormBasis(labels, prior, np.ones(k), root)
    every = classes.columns(rays)
    best = generate(AllRays(classes, every, levels), _ACCURACY, progress)
    few = reduce_columns(best, classes)
    return few.columns.v, few.w, _bound(best, every.v, classes, form)


def _bound(best: WeightedColumns, rays: Floats, classes: _FormBasis, form: Floats) -> float:
    """f(M)²/(λᵀ1 + δ) with G = M⁻¹ΩM⁻¹ and δ the largest vᵀGv − λᵀv of all rays."""
    v = best.columns.v
    inverse = np.linalg.inv((v * best.w[:, None]).T @ v)
    gradient = inverse @ form @ inverse
    loss = float((form * inverse).sum())
    dual = scipy.linalg.solve_triangular(classes.root, best.dual, lower=True, trans="T")
    gains = np.einsum("ij,ij->i", rays @ gradient, rays)
    most = float(dual.sum()) + max(float((gains - rays @ dual).max()), 0.0)
    return loss * min(loss / most, 1.0) * (1 - ROUNDING)
