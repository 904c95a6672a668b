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
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from caldp_core.basics.errors import check_epsilon, check_n, check_number
from caldp_core.basics.types import Floats

_PIECES: Final = 128
"""Ranges of C that are taken together, each at its least; at most so many."""
_NARROW: Final = 0.002
"""A range need not be narrower than this part of the mean of C: ε changes by half as much."""
_RARE: Final = 70.0
"""−log of the probability that C is below all ranges but the one from 0 on, e^−70 = 4·10⁻³¹."""
_EPSILON_TOLERANCE: Final = 1e-4
"""Relative distance from ε₀ within which ε₀ itself is returned."""
_DELTA_MIN: Final = 1e-300
"""Stands for δ = 0, which has no logarithm."""


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
    with_own, without = _at_least(start - 1, clones, 0.5), _at_least(start, clones, 0.5)
    first = p * with_own + (1 - p) * without
    second = (1 - p) * with_own + p * without
    return np.asarray(np.maximum(first - power * second, 0.0))


def _at_least(start: Floats, n: Floats, p: float) -> Floats:
    """Probability that Bin(n, p) is `start` or more; all of them arrays of one shape."""
    inside = np.clip(start, 1, np.maximum(n, 1))
    tail = scipy.special.betainc(inside, n - inside + 1.0, p)
    return np.where(start <= 0, 1.0, np.where(start > n, 0.0, tail))


@dataclass(frozen=True, eq=False)
class Clones:
    """How many of n − 1 others send as clones, in ranges.

    `least`: (ranges,) least C of each; `mass`: (ranges,) their probabilities, sum 1.
    """

    least: Floats
    mass: Floats

    @classmethod
    def of(cls, local: float, n: int) -> "Clones":
        """Bin(n − 1, 2/(e^ε₀+1)): narrow ranges around its mean, one from 0 to the least of them.

        By how many are no clones, as that tells small tails below. Their number is x or more above
        its mean with probability at most exp(−x²/(2·(variance + x/3))) (Bernstein).
        """
        others, none = n - 1, math.tanh(local / 2)
        clone = 1.0 - none
        mean, spread = others * clone, others * clone * none
        wide = _RARE / 3 + math.sqrt(_RARE**2 / 9 + 2 * _RARE * spread)
        low, high = max(0.0, mean - wide), min(float(others), mean + wide)
        pieces = min(_PIECES, 2 + int((high - low) / max(_NARROW * mean, 1.0)))
        least = np.unique(np.append(0.0, np.floor(np.linspace(low, high, pieces))))
        below = _at_least(others - least + 1, np.full(least.size, float(others)), none)
        return cls(least, np.append(below[1:], 1.0) - below)

    def delta(self, epsilon: float, local: float) -> float:
        """Upper bound of δ at `epsilon`: each range at its least C."""
        return float(self.mass @ delta_given_clones(epsilon, local, self.least))


def numeric_epsilon(epsilon: float, n: int, delta: float) -> float:
    """ε of (ε, δ)-DP after mixing, by the divergence: below `closed_form_epsilon`, any n and ε₀.

    The root is rounded up until it satisfies δ, so the result is a bound.
    """
    level, people = float(check_epsilon(epsilon)), check_n(n)
    check_number("delta", delta, 1e-15, 0.5)

    clones = Clones.of(level, people)

    def spare(log_after: float) -> float:
        """How far δ is below the wanted one; log(−log δ) is nearly 2·log ε + constant."""
        reached = min(max(clones.delta(math.exp(log_after), level), _DELTA_MIN), 0.999)
        return math.log(math.log(reached) / math.log(delta))

    near, least = math.log(level * (1 - _EPSILON_TOLERANCE)), math.log(level * 1e-9)
    if spare(near) < 0:
        return level
    # The closed form is above it, for many people by a factor of three to six.
    enough = math.log(closed_form_epsilon(epsilon, n, delta))
    low = enough - 1.0
    if spare(enough) < 0:
        enough, low = near, enough
    while (excess := spare(low)) >= 0:
        if low == least:
            return math.exp(least)
        enough, low = low, max(least, low - 0.6 * excess - 0.01)
    root = float(scipy.optimize.brentq(spare, low, enough, xtol=1e-6))
    while spare(root) < 0:
        root += 1e-6
    return min(math.exp(root), level)
