"""Estimators beside each other: error of cells, of boxes and of the largest cells, and time.

Plain LDP and blocks on the shipped reconstruction, and on a map of one's own (`--world`, an .npz
whose `counts` are rows × columns). Every estimator is given the same reports.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from time import process_time
from typing import Final

import numpy as np

from benchmarks.calibrate import calibrated
from benchmarks.figures import Bar, Figure, Runs
from benchmarks.sizes import Sizes
from caldp_core.basics.types import Floats, Ints
from caldp_core.datasets import Gowalla
from caldp_core.domain.grid import US_GRID, GridDomain
from caldp_core.domain.partitions import grid_blocks
from caldp_core.estimation.estimators import ESTIMATORS, PostProcess
from caldp_core.estimation.evidence import Evidence
from caldp_core.experiments.metrics import box_error
from caldp_core.mechanisms import registry
from caldp_core.privacy.context import Context

_SIDE: Final = 16
_LARGEST: Final = 50
_OURS: Final = "cascade"
_BARS: Final = {("the world", 1.0): Bar("≤", 27)}
"""Of the cascade's error: post-processing alone, the simplex projection has 42."""
_TIME: Final = Bar("≤", 30)


@dataclass(frozen=True, eq=False)
class Place:
    """(rows × columns,) people of a map in blocks of `labels`."""

    name: str
    people: Ints
    grid: GridDomain
    labels: Ints


def figures(sizes: Sizes) -> Iterator[Figure]:
    """For each map, ε and estimator its error and its time."""
    for place in _places(sizes):
        for epsilon in sizes.estimator_epsilons:
            yield from _compared(place, epsilon, sizes.estimator_draws)


def _places(sizes: Sizes) -> Iterator[Place]:
    if sizes.world is not None:
        yield _of_one_s_own(sizes.world)
    counts = Gowalla().load().counts
    assert counts is not None
    yield Place("US reconstruction", counts, US_GRID, np.zeros(counts.size, np.int64))
    for rows, columns in ((5, 7), (25, 35)):
        labels = grid_blocks(US_GRID, rows, columns).labels
        yield Place(f"US reconstruction, {rows} × {columns} blocks", counts, US_GRID, labels)


def _of_one_s_own(path: Path) -> Place:
    counts = np.load(path)["counts"].astype(np.int64)
    rows, columns = counts.shape
    cell = min(180 / rows, 360 / columns)  # neighbours are all that is asked of it
    grid = GridDomain(-90, -180, cell, rows, columns)
    return Place("the world", counts.ravel(), grid, np.zeros(counts.size, np.int64))


def _estimators() -> dict[str, PostProcess]:
    named = {name: entry.apply for name, entry in ESTIMATORS.items() if name != "none"}
    peer = _pure_ldp()
    return named | {"Calibrate-like": calibrated} | ({"pure-ldp's": peer} if peer else {})


def _pure_ldp() -> PostProcess | None:
    """The projection that pure-ldp post-processes with; None without it."""
    try:
        from pure_ldp.core.prob_simplex import project_probability_simplex as project
    except ImportError:
        return None
    return lambda evidence: np.asarray(project(evidence.unbiased.copy()), np.float64)


def _compared(place: Place, epsilon: float, draws: int) -> Iterator[Figure]:
    mechanism = registry.in_context(Context.block_structured(place.labels, epsilon), "galois")
    truth, rng = place.people / place.people.sum(), np.random.default_rng(5)
    tallies = [mechanism.sample_tally(place.people, rng) for _ in range(draws)]
    seen = [Evidence.of(mechanism, tally, domain=place.grid) for tally in tallies]
    for name, apply in _estimators().items():
        apply(replace(seen[0]))  # tables that are made once
        found, times = [], []
        for evidence in seen:
            alone = replace(evidence)  # nothing that an earlier estimator has worked out
            started = process_time()
            found.append(apply(alone))
            times.append(1000 * (process_time() - started))
        work = f"{place.name}, ε = {epsilon:g}, {name}"
        figure = _error(work, truth, found, place.grid)
        yield replace(figure, bar=_BARS.get((place.name, epsilon)) if name == _OURS else None)
        limit = _TIME if name == _OURS and truth.size == US_GRID.k else None
        yield Figure(f"time: {work}", "ms", Runs(min(times), median(times), draws), limit)


def _error(work: str, truth: Floats, found: Sequence[Floats], grid: GridDomain) -> Figure:
    """People of 100 in the wrong cell; in the note, of boxes and the largest cells."""

    def mean(error: Callable[[Floats], float]) -> float:
        return float(np.mean([error(each - truth) for each in found]))

    largest = np.argsort(truth)[-_LARGEST:]
    cells = [float(50 * np.abs(each - truth).sum()) for each in found]
    boxes = 100 * float(np.mean([box_error(truth, each, grid, _SIDE) for each in found]))
    top = mean(lambda off: float(50 * np.abs(off[largest]).sum()))
    note = f"boxes of {_SIDE} × {_SIDE}: {boxes:.2f}, {_LARGEST} largest cells: {top:.2f}"
    return Figure(work, "%", Runs(min(cells), float(np.mean(cells)), len(cells)), note=note)
