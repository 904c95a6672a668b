"""A teacher's controls of reports: how many are let in, and how to discard some."""

from collections.abc import Callable
from typing import Any, Final

import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_ui.room.page_state import STATE
from caldp_ui.room.poll import REPORTS_FIRST, REPORTS_MAX, PollState
from caldp_ui.room.registry import TeacherKey, rooms
from caldp_ui.session import notices
from caldp_ui.words import formats

_MOST: Final = (50, REPORTS_FIRST, 200, REPORTS_MAX)
_LATELY: Final = {"10 seconds": 10.0, "minute": 60.0, "5 minutes": 300.0}


def try_action(action: Any, teacher_key: TeacherKey, *arguments: object) -> None:
    """Run a teacher's action on the room; a `CaldpError` becomes a notice."""
    try:
        action(teacher_key, *arguments)
    except CaldpError as error:
        notices.notify(str(error))


def warn(poll: PollState) -> None:
    """Warn where the poll is full."""
    if len(poll.reports) >= poll.most:
        st.warning(
            f"The poll is full: {formats.count(poll.most, 'report is', 'reports are')} in. Under "
            "“Reports” you can let in more, or throw some out.",
            icon=":material/group_off:",
        )


def form(teacher_key: TeacherKey, poll: PollState, on_thrown_out: Callable[[], object]) -> None:
    """Draw the limit of reports and the buttons that discard them.

    `on_thrown_out`: called once recent reports were discarded.
    """
    with st.popover("Reports", icon=":material/filter_alt:", width="stretch"):
        most, lately = STATE.key("most"), STATE.key("lately")
        st.select_slider(
            "Reports to a question, at most",
            sorted({*_MOST, poll.most}),
            poll.most,
            key=most,
            on_change=lambda: try_action(
                rooms().set_report_limit, teacher_key, st.session_state[most]
            ),
        )
        st.selectbox("Forget the reports of the last", list(_LATELY), key=lately)

        def throw_out() -> None:
            try_action(_throw_out, teacher_key, _LATELY[st.session_state[lately]])
            on_thrown_out()

        st.button("Forget these", key=STATE.key("throw-out"), on_click=throw_out)
        st.caption("Their phones cannot answer this question again.")
        st.button(
            "Start this question again",
            key=STATE.key("afresh"),
            on_click=try_action,
            args=(_ask_again, teacher_key),
        )
        st.caption(
            "All reports are forgotten. Every phone may answer again: two reports tell more."
        )


def _ask_again(teacher_key: TeacherKey) -> None:
    rooms().ask(teacher_key, rooms().get_own_poll(teacher_key).question)


def _throw_out(teacher_key: TeacherKey, seconds: float) -> None:
    discarded = rooms().discard_recent(teacher_key, seconds)
    notices.notify(f"{formats.count(discarded, 'report was', 'reports were')} forgotten.")
