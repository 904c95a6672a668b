"""Print how often ranges hold, by the true size of cells, for docs/estimators.md.

    python -m scripts.measure_ranges [--world MAP.npz]

`MAP.npz`: `counts` of rows × columns. Galois response, plain LDP, the cascade. Size is in standard
deviations σ of a cell's noise; the brightest 50 cells are those with the highest shown shares.
"""

import argparse
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np

from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.datasets import Gowalla
from caldp_core.domain.grid import US_GRID, GridDomain
from caldp_core.estimation.cascade_estimator import cascade_estimate
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.intervals import intervals, ranges
from caldp_core.mechanisms import catalogue
from caldp_core.privacy.context import Context

EPSILONS: Final = (0.5, 1.0, 2.0, 4.0)
BRIGHTEST: Final = 50
_DRAWS: Final = 12
_SEED: Final = 7
_EDGES: Final = (0.0, 1.0, 2.0, 4.0, np.inf)
GROUPS: Final = ("0", "below 1 σ", "1 to 2 σ", "2 to 4 σ", "above 4 σ", "brightest 50", "plain")
"""The last: the brightest 50 by `intervals`, which know of no selection."""


def made_up_maps() -> Iterator[tuple[str, GridDomain, Floats]]:
    """Name, grid and (k,) shares of maps on which neighbours say little about each other."""
    rng, grid = np.random.default_rng(_SEED), GridDomain(0, 0, 0.01, 96, 96)
    row, column = np.divmod(np.arange(grid.k), grid.columns)
    lone = np.zeros(grid.k)
    lone[rng.choice(grid.k, 300, replace=False)] = 1.0
    yield "300 lone cells", grid, lone / lone.sum()
    yield "a lattice of 8", grid, _shares((row % 8 == 0) & (column % 8 == 0))
    yield "a checkerboard", grid, _shares((row + column) % 2 == 0)
    yield "lognormal", grid, _shares(np.exp(rng.normal(0.0, 2.0, grid.k)))


def _shares(weights: Floats | Bools) -> Floats:
    return np.asarray(weights / weights.sum(), np.float64)


def coverage(grid: GridDomain, people: Ints, epsilon: float, draws: int, seed: int) -> Floats:
    """(7,) shares of ranges that hold in each of `GROUPS`; NaN where there are fewer than 200.

    `people`: (k,) of the map; each draw draws only the reports.
    """
    mechanism = catalogue.in_context(Context.plain(grid.k, epsilon), "galois")
    truth, rng = people / people.sum(), np.random.default_rng(seed)
    hits, cells = np.zeros(len(GROUPS)), np.zeros(len(GROUPS))
    for _ in range(draws):
        evidence = Evidence.of(mechanism, mechanism.sample_tally(people, rng), domain=grid)
        shares = cascade_estimate(evidence)
        ours, plain = ranges(evidence, shares), intervals(evidence).around(shares)
        sizes = truth / evidence.deviation
        groups = [truth == 0]
        groups += [(truth > 0) & (low <= sizes) & (sizes < high) for low, high in pairwise(_EDGES)]
        bright = np.zeros(grid.k, np.bool_)
        bright[np.argsort(-shares)[:BRIGHTEST]] = True
        for place, group in enumerate([*groups, bright, bright]):
            ends = plain if place == len(GROUPS) - 1 else ours
            hits[place] += ((ends.low <= truth) & (truth <= ends.high))[group].sum()
            cells[place] += group.sum()
    return np.asarray(np.divide(hits, cells, out=np.full(hits.size, np.nan), where=cells >= 200))


def _maps(world: Path | None) -> Iterator[tuple[str, GridDomain, Ints]]:
    if world is not None:
        counts = np.load(world)["counts"].astype(np.int64)
        rows, columns = counts.shape
        grid = GridDomain(-90, -180, min(180 / rows, 360 / columns), rows, columns)
        yield "the world", grid, counts.ravel()
    us = Gowalla().load().counts
    assert us is not None
    rng = np.random.default_rng(_SEED)
    for name, grid, shares in (("US", US_GRID, us / us.sum()), *made_up_maps()):
        for n in (1_000, 1_000_000) if name != "US" else (1_000, 30_000):
            yield f"{name}, {n:,} people", grid, rng.multinomial(n, shares)
    yield "US", US_GRID, us


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--world", type=Path)
    print("| map | ε |", " | ".join(GROUPS), "|")
    print("|---|---|" + "---|" * len(GROUPS))
    for name, grid, people in _maps(parser.parse_args().world):
        for epsilon in EPSILONS:
            held = coverage(grid, people, epsilon, _DRAWS, _SEED)
            cells = ["" if np.isnan(each) else f"{100 * each:.1f}" for each in held]
            print(f"| {name} | {epsilon:g} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
