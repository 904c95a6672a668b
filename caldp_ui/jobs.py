"""Long work beside the page: a progress bar, and a cancel that stops it.

Room: compute. The work runs in a thread and is pure Python and NumPy: it must not call Streamlit.
It reports its share to `progress`, which raises `Cancelled` once the reader has had enough. A
cancelled job counts as done at once; what its thread is at until its next report goes unseen.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event
from time import monotonic
from typing import Generic, TypeVar

import streamlit as st

from caldp_core.basics.errors import Cancelled
from caldp_core.basics.types import Progress

T = TypeVar("T")


@dataclass
class Job(Generic[T]):
    """Work that was started: its finished `share`, its result, and the way to stop it."""

    name: str
    share: float = 0.0
    stop: Event = field(default_factory=Event)
    future: Future[T] = field(default_factory=Future)
    began: float | None = None

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


@st.cache_resource
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=2, thread_name_prefix="caldp-job")


def launch(name: str, work: Callable[[Progress], T]) -> Job[T]:
    """Start the work."""
    job: Job[T] = Job(name)

    def begin() -> T:
        job.began = monotonic()
        return work(job.progress)

    job.future = _pool().submit(begin)
    return job
