"""A poll without phones: coins, dice or birthdays make the noise, and the teacher types the counts.

Each way is Warner's coin (Warner 1965; the birthday: Yu, Tian, Tang 2008, crosswise), so that the
estimate and its range are those of phones at the same ε.
"""

import math
import tomllib
from dataclasses import dataclass, replace
from fractions import Fraction
from html import escape
from pathlib import Path
from string import Template
from typing import Any, Final

import streamlit as st

from caldp_ui.app.errors import escape_markdown
from caldp_ui.app.theme import palette
from caldp_ui.charts import show as charts
from caldp_ui.controls import choices
from caldp_ui.parts import sharing
from caldp_ui.room import view, words
from caldp_ui.room.page_state import STATE
from caldp_ui.room.poll import REPORTS_MAX, PollState
from caldp_ui.room.question import Question
from caldp_ui.words import formats

WAYS: Final[dict[str, dict[str, Any]]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
_SHEET: Final = Template(Path(__file__).with_name("sheet.html").read_text(encoding="utf-8"))
_KEY: Final = STATE.key("by-hand")


@dataclass(frozen=True)
class Count:
    """What the teacher has typed: the `way`, and how many people said each answer."""

    way: str = "coins"
    said: tuple[int, int] = (0, 0)


def question_of(question: Question, way: str) -> Question:
    """The question with the noise of a way: both of its answers protected, at that way's ε."""
    truth = Fraction(WAYS[way]["truth"])
    return replace(question, sensitive=(0, 1), epsilon=math.log(truth / (1 - truth)), right=None)


def poll_of(question: Question, count: Count) -> PollState:
    """The closed poll of the typed counts."""
    first, second = count.said
    reports = (0,) * first + (1,) * second
    return PollState("", view.MARK, question_of(question, count.way), False, reports, is_over=True)


def result_text(poll: PollState) -> str:
    """The estimate of the first answer and its range, as a sentence."""
    shares = view.shares_by(poll)(poll.question, poll.reports)
    nothing = words.nothing_yet(poll, 0, shares)
    if nothing:
        return escape_markdown(nothing)
    ends = (shares.estimate, shares.low, shares.high)
    middle, low, high = (f"{100 * each[0]:.0f}" for each in ends)
    people = formats.count(len(poll.reports), "person", "people")
    return (
        f"From {people} we estimate that **{middle} of 100** like these would truthfully say "
        f"{escape_markdown(words.quoted(poll.question, 0))}: {low} to {high} (95 % range)."
    )


def sheet(question: Question, way: str) -> str:
    """What each person does, as a page of HTML to print."""
    asked, texts = question_of(question, way), filled(question, way)
    first, second = texts["says"]
    return _SHEET.substitute(
        question=escape(question.text),
        needs=escape(texts["needs"]),
        steps="".join(f"<li>{escape(step)}</li>" for step in texts["steps"]),
        protection=escape(words.promise(asked)),
        note=escape(texts["note"]),
        first=escape(first),
        second=escape(second),
    )


def filled(question: Question, way: str) -> dict[str, Any]:
    """The texts of a way with the question's two answers in them."""
    first, second = question.answers
    fill = {"first": first, "second": second}
    many = {name: [text.format(**fill) for text in WAYS[way][name]] for name in ("steps", "says")}
    return WAYS[way] | many


def button() -> None:
    """The button that opens the drawer."""
    title, icon = "A poll without phones", ":material/casino:"
    choices.drawer("Without phones", _KEY, title, _drawer, icon=icon, type="tertiary")


def _drawer() -> None:
    question = STATE.current().question
    if question.k != len(Count().said):
        st.markdown(
            f"Coins, dice and birthdays hide one of two answers; this question has {question.k}. "
            "Choose or write a question of two answers."
        )
        return
    count = _typed(question)
    poll, note = poll_of(question, count), WAYS[count.way]["note"]
    st.markdown(f"{escape_markdown(words.promise(poll.question))} {note}")
    if poll.reports:
        st.markdown(result_text(poll))
        alt = words.in_words(view.all_numbers([poll]))
        charts.show(view.comparison([poll], palette()), f"{_KEY}-result", alt)
    sharing.file_button(f"{_KEY}-sheet", "sheet.html", sheet(question, count.way))


def _typed(question: Question) -> Count:
    """Draw the choice of the way, its steps, and the two counts; what was typed stays."""
    known = st.session_state.setdefault(f"{_KEY}-count", Count())
    names = list(WAYS)
    way = st.segmented_control(
        "How the answers are hidden",
        names,
        default=known.way,
        format_func=lambda name: WAYS[name]["title"],
        required=True,
    )
    texts = filled(question, way)
    st.markdown(escape_markdown(texts["needs"]))
    st.markdown("\n".join(f"1. {escape_markdown(step)}" for step in texts["steps"]))
    with st.container(horizontal=True):
        said = [
            st.number_input(f"People who said “{name}”", 0, REPORTS_MAX, number, key=f"{_KEY}-{at}")
            for at, (name, number) in enumerate(zip(texts["says"], known.said, strict=True))
        ]
    count = Count(way, (said[0], said[1]))
    st.session_state[f"{_KEY}-count"] = count
    return count
