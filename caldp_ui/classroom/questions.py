"""Questions that people ask of local privacy, with their answers, and the words of these pages."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

import numpy as np
import streamlit as st

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.mechanisms import in_context
from caldp_core.privacy.context import Context
from caldp_ui.app.navigation import TITLES
from caldp_ui.app.texts import read_toml
from caldp_ui.words import accuracy, formats


@dataclass(frozen=True)
class FrequentQuestion:
    """A question and its answer, in plain text; `source`: its citation, or ""."""

    question: str
    answer: str
    source: str = ""


def frequent_questions() -> dict[str, list[FrequentQuestion]]:
    """All questions of `questions.toml` by the title of their column."""
    texts = read_toml(__file__, "questions.toml")
    odds = {
        "one": max_guess_accuracy(1.0),
        "four": max_guess_accuracy(4.0),
        "eight": max_guess_accuracy(8.0),
        "ten": max_guess_accuracy(1.0, 10),
    }
    numbers = {name: formats.hundred(chance) for name, chance in odds.items()}
    numbers["lie"] = formats.digits(people_added_by_a_lie(1.0))
    numbers["small_lie"] = formats.digits(people_added_by_a_lie(0.1))
    return {title: [_question(numbers, **each) for each in texts[title]] for title in texts}


def people_added_by_a_lie(epsilon: float) -> float:
    """People that one report "yes" adds to the estimate of yes, by Warner's coin at this ε."""
    coin = in_context(Context.plain(2, epsilon), "randomized-response")
    return float(coin.estimate(coin.tally(np.array([1])))[1])


def _question(
    numbers: Mapping[str, str], question: str, answer: str, page: str = "", source: str = ""
) -> FrequentQuestion:
    see = f" See “{TITLES[f'pages/{page}.py']}”." if page else ""
    return FrequentQuestion(question, answer.format(**numbers) + see, source)


def show() -> None:
    """Show three columns of folded questions, and the folded glossary below them."""
    columns = "".join(
        f"<div><h2>{escape(title)}</h2>{''.join(map(_question_html, questions))}</div>"
        for title, questions in frequent_questions().items()
    )
    words = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(meaning.replace('*', ''))}</dd>"
        for name, meaning in accuracy.DEFINITIONS.items()
    )
    st.html(
        f'<div class="questions">{columns}</div><details class="glossary">'
        f"<summary>The words of these pages</summary><dl>{words}</dl></details>"
    )


def _question_html(entry: FrequentQuestion) -> str:
    source = f"<small>{escape(entry.source)}</small>" if entry.source else ""
    return (
        f"<details><summary>{escape(entry.question)}</summary>"
        f"<p>{escape(entry.answer)} {source}</p></details>"
    )
