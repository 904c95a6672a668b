"""Runs in turns have the coins and the means of `run`, and come round by round."""

import os
from dataclasses import replace

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import Uniform, Zipf
from caldp_core.experiments import reproduce
from caldp_core.experiments.reproduce import (
    LINES,
    PANELS,
    PAPER,
    SIZES,
    TABLE_1,
    TrialRun,
    complete_rounds,
    figure_2_points,
    means,
    run_interleaved,
    table_1_scenarios,
)
from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.blocks import EvenRuns, OneBlock
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from tests.contract.checks import check_progress

PLAIN = Scenario(Zipf(40), ContextPolicy(OneBlock()), n=500, trials=3, seed=5)
BLOCKS = replace(PLAIN, policy=ContextPolicy(EvenRuns(4)), trials=2, seed=6)
TWO = [PLAIN, BLOCKS]


def test_every_run_is_that_of_the_scenario_by_itself() -> None:
    turns = list(run_interleaved(TWO))
    assert [turn.scenario_index for turn in turns] == [0, 1, 0, 1, 0]
    for which, scenario in enumerate(TWO):
        alone = [errors.tv for errors in run(prepare(scenario)).errors]
        assert [turn.error for turn in turns if turn.scenario_index == which] == alone
    other = [turn.error for turn in run_interleaved([replace(PLAIN, seed=7)])]
    assert other != [turn.error for turn in turns if turn.scenario_index == 0]


def test_means_and_their_errors() -> None:
    turns = [TrialRun(0, 0.1, 0.0), TrialRun(2, 0.5, 0.0), TrialRun(0, 0.3, 0.0)]
    first, none, single = means(turns, 3)
    assert first is not None
    assert single is not None
    assert first.runs == 2
    assert first.error == pytest.approx(0.2)
    assert first.standard_error == pytest.approx(np.std([0.1, 0.3], ddof=1) / np.sqrt(2))
    assert none is None
    assert single.standard_error is None


def test_only_whole_rounds_are_drawn_after_the_first() -> None:
    turns = list(run_interleaved([replace(PLAIN, trials=2), replace(BLOCKS, trials=2)]))
    assert [len(complete_rounds(turns[:upto], 2)) for upto in range(5)] == [0, 1, 2, 2, 4]


def test_progress_is_told_and_can_stop_it() -> None:
    shares = check_progress(lambda progress: list(run_interleaved(TWO, progress=progress)))
    assert shares[-1] == 1.0
    assert len(list(run_interleaved(TWO))) == 5
    assert list(run_interleaved([])) == []


def test_the_columns_of_table_1_keep_all_but_the_blocks() -> None:
    base = replace(PAPER, estimator="clip", seed=9).with_context(epsilon=2.0)
    scenarios = table_1_scenarios(4, base)
    assert [s.context.blocks for s in scenarios] == [column.blocks for column in TABLE_1]
    for scenario in scenarios:
        assert scenario.with_context(blocks=OneBlock()) == replace(base, trials=4)


def test_figure_2_has_every_point_once() -> None:
    points = list(figure_2_points(10, PAPER))
    assert len({(p.panel, p.line, p.scenario.n) for p in points}) == len(points) == 200
    for point in points:
        assert point.scenario.dataset == PANELS[point.panel].dataset
        assert point.scenario.context.blocks == LINES[point.line].blocks
        assert (point.scenario.trials, point.scenario.mechanism) == (10, PAPER.mechanism)
    assert {p.scenario.n for p in points} == set(SIZES) == {1000 * 2**i for i in range(10)}
    assert PANELS[0].dataset == Uniform(1000)


def test_processes_have_the_same_turns_in_the_same_order(monkeypatch: pytest.MonkeyPatch) -> None:
    scenarios = [replace(PLAIN, trials=23), replace(BLOCKS, trials=12)]  # chunks of 10
    shares: list[float] = []
    monkeypatch.setattr(reproduce, "_RUNS_PER_PROCESS", 5)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    spread = reproduce.run_in_processes(scenarios, shares.append)
    assert [(t.scenario_index, t.error) for t in spread] == [
        (t.scenario_index, t.error) for t in run_interleaved(scenarios)
    ]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert len(shares) == 5


def test_what_processes_cannot_run_is_refused_before_any_is_started() -> None:
    with pytest.raises(CaldpError, match="give n"):
        reproduce.run_in_processes([replace(PLAIN, n=None, trials=100)])
