"""What a teacher can do where reports are too many, or come from somebody who plays tricks."""

from collections.abc import Callable
from typing import Any, Final

import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_ui.room.poll import REPORTS_FIRST, REPORTS_MAX, Seen
from caldp_ui.room.registry import Held, rooms
from caldp_ui.room.slot import SLOT
from caldp_ui.session import notices
from caldp_ui.words import formats

_MOST: Final = (50, REPORTS_FIRST, 200, REPORTS_MAX)
_LATELY: Final = {"10 seconds": 10.0, "minute": 60.0, "5 minutes": 300.0}


def steer(act: Any, mine: Held, *told: object) -> None:
    """Do to the room what its teacher asked for; why not is a notice."""
    try:
        act(mine, *told)
    except CaldpError as error:
        notices.notify(str(error))


def warn(seen: Seen) -> None:
    """Say so where no more reports are taken."""
    if len(seen.reports) >= seen.most:
        st.warning(
            f"The poll is full: {seen.most} reports are in. Under “Reports” you can let "
            "in more, or throw some out.",
            icon=":material/group_off:",
        )


def form(mine: Held, seen: Seen, on_thrown_out: Callable[[], object]) -> None:
    """How many reports are let in, and how to get rid of some. `on_thrown_out`: called then."""
    with st.popover("Reports", icon=":material/filter_alt:", width="stretch"):
        most, lately = SLOT.key("most"), SLOT.key("lately")
        st.select_slider(
            "Reports to a question, at most",
            sorted({*_MOST, seen.most}),
            seen.most,
            key=most,
            on_change=lambda: steer(rooms().let_in, mine, st.session_state[most]),
        )
        st.selectbox("Forget the reports of the last", list(_LATELY), key=lately)

        def throw_out() -> None:
            steer(_throw_out, mine, _LATELY[st.session_state[lately]])
            on_thrown_out()

        st.button("Forget these", key=SLOT.key("throw-out"), on_click=throw_out)
        st.caption("Their phones cannot answer this question again.")
        st.button(
            "Start this question again",
            key=SLOT.key("afresh"),
            on_click=steer,
            args=(_ask_again, mine),
        )
        st.caption("All reports are forgotten; every phone may answer again.")


def _ask_again(mine: Held) -> None:
    rooms().ask(mine, rooms().steer(mine).question)


def _throw_out(mine: Held, seconds: float) -> None:
    gone = rooms().throw_out(mine, seconds)
    notices.notify(f"{formats.count(gone, 'report was', 'reports were')} forgotten.")
