"""A bound that is nearly tight where all values hide each other alike, whatever the prior.

Room: mechanisms. Let a_x + b_z ≥ E[x, z] for all x, z of a set U, x = z included. Then every allowed
column has an m with l_x·m ≤ v_x ≤ h_x·m on U, l = e^−b and h = e^a: m = max v_x/h_x will do. For any
g ≥ 0, as (v_x − l_x·m)(h_x·m − v_x) ≥ 0,

    Σ g_x v_x² ≤ m·cᵀv − m²·d ≤ (cᵀv)²/4d   with c_x = g_x(l_x + h_x), d = Σ g_x l_x h_x.

So tr(CM) ≤ 0 for every channel that keeps E, C = diag(g) − ccᵀ/4d. In plain LDP, a = ε and b = 0,
this is tight but for the highs being a whole number; products of facets do not imply it.
"""

from typing import Final

import numpy as np

from caldp_core.basics.types import Floats
from caldp_core.mechanisms.designed.master import Weighted
from caldp_core.mechanisms.designed.merged import Cut
from caldp_core.mechanisms.designed.problem import Part
from caldp_core.mechanisms.designed.relaxation import proved
from caldp_core.mechanisms.designed.search import Worth

_ROUNDS: Final = 20
_SAFE: Final = 1e-9
"""Nats that a is raised by, and share of a cut's right side, for the rounding."""
_SHARES: Final = np.linspace(0.4, 2.0, 33)
"""Multiples of C that are tried where it is the only inequality."""


def star_cut(part: Part, weighted: Weighted) -> Cut | None:
    """With the g that the design's own G has on its diagonal; None where nobody is in U.

    `bound` is what C alone proves. C + s·ππᵀ ⪰ 0 has tr((C + s·ππᵀ)M) ≤ s.
    """
    within = np.flatnonzero(np.isfinite(part.levels).all(axis=1))
    if len(within) < 2:
        return None
    up, down = covering(part.levels[np.ix_(within, within)])
    quadratic = Worth.of(weighted).quadratic
    least = star(quadratic.diagonal()[within], up, down)
    whole = np.zeros_like(part.levels)
    whole[np.ix_(within, within)] = least
    both = np.outer(part.prior, part.prior)
    enough = float(np.abs(np.linalg.eigvalsh(whole / np.sqrt(both))).max())
    bound = max(proved(part, quadratic, -share * whole, 0.0) for share in _SHARES)
    return Cut(whole + enough * both, enough * (1 + _SAFE), bound)


def star(g: Floats, up: Floats, down: Floats) -> Floats:
    """(u, u) C of (u,) g, a and b."""
    low, high = np.exp(-down), np.exp(up)
    c, d = g * (low + high), float(g @ (low * high))
    return np.asarray(np.diag(g) - np.outer(c, c) / (4 * d))


def covering(levels: Floats) -> tuple[Floats, Floats]:
    """(u,) a and (u,) b with a_x + b_z ≥ E[x, z], neither of which can be lowered by itself."""
    up = levels.max(axis=1) / 2
    for _ in range(_ROUNDS):
        down = (levels - up[:, None]).max(axis=0)
        up = (levels - down).max(axis=1)
    return up + _SAFE, down
