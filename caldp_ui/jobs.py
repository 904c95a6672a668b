"""Long work beside the page: a progress bar, and a cancel that stops it.

Room: compute. The work runs in a thread and is pure Python and NumPy: it must not call Streamlit.
It reports its share to `progress`, which raises `Cancelled` once the reader has had enough.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event
from typing import Generic, TypeVar

import streamlit as st

from caldp_core.errors import Cancelled
from caldp_core.types import Progress

T = TypeVar("T")


@dataclass
class Job(Generic[T]):
    """Work that was started: its finished `share`, its result, and the way to stop it."""

    name: str
    share: float = 0.0
    stop: Event = field(default_factory=Event)
    future: Future[T] = field(default_factory=Future)

    def progress(self, share: float) -> None:
        """What the work reports to."""
        if self.stop.is_set():
            raise Cancelled
        self.share = share

    @property
    def done(self) -> bool:
        """True once there is a result, an error or a cancel."""
        return self.future.done()

    def result(self) -> T | None:
        """The result, or None if it was cancelled; errors of the work are raised here."""
        if self.future.cancelled() or isinstance(self.future.exception(), Cancelled):
            return None
        return self.future.result()

    def cancel(self) -> None:
        """Stop it: before it starts, or at its next report."""
        self.stop.set()
        self.future.cancel()


@st.cache_resource
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=2, thread_name_prefix="caldp-job")


def launch(name: str, work: Callable[[Progress], T]) -> Job[T]:
    """Start the work."""
    job: Job[T] = Job(name)
    job.future = _pool().submit(work, job.progress)
    return job
