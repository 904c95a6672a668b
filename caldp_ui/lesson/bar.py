"""The bar at the bottom of every page while a lesson is being held.

One element, drawn by the browser, whose clock runs there. Nothing is drawn where no lesson is held.
Its code is in `web/bar.js`, its style in `web/bar.css`.
"""

from pathlib import Path
from typing import Any, Final

import streamlit as st

from caldp_ui.lesson import steps
from caldp_ui.lesson.steps import Running

_WEB: Final = Path(__file__).with_name("web")
KEY: Final = "lesson-bar"
_bar: Final = st.components.v2.component(
    "caldp_lesson_bar",
    html='<section class="lesson" aria-label="Lesson"></section>',
    css=(_WEB / "bar.css").read_text("utf-8"),
    js=(_WEB / "bar.js").read_text("utf-8"),
)


def show(current: str) -> None:
    """Draw the bar on the page `current`; go to the page of a step that was just chosen."""
    page = steps.page_to_open()
    if page is not None and page != current:
        st.switch_page(page)
    steps.follow(current)
    held = steps.running()
    if held is not None:
        _bar(key=KEY, data=[_message(held)], on_go_change=_go, on_end_change=steps.end)


def _go() -> None:
    number = st.session_state[KEY].get("go")
    if isinstance(number, int):
        steps.go(number)


def _message(held: Running) -> dict[str, Any]:
    """What the browser is told; the same in every run of a step, but for the clock."""
    return {
        "at": held.at,
        "elapsed": round(held.elapsed, 1),
        "steps": [
            {"title": s.title, "minutes": s.minutes, "do": s.do, "home": s.home} for s in held.steps
        ],
    }
