"""Answers of a reader's own on the page of sensitive values: a table, or a survey's questions."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeAlias

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from caldp_core.basics.limits import OWN_QUESTIONS_MAX
from caldp_core.basics.types import Progress
from caldp_core.datasets import OwnTable
from caldp_core.datasets.files.answers import CountedAnswers, count_answers
from caldp_core.datasets.files.bins import Steps, widths
from caldp_core.datasets.files.questions import CountedQuestions, count_questions, width_of
from caldp_core.datasets.files.understanding import Layout, Understood
from caldp_core.scenarios.blocks import GroupBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.parts import own_data
from caldp_ui.parts.own_file import Columns
from caldp_ui.values.slot import SLOT, taking
from caldp_ui.values.tables import table_of
from caldp_ui.words import formats

Brought: TypeAlias = CountedAnswers | CountedQuestions
_ALONE: Final = 0.0
"""Stands for numbers that are answers by themselves."""


def popover() -> None:
    """The button, and the form that it opens."""
    own_data.popover(SLOT, FORM)


def _ask(key: Callable[[str], str], seen: Understood, layout: Layout) -> Layout:
    """Further questions of the same people; of a single one, in what steps its numbers go."""
    free = [at for at in range(len(seen.names)) if at not in (layout.answer, layout.count)]
    others: list[int] = []
    if layout.answer is not None and free:
        others = st.multiselect(
            "More questions that the same people answered",
            free,
            format_func=seen.names.__getitem__,
            max_selections=OWN_QUESTIONS_MAX - 1,
            placeholder="none: one question alone",
            help="Each is counted by itself. Numbers such as ages or incomes are put together in "
            "steps.",
            key=key("others"),
        )
    if others:
        return replace(layout, others=tuple(others), group=None)
    return replace(layout, steps=_steps(key, seen, layout))


def _steps(key: Callable[[str], str], seen: Understood, layout: Layout) -> Steps | None:
    """The steps in which a column of numbers is put together; None for none."""
    width = _width(key, seen, layout)
    if width is None:
        return None
    start, end = st.columns(2)
    return Steps(width, _end(key, start, "from", "the least"), _end(key, end, "to", "the largest"))


def _end(key: Callable[[str], str], place: DeltaGenerator, name: str, without: str) -> float | None:
    """Where steps begin or end; None: as far as there are numbers."""
    given: float | None = place.number_input(
        f"Steps {name}",
        value=None,
        placeholder=f"{without} number",
        help="Numbers beyond count in the first or last step. In a real survey choose both ends "
        "before anybody answers: left empty, they give away the least and the largest number.",
        key=key(f"steps-{name}"),
    )
    return given


def _width(key: Callable[[str], str], seen: Understood, layout: Layout) -> float | None:
    """The width of these steps; None for none."""
    if layout.answer is None or not seen.is_numeric(layout.answer):
        return None
    offered = [_ALONE, *widths(seen.cells(layout.answer), layout.mark or ".")]
    guess = width_of(seen, layout, layout.answer)
    if len(offered) == 1:
        return None
    picked = st.selectbox(
        "Numbers are put together in steps of",
        offered,
        index=offered.index(guess or _ALONE),
        format_func=lambda width: f"{width:,.10g}" if width else "none: each number by itself",
        help="In a real survey choose the steps before anybody answers: steps that are fitted to "
        "the answers say something about them.",
        key=key(f"step-{layout.answer}-{layout.mark}"),
    )
    return picked or None


def _count(seen: Understood, layout: Layout, title: str, progress: Progress) -> Brought:
    count: Callable[..., Brought] = count_questions if layout.others else count_answers
    return count(seen, layout, title, progress)


def _people(found: Brought) -> int:
    """Of a survey those who answered the question that most did."""
    if isinstance(found, CountedQuestions):
        return max(sum(table.counts) for table in found.survey.tables())
    return sum(found.table.counts)


def _moved(found: Brought) -> str:
    """How many numbers lie beyond the steps."""
    if isinstance(found, CountedQuestions) or not found.moved:
        return ""
    rows = formats.count(found.moved, "number lies", "numbers lie")
    return f" {rows} beyond the steps: counted in the first or last step."


def _take(scenario: Scenario, found: Brought) -> Scenario:
    spec = found.survey if isinstance(found, CountedQuestions) else found.table
    table = table_of(spec)
    assert table is not None  # data of one's own always are one
    return taking(scenario, table)


def _then(found: Brought) -> str:
    if isinstance(found, CountedQuestions):
        return (
            "The first question is shown; choose another under “Data”. “Several questions” below "
            "has all of them."
        )
    return "All answers are hidden at first. Untick what is harmless, and see what that saves."


def _ways(found: Brought) -> dict[str, Callable[[Scenario], Scenario]]:
    """Of a table with two sides, which is sensitive: blocks go by the side that is open."""
    if isinstance(found, CountedQuestions) or not found.table.groups:
        return {}
    return {
        "the answer and the group": lambda scenario: scenario,
        "the answer; the group is open": lambda scenario: scenario.with_context(
            blocks=GroupBlocks()
        ),
    }


_COLUMNS: Final[Columns[Brought]] = Columns(
    {"answer": "Answer", "count": "People (count or weight)", "group": "Group, or second answer"},
    ("answer",),
    lambda seen: seen.answers,
    _count,
    _people,
    _ask,
    _moved,
)
FORM: Final = own_data.Form(
    "Your own table of answers",
    "A row for each answer: **the answer, how many people gave it**, and perhaps a group. Or a row "
    "for each person, with one answer or many.",
    "Table",
    """answer,people
none of these,731
asthma,142
diabetes,118
depression,97
epilepsy,21
HIV,13
rather not say,82""",
    "Conditions (made up)",
    OwnTable.title,
    _COLUMNS,
    _take,
    _then,
    _ways,
)
