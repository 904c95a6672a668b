"""Runs take turns: only so many pages are run at a time, the others wait for theirs.

Runs of a page are Python, of which one process does one thing at a time. Fifty at once all end
late, and what is sent to the browsers waits behind them; one after another, most end soon. Of those
who wait, the visit that has had the least lately goes first: who asks all the time waits longest.

A part of a page that is run alone is a run, too: Streamlit runs it past `app.py`, so each takes its
place itself (`fragment`). Within the run of its page it needs none. Callbacks of widgets go before
either and take no place.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import Condition
from time import monotonic
from typing import Final, ParamSpec

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from caldp_core.basics.cache import Making, current_work, shared_cache, working_on
from caldp_core.basics.types import Progress
from caldp_ui.app.errors import plain_errors

P = ParamSpec("P")
_PLACES: Final = 2
"""More than one, as NumPy works on arrays beside Python."""
_HALF_LIFE_S: Final = 10.0
_FORGET_BELOW_S: Final = 0.01
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
        self._waiting: dict[int, str] = {}
        self._number = 0
        self._used_seconds: dict[str, tuple[float, float]] = {}

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
        with self._changed:
            self._number += 1
            number = self._number
            self._waiting[number] = visit
            self._changed.wait_for(lambda: self._free > 0 and self._next() == number)
            del self._waiting[number]
            self._free -= 1
            self._changed.notify_all()
        return self._clock()

    def leave(self, visit: str, began: float) -> None:
        """Give a place back that the visit has had since `began`."""
        with self._changed:
            self._free += 1
            now = self._clock()
            self._used_seconds[visit] = self._recent_seconds(visit, now) + now - began, now
            self._forget(now)
            self._changed.notify_all()

    def wait_until_idle(self, seconds: float) -> None:
        """Wait while any run is at work or waits for its turn, so many seconds at most."""
        with self._changed:
            self._changed.wait_for(lambda: not self.is_busy, timeout=seconds)

    @property
    def is_busy(self) -> bool:
        """Whether any run is at work or waits for its turn."""
        return self._free < self._places or bool(self._waiting)

    @property
    def waiting(self) -> int:
        """How many runs wait."""
        return len(self._waiting)

    def _next(self) -> int:
        now = self._clock()  # one moment for all, so that the order is one
        return min(
            self._waiting,
            key=lambda number: (self._recent_seconds(self._waiting[number], now), number),
        )

    def _recent_seconds(self, visit: str, now: float) -> float:
        seconds, at = self._used_seconds.get(visit, (0.0, 0.0))
        return float(seconds * 0.5 ** ((now - at) / self._half))

    def _forget(self, now: float) -> None:
        visits = list(self._used_seconds)
        for visit in visits:
            if self._recent_seconds(visit, now) < _FORGET_BELOW_S:
                del self._used_seconds[visit]


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
        self.leave()
        making.finished.wait()
        self._began = self._limiter.enter(self._visit)


@st.cache_resource
def _limiter() -> RunLimiter:
    return RunLimiter()


def _visit() -> str:
    run = get_script_run_ctx()
    return "" if run is None else run.session_id


@contextmanager
def limit_run() -> Iterator[None]:
    """Wait for a place for this visit's run, and give it back at the end."""
    with _limiter().limit(_visit()) as placed, working_on(placed):
        yield


def fragment(draw: Callable[P, None], run_every: float | None = None) -> Callable[P, None]:
    """A part of a page that can be run alone, as `st.fragment` makes it; such a run takes turns.

    An error of ours ends such a run with its sentence, as it ends a page.
    """

    @wraps(draw)
    def limited(*args: P.args, **kwargs: P.kwargs) -> None:
        if isinstance(current_work(), PlacedRun):  # within the run of its page
            draw(*args, **kwargs)
            return
        with _limiter().limit(_visit()) as placed, working_on(placed), plain_errors():
            draw(*args, **kwargs)

    part: Callable[P, None] = st.fragment(limited, run_every=run_every)
    return part


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
