"""Work belongs to its visit: it ends with it, and no visit's work keeps the others waiting."""

from itertools import count
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

from streamlit.runtime.app_session import AppSession
from streamlit.testing.v1 import AppTest

from caldp_core.basics.errors import Cancelled
from caldp_core.basics.types import Progress
from caldp_ui.app.run_limiter import RunLimiter
from caldp_ui.session import jobs
from caldp_ui.session.jobs import FairPool
from caldp_ui.session.visit import Visit
from tests.ui.driver import jobs_done
from tests.waiting import PATIENCE, are_done, join, until


class _Row:
    """Pieces of work that note their names and wait until they may go on."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.go = Event()

    def piece(self, name: str, held: bool = False) -> Any:
        def work() -> None:
            self.begun.append(name)
            if held:
                assert self.go.wait(PATIENCE)

        return work


def test_visits_take_turns_whoever_came_with_more() -> None:
    pool, row = FairPool(1, 1, "test"), _Row()
    futures = [pool.submit("first", row.piece("first 0", held=True))]
    futures += [pool.submit("greedy", row.piece(f"greedy {i}")) for i in range(3)]
    futures += [pool.submit("late", row.piece(f"late {i}")) for i in range(2)]
    row.go.set()
    assert are_done(futures)
    assert row.begun == ["first 0", "greedy 0", "late 0", "greedy 1", "late 1", "greedy 2"]


def test_a_visit_has_two_threads_at_most_and_a_newcomer_the_third() -> None:
    pool, row = FairPool(3, 2, "test"), _Row()
    futures = [pool.submit("greedy", row.piece("greedy", held=True)) for _ in range(4)]
    newcomer = pool.submit("newcomer", row.piece("newcomer"))
    assert are_done([newcomer])
    assert row.begun.count("greedy") <= 2
    row.go.set()
    assert are_done(futures)
    assert row.begun.count("greedy") == 4


def test_what_was_cancelled_before_its_turn_is_never_begun_and_errors_come_out() -> None:
    pool, row = FairPool(1, 1, "test"), _Row()
    first = pool.submit("a", row.piece("a", held=True))
    never = pool.submit("b", row.piece("b"))
    fails = pool.submit("b", lambda: 1 / 0)
    assert never.cancel()
    row.go.set()
    assert are_done([first, fails])
    assert row.begun == ["a"]
    assert isinstance(fails.exception(), ZeroDivisionError)


def test_a_visit_that_ends_stops_its_work_at_the_next_report_and_keeps_nothing() -> None:
    visit, begun, go, ended = Visit("one"), Event(), Event(), Event()
    job: jobs.Job[str] = jobs.Job("work")
    job.partial_results.append("something")

    def work(progress: Progress) -> str:
        begun.set()
        assert go.wait(PATIENCE)
        try:
            progress(0.5)
        except Cancelled:
            ended.set()
            raise
        return "whole"

    visit.add(job)
    jobs.submit(job, work)
    assert begun.wait(PATIENCE)
    visit.leave()
    assert job.is_abandoned
    assert job.done
    go.set()
    assert ended.wait(PATIENCE)
    assert job.result() is None
    assert job.partial_results == []


def _page() -> None:
    import streamlit as st

    from caldp_ui.session import jobs

    found = jobs.run_automatically("place", "name", lambda progress: "there", lambda job: "")
    st.text(found or "waiting")


def test_who_comes_back_after_the_socket_was_gone_has_the_work_begun_anew() -> None:
    at = jobs_done(AppTest.from_function(_page, default_timeout=PATIENCE).run())
    before = at.session_state["place/job"]
    assert [text.value for text in at.text] == ["there"]
    # What Streamlit's session does when its socket has gone.
    AppSession.clear_session_caches(SimpleNamespace(id="test session id"))  # type: ignore[arg-type]
    assert before.is_abandoned
    jobs_done(at.run())
    assert at.session_state["place/job"] is not before
    assert [text.value for text in at.text] == ["there"]


def _runs_of(turns: RunLimiter, begun: list[str], visits: list[str], go: Event) -> list[Thread]:
    """Runs that wait for their turns, in this order, and note when they have it."""
    threads: list[Thread] = []
    for number, visit in enumerate(visits, 1):
        has_begun = min(number, turns._places)

        def run(visit: str = visit) -> None:
            with turns.limit(visit):
                begun.append(visit)
                assert go.wait(PATIENCE)

        threads.append(Thread(target=run))
        threads[-1].start()
        _await_runs(turns, begun, has_begun, number - has_begun)
    return threads


def _await_runs(turns: RunLimiter, begun: list[str], at_work: int, waiting: int) -> None:
    until(lambda: (len(begun), turns.waiting) == (at_work, waiting))


def test_the_next_run_is_that_of_the_visit_that_has_had_the_least() -> None:
    seconds = count(step=1.0)
    turns, go = RunLimiter(1, 1e9, lambda: next(seconds)), Event()
    begun: list[str] = []
    for _ in range(5):
        with turns.limit("greedy"):
            pass
    threads = _runs_of(turns, begun, ["holds", "greedy", "greedy", "modest", "new"], go)
    go.set()
    join(threads)
    assert begun == ["holds", "modest", "new", "greedy", "greedy"]


def test_what_a_visit_has_had_is_forgotten_by_and_by_and_an_error_gives_the_place_back() -> None:
    now = [0.0]
    turns, go = RunLimiter(1, 10.0, lambda: now[0]), Event()
    begun: list[str] = []
    for visit, seconds in (("long ago", 8.0), ("lately", 4.0)):
        try:
            with turns.limit(visit):
                now[0] += seconds
                raise ValueError
        except ValueError:
            now[0] += 50.0 if visit == "long ago" else 0.0
    threads = _runs_of(turns, begun, ["holds", "lately", "long ago"], go)
    go.set()
    join(threads)
    assert begun == ["holds", "long ago", "lately"]


def test_what_nobody_waits_for_goes_behind_all_runs_but_not_for_ever() -> None:
    turns, go = RunLimiter(2), Event()
    begun: list[str] = []
    threads = _runs_of(turns, begun, ["one", "two", "three"], go)
    turns.wait_until_idle(0.01)  # runs that go on and on stop nothing for long

    def make_film() -> None:
        turns.wait_until_idle(PATIENCE)
        begun.append("film")

    films = Thread(target=make_film)
    films.start()
    go.set()
    join([*threads, films])
    assert begun == ["one", "two", "three", "film"]
