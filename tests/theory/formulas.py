"""Rates and worst cases of the papers, for comparison with exact variances and optimisers."""

import numpy as np

from caldp_core.basics.errors import check_n, check_number, require
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN
from caldp_core.basics.types import Bools, Floats
from caldp_core.theory import bounds
from caldp_core.theory.bounds import Losses


def urap_losses(p: Floats, sensitive: Bools, n: int, epsilon: float) -> Losses:
    """ULDP Proposition 7 (16), of utility-optimized RAPPOR as published, θ = e^{ε/2}/(e^{ε/2}+1).

    With u′ = e^{ε/2}−1 and v = e^{ε/2}/u′ the variances are (p_x+1/u′)(v−p_x)/n for sensitive x
    and p_x(v−p_x)/n for the others. `p`, `sensitive`: (k,).
    """
    bounds._require_flags(sensitive, p.shape)
    a = 1.0 / np.expm1(check_number("epsilon", epsilon, EPSILON_MIN, EPSILON_MAX) / 2)
    v = 1.0 + a
    return bounds._losses((p + np.where(sensitive, a, 0.0)) * (v - p) / check_n(n))


def urr_worst(sensitive: Bools, epsilon: float) -> Floats:
    """(k,) distribution where both losses of uRR are largest (ULDP Propositions 5 and 6).

    Both losses are Σ g(q_x) with one concave g, q_x = p_x + 1/(e^ε−1) for sensitive x and p_x for
    the others: the more even q, the larger. Up to ε = ln(|X_N|+1) that is uniform on the symbols
    that are *not* sensitive (Prop. 5); beyond, the mixture (13) that makes all q equal (Prop. 6).
    """
    bounds._require_flags(sensitive, sensitive.shape)
    k, others = sensitive.size, int(np.count_nonzero(~sensitive))
    power = float(np.expm1(check_number("epsilon", epsilon, EPSILON_MIN, EPSILON_MAX)))
    if power <= others:
        return np.where(sensitive, 0.0, 1.0 / max(others, 1))
    hidden = (1.0 - others / power) / k
    return np.where(sensitive, hidden, hidden + 1.0 / power)


def urap_worst(sensitive: Bools, epsilon: float) -> Floats:
    """(k,) distribution where both losses of uRAP are largest (ULDP Proposition 8).

    Uniform on the symbols that are not sensitive, for ε ≤ 2·ln(|X_N|/2+1): beyond, l2² already
    has its maximum elsewhere, and this raises `CaldpError`.
    """
    bounds._require_flags(sensitive, sensitive.shape)
    others = int(np.count_nonzero(~sensitive))
    limit = 2 * float(np.log1p(others / 2))
    require(
        check_number("epsilon", epsilon, EPSILON_MIN, EPSILON_MAX) <= limit,
        f"epsilon must be at most 2·ln(|X_N|/2+1) = {limit:.4g} for Proposition 8, got {epsilon}.",
    )
    return np.where(sensitive, 0.0, 1.0 / max(others, 1))
