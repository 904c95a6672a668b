"""Moments of columns once twins are averaged over: sums and spreads by class.

Averaging a channel over permutations of twins keeps E and, as the loss is convex, never hurts. The
averaged M = Σ_y w_y v_y v_yᵀ is a number a_c on the vectors within class c that sum to 0, and an r
× r matrix B on the rest, in the orthonormal basis 1_c/√k_c:

    β_c = (sum of v in class c)/√k_c,  d_c = (Σ v² − β_c²)/(k_c − 1),  B = Σ w ββᵀ,  a = Σ w d.

Without twins B is M itself. Columns are scaled so that π·v = 1, so w_y is how often y is sent.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from caldp_core.basics.types import Floats, Ints

_AT_ONCE: Final = 1 << 16
"""Columns that are worked on together."""


@dataclass(frozen=True, eq=False)
class Classes:
    """Twins: `labels`: (k,) in [0, r); `prior`, `weights`: (k,) π and ω, equal within a class."""

    labels: Ints
    prior: Floats
    weights: Floats

    @cached_property
    def sizes(self) -> Ints:
        """(r,) symbols in each class."""
        return np.bincount(self.labels)

    @cached_property
    def spread_weights(self) -> Floats:
        """(r,) ω_c·(k_c − 1): what 1/a_c counts for in the loss."""
        return self.omega * (self.sizes - 1)

    @cached_property
    def omega(self) -> Floats:
        """(r,) ω of each class."""
        return self._of_class(self.weights)

    @cached_property
    def rows_sum(self) -> Floats:
        """(r,) √k_c: what Σ w β must be, so that all rows of the channel sum to 1."""
        return np.sqrt(self.sizes)

    @cached_property
    def scale(self) -> Floats:
        """(r,) π·v = scale·β."""
        return self._of_class(self.prior) * np.sqrt(self.sizes)

    def columns(self, logarithms: Floats) -> "Columns":
        """(N, k) logarithms of columns of any scale → columns."""
        return columns_of(logarithms, self)

    def _of_class(self, values: Floats) -> Floats:
        return values[np.unique(self.labels, return_index=True)[1]]


@dataclass(frozen=True, eq=False)
class Columns:
    """(N, k) columns `v` with π·v = 1 and their moments `sums` β: (N, r), `spreads` d: (N, r)."""

    v: Floats
    sums: Floats
    spreads: Floats

    def rows(self, which: Ints) -> "Columns":
        """The columns at the indices `which`."""
        return Columns(self.v[which], self.sums[which], self.spreads[which])

    def __len__(self) -> int:
        return len(self.v)


def columns_of(logarithms: Floats, classes: Classes) -> Columns:
    """(N, k) logarithms of columns of any scale → columns."""
    count, k = logarithms.shape
    r = len(classes.sizes)
    result = Columns(np.empty((count, k)), np.empty((count, r)), np.empty((count, r)))
    for first in range(0, count, _AT_ONCE):  # in pieces, as each step on the way is as large
        piece = slice(first, first + _AT_ONCE)
        part = _columns_of(logarithms[piece], classes)
        result.v[piece], result.sums[piece], result.spreads[piece] = part.v, part.sums, part.spreads
    return result


def _columns_of(logarithms: Floats, classes: Classes) -> Columns:
    top = logarithms.max(axis=1, keepdims=True)
    v = np.exp(logarithms - top)
    v /= (v @ classes.prior)[:, None]
    indicator = np.eye(len(classes.sizes))[classes.labels]
    sums = (v @ indicator) / classes.rows_sum
    means = sums / classes.rows_sum
    deviations = (v - means[:, classes.labels]) ** 2 @ indicator
    return Columns(v, sums, deviations / np.maximum(classes.sizes - 1, 1))


def join_columns(first: Columns, second: Columns) -> Columns:
    """The columns of both, one after the other."""
    return Columns(
        np.concatenate([first.v, second.v]),
        np.concatenate([first.sums, second.sums]),
        np.concatenate([first.spreads, second.spreads]),
    )


@dataclass(frozen=True, eq=False)
class Information:
    """M of a design, averaged over twins: `shared` B: (r, r), `own` a: (r,)."""

    shared: Floats
    own: Floats
    classes: Classes

    @classmethod
    def of(cls, columns: Columns, w: Floats, classes: Classes) -> "Information":
        """M of columns with (N,) weights w."""
        shared = (columns.sums * w[:, None]).T @ columns.sums
        return cls(0.5 * (shared + shared.T), w @ columns.spreads, classes)

    @cached_property
    def inverse(self) -> Floats:
        """(r, r) B⁻¹."""
        return np.asarray(np.linalg.inv(self.shared))

    @cached_property
    def loss(self) -> float:
        """tr(ΩM⁻¹) = Σ ω_x (n·Var p̂_x + π_x²)."""
        own = self.classes.spread_weights
        within = float((own[own > 0] / self.own[own > 0]).sum())
        return float(self.classes.omega @ self.inverse.diagonal()) + within

    @cached_property
    def gradient(self) -> tuple[Floats, Floats]:
        """G = M⁻¹ΩM⁻¹: its (r, r) part on classes, and (r,) ω_c·(k_c − 1)/a_c² for the spreads."""
        shared = self.inverse @ (self.classes.omega[:, None] * self.inverse)
        own = self.classes.spread_weights
        spread = np.divide(own, self.own**2, out=np.zeros_like(self.own), where=own > 0)
        return 0.5 * (shared + shared.T), spread

    def gains(self, columns: Columns) -> Floats:
        """(N,) vᵀGv, averaged over twins: by how much the loss falls with the weight of v."""
        shared, spread = self.gradient
        result = columns.spreads @ spread
        for first in range(0, len(columns), _AT_ONCE):
            sums = columns.sums[first : first + _AT_ONCE]
            result[first : first + _AT_ONCE] += np.einsum("ij,ij->i", sums @ shared, sums)
        return np.asarray(result)
