"""The button that asks what is written; a question that protects nobody is confirmed first."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeAlias

import streamlit as st

from caldp_ui.app.errors import escape_markdown
from caldp_ui.room import words
from caldp_ui.room.page_state import STATE, protect_all
from caldp_ui.room.question import Question

Ask: TypeAlias = Callable[[Question], None]
_WARNED: Final = "room/warned"
"""The question that protects nobody, as the teacher was warned of it."""


def button(name: str, label: str, icon: str, ask: Ask) -> None:
    """Draw the button that asks the question on the page; the warning, where one is due.

    `name`: of the widget. `icon`: "" for none. `ask`: called with the question.
    """
    question = STATE.current().question
    if question.sensitive or st.session_state.get(_WARNED) != question:
        st.button(
            label,
            type="primary",
            width="stretch",
            icon=icon or None,
            key=STATE.key(name),
            on_click=_ask_protected,
            args=(ask, None),
        )
        return
    st.warning(escape_markdown(words.unprotected_warning(question)), icon=":material/lock_open:")
    st.button(
        "Protect all answers",
        type="primary",
        width="stretch",
        key=STATE.key("protect"),
        on_click=STATE.change,
        args=(lambda draft: replace(draft, question=protect_all(draft.question)),),
    )
    st.button(
        "Ask without protection",
        width="stretch",
        key=STATE.key("unprotected"),
        on_click=_ask_protected,
        args=(ask, question),
    )


def _ask_protected(ask: Ask, confirmed: Question | None) -> None:
    """Ask what is written now, or warn: the click may come before the page has followed a change.

    `confirmed`: the question that the teacher asks without protection.
    """
    question = STATE.current().question
    if question.sensitive or question == confirmed:
        st.session_state.pop(_WARNED, None)
        ask(question)
    else:
        st.session_state[_WARNED] = question
