"""A teacher's screens: one for everything, or the presenter's beside the projector's.

The projector's has the question, the way in and the picture. The presenter's, in a second window or
on a phone, has notes, answers, form and controls. Both steer one room, by its key.
"""

import math
from typing import Any, Final

import segno
import streamlit as st

from caldp_ui.app import gate
from caldp_ui.app.errors import escape_markdown
from caldp_ui.lesson.steps import Course, LessonState, length
from caldp_ui.room.page_state import STATE
from caldp_ui.room.poll import TeacherKey, worker_query

ALL: Final = ""
PROJECTOR: Final = "projector"
PRESENTER: Final = "presenter"
_SCREEN: Final = "room/screen"


def current() -> str:
    """What this visit shows of its room: `ALL`, or the `PROJECTOR`'s or `PRESENTER`'s part."""
    screen: str = st.session_state.get(_SCREEN, ALL)
    return screen


def put(screen: object) -> None:
    """Show this part from now on; everything for a name that is not known."""
    st.session_state[_SCREEN] = screen if screen in (PROJECTOR, PRESENTER) else ALL


def presenter_link(teacher_key: TeacherKey) -> str:
    """The link that steers the room from any browser: its key is in the fragment."""
    address = gate.current_address(worker_query())
    fragment = f"#{PRESENTER}={teacher_key.code}.{teacher_key.key}"
    return f"{gate.shared_address(address) or address}{fragment}"


def choose() -> None:
    """Draw what makes two screens of one."""
    with st.popover("Two screens", icon=":material/cast:", width="stretch"):
        st.markdown(
            "Your own screen has notes, answers and controls. The projector has the question, its "
            "code and the picture."
        )
        own = f"{gate.current_address(worker_query())}#{PRESENTER}"
        st.link_button("Open your own screen", own, icon=":material/open_in_new:", width="stretch")
        st.button(
            "Make this the projector's screen",
            width="stretch",
            key=STATE.key(PROJECTOR),
            on_click=put,
            args=(PROJECTOR,),
        )


def leave() -> None:
    """Draw the button that brings everything back to this screen."""
    with st.container(key=STATE.key(f"leave-{current()}")):
        icon, key = ":material/tune:", STATE.key("leave")
        st.button("Everything on this screen", icon=icon, key=key, on_click=put, args=(ALL,))


def other_devices(teacher_key: TeacherKey) -> None:
    """Draw the presenter's link, for a phone or a fresh browser."""
    with st.expander("Steer from another device"):
        st.markdown("Anybody who has this link steers the poll: keep it off the projector.")
        link = presenter_link(teacher_key)
        st.code(link, language=None, wrap_lines=True)
        draw_qr(link, "QR code of the presenter's link.")


def draw_qr(address: str, alt: str) -> None:
    """Draw an address as a QR code, as wide as its place."""
    st.image(segno.make(address, error="m").svg_inline(scale=6, border=2), width="stretch", alt=alt)


def notes(course: Course) -> None:
    """Draw the notes of the lesson's step, and buttons for the steps around it."""
    lesson, course.is_watched = course.lesson, True
    if lesson is None:
        return
    st.markdown(_notes_text(lesson))
    step, (before, after) = lesson.step, (lesson.at - 1, lesson.at + 1)

    def want(number: int) -> None:
        course.wanted = number

    with st.container(horizontal=True, gap="xsmall"):
        if before >= 0:
            st.button("Back", key=STATE.key("step-back"), on_click=want, args=(before,))
        if step.ask and not lesson.is_shown:
            st.button(f"Show {step.title}", key=STATE.key("step-show"), on_click=course.show_page)
        if after < len(lesson.steps):
            label, key = f"Next: {lesson.steps[after].title}", STATE.key("step-next")
            st.button(label, key=key, on_click=want, args=(after,))


def _notes_text(lesson: LessonState) -> str:
    step, total, begins = lesson.step, length(lesson.steps), length(lesson.steps[: lesson.at])
    minute = math.floor(lesson.elapsed / 60)
    ask: Any = step.ask
    right = f"{ask['ask']} {ask['answers'][ask['right']]}. {ask['because']}" if ask else ""
    lines = [
        f"**Step {lesson.at + 1} of {len(lesson.steps)}: {step.title}**",
        f"Minutes {begins} to {begins + step.minutes}; it is minute {minute} of {total}.",
        step.do,
        escape_markdown(right),
        f"*{step.home}*",
    ]
    return "\n\n".join(lines)
