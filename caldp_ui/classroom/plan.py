"""A lesson of 50 minutes, minute by minute, as `plan.toml` has it, and the drawer that shows it.

`docs/lesson.md` is the same plan for readers; a test holds them together.
"""

import tomllib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import streamlit as st

from caldp_ui.classroom.page_state import STATE, Lesson
from caldp_ui.classroom.station_questions import prediction
from caldp_ui.controls import menus
from caldp_ui.lesson import steps
from caldp_ui.lesson.steps import Step
from caldp_ui.session import handover

_Act = Callable[[], None]
_BUTTON: Final = STATE.key("plan")


def _step(texts: Mapping[str, Any]) -> Step:
    page, station = f"pages/{texts['page']}.py", texts.get("station")

    def prepare() -> None:
        if station:
            STATE.open_with(Lesson(station))
        if "link" in texts:
            handover.open_with(page, texts["link"])
        if "part" in texts:
            handover.open_part(page, texts["part"])

    return Step(
        texts["minutes"],
        texts["title"],
        page,
        texts["do"],
        texts["home"],
        prepare,
        lambda: station in (None, STATE.current().station),
        prediction(station) if station else None,
    )


PARTS: Final = tuple(
    map(_step, tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["steps"])
)
"""The whole lesson, of `steps.MINUTES`."""


def button() -> None:
    """Draw the button that opens the plan, from which a lesson begins."""
    title, opens = f"A lesson of {steps.MINUTES} minutes", handover.take_part(STATE.page, "plan")
    icon = ":material/schedule:"
    menus.drawer("Lesson plan", _BUTTON, title, _drawer, opens, icon=icon)


def _drawer() -> None:
    if steps.running() is None:
        st.markdown("While you teach, a bar shows the minute, the step and what comes next.")
        label, act = "Begin the lesson", lambda: steps.begin(PARTS)
    else:
        label, act = "End the lesson", steps.end
    key = STATE.key("begin")
    if st.button(label, key=key, type="primary", width="stretch", on_click=_close, args=(act,)):
        st.rerun()
    for begins, part in zip(starts(), PARTS, strict=True):
        label = f"{begins} to {begins + part.minutes} min · {part.title}"
        key = STATE.key(f"plan-{begins}")
        act = partial(_open, part)
        if st.button(label, key=key, width="stretch", on_click=_close, args=(act,)):
            st.switch_page(part.page)
        st.markdown(f"{part.do} *{part.home}*")


def _close(act: _Act) -> None:
    menus.set_drawer(_BUTTON, False)
    act()


def _open(part: Step) -> None:
    """Prepare the step's page; a lesson that is running goes to the step."""
    if steps.running() is None:
        part.prepare()
    else:
        steps.go_to_step(PARTS.index(part))


def starts() -> list[int]:
    """The minute at which each part begins."""
    return [sum(part.minutes for part in PARTS[:number]) for number in range(len(PARTS))]
