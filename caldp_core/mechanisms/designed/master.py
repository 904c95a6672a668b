"""The best weights for given columns, and the columns that are worth adding to them.

docs/derivations.md, “Weights of a design”, has the derivation.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Protocol, TypeAlias

import numpy as np

from caldp_core.basics.extras import scipy
from caldp_core.basics.powers import exp_below
from caldp_core.basics.types import Floats, Progress
from caldp_core.mechanisms.designed.problem import (
    Classes,
    Columns,
    Information,
    Orbit,
    join_columns,
)

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


def best_weights(
    columns: Columns,
    classes: Classes,
    accuracy: float = _TOGETHER,
    before: tuple[Floats, Floats] | None = None,
) -> WeightedColumns:
    """Solve for w. Some weights must make a channel. `accuracy`: of the loss, relative.

    `before`: where to start, which takes half the steps if it is near: (m,) earlier weights of the
    first m of the columns, and `dual`.
    """
    now = _start(columns, classes) if before is None else _start_near(columns, classes, *before)
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
            self.w + reach * move.w, self.dual + reach * move.dual, self.slack + reach * move.slack
        )

    def reach(self, move: "_Iterate") -> float:
        """The largest share ≤ 1 of the move that keeps w, s ≥ 0."""
        return min(_longest(self.w, move.w), _longest(self.slack, move.slack))


def _start(columns: Columns, classes: Classes) -> _Iterate:
    w = np.full(len(columns), 1.0 / len(columns), np.float64)
    gains = Information.of(columns, w, classes).gains(columns)
    dual = classes.scale * float(gains.mean())
    return _Iterate(w, dual, np.maximum(columns.sums @ dual - gains, 0.1 * gains.mean()))


def _start_near(columns: Columns, classes: Classes, earlier: Floats, dual: Floats) -> _Iterate:
    old, fresh = len(earlier), max(len(columns) - len(earlier), 1)
    w = np.full(len(columns), _NEW_COLUMNS_SHARE / fresh)
    w[:old] = (1 - _NEW_COLUMNS_SHARE) * earlier / earlier.sum() + _NEW_COLUMNS_SHARE / (2 * old)
    information = Information.of(columns, w, classes)
    dual = dual * (information.loss / float(dual @ classes.rows_sum))
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
        best = best_weights(columns, source.classes, tolerance, (w, best.dual))
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


_COLUMNS_FACTOR: Final = 1.5
"""Times as many columns as M has entries: of fewer a basic solution leaves out too few."""
_RARE: Final = 1e-4
"""Relative to the largest: columns with a smaller weight may be dropped."""
_LOSS_TOLERANCE: Final = 1e-5
"""Relative rise of the loss that dropping columns may cost."""
_ROW_TOLERANCE: Final = 1e-9
"""How far rows may be from 1, relative to √k_c."""
_WEIGHT_ACCURACY: Final = 1e-9
"""Default relative accuracy of the weights."""
_SWAPS: Final = 64
"""Swaps tried at a time."""
_EVEN_LOSS_FACTOR: Final = 1.0005
"""Evening out stops at this multiple of the loss of eigenvalues that are all equal."""
_TRIES: Final = 4000
"""Most rounds of swaps."""


def reduce_columns(
    weighted: WeightedColumns, classes: Classes, accuracy: float = _WEIGHT_ACCURACY
) -> WeightedColumns:
    """Keep M, but for rounding, with at most as many columns as it has entries (Carathéodory).

    A basic solution of the equations for M, which fix the row sums too, since Mπ = Σ w v. Then the
    columns with the smallest weights leave one by one, as long as that costs next to nothing.
    """
    large = weighted.w > _SMALL * weighted.w.max()
    columns, w = weighted.columns.rows(np.flatnonzero(large)), weighted.w[large]
    first, second = np.triu_indices(columns.sums.shape[1])
    entries = np.column_stack(
        [columns.sums[:, first] * columns.sums[:, second], columns.spreads[:, classes.sizes > 1]]
    )
    if len(columns) > _COLUMNS_FACTOR * entries.shape[1]:
        entries /= np.abs(entries).max(axis=0)
        basic = scipy.optimize.linprog(
            np.arange(len(w)), A_eq=entries.T, b_eq=w @ entries, method="highs-ds"
        )
        if basic.x is not None:
            columns = columns.rows(np.flatnonzero(basic.x > _SMALL * basic.x.max()))
    few = _as_good(columns, classes, accuracy, weighted) or weighted
    frequent = few.w >= _RARE * few.w.max()
    if frequent.all():
        return few
    return _as_good(few.columns.rows(np.flatnonzero(frequent)), classes, accuracy, few) or few


def _as_good(
    columns: Columns, classes: Classes, accuracy: float, than: WeightedColumns
) -> WeightedColumns | None:
    """The best weights of fewer columns; None where no weights of them make a channel as good."""
    if np.linalg.matrix_rank(columns.sums) < len(classes.sizes):
        return None
    try:
        best = best_weights(columns, classes, accuracy)
    except np.linalg.LinAlgError:  # the search for weights that make a channel has run off
        return None
    off = np.abs(best.w @ columns.sums - classes.rows_sum).max()
    most = than.information.loss * (1 + _LOSS_TOLERANCE)
    return best if off < _ROW_TOLERANCE and best.information.loss <= most else None


def expand_orbits(
    weighted: WeightedColumns, classes: Classes, most: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """(N, k) columns with π·v = 1 and (N,) weights with Σ w v = 1.

    `weighted`: one column of each orbit, with the weight of the whole orbit. `most`: N stays below
    it where whole orbits, or one column of each and its shifts, can.
    """
    orbits = [Orbit(v, classes) for v in weighted.columns.v]
    if sum(orbit.size for orbit in orbits) <= most:
        parts = [orbit.members() for orbit in orbits]
    else:
        parts = _developed(orbits, weighted.w, classes, most, rng)
    sizes = [len(part) for part in parts]
    return np.concatenate(parts), np.repeat(weighted.w / sizes, sizes)


def _developed(
    orbits: list[Orbit], w: Floats, classes: Classes, most: int, rng: np.random.Generator
) -> list[Floats]:
    """Some columns of each orbit with all their shifts."""
    shifts = np.array([orbit.shifts for orbit in orbits])
    spare = max(most - int(shifts.sum()), 0)
    copies = 1 + (spare * w / (w @ shifts)).astype(np.int64)
    of_orbit = np.repeat(np.arange(len(orbits)), copies)
    bases = np.array([orbits[i].random_member(rng) for i in of_orbit])
    for label in np.flatnonzero(classes.sizes > 1):
        members = np.flatnonzero(classes.labels == label)
        bases[:, members] = _evened_out(bases[:, members], (w / copies)[of_orbit], rng)
    return [
        np.concatenate([orbit.cyclic_shifts(v) for v in bases[of_orbit == i]])
        for i, orbit in enumerate(orbits)
    ]


def _evened_out(bases: Floats, w: Floats, rng: np.random.Generator) -> Floats:
    """Permute within each row of (B, k_c) `bases` until Σ w|v̂(f)|² hardly varies with f ≠ 0."""
    size = bases.shape[1]
    waves = np.exp(-2j * np.pi * np.outer(np.arange(size), np.arange(1, size // 2 + 1)) / size)
    often = np.where(2 * np.arange(1, size // 2 + 1) == size, 1.0, 2.0)
    bases = bases.copy()
    hats = bases @ waves
    power = w @ np.abs(hats) ** 2
    mixed = np.flatnonzero(np.ptp(bases, axis=1) > 0)
    even = float(often.sum()) ** 2 / float(power @ often) if mixed.size else 0.0
    for i in np.tile(mixed, _TRIES // max(mixed.size, 1)):
        first, second = rng.integers(0, size, (2, _SWAPS))
        difference = bases[i, second] - bases[i, first]
        moved = hats[i] + difference[:, None] * (waves[first] - waves[second])
        powers = power + w[i] * (np.abs(moved) ** 2 - np.abs(hats[i]) ** 2)
        losses = (1 / np.maximum(powers, 1e-300)) @ often
        best = int(losses.argmin())
        if losses[best] < (1 / np.maximum(power, 1e-300)) @ often:
            bases[i, [first[best], second[best]]] = bases[i, [second[best], first[best]]]
            hats[i], power = moved[best], powers[best]
        if losses[best] <= _EVEN_LOSS_FACTOR * even:
            break
    return bases


_UNUSED_NATS: Final = 1e-9
"""Nats of the least level, and as large a share of the others, that are not used."""
_BITS: Final = 50
"""Bits that the smallest probability keeps at least."""
_RATIO_TOLERANCE: Final = 2.0**-40
"""Relative: floating-point ratios nearer to e^E than that are compared in rationals."""
_FLOAT_MIN: Final = 1e-290


@dataclass(frozen=True)
class WholeChannel:
    """Q(y|x) = numerators[x][y]/2^bits: k rows of whole numbers that sum to 2^bits."""

    numerators: tuple[tuple[int, ...], ...]
    bits: int

    @property
    def outputs(self) -> int:
        """Number of columns."""
        return len(self.numerators[0])

    def floats(self) -> Floats:
        """(k, outputs) nearest floats."""
        whole = 1 << self.bits
        return np.array([[entry / whole for entry in row] for row in self.numerators])


def whole_channel(v: Floats, w: Floats, prior: Floats, levels: Floats) -> WholeChannel:
    """Round (N, k) columns v with (N,) weights w, within (k, k) closed levels E."""
    finite = levels[(levels > 0) & np.isfinite(levels)]
    pull = _UNUSED_NATS / float(finite.min()) if finite.size else 0.0
    with np.errstate(divide="ignore"):
        v = np.exp(np.log(v) * (1 - pull))
    v /= (v @ prior)[:, None]
    w = normalize_rows(v, w, np.ones(v.shape[1]))
    chances = (v * w[:, None]).T[:, w > 0]
    least = float(chances[chances > 0].min())
    bits = max(62, _BITS + math.ceil(-math.log2(least)))
    rows = [[int(Fraction(q) * (1 << bits)) for q in row] for row in chances.tolist()]
    for row in rows:
        row[row.index(max(row))] += (1 << bits) - sum(row)
    return WholeChannel(tuple(tuple(row) for row in rows), bits)


def rows_keep_levels(rows: Sequence[Sequence[int]], whole: int, levels: Floats) -> bool:
    """Whether rows of numerators over `whole` are distributions within (k, k) `levels`, exactly."""
    k, outputs = len(levels), len(rows[0])
    if len(rows) != k or any(
        len(row) != outputs or min(row) < 0 or sum(row) != whole for row in rows
    ):
        return False
    floats = np.array([[entry / whole for entry in row] for row in rows])
    # Numbers that floats can't hold to all of their digits settle nothing.
    representable = np.array(
        [
            all(not e or f > _FLOAT_MIN for e, f in zip(*row, strict=True))
            for row in zip(rows, floats.tolist(), strict=True)
        ]
    )
    with np.errstate(over="ignore"):
        allowed = np.exp(levels) * (1 - _RATIO_TOLERANCE)
    for x in range(k):
        others = np.flatnonzero(np.isfinite(levels[x]) & (np.arange(k) != x))
        sure = (floats[x] <= allowed[x, others, None] * floats[others]).all(axis=1)
        sure &= representable[x] & representable[others]
        if not all(_within(rows[x], rows[z], float(levels[x, z])) for z in others[~sure]):
            return False
    return True


def _within(row: Sequence[int], other: Sequence[int], level: float) -> bool:
    """row ≤ e^level·other, by a rational that lies below e^level."""
    power = exp_below(level)
    up, down = power.numerator, power.denominator
    return all(a * down <= up * b for a, b in zip(row, other, strict=True))
