"""Long work beside the page: a button, a progress bar, and a cancel that stops it.

The work runs in a thread and is pure Python and NumPy: it must not call Streamlit. It reports its
share to `progress`, which raises `Cancelled` once the reader has had enough. A cancelled job counts
as done at once; what its thread is at until its next report goes unseen. A job belongs to its
visit: when that ends, so do its jobs, and visits take turns at the threads.
"""

from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from threading import Event
from time import monotonic
from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar

import streamlit as st

from caldp_core.basics.errors import Cancelled
from caldp_core.basics.types import Progress
from caldp_ui.app.turns import behind_runs
from caldp_ui.app.upkeep import THREADS
from caldp_ui.session.fair_pool import FairPool
from caldp_ui.session.ticking import run_page, ticking
from caldp_ui.session.visit import this_visit

T = TypeVar("T")
_SOON_S: Final = 0.25
_ALONE_S: Final = 2.0
"""Half as long, and ticks cross the moves of a class, each of which then runs its page twice."""


@dataclass(eq=False)
class Job(Generic[T]):
    """Work that was started: its finished `share`, its result, and the way to stop it.

    `found`: what work that finds one thing after another has found so far. `left`: it has ended as
    its visitor went; whoever comes back to it starts it anew.
    """

    name: str
    share: float = 0.0
    found: list[Any] = field(default_factory=list)
    stop: Event = field(default_factory=Event)
    future: Future[T] = field(default_factory=Future)
    began: float | None = None
    left: bool = False

    def progress(self, share: float) -> None:
        """What the work reports to."""
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
        return self.began is None and not self.done

    @property
    def seconds(self) -> float:
        """How long it has been at work."""
        return 0.0 if self.began is None else monotonic() - self.began

    def result(self) -> T | None:
        """The result, or None if it was cancelled; errors of the work are raised here."""
        return None if self.stop.is_set() else self.future.result()

    def cancel(self) -> None:
        """Be done at once; the thread stops before it starts, or at its next report."""
        self.stop.set()
        self.future.cancel()

    def leave(self) -> None:
        """Be done as the visitor has gone, and keep nothing of what was found."""
        self.left = True
        self.cancel()
        self.found, self.future = [], Future()
        self.future.cancel()


@st.cache_resource
def _pool() -> FairPool:
    """One thread more than a visit may have: a newcomer finds a free one beside any one visit."""
    return FairPool(3, 2, f"{THREADS}job")


@st.cache_resource
def _quiet_pool() -> FairPool:
    """Of its own, so that nobody's run waits for what nobody asked for."""
    return FairPool(1, 1, f"{THREADS}quiet")


def launch(
    name: str, work: Callable[[Progress], T], pool: Callable[[], FairPool] = _pool
) -> Job[T]:
    """Start the work."""
    return begin(Job(name), work, pool)


def begin(
    job: Job[T], work: Callable[[Progress], T], pool: Callable[[], FairPool] = _pool
) -> Job[T]:
    """Start the work of a job that is there already, as one of this visit's."""
    visit = this_visit()

    def at_work() -> T:
        if not visit.is_here:
            job.leave()
        job.progress(job.share)  # it may have been cancelled since it came to the front
        job.began = monotonic()
        return work(job.progress)

    visit.add(job)
    job.future = pool().submit(visit.name, at_work)
    return job


@dataclass(frozen=True)
class Offer:
    """The button that starts a job."""

    label: str
    icon: str
    help: str | None = None
    type: Literal["primary", "secondary"] = "secondary"

    def show(self, key: str, start: Callable[[], None]) -> None:
        """The button of the job of that key."""
        st.button(
            self.label,
            key=f"{key}-start",
            icon=self.icon,
            help=self.help,
            type=self.type,
            on_click=start,
        )


Told: TypeAlias = Callable[[Job[Any]], str]
"""What is said beside the bar of a job that is at work."""


def offered(
    key: str, name: str, work: Callable[[Progress], T], offer: Offer, told: Told
) -> T | None:
    """The result of the work; until it is there, the button that starts it, then its progress.

    `key`: one place on one page; a job held there under another `name` is ended.
    """
    job: Job[T] | None = held(key, name)
    if job is None or (job.done and job.result() is None):
        offer.show(key, lambda: _start(key, name, work))
        return None
    if job.done:
        return job.result()
    watch(key, told)
    return None


def started(
    key: str,
    name: str,
    work: Callable[[Progress], T],
    told: Told,
    pool: Callable[[], FairPool] = _pool,
) -> T | None:
    """The same without a button: the work starts by itself; a cancel leaves the button "Go on"."""
    if held(key, name) is None:
        st.session_state[place(key)] = launch(name, work, pool)
        soon(st.session_state[place(key)])
    return offered(key, name, work, Offer("Go on", ":material/play_arrow:"), told)


def soon(job: Job[Any], seconds: float = _SOON_S) -> None:
    """Wait a moment for a job: what is quick is drawn at once, without a bar that flickers."""
    wait([job.future], timeout=seconds)


def quietly(key: str, name: str, work: Callable[[Progress], T]) -> T | None:
    """The result of work that nobody waits for; it starts once the page has been left alone.

    The page runs once more when the result is there. An error of the work is no result.
    """
    job: Job[T] | None = held(key, name)
    if job is not None and job.done:
        return None if job.future.exception() else job.result()
    st.session_state[f"{key}/idle"] = 0
    ticking(key, _ALONE_S, lambda: _wait(key, name, work))
    return None


def _wait(key: str, name: str, work: Callable[[Progress], Any]) -> None:
    st.session_state[f"{key}/idle"] += 1
    job = held(key, name)
    if job is None and st.session_state[f"{key}/idle"] > 1:
        st.session_state[place(key)] = launch(
            name, lambda progress: work(behind_runs(progress)), _quiet_pool
        )
    elif job is not None and job.done:
        run_page()


def held(key: str, name: str) -> Job[Any] | None:
    """The job of that name at that place; one of another name, or of before, is ended."""
    job: Job[Any] | None = st.session_state.get(place(key))
    if job is not None and (job.name != name or job.left):
        job.cancel()
        job = st.session_state[place(key)] = None
    return job


def is_done(key: str, name: str) -> bool:
    """Whether the job of that name at that place has come to an end."""
    job = held(key, name)
    return job is not None and job.done


def place(key: str) -> str:
    """Where the visit keeps the job of that key."""
    return f"{key}/job"


def _start(key: str, name: str, work: Callable[[Progress], Any]) -> None:
    st.session_state[place(key)] = launch(name, work)


def watch(key: str, told: Told) -> None:
    """The job's progress until it is done; then the page runs once more."""
    ticking(key, 0.4, lambda: _look(key, told))


def _look(key: str, told: Told) -> None:
    job: Job[Any] | None = st.session_state.get(place(key))
    if job is None or job.done:
        run_page()
    bar(key, job, told)


def bar(key: str, job: Job[Any], told: Told) -> None:
    """A job's progress, and the button that cancels it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(job.share, text=told(job))
        st.button("Cancel", icon=":material/stop:", on_click=job.cancel, key=f"{key}-cancel")
