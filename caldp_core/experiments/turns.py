"""Several scenarios run in turns: all first runs, then all second ones, and so on.

So a table or a figure is whole after its first round and sharpens with each further one. Every run
has the coins that `run` gives it: means are the same to the digit.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

import numpy as np

from caldp_core.basics.types import Progress, no_progress
from caldp_core.experiments.run import Setup, prepare, run_trial
from caldp_core.scenarios.scenario import Scenario


@dataclass(frozen=True)
class Turn:
    """One run: `which` of the scenarios, by its place; its `tv`; wall `seconds`."""

    which: int
    tv: float
    seconds: float


class TakesTurns(Protocol):
    """A way to make all runs of all scenarios: `in_turns`, or `in_processes`."""

    def __call__(
        self, scenarios: Sequence[Scenario], *, progress: Progress = no_progress
    ) -> Iterable[Turn]:
        """All runs, each scenario with its own number of `trials` and `seed`."""


def in_turns(
    scenarios: Sequence[Scenario],
    make: Callable[[Scenario], Setup] = prepare,
    progress: Progress = no_progress,
) -> Iterator[Turn]:
    """All runs of all scenarios, each scenario with its own number of `trials` and `seed`.

    `make` lets callers that keep setups hand theirs over. `progress` is told the finished share
    and may raise `Cancelled`. Raises `CaldpError` as `prepare` and a run do.
    """
    roots = [np.random.SeedSequence(scenario.seed) for scenario in scenarios]
    setups: dict[int, Setup] = {}
    total, done = sum(scenario.trials for scenario in scenarios), 0

    def within(share: float) -> None:
        progress((done + share) / total)

    for trial in range(max((scenario.trials for scenario in scenarios), default=0)):
        for which, scenario in enumerate(scenarios):
            if trial >= scenario.trials:
                continue
            if which not in setups:
                setups[which] = make(scenario)
            (seeds,) = roots[which].spawn(1)
            turn = one_turn(which, setups[which], seeds, within)
            done += 1
            progress(done / total)
            yield turn


def one_turn(
    which: int, setup: Setup, seeds: np.random.SeedSequence, progress: Progress = no_progress
) -> Turn:
    """The run of a scenario's trial that has these `seeds`."""
    started = perf_counter()
    tv = run_trial(setup, seeds, progress).errors.tv
    return Turn(which, tv, perf_counter() - started)


@dataclass(frozen=True)
class Mean:
    """The mean TV of `runs` runs; `standard_error` is None for fewer than two."""

    runs: int
    tv: float
    standard_error: float | None


def whole_rounds(turns: Sequence[Turn], number: int) -> Sequence[Turn]:
    """The turns up to the last one that all `number` scenarios have had; all of the first round.

    What is drawn from these changes once a round.
    """
    return turns if len(turns) < number else turns[: len(turns) // number * number]


def means(turns: Sequence[Turn], number: int) -> list[Mean | None]:
    """For each of `number` scenarios the mean of its turns; None for one that has had none."""
    runs: list[list[float]] = [[] for _ in range(number)]
    for turn in turns:
        runs[turn.which].append(turn.tv)
    return [_mean(tv) for tv in runs]


def _mean(tv: Sequence[float]) -> Mean | None:
    if not tv:
        return None
    spread = float(np.std(tv, ddof=1) / np.sqrt(len(tv))) if len(tv) > 1 else None
    return Mean(len(tv), float(np.mean(tv)), spread)
