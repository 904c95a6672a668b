"""A bound that is nearly tight where all values hide each other alike, whatever the prior.

Let a_x + b_z ≥ E[x, z] for all x, z of a set U, x = z included. Then every allowed column has an m
with l_x·m ≤ v_x ≤ h_x·m on U, l = e^−b and h = e^a: m = max v_x/h_x will do. For any g ≥ 0, as (v_x
− l_x·m)(h_x·m − v_x) ≥ 0,

    Σ g_x v_x² ≤ m·cᵀv − m²·d ≤ (cᵀv)²/4d   with c_x = g_x(l_x + h_x), d = Σ g_x l_x h_x.

So tr(CM) ≤ 0 for every channel that keeps E, C = diag(g) − ccᵀ/4d. In plain LDP, a = ε and b = 0,
this is tight but for the highs being a whole number; products of facets do not imply it.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from caldp_core.basics.types import Floats, Ints, Progress
from caldp_core.mechanisms.designed.climb import ColumnScore
from caldp_core.mechanisms.designed.master import WeightedColumns
from caldp_core.mechanisms.designed.merged import Cut
from caldp_core.mechanisms.designed.problem import Part
from caldp_core.mechanisms.designed.relaxation import dual_bound

_ROUNDS: Final = 20
_SAFE: Final = 1e-9
"""Nats that a is raised by, and share of a cut's right side, for the rounding."""
_SHARES: Final = np.linspace(0.4, 2.0, 17)
"""Multiples of C that are tried."""
_STARTS: Final = 6
_STARTS_LARGE: Final = 2
_LARGE_K: Final = 100
_STEPS: Final = 60
"""Steps of each search for g and λ; its result is proved afterwards, so it need not converge."""
_LAMBDA_START: Final = 3.0
"""First λ, as a multiple of π: G is well inside of what is positive."""
_PROOF_SHARE_MIN: Final = 0.25
"""Share of the design's loss: where the first search proves less, the others do not try."""
_LOG_MOVE_MAX: Final = 20.0
"""Most that a logarithm of g is moved."""
_INFEASIBLE_VALUE: Final = 1e3


def star_cut(part: Part, weighted: WeightedColumns, progress: Progress) -> Cut | None:
    """With the g that the design's own G has on its diagonal; None where U has no two symbols.

    `bound` is what C proves without other inequalities: for that g, and where all symbols are in U
    for the best g that is found. C + s·ππᵀ ⪰ 0 has tr((C + s·ππᵀ)M) ≤ s.
    """
    within = np.flatnonzero(np.isfinite(part.levels).all(axis=1))
    if len(within) < 2:
        return None
    sides, design = _Sides.of(part, within), ColumnScore.of(weighted).quadratic
    least = sides.quadratic(design.diagonal()[within])
    bound = max(dual_bound(part, design, -share * least, 0.0) for share in _SHARES)
    if len(within) == len(part.prior):
        bound = max(
            bound, _best_alone(sides, _PROOF_SHARE_MIN * weighted.information.loss, progress)
        )
    both = np.outer(part.prior, part.prior)
    enough = float(np.abs(np.linalg.eigvalsh(least / np.sqrt(both))).max())
    return Cut(least + enough * both, enough * (1 + _SAFE), bound)


@dataclass(frozen=True, eq=False)
class _Sides:
    """`low` l, `high` h: (u,) of the symbols `within` U: (u,)."""

    part: Part
    within: Ints
    low: Floats
    high: Floats

    @classmethod
    def of(cls, part: Part, within: Ints) -> "_Sides":
        up, down = covering(part.levels[np.ix_(within, within)])
        return cls(part, within, np.exp(-down), np.exp(up))

    def quadratic(self, g: Floats) -> Floats:
        """(k, k) C of (u,) g."""
        whole = np.zeros_like(self.part.levels)
        whole[np.ix_(self.within, self.within)] = star(g, self.low, self.high)
        return whole

    def proven(self, g: Floats, dual: Floats) -> tuple[float, Floats, Floats]:
        """log of (tr (Ω^½GΩ^½)^½)²/(λᵀ1), G = ½(λπᵀ + πλᵀ) + C, and its slopes by g and λ.

        −∞ where G is not positive. The root's slope is infinite there, so the best G is inside.
        """
        half = np.outer(dual, self.part.prior)
        root = np.sqrt(self.part.weights)
        inner = ((half + half.T) / 2 + self.quadratic(g)) * np.outer(root, root)
        values, vectors = np.linalg.eigh(inner)
        total, sum_of = float(np.sqrt(np.maximum(values, 0.0)).sum()), float(dual.sum())
        if values[0] <= 0 or sum_of <= 0:
            return -np.inf, np.zeros_like(g), np.zeros_like(dual)
        turned = root[:, None] * vectors
        slope = (turned / np.sqrt(values)) @ turned.T / total
        own, c, d = self._own(slope, g)
        pushed = own @ c
        by_g = own.diagonal() - (self.low + self.high) * pushed / (2 * d)
        by_g = by_g + self.low * self.high * float(c @ pushed) / (4 * d**2)
        return 2 * np.log(total) - np.log(sum_of), by_g, slope @ self.part.prior - 1 / sum_of

    def _own(self, slope: Floats, g: Floats) -> tuple[Floats, Floats, float]:
        c, d = g * (self.low + self.high), float(g @ (self.low * self.high))
        return slope[np.ix_(self.within, self.within)], c, d


def _best_alone(sides: _Sides, least: float, progress: Progress) -> float:
    """A bound by g > 0 and λ that are sought from c = π on, for which λ ∝ π is enough.

    The search ends early below `least`.
    """
    prior, count = sides.part.prior, len(sides.within)
    start = prior / (sides.low + sides.high)
    scale = prior / float(start @ (sides.low * sides.high))

    def of(point: Floats) -> tuple[Floats, Floats]:
        return start * np.exp(np.clip(point[:count], -_LOG_MOVE_MAX, _LOG_MOVE_MAX)), point[
            count:
        ] * scale

    def loss(point: Floats) -> tuple[float, Floats]:
        g, dual = of(point)
        value, by_g, by_dual = sides.proven(g, dual)
        if not np.isfinite(value):
            return _INFEASIBLE_VALUE, np.zeros_like(point)
        return -value, -np.concatenate([by_g * g, by_dual * scale])

    point = np.concatenate([np.zeros(count), np.full(count, _LAMBDA_START)])
    starts = _STARTS if count < _LARGE_K else _STARTS_LARGE
    for step in range(starts):
        result = scipy.optimize.minimize(
            loss, point, jac=True, method="CG", options={"maxiter": _STEPS}
        )
        point = result.x
        progress((step + 1) / starts)
        if np.exp(-result.fun) < least:
            break
    g, dual = of(point)
    star_of, half = sides.quadratic(g), np.outer(dual, prior)
    return dual_bound(sides.part, star_of + (half + half.T) / 2, -star_of, 0.0)


def star(g: Floats, low: Floats, high: Floats) -> Floats:
    """(u, u) C of (u,) g, l and h."""
    c, d = g * (low + high), float(g @ (low * high))
    return np.asarray(np.diag(g) - np.outer(c, c) / (4 * d))


def covering(levels: Floats) -> tuple[Floats, Floats]:
    """(u,) a and (u,) b with a_x + b_z ≥ E[x, z], neither of which can be lowered by itself."""
    up = levels.max(axis=1) / 2
    for _ in range(_ROUNDS):
        down = (levels - up[:, None]).max(axis=0)
        up = (levels - down).max(axis=1)
    return up + _SAFE, down
