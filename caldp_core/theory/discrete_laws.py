"""Estimates that are sums over few reports, exactly: what of them lies above a cut.

Room: theory's ground floor. Reports that name a symbol, or speak for or against it, are whole
numbers; with few of them an estimate takes few values and is far from normal.
"""

from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

import numpy as np

from caldp_core.basics.types import Floats, Ints

FEW: Final = 16.0
"""Largest variance of a number that is summed over; above it, a normal's E|U − μ| is 0.5 % off."""
_ALIKE: Final = (0.0, 1.0, 4.0, FEW)
"""Numbers with variances between two of these are summed over as far as the widest of them."""
_REACH: Final = 7.0
"""Standard deviations summed over, and as many units: about 10^-10 is left out."""

Moments: TypeAlias = tuple[Floats, Floats, Floats]
"""Moments 0, 1, 2 of parts of laws, each (g,)."""


class WholeLaw(Protocol):
    """Laws of whole numbers, (c,) of them: `mean` and `variance`, and all their values."""

    @property
    def mean(self) -> Floats:
        """(c,)."""
        ...

    @property
    def variance(self) -> Floats:
        """(c,)."""
        ...

    def at(self, some: Ints) -> "WholeLaw":
        """Those at (c′,) places."""
        ...

    def values(self) -> tuple[Floats, Floats]:
        """(width, c) distances from the mean, rising by 1, and their probabilities."""
        ...


@dataclass(frozen=True, eq=False)
class Counts:
    """Binomial with (c,) success π in [0, 1) and mean μ > 0; Poisson where π = 0."""

    mean: Floats
    success: Floats

    @property
    def variance(self) -> Floats:
        """μ(1 − π)."""
        return self.mean * (1.0 - self.success)

    def at(self, some: Ints) -> "Counts":
        """See `WholeLaw`."""
        return Counts(self.mean[some], self.success[some])

    def values(self) -> tuple[Floats, Floats]:
        """See `WholeLaw`."""
        # Few losses out of many reports are counted instead of the many.
        turned = self.success > 0.5
        success = np.where(turned, 1.0 - self.success, self.success)
        mean = np.where(turned, self.mean * success / np.maximum(self.success, 0.5), self.mean)
        chances = _counted(mean, success)
        away = np.arange(float(len(chances)))[:, None] - mean
        chances[:, turned], away[:, turned] = chances[::-1, turned], -away[::-1, turned]
        return away, chances


@dataclass(frozen=True, eq=False)
class Differences:
    """One Poisson number less another, with these means in all and these variances."""

    mean: Floats
    variance: Floats

    def at(self, some: Ints) -> "Differences":
        """See `WholeLaw`."""
        return Differences(self.mean[some], self.variance[some])

    def values(self) -> tuple[Floats, Floats]:
        """See `WholeLaw`; the probabilities from the characteristic function."""
        spread = float(np.sqrt(self.variance.max()))
        reach = int(np.ceil(_REACH * (1.0 + spread) + np.abs(self.mean).max()))
        whole = np.arange(-reach, reach + 1.0)
        angle = 2.0 * np.pi * np.arange(reach + 1)[:, None] / whole.size
        # E e^{−iθ(U + reach)} is the discrete Fourier transform of the probabilities.
        law = np.exp(
            self.variance * (np.cos(angle) - 1.0) - 1j * (self.mean * np.sin(angle) + angle * reach)
        )
        chances = np.fft.irfft(law, whole.size, axis=0)
        return whole[:, None] - self.mean, np.maximum(chances, 0.0)


@dataclass(frozen=True, eq=False)
class Tails:
    """Moments around p of what lies at and above each value that groups of estimates take.

    `groups`: (c,) whose they are. `p`, `step`, `lowest`: (c,), the least value counted from p.
    `sums`: (width + 1, c) each.
    """

    groups: Ints
    p: Floats
    step: Floats
    lowest: Floats
    sums: Moments

    @classmethod
    def of(cls, groups: Ints, p: Floats, step: Floats, law: WholeLaw) -> "Tails":
        """Of the groups whose estimates are p + step·(U − E U)."""
        away, chances = law.values()
        away = away * step
        powers = chances, chances * away, chances * away**2
        zero, one, two = (_from_there_on(values) for values in powers)
        return cls(groups, p, step, away[0], (zero, one, two))

    def above(self, shift: Floats, cut: Floats) -> Moments:
        """(c,) moments of W − shift where it exceeds the cut."""
        off = self.p - shift
        first = np.floor((cut - off - self.lowest) / self.step) + 1.0
        row = np.clip(first, 0, len(self.sums[0]) - 1).astype(np.int64)
        zero, one, two = (sums[row, np.arange(row.size)] for sums in self.sums)
        return zero, one + off * zero, two + off * (2.0 * one + off * zero)


def tails_of(groups: Ints, p: Floats, step: Floats, law: WholeLaw) -> tuple[Tails, ...]:
    """Tails of (c,) groups, in parts with numbers of similar size; variances at most `FEW`."""
    part = np.searchsorted(_ALIKE, law.variance)
    members = (np.flatnonzero(part == number) for number in range(1, len(_ALIKE)))
    return tuple(
        Tails.of(groups[some], p[some], step[some], law.at(some)) for some in members if some.size
    )


def _counted(mean: Floats, success: Floats) -> Floats:
    """(width, c) P(U = u), u = 0 … width − 1, as far as they matter."""
    reach = mean + _REACH * (1.0 + np.sqrt(mean * (1.0 - success)))
    some = success > 0
    odds = np.where(some, -np.log1p(-success) / np.where(some, success, 1.0), 1.0)
    chances = np.empty((int(np.ceil(reach.max())) + 1, mean.size))
    chances[0] = np.exp(-mean * odds)
    for u in range(1, len(chances)):
        # Mean and π alone: (N − u + 1)·π = μ − (u − 1)·π.
        left = np.maximum(mean - (u - 1) * success, 0.0)
        chances[u] = chances[u - 1] * left / (u * (1.0 - success))
    return chances


def _from_there_on(values: Floats) -> Floats:
    """Sums of the last rows, from each row on and from none."""
    nothing = np.zeros((1, values.shape[1]))
    return np.concatenate([np.cumsum(values[::-1], axis=0)[::-1], nothing])
