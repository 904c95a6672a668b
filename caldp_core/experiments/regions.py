"""Numbers of people in parts of the domain, such as a box on the map or areas, with ranges.

Blocks that lie in the region as a whole are known exactly, because no context hides how many people
each block holds; only the rest of the region is uncertain.

Larger cells hold more people each, so noise disturbs them less; but where in a larger cell people
are is lost. Both are errors of the same map: the estimate, spread evenly over the smallest cells.

Ranges of areas come from the reports alone and are for the share among the people who reported, the
number that the holder of a list would publish. Whole blocks are known: every report shows its
block.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

import numpy as np

from caldp_core.basics.errors import require
from caldp_core.basics.extras import scipy
from caldp_core.basics.types import (
    Bools,
    EqualByFields,
    Floats,
    Ints,
    Progress,
    no_progress,
    sums_by,
)
from caldp_core.domain.domains import GridDomain
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.intervals import Tails, limits
from caldp_core.experiments.metrics import total_variation
from caldp_core.experiments.run import Outcome, Setup, run_trial
from caldp_core.experiments.table import Columns, cell_rings
from caldp_core.mechanisms.randomness import seed_sequence

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


@dataclass(frozen=True)
class CellErrors:
    """Errors with cells of `cell` degrees, each a total variation in [0, 1].

    `blur`: the truth spread evenly in each cell against the truth; `noise`: the estimate against
    the truth among these cells; `both`: the estimate spread evenly against the truth, at most the
    sum of the two and at least the noise. (Of squared errors it is the very sum: what is lost in a
    cell adds up to 0 there, and what noise does is the same all over it.)
    """

    cell: float
    blur: float
    noise: float
    both: float


def cell_errors(setup: Setup, estimate: Floats) -> CellErrors:
    """The errors of one (k,) estimate on a map, of cells put together or not."""
    dataset = setup.dataset
    assert isinstance(dataset.domain, GridDomain)
    noise = total_variation(dataset.distribution, estimate)
    finest = dataset.fine_map
    if finest is None:
        return CellErrors(dataset.domain.cell, 0.0, noise, noise)
    truth = finest.distribution
    return CellErrors(
        dataset.domain.cell,
        total_variation(truth, finest.even_distribution),
        noise,
        total_variation(truth, finest.cells.spread_evenly(estimate)),
    )


def mean_cell_errors(
    setups: Sequence[Callable[[], Setup]], trials: int, progress: Progress = no_progress
) -> tuple[CellErrors, ...]:
    """Mean errors of `trials` runs of each setup, made as it is needed; the same at every call."""
    results = []
    for number, make in enumerate(setups):
        setup, each = make(), []
        for seeds in seed_sequence(0).spawn(trials):
            each.append(cell_errors(setup, run_trial(setup, seeds).estimate))
            progress((number + len(each) / trials) / len(setups))
        means = (fmean(getattr(e, name) for e in each) for name in ("blur", "noise", "both"))
        results.append(CellErrors(each[0].cell, *means))
    return tuple(results)


_MIN_VARIANCE: Final = 1e-15
"""Below it the variance of a share is rounding error."""


@dataclass(frozen=True, eq=False)
class ResultAreas(EqualByFields):
    """Areas by which a result is added up.

    `names`: (a,); `labels`: (k,) each symbol's area. `grid`: a map, and `cells`: (cells,) the area
    of each of its cells, a for none; None where the areas are not on a map.
    """

    names: tuple[str, ...]
    labels: Ints
    grid: GridDomain | None = None
    cells: Ints | None = None


def area_limits(evidence: Evidence, labels: Ints, tails: Tails) -> tuple[Floats, Floats]:
    """(a,) least and largest shares of areas, missed with (a,) `tails`; `labels`: (k,) numbers.

    A limit is that of p with |Σp̂ − p| ≤ z·σ, with p̂ unbiased and σ exact at the plausible shares
    (normal approximation). Both of an area of whole blocks are its share; those of cells that are
    an area each are the cells' own (`intervals.limits`).
    """
    m = tails.low.size
    if m == labels.size:
        low, high = limits(evidence, Tails(tails.low[labels], tails.high[labels]))
        return low[np.argsort(labels)], high[np.argsort(labels)]
    pairs = np.unique(evidence.blocks * m + labels)
    is_whole = np.bincount(pairs // m)[evidence.blocks] == 1
    sizes = np.bincount(evidence.blocks)
    known = (evidence.block_shares / sizes)[evidence.blocks]
    middle = sums_by(labels, np.where(is_whole, known, evidence.unbiased), m)
    deviation = np.array([_deviation(evidence, ~is_whole & (labels == area)) for area in range(m)])
    down, up = (scipy.special.ndtri(tail) * deviation for tail in (tails.low, tails.high))
    return np.clip(middle + down, 0.0, 1.0), np.clip(middle - up, 0.0, 1.0)


def _deviation(evidence: Evidence, inside: Bools) -> float:
    """Standard deviation of the estimated share of the symbols `inside`, given the people."""
    p, weights = evidence.plausible, inside.astype(np.float64)
    share = float(p @ weights)
    variance = evidence.mechanism.sum_variance(p, weights, evidence.n)
    variance -= share * (1.0 - share) / evidence.n
    return float(np.sqrt(variance)) if variance > _MIN_VARIANCE else 0.0


def areas_as_geojson(areas: ResultAreas, columns: Columns) -> str:
    """Areas on a map with their (a,) columns, by RFC 7946; an area is the union of its cells."""
    import shapely

    assert areas.grid is not None
    features = []
    for number in range(len(areas.names)):
        rings = cell_rings(areas.grid, np.flatnonzero(areas.cells == number))
        shape = shapely.orient_polygons(shapely.union_all(shapely.polygons(rings)))
        features.append(
            {
                "type": "Feature",
                "geometry": json.loads(shapely.to_geojson(shape)) if len(rings) else None,
                "properties": {name: column[number] for name, column in columns.items()},
            }
        )
    return json.dumps({"type": "FeatureCollection", "features": features}, ensure_ascii=False)
