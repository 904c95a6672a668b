"""Amplification by mixing for a mechanism that is known: the ε that is left in each block.

The bound is that of `blanket`, after Wang and others 2023 (arXiv 2304.05007), here for contexts.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.cache import cached
from caldp_core.basics.errors import check_epsilon, check_n, check_number
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN
from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms.base import Mechanism
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.randomness.coins import COIN_ONE
from caldp_core.privacy.context import dense
from caldp_core.theory.blanket import HiddenPair, OpenPair
from caldp_core.theory.shuffling import least_epsilon, numeric_epsilon

DELTA: Final = 1e-9
"""Default δ of the promise after mixing."""
_SUMMED_MAX: Final = 10**6
"""Of more people the bound is that of so many, or that of clones: the sum has √n terms."""
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
        variation = np.where(parts > 1, 2.0, 1.0) * (prob.own - prob.other)
        sizes = policy.hidden_sizes
        named = 1.0 - oracles.cover_threshold / COIN_ONE
        return cls(
            np.where(sizes > 1, variation, np.nan),
            np.where((sizes > 0) & (policy.block_sizes() > sizes), named, np.nan),
        )


@dataclass(frozen=True, eq=False)
class MixedEpsilons:
    """ε of (ε, δ) of each block once its reports are mixed; never above that of one report.

    (m,) each, NaN where a block has no such pair: `hidden`, of two protected values; `open`, of a
    protected and an open one.
    """

    hidden: Floats
    open: Floats


def epsilons_after_mixing(
    mechanism: Mechanism, people: Ints, delta: float = DELTA
) -> MixedEpsilons | None:
    """Bounds for (m,) `people` of each block, NaN for 0 people.

    For a policy that is no context, the bound of shuffling for any mechanism, or None where a pair
    has no limit or all have ε = 0.
    """
    if isinstance(mechanism, ContextMechanism):
        variations = Variations.of(mechanism)
        levels, crowds = mechanism.policy.epsilon.tolist(), people.tolist()
        return MixedEpsilons(
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
    return MixedEpsilons(np.array([bound]), none)


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
def epsilon_after_mixing(epsilon: float, beta: float, n: int, delta: float) -> float:
    """ε after mixing n reports that keep `epsilon`, of two values `beta` apart.

    Two of a mechanism that keeps ε are at most tanh(ε/2) apart; more counts as that.
    Raises `CaldpError` for arguments out of range. Never above `epsilon` or the bound of clones;
    never rises with n or δ.
    """
    level, people = _checked(epsilon, n, delta)
    check_number("beta", beta, 1e-9, 1.0)
    pair = HiddenPair.of(level, min(beta, math.tanh(level / 2)), min(people, _SUMMED_MAX))
    return min(least_epsilon(level, delta, pair.delta), numeric_epsilon(level, people, delta))


@cached
def epsilon_after_mixing_with_open(epsilon: float, beta: float, n: int, delta: float) -> float:
    """ε after mixing of a protected value and an open one `beta` apart, at most 1 − e^−ε.

    Raises `CaldpError` for arguments out of range. Never above `epsilon`; never rises with n or δ.
    """
    level, people = _checked(epsilon, n, delta)
    check_number("beta", beta, 1e-9, 1.0)
    pair = OpenPair.of(level, min(beta, -math.expm1(-level)), people)
    return least_epsilon(level, delta, pair.delta)


def _checked(epsilon: float, n: int, delta: float) -> tuple[float, int]:
    check_number("delta", delta, 1e-15, 0.5)
    return float(check_epsilon(epsilon)), check_n(n)
