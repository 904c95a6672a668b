"""Threads that work for all visits in turn: whoever has the least at work goes first.

A queue in order of arrival would let one visit with many pieces of work keep all others waiting.
"""

from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Condition, Thread
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
    that was served the longest ago. Threads are named `name`-0, … and end with the process.
    """

    def __init__(self, workers: int, per_visit: int, name: str) -> None:
        self.workers, self._per_visit, self._name = workers, per_visit, name
        self._changed = Condition()
        self._waiting: OrderedDict[str, deque[_Task]] = OrderedDict()
        self._running: Counter[str] = Counter()
        self._threads: list[Thread] = []

    def submit(self, visit: str, work: Callable[[], T]) -> Future[T]:
        """Queue work for that visit; the future gets what it returns or raises."""
        future: Future[T] = Future()
        with self._changed:
            self._waiting.setdefault(visit, deque()).append(_Task(visit, work, future))
            if len(self._threads) < self.workers:
                name = f"{self._name}-{len(self._threads)}"
                self._threads.append(Thread(target=self._serve, name=name, daemon=True))
                self._threads[-1].start()
            self._changed.notify()
        return future

    def _serve(self) -> None:
        while True:
            with self._changed:
                while (piece := self._next()) is None:
                    self._changed.wait()
            if piece.future.set_running_or_notify_cancel():
                _run_task(piece)
            with self._changed:
                self._running[piece.visit] -= 1
                self._running += Counter()  # forgets visits that have none
                self._changed.notify_all()
            del piece  # an idle thread keeps no result alive

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
