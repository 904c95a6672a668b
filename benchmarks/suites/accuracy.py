"""How near estimates come: all estimators on the same reports of maps.

Of 100 people those in the wrong cell, and what `estimated_error` says of that: on the world
(`CALDP_WORLD`), the shipped map, twelve regions with towns of GeoNames, and sixteen maps that are
hard: neighbours say little, or the wrong thing.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import ClassVar, Final

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
from caldp_core.estimation.public_prior import cascade_with_prior
from caldp_core.experiments.metrics import box_error
from caldp_core.mechanisms import catalogue
from caldp_core.privacy.context import Context
from tests.estimation.maps import HARD_GRID, TOWNS, hard_maps, region

NAMES: Final = ("simplex", "cascade", "mixture", "chosen")
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
    """The errors of one map in `side` × `side` blocks by each of `NAMES`, and an estimate of them.

    The estimate is of those of "chosen".
    """
    evidences = collections(grid, people, epsilon, (side, side), draws=_DRAWS)
    work, truth = f"{name}, {side**2} blocks, ε = {epsilon:g}: ", people / people.sum()
    for each_name in NAMES:
        errors = [np.abs(ESTIMATORS[each_name].apply(each) - truth).sum() / 2 for each in evidences]
        yield Figure(f"{work}{each_name}", "%", [100 * float(error) for error in errors])
    estimates = [estimated_error(each, chosen_estimate, chosen_fit) for each in evidences]
    ratios = [each.share / error for each, error in zip(estimates, errors, strict=True) if each]
    yield Figure(f"{work}estimated over true error of chosen", "", ratios)


US_BLOCKS: Final = {"US": (1, 1), "US, 5 × 7 blocks": (5, 7), "US, 25 × 35 blocks": (25, 35)}
WITH_INHABITANTS: Final = "cascade-inhabitants"
"""Not for the reconstruction, which was made from where people live."""
_NAMES: Final = [
    entry.name
    for entry in ESTIMATORS.values()
    if not entry.in_order and entry.name not in ("none", "cascade-map")
]
_SIDE: Final = 16


class Estimators:
    """All on the same reports of Galois response; people in 100 in the wrong cell.

    `CALDP_WORLD`: a map of the world, .npz with `counts`, rows × columns; skipped without it. The
    projection onto the simplex has 42 of 100 on the world at ε = 1.
    """

    params = (["the world", *US_BLOCKS], [0.5, 1.0, 2.0], _NAMES)
    param_names = ("map", "epsilon", "estimator")
    timeout, draws = 600, 3
    bars: ClassVar = {
        "track_wrong_cell": lambda *case: 27.0 if case == ("the world", 1.0, "cascade") else None,
        "time_estimate": lambda on, _, name: (
            0.03 if name == "cascade" and on != "the world" else None
        ),
    }

    def setup(self, on: str, epsilon: float, name: str) -> None:
        """Draw the reports; raises `NotImplementedError` without a map that may be used."""
        if on in US_BLOCKS:
            found = None if name == WITH_INHABITANTS else (US_GRID, us_people())
        else:
            file = os.environ.get("CALDP_WORLD")
            found = world_map(file) if file else None
        if found is None:
            raise NotImplementedError("No such map, or one from where people live.")
        self.grid, people = found
        self.apply, self.truth = ESTIMATORS[name].apply, people / people.sum()
        if name == WITH_INHABITANTS:  # a cell of the world is twice as wide as high
            self.apply = partial(cascade_with_prior, prior=world_inhabitants(self.grid.rows))
        blocks = US_BLOCKS.get(on, (1, 1))
        self.evidences = collections(self.grid, people, epsilon, blocks, draws=self.draws)

    def _estimate(self, evidence: Evidence) -> Floats:
        return self.apply(replace(evidence))  # without what an earlier estimator has worked out

    def _mean(self, error: Callable[[Floats], float]) -> float:
        return 100 * float(np.mean([error(self._estimate(each)) for each in self.evidences]))

    def time_estimate(self, *_: object) -> None:
        """One estimate."""
        self._estimate(self.evidences[0])

    def track_wrong_cell(self, *_: object) -> float:
        """People in 100 in the wrong cell."""
        return self._mean(lambda shares: 0.5 * float(np.abs(shares - self.truth).sum()))

    def track_wrong_box(self, *_: object) -> float:
        """People in 100 in the wrong box of 16 × 16 cells."""
        return self._mean(lambda shares: box_error(self.truth, shares, self.grid, _SIDE))
