"""The teacher writes the question, beside a rehearsal with made-up phones, and opens the poll."""

import streamlit as st

from caldp_ui.parts import headline
from caldp_ui.parts.layout import title_row
from caldp_ui.room import below, boards, films, form, hall, rehearsal, ways, words
from caldp_ui.room.slot import SLOT, Draft
from caldp_ui.session.opening import opened


def page() -> None:
    """The whole page before a poll is open."""
    draft = opened(SLOT)
    said, switch = title_row(SLOT)
    with switch:
        joiner()
    with said:
        half_width = rehearsal.half_width(draft)
        headline.show(words.rehearsal(draft.question, draft.phones, half_width))
    main, beside = st.columns([3.1, 1.2], gap="medium")
    with beside, st.container(key=SLOT.key("side")):
        hall.opener()
        form.question(draft)
        _phones(draft)
    with main:
        with st.container(key=films.TITLE):
            st.markdown(words.rehearsed(draft.phones))
        boards.board(rehearsal.told(draft), films.KEY)
        below.show(lambda: rehearsal.rehearsed(draft))
    hall.recall()
    films.show(draft)


def _phones(draft: Draft) -> None:
    st.select_slider(
        "Phones that you expect",
        sorted({*films.PHONES.steps, draft.phones}),
        format_func=films.PHONES.said,
        help="For the rehearsal only; a poll takes up to 100, or up to 500 if you let them in.",
        **SLOT.bind(films.PHONES.name, draft.phones, films.PHONES.at),
    )


def joiner() -> None:
    """For a phone whose owner has the code, but not the link."""
    key = SLOT.key("join")
    with st.popover("Join with a code", icon=":material/login:"):
        st.text_input(
            "The code on the projector",
            key=key,
            max_chars=60,
            on_change=lambda: ways.join(st.session_state[key]),
        )
