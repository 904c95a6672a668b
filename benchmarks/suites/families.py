"""Every family in plain LDP on the same million people of Zipf(1), k = 1024, and its peers.

Reports, tally and estimate: time, and n times the mean squared error of a symbol (n·MSE).
"""

from statistics import median
from typing import ClassVar, Final

import numpy as np

from caldp_core.basics.types import Floats, Ints
from caldp_core.datasets import Zipf
from caldp_core.mechanisms import FAMILIES, ContextMechanism, registry
from caldp_core.mechanisms.specs import FamilySpec, Galois, Hadamard
from caldp_core.privacy.context import Context
from caldp_core.theory.bounds import least_loss
from caldp_core.theory.expected_error import variance_given_people

from .peers import EPSILON, PEERS, Stopwatch

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


class Peers(Crowd):
    """Each peer beside ours; few people are enough, as peers work person by person."""

    params = tuple(PEERS)
    param_names = ("peer",)
    timeout, few = 600, 2_000

    def setup(self, peer: str) -> None:
        """Draw the people; raises `NotImplementedError` if the peer cannot run here."""
        self.draw(PEERS[peer].family)
        symbols = self.x[: self.few].tolist()
        self.clips, self.collect_theirs, self.estimate_theirs = PEERS[peer].start_here(symbols, K)

    def track_time_over_ours(self, _: str) -> float:
        """Time of a person over ours."""
        theirs = Stopwatch.median(self.collect_theirs) / self.few
        return theirs / (Stopwatch.median(lambda: self.collect(self.x)) / self.x.size)

    def track_error_over_ours(self, _: str) -> float:
        """n·MSE over ours: the exact one, or the median of draws if the peer clips its shares."""
        self.collect_theirs()
        theirs = self.error(self.estimate_theirs(), self.few)
        if not self.clips:
            return theirs / self.exact_error(self.few)
        estimates = (self.collect(self.x[: self.few]).clip(0) for _ in range(_DRAWS))
        return theirs / median(self.error(each / each.sum(), self.few) for each in estimates)


FORMS: Final[dict[str, FamilySpec]] = {
    "hadamard": Hadamard(),
    "general hadamard": Hadamard(None),
    "galois": Galois(),
}


class HadamardAndGalois:
    """Hadamard response, also with B parts (Acharya, Sun, Zhang), and Galois response."""

    params = (list(FORMS), [1.0, 2.0, 4.0, 5.0])
    param_names = ("form", "epsilon")
    people = 1_000_000

    def setup(self, form: str, epsilon: float) -> None:
        """Draw even people."""
        self.rng = np.random.default_rng(1)
        self.x = self.rng.integers(0, K, self.people)
        context = Context.plain(K, epsilon)
        self.mechanism = ContextMechanism(context, form, FORMS[form].family())

    def time_reports(self, *_: object) -> None:
        """10⁶ reports."""
        self.mechanism.privatize(self.x, self.rng)

    def track_bits(self, *_: object) -> float:
        """Bits of a report."""
        return self.mechanism.report_bits

    def track_error_over_optimum(self, _: str, epsilon: float) -> float:
        """Exact n·MSE of people who are fixed and even, over subset selection's, the least."""
        ours = float(variance_given_people(self.mechanism, np.full(K, 1 / K), 1).mean())
        return ours * K / (least_loss(K, K, epsilon, 1.0).loss - (1.0 - 1.0 / K))
