"""The best weights for given columns: a convex program, by a primal-dual interior-point method.

Minimise F(w) = tr(ΩM(w)⁻¹) with Σ w v = 1, w ≥ 0. With multipliers λ of the rows and s ≥ 0 of the
weights, the optimum has λᵀv_i − v_iᵀGv_i = s_i and w_i·s_i = 0. F's Hessian is UUᵀ with as many
columns as M has entries, so a step costs O(N·(r²/2)²) for N columns (Woodbury).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import scipy

from caldp_core.basics.types import Floats
from caldp_core.mechanisms.designed.moments import Classes, Columns, Information

_Solver: TypeAlias = Callable[[Floats], Floats]
_STEPS: Final = 80
_TOGETHER: Final = 1e-9
"""Relative: how far the weights' share of the duality gap is driven down."""
_NEW_COLUMNS_SHARE: Final = 0.1
"""Share of the weight that a warm start gives to new columns, and half of it to the others."""
_SLACK: Final = 0.01
"""Least slack at a warm start, as a share of the loss: it starts well inside."""


@dataclass(frozen=True, eq=False)
class WeightedColumns:
    """Columns with their best weights `w`: (N,), M, and `dual` λ: (r,), in the basis of β."""

    columns: Columns
    w: Floats
    dual: Floats
    information: Information


@dataclass(frozen=True, eq=False)
class WarmStart:
    """A warm start: `w`: (m,) earlier weights of the first m of the columns, and `dual` λ: (r,)."""

    w: Floats
    dual: Floats


def best_weights(
    columns: Columns,
    classes: Classes,
    accuracy: float = _TOGETHER,
    before: WarmStart | None = None,
) -> WeightedColumns:
    """Solve for w. Some weights must make a channel. `accuracy`: of the loss, relative.

    `before`: where to start, which takes half the steps if it is near.
    """
    now = _start(columns, classes) if before is None else _start_near(columns, classes, before)
    for _ in range(_STEPS):
        information = Information.of(columns, now.w, classes)
        gains = information.gains(columns)
        off = classes.rows_sum - columns.sums.T @ now.w, gains + now.slack - columns.sums @ now.dual
        gap, scale = float(now.w @ now.slack), information.loss
        wrong = max(gap / scale, np.abs(off[1]).max() / scale, np.abs(off[0]).max())
        if wrong < accuracy:
            break
        solve = _hessian_solver(columns, information, now.slack / now.w)
        straight = _newton(columns.sums, solve, now, off, 0.0)
        center = max((1 - now.reach(straight)) ** 3, 1e-4) * gap / len(columns)
        step = _newton(columns.sums, solve, now, off, center)
        now = now.after(step, 0.99 * now.reach(step))
    w = normalize_rows(columns.sums, now.w, classes.rows_sum)
    return WeightedColumns(columns, w, now.dual, Information.of(columns, w, classes))


@dataclass(frozen=True, eq=False)
class _Iterate:
    """w: (N,), λ: (r,) and s: (N,), or a move of them."""

    w: Floats
    dual: Floats
    slack: Floats

    def after(self, move: "_Iterate", reach: float) -> "_Iterate":
        return _Iterate(
            self.w + reach * move.w,
            self.dual + reach * move.dual,
            self.slack + reach * move.slack,
        )

    def reach(self, move: "_Iterate") -> float:
        """The largest share ≤ 1 of the move that keeps w, s ≥ 0."""
        return min(_longest(self.w, move.w), _longest(self.slack, move.slack))


def _start(columns: Columns, classes: Classes) -> _Iterate:
    w = np.full(len(columns), 1.0 / len(columns), np.float64)
    gains = Information.of(columns, w, classes).gains(columns)
    dual = classes.scale * float(gains.mean())
    return _Iterate(w, dual, np.maximum(columns.sums @ dual - gains, 0.1 * gains.mean()))


def _start_near(columns: Columns, classes: Classes, before: WarmStart) -> _Iterate:
    old, fresh = len(before.w), max(len(columns) - len(before.w), 1)
    w = np.full(len(columns), _NEW_COLUMNS_SHARE / fresh)
    w[:old] = (1 - _NEW_COLUMNS_SHARE) * before.w / before.w.sum() + _NEW_COLUMNS_SHARE / (2 * old)
    information = Information.of(columns, w, classes)
    dual = before.dual * (information.loss / float(before.dual @ classes.rows_sum))
    slack = columns.sums @ dual - information.gains(columns)
    return _Iterate(w, dual, np.maximum(slack, _SLACK * information.loss))


def normalize_rows(v: Floats, w: Floats, target: Floats) -> Floats:
    """The nearest weights, relative to themselves, with rows that sum to 1 to rounding."""
    for _ in range(3):
        scaled = v * w[:, None]
        off = target - v.T @ w
        w = np.maximum(w * (1 + v @ np.linalg.lstsq(scaled.T @ v, off, rcond=None)[0]), 0.0)
    return w


def _longest(x: Floats, move: Floats) -> float:
    """The largest step ≤ 1 that keeps x ≥ 0."""
    falling = move < 0
    return min(1.0, float((-x[falling] / move[falling]).min(initial=1.0)))


def _newton(
    v: Floats, solve: _Solver, now: _Iterate, off: tuple[Floats, Floats], center: float
) -> _Iterate:
    """The move of w, λ and s toward w·s = center. `off`: what rows and multipliers lack."""
    toward = center - now.w * now.slack
    inner = solve(np.column_stack([v, off[1] + toward / now.w]))
    normal, right = v.T @ inner[:, :-1], v.T @ inner[:, -1] - off[0]
    dual: Floats = np.linalg.lstsq(normal, right, rcond=None)[0].astype(np.float64)
    w = inner[:, -1] - inner[:, :-1] @ dual
    return _Iterate(w, dual, (toward - now.slack * w) / now.w)


def _hessian_solver(columns: Columns, information: Information, diagonal: Floats) -> _Solver:
    """x → (UUᵀ + diag)⁻¹x, by whichever of N × N and Woodbury's matrix is smaller."""
    root = 1 / np.sqrt(diagonal)
    r = len(information.own)
    if len(columns) <= r * (r + 1) // 2:
        whole = _factor(_hessian(columns, information) * np.outer(root, root))
        return lambda x: root[:, None] * scipy.linalg.cho_solve(whole, root[:, None] * x)
    u = _features(columns, information) * root[:, None]
    small = _factor(u.T @ u)

    def woodbury(x: Floats) -> Floats:
        y = root[:, None] * x
        return root[:, None] * (y - u @ scipy.linalg.cho_solve(small, u.T @ y))

    return woodbury


def _hessian(columns: Columns, information: Information) -> Floats:
    """(N, N) F's Hessian: 2·(v_iᵀGv_j)(v_iᵀM⁻¹v_j)."""
    v = columns.sums
    spread = _spread_features(columns, information)
    shared = (v @ information.gradient[0] @ v.T) * (v @ information.inverse @ v.T)
    return np.asarray(2 * shared + spread @ spread.T)


def _features(columns: Columns, information: Information) -> Floats:
    """(N, …) U with F's Hessian UUᵀ: B⁻¹ = TTᵀ and G = TDTᵀ make it a sum over pairs of Tᵀβ."""
    root = scipy.linalg.cholesky(information.inverse, lower=True)
    half = np.linalg.solve(root, information.gradient[0])
    inner = np.linalg.solve(root, half.T)
    d, rotation = scipy.linalg.eigh(0.5 * (inner + inner.T))
    f = columns.sums @ (root @ rotation)
    first, second = np.triu_indices(f.shape[1])
    weight = np.where(first == second, d[first], d[first] + d[second])
    pairs = f[:, first] * f[:, second] * np.sqrt(2 * np.maximum(weight, 0.0))
    return np.concatenate([pairs, _spread_features(columns, information)], axis=1)


def _spread_features(columns: Columns, information: Information) -> Floats:
    own = information.classes.spread_weights
    wide = own > 0
    return np.asarray(
        columns.spreads[:, wide] * np.sqrt(2 * own[wide] / information.own[wide] ** 3)
    )


def _factor(gram: Floats) -> tuple[Floats, bool]:
    """Of 1 + gram; the last steps need the ridge, where weights next to 0 make gram huge."""
    ridge = 1 + 1e-14 * float(np.trace(gram))
    factor, lower = scipy.linalg.cho_factor(gram + ridge * np.eye(len(gram)))
    return factor, bool(lower)
