"""Cached and long work: keys, costs stated beforehand, progress and cancel."""

import os
from dataclasses import replace
from pathlib import Path
from threading import Event, Semaphore
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Progress, no_progress
from caldp_core.datasets import Cities, Gowalla, Snap, Zipf
from caldp_core.experiments.forecast import (
    epsilon_curve,
    forecast,
    people_curve,
    people_for_same_error,
)
from caldp_core.experiments.run import prepare, run
from caldp_core.mechanisms.catalogue import Hadamard, Oue
from caldp_core.scenarios.blocks import (
    OneBlock,
    SensitiveAreas,
    StateBlocks,
    SymbolBlocks,
)
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.compute import runs as curves
from caldp_ui.curves import page_state
from caldp_ui.curves.page_state import Curves
from caldp_ui.parts import comparison
from caldp_ui.plan import page_state as people_needed
from caldp_ui.plan.page_state import Plan
from caldp_ui.session import jobs
from caldp_ui.session.jobs import Cost
from caldp_ui.values.page_state import BEGIN as ANSWERS
from tests.ui.driver import checked, open_page
from tests.ui.scenarios import VARIED
from tests.waiting import PATIENCE, are_done

FEW = Scenario(n=10**6, mechanism=Oue()).with_context(blocks=StateBlocks(), epsilon=1.0)
BASE = Scenario(policy=ContextPolicy(blocks=StateBlocks(), epsilon=2.0), n=100_000, seed=5)


def test_kinds_without_fields_have_keys_of_their_own() -> None:
    assert hash(OneBlock()) == hash(StateBlocks())  # why keys are texts
    one, states = (BASE.with_context(blocks=kind) for kind in (OneBlock(), StateBlocks()))
    assert runs.key(one) != runs.key(states)
    assert runs.setup(one).partition.m == 1
    assert runs.setup(states).partition.m > 40


def test_any_difference_is_a_different_key() -> None:
    assert len({runs.key(scenario) for scenario in VARIED.values()}) == len(VARIED)


def test_a_file_that_has_changed_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "checkins.txt"
    line = "0\t2010-10-19T23:55:27Z\t{}\t-97.79\t22847\n"
    scenario = Scenario(policy=ContextPolicy(blocks=OneBlock()), dataset=Snap(str(file)))
    missing = runs.key(scenario)
    file.write_text(line.format("30.23"))
    first = runs.key(scenario)
    assert runs.dataset(scenario).n == runs.setup(scenario).n == 1
    assert runs.result(scenario).first.people.sum() == 1
    file.write_text(line.format("30.23") + line.format("40.64"))
    assert len({missing, first, runs.key(scenario)}) == 3
    assert runs.dataset(scenario).n == runs.setup(scenario).n == 2
    assert runs.result(scenario).first.people.sum() == 2
    # As long as before, but another place.
    os.utime(file, ns=(1, 1))
    before = runs.dataset(scenario).counts
    assert before is not None
    file.write_text(line.format("30.23") + line.format("45.64"))
    after = runs.dataset(scenario).counts
    assert after is not None
    assert not np.array_equal(after, before)


@pytest.mark.slow
def test_results_are_what_the_core_runs() -> None:
    for scenario in (BASE, runs.best_plain_ldp(BASE)):
        cached, fresh = runs.result(scenario), run(prepare(scenario))
        assert cached.setup.scenario == scenario
        assert cached.errors == fresh.errors
        assert runs.expected_error(scenario) == forecast(
            replace(fresh.setup, scenario=replace(scenario, seed=0))
        )
        np.testing.assert_array_equal(cached.first.estimate, fresh.first.estimate)
        assert runs.uncached_result(scenario).errors == fresh.errors


def test_the_rival_is_the_best_plain_ldp_for_the_same_people() -> None:
    scenario = replace(BASE, mechanism=Hadamard())
    ours, rival = runs.result(scenario), runs.result(runs.best_plain_ldp(scenario))
    np.testing.assert_array_equal(ours.first.people, rival.first.people)
    assert rival.setup.partition.m == 1
    assert rival.setup.mechanism_name != "hadamard"
    assert rival.errors[0].tv < runs.result(scenario.plain()).errors[0].tv


def test_cached_values_are_shared_and_read_only() -> None:
    result = runs.result(BASE)
    assert runs.result(replace(BASE)) is result
    outcome, setup = result.first, result.setup
    shared = (outcome.estimate, outcome.people, outcome.unbiased, outcome.block_shares)
    for array in (*shared, setup.dataset.distribution, setup.sensitive, setup.partition.labels):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_another_seed_is_another_run_of_the_same_mechanism() -> None:
    other = replace(BASE, seed=6)
    assert runs.setup(other).mechanism is runs.setup(BASE).mechanism
    fewer = replace(BASE, n=100, estimator="clip")
    more = replace(fewer, n=1000, estimator="simplex")
    assert runs.setup(fewer).mechanism is runs.setup(more).mechanism
    assert runs.setup(fewer).scenario == replace(fewer, seed=0)
    assert runs.result(other).errors != runs.result(BASE).errors


def test_data_are_loaded_once_for_all_scenarios() -> None:
    assert runs.dataset(BASE) is runs.dataset(Scenario().with_context(blocks=OneBlock()))
    assert runs.dataset(replace(BASE, dataset=Cities())) is not runs.dataset(BASE)
    assert runs.dataset(BASE).name == Gowalla().load().name


def shared(choice: comparison.CurveChoice, scenario: Scenario) -> Scenario:
    """The scenario by which the page computes and keeps the curve."""
    return replace(choice.fixed_part(scenario), seed=0)


@pytest.mark.slow
def test_curves_are_the_forecast_s_and_the_same_along_the_curve(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(curves, "EPSILONS", curves.EPSILONS[1::9])
    monkeypatch.setattr(curves, "NUMBERS", curves.NUMBERS[::6])
    few = replace(FEW, n=10**6 + 1)  # which nobody else asks for: what is found is kept
    setup = prepare(replace(few, seed=0))
    same = shared(comparison.EPSILON, few)
    assert same == shared(comparison.EPSILON, replace(few.with_context(epsilon=0.5), seed=9))
    ours, plain = curves.error_curves("epsilon", same, no_progress)
    np.testing.assert_array_equal(ours.tv, epsilon_curve(setup, curves.EPSILONS).tv)
    other = prepare(runs.best_plain_ldp(same))
    np.testing.assert_array_equal(plain.tv, epsilon_curve(other, curves.EPSILONS).tv)
    one = few.with_context(epsilon=1.1)
    setup, same = prepare(replace(one, seed=0)), shared(comparison.PEOPLE, one)
    assert same == shared(comparison.PEOPLE, replace(one, n=10**9, seed=9))
    ours, _ = curves.error_curves("people", same, no_progress)
    np.testing.assert_array_equal(ours.tv, people_curve(setup, curves.NUMBERS).tv)
    assert tuple(ours.x) == curves.NUMBERS


@pytest.mark.thorough
def test_more_blocks_and_fewer_sensitive_places_mean_less_error() -> None:
    few = replace(FEW, n=10**9)
    ours, plain = curves.error_curves("blocks", shared(comparison.BLOCKS, few), no_progress)
    assert (np.diff(ours.x) > 0).all()
    assert ours.tv[0] == pytest.approx(plain.tv[0], rel=0.02)  # one block is plain LDP
    assert ours.tv[-1] < ours.tv[0] / 2
    assert len(set(plain.tv)) == 1
    one = few.with_context(blocks=OneBlock())
    ours, plain = curves.error_curves("sensitive", shared(comparison.SENSITIVE, one), no_progress)
    assert ours.tv[0] < ours.tv[-1]
    assert ours.tv[-1] == pytest.approx(plain.tv[-1], rel=0.02)  # all of them


@pytest.mark.slow
def test_people_that_plain_ldp_needs() -> None:
    scenario = Scenario(
        Zipf(500), ContextPolicy(SymbolBlocks(("0-99", "100-199")), epsilon=2.0), n=100_000
    )
    needed = runs.people_plain_needs(scenario)
    assert needed is not None
    assert needed == people_for_same_error(
        prepare(scenario), prepare(runs.best_plain_ldp(scenario))
    )
    assert runs.people_plain_needs(replace(scenario, seed=77)) == needed
    hopeless = replace(BASE.with_context(blocks=OneBlock(), sensitive=SensitiveAreas(())), n=10**12)
    assert runs.people_plain_needs(hopeless) is None


LARGE = Zipf(2**20)


def test_a_million_values_are_above_a_visits_share_and_what_pages_begin_with_is_not() -> None:
    for goal in ("values", "overall"):
        plan = Plan(goal=goal)
        assert not people_needed.cost(plan).is_large
        assert people_needed.cost(
            replace(plan, scenario=replace(plan.scenario, dataset=LARGE))
        ).is_large
    assert not page_state.cost(page_state.record_lines(Curves())).is_large
    curves = Curves(estimates=("simplex",))
    large = [
        replace(s, dataset=LARGE)
        for line in page_state.record_lines(curves)
        for s in line.scenarios
    ]
    found = page_state.cost([replace(page_state.record_lines(curves)[0], scenarios=tuple(large))])
    assert found.is_large
    assert "1,048,576 values it takes the server about 1 minute" in found.describe(2**20)


def test_a_button_says_what_its_work_takes_where_that_is_much() -> None:
    assert Cost(1.0, 1.0).duration_suffix() == ""
    assert Cost(125.0, 1.0).duration_suffix() == ", about 2 minutes"


def test_repetition_looks_for_a_cancel_all_along(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two runs, and in what is expected of them, which may take as long."""
    setup = prepare(replace(ANSWERS, n=1_000))
    shares: list[float] = []
    monkeypatch.setattr(comparison, "RUNS", 3)
    monkeypatch.setattr(runs, "forecast_if_fast", lambda _, progress: progress(0.5))
    comparison._repeat(setup, setup, shares.append)
    assert shares == sorted(shares)
    assert sum(share < 0.9 for share in shares) >= 5
    assert any(0.9 < share < 1.0 for share in shares)


@pytest.mark.parametrize("page", ["plan"])
def test_a_page_asks_before_it_begins_what_is_large(
    page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "_SHARE_S", 0.0)
    at = open_page(f"pages/{page}.py")
    key = "plan-needs" if page == "plan" else "curves-curves"
    assert f"{key}/job" not in at.session_state
    checked(at.button(key=f"{key}-start").click().run())
    assert at.session_state[f"{key}/job"] is not None
    assert not [button for button in at.button if button.key == f"{key}-start"]


def finished(job: jobs.Job[Any]) -> bool:
    return are_done([job.future])


class Stepwise:
    """Work that makes one report each time that `go` is called."""

    def __init__(self) -> None:
        self.allowed, self.reported = Semaphore(0), Semaphore(0)
        self.reports = 0

    def go(self) -> None:
        self.allowed.release()

    def await_report(self) -> None:
        assert self.reported.acquire(timeout=PATIENCE)

    def __call__(self, progress: Progress) -> str:
        for step in range(1, 11):
            assert self.allowed.acquire(timeout=PATIENCE)
            self.reports += 1
            progress(step / 10)
            self.reported.release()
        return "whole"


def test_progress_is_seen_while_it_runs_and_the_result_after() -> None:
    work = Stepwise()
    job = jobs.launch("work", work)
    assert job.share == 0.0
    for step in range(1, 11):
        assert not job.done
        work.go()
        work.await_report()
        assert job.share == step / 10
    assert finished(job)
    assert job.done
    assert job.result() == "whole"


def test_cancel_stops_at_the_next_report() -> None:
    work = Stepwise()
    job = jobs.launch("work", work)
    work.go()
    work.await_report()
    job.cancel()
    for _ in range(9):
        work.go()
    assert finished(job)
    assert work.reports == 2  # one before the cancel, and the one that met it
    assert job.share == 0.1
    assert job.result() is None


def test_cancel_before_the_start_means_that_it_never_starts() -> None:
    held = Event()
    started: list[int] = []
    workers = jobs._pool().workers
    blockers: list[jobs.Job[Any]] = [
        jobs.launch("block", lambda _: held.wait(PATIENCE)) for _ in range(workers)
    ]
    waiting = jobs.launch("wait", lambda _: started.append(1))
    waiting.cancel()
    held.set()
    assert all(finished(job) for job in [*blockers, waiting])
    assert waiting.done
    assert waiting.result() is None
    assert started == []


def test_a_cancelled_job_is_done_at_once_though_its_thread_is_not() -> None:
    held, begun = Event(), Event()

    def draw(progress: Progress) -> str:
        begun.set()
        held.wait(PATIENCE)  # a draw that reports nothing
        return "unseen"

    job = jobs.launch("draw", draw)
    assert begun.wait(PATIENCE)
    job.cancel()
    assert job.done
    assert not job.future.done()
    assert job.result() is None
    held.set()
    assert finished(job)
    assert job.result() is None


def test_a_job_waits_for_a_free_thread_and_counts_its_seconds_from_then_on() -> None:
    held = Event()
    workers = jobs._pool().workers
    blockers: list[jobs.Job[Any]] = [
        jobs.launch("block", lambda _: held.wait(PATIENCE)) for _ in range(workers)
    ]
    later = jobs.launch("later", lambda _: "there")
    waiting = [later.is_waiting]
    assert later.seconds == 0.0
    held.set()
    assert all(finished(job) for job in [*blockers, later])
    assert [*waiting, later.is_waiting] == [True, False]
    assert later.seconds > 0.0
    assert later.result() == "there"


@pytest.mark.parametrize("error", [CaldpError("k must be even."), ValueError("oops")])
def test_errors_of_the_work_come_out(error: Exception) -> None:
    def fails(progress: Progress) -> None:
        progress(0.5)
        raise error

    job = jobs.launch("work", fails)
    assert finished(job)
    with pytest.raises(type(error), match=str(error)):
        job.result()


def test_what_is_found_is_shown_and_stays_after_a_cancel() -> None:
    def page() -> None:
        from collections.abc import Iterator
        from typing import Any

        import streamlit as st

        from caldp_core.basics.types import Progress
        from caldp_ui.session import jobs as incremental_jobs

        def find(progress: Progress) -> Iterator[int]:
            for each in range(3):
                progress(each / 3)
                yield each

        def show(numbers: list[Any]) -> None:
            st.text(f"{numbers}")

        incremental_jobs.gather_automatically("here", "count", find, lambda job: "", show)

    at = AppTest.from_function(page, default_timeout=PATIENCE).run()
    job = at.session_state["here/job"]
    assert finished(job)
    assert at.run().text[0].value == "[0, 1, 2]"
    assert not at.button
    job.cancel()
    assert at.run().text[0].value == "[0, 1, 2]"
    at.button(key="here-start").click().run()
    again = at.session_state["here/job"]
    assert again is not job
    assert finished(again)
    assert at.run().text[0].value == "[0, 1, 2]"
