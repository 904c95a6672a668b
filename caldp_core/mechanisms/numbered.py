"""The common part of mechanisms whose reports are numbers of their channel's columns."""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.errors import check_symbols
from caldp_core.basics.types import Ints, Seed, WordSource
from caldp_core.mechanisms.randomness.coins import seeded_words, system_words
from caldp_core.mechanisms.tally import Tally
from caldp_core.privacy.context import PrivacyMatrix


class NumberReports(ABC):
    """A mechanism whose reports are 0, …, outputs − 1, so that its tally is a histogram.

    See `Mechanism` for what the methods promise.
    """

    policy: PrivacyMatrix

    @property
    @abstractmethod
    def outputs(self) -> int:
        """Number of different reports."""

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """Digest that two mechanisms share only if their reports mean the same."""

    @abstractmethod
    def _reports(self, x: Ints, words: WordSource) -> Ints:
        """(n,) symbols → (n,) reports."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.k:,} values>"

    @property
    def k(self) -> int:
        """Number of symbols."""
        return self.policy.k

    def privatize(self, x: ArrayLike, rng: Seed) -> Ints:
        """(n,) symbols → (n,) reports, simulated with `rng`."""
        return self._reports(check_symbols("x", x, self.k), seeded_words(rng))

    def client_report(self, x: int) -> Ints:
        """(1,) one real user's report, with the operating system's randomness; takes no seed."""
        return self._reports(check_symbols("x", [x], self.k), system_words)

    def every_report(self) -> Ints:
        """(outputs,) all different reports in the order of the channel's columns."""
        return np.arange(self.outputs)

    def tally(self, reports: ArrayLike) -> Tally:
        """(n,) reports → (outputs,) histogram; `CaldpError` on a number that is no report."""
        numbers = check_symbols("reports", reports, self.outputs)
        return Tally(np.bincount(numbers, minlength=self.outputs), numbers.size, self.fingerprint)
