"""Two errors of a map with larger cells: what the cells blur, and what noise adds.

Larger cells hold more people each, so noise disturbs them less; but where in a larger cell people
are is lost. Both are errors of the same map: the estimate, spread evenly over the smallest cells.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from caldp_core.basics.types import Floats, Progress, no_progress
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.metrics import total_variation
from caldp_core.experiments.run import Setup, run_trial


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
        for seeds in np.random.SeedSequence(0).spawn(trials):
            each.append(cell_errors(setup, run_trial(setup, seeds).estimate))
            progress((number + len(each) / trials) / len(setups))
        means = (fmean(getattr(e, name) for e in each) for name in ("blur", "noise", "both"))
        results.append(CellErrors(each[0].cell, *means))
    return tuple(results)
