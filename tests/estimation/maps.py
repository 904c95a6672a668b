"""Maps that estimators are tried on: regions with towns of GeoNames, and maps that are hard."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.types import Floats, sums_by
from caldp_core.datasets.base_map import world_cities
from caldp_core.domain.domains import GridDomain
from caldp_core.estimation.cascade_estimator import pooling_helps
from caldp_core.estimation.estimators import ESTIMATORS
from scripts.estimator_figures import write_table
from tests.estimation.optimisers import random_case

TOWNS: Final = (
    *("Paris", "Tokyo", "São Paulo", "Lagos", "Mumbai", "Berlin"),
    *("Mexico City", "Cairo", "Jakarta", "Chicago", "Istanbul", "Sydney"),
)
_AROUND, _SIDE = 3.0, 96
"""Degrees from the middle of a region to its edges, and its rows and columns of cells."""
HARD_GRID: Final = GridDomain(0, 0, 0.01, 64, 64)


def hard_maps(seed: int) -> dict[str, Floats]:
    """(k,) weights by name of the maps on `HARD_GRID`."""
    row, column = np.divmod(np.arange(HARD_GRID.k, dtype=np.float64), HARD_GRID.columns)
    far, rng = np.hypot(row - 32, column - 32), np.random.default_rng(seed)
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


def region(name: str) -> tuple[GridDomain, Floats]:
    """The inhabitants of towns within some degrees of the largest town of that name."""
    towns = world_cities()
    middle = max((t for t in towns if t.name == name), key=lambda town: town.population)
    south, west = middle.latitude - _AROUND, middle.longitude - _AROUND
    grid = GridDomain(south, west, 2 * _AROUND / _SIDE, _SIDE, _SIDE)
    cells = grid.locate([town.latitude for town in towns], [town.longitude for town in towns])
    people = np.array([town.population for town in towns], np.float64)
    return grid, sums_by(cells[cells >= 0], people[cells >= 0], grid.k)


SEEDS: Final = range(10_000, 11_000)
DRAWS: Final = 10
LIMIT: Final = 1.01
_NAMES: Final = ("simplex-per-block", "cascade", "mixture", "chosen")
_NOTHING: Final = 1e-9
"""An error that is rounding."""


@dataclass(frozen=True)
class Quotient:
    """Mean error of "chosen" over the least mean error of the three, and its standard error.

    `to_cascade`: over the cascade's. `k`, `n`: symbols and people.
    """

    value: float
    error: float
    to_cascade: float
    on_map: bool
    k: int
    n: int

    @classmethod
    def of(cls, seed: int, draws: int = DRAWS) -> "Quotient | None":
        """The scenario's; None where all are the nearest shares, or without error."""
        case = random_case(seed)
        drawn = [case.evidence(draw) for draw in range(draws)]
        if not pooling_helps(drawn[0][1].mechanism):
            return None
        errors = np.array(
            [
                [np.abs(ESTIMATORS[name].apply(evidence) - truth).sum() for name in _NAMES]
                for truth, evidence in drawn
            ]
        )
        mean = errors.mean(axis=0)
        best = int(mean[:3].argmin())
        if mean[best] < _NOTHING:
            return None
        value = float(mean[3] / mean[best])
        spread = (errors[:, 3] - value * errors[:, best]).std(ddof=1) / np.sqrt(draws)
        on_map = isinstance(case.domain, GridDomain)
        to_cascade = float(mean[3] / mean[1])
        return cls(value, float(spread / mean[best]), to_cascade, on_map, case.p.size, case.n)


def row(title: str, quotients: Sequence[Quotient]) -> str:
    """One line of the table."""
    value = np.array([each.value for each in quotients])
    least = value - 2.0 * np.array([each.error for each in quotients])
    held, perhaps, nearly = (value <= LIMIT).sum(), (least <= LIMIT).sum(), (value <= 1.05).sum()
    numbers = [value.size, held, perhaps, nearly, f"{_mean(value):.3f}", f"{value.max():.2f}"]
    numbers.append(f"{_mean(np.array([each.to_cascade for each in quotients])):.3f}")
    return f"| {title} | {' | '.join(map(str, numbers))} |"


def _mean(values: Floats) -> float:
    """The geometric mean."""
    return float(np.exp(np.log(values).mean()))


def main() -> None:
    """Write the table."""
    with ProcessPoolExecutor(2) as pool:
        found = [each for each in pool.map(Quotient.of, SEEDS, chunksize=10) if each]
    maps = [each for each in found if each.on_map]
    head = "| scenarios | number | ≤ 1.01 | perhaps | ≤ 1.05 | mean | worst | mean to the cascade |"
    groups = {
        "maps": maps,
        "below 250 cells": [each for each in maps if each.k < 250],
        "250 cells and more": [each for each in maps if each.k >= 250],
        "below 1,000 people": [each for each in maps if each.n < 1_000],
        "1,000 people and more": [each for each in maps if each.n >= 1_000],
        "10,000 people and more": [each for each in maps if each.n >= 10_000],
        "without a map": [each for each in found if not each.on_map],
    }
    write_table([head, "|" + "---|" * 8, *(row(*each) for each in groups.items())])


if __name__ == "__main__":
    main()
