"""The odds of an attacker's guess as a picture of 100 people, with a grade for each group."""

from html import escape
from typing import Final

import streamlit as st

from caldp_core.experiments.run import Setup
from caldp_ui.parts import icons
from caldp_ui.parts.headline import bold_html
from caldp_ui.words import policies
from caldp_ui.words.promise_text import Grade, PromiseText
from caldp_ui.words.vocabulary import Vocabulary

PLACE: Final = ".st-key-odds .odds"
"""Where the odds are on the page, as a CSS selector: films change them, too."""


def show(nouns: Vocabulary, setup: Setup) -> None:
    """Show who is protected, and how well."""
    with st.container(key="odds"):
        st.html(html(nouns, setup))


def html(nouns: Vocabulary, setup: Setup) -> str:
    """The odds as HTML, for films."""
    texts = policies.describe_promise(nouns, setup)
    exposed = f"<p>{escape(texts.exposed)}</p>" if texts.exposed else ""
    graded = exposed + "".join(map(_grade, texts.grades))
    return f'<div class="odds {texts.grades[-1].word}">{picture(texts)}<div>{graded}</div></div>'


def picture(texts: PromiseText) -> str:
    """Of 100 figures: right even guesses where everybody is protected, else who is protected."""
    if texts.protects_all:
        full = round(100 * texts.chance)
        return icons.people_array(full, f"{full} of 100 small figures are filled: right guesses.")
    full = (
        0 if texts.protected_share <= 0.0 else min(max(round(100 * texts.protected_share), 1), 99)
    )
    words = f"Of 100 small figures {full} are blue, protected, and {100 - full} orange, not."
    return icons.people_array(full, words, "hundred split")


def _grade(grade: Grade) -> str:
    text = bold_html(grade.odds, "em")
    return f'<p><span class="grade {grade.word}">{escape(grade.title)}</span> {text}</p>'
