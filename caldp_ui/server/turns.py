"""Runs of pages take turns.

Runs of a page are Python, of which one process does one thing at a time. Fifty at once all end
late, and what is sent to the browsers waits behind them; one after another, most end soon. Of those
who wait, the visit that has had the least lately goes first: who asks all the time waits longest.

A part of a page that is run alone is a run, too: Streamlit runs it past `app.py`, so each takes its
place itself (`limit_part`). Within the run of its page it needs none. Callbacks of widgets go
before either and take no place.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from threading import Condition, Event
from time import monotonic, sleep
from typing import Final

import streamlit as st

from caldp_core.basics.cache import Making, current_work, shared_cache, working_on
from caldp_core.basics.types import Progress
from caldp_ui.server.current_run import this_visit
from caldp_ui.server.pace import Bucket

_PLACES: Final = 2
"""More than one, as NumPy works on arrays beside Python."""
_HALF_LIFE_S: Final = 10.0
_FORGET_BELOW_S: Final = 0.01
_AT_ONCE: Final = 4
_A_SECOND: Final = 2.5
"""After that, of whole pages of one visit beside others; what it asks meanwhile is one run."""
_WAIT_MAX_S: Final = 1.0
"""Longest wait at one report: films come even where pages are always run."""


class RunLimiter:
    """At most `places` runs at a time; the next is that of the visit that has had the least.

    Seconds that a visit has had count half as much after each `half` seconds. `clock`: seconds.
    """

    def __init__(
        self,
        places: int = _PLACES,
        half: float = _HALF_LIFE_S,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._places = self._free = places
        self._half, self._clock = half, clock
        self._changed = Condition()
        self._waiting: dict[int, tuple[str, Event]] = {}
        self._numbers = count()
        self._used_seconds: dict[str, tuple[float, float]] = {}
        self._buckets = defaultdict[str, Bucket](lambda: Bucket(_AT_ONCE, _A_SECOND, clock))
        self._pages = Counter[str]()

    @contextmanager
    def limit(self, visit: str) -> Iterator["PlacedRun"]:
        """Wait for a place, and give it back at the end."""
        run = PlacedRun(self, visit)
        try:
            yield run
        finally:
            run.leave()

    def enter(self, visit: str) -> float:
        """Wait for a place; returns when the visit had it."""
        turn = Event()
        with self._changed:
            self._waiting[next(self._numbers)] = visit, turn
            self._give_places()
        turn.wait()
        return self._clock()

    def leave(self, visit: str, began: float) -> None:
        """Give a place back that the visit has had since `began`."""
        with self._changed:
            self._free += 1
            now = self._clock()
            self._used_seconds[visit] = self._recent_seconds(visit, now) + now - began, now
            self._forget(now)
            self._give_places()
            self._changed.notify_all()

    def pause_s(self, visit: str) -> float:
        """Seconds until a visit's next whole page may run: 0 for one that is alone, or not fast."""
        with self._changed:
            return self._buckets[visit].take() if self._used_seconds.keys() - {visit} else 0.0

    @contextmanager
    def limit_page(self, visit: str) -> Iterator["PlacedRun"]:
        """As `limit` for a whole page: at its visit's pace, and no timer is heard until it ends."""
        with self._changed:
            self._pages[visit] += 1
        try:
            sleep(self.pause_s(visit))
            with self.limit(visit) as run:
                yield run
        finally:
            with self._changed:
                self._pages[visit] -= 1
                self._pages += Counter()  # forgets visits that have none

    def runs_page_of(self, visit: str) -> bool:
        """Whether a whole page of the visit is at work, or waits for its place."""
        return visit in self._pages

    def wait_until_idle(self, seconds: float) -> None:
        """Wait while any run is at work or waits for its turn, `seconds` at most."""
        with self._changed:
            self._changed.wait_for(lambda: not self.is_busy, timeout=seconds)

    @property
    def is_busy(self) -> bool:
        """Whether any run is at work or waits for its turn."""
        return self._free < self._places or bool(self._waiting)

    def _give_places(self) -> None:
        """Wake those whose turn it is, and nobody else: fifty that look cost more than a run."""
        while self._free and self._waiting:
            _, turn = self._waiting.pop(self._next())
            self._free -= 1
            turn.set()

    def _next(self) -> int:
        now = self._clock()  # one moment for all, so that the order is one
        return min(
            self._waiting,
            key=lambda number: (self._recent_seconds(self._waiting[number][0], now), number),
        )

    def _recent_seconds(self, visit: str, now: float) -> float:
        seconds, at = self._used_seconds.get(visit, (0.0, 0.0))
        return float(seconds * 0.5 ** ((now - at) / self._half))

    def _forget(self, now: float) -> None:
        for visit in list(self._used_seconds):
            if self._recent_seconds(visit, now) < _FORGET_BELOW_S:
                del self._used_seconds[visit]
                self._buckets.pop(visit, None)


class PlacedRun:
    """A run that has a place of a limiter; implements `Work` of the cache."""

    def __init__(self, limiter: RunLimiter, visit: str) -> None:
        self._limiter, self._visit = limiter, visit
        self._began: float | None = limiter.enter(visit)

    def leave(self) -> None:
        """Give the place back."""
        if self._began is not None:
            self._limiter.leave(self._visit, self._began)
            self._began = None

    def wait_for(self, making: Making) -> None:
        """Wait for what another work makes, on nobody's place."""
        with self.lend_place():
            making.finished.wait()

    @contextmanager
    def lend_place(self) -> Iterator[None]:
        """Let others run while this run waits; then wait for a free place."""
        self.leave()
        try:
            yield
        finally:
            self._began = self._limiter.enter(self._visit)


@st.cache_resource
def _limiter() -> RunLimiter:
    return RunLimiter()


@contextmanager
def limit_run() -> Iterator[None]:
    """Wait for a place for this visit's run, and give it back at the end."""
    with _limiter().limit_page(this_visit()) as placed, working_on(placed):
        yield


@contextmanager
def limit_part() -> Iterator[None]:
    """Wait for a place for the run of a part of this visit's page alone, and give it back."""
    with _limiter().limit(this_visit()) as placed, working_on(placed):
        yield


def yield_to_runs(progress: Progress) -> Progress:
    """The progress of work that nobody waits for: each report lets runs of pages go first.

    Both are Python, and a page that shares the processor with a film in the making comes twice as
    late. A value that others wait for goes first, too.
    """

    def report(share: float) -> None:
        if not shared_cache().is_awaited(current_work()):
            _limiter().wait_until_idle(_WAIT_MAX_S)
        progress(share)

    return report


def share_with_runs(progress: Progress) -> Progress:
    """The progress of work that one visit waits for: at each report runs of pages go first.

    For as long as it has worked since the last report at most, so that it takes twice the time.
    """
    since = monotonic()

    def report(share: float) -> None:
        nonlocal since
        _limiter().wait_until_idle(monotonic() - since)
        since = monotonic()
        progress(share)

    return report


def runs_page_of(visit: str) -> bool:
    """Whether a whole page of that visit is at work, or waits for its place."""
    return _limiter().runs_page_of(visit)
