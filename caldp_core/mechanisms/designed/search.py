"""Columns by local search, where the extreme rays are too many to look at all of them.

Room: mechanisms. For the multipliers of a design a column is worth

    φ(v) = (vᵀGv − (λᵀv)(π·v))/(π·v)²,

convex in v on π·v = 1, hence largest at extreme rays. Many columns climb side by side: symbol by
symbol each goes as high or as low as the others allow, if that is better.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.linalg import hadamard

from caldp_core.basics.types import Floats
from caldp_core.mechanisms.designed.generation import complete_start, excess_of
from caldp_core.mechanisms.designed.master import Weighted
from caldp_core.mechanisms.designed.moments import Classes, Columns, columns_of, together
from caldp_core.mechanisms.designed.planes import stretched

_CLIMBERS: Final = 384
_CLIMBERS_LARGE: Final = 192
_SWEEPS: Final = 12
"""Times that every symbol of a climber is moved at most; few need half of them."""
_NEW: Final = 256
"""Most columns of a round, as more make the weights slow."""
_ROUNDS: Final = 26
"""Five seconds of one core for 64 symbols;"""
_ROUNDS_SMALL: Final = 30
"""less than a second of one core for 16,"""
_ROUNDS_LARGE: Final = 20
"""less than a minute for 256."""
_SMALL: Final = 24
_LARGE: Final = 100
_AFAR: Final = 0.3
"""Of the usual level: how far the third part of the climbers starts from columns in use."""
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


def climb(v: Floats, levels: Floats, worth: Worth, rng: np.random.Generator) -> Floats:
    """(N, k) columns → as many of no less worth, which few moves improve."""
    climbers, left, highest = _Climbers(v, np.exp(-levels), worth), np.arange(len(v)), v.copy()
    for _ in range(_SWEEPS):
        for x in rng.permutation(len(levels)):
            climbers.move(int(x))
        highest[left], left = climbers.v.T, left[climbers.moved]
        if not left.size:
            break
        climbers.go_on()
    return highest


class _Climbers:
    """Columns side by side: `v`: (k, N), with Gv, vᵀGv, λᵀv and π·v kept up to date.

    `moved`: (N,) whether any symbol of a column did since `go_on`.
    """

    def __init__(self, v: Floats, powers: Floats, worth: Worth) -> None:
        self.v, self.worth = np.ascontiguousarray(v.T), worth
        self.below = np.where(np.eye(len(powers), dtype=np.bool_), 0.0, powers)
        self.ceilings = [np.flatnonzero(row) for row in self.below]
        with np.errstate(divide="ignore"):
            self.above = None if (powers == 0).any() else 1 / self.below[:, :, None]
        self.least = 1e-9 * float(np.abs(worth.quadratic).max())
        self.moved = np.ones(len(v), np.bool_)
        self.go_on()

    def go_on(self) -> None:
        """Only those that moved, scaled; all else anew, so that rounding does not add up."""
        self.v = np.ascontiguousarray(self.v[:, self.moved])
        self.v /= self.v.max(axis=0)
        self.moved = np.zeros(self.v.shape[1], np.bool_)
        self.pushed = self.worth.quadratic @ self.v
        self.square = np.einsum("ij,ij->j", self.v, self.pushed)
        self.line, self.sent = self.worth.linear @ self.v, self.worth.prior @ self.v

    def move(self, x: int) -> None:
        """Put symbol x as high or as low as the others allow where that is better."""
        low = (self.v * self.below[:, x, None]).max(axis=0) - self.v[x]
        high = self._highest(x) - self.v[x]
        now = (self.square - self.line * self.sent) / self.sent**2
        down, up = self._worth_after(x, low), self._worth_after(x, high)
        better = np.maximum(down, up) > now + self.least
        step = np.where(better, np.where(up >= down, high, low), 0.0)
        self.square += step * (2 * self.pushed[x] + step * self.worth.quadratic[x, x])
        self.line += step * self.worth.linear[x]
        self.sent += step * self.worth.prior[x]
        self.pushed += self.worth.quadratic[:, x, None] * step
        self.v[x] += step
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
        sent = self.sent + step * self.worth.prior[x]
        there = np.where(sent > _SPARSE, sent, np.inf)
        line = self.line + step * self.worth.linear[x]
        return np.asarray((square - line * there) / there**2)


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

    def start(self) -> Columns:
        """Columns that can be weighted so that rows sum to 1, and that span.

        Among them the reports of Hadamard response at the least level, which keep any E, and
        those of Galois response, stretched as far as E allows.
        """
        k = len(self.levels)
        signs = hadamard(1 << k.bit_length())[1 : k + 1].T
        halves = 0.5 * float(self.levels[self.levels > 0].min()) * signs
        start = [complete_start(self.levels), halves, stretched(self.levels)]
        return columns_of(np.concatenate(start), self.classes)

    def kept(self, weighted: Weighted) -> tuple[Columns, Floats]:
        """Those sent the most, and one that says nothing: with it some weights make a channel."""
        k = len(self.levels)
        told = np.flatnonzero(np.ptp(weighted.columns.v, axis=1) > 0)
        kept = told[np.argsort(-weighted.w[told], kind="stable")]
        kept = kept[: min(20 * k, max(640, 4 * k))]
        kept = kept[weighted.w[kept] > 1e-7]
        nothing = columns_of(np.zeros((1, k)), self.classes)
        return together(weighted.columns.rows(kept), nothing), np.append(weighted.w[kept], 0.0)

    @property
    def rounds(self) -> int:
        """As many as end in good time."""
        k = len(self.levels)
        return _ROUNDS_SMALL if k <= _SMALL else _ROUNDS if k < _LARGE else _ROUNDS_LARGE

    def better(self, weighted: Weighted) -> tuple[Columns, Floats]:
        """What the climbers reach, each column once."""
        k = len(self.levels)
        u = self._near(weighted)
        u -= u.max(axis=1, keepdims=True)
        v = climb(np.exp(u), self.levels, Worth.of(weighted), self.rng)
        with np.errstate(divide="ignore"):
            u = np.log(v)
        rounded = np.round(np.where(np.isfinite(u), u, -1e4), 7)
        columns = columns_of(u[np.unique(rounded, axis=0, return_index=True)[1]], self.classes)
        excess = excess_of(weighted, columns)
        best = np.argsort(-excess)[: min(8 * k, _NEW)]
        return columns.rows(best), excess[best]

    def _near(self, weighted: Weighted) -> Floats:
        """(N, k) logarithms of allowed columns that are a little or farther off those in use."""
        count = _CLIMBERS if len(self.levels) < _LARGE else _CLIMBERS_LARGE
        used = weighted.columns.v[weighted.w > 1e-7 * weighted.w.max()]
        with np.errstate(divide="ignore"):
            u = np.log(used[self.rng.integers(0, len(used), count)])
        own = self.levels[(self.levels > 0) & np.isfinite(self.levels)]
        sizes = np.array([0.3 * own.min(), 3.0 * own.min(), _AFAR * np.median(own)])
        size = sizes[np.arange(count) % len(sizes), None]
        return _allowed(u + size * self.rng.normal(size=u.shape), self.levels)
