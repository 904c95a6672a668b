"""The teacher writes the question, beside a rehearsal with made-up phones, and opens the poll."""

import streamlit as st

from caldp_ui.parts import headline
from caldp_ui.parts.layout import title_row
from caldp_ui.room import below, boards, films, form, projector, rehearsal, words
from caldp_ui.room.page_state import CODE, STATE, Draft
from caldp_ui.session.opening import begin_page


def page() -> None:
    """Draw the whole page before a poll is open."""
    draft = begin_page(STATE)
    title, switch = title_row(STATE)
    with switch:
        _join_link()
    with title:
        half_width = rehearsal.half_width(draft)
        headline.show(words.rehearsal(draft.question, draft.phones, half_width))
    main, beside = st.columns([3.1, 1.2], gap="medium")
    with beside, st.container(key=STATE.key("side")):
        projector.open_button()
        form.question(draft)
        _phones(draft)
    with main:
        with st.container(key=films.TITLE):
            st.markdown(words.rehearsal_title(draft.phones))
        boards.board(rehearsal.rehearsal_json(draft), films.KEY)
        below.show(lambda: rehearsal.rehearse(draft))
    projector.restore_poll()
    films.show(draft)


def _phones(draft: Draft) -> None:
    st.select_slider(
        "Phones that you expect",
        sorted({*films.PHONES.steps, draft.phones}),
        format_func=films.PHONES.format_value,
        help="For the rehearsal only; a poll takes up to 100, or up to 500 if you let them in.",
        **STATE.bind(films.PHONES.name, draft.phones, films.PHONES.with_value),
    )


def _join_link() -> None:
    """Draw the way to the phones' page for a phone whose owner has the code, but not the link."""
    st.html(f'<a class="room-join" href="room?{CODE}=">Join with a code</a>')
