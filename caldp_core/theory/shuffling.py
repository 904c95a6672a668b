"""Amplification by shuffling: the ε of reports that are mixed with those of others.

Source: Feldman, McMillan, Talwar 2021 ("Hiding among the clones") and 2023 ("Stronger privacy
amplification by shuffling"). Whatever the mechanism is, if each person's report keeps ε₀ among the
n people whose reports are mixed, a person hides among the C of the others who happen to send as if
they had one of the two values in question (each with probability 2/(e^ε₀+1); in 2021 e^−ε₀): δ is
at most the divergence of (A + Δ, C − A + 1 − Δ) from (A + 1 − Δ, C − A + Δ), A ~ Bin(C, ½), Δ ~
Bernoulli(e^ε₀/(e^ε₀+1)): their reduction to clones. In blocks, where a report shows its block, n is
the number of people of one's own block. `mixing.py` is nearer where the mechanism is known.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
import scipy

from caldp_core.basics.errors import check_epsilon, check_n, check_number
from caldp_core.basics.limits import N_MAX
from caldp_core.basics.types import Floats

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
    level, people = float(check_epsilon(epsilon)), check_n(n)
    check_number("delta", delta, 1e-15, 0.5)
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
    numbers, c = [0], 0
    while c < N_MAX:
        c += max(1, c // _FINE)
        numbers.append(c)
    return np.array(numbers, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Clones:
    """How many of n − 1 others send as clones, in ranges.

    `least`: (ranges,) least C of each; `mass`: (ranges,) their probabilities, sum 1 but for e^−70.
    """

    least: Floats
    mass: Floats

    @classmethod
    def of(cls, local: float, n: int) -> "Clones":
        """Bin(n − 1, 2/(e^ε₀+1))."""
        return cls(*range_masses(_clone_numbers(), n - 1, 1.0 - math.tanh(local / 2)))

    def delta(self, epsilon: float, local: float) -> float:
        """Upper bound of δ at `epsilon`: each range at its least C. Falls with ε and n."""
        return float(self.mass @ delta_given_clones(epsilon, local, self.least)) + math.exp(-RARE)


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
    level, people = float(check_epsilon(epsilon)), check_n(n)
    check_number("delta", delta, 1e-15, 0.5)
    clones = Clones.of(level, people)
    return least_epsilon(level, delta, lambda after: clones.delta(after, level))
