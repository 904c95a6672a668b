"""People of 100 in the wrong cell by each estimator, and what `estimated_error` says of that.

On the world (`CALDP_WORLD`, as in `suites/accuracy.py`), the shipped map, twelve regions with towns
of GeoNames, and sixteen maps that are hard: neighbours say little, or the wrong thing.
"""

import os
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.figures import Figure
from caldp_core.basics.types import Floats, Ints
from caldp_core.datasets import Gowalla
from caldp_core.datasets.base_map import population_shares
from caldp_core.domain.domains import US_GRID, GridDomain
from caldp_core.domain.partitions import grid_blocks
from caldp_core.estimation.estimators import ESTIMATORS, estimated_error
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.mixture import chosen_estimate, chosen_fit
from caldp_core.mechanisms import catalogue
from caldp_core.privacy.context import Context
from tests.estimation.maps import HARD_GRID, TOWNS, hard_maps, region

NAMES: Final = ("simplex", "norm-sub", "cascade", "mixture", "chosen")
EPSILONS: Final = (0.5, 1.0, 2.0, 4.0)
BLOCKS: Final = (1, 8)
"""Rows and columns of blocks."""
PEOPLE, _DRAWS, _SEED = 1_000_000, 3, 5


def maps() -> Iterator[tuple[str, GridDomain, Ints]]:
    """Name, grid and (k,) people of each map; the world only with `CALDP_WORLD`."""
    if "CALDP_WORLD" in os.environ:
        yield "the world", *world_map(os.environ["CALDP_WORLD"])
    yield "US", US_GRID, us_people()
    rng = np.random.default_rng(_SEED)
    for name in TOWNS:
        grid, weights = region(name)
        yield f"around {name}", grid, rng.multinomial(PEOPLE, weights / weights.sum())
    for name, weights in hard_maps(_SEED).items():
        yield name, HARD_GRID, rng.multinomial(PEOPLE, weights)


def world_map(file: str | Path) -> tuple[GridDomain, Ints]:
    """Grid and (k,) people of an .npz with `counts`, rows × columns of the Earth."""
    world: Ints = np.load(file)["counts"].astype(np.int64)
    rows, columns = world.shape  # only their neighbourhood matters
    return GridDomain(-90, -180, min(180 / rows, 360 / columns), rows, columns), world.ravel()


def world_inhabitants(rows: int) -> Floats:
    """(rows²,) shares of people by where they live, on as many rows as columns of the Earth."""
    halves = population_shares(GridDomain(-90, -180, 180 / rows, rows, 2 * rows))
    return np.asarray(halves.reshape(-1, 2).sum(axis=1))


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
    """The errors by each of `NAMES`, and what is estimated of those of "chosen"."""
    for name in NAMES:
        errors = [np.abs(ESTIMATORS[name].apply(each) - truth).sum() / 2 for each in evidences]
        yield Figure(f"{work}{name}", "%", [100 * float(error) for error in errors])
    estimates = [estimated_error(each, chosen_estimate, chosen_fit) for each in evidences]
    ratios = [each.share / error for each, error in zip(estimates, errors, strict=True) if each]
    yield Figure(f"{work}estimated over true error of chosen", "", ratios)
