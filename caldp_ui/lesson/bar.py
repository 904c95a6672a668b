"""The bar at the bottom of every page while a lesson is running.

One element, drawn by the browser, whose clock runs there. Its code is in `web/bar.js`, its style in
`web/bar.css`. Without a running lesson nothing is drawn, and `web/keeper.js` reports whether the
window had one before the page was loaded again.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import streamlit as st

from caldp_ui.lesson import steps
from caldp_ui.lesson.steps import LessonState, Step

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


def show(current: str, plan: tuple[Step, ...] = ()) -> None:
    """Draw the bar on the page `current`; open the page of a step that was just chosen.

    `plan`: steps of a lesson that may be resumed after the page was loaded again.
    """
    page = steps.page_to_open()
    if page is not None and page != current:
        st.switch_page(page)
    steps.follow_page(current)
    lesson = steps.running()
    if lesson is None:
        _keeper(key=KEEPER, on_lesson_change=lambda: _resume_lesson(plan))
    else:
        _bar(
            key=KEY,
            data=[_message(lesson, current)],
            on_go_change=_on("go", steps.go_to_step),
            on_arrive_change=_on("arrive", steps.set_step),
            on_end_change=steps.end,
        )


def _on(event: str, act: Callable[[int], None]) -> Callable[[], None]:
    """Callback that acts on the number of a step that comes with the browser's event."""

    def run() -> None:
        number = st.session_state[KEY].get(event)
        if isinstance(number, int):
            act(number)

    return run


def _resume_lesson(plan: tuple[Step, ...]) -> None:
    """Resume the lesson that the window kept while its page was loaded again."""
    saved = st.session_state[KEEPER].get("lesson")
    if not isinstance(saved, Mapping):
        return
    at, elapsed = saved.get("at"), saved.get("elapsed")
    if isinstance(at, int) and isinstance(elapsed, int | float):
        steps.resume(plan, at, float(elapsed))


def _message(lesson: LessonState, current: str) -> dict[str, Any]:
    """Data of the bar on the page `current`; only the clock changes between runs of a step."""
    return {
        "at": lesson.at,
        "aside": current != lesson.step.page,
        "elapsed": round(lesson.elapsed, 1),
        "steps": [
            {"title": s.title, "minutes": s.minutes, "do": s.do, "home": s.home, "ask": s.ask}
            for s in lesson.steps
        ],
    }
