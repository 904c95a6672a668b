"""Every family in plain LDP on the same million people of Zipf(1), k = 1024, ε = 1.

Reports, tally and estimate: time, and n times the mean squared error of a symbol (n·MSE).
"""

from typing import ClassVar, Final

import numpy as np

from caldp_core.basics.types import Floats
from caldp_core.datasets import Zipf
from caldp_core.mechanisms import FAMILIES, catalogue
from caldp_core.privacy.context import Context

K: Final = 1024
_QUICK: Final = ("hadamard", "randomized-response", "galois")


class Families:
    """Each family's time and error, for `x`: (n,) one symbol per person drawn from (k,) `p`."""

    params = tuple(FAMILIES)
    param_names = ("family",)
    timeout, number, repeat, warmup_time = 600, 1, 3, 0
    bars: ClassVar = {"time_reports": lambda family: 0.2 if family in _QUICK else 10.0}
    people = 1_000_000

    def setup(self, family: str) -> None:
        """Draw everybody's symbol and make the mechanism."""
        self.p = Zipf(K, 1.0).load().distribution
        self.x = np.random.default_rng(1).choice(K, self.people, p=self.p)
        self.rng = np.random.default_rng(2)
        self.mechanism = catalogue.in_context(Context.plain(K, 1.0), family)

    def time_reports(self, _: str) -> None:
        """10⁶ reports, tally and estimate."""
        self._estimate()

    def _estimate(self) -> Floats:
        mechanism = self.mechanism
        return mechanism.estimate(mechanism.tally(mechanism.privatize(self.x, self.rng)))

    def track_error_over_exact(self, family: str) -> float:
        """n·MSE of one run over that of the formula, which it misses by a few percent."""
        error = float(((self._estimate() - self.p) ** 2).mean())
        return error / float(self.mechanism.variance(self.p, self.x.size).mean())
