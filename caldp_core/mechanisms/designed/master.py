"""The best weights for given columns, and the columns that are worth adding to them.

Minimise F(w) = tr(ΩM(w)⁻¹) with Σ w v = 1, w ≥ 0, by a primal-dual interior-point method. With
multipliers λ of the rows and s ≥ 0 of the weights, the optimum has λᵀv_i − v_iᵀGv_i = s_i and
w_i·s_i = 0. F's Hessian is UUᵀ with as many columns as M has entries, so a step costs O(N·(r²/2)²)
for N columns (Woodbury). `generate` goes on until no column of a source would lower the loss by
much.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

import numpy as np
import scipy

from caldp_core.basics.types import Floats, Progress
from caldp_core.mechanisms.designed.problem import Classes, Columns, Information, join_columns

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


_ROUNDS: Final = 60
_SMALL: Final = 1e-7
"""Where all rays are listed, columns with a smaller weight leave the next round."""
_ROUGH: Final = 0.02
"""Relative accuracy of the weights in the first round."""
_SHARPER: Final = 0.2
"""Accuracy in later rounds, as a share of the gain that was left in the round before."""


class ColumnSource(Protocol):
    """Columns of a problem, all of them or those that a search finds."""

    @property
    def classes(self) -> Classes:
        """The problem's twins, prior and weights."""

    def initial_columns(self) -> Columns:
        """Columns to begin with, which span all symbols."""

    def improving_columns(self, weighted: WeightedColumns) -> tuple[Columns, Floats]:
        """Columns with the largest vᵀGv − λᵀv found, and these (N,) values, perhaps ≤ 0."""

    def retained_columns(self, weighted: WeightedColumns) -> tuple[Columns, Floats]:
        """Columns for the next round and (N,) weights; with some weights they make a channel."""

    @property
    def rounds(self) -> int:
        """Most rounds of the search for columns."""


def generate(source: ColumnSource, accuracy: float, progress: Progress) -> WeightedColumns:
    """Columns and weights whose loss no column of the source lowers by more than `accuracy`.

    Relative; the share given to `progress` is that of log(what is still to be gained), or that of
    the rounds. The last round's result is returned even if more could be gained.
    """
    columns = source.initial_columns()
    best, gain, reached, tolerance = best_weights(columns, source.classes, _ROUGH), 1.0, 0.0, _ROUGH
    for step in range(source.rounds):
        candidates, excess = source.improving_columns(best)
        gain = max(float(excess.max(initial=0.0)) / best.information.loss, 1e-16)
        log_share = min(float(np.log(gain) / np.log(accuracy)), 1.0)
        reached = max(reached, log_share, step / source.rounds)
        progress(reached)
        if gain < accuracy and tolerance <= 0.1 * accuracy:
            break
        kept, w = source.retained_columns(best)
        columns = join_columns(kept, candidates.rows(np.flatnonzero(excess > 0)))
        tolerance = max(min(_ROUGH, _SHARPER * gain), 0.1 * accuracy)
        best = best_weights(columns, source.classes, tolerance, WarmStart(w, best.dual))
    return best


def complete_start(levels: Floats) -> Floats:
    """(2k + 1, k) logarithms of columns that span and of which some weights make a channel.

    The ray highest in x is p_x = e^{−E[x, ·]}. As 1 lies inside of the cone, so does 1 − t·p_x
    for small t, up to min (e^E − 1)/(e^E·p_z − p_y) over E = E[y, z], and both add up to 1.
    """
    peaks, powers = np.exp(-levels), np.exp(-levels)
    np.fill_diagonal(powers, 1.0)
    rest = np.empty_like(peaks)
    for x, peak in enumerate(peaks):
        bottom = peak - powers * peak[:, None]
        np.fill_diagonal(bottom, 0.0)
        limit = np.where(bottom > 0, (1 - powers) / np.where(bottom > 0, bottom, 1.0), np.inf)
        rest[x] = 1 - 0.999 * min(float(limit.min()), 1.0) * peak
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.concatenate([peaks, rest, np.ones((1, len(peaks)))])))


@dataclass(frozen=True, eq=False)
class AllRays:
    """A source that has every extreme ray, so that its excess is the truth."""

    classes: Classes
    rays: Columns
    levels: Floats

    def initial_columns(self) -> Columns:
        """All rays if they are few, else an even choice and `complete_start`."""
        if len(self.rays) <= self._batch_size:
            return self.rays
        indices = np.linspace(0, len(self.rays) - 1, self._batch_size).astype(np.int64)
        complete = self.classes.columns(complete_start(self.levels))
        return join_columns(self.rays.rows(indices), complete)

    def improving_columns(self, weighted: WeightedColumns) -> tuple[Columns, Floats]:
        """The rays of the largest excess, and (N,) their excess."""
        excess = excess_of(weighted, self.rays)
        most = min(self._batch_size, len(excess))
        largest = np.argpartition(-excess, most - 1)[:most]
        return self.rays.rows(largest), excess[largest]

    def retained_columns(self, weighted: WeightedColumns) -> tuple[Columns, Floats]:
        """Columns with a positive weight, and (N,) weights."""
        positive = np.flatnonzero(weighted.w > _SMALL)
        return weighted.columns.rows(positive), weighted.w[positive]

    @property
    def rounds(self) -> int:
        """Few are needed, as a round looks at all."""
        return _ROUNDS

    @property
    def _batch_size(self) -> int:
        return max(400, 2 * len(self.classes.sizes) ** 2)


def excess_of(weighted: WeightedColumns, columns: Columns) -> Floats:
    """(N,) vᵀGv − λᵀv: how fast the loss falls with v's weight, all rows kept."""
    return np.asarray(weighted.information.gains(columns) - columns.sums @ weighted.dual)
