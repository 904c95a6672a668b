"""Amplification by mixing: the ε that is left in each block when reports are shuffled.

docs/derivations.md, “Amplification by mixing”, has the derivation.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from caldp_core.basics.cache import cached
from caldp_core.basics.errors import check_epsilon, check_n, check_number
from caldp_core.basics.extras import scipy
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN, N_MAX
from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms.base import Mechanism
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.randomness import COIN_ONE
from caldp_core.privacy.context import dense

RARE: Final = 70.0
"""−log of the probability of what is left out on either side, e^−70 = 4·10⁻³¹."""
_FINE: Final = 1024
"""A number C is taken at most this part of itself lower than it is: ε changes by half as much."""
_STEP: Final = 1e-4
"""Relative distance of the values at which an ε is looked for: ε₀, and down from it."""
_STEPS: Final = math.ceil(9 * math.log(10) / _STEP)
"""Down to 10⁻⁹ of ε₀."""


def closed_form_epsilon(epsilon: float, n: int, delta: float) -> float:
    """ε of (ε, δ)-DP after mixing n reports that each keep `epsilon`: their main theorem.

    log(1 + (e^ε₀−1)/(e^ε₀+1)·(8√(e^ε₀·log(4/δ))/√n + 8e^ε₀/n)), for ε₀ ≤ log(n/(16·log(2/δ)));
    fewer people gain nothing by it: ε₀ itself. Never above ε₀.
    """
    level, people = _checked(epsilon, n, delta)
    if level > math.log(people / (16 * math.log(2 / delta))):
        return level
    power = math.exp(level)
    hidden = 8 * math.sqrt(power * math.log(4 / delta) / people) + 8 * power / people
    return min(level, math.log1p(math.tanh(level / 2) * hidden))


def delta_given_clones(epsilon: float, local: float, clones: Floats) -> Floats:
    """δ at `epsilon` for each number C of clones: max over sets of P₀ − e^ε·P₁.

    P₀(a) = p·B(a−1) + (1−p)·B(a), P₁ with p and 1−p swapped, B = Bin(C, ½): their ratio grows
    with a, so the best set is {a ≥ t}. It falls with C, as a clone more is a coin added.
    """
    p = 1.0 / (1.0 + math.exp(-local))
    power = math.exp(epsilon)
    start = np.ceil((clones + 1) * (power * p - (1 - p)) / ((2 * p - 1) * (1 + power)))
    with_own, without = binomial_tail(start - 1, clones, 0.5), binomial_tail(start, clones, 0.5)
    first = p * with_own + (1 - p) * without
    second = (1 - p) * with_own + p * without
    return np.asarray(np.maximum(first - power * second, 0.0))


def binomial_tail(start: Floats, n: Floats | float, p: float) -> Floats:
    """Probability that Bin(n, p) is `start` or more; shapes that go together."""
    inside = np.clip(start, 1, np.maximum(n, 1))
    tail = scipy.special.betainc(inside, n - inside + 1.0, p)
    return np.where(start <= 0, 1.0, np.where(start > n, 0.0, tail))


def window(n: float, chance: float) -> tuple[float, float]:
    """Least and largest number of Bin(n, chance), but for e^−`RARE` on either side (Bernstein)."""
    mean = n * chance
    reach = RARE / 3 + math.sqrt(RARE**2 / 9 + 2 * RARE * mean * (1 - chance))
    return max(0.0, math.floor(mean - reach)), min(float(n), math.ceil(mean + reach))


def range_masses(numbers: Floats, n: int, chance: float) -> tuple[Floats, Floats]:
    """The least of each range between `numbers`, and the probability that Bin(n, chance) is in it.

    `numbers`: from 0 up, the same for every n, so that a function that falls has a mean that falls
    with n. Ranges of `window`; small probabilities keep their digits on either side of the mean.
    """
    low, high = window(n, chance)
    first = int(np.searchsorted(numbers, low, "right")) - 1
    least = numbers[first : int(np.searchsorted(numbers, high, "right"))]
    others = np.full(least.size, float(n))
    above = binomial_tail(least, others, chance)
    below = binomial_tail(others - least + 1, others, 1 - chance)
    by_tails = above - np.append(above[1:], 0.0)
    return least, np.where(least > n * chance, by_tails, np.append(below[1:], 1.0) - below)


@cache
def _clone_numbers() -> Floats:
    """Numbers C for every n: all small ones, then in steps of C/1,024."""
    return _numbers(lambda c: c // _FINE)


def _numbers(step: Callable[[int], int]) -> Floats:
    """0 and more up to 10^12, `step` of each or 1 to the next."""
    numbers = [0]
    while numbers[-1] < N_MAX:
        numbers.append(numbers[-1] + max(1, step(numbers[-1])))
    return np.array(numbers, dtype=np.float64)


def clone_ranges(local: float, n: int) -> tuple[Floats, Floats]:
    """Numbers C ~ Bin(n − 1, 2/(e^ε₀+1)) of others who send as clones: ranges as `crowd_ranges`."""
    return range_masses(_clone_numbers(), n - 1, 1.0 - math.tanh(local / 2))


def clones_delta(local: float, n: int) -> Callable[[float], float]:
    """Upper bound of δ at each ε: every range of clones at its least C. Falls with ε and n."""
    least, mass = clone_ranges(local, n)
    return lambda epsilon: float(mass @ delta_given_clones(epsilon, local, least)) + math.exp(-RARE)


def least_epsilon(local: float, delta: float, delta_at: Callable[[float], float]) -> float:
    """The least ε of ε₀·e^(−j/10,000), j whole, at which `delta_at` is at most δ; at most ε₀.

    `delta_at` must fall with ε. As the values are the same for all of one ε₀, what falls with n or
    δ gives an ε that does.
    """

    def is_too_small(step: int) -> bool:
        return delta_at(local * math.exp(-_STEP * step)) > delta

    first = bisect_left(range(1, _STEPS), True, key=is_too_small)
    return local * math.exp(-_STEP * first)


def numeric_epsilon(epsilon: float, n: int, delta: float) -> float:
    """ε of (ε, δ)-DP after mixing, by the divergence: below `closed_form_epsilon`, any n and ε₀.

    Never rises with n: one person more, whatever their value is, sends a report that is drawn
    without regard to anybody else's, so it is post-processing of the others' mixed reports.
    """
    level, people = _checked(epsilon, n, delta)
    return least_epsilon(level, delta, clones_delta(level, people))


_BLANKET_FINE: Final = 128
"""A number of others is taken at most this part of itself, or its root, lower than it is."""
_WEIGHT_MIN: Final = 1e-25
"""Events that are rarer count in full: δ is at least 1e-15."""


@cache
def _crowds() -> Floats:
    """Numbers M for every n: all small ones, then in steps of √M/2, then of M/128."""
    return _numbers(lambda m: max(math.isqrt(m) // 2, m // _BLANKET_FINE))


def crowd_ranges(n: int, chance: float) -> tuple[Floats, Floats]:
    """Numbers M ~ Bin(n − 1, chance) of others, each range at its least, and its probability."""
    return range_masses(_crowds(), n - 1, chance)


def hidden_pair_delta(local: float, beta: float, n: int) -> Callable[[float], float]:
    """δ at each ε of two protected values, `beta` apart, each report keeping `local`.

    Beside n − 1 others: a sum over their M others and the total t of all reports that are Q₁ or
    Q₁′, given which the ratio of both laws grows with Q₁.
    """
    p = math.exp(local)
    alpha = beta / (p - 1)
    rest = max(0.0, 1 - (p + 1) * alpha)
    # Probability that a report of the blanket is Q₁ or Q₁′.
    share = min(1.0, 2 * p * beta / ((p - 1) * (1 + beta)))
    crowds, mass = crowd_ranges(n, (1 + beta) * math.exp(-local))
    low, high = window(crowds[0], share)[0], window(crowds[-1], share)[1] + 1
    totals = np.arange(max(1.0, low), high + 1)
    # Of M others, the probabilities that t − 1, and that t, are.
    before = mass[:, None] * scipy.stats.binom.pmf(totals - 1, crowds[:, None], share)
    at = mass[:, None] * scipy.stats.binom.pmf(totals, crowds[:, None], share)
    kept = np.maximum(before, at) > _WEIGHT_MIN
    neglected = float((before + at)[~kept].sum()) + 4 * math.exp(-RARE)
    row, column = np.nonzero(kept)
    others, t, before, at = crowds[row], totals[column], before[kept], at[kept]

    def delta(epsilon: float) -> float:
        power = math.exp(epsilon)
        idle = rest * (power - 1) * (others + 1 - t) * share / (2 * max(1 - share, 1e-300))
        start = np.ceil((alpha * (power * p - 1) * t + idle) / (alpha * (p - 1) * (1 + power)))
        v = binomial_tail(start, t - 1, 0.5)
        u = v + scipy.stats.binom.pmf(start - 1, t - 1, 0.5)
        same = at * rest * (u + v) / 2
        first, second = before * alpha * (p * u + v) + same, before * alpha * (u + p * v) + same
        return float(np.maximum(first - power * second, 0.0).sum()) + neglected

    return delta


def open_pair_delta(local: float, beta: float, n: int) -> Callable[[float], float]:
    """δ at each ε of a protected value against an open one, `beta` apart, beside n − 1 others."""
    others, mass = crowd_ranges(n, math.exp(-local))
    p = math.exp(local)
    alpha = beta / (p - 1)
    share, rest = min(1.0, p * alpha), max(0.0, 1 - p * alpha)

    def delta(epsilon: float) -> float:
        power = math.exp(epsilon)
        if power >= p:
            return 0.0
        odds = (power - 1) * rest * share / ((p - power) * alpha * max(1 - share, 1e-300))
        start = np.ceil((others + 1) * odds / (1 + odds))
        u, v = (binomial_tail(at, others, share) for at in (start - 1, start))
        gained = (p - power) * alpha * u - (power - 1) * rest * v
        return float(mass @ np.maximum(gained, 0.0)) + 2 * math.exp(-RARE)

    return delta


DELTA: Final = 1e-9
"""Default δ of the promise after mixing."""
_SUMMED_MAX: Final = 10**6
"""Of more people the bound is that of this number, or that of clones: the sum has √n terms."""
_ROUND: Final = 2
"""Digits to which numbers of people are rounded down, so that blocks share their bounds."""


@dataclass(frozen=True, eq=False)
class BlockPairs:
    """A number for the pairs of values of each block, such as their ε once reports are mixed.

    (m,) each, NaN where a block has no such pair: `hidden`, of two protected values; `open`, of a
    protected and an open one.
    """

    hidden: Floats
    open: Floats

    @classmethod
    def variations(cls, mechanism: ContextMechanism) -> "BlockPairs":
        """How far the reports of two values of a block differ, in total variation.

        Only reports that speak for one of them alone distinguish them. In every family that
        is P(x | x) − P(x | x′), the chances that a report speaks for x, as its reports have two
        likelihoods; Hadamard response in several parts has three, and twice that.
        """
        oracles, policy = mechanism.oracles, mechanism.policy
        prob = oracles.probabilities  # type: ignore[attr-defined]
        parts = oracles.device_numbers.get("parts", np.ones(policy.m, np.int64))  # type: ignore[attr-defined]
        variation = np.where(parts > 1, 2.0, 1.0) * (prob.own - prob.other)
        sizes = policy.hidden_sizes
        named = 1.0 - oracles.cover_threshold / COIN_ONE
        return cls(
            np.where(sizes > 1, variation, np.nan),
            np.where((sizes > 0) & (policy.block_sizes() > sizes), named, np.nan),
        )


def epsilons_after_mixing(
    mechanism: Mechanism, people: Ints, delta: float = DELTA
) -> BlockPairs | None:
    """ε of (ε, δ) once reports are mixed; (m,) `people` of each block, NaN for 0 people.

    Upper bounds, never above the ε of one report. For a policy that is not a context, the bound of
    shuffling for any mechanism, or None where a pair has no limit or all have ε = 0.
    """
    if isinstance(mechanism, ContextMechanism):
        variations = BlockPairs.variations(mechanism)
        levels, crowds = mechanism.policy.epsilon.tolist(), people.tolist()
        return BlockPairs(
            _bounds(epsilon_after_mixing, levels, variations.hidden, crowds, delta),
            _bounds(epsilon_after_mixing_with_open, levels, variations.open, crowds, delta),
        )
    most = float(dense(mechanism.policy).max())
    if not 0 < most < math.inf:
        return None
    none = np.full(1, math.nan)
    bound = most
    if most <= EPSILON_MAX:  # above it nothing is proved but what one report keeps
        level = max(most, EPSILON_MIN)
        bound = min(most, numeric_epsilon(level, max(1, int(people.sum())), delta))
    return BlockPairs(np.array([bound]), none)


def _bounds(
    bound: Callable[[float, float, int, float], float],
    levels: list[float],
    betas: Floats,
    people: list[int],
    delta: float,
) -> Floats:
    """(m,) bounds; blocks share them, as β is rounded up and people down."""
    # To four digits: values that differ more are easier to distinguish.
    up = np.ceil(betas * 1e4 - 1e-6) / 1e4
    return np.array(
        [
            bound(e, b, rounded_down(n), delta) if n and not math.isnan(b) else math.nan
            for e, b, n in zip(levels, up.tolist(), people, strict=True)
        ]
    )


def rounded_down(n: int) -> int:
    """A number of people to two digits, downwards: fewer hide less."""
    unit = int(10 ** max(0, len(str(n)) - _ROUND))
    return n - n % unit


@cached
def epsilon_after_mixing(epsilon: float, beta: float, n: int, delta: float) -> float:
    """ε after mixing n reports that keep `epsilon`, of two values `beta` apart.

    Two of a mechanism that keeps ε are at most tanh(ε/2) apart; more counts as that.
    Raises `CaldpError` for arguments out of range. Never above `epsilon` or the bound of clones;
    never rises with n or δ.
    """
    level, people = _checked(epsilon, n, delta)
    check_number("beta", beta, 1e-9, 1.0)
    found = hidden_pair_delta(level, min(beta, math.tanh(level / 2)), min(people, _SUMMED_MAX))
    return min(least_epsilon(level, delta, found), numeric_epsilon(level, people, delta))


@cached
def epsilon_after_mixing_with_open(epsilon: float, beta: float, n: int, delta: float) -> float:
    """ε after mixing of a protected value and an open one `beta` apart, at most 1 − e^−ε.

    Raises `CaldpError` for arguments out of range. Never above `epsilon`; never rises with n or δ.
    """
    level, people = _checked(epsilon, n, delta)
    check_number("beta", beta, 1e-9, 1.0)
    found = open_pair_delta(level, min(beta, -math.expm1(-level)), people)
    return least_epsilon(level, delta, found)


def _checked(epsilon: float, n: int, delta: float) -> tuple[float, int]:
    check_number("delta", delta, 1e-15, 0.5)
    return float(check_epsilon(epsilon)), check_n(n)
