"""Which law each unbiased estimate has.

Room: theory. A symbol in the clear is estimated by how many reports name it: exactly binomial.
Reports of a hidden symbol are nearly Poisson, for it or for and against it. Where there are many,
and where who is against it counts in another unit, the estimate is taken as normal.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.arrays import sums_by
from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.mechanisms import ContextMechanism
from caldp_core.mechanisms.oracles.hadamard import HadamardOracles
from caldp_core.mechanisms.oracles.randomized_response import RandomizedResponseOracles
from caldp_core.mechanisms.oracles.supports import SupportOracles
from caldp_core.theory.discrete_laws import FEW, Counts, Differences, Tails, WholeLaw, tails_of
from caldp_core.theory.normal_estimates import Estimates, Sources, alike, deviations
from caldp_core.theory.variance import variance_given_people

_LEAST: Final = 1e-12
"""Smaller variances of counts are rounding."""
_RARE: Final = 0.1
"""Chance of including a symbol that is not one's own below which the reports that do not include
it hardly count against it."""
_VARIES_MOST: Final = float(np.sqrt(2.0 * np.pi))
"""Relative deviation of a number of reports R: with μ far below 1, an error |W| ~ R has deviation
√μ, which is this times the slope ½√(2μ/π) of a normal's."""


def estimates_of(made: ContextMechanism, p: Floats, variance: Floats, n: int) -> Estimates:
    """Laws of (k,) estimates from reports of n people, equal ones gathered.

    `variance`: (k,), of people drawn from p or of these held fixed.
    """
    hidden = made.policy.hidden()
    at, times = alike(2 * made.policy.blocks + hidden, p, variance)
    drawn = np.clip((variance - variance_given_people(made, p, n))[at], 0.0, variance[at])
    noise = float(times @ (variance[at] - drawn))
    of_sum = made.sum_variance(p, np.ones(p.size), n)
    by_chance = bool((drawn > 0).any())
    groups = _Groups(p[at], variance[at], made.policy.blocks[at], hidden[at], by_chance)
    of_hidden = _hidden(made, n, groups)
    return Estimates(
        groups.p,
        deviations(groups.variance),
        times,
        groups.block,
        made.policy.m,
        drawn=drawn,
        tied=max(1.0 - of_sum / noise, 0.0) if noise > 0 else 0.0,
        few=_clear(made, n, groups) + of_hidden,
        sources=_sources(made, p, n, groups, of_hidden),
    )


@dataclass(frozen=True, eq=False)
class _Groups:
    """(g,) groups of equal symbols; `drawn`: whether the people are."""

    p: Floats
    variance: Floats
    block: Ints
    hidden: Bools
    drawn: bool

    def few(self, number: Floats, those: Bools) -> Ints:
        """Which of those have a (g,) `number` of reports with a small variance."""
        return np.flatnonzero(those & (number > _LEAST) & (number <= FEW))


def _clear(made: ContextMechanism, n: int, groups: _Groups) -> tuple[Tails, ...]:
    """p̂ = step·U: of n people drawn with π = p(1−λ), of n·p that are fixed with π = 1−λ."""
    step = 1.0 / (n * made.clear_share[groups.block])
    some = groups.few(groups.variance / step**2, ~groups.hidden)
    p, step = groups.p[some], step[some]
    success = np.maximum(1.0 - groups.variance[some] / (p * step), 0.0)
    return tails_of(some, p, step, Counts(p / step, success))


def _hidden(made: ContextMechanism, n: int, groups: _Groups) -> tuple[Tails, ...]:
    """Each family's reports, by their mean and variance.

    One ±1 by Hadamard response for people who are drawn; of a few that are fixed it is known
    whether they are odd or even.
    """
    oracles, block, those = made.oracles, groups.block, groups.hidden
    gain = made.clear_share
    if isinstance(oracles, SupportOracles):
        gain, those = oracles.law.gain, those & (oracles.law.other < _RARE)[block]
    elif isinstance(oracles, HadamardOracles):
        those = those & groups.drawn
    elif not isinstance(oracles, RandomizedResponseOracles):
        return ()
    step = 1.0 / (n * gain[block])
    number = groups.variance / step**2
    some = groups.few(number, those)
    p, step, number = groups.p[some], step[some], number[some]
    law: WholeLaw = Counts(number, np.zeros_like(number))
    if isinstance(oracles, HadamardOracles):
        law = Differences(p / step, number)
    return tails_of(some, p, step, law)


def _sources(
    made: ContextMechanism, p: Floats, n: int, groups: _Groups, few: tuple[Tails, ...]
) -> Sources | None:
    """Reports of each block's oracle, Poisson; numbers that name one symbol do not share them."""
    oracles, m, blocks = made.oracles, made.policy.m, made.policy.blocks
    if isinstance(oracles, RandomizedResponseOracles):
        return None
    loud = groups.hidden.copy()
    if not isinstance(oracles, HadamardOracles):
        for tails in few:
            loud[tails.groups] = False
    hidden = sums_by(blocks, p * made.policy.hidden(), m)
    base = (1.0 - made.clear_share) * (sums_by(blocks, p, m) - hidden)
    mean = hidden + base
    variance = mean if groups.drawn else base * made.clear_share
    varies = np.sqrt(variance / n) / np.maximum(mean, _LEAST)
    part = np.sqrt(mean) if groups.drawn else np.zeros(m)
    return Sources(groups.block, loud, np.minimum(varies, _VARIES_MOST), part)
