"""The paper's results, recomputed beside the printed numbers: Table 1 and Figure 2 of CALDP §7.

Table 1 names neither ε nor the normalisation; ε = 1 and one Euclidean projection of the whole
vector on the simplex give it, on the reconstructed grid.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from caldp_core.basics.types import Progress, no_progress
from caldp_core.datasets import DatasetSpec, Geometric, PermutedGeometric, Uniform, Zipf
from caldp_core.experiments.forecast import forecast
from caldp_core.experiments.interleaved_runs import RunsScenarios, means, run_interleaved
from caldp_core.experiments.run import prepare
from caldp_core.mechanisms.specs import Hadamard
from caldp_core.scenarios.blocks import BlocksSpec, EvenRuns, GridBlocks, OneBlock
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario

PAPER: Final = Scenario(policy=ContextPolicy(OneBlock()), mechanism=Hadamard(), estimator="simplex")
"""Settings of the paper's experiments: ε = 1, Hadamard response, one simplex projection."""


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


def table_1_scenarios(runs: int, base: Scenario = PAPER) -> list[Scenario]:
    """One scenario a column: `base`, which names all else, with the column's blocks."""
    return [replace(base.with_context(blocks=c.blocks), trials=runs) for c in TABLE_1]


@dataclass(frozen=True)
class Recomputed:
    """A column recomputed: mean TV over the runs, its standard error, and the runs' seconds."""

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
    runs: int,
    seed: int = 1,
    base: Scenario = PAPER,
    progress: Progress = no_progress,
    run_all: RunsScenarios = run_interleaved,
) -> list[Recomputed]:
    """Table 1 from `runs` runs a column.

    `base`: dataset (such as SNAP's own file), ε, mechanism and estimator. `run_all`:
    `run_interleaved`, or `run_in_processes`. Raises `CaldpError` if they do not go with the
    columns' blocks.
    """
    scenarios = table_1_scenarios(runs, replace(base, seed=seed))
    turns = list(run_all(scenarios, progress=progress))
    done = []
    for index, mean in enumerate(means(turns, len(scenarios))):
        assert mean is not None  # every column has had its runs
        column = TABLE_1[index]
        expected = forecast(prepare(scenarios[index])).error
        seconds = sum(turn.seconds for turn in turns if turn.scenario_index == index)
        done.append(
            Recomputed(
                column.title, mean.error, mean.standard_error, column.paper, expected, seconds
            )
        )
    return done


_K: Final = 1000


@dataclass(frozen=True)
class Panel:
    """A panel of Figure 2: its title, and its distribution on 1,000 values."""

    title: str
    dataset: DatasetSpec


PANELS: Final = (
    Panel("Uniform", Uniform(_K)),
    Panel("Geo(0.8)", Geometric(_K)),
    Panel("Geo(0.8)*, shuffled", PermutedGeometric(_K)),
    Panel("Zipf(1)", Zipf(_K)),
)
"""The λ of Geo and Zipf stand in the paper's picture alone: 0.8 and 1 are ours."""


@dataclass(frozen=True)
class PaperCurve:
    """A curve of Figure 2: its title as printed, and its blocks."""

    title: str
    blocks: BlocksSpec


LINES: Final = (
    PaperCurve("LDP", OneBlock()),
    *(PaperCurve(f"m = {m}", EvenRuns(m)) for m in (10, 20, 50, 100)),
)
SIZES: Final = tuple(1000 * 2**i for i in range(10))
"""Numbers of people of Figure 2."""
FIGURE_RUNS: Final = 10


@dataclass(frozen=True)
class Point:
    """A point of Figure 2: the place of its panel and of its curve, and what is run for it."""

    panel: int
    line: int
    scenario: Scenario


def figure_2_points(runs: int = FIGURE_RUNS, base: Scenario = PAPER) -> Iterator[Point]:
    """All points: panel after panel, curve after curve, from few people to many."""
    for panel, distribution in enumerate(PANELS):
        for line, curve in enumerate(LINES):
            for n in SIZES:
                same = replace(base, dataset=distribution.dataset, n=n, trials=runs)
                yield Point(panel, line, same.with_context(blocks=curve.blocks))
