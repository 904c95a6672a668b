"""The tab of several questions: one sentence, bars of the ways to ask, odds, and all answers."""

from collections.abc import Sequence
from html import escape
from typing import Any, Final

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.experiments.questions import QuestionPlan
from caldp_core.experiments.table import as_cell
from caldp_ui.app.errors import escape_markdown
from caldp_ui.app.theme import Palette, palette
from caldp_ui.charts.curves import FIXED, legend
from caldp_ui.charts.show import show as show_chart
from caldp_ui.compute import runs
from caldp_ui.parts import internal
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.session import jobs
from caldp_ui.values import several_questions
from caldp_ui.values.answer_table import mean_text
from caldp_ui.values.page_state import STATE
from caldp_ui.values.several_questions import COUNTS, QuestionComparison, QuestionTable
from caldp_ui.words import formats

_DEFAULT_COUNT: Final = 5
_ROW: Final = 46
"""Pixels of a row of bars."""
_NAME_MAX: Final = 22
"""Most letters of a question's name on the picture; the table has all of them."""
_ONE: Final = "one question a person"
_EVERY: Final = "ε shared by all questions"


def show(data: ComparisonData) -> None:
    """The whole tab; asks for the number of questions where the data are no uploaded survey."""
    scenario = data.setup.scenario
    names = several_questions.survey_titles(scenario)
    open_questions = _ask_open_questions(names) if names else frozenset[int]()
    count = len(names) or _ask_count()
    try:
        several_questions.asking_options(scenario, count, open_questions)
    except CaldpError as error:
        st.info(escape_markdown(str(error)))
        return
    comparison = jobs.run_automatically(
        STATE.key("several"),
        f"{count} {sorted(open_questions)} {runs.key(scenario)}",
        lambda progress: several_questions.compare_options(
            scenario, count, open_questions, progress
        ),
        lambda job: f"Errors of both ways to ask: {job.share:.0%}",
    )
    if comparison is None:
        return
    st.markdown(f"**{comparison_sentence(comparison)}**")
    if open_questions:
        st.caption(
            "The other questions are answered openly by everybody and take no ε. What an open "
            "answer says of a sensitive one, as age says of illness, no ε covers."
        )
    left, right = st.columns([1.2, 1], gap="large")
    with left:
        figure = _bars(comparison, palette())
        show_chart(figure, STATE.key("several-bars"), alt(comparison))
        st.html(legend(figure))
    with right:
        if comparison.options.every.questions > 1:
            several_questions.show(comparison)
    _answers(
        several_questions.survey_tables(scenario, comparison.options.best, open_questions),
        comparison.options.best,
    )


def _ask_open_questions(names: list[str]) -> frozenset[int]:
    """Asks which questions are sensitive, and returns the indices of the others, never all."""
    every = list(range(len(names)))
    picked = st.multiselect(
        "Sensitive questions",
        every,
        every,
        format_func=names.__getitem__,
        key=STATE.key(f"several-sensitive-{'|'.join(names)}"),
        help="Others are asked openly: they need no noise and no part of ε.",
    )
    return frozenset(set(every) - set(picked or every))


def _ask_count() -> int:
    picked = st.select_slider(
        "Questions like this one, put to the same people",
        COUNTS,
        _DEFAULT_COUNT,
        key=STATE.key("several-count"),
        help="With “Your data” choose several columns of a file, and see its own questions here.",
    )
    return int(picked)


def comparison_sentence(comparison: QuestionComparison) -> str:
    """Both errors, of the average sensitive question, and which way is better."""
    (one, every), count = comparison.average, comparison.options.every.questions
    if count == 1:
        return (
            f"With one sensitive question, {formats.out_of(one)} people are under its wrong answer."
        )
    sentence = (
        f"If each person is asked one of the {count} questions, {formats.out_of(one)} people are "
        f"under the wrong answer, and {formats.out_of(every)} if each is asked all {count} at "
        f"ε = {formats.digits(comparison.options.every.answer_epsilon)}."
    )
    if comparison.is_subset_best:
        return f"{sentence} {comparison.options.best.per_person} questions a person are best."
    return sentence


def _bars(comparison: QuestionComparison, colours: Palette) -> go.Figure:
    """A row per question, a bar per way to ask; names at the left, numbers at the ends."""
    names = [_short_title(name) for name in comparison.errors]
    rows = list(comparison.errors.values())
    styles = [(_ONE, colours.ours), (_EVERY, colours.plain)]
    if any(row[2] is not None for row in rows):
        styles.append((f"{comparison.options.best.per_person} questions a person", colours.pinned))
    traces = [
        _trace(name, names, [100 * (row[index] or 0.0) for row in rows], (colour, colours.text))
        for index, (name, colour) in enumerate(styles)
    ]
    texts = {"tickfont_color": colours.text, "title_font_color": colours.text, **FIXED}
    longest = max(100 * (each or 0.0) for row in rows for each in row)
    layout = {
        "barmode": "group",
        "bargap": 0.25,
        "height": 90 + _ROW * len(rows),
        "margin": {"l": 8 + 7 * max(map(len, names)), "r": 10, "t": 8, "b": 50},
        "xaxis": {
            "title_text": "people under the wrong answer, of 100",
            "range": [0, max(1.2 * longest, 1.0)],
            **texts,
        },
        "yaxis": {"type": "category", "autorange": "reversed", **texts},
        "showlegend": False,
        "dragmode": False,
    }
    return go.Figure(traces, layout)


def _trace(
    name: str, rows: Sequence[str], values: Sequence[float], inks: tuple[str, str]
) -> dict[str, Any]:
    """Bars of one way to ask with their numbers; `inks`: colours of bars and numbers."""
    colour, text = inks
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "y": rows,
        "x": values,
        "text": [formats.per_hundred(min(value / 100, 1.0)) for value in values],
        "textposition": "outside",
        "textfont": {"color": text},
        "cliponaxis": False,
        "marker": {"color": colour},
        "hovertemplate": f"{escape(name)}: %{{text}} of 100<extra></extra>",
    }


def _short_title(name: str) -> str:
    return escape(name if len(name) <= _NAME_MAX else f"{name[: _NAME_MAX - 1].rstrip()}…")


def alt(comparison: QuestionComparison) -> str:
    """The picture in words."""
    rows = "; ".join(
        f"{name}: {formats.of_hundred(min(row[0], 1.0))} and {formats.of_hundred(min(row[1], 1.0))}"
        for name, row in comparison.errors.items()
    )
    return f"People under the wrong answer, with {_ONE}, and with {_EVERY}. {rows}."


def _answers(tables: Sequence[QuestionTable], asking: QuestionPlan) -> None:
    """All answers to all questions of an uploaded survey in one table, and the means."""
    if not tables:
        return
    st.markdown(f"**All questions, each person asked {_asking_text(asking)}**")
    means = {each.question.title: each.mean for each in tables if each.mean is not None}
    if means:
        st.markdown("\n".join(f"- {escape_markdown(n)}: {mean_text(m)}." for n, m in means.items()))
    st.dataframe(
        frame(tables),
        hide_index=True,
        column_config={
            title: st.column_config.NumberColumn(title, format="%.2f %%")
            for title in (internal.COLUMN, "estimated", "low", "high")
        },
        key=STATE.key("several-table"),
    )
    st.caption(
        "low, high: each range holds its true value 95 times in 100. Means take the middle of each "
        "step of numbers. Who gave which answers together is not counted, so it is not here."
    )


def _asking_text(asking: QuestionPlan) -> str:
    if asking.per_person == asking.questions:
        return "all"
    return f"{'one' if asking.per_person == 1 else asking.per_person} at random"


def frame(tables: Sequence[QuestionTable]) -> pd.DataFrame:
    """One row per answer, shares in percent; names are escaped, as the browser saves it as CSV."""
    rows = []
    for each in tables:
        total = sum(each.question.counts)
        ends = (each.marginal.estimate, each.marginal.low, each.marginal.high)
        for x, name in enumerate(each.question.names):
            shares = dict(
                zip(("estimated", "low", "high"), (100 * float(e[x]) for e in ends), strict=True)
            )
            rows.append(
                {
                    "question": as_cell(each.question.title),
                    "answer": as_cell(name),
                    internal.COLUMN: 100 * each.question.counts[x] / total,
                    **shares,
                }
            )
    return pd.DataFrame(rows)
