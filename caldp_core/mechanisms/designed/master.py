"""The best weights for given columns: a convex program, by a primal-dual interior-point method.

Room: mechanisms. Minimise F(w) = tr(ΩM(w)⁻¹) with Σ w v = 1, w ≥ 0. With multipliers λ of the rows
and s ≥ 0 of the weights, the optimum has λᵀv_i − v_iᵀGv_i = s_i and w_i·s_i = 0. F's Hessian is UUᵀ
with as many columns as M has entries, so a step costs O(N·(r²/2)²) for N columns (Woodbury).
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.linalg import cho_factor, cho_solve, cholesky, eigh

from caldp_core.basics.types import Floats
from caldp_core.mechanisms.designed.moments import Classes, Columns, Information

_STEPS: Final = 80
_TOGETHER: Final = 1e-9
"""Relative: how far the weights' share of the duality gap is driven down."""


@dataclass(frozen=True, eq=False)
class Weighted:
    """Columns with their best weights `w`: (N,), M, and `dual` λ: (r,), in the basis of β."""

    columns: Columns
    w: Floats
    dual: Floats
    information: Information


def best_weights(columns: Columns, classes: Classes, accuracy: float = _TOGETHER) -> Weighted:
    """Solve for w. The columns must span all symbols. `accuracy`: of the loss, relative."""
    v, target = columns.sums, classes.rows_sum
    count = len(columns)
    w = np.full(count, 1.0 / count)
    information = Information.of(columns, w, classes)
    gains = information.gains(columns)
    dual = classes.scale * float(gains.mean())
    slack = np.maximum(v @ dual - gains, 0.1 * gains.mean())
    for _ in range(_STEPS):
        off_rows, off_dual = target - v.T @ w, gains + slack - v @ dual
        gap = float(w @ slack)
        scale = information.loss
        off = max(float(np.abs(off_rows).max()), float(np.abs(off_dual).max()) / scale)
        if gap < accuracy * scale and off < accuracy:
            break
        solve = _hessian_solver(columns, information, slack / w)
        step = _newton(v, solve, off_rows, off_dual, w, slack, 0.0)
        reach = min(_longest(w, step[0]), _longest(slack, step[2]))
        center = (1 - reach) ** 3 * gap / count
        step = _newton(v, solve, off_rows, off_dual, w, slack, max(center, 1e-4 * gap / count))
        reach = 0.99 * min(_longest(w, step[0]), _longest(slack, step[2]))
        w, dual, slack = (
            old + reach * move for old, move in zip((w, dual, slack), step, strict=True)
        )
        information = Information.of(columns, w, classes)
        gains = information.gains(columns)
    w = with_rows_of_one(v, w, target)
    return Weighted(columns, w, dual, Information.of(columns, w, classes))


def with_rows_of_one(v: Floats, w: Floats, target: Floats) -> Floats:
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
    v: Floats, solve, off_rows: Floats, off_dual: Floats, w: Floats, slack: Floats, center: float
) -> tuple[Floats, Floats, Floats]:
    """Moves of w, λ and s toward w·s = center."""
    right = off_dual + (center - w * slack) / w
    inner = solve(np.column_stack([v, right]))
    normal = v.T @ inner[:, :-1]
    move_dual = np.linalg.lstsq(normal, v.T @ inner[:, -1] - off_rows, rcond=None)[0]
    move_w = inner[:, -1] - inner[:, :-1] @ move_dual
    move_slack = (center - w * slack - slack * move_w) / w
    return move_w, move_dual, move_slack


def _features(columns: Columns, information: Information) -> Floats:
    """(N, …) U with F's Hessian UUᵀ: B⁻¹ = TTᵀ and G = TDTᵀ make it a sum over pairs of Tᵀβ."""
    root = cholesky(information.inverse, lower=True)
    half = np.linalg.solve(root, information.gradient[0])
    inner = np.linalg.solve(root, half.T)
    d, rotation = eigh(0.5 * (inner + inner.T))
    f = columns.sums @ (root @ rotation)
    first, second = np.triu_indices(f.shape[1])
    weight = np.where(first == second, d[first], d[first] + d[second])
    pairs = f[:, first] * f[:, second] * np.sqrt(2 * np.maximum(weight, 0.0))
    own = information.classes.spread_weights
    wide = own > 0
    spread = columns.spreads[:, wide] * np.sqrt(2 * own[wide] / information.own[wide] ** 3)
    return np.concatenate([pairs, spread], axis=1)


def _hessian_solver(columns: Columns, information: Information, diagonal: Floats):
    """x → (UUᵀ + diag)⁻¹x, by whichever of N × N and Woodbury's matrix is smaller."""
    u = _features(columns, information)
    root = 1 / np.sqrt(diagonal)
    u = u * root[:, None]
    if len(u) <= u.shape[1]:
        whole = cho_factor(u @ u.T + np.eye(len(u)))
        return lambda x: root[:, None] * cho_solve(whole, root[:, None] * x)
    small = cho_factor(u.T @ u + np.eye(u.shape[1]))

    def woodbury(x: Floats) -> Floats:
        y = root[:, None] * x
        return root[:, None] * (y - u @ cho_solve(small, u.T @ y))

    return woodbury
