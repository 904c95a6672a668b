"""The composite likelihood maximised over the hidden symbols' shares, for a given hidden share H.

`composite_likelihood.py` searches for H with it. All shares are of one block's people: H of them
have a hidden symbol and C = 1 − H another one. An oracle report has probability t = H + λC; one
that includes x has A_x = gain·p_x + κ, κ = rH + uλC. For fixed H, maximise the sum of f_x·log A_x +
g_x·log(t − A_x) subject to Σ p_x = H and p ≥ 0. With a = A/t and the Lagrange multiplier μ of the
sum, the maximum is where

    f/a − g/(1 − a) = μ, so a = 2f/((1 + μ) + √((1 + μ)² − 4μf)), and p_x = max(0, (ta − κ)/gain).

Each a decreases in μ, so Σ p_x = H determines one μ for each block.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.types import Bools, Floats, Ints, sums_by
from caldp_core.estimation.bracketed_newton import falling_root
from caldp_core.mechanisms.oracles.supports import SupportProbabilities

_TINY: Final = 1e-300
_ULPS: Final = 4 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class SupportCounts:
    """The observed counts of a tally, as shares.

    `block`: (s,) block of each hidden symbol, in ascending order. `sizes`: (m,) hidden symbols per
    block. `hit`, `missed`: (s,) f and g, the shares of the block's oracle reports that include the
    symbol and that do not; both 0 in a block without such reports. `oracle`: (m,) share of the
    block's reports that came from its oracle; `clear`: (m,) share of those in the clear; both 0 in
    a block without people.
    """

    block: Ints
    sizes: Ints
    hit: Floats
    missed: Floats
    oracle: Floats
    clear: Floats


class SupportProfile:
    """The profile likelihood: the highest one of each block as a function of its hidden share H.

    `counts`: of the tally, as shares; `prob`: what reports include; `noise`: (m,) λ.
    """

    def __init__(self, counts: SupportCounts, prob: SupportProbabilities, noise: Floats) -> None:
        self._counts, self._prob, self._noise = counts, prob, noise
        # dt/dH and dκ/dH.
        self._widen, self._lift = 1.0 - noise, prob.other - prob.base * noise
        self._most, self._fewest = np.zeros(noise.size), np.minimum(counts.sizes, 1.0)
        np.maximum.at(self._most, counts.block, counts.hit)
        np.minimum.at(self._fewest, counts.block, counts.missed)

    def shares(self, hidden: Floats) -> Floats:
        """(m,) H → (s,) the best shares p_x of the hidden symbols, which sum to H."""
        counts, block = self._counts, self._counts.block
        _, a, active = self._solved(hidden)
        excess = np.where(active, a - self._floor(hidden)[block], 0.0)
        total = sums_by(block, excess, hidden.size)
        # Where all shares are below rounding, the symbols included most often get all of H.
        last = counts.hit == self._most[block]
        excess = np.where(total[block] > 0, excess, last)
        total = sums_by(block, excess, hidden.size)
        return np.asarray(hidden[block] * excess / np.maximum(total, _TINY)[block])

    def slope(self, hidden: Floats) -> tuple[Floats, Floats]:
        """(m,) H → (m,) first and (m,) second derivative of a report's mean log-likelihood.

        The first is −∞ at H = 1 where there were reports in the clear.
        """
        mu, a, active = self._solved(hidden)
        scale = self._counts.oracle / np.maximum(self._counts.sizes, 1) / self._sent(hidden)
        clear = ratio(self._counts.clear, 1.0 - hidden)
        with np.errstate(all="ignore"):
            first = scale * self._rise(mu, a) - clear
            bend = scale / self._sent(hidden) * self._bend(a, active)
            return first, bend - ratio(clear, 1.0 - hidden)

    def _rise(self, mu: Floats, a: Floats) -> Floats:
        """(m,) t times the derivative by H of the sum over symbols.

        H enters through Σ p_x = H (with multiplier μ), through κ and through t.
        """
        counts, block = self._counts, self._counts.block
        hit = sums_by(block, ratio(counts.hit, a), mu.size)
        missed = sums_by(block, ratio(counts.missed, 1.0 - a), mu.size)
        return self._prob.gain * mu + self._lift * hit + (self._widen - self._lift) * missed

    def _bend(self, a: Floats, active: Bools) -> Floats:
        """(m,) t² times the derivative of `_rise`; `turn` is that of μ, `moved` that of each A."""
        counts, block, m = self._counts, self._counts.block, self._noise.size
        hit, missed = ratio(ratio(counts.hit, a), a), ratio(ratio(counts.missed, 1.0 - a), 1.0 - a)
        loose = np.where(active, 1.0 / (hit + missed), 0.0)
        turn = self._widen * sums_by(block, missed * loose, m) - self._prob.gain
        turn = (turn - self._lift * sums_by(block, active.astype(np.float64), m)) / sums_by(
            block, loose, m
        )
        moved = (missed * self._widen[block] - turn[block]) * loose
        moved = np.where(active, moved, self._lift[block])
        left = np.asarray(missed * (self._widen[block] - moved))
        bend = self._prob.gain * turn - self._lift * sums_by(block, hit * moved, m)
        return np.asarray(bend - (self._widen - self._lift) * sums_by(block, left, m))

    def _sent(self, hidden: Floats) -> Floats:
        # (m,) t
        return np.maximum(hidden + self._noise * (1.0 - hidden), _TINY)

    def _floor(self, hidden: Floats) -> Floats:
        # (m,) κ/t: probability that an oracle report includes a symbol that nobody has.
        floor = self._prob.other * hidden + self._prob.base * self._noise * (1.0 - hidden)
        return np.asarray(floor / self._sent(hidden))

    def _solved(self, hidden: Floats) -> tuple[Floats, Floats, Bools]:
        """(m,) μ, (s,) a, and (s,) whether p_x is positive."""
        counts, block = self._counts, self._counts.block
        floor, reach = self._floor(hidden), self._prob.gain * hidden / self._sent(hidden)

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
    """The a with f/a − g/(1 − a) = μ, where f + g = 1, without cancellation."""
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
    """part/whole, and 0 where the part is 0."""
    with np.errstate(divide="ignore"):
        return np.divide(part, whole, out=np.zeros_like(part), where=part > 0)
