"""Results of the papers on errors: rates, upper bounds and worst cases.

Rates are what stands inside of Θ(·): they order settings, and say nothing about constants. Exact
errors of a given p are in `Mechanism.variance`. CALDP = Acharya, Bonawitz, Kairouz, Ramage, Sun
2020; ULDP = Murakami and Kawamoto 2019. Throughout: `k` values, `s` of them sensitive, `sizes` (m,)
values per block, `n` people, `alpha` a total variation in (0, 1], ε = `epsilon` in [0.001, 20]; all
positive, or `CaldpError`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.errors import check_k, check_n, check_number, check_whole, require
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN, K_MAX
from caldp_core.basics.types import Bools, Floats


def ldp_rate(k: int, alpha: float, epsilon: float) -> float:
    """CALDP (3): people that plain LDP takes are Θ(k²/(α²ε²)) for ε = O(1)."""
    return check_k(k) ** 2 / (_alpha(alpha) * _epsilon(epsilon)) ** 2


def high_low_rate(k: int, s: int, alpha: float, epsilon: float) -> float:
    """CALDP Theorem 3 (12): Θ(s²/(α²ε²) + k/(α²ε)) people for s < k/2 and ε = O(1)."""
    check_k(k)
    require(0 < s < k / 2, f"s must be above 0 and below k/2 = {k / 2:g}, got {s}.")
    alpha, epsilon = _alpha(alpha), _epsilon(epsilon)
    return s**2 / (alpha * epsilon) ** 2 + k / (alpha**2 * epsilon)


def block_rate(sizes: ArrayLike, alpha: float, epsilon: float) -> float:
    """CALDP Theorem 4: Θ(Σ k_j²/(α²ε²)) people for ε = O(1)."""
    return float(np.square(_sizes(sizes)).sum()) / (_alpha(alpha) * _epsilon(epsilon)) ** 2


def uldp_lower_rates(s: int, n: int, epsilon: float) -> tuple[float, float]:
    """ULDP §4.3: no mechanism has E l1 below Θ(s/√(nε²)) or E l2² below Θ(s/(nε²)), ε ≤ 1."""
    check_whole("s", s, 1, K_MAX)
    people = check_n(n) * _epsilon(epsilon) ** 2
    return s / float(np.sqrt(people)), s / people


def high_low_tv_bound(k: int, s: int, n: int, epsilon: float) -> float:
    """CALDP Proposition 4 (17), of Hadamard response with a sensitive set: √(3s²c²/n) + √(ck/n).

    c = (e^ε+1)/(e^ε−1). The proof (27) bounds l1 by this, so TV is at most half of it. (17) prints
    √c·k/n for the second term, (27) √(c·k/n): only the latter is true, as √c·k/n falls
    below the error of the values in the clear once n is much larger than k.
    """
    c = _c(epsilon)
    s, n = check_whole("s", s, 0, check_k(k)), check_n(n)
    return float(np.sqrt(3 * s**2 * c**2 / n) + np.sqrt(c * k / n))


def block_tv_bound(sizes: ArrayLike, n: int, epsilon: float) -> float:
    """CALDP Proposition 5 (20), of Hadamard response in blocks: 2c·√(3Σk_j²/n).

    The proof (29) bounds l1 by this, so TV is at most half of it. (29) has p(X_j) where √p(X_j)
    is meant; Cauchy–Schwarz gives the same end.
    """
    square = float(np.square(_sizes(sizes)).sum())
    return 2 * _c(epsilon) * float(np.sqrt(3 * square / check_n(n)))


def _c(epsilon: float) -> float:
    return float(1.0 / np.tanh(_epsilon(epsilon) / 2))


def _epsilon(value: float) -> float:
    return check_number("epsilon", value, EPSILON_MIN, EPSILON_MAX)


def _alpha(value: float) -> float:
    require(check_number("alpha", value, 0.0, 1.0) > 0, "alpha must be above 0, got 0.")
    return float(value)


def _sizes(value: ArrayLike) -> Floats:
    sizes = np.asarray(value)
    require(
        sizes.ndim == 1 and sizes.size > 0 and sizes.dtype.kind in "iu" and bool((sizes > 0).all()),
        f"sizes must be one whole number above 0 per block, got {value!r}.",
    )
    return sizes.astype(np.float64)


def _require_flags(sensitive: Bools, shape: tuple[int, ...]) -> None:
    require(
        len(shape) == 1 and shape[0] > 0 and sensitive.shape == shape,
        "sensitive must have one flag for each of k ≥ 1 values, "
        f"got shape {sensitive.shape} for {shape}.",
    )
    require(sensitive.dtype == np.bool_, f"sensitive must hold booleans, got {sensitive.dtype}.")


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
    _require_flags(sensitive, p.shape)
    a = 1.0 / np.expm1(_epsilon(epsilon))
    v = 1.0 + float(np.count_nonzero(sensitive)) * a
    q = p + np.where(sensitive, a, 0.0)
    return _losses(q * (v - q) / check_n(n))


def urap_losses(p: Floats, sensitive: Bools, n: int, epsilon: float) -> Losses:
    """ULDP Proposition 7 (16), of utility-optimized RAPPOR as published, θ = e^{ε/2}/(e^{ε/2}+1).

    With u′ = e^{ε/2}−1 and v = e^{ε/2}/u′ the variances are (p_x+1/u′)(v−p_x)/n for sensitive x
    and p_x(v−p_x)/n for the others. `p`, `sensitive`: (k,).
    """
    _require_flags(sensitive, p.shape)
    a = 1.0 / np.expm1(_epsilon(epsilon) / 2)
    v = 1.0 + a
    return _losses((p + np.where(sensitive, a, 0.0)) * (v - p) / check_n(n))


def _losses(variance: Floats) -> Losses:
    variance = np.maximum(variance, 0.0)
    return Losses(float(np.sqrt(2 / np.pi) * np.sqrt(variance).sum()), float(variance.sum()))


def urr_worst(sensitive: Bools, epsilon: float) -> Floats:
    """(k,) distribution where both losses of uRR are largest (ULDP Propositions 5 and 6).

    Both losses are Σ g(q_x) with one concave g, q_x = p_x + 1/(e^ε−1) for sensitive x and p_x for
    the others: the more even q, the larger. Up to ε = ln(|X_N|+1) that is uniform on the symbols
    that are *not* sensitive (Prop. 5); beyond, the mixture (13) that makes all q equal (Prop. 6).
    """
    _require_flags(sensitive, sensitive.shape)
    k, others = sensitive.size, int(np.count_nonzero(~sensitive))
    power = float(np.expm1(_epsilon(epsilon)))
    if power <= others:
        return np.where(sensitive, 0.0, 1.0 / max(others, 1))
    hidden = (1.0 - others / power) / k
    return np.where(sensitive, hidden, hidden + 1.0 / power)


def urap_worst(sensitive: Bools, epsilon: float) -> Floats:
    """(k,) distribution where both losses of uRAP are largest (ULDP Proposition 8).

    Uniform on the symbols that are not sensitive, for ε ≤ 2·ln(|X_N|/2+1): beyond, l2² already
    has its maximum elsewhere, and this raises `CaldpError`.
    """
    _require_flags(sensitive, sensitive.shape)
    others = int(np.count_nonzero(~sensitive))
    limit = 2 * float(np.log1p(others / 2))
    require(
        _epsilon(epsilon) <= limit,
        f"epsilon must be at most 2·ln(|X_N|/2+1) = {limit:.4g} for Proposition 8, got {epsilon}.",
    )
    return np.where(sensitive, 0.0, 1.0 / max(others, 1))
