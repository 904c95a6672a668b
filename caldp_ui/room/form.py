"""The controls by which a teacher writes a question, before a poll and between two questions."""

from dataclasses import replace
from typing import Final

import streamlit as st

from caldp_ui.app.errors import escape_markdown
from caldp_ui.room import films
from caldp_ui.room.page_state import EXAMPLES, STATE, Draft, with_answers
from caldp_ui.room.question import ANSWERS_MAX, TEXT_MAX
from caldp_ui.words import promise
from caldp_ui.words.glossary import DEFINITIONS

_NONE: Final = -1
"""Stands for no right answer among the numbers of answers."""


def question(draft: Draft) -> None:
    """Draw the controls of a question: example, text, answers, which are sensitive, and ε."""
    _texts(draft)
    _right(draft)
    _sensitive(draft)
    st.select_slider(
        "Privacy level ε",
        sorted({*films.EPSILON.steps, draft.question.epsilon}),
        format_func=films.EPSILON.format_value,
        help=f"{DEFINITIONS['ε']} {promise.epsilon_examples()}",
        **STATE.bind(films.EPSILON.name, draft.question.epsilon, films.EPSILON.with_value),
    )


def _texts(draft: Draft) -> None:
    current = draft.question
    example = next((name for name, each in EXAMPLES.items() if each == current), None)
    st.selectbox(
        "Example",
        list(EXAMPLES),
        placeholder="your own question",
        format_func=lambda name: EXAMPLES[name].text,
        **STATE.bind("ready", example, lambda r, name: replace(r, question=EXAMPLES[name])),
    )
    st.text_input(
        "Question",
        max_chars=TEXT_MAX,
        **STATE.bind("text", current.text, lambda r, v: _with(r, text=v.strip())),
    )
    st.text_area(
        f"Answers, one per line, 2 to {ANSWERS_MAX}",
        height=120,
        **STATE.bind(
            "answers",
            "\n".join(current.answers),
            lambda r, v: replace(r, question=with_answers(r.question, v)),
        ),
    )


def _sensitive(draft: Draft) -> None:
    current = draft.question
    st.pills(
        "Sensitive answers, protected by the coin",
        list(range(current.k)),
        selection_mode="multi",
        format_func=lambda x: escape_markdown(current.answers[x]),
        **STATE.bind(
            "sensitive",
            list(current.sensitive),
            lambda r, v: _with(r, sensitive=tuple(sorted(v))),
        ),
    )


def _right(draft: Draft) -> None:
    """Draw the choice of the right answer, where the room is to guess one."""
    current = draft.question
    st.selectbox(
        "Right answer, if the class guesses",
        [_NONE, *range(current.k)],
        format_func=lambda x: "none: ask for the truth" if x == _NONE else current.answers[x],
        help="Phones and projector show it once you press “Show the answer”.",
        **STATE.bind(
            "right",
            _NONE if current.right is None else current.right,
            lambda r, v: _with(r, right=None if v == _NONE else v),
        ),
    )


def _with(record: Draft, **changed: object) -> Draft:
    return replace(record, question=replace(record.question, **changed))  # type: ignore[arg-type]
