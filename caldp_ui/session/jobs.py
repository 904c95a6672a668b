"""Long work beside the page: its cost, progress and cancel; parts that are drawn every so often.

The work runs in a thread and is pure Python and NumPy: it must not call Streamlit. It reports its
share to `progress`, which raises `Cancelled` once the reader has had enough. A cancelled job counts
as done at once; what its thread does until its next report goes unseen. A job belongs to its
visit: when that ends, so do its jobs. At the threads visits take turns, the one with the least at
work first: a queue in order of arrival would let one visit with many pieces of work keep all others
waiting. A page does not start what is above a visit's share: it says what it costs, and asks.

A tick can coincide with a user's action: the browser sends both, the page is run for the action,
and the tick's own run comes right behind. Streamlit then loses some of what the page's run has
drawn, and the reader sees the page as it was before. Such a tick is known by coming sooner after
the page was drawn than a tick of that drawing can, and has the page run once more.
"""

from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from threading import Condition, Event, Thread, current_thread
from time import monotonic
from typing import Any, Final, Generic, Literal, NoReturn, TypeAlias, TypeVar

import streamlit as st

from caldp_core.basics.cache import Making, Work, current_work, working_on
from caldp_core.basics.errors import CaldpError, Cancelled
from caldp_core.basics.types import Progress
from caldp_ui.app.delivery import THREAD_PREFIX
from caldp_ui.app.fragments import fragment
from caldp_ui.server.turns import PlacedRun, yield_to_runs
from caldp_ui.server.vault import bound_to_visit
from caldp_ui.session import visit as notices
from caldp_ui.words import formats

_REFRESH_KEY: Final = "ticking/drawn-again"
_REST_S: Final = 2.0
"""A page is run again no sooner: where its runs take longer than ticks, that would never end."""


def redraw_every(key: str, seconds: float, draw: Callable[[], None]) -> None:
    """Draw now, and again every `seconds` until the page is drawn without it.

    `key`: one place on one page.
    """
    started: list[float] = []

    def draw_part() -> None:
        now = monotonic()
        has_crossed = bool(started) and now - started[0] < seconds
        if has_crossed and now - st.session_state.get(_REFRESH_KEY, -_REST_S) >= _REST_S:
            st.session_state[_REFRESH_KEY] = now
            run_page()
        if not started:
            started.append(now)
        draw()

    draw_part.__qualname__ = f"ticking-{key}"  # by which Streamlit tells parts apart
    fragment(draw_part, seconds)()


def run_page() -> NoReturn:
    """Run the page once more without a user's action; a notice that nobody has read yet stays."""
    notices.keep_for_next_run()
    st.rerun()


T = TypeVar("T")


@dataclass(frozen=True)
class _Task:
    visit: str
    work: Callable[[], Any]
    future: Future[Any]


class FairPool:
    """At most `workers` pieces of work at a time, and at most `per_visit` of one visit.

    A free thread takes the next piece of the visit that has the fewest at work, among those the one
    that was served the longest ago. A piece that waits for another lends its place meanwhile, which
    takes one thread more. Threads are named `name`-0, … and end with the process.
    """

    def __init__(self, workers: int, per_visit: int, name: str) -> None:
        self.workers, self._per_visit, self._name = workers, per_visit, name
        self._changed = Condition()
        self._waiting: OrderedDict[str, deque[_Task]] = OrderedDict()
        self._running: Counter[str] = Counter()
        self._threads: list[Thread] = []
        self._free = workers
        self._lent = self._returning = 0

    def submit(self, visit: str, work: Callable[[], T]) -> Future[T]:
        """Queue work for that visit; the future gets what it returns or raises."""
        future: Future[T] = Future()
        with self._changed:
            self._waiting.setdefault(visit, deque()).append(_Task(visit, work, future))
            self._call_thread()
        return future

    @contextmanager
    def lend_place(self) -> Iterator[None]:
        """Let others work while the piece of this thread waits; then wait for a free place.

        It still counts as one of its visit's.
        """
        with self._changed:
            self._free += 1
            self._lent += 1
            self._call_thread()
        try:
            yield
        finally:
            with self._changed:
                self._returning += 1
                self._changed.wait_for(lambda: self._free > 0)
                self._returning -= 1
                self._lent -= 1
                self._free -= 1
                self._changed.notify_all()

    def _call_thread(self) -> None:
        if self._waiting and len(self._threads) < self.workers + self._lent:
            name = f"{self._name}-{len(self._threads)}"
            self._threads.append(Thread(target=self._serve, name=name, daemon=True))
            self._threads[-1].start()
        self._changed.notify_all()

    def _serve(self) -> None:
        while (piece := self._take()) is not None:
            if piece.future.set_running_or_notify_cancel():
                _run_task(piece)
            with self._changed:
                self._free += 1
                self._running[piece.visit] -= 1
                self._running += Counter()  # forgets visits that have none
                self._changed.notify_all()
            del piece  # an idle thread keeps no result alive

    def _take(self) -> _Task | None:
        """The next piece, with a place for it; None for a thread that is one too many."""
        with self._changed:
            while True:
                # Who comes back to a place goes first.
                piece = self._next() if self._free > self._returning else None
                if piece is not None:
                    self._free -= 1
                    return piece
                if len(self._threads) > self.workers + self._lent:
                    self._threads.remove(current_thread())
                    return None
                self._changed.wait()

    def _next(self) -> _Task | None:
        """The next piece that may begin; its visit goes to the end of the queue."""
        able = [visit for visit in self._waiting if self._running[visit] < self._per_visit]
        if not able:
            return None
        visit = min(able, key=self._running.__getitem__)  # the first of equals
        pieces = self._waiting[visit]
        piece = pieces.popleft()
        self._waiting.move_to_end(visit)
        if not pieces:
            del self._waiting[visit]
        self._running[visit] += 1
        return piece


def _run_task(piece: _Task) -> None:
    try:
        result = piece.work()
    except BaseException as error:  # noqa: BLE001 — the future hands it on
        if isinstance(error, CaldpError):  # the frames that it came through hold a whole file
            error.__traceback__ = error.__context__ = None
        piece.future.set_exception(error)
    else:
        piece.future.set_result(result)


_BRIEF_WAIT_S: Final = 0.25
_LOOK_S: Final = 0.1
"""How often a job that waits for another's work looks whether it was cancelled."""
_IDLE_TICK_S: Final = 2.0
"""With half of it, ticks cross the moves of a class, each of which then runs its page twice."""


@dataclass(eq=False)
class Job(Generic[T]):
    """Work that was started: its finished `share`, its result, and the way to stop it.

    `partial_results`: what work that finds one thing after another has found so far.
    `is_abandoned`: it has ended as its visitor went; a visitor who comes back starts it anew.
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
    visit, threads = notices.this_visit(), pool()

    @bound_to_visit
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


def start(key: str, name: str, work: Callable[[Progress], Any]) -> None:
    """Start the work as the job of that place, unless a click has started it already."""
    if not _is_at_work(key, name):
        st.session_state[job_key(key)] = launch(name, work)


def run_on_click(
    key: str,
    name: str,
    work: Callable[[Progress], T],
    button: StartButton,
    describe: Describe,
    *,
    begin: Callable[[str, str, Callable[[Progress], Any]], None] = start,
) -> T | None:
    """The result of the work; until it is there, the button that starts it, then its progress.

    `key`: one place on one page; a job there of another `name` is ended. Raises what `work` raised.
    `begin`: `start`, or `start_gathering` where `partial_results` are shown.
    """
    job: Job[T] | None = current_job(key, name)
    if job is None or (job.done and job.result() is None):
        button.show(key, lambda: begin(key, name, work))
        return None
    if job.done:
        return job.result()
    redraw_every(key, 0.4, lambda: _draw_progress(key, describe))
    return None


def run_automatically(
    key: str,
    name: str,
    work: Callable[[Progress], T],
    describe: Describe,
    pool: Callable[[], FairPool] = _pool,
) -> T | None:
    """The result of work that starts automatically; a cancel leaves the button "Go on".

    Otherwise as `run_on_click`.
    """
    if current_job(key, name) is None:
        st.session_state[job_key(key)] = launch(name, work, pool)
        wait_briefly(st.session_state[job_key(key)])
    return run_on_click(key, name, work, StartButton("Go on", ":material/play_arrow:"), describe)


def wait_briefly(job: Job[Any], seconds: float = _BRIEF_WAIT_S) -> None:
    """Wait a moment for a job, in nobody's place: what is quick needs no bar that flickers."""
    run = current_work()
    with run.lend_place() if isinstance(run, PlacedRun) else nullcontext():
        wait([job.future], timeout=seconds)


def run_in_background(key: str, name: str, work: Callable[[Progress], T]) -> T | None:
    """The result of work that nobody waits for; it starts once the page has been left alone.

    The page runs once more when the result is there. An error of the work is not a result.
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


def has_result(key: str, name: str) -> bool:
    """Whether the job of that name at that place has a result; raises what its work raised."""
    job = current_job(key, name)
    return job is not None and job.done and job.result() is not None


def _is_at_work(key: str, name: str) -> bool:
    job = current_job(key, name)
    return job is not None and not job.done


def job_key(key: str) -> str:
    """The key of the visit's state under which it keeps the job of that key."""
    return f"{key}/job"


def _draw_progress(
    key: str, describe: Describe, show: Callable[[list[Any]], None] | None = None
) -> None:
    """Show the job's partial results and its progress; once it is done the page runs again."""
    job: Job[Any] | None = st.session_state.get(job_key(key))
    if job is None or job.done:
        run_page()
    if show is not None:
        show(list(job.partial_results))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(job.share, text=describe(job))
        st.button("Cancel", icon=":material/stop:", on_click=job.cancel, key=f"{key}-cancel")


_SHARE_S: Final = 30.0
"""Seconds of one core that a page may start automatically; others wait for their own meanwhile."""
_SHARE_MB: Final = 200.0
"""Two visits of that size at once are within what the server may have."""
MB_PER_VALUE: Final = 2.6e-4
"""Megabytes that one run holds at once for each value."""


@dataclass(frozen=True)
class Cost:
    """About how many `seconds` of one core, and `megabytes` of memory at once, work takes."""

    seconds: float
    megabytes: float

    @property
    def is_large(self) -> bool:
        """Whether it is above a visit's share."""
        return self.seconds > _SHARE_S or self.megabytes > _SHARE_MB

    def duration_suffix(self) -> str:
        """For a button that begins it: ", about 2 minutes"; empty within a visit's share."""
        return f", about {self._minutes()}" if self.is_large else ""

    def _minutes(self) -> str:
        return formats.count(max(round(self.seconds / 60), 1), "minute", "minutes")

    def describe(self, values: int) -> str:
        """A sentence on the time and memory of work on these values."""
        megabytes = formats.integer(10 * round(self.megabytes / 10))
        return (
            f"With {formats.integer(values)} values it takes the server about "
            f"{self._minutes()} and {megabytes} MB of memory, while others use it, too."
        )

    def headline(self, sentence: str, values: int) -> formats.Headline:
        """A sentence on work on these values, and below it what the work takes."""
        figures = {"values": values, "minutes": self.seconds / 60, "megabytes": self.megabytes}
        return formats.Headline(sentence, self.describe(values), figures=figures)


_GATHER_WAIT_S: Final = 0.08
"""Less than for other jobs: what is not whole by then is shown in part, and soon enough in full."""


def gather_automatically(
    key: str,
    name: str,
    find: Callable[[Progress], Iterator[Any]],
    describe: Describe,
    show: Callable[[list[Any]], None],
) -> None:
    """Show what `find` yields, drawn anew as there is more of it.

    It starts automatically; after a cancel, what was found until then stays, with a button to
    start again. `show` draws in a fragment: all that it needs must come with it.
    """
    job: Job[list[Any]] | None = current_job(key, name)
    if job is None:
        start_gathering(key, name, find)
        job = current_job(key, name)
        wait_briefly(st.session_state[job_key(key)], _GATHER_WAIT_S)
    if job is None or not job.done:
        redraw_every(key, 1.5, lambda: _draw_progress(key, describe, show))
        return
    # In a container, as a fragment's elements are: each takes the place of what the fragment drew.
    # Without it the page shows both, one above the other, until its run has ended.
    with st.container():
        show(list(job.partial_results))
    if job.result() is None:
        again = StartButton("Start again", ":material/replay:")
        again.show(key, lambda: start_gathering(key, name, find))


def needs_consent(key: str, name: str, cost: Cost) -> bool:
    """Whether the work is above a visit's share, and the reader has not asked for it yet."""
    return cost.is_large and current_job(key, name) is None


def consent_button(key: str, name: str, find: Callable[[Progress], Iterator[Any]]) -> None:
    """The button by which the reader asks for work that is above a visit's share."""
    offer = StartButton("Compute it", ":material/play_arrow:")
    offer.show(key, lambda: start_gathering(key, name, find))


def start_gathering(key: str, name: str, find: Callable[[Progress], Iterator[Any]]) -> None:
    """Start to gather what `find` yields, into the job's `partial_results`, as `start` does."""
    if _is_at_work(key, name):
        return
    job: Job[list[Any]] = Job(name)

    def work(progress: Progress) -> list[Any]:
        for each in find(progress):
            job.partial_results.append(each)
        return job.partial_results

    st.session_state[job_key(key)] = submit(job, work)
