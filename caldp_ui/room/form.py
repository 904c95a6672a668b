"""The controls by which a teacher writes a question, before a poll and between two questions."""

import hashlib
from dataclasses import replace
from typing import Final

import streamlit as st

from caldp_ui.app.errors import escape_markdown
from caldp_ui.room import films
from caldp_ui.room.page_state import EXAMPLES, STATE, Draft, with_answers, with_right
from caldp_ui.room.question import ANSWERS_MAX, DIVIDER, TEXT_MAX, Question
from caldp_ui.words import promise
from caldp_ui.words.glossary import DEFINITIONS

_NONE: Final = -1
"""Stands for no right answer among the numbers of answers."""


def question(draft: Draft) -> None:
    """Draw the controls of a question: example, text, answers, which are sensitive, and ε."""
    _texts(draft)
    _sensitive(draft)
    _right(draft)
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
        format_func=lambda name: _example_title(EXAMPLES[name]),
        **STATE.bind("ready", example, lambda r, name: replace(r, question=EXAMPLES[name])),
    )
    st.text_input(
        "Question",
        max_chars=TEXT_MAX,
        **STATE.bind_text("text", current.text, lambda r, v: _with(r, text=v.strip())),
    )
    st.text_area(
        f"Answers, one per line, 2 to {ANSWERS_MAX}",
        height="content",
        **STATE.bind_text(
            "answers",
            "\n".join(current.answers),
            lambda r, v: replace(r, question=with_answers(r.question, v)),
        ),
    )


def _example_title(example: Question) -> str:
    """The text, and how many answers are not protected where that is part of the example."""
    bare = 0 if example.right is not None else example.k - len(example.sensitive)
    return f"{example.text} ({bare} of {example.k} not protected)" if bare else example.text


def _sensitive(draft: Draft) -> None:
    current = draft.question
    # Other answers get other pills: what comes late of the old ones takes no mark away.
    written = hashlib.blake2b(DIVIDER.join(current.answers).encode(), digest_size=8).hexdigest()
    with st.container(key=STATE.key("sensitive")):
        st.pills(
            "Sensitive answers, protected",
            list(range(current.k)),
            selection_mode="multi",
            format_func=lambda x: escape_markdown(current.answers[x]),
            help="New answers are protected. Click one to take its mark away.",
            **STATE.bind(
                f"sensitive-{written}",
                list(current.sensitive),
                lambda r, v: _mark(r, current.answers, v),
            ),
        )


def _mark(record: Draft, answers: tuple[str, ...], picked: list[int]) -> Draft:
    """Mark what was picked, if the question still has the answers among which it was."""
    if record.question.answers != answers:
        return record
    return _with(record, sensitive=tuple(sorted(picked)))


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
            lambda r, v: replace(r, question=with_right(r.question, None if v == _NONE else v)),
        ),
    )


def _with(record: Draft, **changed: object) -> Draft:
    return replace(record, question=replace(record.question, **changed))  # type: ignore[arg-type]
