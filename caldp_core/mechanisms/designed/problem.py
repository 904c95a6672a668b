"""The design problem: E closed, cut into parts that have nothing to do with each other.

docs/derivations.md, “The design problem in parts”, has the derivation.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.extras import scipy
from caldp_core.basics.limits import EPSILON_MIN
from caldp_core.basics.types import Floats, Ints, sums_by
from caldp_core.privacy.context import PrivacyMatrix
from caldp_core.privacy.matrix import DenseMatrix, closure

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
        count, k = logarithms.shape
        r = len(self.sizes)
        result = Columns(np.empty((count, k)), np.empty((count, r)), np.empty((count, r)))
        for first in range(0, count, _AT_ONCE):  # in pieces, as each step on the way is as large
            at = slice(first, first + _AT_ONCE)
            part = _columns_of(logarithms[at], self)
            result.v[at], result.sums[at], result.spreads[at] = part.v, part.sums, part.spreads
        return result

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


_SHARE_MIN: Final = 1e-6
_LEVEL_MAX: Final = 200.0
"""Finite levels above it are kept as if they were it: nobody could see a loss of e^−200."""
_SAME: Final = 1e-12
"""Nats by which the levels of twins may differ: their sums are rounded."""


@dataclass(frozen=True, eq=False)
class ConnectedPart:
    """A problem that is connected and in which every level is positive.

    `levels`: (k, k) closed E. `prior`: (k,) positive, sums to 1. `weights`: (k,) ω > 0.
    """

    levels: Floats
    prior: Floats
    weights: Floats

    def classes(self) -> Classes:
        """Which symbols are twins: to swap them leaves E, prior and weights as they are."""
        labels = np.full(len(self.prior), -1)
        firsts: list[int] = []
        for x in range(len(labels)):
            twin = next((c for c, z in enumerate(firsts) if self._twins(x, z)), None)
            if twin is None:
                twin = len(firsts)
                firsts.append(x)
            labels[x] = twin
        return Classes(labels.astype(np.int64), self.prior, self.weights)

    def _twins(self, x: int, z: int) -> bool:
        if self.prior[x] != self.prior[z] or self.weights[x] != self.weights[z]:
            return False
        others = np.ones(len(self.prior), np.bool_)
        others[[x, z]] = False
        levels = self.levels
        return (
            bool(np.isclose(levels[x, z], levels[z, x], rtol=0, atol=_SAME))
            and np.allclose(levels[x, others], levels[z, others], rtol=0, atol=_SAME)
            and np.allclose(levels[others, x], levels[others, z], rtol=0, atol=_SAME)
        )


@dataclass(frozen=True, eq=False)
class Problem:
    """`levels`: (k, k) closed E. `prior`, `weights`: (k,). `merged`: (k,) labels of equal rows."""

    levels: Floats
    prior: Floats
    weights: Floats
    merged: Ints

    @classmethod
    def of(
        cls, policy: PrivacyMatrix, prior: ArrayLike | None, weights: ArrayLike | None
    ) -> "Problem":
        """Check and close; `prior`, `weights`: (k,) or even. `CaldpError` for levels near 0."""
        closed = closure(policy).entries
        # Where E is 0 one way both rows are equal, which may open shorter detours.
        levels = closure(DenseMatrix.of(np.where((closed == 0).T, 0.0, closed))).entries
        levels = np.where(np.isfinite(levels), np.minimum(levels, _LEVEL_MAX), np.inf)
        k = len(levels)
        small = levels[(levels > 0) & (levels < EPSILON_MIN)]
        if small.size:
            raise CaldpError(
                f"Levels of a design must be 0 or at least {EPSILON_MIN}, got "
                f"{float(small.min()):g} (directly or by a detour); raise it or set it to 0."
            )
        shares = _positive("prior", np.full(k, 1 / k) if prior is None else prior, k)
        if abs(float(shares.sum()) - 1) > 1e-12:  # so that a file's prior is not moved by a bit
            shares = shares / shares.sum()
        require(
            float(shares.min()) >= _SHARE_MIN,
            f"prior must give every symbol at least {_SHARE_MIN:g} of the whole, "
            f"got {float(shares.min()):g}; a symbol that nobody has still needs a report.",
        )
        omega = _positive("weights", np.ones(k) if weights is None else weights, k)
        merged = scipy.sparse.csgraph.connected_components(levels == 0, directed=False)[1]
        return cls(levels, shares, omega, merged.astype(np.int64))

    @property
    def groups(self) -> int:
        """Number of symbols that reports can distinguish."""
        return int(self.merged.max()) + 1

    @cached_property
    def of_groups(self) -> tuple[Ints, Floats, Floats]:
        """(groups,) a symbol of each, the prior of each, and the weights of each: both sums."""
        first = np.unique(self.merged, return_index=True)[1]
        prior = sums_by(self.merged, self.prior, self.groups)
        return first.astype(np.int64), prior, sums_by(self.merged, self.weights, self.groups)

    def parts(self) -> list[tuple[Ints, float, ConnectedPart]]:
        """Each part: the groups that are its symbols, its share of the people, and itself."""
        first, prior, weights = self.of_groups
        levels = self.levels[np.ix_(first, first)]
        labels = scipy.sparse.csgraph.connected_components(np.isfinite(levels), directed=False)[1]
        result = []
        for label in range(int(labels.max()) + 1):
            own = np.flatnonzero(labels == label)
            share = float(prior[own].sum())
            part = ConnectedPart(levels[np.ix_(own, own)], prior[own] / share, weights[own])
            result.append((own, share, part))
        return result

    def columns(self, own: Ints, v: Floats) -> Floats:
        """(N, k) columns of the whole from (N, groups of a part) columns of the part."""
        whole = np.zeros((len(v), self.groups))
        whole[:, own] = v
        return whole[:, self.merged]

    def loss(self, rows: Floats) -> float:
        """Σ ω_g·n·Var(p̂_g) over groups at the prior: of the best estimate from (k, outputs) Q."""
        first, prior, weights = self.of_groups
        channel = rows[first]
        information = (channel / (prior @ channel)) @ channel.T
        return float(weights @ np.linalg.inv(information).diagonal()) - self.squares

    @property
    def squares(self) -> float:
        """Σ ω_g·π_g²: by how much tr(ΩM⁻¹) exceeds the loss."""
        _, prior, weights = self.of_groups
        return float(weights @ prior**2)


def _positive(name: str, values: ArrayLike, k: int) -> Floats:
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise CaldpError(f"{name} must be {k} positive numbers.") from None
    require(
        numbers.shape == (k,) and bool(np.isfinite(numbers).all() and (numbers > 0).all()),
        f"{name} must be {k} positive numbers, got shape {numbers.shape}; give one a symbol.",
    )
    return numbers


_DIGITS: Final = 12
"""Digits in which entries must agree to be one value."""


class Orbit:
    """`v`: (k,) a column. `size`: how many different ones twins make of it.

    `moving`: the symbols of each class in which v is not constant. `shifts`: how often all of those
    must be turned by one place to be back where they were.
    """

    def __init__(self, v: Floats, classes: Classes) -> None:
        self.v = v
        shared = np.flatnonzero(classes.sizes > 1)
        members = [np.flatnonzero(classes.labels == c) for c in shared]
        self.moving = [part for part in members if len(_values(v[part])[0]) > 1]
        self.size = math.prod(_multinomial(_values(v[part])[1]) for part in self.moving)
        self.shifts = math.lcm(*(len(part) for part in self.moving))

    def members(self) -> Floats:
        """(size, k) all columns of the orbit."""
        result = self.v[None]
        for part in self.moving:
            orders = np.array(list(_orders(*_values(self.v[part]))))
            result = np.repeat(result, len(orders), axis=0)
            result[:, part] = np.tile(orders, (len(result) // len(orders), 1))
        return result

    def random_member(self, rng: np.random.Generator) -> Floats:
        """(k,) a random column of the orbit."""
        v = self.v.copy()
        for part in self.moving:
            v[part] = rng.permutation(v[part])
        return v

    def cyclic_shifts(self, v: Floats) -> Floats:
        """(shifts, k) a column with all its moving classes turned at once."""
        turned = np.repeat(v[None], self.shifts, axis=0)
        for part in self.moving:
            places = (np.arange(len(part)) + np.arange(self.shifts)[:, None]) % len(part)
            turned[:, part] = v[part][places]
        return turned


def _values(entries: Floats) -> tuple[Floats, Ints]:
    """The different values and how often each occurs."""
    _, place, counts = np.unique(
        np.round(entries / entries.max(initial=1e-300), _DIGITS),
        return_index=True,
        return_counts=True,
    )
    return entries[place], counts


def _multinomial(counts: Ints) -> int:
    return math.factorial(int(counts.sum())) // math.prod(math.factorial(int(c)) for c in counts)


def _orders(values: Floats, counts: Ints) -> Iterator[Floats]:
    """Every different order of `values`, each as often as it counts."""
    total = int(counts.sum())
    if len(values) == 1:
        yield np.full(total, values[0])
        return
    for rest in _orders(values[1:], counts[1:]):
        for places in combinations(range(total), int(counts[0])):
            yield np.insert(rest, np.array(places) - np.arange(len(places)), values[0])
