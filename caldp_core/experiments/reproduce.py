"""The paper's results, recomputed beside the printed numbers: Table 1 and Figure 2 of CALDP §7.

Table 1 names neither ε nor the normalisation; ε = 1 and one Euclidean projection of the whole
vector on the simplex give it, on the reconstructed grid.

Scenarios run in turns, on one core or on all: all first runs, then all second ones. So a table or a
figure is whole after its first round and sharpens with each further one. Every run has the coins
that `run` gives it: means are the same to the digit. The command line takes processes, as threads
would gain a fifth only; the dashboard, which many visits share, takes turns.
"""

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from time import perf_counter
from typing import Any, Final, TypeAlias

import numpy as np

from caldp_core.basics.types import Progress, no_progress
from caldp_core.datasets import DatasetSpec, Geometric, PermutedGeometric, Uniform, Zipf
from caldp_core.experiments.forecast import forecast
from caldp_core.experiments.metrics import TV, find_measure
from caldp_core.experiments.run import Setup, prepare, run_trial
from caldp_core.mechanisms.catalogue import Hadamard
from caldp_core.scenarios.blocks import BlocksSpec, EvenRuns, GridBlocks, OneBlock
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario


@dataclass(frozen=True)
class TrialRun:
    """One run: its scenario's place `scenario_index`, its `error`, and wall `seconds`."""

    scenario_index: int
    error: float
    seconds: float


RunsScenarios: TypeAlias = Callable[..., Iterable[TrialRun]]
"""A way to make all runs of all scenarios: `run_interleaved`, or `run_in_processes`."""


def run_interleaved(
    scenarios: Sequence[Scenario],
    make: Callable[[Scenario], Setup] = prepare,
    progress: Progress = no_progress,
    error: str = TV,
) -> Iterator[TrialRun]:
    """All runs of all scenarios, each scenario with its own number of `trials` and `seed`.

    `make`: callers that keep setups pass their own. `error`: by its name in `MEASURES`. `progress`
    is called with the finished share and may raise `Cancelled`. Raises `CaldpError` as `prepare`
    and a run do.
    """
    roots = [np.random.SeedSequence(scenario.seed) for scenario in scenarios]
    setups: dict[int, Setup] = {}
    total, done = sum(scenario.trials for scenario in scenarios), 0

    def within(share: float) -> None:
        progress((done + share) / total)

    for trial in range(max((scenario.trials for scenario in scenarios), default=0)):
        for index, scenario in enumerate(scenarios):
            if trial >= scenario.trials:
                continue
            if index not in setups:
                setups[index] = make(scenario)
            (seeds,) = roots[index].spawn(1)
            turn = run_one(index, setups[index], seeds, within, error)
            done += 1
            progress(done / total)
            yield turn


def run_one(
    scenario_index: int,
    setup: Setup,
    seeds: np.random.SeedSequence,
    progress: Progress = no_progress,
    error: str = TV,
) -> TrialRun:
    """The run of a scenario's trial that has these `seeds`, with the named error of `MEASURES`."""
    started = perf_counter()
    estimate = run_trial(setup, seeds, progress).estimate
    domain = setup.dataset.domain
    off = find_measure(error, domain).of(setup.dataset.distribution, estimate, domain)
    return TrialRun(scenario_index, off, perf_counter() - started)


@dataclass(frozen=True)
class MeanError:
    """The mean `error` of `runs` runs; `standard_error` is None for fewer than two."""

    runs: int
    error: float
    standard_error: float | None


def complete_rounds(turns: Sequence[TrialRun], number: int) -> Sequence[TrialRun]:
    """The turns up to the last one that all `number` scenarios have had; all of the first round.

    A figure of these changes once a round.
    """
    return turns if len(turns) < number else turns[: len(turns) // number * number]


def means(turns: Sequence[TrialRun], number: int) -> list[MeanError | None]:
    """For each of `number` scenarios the mean of its turns; None for one that has had none."""
    runs: list[list[float]] = [[] for _ in range(number)]
    for turn in turns:
        runs[turn.scenario_index].append(turn.error)
    return [_mean(tv) for tv in runs]


def _mean(errors: Sequence[float]) -> MeanError | None:
    if not errors:
        return None
    spread = float(np.std(errors, ddof=1) / np.sqrt(len(errors))) if len(errors) > 1 else None
    return MeanError(len(errors), float(np.mean(errors)), spread)


_CHUNK: Final = 10
"""Runs that a process is given at a time: preparing a scenario costs about half a run."""
_RUNS_PER_PROCESS: Final = 40
"""Runs for each process: with fewer, starting it (half a second) costs more than it saves."""


def run_in_processes(
    scenarios: Sequence[Scenario], progress: Progress = no_progress
) -> list[TrialRun]:
    """All runs of all scenarios, in the order and with the coins of `run_interleaved`.

    `progress` is called with the finished share and may raise `Cancelled`. Raises `CaldpError` as
    `run_interleaved` does. Each process imports the main module anew, so a user's script
    calls this below `if __name__ == "__main__":`.
    """
    total = sum(scenario.trials for scenario in scenarios)
    workers = min(os.cpu_count() or 1, total // _RUNS_PER_PROCESS)
    if workers < 2:
        return list(run_interleaved(scenarios, progress=progress))
    for scenario in scenarios:
        prepare(scenario)  # refuses here, in one sentence, what every process would refuse
    done: dict[tuple[int, int], TrialRun] = {}
    # Started afresh: copying a process that has threads (BLAS) may deadlock.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        try:
            for chunk in as_completed(_handed_out(pool, scenarios)):
                done.update(chunk.result())
                progress(len(done) / total)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return [done[at] for at in sorted(done)]


_Chunk = dict[tuple[int, int], TrialRun]
"""Runs by their trial and their scenario's place."""


def _handed_out(pool: ProcessPoolExecutor, scenarios: Sequence[Scenario]) -> list["Future[_Chunk]"]:
    return [
        pool.submit(_chunk, index, scenario, range(first, min(first + _CHUNK, scenario.trials)))
        for index, scenario in enumerate(scenarios)
        for first in range(0, scenario.trials, _CHUNK)
    ]


def _chunk(index: int, scenario: Scenario, trials: range) -> _Chunk:
    setup = prepare(scenario)
    seeds = np.random.SeedSequence(scenario.seed).spawn(trials.stop)
    return {(trial, index): run_one(index, setup, seeds[trial]) for trial in trials}


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
