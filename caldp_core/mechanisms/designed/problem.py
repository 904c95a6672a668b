"""The design problem: E closed, cut into parts that have nothing to do with each other.

Where E = ∞ both ways between two sets of symbols, directly and by detours, no report of a best
channel comes from both, and each set is a problem of its own. Where E[x, x′] = 0, Q(·|x) ≤ Q(·|x′)
makes both rows equal, as both sum to 1: such symbols count as one.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import scipy
from numpy.typing import ArrayLike

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.limits import EPSILON_MIN
from caldp_core.basics.types import Floats, Ints, sums_by
from caldp_core.mechanisms.designed.moments import Classes
from caldp_core.privacy.context import PrivacyMatrix
from caldp_core.privacy.matrix import DenseMatrix, closure

_SHARE_MIN: Final = 1e-6
_LEVEL_MAX: Final = 200.0
"""Finite levels above it are kept as if they were it: e^−200 is no loss that could be seen."""
_SAME: Final = 1e-12
"""Nats by which the levels of twins may differ: their sums are rounded."""


@dataclass(frozen=True, eq=False)
class Part:
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
        levels = _equal_rows_both_ways(closure(policy))
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
        """Number of symbols that can be told apart."""
        return int(self.merged.max()) + 1

    @cached_property
    def of_groups(self) -> tuple[Ints, Floats, Floats]:
        """(groups,) a symbol of each, the prior of each, and the weights of each: both sums."""
        first = np.unique(self.merged, return_index=True)[1]
        prior = sums_by(self.merged, self.prior, self.groups)
        return first.astype(np.int64), prior, sums_by(self.merged, self.weights, self.groups)

    def parts(self) -> list[tuple[Ints, float, Part]]:
        """Each part: the groups that are its symbols, its share of the people, and itself."""
        first, prior, weights = self.of_groups
        levels = self.levels[np.ix_(first, first)]
        labels = scipy.sparse.csgraph.connected_components(np.isfinite(levels), directed=False)[1]
        result = []
        for label in range(int(labels.max()) + 1):
            own = np.flatnonzero(labels == label)
            share = float(prior[own].sum())
            part = Part(levels[np.ix_(own, own)], prior[own] / share, weights[own])
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


def _equal_rows_both_ways(closed: DenseMatrix) -> Floats:
    """E with 0 both ways wherever it is 0 one way, closed again."""
    levels = np.where((closed.entries == 0).T, 0.0, closed.entries)
    return closure(DenseMatrix.of(levels)).entries


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
