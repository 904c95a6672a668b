"""From where on an estimate is kept by the significance threshold, as theory sees it.

Room: theory. The server reckons σ̂ of its own estimate; `expected_threshold.py` needs to know where
that puts the bar on average, and how much it wobbles.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from caldp_core.basics.arrays import sums_by
from caldp_core.basics.types import Floats
from caldp_core.estimation.estimators import SIGNIFICANCE
from caldp_core.mechanisms import ContextMechanism
from caldp_core.theory.normal_estimates import deviations, mean_thresholds, moments_above, normals


@dataclass(frozen=True, eq=False)
class Bars:
    """`bar`: (k,) least estimate W_x that is kept, all others at their expectation.

    `pull`: (k,) how far the bar moves with τ_j, the threshold of its block's projection;
    `wobble`: (m,) variances of τ_j.
    """

    bar: Floats
    pull: Floats
    wobble: Floats


def significance_bars(made: ContextMechanism, p: Floats, variance: Floats, n: int) -> Bars:
    """Bars for (k,) normals with means p and these variances, from reports of n people.

    The server reckons σ̂² at its plausible shares q: those of the others at their expectation, and
    x's own, (W − τ)⁺, which is as large as W is. With nσ̂² = A + Bq − q², W > z·σ̂ and W > τ,

        (1 + z²/n)·q² + (2τ − z²B/n)·q + τ² − z²A/n > 0,  q = W − τ > 0.
    """
    blocks, z2 = made.policy.blocks, float(ndtri(SIGNIFICANCE / p.size)) ** 2
    tau = mean_thresholds(normals(p, variance, blocks))[blocks]
    above, q, square = moments_above(p - tau, deviations(variance), np.zeros(1))
    plausible = sums_by(blocks, above, made.policy.m)
    wobble = sums_by(blocks, square - q**2, made.policy.m) / np.maximum(plausible, 1.0) ** 2
    slope = own_slopes(made, q, n)
    level = made.variance(q, n) - slope * q / n + q**2 / n
    two, one = 1.0 + z2 / n, 2.0 * tau - z2 * slope / n
    apart = one**2 - 4.0 * two * (tau**2 - z2 * level)
    # Without a root all plausible shares are kept, in theory and by the estimator.
    root = np.where(apart > 0, np.sqrt(np.maximum(apart, 0.0)) - one, 0.0)
    least = np.maximum(root, 0.0) / (2.0 * two)
    steep = np.where(least > 0, 2.0 * two * least + one, np.inf)
    return Bars(tau + least, 1.0 - 2.0 * (least + tau) / steep, wobble)


def own_slopes(made: ContextMechanism, p: Floats, n: int) -> Floats:
    """(k,) B_x in n·Var_x = A + B_x·p_x − p_x², A the same while hidden shares of blocks are.

    Read off two symbols of each block between which share is moved; 0 for a lone hidden symbol.
    """
    hidden, blocks = made.hidden_symbols, made.policy.blocks
    pairs = np.flatnonzero(made.sizes > 1)
    first = (np.cumsum(made.sizes) - made.sizes)[pairs]
    up, down = hidden[first], hidden[first + 1]
    moved = p.copy()
    moved[up] += 1.0
    moved[down] -= 1.0
    risen = made.variance(moved, n)[up] - made.variance(p, n)[up]
    of_block = np.zeros(made.policy.m)
    of_block[pairs] = n * risen + 2.0 * p[up] + 1.0
    slopes = 1.0 / made.clear_share[blocks]
    slopes[hidden] = of_block[blocks[hidden]]
    return np.asarray(slopes)
