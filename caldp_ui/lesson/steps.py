"""The steps of a lesson, the step that a class is at, and the bar at the bottom of every page.

The steps themselves are in `classroom/page.py`; this module knows no page. The bar is drawn by the
browser, whose clock runs there (`web/bar.js`). Without a running lesson nothing is drawn, and
`web/keeper.js` reports whether the window had one before the page was loaded again.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any, Final

import streamlit as st

MINUTES: Final = 50
"""Length of a whole lesson."""
_RUNNING: Final = "lesson/running"
TO_OPEN: Final = "page-to-open"
"""The key of the file of the page that a click or a step of the lesson asks for."""


@dataclass(frozen=True)
class LessonStep:
    """A step of the lesson. `minutes`: its length; `page`: file of the page it takes place on.

    `do`: what the teacher does there, controls in bold; `home`: the sentence to take home.
    `prepare`: prepares the page before it is opened; `is_open`: whether the open page shows it.
    `ask`: what the class guesses before the page is shown, as the browser has it; None for nothing.
    """

    minutes: int
    title: str
    page: str
    do: str
    home: str
    prepare: Callable[[], None] = lambda: None
    is_open: Callable[[], bool] = lambda: True
    ask: Mapping[str, object] | None = None


@dataclass(frozen=True)
class LessonState:
    """A running lesson. `at`: index of the step; `begun`: seconds of `monotonic`.

    `is_shown`: another screen has asked for the page, which the class guesses before it is shown.
    """

    steps: tuple[LessonStep, ...]
    at: int
    begun: float
    is_shown: bool = False

    @property
    def step(self) -> LessonStep:
        """The step that the class is at."""
        return self.steps[self.at]

    @property
    def elapsed(self) -> float:
        """Seconds since it began."""
        return monotonic() - self.begun


@dataclass
class Course:
    """A visit's lesson, which other screens of its teacher may read and steer; changed in place.

    `lesson`: None without one. `wanted`: number of the step that another screen asks for, and
    `wanted_page` the file of a page; "" for none. `page`: file of the page that is open.
    `is_watched`: another screen has read it.
    """

    lesson: LessonState | None = None
    wanted: int | None = None
    wanted_page: str = ""
    page: str = ""
    is_watched: bool = False

    @property
    def is_steered(self) -> bool:
        """Whether another screen asks for a step or a page."""
        return self.wanted is not None or bool(self.wanted_page)

    def show_page(self) -> None:
        """Have the page of the step shown, which the class has guessed."""
        if self.lesson is not None:
            self.lesson = replace(self.lesson, is_shown=True)
            self.wanted = self.lesson.at


def course() -> Course:
    """The course of this visit."""
    found: Course = st.session_state.setdefault(_RUNNING, Course())
    return found


def join(other: Course) -> None:
    """Have this visit hold the lesson of that course from now on."""
    st.session_state[_RUNNING] = other


def running() -> LessonState | None:
    """The lesson that runs in this visit; None without one."""
    return course().lesson


def begin(steps: tuple[LessonStep, ...]) -> None:
    """Begin at the first step, with the clock at 0."""
    _store(LessonState(steps, 0, monotonic()))
    go_to_step(0)


def length(steps: tuple[LessonStep, ...]) -> int:
    """The minutes that these steps take together."""
    return sum(step.minutes for step in steps)


def resume(steps: tuple[LessonStep, ...], at: int, elapsed: float) -> None:
    """Resume at step `at`, `elapsed` seconds after the beginning; no effect if a lesson runs."""
    if running() is None and 0 <= at < len(steps) and 0 <= elapsed < math.inf:
        _store(LessonState(steps, at, monotonic() - elapsed))


def end() -> None:
    """End the running lesson, if any."""
    course().lesson = None


def go_to_step(number: int) -> None:
    """Have the page of step `number` opened by the next run (`page_to_open`).

    A step that the class comes back to after a question in between is found as it was left.
    """
    lesson = running()
    if lesson is not None and 0 <= number < len(lesson.steps):
        step = lesson.steps[number]
        if number != lesson.at or not step.is_open():
            step.prepare()
        set_step(number)
        open_page(step.page)


def set_step(number: int) -> None:
    """Be at step `number`, whose page the browser's history has opened."""
    lesson = running()
    if lesson is not None and number != lesson.at and 0 <= number < len(lesson.steps):
        _store(replace(lesson, at=number, is_shown=False))


def open_page(path: str) -> None:
    """Have this page be opened by the run of a callback, or by the next one; `path`: its file."""
    st.session_state[TO_OPEN] = path


def page_to_open(current: str) -> str | None:
    """The file of the page to open now; None if there is none, or once it is the page `current`.

    A request that comes right behind `st.switch_page` has the page before run again.
    """
    page: str | None = st.session_state.get(TO_OPEN)
    if page == current:
        del st.session_state[TO_OPEN]
        return None
    return page


def follow_page(page: str) -> None:
    """Move on to another step that takes place on this step's page, once the page shows it.

    Any other page is an aside: the class is still at the step that the teacher chose.
    """
    lesson = running()
    if lesson is None or page != lesson.step.page or lesson.step.is_open():
        return
    for number, step in enumerate(lesson.steps):
        if step.page == page and step.is_open():
            set_step(number)


def _store(lesson: LessonState) -> None:
    course().lesson = lesson


_WEB: Final = Path(__file__).with_name("web")
KEY: Final = "lesson-bar"
KEEPER: Final = "lesson-keeper"
_bar: Final = st.components.v2.component(
    "caldp_lesson_bar",
    html='<section class="lesson" aria-label="Lesson"></section>',
    css=(_WEB / "bar.css").read_text("utf-8"),
    js=(_WEB / "bar.js").read_text("utf-8"),
)
_keeper: Final = st.components.v2.component(
    "caldp_lesson_keeper", js=(_WEB / "keeper.js").read_text("utf-8")
)


def show(current: str, plans: Mapping[int, tuple[LessonStep, ...]] = {}) -> None:
    """Draw the bar on the page `current`; open the page of a step that was just chosen.

    `plans`: steps of lessons, by their minutes, that may be resumed once a page is loaded again.
    """
    here = course()
    here.page = current
    wanted, here.wanted = here.wanted, None
    if wanted is not None:
        go_to_step(wanted)
    wanted_page, here.wanted_page = here.wanted_page, ""
    if wanted_page:
        open_page(wanted_page)
    page = page_to_open(current)
    if page is not None:
        st.switch_page(page)
    follow_page(current)
    lesson = running()
    if lesson is None:
        _keeper(key=KEEPER, on_lesson_change=lambda: _resume_lesson(plans))
    else:
        _bar(
            key=KEY,
            data=[_message(lesson, current)],
            on_go_change=_on("go", go_to_step),
            on_arrive_change=_on("arrive", set_step),
            on_end_change=end,
        )


def _on(event: str, act: Callable[[int], None]) -> Callable[[], None]:
    """Callback that acts on the number of a step that comes with the browser's event."""

    def run() -> None:
        number = st.session_state[KEY].get(event)
        if isinstance(number, int):
            act(number)

    return run


def _resume_lesson(plans: Mapping[int, tuple[LessonStep, ...]]) -> None:
    """Resume the lesson that the window kept while its page was loaded again."""
    saved = st.session_state[KEEPER].get("lesson")
    if not isinstance(saved, Mapping):
        return
    at, elapsed, minutes = (saved.get(name) for name in ("at", "elapsed", "minutes"))
    if isinstance(at, int) and isinstance(elapsed, int | float) and isinstance(minutes, int):
        resume(plans.get(minutes, ()), at, float(elapsed))


def _message(lesson: LessonState, current: str) -> dict[str, Any]:
    """Data of the bar on the page `current`; only the clock changes between runs of a step."""
    return {
        "at": lesson.at,
        "shown": lesson.is_shown,
        "aside": current != lesson.step.page,
        "elapsed": round(lesson.elapsed, 1),
        "steps": [
            {"title": s.title, "minutes": s.minutes, "do": s.do, "home": s.home, "ask": s.ask}
            for s in lesson.steps
        ],
    }
