"""The paper's results, recomputed beside the printed numbers.

Room: experiments. Table 1 of CALDP names neither ε nor the normalisation; ε = 1 and one Euclidean
projection of the whole vector on the simplex give it, on the reconstructed grid.
"""

from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any, Final

import numpy as np

from caldp_core.basics.types import Progress, no_progress
from caldp_core.experiments.forecast import forecast
from caldp_core.experiments.run import prepare, run
from caldp_core.mechanisms.specs import Hadamard
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.protection import BlocksSpec, GridBlocks, OneBlock
from caldp_core.scenarios.scenario import Scenario


@dataclass(frozen=True)
class Column:
    """A column of Table 1: its title as printed, its blocks and the printed TV."""

    title: str
    blocks: BlocksSpec
    paper: float


TABLE_1: Final = (
    Column("LDP", OneBlock(), 0.591),
    Column("(5, 7)", GridBlocks(5, 7), 0.298),
    Column("(25, 35)", GridBlocks(25, 35), 0.108),
    Column("(25, 70)", GridBlocks(25, 70), 0.082),
)


@dataclass(frozen=True)
class Recomputed:
    """A column recomputed: mean TV over the runs, its standard error, and the wall time."""

    title: str
    mean: float
    standard_error: float | None
    paper: float
    expected: float
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


def table_1(
    runs: int, seed: int = 1, base: Scenario | None = None, progress: Progress = no_progress
) -> list[Recomputed]:
    """Table 1 from `runs` runs a column; `base` may name another dataset (SNAP's own file)."""
    done = []
    for number, column in enumerate(TABLE_1):
        scenario = Scenario(
            dataset=(base or Scenario()).dataset,
            policy=ContextPolicy(column.blocks),
            mechanism=Hadamard(),
            trials=runs,
            seed=seed,
        )

        def share(part: float, number: int = number) -> None:
            progress((number + part) / len(TABLE_1))

        started = perf_counter()
        result = run(prepare(scenario), share)
        tv = np.array([errors.tv for errors in result.errors])
        spread = float(tv.std(ddof=1) / np.sqrt(runs)) if runs > 1 else None
        seconds = perf_counter() - started
        done.append(
            Recomputed(
                column.title,
                float(tv.mean()),
                spread,
                column.paper,
                forecast(result.setup).tv,
                seconds,
            )
        )
    return done
