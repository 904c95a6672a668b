"""Frequent questions with short answers, and the glossary of the pages, folded."""

from dataclasses import dataclass
from html import escape
from typing import Final

import streamlit as st

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_ui.app.navigation import ADVERSARY, CLASSROOM, COARSER, PAGES, PLAN, VALUES
from caldp_ui.words import formats
from caldp_ui.words.glossary import DEFINITIONS

_TITLES: Final = {entry.path: entry.title for entry in PAGES}
_SEE_PAGE: Final = {
    page: f" See “{_TITLES[page]}”." for page in (ADVERSARY, CLASSROOM, COARSER, PLAN, VALUES)
}


@dataclass(frozen=True)
class FrequentQuestion:
    """A question and its answer, in plain text; `source`: its citation, or ""."""

    question: str
    answer: str
    source: str = ""


def _right_guesses_text(epsilon: float, reports: int = 1) -> str:
    return formats.hundred(max_guess_accuracy(epsilon, reports))


def participant_questions() -> tuple[FrequentQuestion, ...]:
    """Questions of people who are asked to report."""
    return (
        FrequentQuestion(
            "Is my ε safe?",
            "No number is safe for everybody. Say an attacker must choose between two protected "
            f"answers, both equally likely: at ε = 1 at most {_right_guesses_text(1.0)} of 100 "
            "guesses are "
            f"right, at ε = 4 it is {_right_guesses_text(4.0)}, at ε = 8 "
            f"{_right_guesses_text(8.0)}. Without a report it is "
            "50. What a right guess may do to you is outside of ε.",
        ),
        FrequentQuestion(
            "What about those whose answer is not marked as sensitive?",
            "They are not protected: a report that names an open answer tells the truth. Every "
            f"page names them first.{_SEE_PAGE[VALUES]}",
        ),
        FrequentQuestion(
            "What if I answer every day?",
            "Reports about the same thing add up. After ten fresh reports at ε = 1 an even guess "
            f"may be right {_right_guesses_text(1.0, 10)} times in 100. A phone that stores its "
            "noise sends the same report again, and spends ε once for each answer."
            f"{_SEE_PAGE[ADVERSARY]}",
        ),
        FrequentQuestion(
            "If I do not take part, am I safe?",
            "You are as safe as one can be from your own report. What others report may still say "
            "something of people like you: no privacy of reports prevents that.",
        ),
        FrequentQuestion(
            "What do the makers of phones do?",
            "They publish ε for each use: for emoji 4 a day, for words of the keyboard 8, twice a "
            f"day.{_SEE_PAGE[PLAN]}",
            "Apple, Differential Privacy Overview, 2017",
        ),
    )


def alternative_questions() -> tuple[FrequentQuestion, ...]:
    """Questions about alternatives to local noise."""
    return (
        FrequentQuestion(
            "Why not just delete the names?",
            "What remains works as a name: four places with their times single out 95 of 100 "
            "people among one and a half million.",
            "de Montjoye and others, Unique in the Crowd, 2013",
        ),
        FrequentQuestion(
            "Why not larger cells, or leaving small counts out?",
            "They promise nothing by themselves: totals can be subtracted and solved. They can be "
            f"enough where little else is published.{_SEE_PAGE[COARSER]}",
        ),
        FrequentQuestion(
            "Why not trust one server with the truth?",
            "Then far fewer people are enough. But whoever breaks in, buys the company or comes "
            f"with a court order has the truth.{_SEE_PAGE[CLASSROOM]}",
        ),
        FrequentQuestion(
            "May I look at the data to choose what is sensitive?",
            "No: the choice would say something about them. Choose from what everybody knows, "
            "before anything is collected.",
        ),
        FrequentQuestion(
            "Is it anonymous in the eyes of the law?",
            "Perhaps. Laws ask whether somebody can be identified, in context; ε is an argument, "
            "and no verdict. Ask somebody who knows your law.",
        ),
    )


def accuracy_questions() -> tuple[FrequentQuestion, ...]:
    """Questions about the accuracy of the result."""
    return (
        FrequentQuestion(
            "How many people do I need?",
            "Half the error takes four times the people. From fewer than a thousand people little "
            f"can be learned locally.{_SEE_PAGE[PLAN]}",
        ),
        FrequentQuestion(
            "Why are some estimates negative?",
            "The unbiased estimate takes the noise out again and may miss zero. Cutting it there "
            "costs no privacy, but adds a small bias.",
        ),
        FrequentQuestion(
            "Does noise harm small places most?",
            "Yes: the same error is a larger part of a small count. Hiding small counts and "
            f"merging them harm them, too: they are gone.{_SEE_PAGE[COARSER]}",
        ),
        FrequentQuestion(
            "Can people lie and spoil it?",
            "Yes. A false report counts as much as a true one after the noise is taken out, so "
            "the more, the smaller ε is. Limit reports to one a device, and watch their form."
            f"{_SEE_PAGE[ADVERSARY]}",
        ),
    )


def show() -> None:
    """Show three columns of questions, and the glossary below them."""
    groups = {
        "Am I safe?": participant_questions(),
        "Why not …?": alternative_questions(),
        "Is it good enough?": accuracy_questions(),
    }
    columns = "".join(
        f"<div><h2>{escape(title)}</h2>{''.join(map(_question_html, questions))}</div>"
        for title, questions in groups.items()
    )
    words = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(meaning.replace('*', ''))}</dd>"
        for name, meaning in DEFINITIONS.items()
    )
    st.html(
        f'<div class="questions">{columns}</div>'
        f'<details class="glossary"><summary>The words of these pages</summary>'
        f"<dl>{words}</dl></details>"
    )


def _question_html(entry: FrequentQuestion) -> str:
    source = f"<small>{escape(entry.source)}</small>" if entry.source else ""
    return (
        f"<details><summary>{escape(entry.question)}</summary>"
        f"<p>{escape(entry.answer)} {source}</p></details>"
    )
