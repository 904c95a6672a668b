"""Columns by local search, where the extreme rays are too many to look at all of them.

Room: mechanisms. For the multipliers of a design a column is worth

    φ(v) = (vᵀGv − (λᵀv)(π·v))/(π·v)²,

convex in v on π·v = 1, hence largest at extreme rays. Many columns climb side by side, each by
the best of its moves, by which one symbol goes as high or as low as the others allow.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.types import Bools, Floats
from caldp_core.mechanisms.designed.generation import complete_start, excess_of
from caldp_core.mechanisms.designed.master import Weighted
from caldp_core.mechanisms.designed.moments import Classes, Columns, columns_of

_CLIMBERS: Final = 192
_ENTRIES: Final = 4_000_000
"""Numbers that one step of all climbers may hold at a time."""
_STEPS_A_SYMBOL: Final = 6
"""Rounding could lead some climbers in a circle; none needs so many steps."""
_SPARSE: Final = 1e-300


@dataclass(frozen=True, eq=False)
class Worth:
    """φ of columns: `quadratic` G: (k, k), `linear` λ: (k,), `prior` π: (k,)."""

    quadratic: Floats
    linear: Floats
    prior: Floats

    @classmethod
    def of(cls, weighted: Weighted) -> "Worth":
        """Written out over all symbols."""
        classes = weighted.information.classes
        shared, spread = weighted.information.gradient
        labels, root = classes.labels, classes.rows_sum
        own = spread / np.maximum(classes.sizes - 1, 1)
        quadratic = (shared / np.outer(root, root))[np.ix_(labels, labels)]
        same = labels[:, None] == labels
        quadratic = quadratic + np.diag(own[labels]) - same * (own / classes.sizes)[labels]
        return cls(quadratic, (weighted.dual / root)[labels], classes.prior)

    def __call__(self, v: Floats) -> Floats:
        """(N, k) columns → (N,)."""
        sent = v @ self.prior
        value = np.einsum("ij,ij->i", v @ self.quadratic, v) - (v @ self.linear) * sent
        return np.asarray(value / sent**2)


def climb(v: Floats, levels: Floats, worth: Worth) -> Floats:
    """(N, k) columns → as many of no less worth, which few moves improve."""
    powers = np.exp(-levels)
    v = v.copy()
    active = np.arange(len(v))
    for _ in range(_STEPS_A_SYMBOL * len(levels)):
        moved, better = _step(v[active], powers, worth)
        v[active] = moved
        active = active[better]
    return v


def _bounds(v: Floats, powers: Floats) -> tuple[Floats, Floats]:
    """(N, k) how low and how high each symbol may go while the others stay."""
    own = np.eye(len(powers), dtype=np.bool_)
    low = np.max(v[:, :, None] * np.where(own, 0.0, powers), axis=1)
    free = own | (powers == 0)
    reach = 1 / np.where(free, 1.0, powers)
    high = np.min(np.where(free, np.inf, v[:, None, :] * reach), axis=2)
    return low, high


def _step(v: Floats, powers: Floats, worth: Worth) -> tuple[Floats, Bools]:
    """Each column after the best move of one symbol, and whether it was one."""
    low, high = _bounds(v, powers)
    quadratic = v @ worth.quadratic
    square = np.einsum("ij,ij->i", quadratic, v)[:, None]
    line, sent = (v @ worth.linear)[:, None], (v @ worth.prior)[:, None]
    now = ((square - line * sent) / sent**2)[:, 0]
    values = []
    for bound in (low, high):
        move = np.where(np.isfinite(bound), bound - v, 0.0)
        there = sent + move * worth.prior
        there = np.where(there > _SPARSE, there, np.inf)
        up = square + 2 * move * quadratic + move**2 * worth.quadratic.diagonal()
        values.append((up - (line + move * worth.linear) * there) / there**2)
    both = np.nan_to_num(np.concatenate(values, axis=1), nan=-np.inf)
    best = both.argmax(axis=1)
    rows = np.arange(len(v))
    better = both[rows, best] > now + 1e-9 * np.abs(worth.quadratic).max()
    x, up = best % v.shape[1], best >= v.shape[1]
    target = np.where(up, high[rows, x], low[rows, x])
    v[rows[better], x[better]] = target[better]
    return v / v.max(axis=1, keepdims=True), better


@dataclass(frozen=True, eq=False)
class SearchedRays:
    """A source that climbs from the columns in use and from others nearby."""

    classes: Classes
    levels: Floats
    rng: np.random.Generator

    def start(self) -> Columns:
        """Columns that can be weighted so that rows sum to 1, and that span."""
        return columns_of(complete_start(self.levels), self.classes)

    def better(self, weighted: Weighted) -> tuple[Columns, Floats]:
        """What the climbers reach, each column once."""
        k = len(self.levels)
        used = weighted.columns.v[weighted.w > 1e-7 * weighted.w.max()]
        count = max(min(_CLIMBERS, _ENTRIES // k**2), 8)
        with np.errstate(divide="ignore"):
            u = np.log(used[self.rng.integers(0, len(used), count)])
        least = float(self.levels[self.levels > 0].min())
        size = np.where(self.rng.random((count, 1)) < 0.5, 0.3, 3.0) * least
        u = np.min((u + size * self.rng.normal(size=u.shape))[:, None, :] + self.levels, axis=2)
        u -= u.max(axis=1, keepdims=True)
        v = climb(np.exp(u), self.levels, Worth.of(weighted))
        with np.errstate(divide="ignore"):
            u = np.log(v)
        rounded = np.round(np.where(np.isfinite(u), u, -1e4), 7)
        columns = columns_of(u[np.unique(rounded, axis=0, return_index=True)[1]], self.classes)
        excess = excess_of(weighted, columns)
        best = np.argsort(-excess)[: 4 * k]
        return columns.rows(best), excess[best]
