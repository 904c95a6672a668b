r"""δ after mixing the reports of a mechanism that is known: amplification by variation and ratio.

After Wang and others 2023 (arXiv 2304.05007), here for contexts. Let x be a protected value of a
block whose n people's reports are mixed, x′ another value of it, p = e^ε, β the total variation of
their laws and α = β/(p − 1). With Q₁ the reports that x sends more often and Q₁′ those of x′,

    R(x) = pα·Q₁ + α·Q₁′ + (1 − (p+1)α)·Q₀,   R(x′) = α·Q₁ + pα·Q₁′ + (1 − (p+1)α)·Q₀.

As nobody's report is less likely than that of x or x′ over p, each of the others sends as if from
the blanket (pα·Q₁ + pα·Q₁′ + (1 − (p+1)α)·Q₀)/(1 + β) with probability (1 + β)/p at least. Let M of
them do, C ~ Bin(M, 2pα/(1+β)) of these not Q₀, and A ~ Bin(C, ½) of these Q₁. Given all else, δ is
at most the divergence of (A + Δ, C − A + Δ′), (Δ, Δ′) = (1, 0), (0, 1), (0, 0) with probabilities
pα, α, 1 − (p+1)α, from the same with Δ and Δ′ swapped, on average over M ~ Bin(n − 1, (1 + β)/p).

The paper leaves Q₀ out of the blanket and has C ~ Bin(n − 1, 2α). Then nobody lends Q₀, and exactly
shuffled reports of four people show more than its sum says (`tests/theory/test_mixing.py`); for
many people both are the same to a few per cent.

Where x′ is open, a report may name it, and nobody lends that: what is promised is that x does not
stand out. Here β = 1 − λ, R(x) = pα·Q₁ + (1 − pα)·Q₀, R(x′) = α·Q₁ + β·(its name) + (1 − pα)·Q₀,
and the blanket is R(x) itself, with probability 1/p. However many are mixed, ln(1/λ) is left.
"""

import math
from typing import Final

import numpy as np
import scipy

from caldp_core.basics.types import Floats, Ints

PIECES: Final = 24
_NARROW: Final = 0.02
"""Ranges of the blanket: at most so many, none narrower than this part of its mean."""


def delta_after_mixing(
    epsilon: float, local: float, beta: float, n: int, delta: float, *, pieces: int = PIECES
) -> float:
    """δ at `epsilon` of two protected values among n people, on average over the blanket.

    `local`: ε of one report; `beta`: β. Events too rare to matter beside `delta` count in full.
    """
    crowds, mass = _blankets(n, (1 + beta) * math.exp(-local), delta, pieces)
    pairs = zip(crowds.tolist(), mass.tolist(), strict=True)
    return float(sum(m * delta_in_blanket(epsilon, local, beta, c, delta) for c, m in pairs))


def delta_with_open(
    epsilon: float, local: float, beta: float, n: int, delta: float, *, pieces: int = PIECES
) -> float:
    """δ at `epsilon` of a protected value against an open one; see `delta_after_mixing`."""
    crowds, mass = _blankets(n, math.exp(-local), delta, pieces)
    pairs = zip(crowds.tolist(), mass.tolist(), strict=True)
    return float(sum(m * delta_beside_open(epsilon, local, beta, c) for c, m in pairs))


def _blankets(n: int, chance: float, delta: float, most: int) -> tuple[Ints, Floats]:
    """Numbers M of others in the blanket, in at most `most` ranges: the least, and the chance.

    Fewer hide less, so a range may be taken at its least. The first begins at 0.
    """
    mean, wide = (n - 1) * chance, math.log(1e3 / delta)
    reach = wide / 3 + math.sqrt(wide**2 / 9 + 2 * wide * mean * (1 - chance))
    low, high = max(0, math.floor(mean - reach)), min(n - 1, math.ceil(mean + reach))
    pieces = min(most, 1 + math.ceil((high - low) / max(_NARROW * mean, 1.0)))
    least = np.unique([0, *np.linspace(low, high, pieces).astype(np.int64).tolist()])
    tails = _tail(least.astype(np.float64), np.full(least.size, n - 1.0), chance)
    return least, tails - np.append(tails[1:], 0.0)


def delta_in_blanket(epsilon: float, local: float, beta: float, others: int, delta: float) -> float:
    """δ of two protected values beside so many others of the blanket: a sum over their Q₁, Q₁′.

    Given their number t it is best to look for `start` or more Q₁: the ratio of both laws grows.
    """
    p, power = math.exp(local), math.exp(epsilon)
    alpha = beta / (p - 1)
    rest, share = max(0.0, 1 - (p + 1) * alpha), min(1.0, 2 * p * alpha / (1 + beta))
    t, neglected = _window(others + 1, share, 1e-3 * delta)
    before, at = _binomial(t - 1, others, share), _binomial(t, others, share)
    idle = rest * (power - 1) * (others + 1 - t) * share / (2 * max(1 - share, 1e-300))
    start = np.ceil((alpha * (power * p - 1) * t + idle) / (alpha * (p - 1) * (1 + power)))
    v = _tail(start, t - 1, 0.5)
    u = v + _binomial(start - 1, t - 1, 0.5)
    first = before * alpha * (p * u + v) + at * rest * (u + v) / 2
    second = before * alpha * (u + p * v) + at * rest * (u + v) / 2
    return float(np.maximum(first - power * second, 0.0).sum()) + neglected


def delta_beside_open(epsilon: float, local: float, beta: float, others: int) -> float:
    """δ of a protected value against an open one beside so many others of the blanket."""
    p, power = math.exp(local), math.exp(epsilon)
    alpha = beta / (p - 1)
    share, rest = min(1.0, p * alpha), max(0.0, 1 - p * alpha)
    if power >= p:
        return 0.0
    odds = (power - 1) * rest * share / ((p - power) * alpha * max(1 - share, 1e-300))
    start = np.ceil(np.array([(others + 1) * odds / (1 + odds)]))
    count = np.array([float(others)])
    u, v = _tail(start - 1, count, share), _tail(start, count, share)
    return float(max(((p - power) * alpha * u - (power - 1) * rest * v)[0], 0.0))


def _window(n: int, chance: float, spare: float) -> tuple[Floats, float]:
    """Numbers t of n that count, and the probability that is left out (Bernstein)."""
    mean, wide = (n - 1) * chance, math.log(2 / spare)
    reach = wide / 3 + math.sqrt(wide**2 / 9 + 2 * wide * mean * (1 - chance))
    low, high = max(1, math.floor(mean - reach)), min(n, math.ceil(mean + reach) + 1)
    return np.arange(low, high + 1, dtype=np.float64), 0.0 if low == 1 and high == n else spare


def _binomial(at: Floats, n: Floats | int, chance: float) -> Floats:
    """Probability that Bin(n, chance) is `at`; `n`: one for all, or of the shape of `at`."""
    inside = (at >= 0) & (at <= n)
    x = np.where(inside, at, 0.0)
    logs = (
        scipy.special.gammaln(n + 1)
        - scipy.special.gammaln(x + 1)
        - scipy.special.gammaln(n - x + 1)
    )
    with np.errstate(divide="ignore"):
        logs = logs + x * math.log(chance) + (n - x) * (math.log1p(-chance) if chance < 1 else -1e9)
    return np.where(inside, np.exp(logs), 0.0)


def _tail(start: Floats, n: Floats, chance: float) -> Floats:
    """Probability that Bin(n, chance) is `start` or more; all of them arrays of one shape."""
    inside = np.clip(start, 1, np.maximum(n, 1))
    tail = scipy.special.betainc(inside, n - inside + 1.0, chance)
    return np.where(start <= 0, 1.0, np.where(start > n, 0.0, tail))
