"""Mechanisms compared on known populations: as a table, and the results of the CALDP paper.

CALDP's Table 1 names neither ε nor the normalisation; ε = 1 and one Euclidean projection of the
whole vector on the simplex give it, on the reconstructed grid.

Scenarios run in turns, on one core or on all: all first runs, then all second ones. So a table or a
figure is whole after its first round and sharpens with each further one. Every run has the coins
that `run` gives it: means are the same to the digit. The command line takes processes, as threads
would gain a fifth only; the dashboard, which many visits share, takes turns.
"""

import multiprocessing
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from time import perf_counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.errors import (
    as_array,
    check_counts,
    check_epsilon,
    check_list,
    check_whole,
    quoted,
    require,
)
from caldp_core.basics.extras import explain_missing
from caldp_core.basics.limits import SEED_MAX, TRIALS_MAX
from caldp_core.basics.types import Floats, Ints, Progress, no_progress
from caldp_core.datasets import DatasetSpec, Geometric, PermutedGeometric, Uniform, Zipf
from caldp_core.domain.domains import Domain, GridDomain
from caldp_core.estimation.estimators import estimate
from caldp_core.estimation.evidence import USUAL, EstimatorName
from caldp_core.experiments.forecast import forecast
from caldp_core.experiments.metrics import TV, find_measure, total_variation
from caldp_core.experiments.run import Setup, prepare, run, run_trial
from caldp_core.experiments.table import place_columns
from caldp_core.mechanisms.base import Mechanism, Tally, check_mechanism
from caldp_core.mechanisms.catalogue import Hadamard, MechanismName, mechanism
from caldp_core.mechanisms.randomness import generators, seed_sequence
from caldp_core.privacy.context import Context, PrivacyMatrix
from caldp_core.scenarios.blocks import BlocksSpec, EvenRuns, GridBlocks, OneBlock
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class TrialRun:
    """One run: its scenario's place `scenario_index`, its `error`, and wall `seconds`."""

    scenario_index: int
    error: float
    seconds: float


Rows: TypeAlias = list[dict[str, Any]]
"""A table, row by row, each cell by the name of its column."""


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
    roots = [seed_sequence(scenario.seed) for scenario in scenarios]
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

    @classmethod
    def of(cls, errors: Sequence[float]) -> "MeanError":
        """The mean of one error or more."""
        spread = float(np.std(errors, ddof=1) / np.sqrt(len(errors))) if len(errors) > 1 else None
        return cls(len(errors), float(np.mean(errors)), spread)

    @property
    def columns(self) -> dict[str, object]:
        """The mean in a row of a table."""
        error = {"mean TV": self.error, "standard error": self.standard_error}
        return {**error, "runs": self.runs}


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
    return [MeanError.of(errors) if errors else None for errors in runs]


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
            handed_out = [
                pool.submit(_chunk, i, each, range(first, min(first + _CHUNK, each.trials)))
                for i, each in enumerate(scenarios)
                for first in range(0, each.trials, _CHUNK)
            ]
            for chunk in as_completed(handed_out):
                done.update(chunk.result())
                progress(len(done) / total)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return [done[at] for at in sorted(done)]


_Chunk = dict[tuple[int, int], TrialRun]
"""Runs by their trial and their scenario's place."""


def _chunk(index: int, scenario: Scenario, trials: range) -> _Chunk:
    setup = prepare(scenario)
    seeds = seed_sequence(scenario.seed).spawn(trials.stop)
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


def table_1(runs: int, base: Scenario = PAPER, progress: Progress = no_progress) -> Rows:
    """Table 1: TV under LDP and block-structured LDP, beside the printed numbers.

    `base`: dataset (such as SNAP's own file), ε, mechanism, estimator and seed. Raises `CaldpError`
    if they do not go with the columns' blocks.
    """
    scenarios = table_1_scenarios(runs, base)
    turns = run_in_processes(scenarios, progress)
    columns = zip(TABLE_1, scenarios, means(turns, len(scenarios)), strict=True)
    return [
        {
            "title": column.title,
            "mean": mean.error,
            "standard_error": mean.standard_error,
            "paper": column.paper,
            "expected": forecast(prepare(scenario)).error,
            "seconds": sum(turn.seconds for turn in turns if turn.scenario_index == index),
        }
        for index, (column, scenario, mean) in enumerate(columns)
        if mean
    ]


_K: Final = 1000


PANELS: Final[Mapping[str, DatasetSpec]] = {
    "Uniform": Uniform(_K),
    "Geo(0.8)": Geometric(_K),
    "Geo(0.8)*, shuffled": PermutedGeometric(_K),
    "Zipf(1)": Zipf(_K),
}
"""The panels of Figure 2: title → distribution on 1,000 values.

The λ of Geo and Zipf stand in the paper's picture alone: 0.8 and 1 are ours."""
LINES: Final[Mapping[str, BlocksSpec]] = {
    "LDP": OneBlock(),
    **{f"m = {m}": EvenRuns(m) for m in (10, 20, 50, 100)},
}
"""The curves of Figure 2: title as printed → blocks."""
SIZES: Final = tuple(1000 * 2**i for i in range(10))
"""Numbers of people of Figure 2."""
FIGURE_RUNS: Final = 10


@dataclass(frozen=True)
class Point:
    """A point of Figure 2: the titles of its panel and its curve, and what is run for it."""

    panel: str
    line: str
    scenario: Scenario


def figure_2_points(runs: int = FIGURE_RUNS, base: Scenario = PAPER) -> Iterator[Point]:
    """All points: panel after panel, curve after curve, from few people to many."""
    for panel, dataset in PANELS.items():
        for line, blocks in LINES.items():
            for n in SIZES:
                same = replace(base, dataset=dataset, n=n, trials=runs)
                yield Point(panel, line, same.with_context(blocks=blocks))


def figure_2_rows(points: Sequence[Point], found: Sequence[MeanError | None]) -> Rows:
    """A row for each point that was run: distribution, curve, people, and its mean."""
    return [
        {
            "distribution": point.panel,
            "curve": point.line,
            "people": point.scenario.n,
            **mean.columns,
        }
        for point, mean in zip(points, found, strict=True)
        if mean
    ]


def figure_2(runs: int, base: Scenario = PAPER, progress: Progress = no_progress) -> Rows:
    """Figure 2: TV by distribution, blocks and people; the paper prints no numbers for it."""
    points = list(figure_2_points(runs, base))
    turns = run_in_processes([point.scenario for point in points], progress)
    return figure_2_rows(points, means(turns, len(points)))


def figure_3(base: Scenario = PAPER, progress: Progress = no_progress) -> Rows:
    """Figure 3: the share of people in each cell, and its estimates under LDP and (25, 35).

    From one run each; Table 1 has the total variation of both.
    """
    scenarios = table_1_scenarios(1, base)[::2]
    results = [run(prepare(scenario), progress) for scenario in scenarios]
    dataset = results[0].setup.dataset
    columns = place_columns(dataset.domain) | {"people": dataset.distribution.tolist()}
    for column, result in zip(TABLE_1[::2], results, strict=True):
        columns[column.title] = result.first.estimate.tolist()
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


Makes: TypeAlias = Callable[[Any], Mechanism]
"""A policy → a mechanism that keeps it: `Galois(q=4).make`, a user's class, or a function."""
Metric: TypeAlias = Callable[[Floats, Floats], float]
"""(k,) true shares, (k,) estimated shares → error ≥ 0."""
TOTAL_VARIATION: Final[Mapping[str, Metric]] = MappingProxyType({"tv": total_variation})


def compare(
    mechanisms: Sequence[MechanismName] | Mapping[str, Makes | MechanismName],
    epsilons: Sequence[float],
    histogram: ArrayLike,
    trials: int = 100,
    *,
    policy: Callable[[float], PrivacyMatrix] | None = None,
    estimator: EstimatorName = USUAL,
    errors: Mapping[str, Metric] = TOTAL_VARIATION,
    seed: int = 1,
    domain: Domain | GridDomain | None = None,
    progress: Progress = no_progress,
) -> "DataFrame":
    """Mean errors of mechanisms at each ε: a tidy table, one row for each mechanism, ε and error.

    `mechanisms`: names of the catalogue, or by the name in the table such a name, or what makes a
    mechanism for a policy. `histogram`: (k,) people per symbol, the same people in each trial, so
    that the errors hold no sampling error. `trials`: runs for each row; each mechanism has the same
    coins.
    `policy`: ε → policy; None is plain LDP. `estimator`: its name. `errors`: by name, functions
    of (k,) true and (k,) estimated shares. `domain`: as in `estimate`. Columns: mechanism, epsilon,
    n (people), error (its name), mean, standard_error (NaN for one trial), trials. Nothing is
    audited here: `audit_mechanism` does that. Raises `CaldpError` for arguments out of range,
    and for what is not a mechanism.
    """
    with explain_missing("compare"):
        from pandas import DataFrame
    check_whole("trials", trials, 1, TRIALS_MAX)
    check_whole("seed", seed, 0, SEED_MAX)
    people = check_counts("histogram", histogram, as_array("histogram", histogram).size)
    n = int(people.sum())
    require(n > 0, "histogram must hold at least 1 person, got 0.")
    build = policy or partial(Context.plain, people.size)
    cases = [
        (name, epsilon, _checked(name, make(build(epsilon)), people.size))
        for name, make in _makers(mechanisms).items()
        for epsilon in (float(check_epsilon(each)) for each in check_list("epsilons", epsilons))
    ]
    rows = []
    for done, (name, epsilon, made) in enumerate(cases):
        estimates = (
            estimate(made, each, estimator, domain)
            for each in islice(_tallies(made, people, seed), trials)
        )
        found = [[metric(people / n, shares) for metric in errors.values()] for shares in estimates]
        for error, of_trials in zip(errors, zip(*found, strict=True), strict=True):
            mean = MeanError.of(of_trials)
            rows.append((name, epsilon, n, error, mean.error, mean.standard_error, trials))
        progress((done + 1) / len(cases))
    columns = ("mechanism", "epsilon", "n", "error", "mean", "standard_error", "trials")
    return DataFrame(rows, columns=columns).astype({"standard_error": float})


def _makers(
    mechanisms: Sequence[MechanismName] | Mapping[str, Makes | MechanismName],
) -> Mapping[str, Makes]:
    if isinstance(mechanisms, Mapping):
        return {title: _maker(title, make) for title, make in mechanisms.items()}
    return {each: partial(mechanism, name=each) for each in check_list("mechanisms", mechanisms)}


def _maker(title: str, make: Makes | MechanismName) -> Makes:
    if isinstance(make, str):
        return partial(mechanism, name=make)
    require(
        callable(make),
        f"mechanisms must hold names of the catalogue, or what makes a mechanism for a policy, got "
        f"{make!r} for {quoted(title)}.",
    )
    return make


def _checked(name: str, made: Mechanism, k: int) -> Mechanism:
    check_mechanism(f"The comparison takes mechanisms, and {quoted(name)} does not make one", made)
    require(
        made.k == k,
        f"{quoted(name)} makes a mechanism for {made.k:,} values, but histogram has {k:,}.",
    )
    return made


def _tallies(made: Mechanism, people: Ints, seed: int) -> Iterator[Tally]:
    """A tally for each trial, with the coins that `run` takes for it."""
    root = seed_sequence(seed)
    while True:
        (trial,) = root.spawn(1)
        _, coins = generators(trial, 2)
        yield made.sample_tally(people, coins)
