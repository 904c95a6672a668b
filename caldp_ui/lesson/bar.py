"""The bar at the bottom of every page while a lesson is being held.

One element, drawn by the browser, whose clock runs there. Its code is in `web/bar.js`, its style in
`web/bar.css`. Where no lesson is held nothing is drawn, and the browser is asked whether its window
held one before the page was loaded again.
"""

from collections.abc import Mapping
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
    """Draw the bar on the page `current`; go to the page of a step that was just chosen.

    `plan`: the steps of a lesson that was begun before the page was loaded again.
    """
    page = steps.page_to_open()
    if page is not None and page != current:
        st.switch_page(page)
    steps.follow_page(current)
    held = steps.running()
    if held is None:
        _keeper(key=KEEPER, on_kept_change=lambda: _resume_lesson(plan))
    else:
        _bar(key=KEY, data=[_message(held)], on_go_change=_go, on_end_change=steps.end)


def _go() -> None:
    number = st.session_state[KEY].get("go")
    if isinstance(number, int):
        steps.go_to_step(number)


def _resume_lesson(plan: tuple[Step, ...]) -> None:
    """Go on with the lesson that the window held, on the page that was loaded again."""
    kept = st.session_state[KEEPER].get("kept")
    if not isinstance(kept, Mapping):
        return
    at, elapsed = kept.get("at"), kept.get("elapsed")
    if isinstance(at, int) and isinstance(elapsed, int | float):
        steps.resume(plan, at, float(elapsed))


def _message(lesson: LessonState) -> dict[str, Any]:
    """What the browser is told; the same in every run of a step, but for the clock."""
    return {
        "at": lesson.at,
        "elapsed": round(lesson.elapsed, 1),
        "steps": [
            {"title": s.title, "minutes": s.minutes, "do": s.do, "home": s.home}
            for s in lesson.steps
        ],
    }
