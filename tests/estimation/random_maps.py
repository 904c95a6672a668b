"""How often "chosen" is as near as the best of nearest shares, cascade and mixture.

    python -m tests.estimation.random_maps

writes that into benchmarks/estimators.md: scenarios of 1,000 seeds, of which only the least number
of people per symbol was learned, ten draws each. Without a map "chosen" is the cascade, and with
few symbols all are the nearest shares.
"""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.types import Floats
from caldp_core.domain.domains import GridDomain
from caldp_core.estimation.cascade_estimator import pooling_helps
from caldp_core.estimation.estimators import ESTIMATORS
from scripts.estimator_figures import write_table
from tests.estimation.optimisers import random_case

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
