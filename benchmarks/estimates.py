"""People of 100 in the wrong cell by each estimator, and what `estimated_error` says of that.

On the world (`CALDP_WORLD`, as in `suites/accuracy.py`), the shipped map, twelve regions with towns
of GeoNames, and sixteen maps that are hard: neighbours say little, or the wrong thing.
"""

import os
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.figures import Figure
from caldp_core.basics.types import Floats, Ints, sums_by
from caldp_core.datasets import Gowalla
from caldp_core.datasets.base_map import world_cities
from caldp_core.domain.domains import US_GRID, GridDomain
from caldp_core.domain.partitions import grid_blocks
from caldp_core.estimation.estimators import ESTIMATORS, estimated_error, evidence_choice
from caldp_core.estimation.evidence import Evidence
from caldp_core.mechanisms import catalogue
from caldp_core.privacy.context import Context

NAMES: Final = ("simplex", "norm-sub", "cascade", "mixture", "chosen")
EPSILONS: Final = (0.5, 1.0, 2.0, 4.0)
BLOCKS: Final = (1, 8)
"""Rows and columns of blocks."""
PEOPLE, _DRAWS, _SEED = 1_000_000, 3, 5
TOWNS: Final = (
    *("Paris", "Tokyo", "São Paulo", "Lagos", "Mumbai", "Berlin"),
    *("Mexico City", "Cairo", "Jakarta", "Chicago", "Istanbul", "Sydney"),
)
_AROUND, _SIDE = 3.0, 96
"""Degrees from the middle of a region to its edges, and its rows and columns of cells."""
HARD_GRID: Final = GridDomain(0, 0, 0.01, 64, 64)


def maps() -> Iterator[tuple[str, GridDomain, Ints]]:
    """Name, grid and (k,) people of each map; the world only with `CALDP_WORLD`."""
    if "CALDP_WORLD" in os.environ:
        yield "the world", *world_map(os.environ["CALDP_WORLD"])
    yield "US", US_GRID, us_people()
    rng = np.random.default_rng(_SEED)
    for name in TOWNS:
        grid, weights = _region(name)
        yield f"around {name}", grid, rng.multinomial(PEOPLE, weights / weights.sum())
    for name, weights in hard_maps().items():
        yield name, HARD_GRID, rng.multinomial(PEOPLE, weights)


def world_map(file: str | Path) -> tuple[GridDomain, Ints]:
    """Grid and (k,) people of an .npz with `counts`, rows × columns of the Earth."""
    world: Ints = np.load(file)["counts"].astype(np.int64)
    rows, columns = world.shape  # only their neighbourhood matters
    return GridDomain(-90, -180, min(180 / rows, 360 / columns), rows, columns), world.ravel()


def us_people() -> Ints:
    """(43750,) check-ins of the shipped map, on `US_GRID`."""
    people = Gowalla().load().counts
    assert people is not None
    return people


def collections(
    grid: GridDomain,
    people: Ints,
    epsilon: float,
    blocks: tuple[int, int] = (1, 1),
    *,
    draws: int = 1,
    seed: int = _SEED,
) -> list[Evidence]:
    """What Galois response reports of these (k,) people in rows × columns of blocks, each draw."""
    labels, rng = grid_blocks(grid, *blocks).labels, np.random.default_rng(seed)
    mechanism = catalogue.in_context(Context.block_structured(labels, epsilon), "galois")
    tallies = [mechanism.sample_tally(people, rng) for _ in range(draws)]
    return [Evidence.of(mechanism, tally, domain=grid) for tally in tallies]


def hard_maps() -> dict[str, Floats]:
    """(k,) weights by name of the maps on `HARD_GRID`."""
    row, column = np.divmod(np.arange(HARD_GRID.k, dtype=np.float64), HARD_GRID.columns)
    far, rng = np.hypot(row - 32, column - 32), np.random.default_rng(_SEED)
    smooth = 3.0 * np.exp(-(far**2) / 320.0)
    weights: dict[str, NDArray[Any]] = {
        "even": np.ones(row.size),
        "a checkerboard": (row + column) % 2,
        "a checkerboard of 2 × 2": (row // 2 + column // 2) % 2,
        "stripes": row % 2,
        "a lattice of 4": (row % 4 == 0) & (column % 4 == 0),
        "a lattice of 8": (row % 8 == 0) & (column % 8 == 0),
        "lone cells": rng.random(row.size) < 0.02,
        "lognormal": np.exp(rng.normal(0.0, 2.0, row.size)),
        "spikes": 1.0 + 200.0 * (rng.random(row.size) < 0.005),
        "even with one spike": 1.0 + 1229.0 * (np.arange(row.size) == 9),
        "a gradient": column + 1.0,
        "a ring": np.exp(-((far - 16.0) ** 2) / 8.0),
        "a road": 0.1 + 20.0 * (np.abs(row - 0.6 * column - 5) < 1),
        "a hole": 1.0 - 0.98 * (far < 11),
        "half smooth, half random": np.where(column < 32, smooth, rng.gamma(0.3, size=row.size)),
        "towns": np.exp(rng.normal(0.0, 1.0, row.size) - far**2 / 640.0),
    }
    return {name: np.asarray(each / each.sum(), np.float64) for name, each in weights.items()}


def _region(name: str) -> tuple[GridDomain, Floats]:
    """The inhabitants of towns within some degrees of the largest town of that name."""
    towns = world_cities()
    middle = max((t for t in towns if t.name == name), key=lambda town: town.population)
    south, west = middle.latitude - _AROUND, middle.longitude - _AROUND
    grid = GridDomain(south, west, 2 * _AROUND / _SIDE, _SIDE, _SIDE)
    cells = grid.locate([town.latitude for town in towns], [town.longitude for town in towns])
    people = np.array([town.population for town in towns], np.float64)
    return grid, sums_by(cells[cells >= 0], people[cells >= 0], grid.k)


def figures(_visits: int) -> Iterator[Figure]:
    """For each map, number of blocks and ε: the errors of all estimators, and one's estimate."""
    for each, side, epsilon in product(maps(), BLOCKS, EPSILONS):
        yield from map_figures(*each, side, epsilon)


def map_figures(
    name: str, grid: GridDomain, people: Ints, side: int, epsilon: float
) -> Iterator[Figure]:
    """The figures of one map in `side` × `side` blocks."""
    evidences = collections(grid, people, epsilon, (side, side), draws=_DRAWS)
    work = f"{name}, {side**2} blocks, ε = {epsilon:g}: "
    return _errors(work, evidences, people / people.sum())


def _errors(work: str, evidences: list[Evidence], truth: Floats) -> Iterator[Figure]:
    """The errors by each of `NAMES`; "chosen" is the estimator that it stands for."""
    chosen = [evidence_choice(evidence) for evidence in evidences]
    ratios: list[float] = []
    for name in NAMES:
        errors: list[float] = []
        for evidence, other in zip(evidences, chosen, strict=True):
            entry = ESTIMATORS[other if name == "chosen" else name]
            errors.append(float(np.abs(entry.apply(evidence) - truth).sum()) / 2)
            if name != "chosen" or entry.law is None:
                continue
            estimated = estimated_error(evidence, entry.apply, entry.law)
            ratios += [estimated.share / errors[-1]] if estimated else []
        yield Figure(f"{work}{name}", "%", [100 * error for error in errors])
    yield Figure(f"{work}estimated over true error of chosen", "", ratios)
