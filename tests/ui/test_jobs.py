"""Long work: its progress is seen, a cancel stops it at the next report, errors come out."""

from threading import Event, Semaphore
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Progress
from caldp_ui.session import jobs
from tests.waiting import PATIENCE, are_done


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
    at.button(key="here-again").click().run()
    again = at.session_state["here/job"]
    assert again is not job
    assert finished(again)
    assert at.run().text[0].value == "[0, 1, 2]"
