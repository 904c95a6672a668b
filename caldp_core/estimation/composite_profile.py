"""The best shares of hidden symbols, given the share of a block that is hidden: in closed form.

Room: estimation; the solver of `composite_likelihood.py`, in shares of one block each. There H is
the hidden share, C = 1 − H, t = H + λC the probability of an oracle report, and A_x = gain·p_x + κ,
κ = rH + uλC, that of one that includes x. For fixed H the sum of f_x·log A_x + g_x·log(t − A_x) has
its maximum under Σ p_x = H, p ≥ 0 where, with a = A/t,

    f/a − g/(1 − a) = μ, so a = 2f/((1 + μ) + √((1 + μ)² − 4μf)), and p_x = max(0, (ta − κ)/gain):

one μ a block, which Σ p_x = H determines, as each a falls in μ.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.arrays import sums_by
from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.estimation.bracketed_newton import falling_root
from caldp_core.mechanisms.oracles.supports import SupportLaw

_TINY: Final = 1e-300
_ULPS: Final = 4 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class SupportCounts:
    """What was seen, in shares.

    `block`: (s,) of each hidden symbol, never falling. `sizes`: (m,) hidden symbols per block.
    `hit`, `missed`: (s,) f and g, the shares of the block's oracle reports that include the symbol
    and that do not; both 0 where there are none. `oracle`: (m,) share of the block's reports that
    came from its oracle, `clear`: (m,) the rest, 0 as well where nobody is.
    """

    block: Ints
    sizes: Ints
    hit: Floats
    missed: Floats
    oracle: Floats
    clear: Floats


class SupportProfile:
    """The highest likelihood of each block as a function of its hidden share H."""

    def __init__(self, counts: SupportCounts, law: SupportLaw, noise: Floats) -> None:
        self._counts, self._law, self._noise = counts, law, noise
        # What one more hidden person instead of another adds to t and to κ.
        self._widen, self._lift = 1.0 - noise, law.other - law.base * noise
        self._most, self._fewest = np.zeros(noise.size), np.minimum(counts.sizes, 1.0)
        np.maximum.at(self._most, counts.block, counts.hit)
        np.minimum.at(self._fewest, counts.block, counts.missed)

    def shares(self, hidden: Floats) -> Floats:
        """(m,) H → (s,) the best shares p_x of the hidden symbols, which sum to H."""
        counts, block = self._counts, self._counts.block
        _, a, active = self._solved(hidden)
        excess = np.where(active, a - self._floor(hidden)[block], 0.0)
        total = sums_by(block, excess, hidden.size)
        # Shares below rounding: those that are seen most have them all.
        last = counts.hit == self._most[block]
        excess = np.where(total[block] > 0, excess, last)
        total = sums_by(block, excess, hidden.size)
        return np.asarray(hidden[block] * excess / np.maximum(total, _TINY)[block])

    def slope(self, hidden: Floats) -> tuple[Floats, Floats]:
        """(m,) H → (m,) first and second derivatives of a report's mean log-likelihood.

        The first is −∞ where nothing is clear though clear reports came.
        """
        mu, a, active = self._solved(hidden)
        scale = self._counts.oracle / np.maximum(self._counts.sizes, 1) / self._sent(hidden)
        clear = ratio(self._counts.clear, 1.0 - hidden)
        with np.errstate(all="ignore"):
            first = scale * self._rise(mu, a) - clear
            bend = scale / self._sent(hidden) * self._bend(a, active)
            return first, bend - ratio(clear, 1.0 - hidden)

    def _rise(self, mu: Floats, a: Floats) -> Floats:
        """(m,) t times d/dH of the symbols' sum: by more room for Σ p, by κ and by t − κ."""
        counts, block = self._counts, self._counts.block
        hit = sums_by(block, ratio(counts.hit, a), mu.size)
        missed = sums_by(block, ratio(counts.missed, 1.0 - a), mu.size)
        return self._law.gain * mu + self._lift * hit + (self._widen - self._lift) * missed

    def _bend(self, a: Floats, active: Bools) -> Floats:
        """(m,) t² times its derivative: `turn` is μ's, and `moved` that of each A."""
        counts, block, m = self._counts, self._counts.block, self._noise.size
        hit, missed = ratio(ratio(counts.hit, a), a), ratio(ratio(counts.missed, 1.0 - a), 1.0 - a)
        loose = np.where(active, 1.0 / (hit + missed), 0.0)
        turn = self._widen * sums_by(block, missed * loose, m) - self._law.gain
        turn = (turn - self._lift * sums_by(block, active.astype(np.float64), m)) / sums_by(
            block, loose, m
        )
        moved = (missed * self._widen[block] - turn[block]) * loose
        moved = np.where(active, moved, self._lift[block])
        left = np.asarray(missed * (self._widen[block] - moved))
        bend = self._law.gain * turn - self._lift * sums_by(block, hit * moved, m)
        return np.asarray(bend - (self._widen - self._lift) * sums_by(block, left, m))

    def _sent(self, hidden: Floats) -> Floats:
        # (m,) t
        return np.maximum(hidden + self._noise * (1.0 - hidden), _TINY)

    def _floor(self, hidden: Floats) -> Floats:
        # (m,) κ/t: how likely a symbol that nobody has is included.
        floor = self._law.other * hidden + self._law.base * self._noise * (1.0 - hidden)
        return np.asarray(floor / self._sent(hidden))

    def _solved(self, hidden: Floats) -> tuple[Floats, Floats, Bools]:
        """(m,) μ, (s,) a, and (s,) whether p_x is positive."""
        counts, block = self._counts, self._counts.block
        floor, reach = self._floor(hidden), self._law.gain * hidden / self._sent(hidden)

        def excess(mu: Floats) -> tuple[Floats, Floats]:
            a = _inclusion(counts.hit, counts.missed, mu[block])
            active = a > floor[block]
            total = sums_by(block, np.where(active, a - floor[block], 0.0), mu.size)
            bend = ratio(ratio(counts.hit, a), a)
            bend += ratio(ratio(counts.missed, 1.0 - a), 1.0 - a)
            with np.errstate(divide="ignore"):
                fall = np.where(active, 1.0 / bend, 0.0)
            return total - reach, -sums_by(block, fall, mu.size)

        # The largest p_x is at most H and at least H/s.
        low = _score(self._most, self._fewest, floor + reach)
        high = _score(self._most, self._fewest, floor + reach / np.maximum(counts.sizes, 1))
        enough = _ULPS * (counts.sizes * floor + reach)
        mu = falling_root(excess, low, high, 0.5 * (low + high), enough)
        a = _inclusion(counts.hit, counts.missed, mu[block])
        return mu, np.maximum(a, floor[block]), a > floor[block]


def _inclusion(hit: Floats, missed: Floats, mu: Floats) -> Floats:
    """a with f/a − g/(1 − a) = μ, for f + g = 1: never a difference of near numbers."""
    middle = 1.0 + mu
    square = np.where(
        mu > 0, (1.0 - mu) ** 2 + 4.0 * mu * missed, middle**2 - 4.0 * np.minimum(mu, 0.0) * hit
    )
    root = np.sqrt(square)
    with np.errstate(all="ignore"):
        below = 2.0 * hit / (middle + root)
        above = (root - middle) / (-2.0 * mu)
    return np.where(middle > 0, below, above)


def _score(hit: Floats, missed: Floats, a: Floats) -> Floats:
    return ratio(hit, a) - ratio(missed, 1.0 - a)


def ratio(part: Floats, whole: Floats) -> Floats:
    """Their ratio, and 0 where the part is 0."""
    with np.errstate(divide="ignore"):
        return np.divide(part, whole, out=np.zeros_like(part), where=part > 0)
