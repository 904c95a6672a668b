r"""What mixing adds for a mechanism that is known: amplification by variation and ratio.

After Wang and others 2023 (arXiv 2304.05007), here for contexts. Let x be a protected value of a
block whose n people's reports are mixed, x′ another value of it, p = e^ε, β the total variation of
their laws and α = β/(p − 1). With Q₁ the reports that x sends more often and Q₁′ those of x′,

    R(x) = pα·Q₁ + α·Q₁′ + (1 − (p+1)α)·Q₀,   R(x′) = α·Q₁ + pα·Q₁′ + (1 − (p+1)α)·Q₀.

As nobody's report is less likely than that of x or x′ over p, each of the others sends as if from
the blanket (pα·Q₁ + pα·Q₁′ + (1 − (p+1)α)·Q₀)/(1 + β) with probability (1 + β)/p at least. Let M of
them do, C ~ Bin(M, 2pα/(1+β)) of these not Q₀, and A ~ Bin(C, ½) of these Q₁. All else told, δ is
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
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from caldp_core.basics.cache import cached
from caldp_core.basics.errors import check_epsilon, check_n, check_number
from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms.base import Mechanism
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.randomness.coins import COIN_ONE
from caldp_core.privacy.context import dense
from caldp_core.theory.shuffling import numeric

DELTA: Final = 1e-9
"""Chance in which the promise after mixing may fail, where nothing else is said."""
_SUMMED_MAX: Final = 10**6
"""Of more people the bound is that of so many, or that of clones: the sum has √n terms."""
_PIECES: Final = 24
_NARROW: Final = 0.02
"""Ranges of the blanket: at most so many, none narrower than this part of its mean."""
_CLOSE: Final = 1e-4
"""Part of itself by which an ε may be too large."""
_STEP: Final = 1e-2
"""Part of an ε over which its slope is taken."""
_ROUND: Final = 2
"""Digits to which numbers of people are rounded down, so that blocks share their bounds."""


@dataclass(frozen=True, eq=False)
class Variations:
    """How far the reports of two values of a block differ, in total variation.

    (m,) each, NaN where a block has no such pair: `hidden`, of two protected values; `open`, of a
    protected and an open one.
    """

    hidden: Floats
    open: Floats

    @classmethod
    def of(cls, mechanism: ContextMechanism) -> "Variations":
        """Two values are told apart by the reports that speak for one of them alone.

        In every family that is P(x | x) − P(x | x′), the chances that a report speaks for x, as its
        reports have two likelihoods; Hadamard response in several parts has three, and twice that.
        """
        oracles, policy = mechanism.oracles, mechanism.policy
        prob = oracles.probabilities  # type: ignore[attr-defined]
        parts = oracles.device_numbers.get("parts", np.ones(policy.m, np.int64))  # type: ignore[attr-defined]
        apart = np.where(parts > 1, 2.0, 1.0) * (prob.own - prob.other)
        sizes = policy.hidden_sizes
        named = 1.0 - oracles.cover_threshold / COIN_ONE
        return cls(
            np.where(sizes > 1, apart, np.nan),
            np.where((sizes > 0) & (policy.block_sizes() > sizes), named, np.nan),
        )


@dataclass(frozen=True, eq=False)
class Mixed:
    """ε of (ε, δ) of each block once its reports are mixed; never above that of one report.

    (m,) each, NaN where a block has no such pair: `hidden`, of two protected values; `open`, of a
    protected and an open one.
    """

    hidden: Floats
    open: Floats


def mixed(mechanism: Mechanism, people: Ints, delta: float = DELTA) -> Mixed | None:
    """Bounds for (m,) `people` of each block; None for another policy with pairs without a limit.

    A block of nobody, 0, has none: NaN.

    Of a mechanism of another policy whose pairs all have one, that for any mechanism.
    """
    if isinstance(mechanism, ContextMechanism):
        found = Variations.of(mechanism)
        levels, crowds = mechanism.policy.epsilon.tolist(), people.tolist()
        return Mixed(
            _bounds(after_mixing, levels, found.hidden, crowds, delta),
            _bounds(after_mixing_with_open, levels, found.open, crowds, delta),
        )
    most = float(dense(mechanism.policy).max())
    if not 0 < most < math.inf:
        return None
    none = np.full(1, math.nan)
    return Mixed(np.array([numeric(most, max(1, int(people.sum())), delta)]), none)


def _bounds(
    bound: Callable[[float, float, int, float], float],
    levels: list[float],
    betas: Floats,
    people: list[int],
    delta: float,
) -> Floats:
    """(m,) bounds; blocks share them, as β is rounded up and people down."""
    rows = zip(levels, betas.tolist(), people, strict=True)
    return np.array(
        [
            bound(e, _rounded_up(b), rounded_down(n), delta)
            if n and not math.isnan(b)
            else math.nan
            for e, b, n in rows
        ]
    )


def _rounded_up(beta: float) -> float:
    """A variation to four digits, upwards: values that differ more are told apart more."""
    return math.ceil(beta * 1e4 - 1e-6) / 1e4


def rounded_down(n: int) -> int:
    """A number of people to two digits, downwards: fewer hide less."""
    unit = int(10 ** max(0, len(str(n)) - _ROUND))
    return n - n % unit


@cached
def after_mixing(epsilon: float, beta: float, n: int, delta: float) -> float:
    """ε after mixing n reports that keep `epsilon`, of two values `beta` apart.

    Two of a mechanism that keeps ε are at most tanh(ε/2) apart; more counts as that.
    Raises `CaldpError` for arguments out of range. Never above `epsilon`.
    """
    level, people = _checked(epsilon, n, delta)
    crowd, most = min(people, _SUMMED_MAX), math.tanh(level / 2)
    check_number("beta", beta, 1e-9, 1.0)
    found = _least(
        level,
        delta,
        lambda e, pieces: delta_mixed(e, level, min(beta, most), crowd, delta, pieces=pieces),
    )
    return min(found, numeric(level, people, delta)) if people > crowd else found


@cached
def after_mixing_with_open(epsilon: float, beta: float, n: int, delta: float) -> float:
    """The same of a protected value against an open one `beta` apart, at most 1 − e^−ε."""
    level, people = _checked(epsilon, n, delta)
    most = -math.expm1(-level)
    check_number("beta", beta, 1e-9, 1.0)
    return _least(
        level,
        delta,
        lambda e, pieces: delta_with_open(e, level, min(beta, most), people, delta, pieces=pieces),
    )


def _checked(epsilon: float, n: int, delta: float) -> tuple[float, int]:
    check_number("delta", delta, 1e-15, 0.5)
    return float(check_epsilon(epsilon)), check_n(n)


def _least(level: float, delta: float, reached: Callable[[float, int], float]) -> float:
    """The least ε whose δ is small enough, rounded up; `level` if none below it is.

    `reached`: δ at an ε, with the blanket in so many ranges; one range costs the least, its ε is
    near and never below.
    """

    def spare(log_after: float, pieces: int = _PIECES) -> float:
        return math.log(max(reached(math.exp(log_after), pieces), 1e-300)) - math.log(delta)

    low, high = math.log(level * 1e-6), math.log(level * (1 - 1e-4))
    if spare(low, 1) <= 0:
        return math.exp(low)
    if spare(high, 1) > 0:
        if spare(high) > 0:
            return level
        found = float(scipy.optimize.brentq(spare, low, high, xtol=_CLOSE))
    else:
        near = float(scipy.optimize.brentq(spare, low, high, args=(1,), xtol=_CLOSE))
        # The full sum is a little less at every ε, and falls as steeply.
        steep = (spare(near + _STEP, 1) - spare(near, 1)) / _STEP
        found = near - spare(near) / steep
        found -= spare(found) / steep
    while spare(found) > 0:
        found += _CLOSE
    return min(math.exp(found), level)


def delta_mixed(
    epsilon: float, local: float, beta: float, n: int, delta: float, *, pieces: int = _PIECES
) -> float:
    """δ at `epsilon` of two protected values among n people, on average over the blanket.

    What is too rare to matter beside `delta` counts in full.
    """
    crowds, mass = _blankets(n, (1 + beta) * math.exp(-local), delta, pieces)
    pairs = zip(crowds.tolist(), mass.tolist(), strict=True)
    return float(sum(m * delta_in_blanket(epsilon, local, beta, c, delta) for c, m in pairs))


def delta_with_open(
    epsilon: float, local: float, beta: float, n: int, delta: float, *, pieces: int = _PIECES
) -> float:
    """The same of a protected value against an open one."""
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
    beyond = _tail(least.astype(np.float64), np.full(least.size, n - 1.0), chance)
    return least, beyond - np.append(beyond[1:], 0.0)


def delta_in_blanket(epsilon: float, local: float, beta: float, others: int, delta: float) -> float:
    """δ of two protected values beside so many others of the blanket: a sum over all seen Q₁, Q₁′.

    Given their number t it is best to look for `start` or more Q₁: the ratio of both laws grows.
    """
    p, power = math.exp(local), math.exp(epsilon)
    alpha = beta / (p - 1)
    rest, share = max(0.0, 1 - (p + 1) * alpha), min(1.0, 2 * p * alpha / (1 + beta))
    t, left = _window(others + 1, share, 1e-3 * delta)
    before, at = _binomial(t - 1, others, share), _binomial(t, others, share)
    idle = rest * (power - 1) * (others + 1 - t) * share / (2 * max(1 - share, 1e-300))
    start = np.ceil((alpha * (power * p - 1) * t + idle) / (alpha * (p - 1) * (1 + power)))
    v = _tail(start, t - 1, 0.5)
    u = v + _binomial(start - 1, t - 1, 0.5)
    first = before * alpha * (p * u + v) + at * rest * (u + v) / 2
    second = before * alpha * (u + p * v) + at * rest * (u + v) / 2
    return float(np.maximum(first - power * second, 0.0).sum()) + left


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
