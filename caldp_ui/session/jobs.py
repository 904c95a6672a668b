"""Long work beside the page: a button, a progress bar, and a cancel that stops it.

The work runs in a thread and is pure Python and NumPy: it must not call Streamlit. It reports its
share to `progress`, which raises `Cancelled` once the reader has had enough. A cancelled job counts
as done at once; what its thread does until its next report goes unseen. A job belongs to its
visit: when that ends, so do its jobs, and visits take turns at the threads.
"""

from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from threading import Event
from time import monotonic
from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar

import streamlit as st

from caldp_core.basics.cache import Making, Work, working_on
from caldp_core.basics.errors import Cancelled
from caldp_core.basics.types import Progress
from caldp_ui.app.run_limiter import yield_to_runs
from caldp_ui.app.upkeep import THREAD_PREFIX
from caldp_ui.session.fair_pool import FairPool
from caldp_ui.session.ticking import redraw_every, run_page
from caldp_ui.session.visit import this_visit

T = TypeVar("T")
_BRIEF_WAIT_S: Final = 0.25
_LOOK_S: Final = 0.1
"""How often a job that waits for another's work looks whether it was cancelled."""
_IDLE_TICK_S: Final = 2.0
"""With half of it, ticks cross the moves of a class, each of which then runs its page twice."""


@dataclass(eq=False)
class Job(Generic[T]):
    """Work that was started: its finished `share`, its result, and the way to stop it.

    `partial_results`: what work that finds one thing after another has found so far.
    `is_abandoned`: it has ended as its visitor went; whoever comes back to it starts it anew.
    """

    name: str
    share: float = 0.0
    partial_results: list[Any] = field(default_factory=list)
    stop: Event = field(default_factory=Event)
    future: Future[T] = field(default_factory=Future)
    start_time: float | None = None
    is_abandoned: bool = False

    def progress(self, share: float) -> None:
        """Record the share that is finished; raises `Cancelled` once the job is to stop."""
        if self.stop.is_set():
            raise Cancelled
        self.share = share

    @property
    def done(self) -> bool:
        """True once there is a result, an error or a cancel."""
        return self.stop.is_set() or self.future.done()

    @property
    def is_waiting(self) -> bool:
        """True until a thread is free for it."""
        return self.start_time is None and not self.done

    @property
    def seconds(self) -> float:
        """How long it has been at work."""
        return 0.0 if self.start_time is None else monotonic() - self.start_time

    def result(self) -> T | None:
        """The result, or None if it was cancelled; errors of the work are raised here."""
        return None if self.stop.is_set() else self.future.result()

    def cancel(self) -> None:
        """Be done at once; the thread stops before it starts, or at its next report."""
        self.stop.set()
        self.future.cancel()

    def leave(self) -> None:
        """Be done as the visitor has gone, and keep nothing of what was found."""
        self.is_abandoned = True
        self.cancel()
        self.partial_results, self.future = [], Future()
        self.future.cancel()


@dataclass(frozen=True)
class _AtWork:
    """A job on a thread of a pool; implements `Work` of the cache."""

    job: Job[Any]
    pool: FairPool

    def wait_for(self, making: Making) -> None:
        """Wait for what another job makes, on no thread of the pool, and until a cancel."""
        with self.pool.lend_place():
            while not making.finished.wait(_LOOK_S):
                self.job.progress(self._share_of(making.maker))

    def _share_of(self, maker: Work | None) -> float:
        """The finished share of the same job of somebody else, or of this one."""
        if isinstance(maker, _AtWork) and maker.job.name == self.job.name:
            return maker.job.share
        return self.job.share


@st.cache_resource
def _pool() -> FairPool:
    """One thread more than a visit may have: a newcomer finds a free one beside any one visit."""
    return FairPool(3, 2, f"{THREAD_PREFIX}job")


@st.cache_resource
def _background_pool() -> FairPool:
    """One thread of its own, so that no requested work waits for work that nobody requested."""
    return FairPool(1, 1, f"{THREAD_PREFIX}quiet")


def launch(
    name: str, work: Callable[[Progress], T], pool: Callable[[], FairPool] = _pool
) -> Job[T]:
    """Start the work as a new job of that name, on the threads of `pool`."""
    return submit(Job(name), work, pool)


def submit(
    job: Job[T], work: Callable[[Progress], T], pool: Callable[[], FairPool] = _pool
) -> Job[T]:
    """Start the work of an existing job, which then belongs to this visit."""
    visit, threads = this_visit(), pool()

    def at_work() -> T:
        if not visit.is_here:
            job.leave()
        job.progress(job.share)  # it may have been cancelled since it came to the front
        job.start_time = monotonic()
        with working_on(_AtWork(job, threads)):
            return work(job.progress)

    visit.add(job)
    job.future = threads.submit(visit.name, at_work)
    return job


@dataclass(frozen=True)
class StartButton:
    """The button that starts a job."""

    label: str
    icon: str
    help: str | None = None
    type: Literal["primary", "secondary"] = "secondary"

    def show(self, key: str, start: Callable[[], None]) -> None:
        """Draw the button of the job of that key; a click calls `start`."""
        st.button(
            self.label,
            key=f"{key}-start",
            icon=self.icon,
            help=self.help,
            type=self.type,
            on_click=start,
        )


Describe: TypeAlias = Callable[[Job[Any]], str]
"""The text beside the bar of a job that is at work."""


def run_on_click(
    key: str, name: str, work: Callable[[Progress], T], button: StartButton, describe: Describe
) -> T | None:
    """The result of the work; until it is there, the button that starts it, then its progress.

    `key`: one place on one page; a job there of another `name` is ended. Raises what `work` raised.
    """
    job: Job[T] | None = current_job(key, name)
    if job is None or (job.done and job.result() is None):
        button.show(key, lambda: _start(key, name, work))
        return None
    if job.done:
        return job.result()
    show_progress(key, describe)
    return None


def run_automatically(
    key: str,
    name: str,
    work: Callable[[Progress], T],
    describe: Describe,
    pool: Callable[[], FairPool] = _pool,
) -> T | None:
    """The result of work that starts by itself; a cancel leaves the button "Go on".

    Otherwise as `run_on_click`.
    """
    if current_job(key, name) is None:
        st.session_state[job_key(key)] = launch(name, work, pool)
        wait_briefly(st.session_state[job_key(key)])
    return run_on_click(key, name, work, StartButton("Go on", ":material/play_arrow:"), describe)


def wait_briefly(job: Job[Any], seconds: float = _BRIEF_WAIT_S) -> None:
    """Wait a moment for a job: what is quick is drawn at once, without a bar that flickers."""
    wait([job.future], timeout=seconds)


def run_in_background(key: str, name: str, work: Callable[[Progress], T]) -> T | None:
    """The result of work that nobody waits for; it starts once the page has been left alone.

    The page runs once more when the result is there. An error of the work is no result.
    """
    job: Job[T] | None = current_job(key, name)
    if job is not None and job.done:
        return None if job.future.exception() else job.result()
    st.session_state[f"{key}/idle"] = 0
    redraw_every(key, _IDLE_TICK_S, lambda: _poll_background_job(key, name, work))
    return None


def _poll_background_job(key: str, name: str, work: Callable[[Progress], Any]) -> None:
    st.session_state[f"{key}/idle"] += 1
    job = current_job(key, name)
    if job is None and st.session_state[f"{key}/idle"] > 1:
        st.session_state[job_key(key)] = launch(
            name, lambda progress: work(yield_to_runs(progress)), _background_pool
        )
    elif job is not None and job.done:
        run_page()


def current_job(key: str, name: str) -> Job[Any] | None:
    """The job of that name at that place; one of another name, or of before, is ended."""
    job: Job[Any] | None = st.session_state.get(job_key(key))
    if job is not None and (job.name != name or job.is_abandoned):
        job.cancel()
        job = st.session_state[job_key(key)] = None
    return job


def is_done(key: str, name: str) -> bool:
    """Whether the job of that name at that place has come to an end."""
    job = current_job(key, name)
    return job is not None and job.done


def job_key(key: str) -> str:
    """The key of the visit's state under which it keeps the job of that key."""
    return f"{key}/job"


def _start(key: str, name: str, work: Callable[[Progress], Any]) -> None:
    st.session_state[job_key(key)] = launch(name, work)


def show_progress(key: str, describe: Describe) -> None:
    """The job's progress until it is done; then the page runs once more."""
    redraw_every(key, 0.4, lambda: _draw_progress(key, describe))


def _draw_progress(key: str, describe: Describe) -> None:
    job: Job[Any] | None = st.session_state.get(job_key(key))
    if job is None or job.done:
        run_page()
    progress_bar(key, job, describe)


def progress_bar(key: str, job: Job[Any], describe: Describe) -> None:
    """A job's progress, and the button that cancels it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(job.share, text=describe(job))
        st.button("Cancel", icon=":material/stop:", on_click=job.cancel, key=f"{key}-cancel")
