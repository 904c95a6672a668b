"""Waits of tests: for all that is then asserted, and as long as a busy machine may take."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Event, Thread
from typing import Any, Final, TypeVar

PATIENCE: Final = 120.0
"""Seconds until a hanging test gives up; nothing is timed."""
_LOOK_S: Final = 0.01


def until(holds: Callable[[], bool]) -> None:
    """Wait for a state that no event announces; fails if it never comes."""
    for _ in range(int(PATIENCE / _LOOK_S)):
        if holds():
            return
        Event().wait(_LOOK_S)
    raise AssertionError("it never came")


def are_done(futures: Iterable[Future[Any]]) -> bool:
    """Whether all are done, in the end."""
    return not wait(list(futures), PATIENCE).not_done


def join(threads: Iterable[Thread]) -> None:
    """Wait for the end of all threads; fails if one never ends."""
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()


T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """What it returns; in a thread of its own, as a browser's tests may hold this thread's loop."""
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(asyncio.run, work).result()
