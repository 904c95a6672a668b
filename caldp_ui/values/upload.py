"""Upload on the page “Sensitive answers”: a table, or the questions of a survey."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeAlias

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from caldp_core.basics.limits import OWN_QUESTIONS_MAX
from caldp_core.basics.types import Progress
from caldp_core.datasets import OwnTable
from caldp_core.datasets.files.answers import (
    CountedAnswers,
    CountedQuestions,
    count_answers,
    count_questions,
    step_width,
)
from caldp_core.datasets.files.layout_detection import DetectedFile, Layout
from caldp_core.datasets.files.numbers import Steps, width_choices
from caldp_core.scenarios.blocks import GroupBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.parts import own_data
from caldp_ui.parts.own_data import Columns
from caldp_ui.values.page_state import STATE, switch_table
from caldp_ui.values.tables import table_of
from caldp_ui.words import formats

CountedData: TypeAlias = CountedAnswers | CountedQuestions
_NO_STEPS: Final = 0.0
"""Stands for no steps: each number is an answer by itself."""


def popover() -> None:
    """The button, and the form that it opens."""
    own_data.popover(STATE, FORM)


def _ask_layout(key: Callable[[str], str], contents: DetectedFile, layout: Layout) -> Layout:
    """Asks for more questions of the same people; of a single one, for the steps of its numbers."""
    free = [at for at in range(len(contents.names)) if at not in (layout.answer, layout.count)]
    others: list[int] = []
    if layout.answer is not None and free:
        others = st.multiselect(
            "More questions that the same people answered",
            free,
            format_func=contents.names.__getitem__,
            max_selections=OWN_QUESTIONS_MAX - 1,
            placeholder="none: one question alone",
            help="Each is counted by itself. Numbers such as ages or incomes are put together in "
            "steps.",
            key=key("others"),
        )
    if others:
        return replace(layout, others=tuple(others), group=None).with_questions_alone()
    return replace(layout, steps=_ask_steps(key, contents, layout))


def _ask_steps(key: Callable[[str], str], contents: DetectedFile, layout: Layout) -> Steps | None:
    """Asks for the steps that bin a column of numbers; None for no steps."""
    width = _ask_width(key, contents, layout)
    if width is None:
        return None
    start, end = st.columns(2)
    return Steps(
        width, _ask_end(key, start, "from", "the least"), _ask_end(key, end, "to", "the largest")
    )


def _ask_end(
    key: Callable[[str], str], place: DeltaGenerator, name: str, without: str
) -> float | None:
    """Asks where steps begin or end; None for the least or largest number."""
    end: float | None = place.number_input(
        f"Steps {name}",
        value=None,
        placeholder=f"{without} number",
        help="Numbers beyond count in the first or last step. In a real survey choose both ends "
        "before anybody answers: left empty, they give away the least and the largest number.",
        key=key(f"steps-{name}"),
    )
    return end


def _ask_width(key: Callable[[str], str], contents: DetectedFile, layout: Layout) -> float | None:
    """Asks for the width of the steps; None for no steps."""
    if layout.answer is None or not contents.is_numeric(layout.answer):
        return None
    offered = [_NO_STEPS, *width_choices(contents.cells(layout.answer), layout.mark or ".")]
    guess = step_width(contents, layout, layout.answer)
    if len(offered) == 1:
        return None
    picked = st.selectbox(
        "Numbers are put together in steps of",
        offered,
        index=offered.index(guess or _NO_STEPS),
        format_func=lambda width: f"{width:,.10g}" if width else "none: each number by itself",
        help="In a real survey choose the steps before anybody answers: steps that are fitted to "
        "the answers say something about them.",
        key=key(f"step-{layout.answer}-{layout.mark}"),
    )
    return picked or None


def _count_rows(
    contents: DetectedFile, layout: Layout, title: str, progress: Progress
) -> CountedData:
    count: Callable[..., CountedData] = count_questions if layout.others else count_answers
    return count(contents, layout, title, progress)


def _people_count(counts: CountedData) -> int:
    """The number of people; of a survey, those who answered its most answered question."""
    if isinstance(counts, CountedQuestions):
        return max(sum(table.counts) for table in counts.survey.tables())
    return sum(counts.table.counts)


def _out_of_range_text(counts: CountedData) -> str:
    """How many numbers lie beyond the steps."""
    if isinstance(counts, CountedQuestions) or not counts.clamped_rows:
        return ""
    rows = formats.count(counts.clamped_rows, "number lies", "numbers lie")
    return f" {rows} beyond the steps: counted in the first or last step."


def _apply_counts(scenario: Scenario, counts: CountedData) -> Scenario:
    spec = counts.survey if isinstance(counts, CountedQuestions) else counts.table
    table = table_of(spec)
    assert table is not None  # data of one's own always are one
    return switch_table(scenario, table)


def _next_step(counts: CountedData) -> str:
    if isinstance(counts, CountedQuestions):
        return (
            "The first question is shown; choose another under “Data”. “Several questions” below "
            "has all of them."
        )
    return "All answers are hidden at first. Untick what is harmless, and see what that saves."


def _hidden_choices(counts: CountedData) -> dict[str, Callable[[Scenario], Scenario]]:
    """Protections of a table with groups: of answer and group, or of the answer within groups."""
    if isinstance(counts, CountedQuestions) or not counts.table.groups:
        return {}
    return {
        "the answer and the group": lambda scenario: scenario,
        "the answer; the group is open": lambda scenario: scenario.with_context(
            blocks=GroupBlocks()
        ),
    }


_COLUMNS: Final[Columns[CountedData]] = Columns(
    {"answer": "Answer", "count": "People (count or weight)", "group": "Group, or second answer"},
    ("answer",),
    lambda seen: seen.answers,
    _count_rows,
    _people_count,
    _ask_layout,
    _out_of_range_text,
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
    _apply_counts,
    _next_step,
    _hidden_choices,
)
