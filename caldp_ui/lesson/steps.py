"""The steps of a lesson and where a class is in them, kept for one visit.

What the steps are is the plan's (`classroom/plan.py`); this module knows no page.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import Final

import streamlit as st

MINUTES: Final = 50
"""Of a whole lesson."""
_RUNNING: Final = "lesson/running"
_TO_OPEN: Final = "lesson/to-open"


@dataclass(frozen=True)
class Step:
    """A step of the lesson. `minutes`: how long; `page`: the file of the page it is held on.

    `do`: what the teacher does there, controls in bold; `home`: the sentence to take home.
    `prepare` prepares the page before it is opened; `is_open`: whether the page, which is open,
    shows it.
    """

    minutes: int
    title: str
    page: str
    do: str
    home: str
    prepare: Callable[[], None] = lambda: None
    is_open: Callable[[], bool] = lambda: True


@dataclass(frozen=True)
class LessonState:
    """A lesson that is being held. `at`: number of the step; `begun`: seconds of `monotonic`."""

    steps: tuple[Step, ...]
    at: int
    begun: float

    @property
    def step(self) -> Step:
        """Where the class is."""
        return self.steps[self.at]

    @property
    def elapsed(self) -> float:
        """Seconds since it began."""
        return monotonic() - self.begun


def running() -> LessonState | None:
    """The lesson that this visit holds, if any."""
    found: LessonState | None = st.session_state.get(_RUNNING)
    return found


def begin(steps: tuple[Step, ...]) -> None:
    """Begin at the first step, with the clock at 0."""
    _store(LessonState(steps, 0, monotonic()))
    go_to_step(0)


def resume(steps: tuple[Step, ...], at: int, elapsed: float) -> None:
    """Go on at a step, so many seconds after the beginning; nothing while a lesson is held."""
    if running() is None and 0 <= at < len(steps) and 0 <= elapsed < math.inf:
        _store(LessonState(steps, at, monotonic() - elapsed))


def end() -> None:
    """No lesson is held any more."""
    st.session_state.pop(_RUNNING, None)


def go_to_step(number: int) -> None:
    """Make a step's page ready, and have it opened by the next run (`page_to_open`)."""
    held = running()
    if held is not None and 0 <= number < len(held.steps):
        _store(replace(held, at=number))
        held.steps[number].prepare()
        st.session_state[_TO_OPEN] = held.steps[number].page


def page_to_open() -> str | None:
    """The page that the lesson goes to now, said once."""
    page: str | None = st.session_state.pop(_TO_OPEN, None)
    return page


def follow_page(page: str) -> None:
    """Go with a teacher who opened another step's page by hand: the next such step, if any."""
    held = running()
    if held is None or _shows(held.step, page):
        return
    onward = [*range(held.at + 1, len(held.steps)), *range(held.at)]
    there = next((number for number in onward if _shows(held.steps[number], page)), held.at)
    _store(replace(held, at=there))


def _shows(step: Step, page: str) -> bool:
    return step.page == page and step.is_open()


def _store(lesson: LessonState) -> None:
    st.session_state[_RUNNING] = lesson
