"""Estimators beside each other: error of cells, of boxes and of the largest cells, and time.

Plain LDP and blocks on the shipped reconstruction, and on a map of one's own (`--world`, an .npz
whose `counts` are rows × columns). Every estimator is given the same reports.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time
from typing import Final

import numpy as np
from scipy.ndimage import gaussian_filter

from benchmarks.calibrate import calibrate
from benchmarks.figures import Bar, Figure, Runs
from benchmarks.random_scenarios import Case, partly_sensitive_case, random_case
from benchmarks.sizes import Sizes
from caldp_core.basics.types import Floats, Ints
from caldp_core.datasets import Gowalla
from caldp_core.datasets.base_map import world_cities
from caldp_core.domain.grid import US_GRID, GridDomain
from caldp_core.domain.partitions import grid_blocks
from caldp_core.estimation.cascade_estimator import (
    cascade_estimate,
    cascade_with_prior,
    prior_effect,
)
from caldp_core.estimation.estimators import ESTIMATORS, PostProcess
from caldp_core.estimation.evidence import Evidence
from caldp_core.experiments.metrics import box_error
from caldp_core.mechanisms import registry
from caldp_core.privacy.context import Context

_SIDE: Final = 16
_LARGEST: Final = 50
_OURS: Final = "cascade"
_WITH_INHABITANTS: Final = "cascade with inhabitants"
_BARS: Final = {("the world", 1.0): Bar("≤", 27)}
"""Limits of the cascade's error: post-processing alone, the simplex projection has 42."""
_TIME: Final = Bar("≤", 30)
_NOWHERE_WORSE: Final = Bar("≤", 1.01)
_DRAWS: Final = 16
"""Draws of each random scenario: with fewer, chance alone makes some worse."""


@dataclass(frozen=True, eq=False)
class PeopleMap:
    """(rows × columns,) people of a map in blocks of `labels`.

    `inhabitants`: (rows × columns,) where people live; None for maps that were made from that.
    """

    name: str
    people: Ints
    grid: GridDomain
    labels: Ints
    inhabitants: Floats | None = None


def figures(sizes: Sizes) -> Iterator[Figure]:
    """For each map, ε and estimator its error and its time."""
    for place in _places(sizes):
        for epsilon in sizes.estimator_epsilons:
            yield from _compare(place, epsilon, sizes.estimator_draws)
    for name, make in (
        ("everything sensitive", random_case),
        ("a part sensitive", partly_sensitive_case),
    ):
        yield _ratio_to_nearest(name, [make(seed) for seed in range(sizes.scenarios)])


def _ratio_to_nearest(name: str, cases: Sequence[Case]) -> Figure:
    """The cascade's mean error over that of the nearest shares, where it fares worst."""
    ratios = [each.ratio(cascade_estimate, _DRAWS) for each in cases]
    mean = float(np.exp(np.log(np.maximum(ratios, 1e-6)).mean()))
    worst = Runs(min(ratios), max(ratios), len(ratios))  # a bar is for all of them
    work = f"cascade over nearest shares, random scenarios, {name}, worst"
    return Figure(work, "×", worst, _NOWHERE_WORSE, f"geometric mean {mean:.2f}")


def _places(sizes: Sizes) -> Iterator[PeopleMap]:
    if sizes.world is not None:
        yield _load_map(sizes.world)
    counts = Gowalla().load().counts
    assert counts is not None
    yield PeopleMap("US reconstruction", counts, US_GRID, np.zeros(counts.size, np.int64))
    for rows, columns in ((5, 7), (25, 35)):
        labels = grid_blocks(US_GRID, rows, columns).labels
        yield PeopleMap(f"US reconstruction, {rows} × {columns} blocks", counts, US_GRID, labels)


def _load_map(path: Path) -> PeopleMap:
    counts = np.load(path)["counts"].astype(np.int64)
    rows, columns = counts.shape
    cell = min(180 / rows, 360 / columns)  # neighbours are all that is asked of it
    grid = GridDomain(-90, -180, cell, rows, columns)
    inhabitants = _inhabitants(rows, columns)
    return PeopleMap(
        "the world", counts.ravel(), grid, np.zeros(counts.size, np.int64), inhabitants
    )


def _inhabitants(rows: int, columns: int) -> Floats:
    """(rows × columns,) inhabitants of the Earth, spread as in `datasets/base_map.py`."""
    towns = world_cities()
    at = np.array([((t.latitude + 90) / 180, (t.longitude + 180) / 360) for t in towns])
    row, column = (at * (rows, columns)).astype(np.int64).T
    middles = np.zeros((rows, columns))
    np.add.at(middles, (row, column), [town.population for town in towns])
    return np.asarray((0.4 * middles + 0.6 * gaussian_filter(middles, 1, mode="constant")).ravel())


def _inhabitants_estimators(place: PeopleMap) -> dict[str, PostProcess]:
    """The cascade that knows where people live, where that can be judged."""
    inhabitants = place.inhabitants
    return (
        {}
        if inhabitants is None
        else {_WITH_INHABITANTS: lambda evidence: cascade_with_prior(evidence, inhabitants)}
    )


def _estimators() -> dict[str, PostProcess]:
    """The estimators for any data; those for maps or an order alone are measured elsewhere."""
    entries = (e for e in ESTIMATORS.values() if not e.on_maps and not e.in_order)
    named = {entry.name: entry.apply for entry in entries if entry.name != "none"}
    peer = _pure_ldp()
    return named | {"Calibrate-like": calibrate} | ({"pure-ldp's": peer} if peer else {})


def _pure_ldp() -> PostProcess | None:
    """The projection that pure-ldp post-processes with; None without it."""
    try:
        from pure_ldp.core.prob_simplex import project_probability_simplex as project
    except ImportError:
        return None
    return lambda evidence: np.asarray(project(evidence.unbiased.copy()), np.float64)


def _compare(place: PeopleMap, epsilon: float, draws: int) -> Iterator[Figure]:
    mechanism = registry.in_context(Context.block_structured(place.labels, epsilon), "galois")
    truth, rng = place.people / place.people.sum(), np.random.default_rng(5)
    tallies = [mechanism.sample_tally(place.people, rng) for _ in range(draws)]
    evidences = [Evidence.of(mechanism, tally, domain=place.grid) for tally in tallies]
    for name, apply in (_estimators() | _inhabitants_estimators(place)).items():
        apply(replace(evidences[0]))  # tables that are made once
        estimates, times = [], []
        for evidence in evidences:
            alone = replace(evidence)  # nothing that an earlier estimator has worked out
            started = process_time()
            estimates.append(apply(alone))
            times.append(1000 * (process_time() - started))
        work = f"{place.name}, ε = {epsilon:g}, {name}"
        figure = _error(work, truth, estimates, place.grid)
        if name == _WITH_INHABITANTS:
            figure = replace(
                figure, note=f"{figure.note}, {_prior_shift_text(evidences, estimates)}"
            )
        yield replace(figure, bar=_BARS.get((place.name, epsilon)) if name == _OURS else None)
        limit = _TIME if name == _OURS and truth.size == US_GRID.k else None
        yield Figure.of(f"time: {work}", "ms", times, limit)


def _prior_shift_text(evidences: Sequence[Evidence], estimates: Sequence[Floats]) -> str:
    pairs = zip(evidences, estimates, strict=True)
    share = np.mean([50 * np.abs(prior_effect(each, shares)).sum() for each, shares in pairs])
    return f"moved by the prior: {share:.1f}"


def _error(work: str, truth: Floats, estimates: Sequence[Floats], grid: GridDomain) -> Figure:
    """People of 100 in the wrong cell; in the note, in wrong boxes and in the largest cells."""

    def mean(error: Callable[[Floats], float]) -> float:
        return float(np.mean([error(each - truth) for each in estimates]))

    largest = np.argsort(truth)[-_LARGEST:]
    cells = [float(50 * np.abs(each - truth).sum()) for each in estimates]
    boxes = 100 * float(np.mean([box_error(truth, each, grid, _SIDE) for each in estimates]))
    top = mean(lambda off: float(50 * np.abs(off[largest]).sum()))
    note = f"boxes of {_SIDE} × {_SIDE}: {boxes:.2f}, {_LARGEST} largest cells: {top:.2f}"
    return Figure(work, "%", Runs(min(cells), float(np.mean(cells)), len(cells)), note=note)
