"""The core at work: whole populations, the paper's experiments, audits, families, noise, designs.

All at ε = 1; maps are the paper's, with 43,750 cells. Families are compared in plain LDP on the
same million people of Zipf(1), k = 1024: reports, tally and estimate.
"""

from collections.abc import Callable
from dataclasses import replace
from timeit import timeit
from typing import ClassVar, Final

import numpy as np

from benchmarks.suites.accuracy import us_people
from caldp_core.audit.blockwise import audit_context
from caldp_core.basics.types import Floats, Ints
from caldp_core.datasets import Zipf
from caldp_core.domain.domains import US_GRID
from caldp_core.domain.partitions import grid_blocks
from caldp_core.experiments.reproduce import PAPER, SIZES, figure_2_points, run_interleaved, table_1
from caldp_core.mechanisms import FAMILIES, ContextMechanism, catalogue
from caldp_core.mechanisms.capabilities import HasChannelRows
from caldp_core.mechanisms.designed.design import design
from caldp_core.mechanisms.kernels import BestKernelMechanism, StepLevels
from caldp_core.mechanisms.kernels import design as design_kernel
from caldp_core.privacy.context import Context, PrivacyMatrix
from caldp_core.privacy.distance import EuclideanMetric
from caldp_core.privacy.matrix import DenseMatrix

BLOCKS: Final = {"plain LDP": (1, 1), "25 × 35 blocks": (25, 35)}
"""Rows and columns of the contexts in which people report by Hadamard response."""
SEED: Final = 1
FAMILY_K: Final = 1024
_QUICK: Final = ("hadamard", "randomized-response", "galois")


def hadamard(blocks: str) -> ContextMechanism:
    """Hadamard response in one of the contexts of `BLOCKS`."""
    labels = grid_blocks(US_GRID, *BLOCKS[blocks]).labels
    return catalogue.in_context(Context.block_structured(labels, 1.0), "hadamard")


def ratio(over: Callable[[], object], under: Callable[[], object], rounds: int = 3) -> float:
    """Median seconds of `over` over those of `under`, run in turn after one round."""
    seconds = [[timeit(each, number=1) for each in (over, under)] for _ in range(rounds + 1)]
    first, second = np.median(seconds[1:], axis=0)
    return float(first / second)


class Reports:
    """3,671,812 reports, one per check-in, with tally and estimate."""

    params = tuple(BLOCKS)
    param_names = ("blocks",)
    bars: ClassVar = {"time_round_trip": 0.15}
    people = 4_000_000

    def setup(self, blocks: str) -> None:
        """Draw everybody's cell."""
        self.mechanism, self.rng = hadamard(blocks), np.random.default_rng(SEED)
        x = np.repeat(np.arange(US_GRID.k), us_people())
        np.random.default_rng(SEED).shuffle(x)
        self.x = x[: self.people]

    def time_round_trip(self, _: str) -> None:
        """Privatize, tally and estimate."""
        mechanism = self.mechanism
        mechanism.estimate(mechanism.tally(mechanism.privatize(self.x, self.rng)))


class Tallies:
    """The tally of a population drawn from its exact law: the same time for any number."""

    params = (list(BLOCKS), [10**3, 10**6, 10**9, 10**12])
    param_names = ("blocks", "people")
    bars: ClassVar = {"time_sampled": 0.06, "track_over_a_million": 2.0}

    def setup(self, blocks: str, people: int) -> None:
        """Draw the population's true counts."""
        self.mechanism, self.rng = hadamard(blocks), np.random.default_rng(SEED)
        people_there = us_people()
        shares = people_there / people_there.sum()
        self.counts, self.million = (self.rng.multinomial(n, shares) for n in (people, 10**6))

    def time_sampled(self, *_: object) -> None:
        """Sample the tally and estimate."""
        self._sample(self.counts)

    def track_over_a_million(self, *_: object) -> float:
        """Time over that of 10⁶ people, in turn."""
        return ratio(lambda: self._sample(self.counts), lambda: self._sample(self.million))

    def _sample(self, counts: Ints) -> None:
        self.mechanism.estimate(self.mechanism.sample_tally(counts, self.rng))


class Paper:
    """The paper's experiments, from scenarios to errors (CALDP §7)."""

    timeout, number, repeat, warmup_time = 600, 1, 3, 0
    bars: ClassVar = {"time_table_1": 15.0, "time_figure_2": 10.0}
    table_runs, figure_runs, sizes = 100, 10, SIZES

    def time_table_1(self) -> None:
        """4 columns × 100 runs, with projection, on all cores."""
        table_1(self.table_runs, replace(PAPER, seed=SEED))

    def time_figure_2(self) -> None:
        """4 distributions × 5 curves × 10 sizes × 10 runs."""
        points = figure_2_points(self.figure_runs, replace(PAPER, seed=SEED))
        scenarios = [point.scenario for point in points if point.scenario.n in self.sizes]
        for _ in run_interleaved(scenarios):
            pass


def audit_bar(family: str) -> float:
    """Seconds: families that stream their rows have every entry audited, others their form."""
    oracles = catalogue.in_context(Context.plain(2, 1.0), family).oracles
    return 10.0 if isinstance(oracles, HasChannelRows) else 0.1


class Audits:
    """The exact audit of all k² pairs of one block: the largest audit that anyone needs."""

    params = tuple(FAMILIES)
    param_names = ("family",)
    timeout, number, repeat, warmup_time = 600, 1, 3, 0
    bars: ClassVar = {"time_audit": audit_bar, "peakmem_audit": 5e8}
    k = 43_750

    def setup(self, family: str) -> None:
        """Make the mechanism."""
        self.mechanism = catalogue.in_context(Context.plain(self.k, 1.0), family)

    def time_audit(self, _: str) -> None:
        """Audit all pairs."""
        audit_context(self.mechanism)

    peakmem_audit = time_audit


class Kernels:
    """The best noise for a distance: ε = 1 within a number of kilometres."""

    params: ClassVar = [200, 50, 20]
    param_names = ("km",)
    timeout, number, repeat, warmup_time = 600, 1, 3, 0
    bars: ClassVar = {"time_design": 60.0, "time_tally": 0.2, "track_best": 1.0001}

    def setup(self, km: int) -> None:
        """Design the noise and draw everybody's cell."""
        self.policy = EuclideanMetric.per_km(US_GRID, 1.0 / km)
        self.kernel = design_kernel(StepLevels.of(self.policy))
        self.mechanism = BestKernelMechanism(self.policy, self.kernel)
        self.rng, self.counts = np.random.default_rng(SEED), us_people()

    def time_design(self, _: int) -> None:
        """Design the noise."""
        design_kernel(StepLevels.of(self.policy))

    def time_tally(self, _: int) -> None:
        """Draw the tally of 3,671,812 check-ins."""
        self.mechanism.sample_tally(self.counts, self.rng)

    def track_best(self, _: int) -> float:
        """Displacement over the proved bound."""
        return self.kernel.displacement / self.kernel.bound


class Families:
    """Each family's time and error, for `x`: (n,) one symbol per person drawn from (k,) `p`."""

    params = tuple(FAMILIES)
    param_names = ("family",)
    timeout, number, repeat, warmup_time = 600, 1, 3, 0
    bars: ClassVar = {"time_reports": lambda family: 0.2 if family in _QUICK else 10.0}
    people = 1_000_000

    def setup(self, family: str) -> None:
        """Draw everybody's symbol and make the mechanism."""
        self.p = Zipf(FAMILY_K, 1.0).load().distribution
        self.x = np.random.default_rng(1).choice(FAMILY_K, self.people, p=self.p)
        self.rng = np.random.default_rng(2)
        self.mechanism = catalogue.in_context(Context.plain(FAMILY_K, 1.0), family)

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


DESIGN_SIZES: Final = (16, 64, 256)
POLICIES: Final = (
    "plain LDP",
    "a quarter sensitive",
    "places in the plane",
    "random levels",
)


def designed_policy(name: str, k: int) -> PrivacyMatrix:
    """Two policies with a pattern, and two random ones without any."""
    rng = np.random.default_rng(SEED)
    if name == "plain LDP":
        return Context.plain(k, 1.0)
    if name == "a quarter sensitive":
        return Context.high_low(np.arange(k) < k // 4, 1.0)
    if name == "places in the plane":  # in a square of 2 by 2 nats
        places = rng.uniform(0, 2, (k, 2))
        return DenseMatrix.of(np.hypot(*(places[:, None] - places).transpose(2, 0, 1)))
    levels = rng.uniform(0.5, 3.0, (k, k))
    np.fill_diagonal(levels, 0.0)
    return DenseMatrix.of(levels)


class Designs:
    """Each policy and number of symbols once for its time and once for its loss.

    McKenna, Maity, Mazumdar and Miklau (2020) end 12 to 14 % above the optimum in plain LDP at
    k = 16 to 64, by gradient descent on a strategy matrix of 4k reports, on the same loss.
    """

    params = (POLICIES, DESIGN_SIZES)
    param_names = ("policy", "k")
    timeout, number, repeat, warmup_time = 1800, 1, 1, 0
    bars: ClassVar = {
        "time_design": lambda _, k: {16: 2.0, 64: 10.0, 256: 120.0}[k],
        "track_loss": lambda policy, _: 1.12 if policy == "plain LDP" else None,
    }

    def setup(self, policy: str, k: int) -> None:
        """Make the policy."""
        self.policy = designed_policy(policy, k)

    def time_design(self, *_: object) -> None:
        """Design the channel."""
        design(self.policy)

    def track_loss(self, *_: object) -> float:
        """Loss over the least that is proved for any channel."""
        return 1 + design(self.policy).gap
