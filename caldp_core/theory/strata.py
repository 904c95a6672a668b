"""Draws of people with and without rare values, so that trials see what hardly ever happens.

Of 100,000 people a value with the share 4·10⁻⁸ is expected 0.004 times. A thousand trials mostly
never see it, and would claim an error without any spread; yet when it comes, the error is 250 times
as large, which is half of its mean. So half of the trials are drawn given that somebody has a rare
value, the others given that nobody has, and both count by their probabilities: stratified sampling.
"""

import math
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from caldp_core.basics.types import Bools, Floats, Ints

_RARE: Final = 1.0
"""People expected at most with all rare values together."""
_RARE_ERROR_SHARE: Final = 0.01
"""Share of the error of a census of so many people from which rare values' share matters."""


class Stratum(Protocol):
    """One way that people may come out, with a probability."""

    @property
    def weight(self) -> float:
        """Its probability."""
        ...

    def people(self, rng: np.random.Generator) -> Ints:
        """(k,) people for each value, given that they come out so."""
        ...


@dataclass(frozen=True, eq=False)
class FixedPeople:
    """Always the same (k,) `counts`."""

    counts: Ints
    weight: float = 1.0

    def people(self, rng: np.random.Generator) -> Ints:
        """The counts."""
        del rng
        return self.counts


@dataclass(frozen=True, eq=False)
class SampledPeople:
    """n people drawn from (k,) shares `p`."""

    n: int
    p: Floats
    weight: float = 1.0

    def people(self, rng: np.random.Generator) -> Ints:
        """A multinomial draw."""
        return rng.multinomial(self.n, self.p)


@dataclass(frozen=True, eq=False)
class SampledWithRare:
    """n people drawn from (k,) shares `p`, given that one or more have a value of (k,) `rare`."""

    n: int
    p: Floats
    rare: Bools
    weight: float

    def people(self, rng: np.random.Generator) -> Ints:
        """Whoever is the first with a rare value, then others with one, then everybody else."""
        share = float(self.p[self.rare].sum())
        # Inversion: the first is the t-th of n with probability (1 − share)^(t−1)·share/weight.
        first = math.ceil(math.log1p(-self.weight * rng.random()) / math.log1p(-share))
        rare = 1 + int(rng.binomial(self.n - min(max(first, 1), self.n), share))
        counts = np.zeros(self.p.size, np.int64)
        counts[self.rare] = rng.multinomial(rare, self.p[self.rare] / share)
        rest = self.p[~self.rare]
        counts[~self.rare] = rng.multinomial(self.n - rare, rest / rest.sum())
        return counts


def strata(p: Floats, n: int) -> list[Stratum]:
    """All ways in which n people drawn from (k,) shares p may come out: one, or two with rare ones.

    Two where rare values' share would be missed: it is the part of the total variation between
    shares and a census of n people that trials without them leave out.
    """
    rare = _rare(p, n)
    share = float(p[rare].sum())
    census = 0.5 * float(np.minimum(2 * p, np.sqrt(2 * p * (1 - p) / (np.pi * n))).sum())
    rest = np.where(rare, 0.0, p)
    # Of one person every value is rare, and nothing is left beside them.
    if share <= _RARE_ERROR_SHARE * census or not rest.any():
        return [SampledPeople(n, p)]
    some = -math.expm1(n * math.log1p(-share))
    return [SampledPeople(n, rest / rest.sum(), 1 - some), SampledWithRare(n, p, rare, some)]


def _rare(p: Floats, n: int) -> Bools:
    """(k,) the smallest positive shares, as many as `_RARE` people are expected with at most."""
    order = np.argsort(p, kind="stable")
    rare = np.empty(p.size, np.bool_)
    rare[order] = n * np.cumsum(p[order]) <= _RARE
    return rare & (p > 0)
