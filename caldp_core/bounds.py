"""What the papers prove about errors: rates, upper bounds and worst cases.

Room: theory. Rates are what stands inside of Θ(·): they order settings, and say nothing about
constants. Exact errors of a given p are in `Mechanism.variance`. CALDP = Acharya, Bonawitz,
Kairouz, Ramage, Sun 2020; ULDP = Murakami and Kawamoto 2019. Throughout: `k` values, `s` of them
sensitive, `sizes` (m,) values per block, `n` people, `alpha` a total variation, ε = `epsilon`;
all positive.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.errors import require
from caldp_core.types import Bools, Floats


def ldp_rate(k: int, alpha: float, epsilon: float) -> float:
    """CALDP (3): people that plain LDP takes are Θ(k²/(α²ε²)) for ε = O(1)."""
    return k**2 / (alpha * epsilon) ** 2


def high_low_rate(k: int, s: int, alpha: float, epsilon: float) -> float:
    """CALDP Theorem 3 (12): Θ(s²/(α²ε²) + k/(α²ε)) people for s < k/2 and ε = O(1)."""
    require(0 < s < k / 2, f"s must be above 0 and below k/2 = {k / 2:g}, got {s}.")
    return s**2 / (alpha * epsilon) ** 2 + k / (alpha**2 * epsilon)


def block_rate(sizes: ArrayLike, alpha: float, epsilon: float) -> float:
    """CALDP Theorem 4: Θ(Σ k_j²/(α²ε²)) people for ε = O(1)."""
    return float(np.square(np.asarray(sizes, np.float64)).sum()) / (alpha * epsilon) ** 2


def uldp_lower_rates(s: int, n: int, epsilon: float) -> tuple[float, float]:
    """ULDP §4.3: no mechanism has E l1 below Θ(s/√(nε²)) or E l2² below Θ(s/(nε²)), ε ≤ 1."""
    return s / np.sqrt(n * epsilon**2), s / (n * epsilon**2)


def high_low_tv_bound(k: int, s: int, n: int, epsilon: float) -> float:
    """CALDP Proposition 4 (17), of Hadamard response with a sensitive set: √(3s²c²/n) + √(ck/n).

    c = (e^ε+1)/(e^ε−1). The proof (27) bounds l1 by this, so TV is at most half of it. (17) prints
    √c·k/n for the second term, (27) √(c·k/n): only the latter is true, as √c·k/n falls
    below the error of the values in the clear once n is much larger than k.
    """
    c = _c(epsilon)
    return float(np.sqrt(3 * s**2 * c**2 / n) + np.sqrt(c * k / n))


def block_tv_bound(sizes: ArrayLike, n: int, epsilon: float) -> float:
    """CALDP Proposition 5 (20), of Hadamard response in blocks: 2c·√(3Σk_j²/n).

    The proof (29) bounds l1 by this, so TV is at most half of it. (29) has p(X_j) where √p(X_j)
    is meant; Cauchy–Schwarz gives the same end.
    """
    square = float(np.square(np.asarray(sizes, np.float64)).sum())
    return 2 * _c(epsilon) * float(np.sqrt(3 * square / n))


def block_l2_bound(sizes: ArrayLike, n: int, epsilon: float) -> float:
    """CALDP Proposition 5, first line: E l2² ≤ 12·max k_j·c²/n."""
    return 12 * float(np.max(np.asarray(sizes))) / n * _c(epsilon) ** 2


def _c(epsilon: float) -> float:
    return float(1.0 / np.tanh(epsilon / 2))


@dataclass(frozen=True)
class Losses:
    """Expected losses of the unbiased estimate.

    `l1`: E Σ|p̂−p| in the limit of many people, where p̂ is normal. `l2_squared`: E Σ(p̂−p)²,
    exact for any n.
    """

    l1: float
    l2_squared: float


def urr_losses(p: Floats, sensitive: Bools, n: int, epsilon: float) -> Losses:
    """ULDP Proposition 4 (11), of utility-optimized randomized response at any p.

    With u′ = e^ε−1 and v = (|X_S|+e^ε−1)/u′ the variances are (p_x+1/u′)(v−p_x−1/u′)/n for
    sensitive x and p_x(v−p_x)/n for the others; l1 ≈ √(2/π)·Σσ_x. `p`, `sensitive`: (k,).
    """
    a = 1.0 / np.expm1(epsilon)
    v = 1.0 + float(np.count_nonzero(sensitive)) * a
    q = p + np.where(sensitive, a, 0.0)
    return _losses(q * (v - q) / n)


def urap_losses(p: Floats, sensitive: Bools, n: int, epsilon: float) -> Losses:
    """ULDP Proposition 7 (16), of utility-optimized RAPPOR as published, θ = e^{ε/2}/(e^{ε/2}+1).

    With u′ = e^{ε/2}−1 and v = e^{ε/2}/u′ the variances are (p_x+1/u′)(v−p_x)/n for sensitive x
    and p_x(v−p_x)/n for the others. `p`, `sensitive`: (k,).
    """
    a = 1.0 / np.expm1(epsilon / 2)
    v = 1.0 + a
    return _losses((p + np.where(sensitive, a, 0.0)) * (v - p) / n)


def _losses(variance: Floats) -> Losses:
    variance = np.maximum(variance, 0.0)
    return Losses(float(np.sqrt(2 / np.pi) * np.sqrt(variance).sum()), float(variance.sum()))


def urr_worst(sensitive: Bools, epsilon: float) -> Floats:
    """(k,) distribution where both losses of uRR are largest (ULDP Propositions 5 and 6).

    Both losses are Σ g(q_x) with one concave g, q_x = p_x + 1/(e^ε−1) for sensitive x and p_x for
    the others: the more even q, the larger. Up to ε = ln(|X_N|+1) that is uniform on the symbols
    that are *not* sensitive (Prop. 5); beyond, the mixture (13) that makes all q equal (Prop. 6).
    """
    k, others = sensitive.size, int(np.count_nonzero(~sensitive))
    power = float(np.expm1(epsilon))
    if power <= others:
        return np.where(sensitive, 0.0, 1.0 / max(others, 1))
    hidden = (1.0 - others / power) / k
    return np.where(sensitive, hidden, hidden + 1.0 / power)


def urap_worst(sensitive: Bools, epsilon: float) -> Floats:
    """(k,) distribution where both losses of uRAP are largest (ULDP Proposition 8).

    Uniform on the symbols that are not sensitive, for ε ≤ 2·ln(|X_N|/2+1): beyond, l2² already
    has its maximum elsewhere, and this raises `CaldpError`.
    """
    others = int(np.count_nonzero(~sensitive))
    limit = 2 * float(np.log1p(others / 2))
    require(
        epsilon <= limit,
        f"epsilon must be at most 2·ln(|X_N|/2+1) = {limit:.4g} for Proposition 8, got {epsilon}.",
    )
    return np.where(sensitive, 0.0, 1.0 / max(others, 1))
