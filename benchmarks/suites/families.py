"""Every family in plain LDP on the same million people of Zipf(1), k = 1024, and its peers.

Reports, tally and estimate: time, and n times the mean squared error of a symbol (n·MSE).
"""

from typing import ClassVar, Final

import numpy as np

from caldp_core.basics.types import Floats, Ints
from caldp_core.datasets import Zipf
from caldp_core.mechanisms import FAMILIES, registry
from caldp_core.privacy.context import Context

from .peers import EPSILON

K: Final = 1024
_QUICK: Final = ("hadamard", "randomized-response", "galois")
_DRAWS: Final = 15


class Crowd:
    """People of Zipf(1): `p`, (k,) shares, and `x`, (n,) one symbol per person drawn from them."""

    people = 1_000_000

    def draw(self, family: str) -> None:
        """Draw everybody's symbol and make the mechanism."""
        self.p = Zipf(K, 1.0).load().distribution
        self.x = np.random.default_rng(1).choice(K, self.people, p=self.p)
        self.rng = np.random.default_rng(2)
        self.mechanism = registry.in_context(Context.plain(K, EPSILON), family)

    def collect(self, x: Ints) -> Floats:
        """Privatize, tally and estimate."""
        mechanism = self.mechanism
        return mechanism.estimate(mechanism.tally(mechanism.privatize(x, self.rng)))

    def error(self, estimate: Floats, n: int) -> float:
        """n times the mean squared error of a symbol."""
        return n * float(((estimate - self.p) ** 2).mean())

    def exact_error(self, n: int) -> float:
        """The mean of that by the family's formula."""
        return n * float(self.mechanism.variance(self.p, n).mean())


class Families(Crowd):
    """Each family's time and error."""

    params = tuple(FAMILIES)
    param_names = ("family",)
    timeout, number, repeat, warmup_time = 600, 1, 3, 0
    bars: ClassVar = {"time_reports": lambda family: 0.2 if family in _QUICK else 10.0}

    def setup(self, family: str) -> None:
        """Draw the people."""
        self.draw(family)

    def time_reports(self, _: str) -> None:
        """10⁶ reports, tally and estimate."""
        self.collect(self.x)

    def track_error_over_exact(self, _: str) -> float:
        """n·MSE of one run over that of the formula, which it misses by a few percent."""
        return self.error(self.collect(self.x), self.x.size) / self.exact_error(self.x.size)
