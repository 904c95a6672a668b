"""The teacher writes the question, beside a rehearsal with made-up phones, and opens the room.

Room: room.
"""

from dataclasses import replace

import streamlit as st

from caldp_ui.app.errors import as_text
from caldp_ui.room import below, boards, hall, reels, rehearsal, words
from caldp_ui.room.question import ANSWERS_MAX, TEXT_MAX
from caldp_ui.room.registry import tidy
from caldp_ui.room.slot import CODE, READY, SLOT, Draft, rewritten
from caldp_ui.session.opening import opened
from caldp_ui.words import promise
from caldp_ui.words.glossary import DEFINITIONS


def page() -> None:
    """The whole page before a room is open, and between two questions of one."""
    draft = opened(SLOT)
    with st.container(key=SLOT.key("title")):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.title("Ask the room", anchor=False, width="content")
            joiner()
        with st.container(), st.container(key="headline"):
            told = words.rehearsal(draft.question, draft.phones, rehearsal.half_width(draft))
            st.markdown(told)
    main, beside = st.columns([3.1, 1.2], gap="medium")
    with beside, st.container(key=SLOT.key("side")):
        _controls(draft)
    with main:
        with st.container(key=reels.TITLE):
            st.markdown(words.rehearsed(draft.phones))
        boards.board(rehearsal.told(draft), reels.KEY)
        below.show(lambda: rehearsal.rehearsed(draft))
    hall.recall()
    reels.show(draft)


def _controls(draft: Draft) -> None:
    question = draft.question
    hall.opener(question)
    ready = next((name for name, each in READY.items() if each == question), None)
    st.selectbox(
        "Start from",
        list(READY),
        placeholder="your own question",
        format_func=lambda name: READY[name].text,
        **SLOT.bind("ready", ready, lambda r, name: replace(r, question=READY[name])),
    )
    st.text_input(
        "Question",
        max_chars=TEXT_MAX,
        **SLOT.bind("text", question.text, lambda r, v: _with(r, text=v.strip())),
    )
    st.text_area(
        f"Answers, one a line, 2 to {ANSWERS_MAX}",
        height=120,
        **SLOT.bind(
            "answers",
            "\n".join(question.answers),
            lambda r, v: replace(r, question=rewritten(r.question, v)),
        ),
    )
    st.pills(
        "Sensitive: hidden by the coin",
        list(range(question.k)),
        selection_mode="multi",
        format_func=lambda x: as_text(question.answers[x]),
        **SLOT.bind(
            "sensitive",
            list(question.sensitive),
            lambda r, v: _with(r, sensitive=tuple(sorted(v))),
        ),
    )
    st.select_slider(
        "Privacy level ε",
        sorted({*reels.EPSILON.steps, question.epsilon}),
        format_func=reels.EPSILON.said,
        help=f"{DEFINITIONS['ε']} {promise.examples()}",
        **SLOT.bind(reels.EPSILON.name, question.epsilon, reels.EPSILON.at),
    )
    st.select_slider(
        "Phones that you expect",
        sorted({*reels.PHONES.steps, draft.phones}),
        format_func=reels.PHONES.said,
        help="For the rehearsal only; the room takes up to 500.",
        **SLOT.bind(reels.PHONES.name, draft.phones, reels.PHONES.at),
    )


def _with(record: Draft, **changed: object) -> Draft:
    return replace(record, question=replace(record.question, **changed))  # type: ignore[arg-type]


def joiner() -> None:
    """For a phone whose owner has the code, but not the link."""
    key = SLOT.key("join")
    with st.popover("Join with a code", icon=":material/login:"):
        st.text_input(
            "The code on the projector",
            key=key,
            max_chars=10,
            on_change=lambda: st.query_params.from_dict({CODE: tidy(st.session_state[key])}),
        )
