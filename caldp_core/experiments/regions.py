"""Numbers of people in a part of the domain, such as a box on the map.

Blocks that lie in the region as a whole are known exactly, because no context hides how many people
each block holds; only the rest of the region is uncertain.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from caldp_core.basics.errors import require
from caldp_core.basics.types import Bools
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.run import Outcome, Setup

_MISS_CHANCE: Final = 0.05
"""Chance that an interval, or one of all that were looked at, misses."""


@dataclass(frozen=True)
class RegionReport:
    """People of a region, as numbers of people: the truth, the estimate and its 95 % interval.

    `estimate` is unbiased and may be negative; `processed_estimate` is by the scenario's estimator.
    `half_width`: half of the interval of a region that was chosen before anybody looked, by the
    exact variance (normal approximation). `cells`: symbols in the region, `exact_blocks`: whole
    blocks that it covers, `n`: people in all.
    """

    cells: int
    exact_blocks: int
    truth: float
    processed_estimate: float
    estimate: float
    half_width: float
    n: int

    def ends(self, regions_compared: int = 1) -> tuple[float, float]:
        """The interval, cut to [0, n], but never so that it excludes an estimate.

        `regions_compared`: the number of regions that this one was picked from by what they show,
        such as `number_of_boxes`. The interval then holds for all of them at once (Bonferroni's
        correction).
        """
        half = self.half_width * _spread(regions_compared) / _spread(1)
        shown = self.estimate, self.processed_estimate
        low, high = max(self.estimate - half, 0.0), min(self.estimate + half, self.n)
        return min(low, *shown), max(high, *shown)

    @property
    def low(self) -> float:
        """The lower end for a region that was chosen before anybody looked."""
        return self.ends()[0]

    @property
    def high(self) -> float:
        """The upper end for a region that was chosen before anybody looked."""
        return self.ends()[1]

    @property
    def is_lost_in_noise(self) -> bool:
        """True if the error to expect is larger than the count itself."""
        return self.half_width > abs(self.truth)


def number_of_boxes(grid: GridDomain) -> int:
    """How many boxes of whole cells a map has: all that are compared where any may be drawn."""
    return grid.rows * (grid.rows + 1) // 2 * (grid.columns * (grid.columns + 1) // 2)


def _spread(regions_compared: int) -> float:
    """Half-width, in standard deviations, at which this many normal intervals hold together."""
    return -float(scipy.special.ndtri(0.5 * _MISS_CHANCE / regions_compared))


def region_report(setup: Setup, outcome: Outcome, region: Bools) -> RegionReport:
    """Numbers of the (k,) region; raises `CaldpError` if it holds nothing."""
    require(bool(region.any()), "The region holds no cell; choose a larger one.")
    labels, n, p = setup.partition.labels, setup.n, setup.dataset.distribution
    whole = np.bincount(labels[region], minlength=setup.partition.m) == setup.partition.sizes()
    rest = region & ~whole[labels]
    share = float(outcome.block_shares[whole].sum() + outcome.unbiased[rest].sum())
    variance = setup.mechanism.sum_variance(p, rest.astype(np.float64), n)
    part, region_share = float(p[rest].sum()), float(p[region].sum())
    # Given the people, their sampling error drops out; people drawn bring that of the region in.
    variance -= part * (1.0 - part) / n
    if setup.scenario.n is not None:
        variance += region_share * (1.0 - region_share) / n
    return RegionReport(
        cells=int(region.sum()),
        exact_blocks=int(whole.sum()),
        truth=region_share * n,
        processed_estimate=float(outcome.estimate[region].sum()) * n,
        estimate=share * n,
        half_width=_spread(1) * float(np.sqrt(max(variance, 0.0))) * n,
        n=n,
    )
