"""RAPPOR's sizes, pages and formula, which both views of its station share.

Ε is the ε∞ of all reports of one value.
"""

from typing import Final

import streamlit as st

from caldp_core.lecture.rappor import Rappor
from caldp_ui.classroom.page_state import Lesson
from caldp_ui.words import formats

BITS: Final = 32
HASHES: Final = 2
COHORTS: Final = 8
_NAMES: Final = (
    *("news", "mail", "maps", "films", "music", "games"),
    *("books", "shop", "weather", "bank", "jobs", "doctor"),
)
PAGES: Final = tuple(f"{name}.example" for name in _NAMES)
"""Candidate home pages, the most popular first."""


def build_rappor(lesson: Lesson) -> Rappor:
    """The mechanism at the lesson's ε."""
    return Rappor(BITS, HASHES, lesson.epsilon)


def formula(lesson: Lesson) -> None:
    """Draw the formulas: both layers, what each promises, and how reports are decoded."""
    mechanism = build_rappor(lesson)
    known = formats.hundred(mechanism.history_guess_accuracy([mechanism.law_of_permanent]))
    st.latex(
        r"\varepsilon_\infty = 2h\log\frac{1-f/2}{f/2}\qquad"
        r"\varepsilon_1 = h\log\frac{q^*(1-p^*)}{p^*(1-q^*)}"
    )
    st.markdown(
        f"h = {HASHES} of {BITS} bits are set by a value (Bloom filter). **Permanent**: each is "
        f"flipped with f/2 = {1 - float(mechanism.keep_probability):.3f} and kept. **Daily**: "
        "sent as 1 with ¾ "
        f"where the kept bit is 1, else with ¼. All days together keep ε∞ = {lesson.epsilon:g}; "
        f"one report alone keeps ε₁ = {mechanism.epsilon_one_day:.2f}. The daily layer promises "
        "nothing further: it makes reports of one phone harder to link, and averages away, down to "
        f"the kept bits ({known} of 100 guessed right). Every new value has kept bits of its own "
        "and costs ε∞ again: v values promise v·ε∞. **Decoding**: "
        f"phones are in {COHORTS} cohorts with hash functions of their own; the sums of bits are "
        "freed of noise and regressed on the candidates' Bloom filters (least squares; the paper's "
        "Lasso is for more candidates than bits). Erlingsson, Pihur, Korolova 2014, Theorems 1, 2."
    )
