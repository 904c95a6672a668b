"""The runs of `run_interleaved` spread over the machine's cores, so that they end sooner.

Threads would gain a fifth only, as much of a run is Python's own work. So the command line takes
processes; the dashboard, which many visits share, takes turns.
"""

import multiprocessing
import os
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from typing import Final

import numpy as np

from caldp_core.basics.types import Progress, no_progress
from caldp_core.experiments.interleaved_runs import TrialRun, run_interleaved, run_one
from caldp_core.experiments.run import prepare
from caldp_core.scenarios.scenario import Scenario

_CHUNK: Final = 10
"""Runs that a process is given at a time: preparing a scenario costs about half a run."""
_RUNS_PER_PROCESS: Final = 40
"""Runs for each process: with fewer, starting it (half a second) costs more than it saves."""


def run_in_processes(
    scenarios: Sequence[Scenario], progress: Progress = no_progress
) -> list[TrialRun]:
    """All runs of all scenarios, in the order and with the coins of `run_interleaved`.

    `progress` is called with the finished share and may raise `Cancelled`. Raises `CaldpError` as
    `run_interleaved` does. Each process imports the main module anew, so a script of one's own
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
