"""Columns by local search, where the extreme rays are too many to look at all of them.

Each round some columns in use, and others a little or farther off, climb by the multipliers found
so far, by which a column is worth

    φ(v) = (vᵀGv − (λᵀv)(π·v))/(π·v)²,

convex in v on π·v = 1, hence largest at extreme rays. Many columns climb side by side: symbol by
symbol each goes as high or as low as the others allow, if that is better.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms.designed.master import WeightedColumns, complete_start, excess_of
from caldp_core.mechanisms.designed.problem import (
    Classes,
    Columns,
    Information,
    columns_of,
    join_columns,
)
from caldp_core.mechanisms.designed.rays import two_level_columns

_SWEEPS: Final = 12
"""Times that every symbol of a climber is moved at most; few need half of them."""
_ROUNDING_SHARE: Final = 1e-9
"""Share of a column's π·v that the moves of a sweep must leave: less of it may be rounding.
Share of its largest entry below which entries are set to 0."""
_ZERO_TRIAL_SHARE: Final = 0.02
"""Share of a column's largest entry below which entries are tried at 0."""


@dataclass(frozen=True, eq=False)
class ColumnScore:
    """φ of columns: `quadratic` G: (k, k), `linear` λ: (k,), `prior` π: (k,)."""

    quadratic: Floats
    linear: Floats
    prior: Floats

    @classmethod
    def of(cls, weighted: WeightedColumns) -> "ColumnScore":
        """φ of a design's multipliers, written out over all symbols."""
        classes = weighted.information.classes
        shared, spread = weighted.information.gradient
        labels, root = classes.labels, classes.rows_sum
        own = spread / np.maximum(classes.sizes - 1, 1)
        quadratic = (shared / np.outer(root, root))[np.ix_(labels, labels)]
        same = labels[:, None] == labels
        quadratic = quadratic + np.diag(own[labels]) - same * (own / classes.sizes)[labels]
        return cls(quadratic, (weighted.dual / root)[labels], classes.prior)

    def __call__(self, v: Floats) -> Floats:
        """(N, k) columns → (N,) φ."""
        mean = v @ self.prior
        value = np.einsum("ij,ij->i", v @ self.quadratic, v) - (v @ self.linear) * mean
        return np.asarray(value / mean**2)


def climb(v: Floats, levels: Floats, worth: ColumnScore, rng: np.random.Generator) -> Floats:
    """(N, k) columns → as many of no less worth, which few moves improve."""
    climbers, active, highest = _Climbers(v, np.exp(-levels), worth), np.arange(len(v)), v.copy()
    for _ in range(_SWEEPS):
        for x in rng.permutation(len(levels)):
            climbers.move(int(x))
        highest[active], active = climbers.v.T, active[climbers.moved]
        if not active.size:
            break
        climbers.drop_unmoved()
    return highest


def clear_columns(v: Floats, levels: Floats, worth: ColumnScore) -> Floats:
    """(N, k) columns that keep (k, k) closed E → as many of no less worth, 0 where little was.

    Moves of one symbol never reach a ray of a smaller support, only come near it. Symbols that
    others rest on, E being finite, stay as they are.
    """
    for little in (_ZERO_TRIAL_SHARE, _ROUNDING_SHARE):
        small = v < little * v.max(axis=1, keepdims=True)
        borne = (~small).astype(np.float64) @ np.isfinite(levels) > 0
        without = np.where(small & ~borne, 0.0, v)
        better = (worth(without) >= worth(v)) | (little == _ROUNDING_SHARE)
        v = np.where(better[:, None], without, v)
    return v


class _Climbers:
    """Columns side by side: `v`: (k, N), with Gv, vᵀGv, λᵀv and π·v kept up to date.

    `moved`: (N,) whether any symbol of a column did since `go_on`.
    """

    def __init__(self, v: Floats, powers: Floats, worth: ColumnScore) -> None:
        self.v, self.worth = np.ascontiguousarray(v.T), worth
        self.below = np.where(np.eye(len(powers), dtype=np.bool_), 0.0, powers)
        self.ceilings = [np.flatnonzero(row) for row in self.below]
        with np.errstate(divide="ignore"):
            self.above = None if (powers == 0).any() else 1 / self.below[:, :, None]
        self.least = 1e-9 * float(np.abs(worth.quadratic).max())
        self.moved = np.ones(len(v), np.bool_)
        self.drop_unmoved()

    def drop_unmoved(self) -> None:
        """Keep the columns that moved, rescaled; compute products anew against rounding."""
        self.v = np.ascontiguousarray(self.v[:, self.moved])
        self.v /= self.v.max(axis=0)
        self.moved = np.zeros(self.v.shape[1], np.bool_)
        self.pushed = self.worth.quadratic @ self.v
        self.square = np.einsum("ij,ij->j", self.v, self.pushed)
        self.line, self.sent = self.worth.linear @ self.v, self.worth.prior @ self.v
        self.nothing = _ROUNDING_SHARE * self.sent

    def move(self, x: int) -> None:
        """Put symbol x as high or as low as the others allow where that is better."""
        low, high = (self.v * self.below[:, x, None]).max(axis=0), self._highest(x)
        now = (self.square - self.line * self.sent) / self.sent**2
        down, up = self._worth_after(x, low - self.v[x]), self._worth_after(x, high - self.v[x])
        better = np.maximum(down, up) > now + self.least
        higher = up >= down
        step = np.where(better, np.where(higher, high, low) - self.v[x], 0.0)
        self.square += step * (2 * self.pushed[x] + step * self.worth.quadratic[x, x])
        self.line += step * self.worth.linear[x]
        self.sent += step * self.worth.prior[x]
        self.pushed += self.worth.quadratic[:, x, None] * step
        # Not v += step: of an entry far below the step rounding would leave E's ratios behind.
        self.v[x] = np.where(better, np.where(higher, high, low), self.v[x])
        self.moved |= better

    def _highest(self, x: int) -> Floats:
        """(N,) as high as the others allow symbol x; where they do not care, as it is."""
        if self.above is not None:
            return np.asarray((self.v * self.above[x]).min(axis=0))
        over = self.ceilings[x]
        if not over.size:
            return np.asarray(self.v[x])
        return np.asarray((self.v[over] / self.below[x, over, None]).min(axis=0))

    def _worth_after(self, x: int, step: Floats) -> Floats:
        """(N,) φ with symbol x moved by (N,) `step`."""
        square = self.square + step * (2 * self.pushed[x] + step * self.worth.quadratic[x, x])
        mean = self.sent + step * self.worth.prior[x]
        positive = mean > self.nothing
        divisor = np.where(positive, mean, 1.0)
        line = self.line + step * self.worth.linear[x]
        return np.where(positive, (square - line * divisor) / divisor**2, -np.inf)


_CLIMBERS: Final = 384
_CLIMBERS_LARGE: Final = 192
_NEW_COLUMNS_MAX: Final = 256
"""Most columns of a round, as more make the weights slow."""
_ROUNDS: Final = 26
"""Rounds of the search: five seconds of one core for 64 symbols."""
_ROUNDS_SMALL: Final = 30
"""Rounds for up to `_SMALL` symbols: less than a second of one core for 16."""
_ROUNDS_LARGE: Final = 20
"""Rounds from `_LARGE_K` symbols on: less than a minute for 256."""
_SMALL: Final = 24
_LARGE_K: Final = 100
_AFAR: Final = 0.3
"""Of the usual level: how far the third part of the climbers starts from columns in use."""


def _new(v: Floats, used: Floats) -> Ints:
    """Indices of (N, k) columns v, each kind once, that are none of the (M, k) columns in use."""
    both = np.concatenate([used, v])
    with np.errstate(divide="ignore"):
        u = np.log(both / both.max(axis=1, keepdims=True))
    rounded = np.round(np.where(np.isfinite(u), u, -1e4), 7)
    first = np.unique(rounded, axis=0, return_index=True)[1]
    return np.asarray(first[first >= len(used)] - len(used), np.int64)


def _allowed(u: Floats, levels: Floats) -> Floats:
    """(N, k) logarithms → the highest below them of columns that keep E."""
    highest = np.empty_like(u)
    for x, row in enumerate(levels):
        near = np.flatnonzero(np.isfinite(row))
        highest[:, x] = (u[:, near] + row[near]).min(axis=1)
    return highest


@dataclass(frozen=True, eq=False)
class SearchedRays:
    """A source that climbs from the columns in use and from others nearby."""

    classes: Classes
    levels: Floats
    rng: np.random.Generator

    def initial_columns(self) -> Columns:
        """Columns that can be weighted so that rows sum to 1, and that span.

        Among them the reports of Hadamard response at the least level, which keep any E, and
        those of Galois response, stretched as far as E allows.
        """
        k = len(self.levels)
        signs = scipy.linalg.hadamard(1 << k.bit_length())[1 : k + 1].T
        halves = 0.5 * float(self.levels[self.levels > 0].min()) * signs
        start = [complete_start(self.levels), halves, two_level_columns(self.levels)]
        return columns_of(np.concatenate(start), self.classes)

    def retained_columns(self, weighted: WeightedColumns) -> tuple[Columns, Floats]:
        """Columns sent the most, and the constant one, with which some weights make a channel."""
        k = len(self.levels)
        informative = np.flatnonzero(np.ptp(weighted.columns.v, axis=1) > 0)
        ranked = informative[np.argsort(-weighted.w[informative], kind="stable")]
        ranked = ranked[weighted.w[ranked] > 1e-7]
        most = min(20 * k, max(640, 4 * k))
        while most < len(ranked) and self._loses(weighted, ranked[:most]):
            most *= 2
        ranked = ranked[:most]
        nothing = columns_of(np.zeros((1, k)), self.classes)
        return join_columns(weighted.columns.rows(ranked), nothing), np.append(
            weighted.w[ranked], 0.0
        )

    def _loses(self, weighted: WeightedColumns, kept: Ints) -> bool:
        """Whether these columns alone have much less information: a symbol may need the others."""
        w, rows = weighted.w[kept], weighted.columns.rows(kept)
        least = np.linalg.eigvalsh(Information.of(rows, w / w.sum(), self.classes).shared)[0]
        return bool(least < 0.5 * np.linalg.eigvalsh(weighted.information.shared)[0])

    @property
    def rounds(self) -> int:
        """Most rounds, fewer where symbols are many."""
        k = len(self.levels)
        return _ROUNDS_SMALL if k <= _SMALL else _ROUNDS if k < _LARGE_K else _ROUNDS_LARGE

    def improving_columns(self, weighted: WeightedColumns) -> tuple[Columns, Floats]:
        """The best columns that climbers reach, each once, and (N,) their excess."""
        k = len(self.levels)
        u = self._near(weighted)
        u -= u.max(axis=1, keepdims=True)
        worth = ColumnScore.of(weighted)
        v = clear_columns(climb(np.exp(u), self.levels, worth, self.rng), self.levels, worth)
        with np.errstate(divide="ignore"):
            columns = columns_of(np.log(v[_new(v, weighted.columns.v)]), self.classes)
        excess = excess_of(weighted, columns)
        best = np.argsort(-excess)[: min(8 * k, _NEW_COLUMNS_MAX)]
        return columns.rows(best), excess[best]

    def _near(self, weighted: WeightedColumns) -> Floats:
        """(N, k) logarithms of allowed columns that are a little or farther off those in use."""
        count = _CLIMBERS if len(self.levels) < _LARGE_K else _CLIMBERS_LARGE
        used = weighted.columns.v[weighted.w > 1e-7 * weighted.w.max()]
        with np.errstate(divide="ignore"):
            u = np.log(used[self.rng.integers(0, len(used), count)])
        own = self.levels[(self.levels > 0) & np.isfinite(self.levels)]
        sizes = np.array([0.3 * own.min(), 3.0 * own.min(), _AFAR * np.median(own)])
        size = sizes[np.arange(count) % len(sizes), None]
        return _allowed(u + size * self.rng.normal(size=u.shape), self.levels)
