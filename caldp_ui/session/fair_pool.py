"""Threads that work for all visits in turn: whoever has the least at work goes first.

A queue in order of arrival would let one visit with many pieces of work keep all others waiting.
"""

from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition, Thread, current_thread
from typing import Any, TypeVar

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
        piece.future.set_exception(error)
    else:
        piece.future.set_result(result)
