"""Runs: what follows from the seed, what stays the same, runs in turns, the files of examples/."""

import csv
import io
import json
import math
import os
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
import pytest
from click.testing import CliRunner

from caldp_core.audit.mechanisms import audit_mechanism
from caldp_core.basics.errors import CaldpError, Cancelled
from caldp_core.basics.types import Progress
from caldp_core.cli.commands import main
from caldp_core.datasets import Dataset, Uniform, Zipf, from_counts
from caldp_core.domain.domains import Domain
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.experiments import reproduce
from caldp_core.experiments.forecast import (
    block_curve,
    epsilon_curve,
    forecast,
    forecast_if_fast,
    is_slow,
    people_curve,
    people_for_same_error,
    sensitive_curve,
)
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
from caldp_core.experiments.run import Result, prepare, run
from caldp_core.mechanisms import FAMILIES
from caldp_core.mechanisms.capabilities import channel_products
from caldp_core.mechanisms.catalogue import MECHANISMS, LocalHashing, Oue, RandomizedResponse
from caldp_core.mechanisms.randomness import generators, seed_sequence
from caldp_core.scenarios.blocks import EvenRuns, GridBlocks, OneBlock, SensitiveSymbols
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import SLOTS, Scenario
from caldp_core.theory.expected_error import Budget
from tests import ROOT
from tests.contract.checks import check_progress
from tests.strategies import thinned

SMALL = Scenario(
    policy=ContextPolicy(blocks=EvenRuns(5), sensitive=SensitiveSymbols(("0-149",))),
    dataset=Zipf(200),
    estimator="simplex-per-block",
    mechanism=Oue(),
    n=20_000,
    trials=4,
    seed=3,
)
"""By an estimator of which forecasts take no time; `test_what_comes_out` has the others."""
QUICK = Budget.quick(200)
"""Of trials, for what does not depend on how well the mean is known."""


def result_of(scenario: Scenario) -> Result:
    return run(prepare(scenario))


def people_of_their_own(scenario: Scenario, progress: Progress) -> Dataset:
    """A dataset with counts: 3 people of symbol 0, 4 of symbol 1, …"""
    return from_counts("Counted", "Made up.", Domain(200), np.arange(3, 203))


def test_one_seed_gives_one_result() -> None:
    first, again, other = (result_of(replace(SMALL, seed=seed)) for seed in (3, 3, 4))
    assert first.errors == again.errors
    np.testing.assert_array_equal(first.first.estimate, again.first.estimate)
    assert first.errors != other.errors
    one, same, another = (forecast(r.setup, budget=QUICK) for r in (first, again, other))
    assert one == same == another  # an expectation is no outcome


def test_trials_differ_and_do_not_depend_on_their_number() -> None:
    four, two = result_of(SMALL), result_of(replace(SMALL, trials=2))
    assert len({errors.tv for errors in four.errors}) == 4
    assert four.errors[:2] == two.errors
    np.testing.assert_array_equal(four.first.people, two.first.people)


def test_people_and_coins_have_seeds_of_their_own() -> None:
    # Were people and coins drawn from one stream, they would not be independent.
    setup = prepare(SMALL)
    (trial,) = seed_sequence(SMALL.seed).spawn(1)
    who, coins = generators(trial, 2)
    people = who.multinomial(20_000, setup.dataset.distribution)
    tally = setup.mechanism.sample_tally(people, coins)
    first = run(setup).first
    np.testing.assert_array_equal(first.people, people)
    np.testing.assert_array_equal(first.unbiased, setup.mechanism.estimate(tally))


def test_twins_face_the_same_people() -> None:
    plain = result_of(SMALL.plain())
    assert plain.setup.partition.m == 1
    assert plain.setup.sensitive.all()
    changed = (SMALL.with_context(epsilon=2.0), replace(SMALL, mechanism=RandomizedResponse()))
    for twin in (plain, *map(result_of, changed)):
        np.testing.assert_array_equal(twin.first.people, result_of(SMALL).first.people)
        assert [e.sampling_tv for e in twin.errors] == [
            e.sampling_tv for e in result_of(SMALL).errors
        ]


def test_without_n_it_is_the_people_of_the_data() -> None:
    own = prepare(replace(SMALL, n=None), load=people_of_their_own)
    assert own.n == np.arange(3, 203).sum()
    result = run(own)
    np.testing.assert_array_equal(result.first.people, np.arange(3, 203))
    assert all(errors.sampling_tv == 0 for errors in result.errors)
    assert len({errors.tv for errors in result.errors}) == SMALL.trials
    drawn = run(prepare(SMALL, load=people_of_their_own))
    assert drawn.first.people.sum() == SMALL.n
    assert all(errors.sampling_tv > 0 for errors in drawn.errors)
    # Drawing people adds their own error, so that the same number drawn is expected to be worse.
    assert own.scenario.n is None
    assert forecast(own, own.n).error > forecast(result.setup).error


@pytest.mark.parametrize(
    ("family", "estimator"),
    thinned(FAMILIES, [e.name for e in ESTIMATORS.values() if not e.needs_map], one_in=4),
)
def test_what_comes_out(family: str, estimator: str) -> None:
    scenario = replace(SMALL, estimator=estimator, mechanism=FAMILIES[family].spec())
    if estimator == "smoothed" and channel_products(prepare(scenario).mechanism) is None:
        with pytest.raises(CaldpError, match="count each possible report"):
            result_of(scenario)
        return
    result = result_of(scenario)
    outcome, partition = result.first, result.setup.partition
    for array in (outcome.people, outcome.unbiased, outcome.estimate, outcome.block_shares):
        assert not array.flags.writeable
    np.testing.assert_allclose(outcome.block_shares, partition.sums(outcome.people / 20_000.0))
    if estimator != "none":
        assert outcome.estimate.min() >= 0
        assert outcome.estimate.sum() == pytest.approx(1)
    for errors in result.errors:
        assert (errors.l1, errors.earth_movers_km) == (2 * errors.tv, None)


def test_protection_by_context_is_more_accurate() -> None:
    # 20 times the same people: with five blocks and a sensitive set the error is far below that
    # of the plain twin. One run spreads by 5 to 7 %, the mean of 20 by 1.5 %: 8 % is five of them.
    expected = []
    for scenario in (SMALL, SMALL.plain()):
        result = result_of(replace(scenario, trials=20))
        expected.append(forecast(result.setup).error)
        tv = np.mean([errors.tv for errors in result.errors])
        assert tv == pytest.approx(expected[-1], rel=0.08)
    blocks, plain = expected
    assert blocks < 0.7 * plain


def test_progress_is_told_and_may_cancel() -> None:
    setup, progress = prepare(SMALL), list[float]()
    run(setup, progress.append)
    assert progress == [0.25, 0.5, 0.75, 1.0]
    progress.clear()

    def stop(share: float) -> None:
        if share >= 0.5:
            raise Cancelled
        progress.append(share)

    with pytest.raises(Cancelled):
        run(setup, stop)
    assert progress == [0.25]


def test_parts_that_do_not_fit_are_refused() -> None:
    for wrong, words in (
        (replace(SMALL, n=None), "has no people of its own; give n"),
        (SMALL.with_context(blocks=EvenRuns(201)), "blocks must be a whole number"),
        (SMALL.with_context(blocks=GridBlocks(2, 2)), "Grid blocks need a map"),
        (SMALL.with_context(epsilon=(1.0, 2.0)), r"one per block \(5\)"),
        (SMALL.with_context(sensitive=SensitiveSymbols(("200",))), "sensitive symbol"),
    ):
        with pytest.raises(CaldpError, match=words):
            prepare(wrong)


def test_curves_fall_and_meet_the_scenario() -> None:
    setup, progress = prepare(SMALL), list[float]()
    by_epsilon = epsilon_curve(setup, [0.5, 1.0, 2.0], progress.append)
    whole = progress.index(1.0) + 1
    by_people = people_curve(setup, [2_000, 20_000, 10**9], progress.append)
    for shares in (progress[:whole], progress[whole:]):
        assert shares == sorted(shares)
        assert {0.0, 1 / 3, 2 / 3, 1.0} <= set(shares)
    for curve in (by_epsilon, by_people):
        assert (np.diff(curve.tv) < 0).all()
        assert curve.tv[1] == forecast(setup, None, Budget.quick(200)).error
        assert (curve.low <= curve.tv).all()
        assert (curve.tv <= curve.high).all()
        assert curve.low.min() >= 0


def test_people_for_the_same_error_reach_it() -> None:
    setup, plain = prepare(SMALL), prepare(SMALL.plain())
    needed = people_for_same_error(setup, plain)
    assert needed is not None
    assert needed > 2 * 20_000
    # Both with the few trials of a search, whose seeds are common: 3 % is their standard error.
    theirs, ours = (forecast(*which, QUICK).error for which in ((plain, needed), (setup, 20_000)))
    assert theirs == pytest.approx(ours, rel=0.03)


def test_where_nothing_is_hidden_there_is_no_same_error() -> None:
    nothing = replace(SMALL.with_context(sensitive=SensitiveSymbols(())), n=None)
    own = prepare(nothing, load=people_of_their_own)
    assert forecast(own).error == 0
    with pytest.raises(CaldpError, match="Nothing is hidden here"):
        people_for_same_error(own, prepare(nothing.plain(), load=people_of_their_own))


def test_more_blocks_are_less_error_and_more_sensitive_values_more() -> None:
    setup = prepare(SMALL)
    quick = forecast(setup, budget=QUICK)
    blocks = block_curve(setup, [EvenRuns(1), EvenRuns(5), EvenRuns(50)])
    assert blocks.x.tolist() == [1, 5, 50]
    assert (np.diff(blocks.tv) < 0).all()
    assert blocks.tv[1] == quick.error
    sizes = sensitive_curve(setup, [0, 50, 150, 200])
    assert sizes.x.tolist() == [0, 50, 150, 200]
    assert (np.diff(sizes.tv) > 0).all()
    assert sizes.tv[2] == quick.error
    last = sensitive_curve(setup, [50], np.arange(200)[::-1])  # the rarest values
    assert last.tv[0] != sizes.tv[1]
    with pytest.raises(CaldpError, match="between 0 and k = 200, got 201"):
        sensitive_curve(setup, [201])


def test_what_takes_long_is_not_forecast_soon() -> None:
    slow = replace(SMALL, mechanism=LocalHashing())
    setup = prepare(slow.with_context(blocks=OneBlock()))
    assert is_slow(setup)
    assert forecast_if_fast(setup) is None
    assert people_curve(setup, [1000]).x.size == 0
    with pytest.raises(CaldpError, match="takes long trials"):
        people_for_same_error(setup, setup)
    quick = prepare(slow.with_context(blocks=EvenRuns(50)))
    assert not is_slow(quick)
    assert forecast_if_fast(quick, budget=QUICK) == forecast(quick, budget=QUICK)


@pytest.mark.parametrize("n", [None, 50_000])
def test_a_setup_needs_its_own_people_for_its_own_error(n: int | None) -> None:
    # At ε = 10 next to no noise is left, so that errors with and without sampling are far apart.
    # Trials tell errors to 3 %, and they fall like 1/√n: people are told to 6 %.
    scenario = replace(SMALL.with_context(epsilon=10.0), n=n, mechanism=RandomizedResponse())
    setup = prepare(scenario, load=people_of_their_own)
    assert people_for_same_error(setup, setup) == pytest.approx(setup.n, rel=0.06)


def test_the_command_runs_a_file(tmp_path: Path) -> None:
    path = tmp_path / "scenario.json"
    path.write_text(json.dumps(SMALL.to_dict()), encoding="utf-8")
    done = CliRunner().invoke(main, ["run", str(path)])
    assert done.exit_code == 0, done.output
    summary, result = json.loads(done.stdout), result_of(SMALL)
    assert Scenario.from_dict(summary["scenario"]) == SMALL
    assert (summary["k"], summary["blocks"], summary["n"], summary["seed"]) == (200, 5, 20_000, 3)
    tv = [errors.tv for errors in result.errors]
    assert summary["errors"]["tv"]["mean"] == pytest.approx(np.mean(tv))
    assert summary["errors"]["tv"]["standard_error"] == pytest.approx(np.std(tv, ddof=1) / 2)
    assert summary["errors"]["earth_movers_km"] == {"mean": None, "standard_error": None}
    assert summary["expected"]["tv"] == forecast(result.setup).error


def test_table_1_comes_out_as_printed() -> None:
    done = CliRunner().invoke(main, ["reproduce", "table1", "--runs", "2", "--json"])
    assert done.exit_code == 0, done.output
    columns = json.loads(done.stdout)
    assert [column["title"] for column in columns] == [column.title for column in TABLE_1]
    for column, printed in zip(columns, TABLE_1, strict=True):
        # The note on the reconstruction says 6 % below to 8 % above, rounded; runs spread by 1 %.
        assert -0.065 < column["expected"] / printed.paper - 1 < 0.085
        assert column["mean"] == pytest.approx(column["expected"], rel=0.04)


def test_table_1_of_another_dataset_as_text(tmp_path: Path) -> None:
    path = tmp_path / "scenario.json"
    path.write_text(json.dumps(replace(SMALL, n=None).to_dict()), encoding="utf-8")
    refused = CliRunner().invoke(main, ["reproduce", "table1", "--scenario", str(path)])
    assert (refused.exit_code, "give n" in refused.stderr) == (2, True)
    done = CliRunner().invoke(main, ["reproduce", "table1", "--runs", "1"])
    assert (done.exit_code, len(done.stdout.strip().splitlines())) == (0, 1 + len(TABLE_1))


def rows_of(*arguments: str) -> list[dict[str, str]]:
    done = CliRunner().invoke(main, ["reproduce", *arguments])
    assert done.exit_code == 0, done.output
    return list(csv.DictReader(io.StringIO(done.stdout)))


def test_figure_2_has_the_means_of_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    every_point = reproduce.figure_2_points
    monkeypatch.setattr(
        reproduce, "figure_2_points", lambda *given: list(every_point(*given))[::90]
    )
    points = list(every_point(3, replace(PAPER, seed=7)))[::90]
    rows = rows_of("figure2", "--runs", "3", "--seed", "7")
    assert [row["distribution"] for row in rows] == ["Uniform", "Geo(0.8)", "Zipf(1)"]
    assert [row["curve"] for row in rows] == ["LDP", "m = 100", "m = 50"]
    for row, point in zip(rows, points, strict=True):
        tv = [each.tv for each in run(prepare(point.scenario)).errors]
        assert float(row["mean TV"]) == pytest.approx(fmean(tv), rel=1e-12)
        assert float(row["standard error"]) == pytest.approx(stdev(tv) / math.sqrt(3), rel=1e-9)
        assert (row["people"], row["runs"]) == (str(point.scenario.n), "3")


@pytest.mark.slow
def test_figure_3_has_the_maps_of_two_columns_of_table_1() -> None:
    rows = rows_of("figure3", "--seed", "4")
    truth, *maps = (
        np.array([float(row[name]) for row in rows]) for name in ("people", "LDP", "(25, 35)")
    )
    assert truth.sum() == pytest.approx(1)
    assert (float(rows[0]["latitude"]), float(rows[-1]["latitude"])) == (25.1, 49.9)
    for shares, column in zip(maps, (TABLE_1[0], TABLE_1[2]), strict=True):
        tv = float(np.abs(shares - truth).sum()) / 2
        assert abs(tv / column.paper - 1) < 0.12  # one run beside the printed mean
    ours = run(prepare(replace(PAPER, seed=4).with_context(blocks=GridBlocks(25, 35))))
    assert maps[1] == pytest.approx(ours.first.estimate, rel=1e-12)


FILES = sorted(ROOT.glob("examples/*.json"))
SLOW = {"near-places", "best-kernel", "scale", "stepped-geometric"}
"""Their audits or designs take seconds."""


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=pytest.mark.thorough if path.stem in SLOW else ())
        for path in FILES
    ],
)
def test_an_example_runs_is_audited_and_forecast(path: Path) -> None:
    scenario = replace(Scenario.from_file(path), n=1000, trials=1)
    setup = prepare(scenario)
    result = run(setup)
    assert result.first.people.sum() == 1000
    assert result.first.estimate.shape == (setup.mechanism.k,)
    assert audit_mechanism(setup.mechanism, setup.policy).holds
    expected = forecast_if_fast(setup, budget=Budget(4, 4, 0.01))
    assert expected is None or expected.error > 0


def test_every_mechanism_and_policy_that_runs_has_an_example() -> None:
    scenarios = [Scenario.from_file(path) for path in FILES]
    assert {s.kind("mechanism") for s in scenarios} == {"best", *MECHANISMS}
    for path in FILES:
        if path.stem in MECHANISMS:
            assert Scenario.from_file(path).kind("mechanism") == path.stem
    assert set(MECHANISMS) <= {path.stem for path in FILES}
    assert {s.kind("policy") for s in scenarios} == set(SLOTS["policy"][1])


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
    base = replace(PAPER, estimator="significance-threshold", seed=9).with_context(epsilon=2.0)
    scenarios = table_1_scenarios(4, base)
    assert [s.context.blocks for s in scenarios] == [column.blocks for column in TABLE_1]
    for scenario in scenarios:
        assert scenario.with_context(blocks=OneBlock()) == replace(base, trials=4)


def test_figure_2_has_every_point_once() -> None:
    points = list(figure_2_points(10, PAPER))
    assert len({(p.panel, p.line, p.scenario.n) for p in points}) == len(points) == 200
    for point in points:
        assert point.scenario.dataset == PANELS[point.panel]
        assert point.scenario.context.blocks == LINES[point.line]
        assert (point.scenario.trials, point.scenario.mechanism) == (10, PAPER.mechanism)
    assert {p.scenario.n for p in points} == set(SIZES) == {1000 * 2**i for i in range(10)}
    assert PANELS["Uniform"] == Uniform(1000)


@pytest.mark.slow
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
