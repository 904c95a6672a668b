"""Several questions per person: the error of each way to ask them, and a survey's tables.

An uploaded survey has its own questions, with every answer hidden from every other. For any other
table they are questions like the one that is shown, under the page's protection. An attacker's
guesses of several answers depend on how they are asked, and on how ε adds up.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pandas as pd
import streamlit as st

from caldp_core.audit.adversary import max_guess_accuracy, max_record_guess_accuracy
from caldp_core.basics.cache import cached_by
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import OWN_QUESTIONS_MAX
from caldp_core.basics.types import Progress
from caldp_core.datasets import OwnSurvey, OwnTable
from caldp_core.domain.domains import scale_of
from caldp_core.experiments.questions import (
    EstimatedMean,
    Marginal,
    Question,
    QuestionPlan,
    ask_questions,
    best_plan,
    mean_of,
    open_mechanism_maker,
    ordered_question,
    plain_mechanism_maker,
    wrong_share,
)
from caldp_core.experiments.table import as_cell
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.texts import escape_markdown, read_texts
from caldp_ui.app.theme import Palette, palette
from caldp_ui.app.user_text import UserText, user_texts
from caldp_ui.charts.curves import FIXED, bare_layout, legend
from caldp_ui.charts.show import Figure
from caldp_ui.charts.show import show as show_chart
from caldp_ui.compute import runs
from caldp_ui.parts import pack
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.session import jobs
from caldp_ui.values.page_state import STATE
from caldp_ui.values.tabs import mean_text
from caldp_ui.words import formats

TEXTS: Final = read_texts(__file__)

COUNTS: Final = tuple(range(2, OWN_QUESTIONS_MAX + 1))
"""Choices for the number of questions like the one that is shown."""


@dataclass(frozen=True)
class AskingOptions:
    """Ways to ask: one question a person, ε shared by all, and the one with the least error."""

    one: QuestionPlan
    every: QuestionPlan
    best: QuestionPlan


@dataclass(frozen=True)
class QuestionComparison:
    """Errors of the ways to ask: a row per question of a survey, else per number of questions.

    `errors`: by name of the row, the expected share of people under the wrong answer for each of
    `AskingOptions`; the best only where it is neither of the others. `average`: the first two, over
    the sensitive questions of a survey, else of the chosen number of questions.
    """

    options: AskingOptions
    errors: Mapping[UserText, tuple[float, float, float | None]]
    average: tuple[float, float]

    @property
    def is_subset_best(self) -> bool:
        """Whether it is best to ask each person several questions, but not all."""
        return 1 < self.options.best.per_person < self.options.every.per_person


@dataclass(frozen=True, eq=False)
class QuestionTable:
    """A question as one simulated survey answers it; `mean`: None if answers are not numbers."""

    question: OwnTable
    marginal: Marginal
    mean: EstimatedMean | None


def asking_options(scenario: Scenario, count: int, clear: frozenset[int]) -> AskingOptions:
    """The ways to ask all but the `clear` (indices); `CaldpError` if ε is too small."""
    epsilon, n = scenario.policy.plain_epsilon, runs.setup(scenario).n
    all_questions = _questions(scenario, count, clear)
    questions = [each for at, each in enumerate(all_questions) if at not in clear]
    count = len(questions)
    one, every = QuestionPlan(count, 1, epsilon), QuestionPlan(count, count, epsilon)
    return AskingOptions(one, every, best_plan(questions, epsilon, n))


@cached_by(lambda scenario, *rest: (runs.law_key(scenario), *rest[:-1]))
def compare_options(
    scenario: Scenario, count: int, clear: frozenset[int], progress: Progress
) -> QuestionComparison:
    """All errors, by forecasts; `count` is the survey's own number of questions, where it is one.

    `clear`: indices of its questions that are asked in the clear and need no ε. Takes up
    to seconds; raises `CaldpError` as `asking_options` does.
    """
    options = asking_options(scenario, count, clear)
    errors: dict[UserText, tuple[float, float, float | None]] = {}
    rows = _rows(scenario, count, clear)
    for number, (name, (sharing, question)) in enumerate(rows.items()):
        progress(number / len(rows))
        plans = (QuestionPlan(sharing, each, options.one.epsilon) for each in (1, sharing))
        one, every = (_asking_error(scenario, plan, question) for plan in plans)
        is_between = 1 < options.best.per_person < sharing and bool(survey_titles(scenario))
        best = _asking_error(scenario, options.best, question) if is_between else None
        errors[name] = one, every, best
    return QuestionComparison(
        options, errors, _average(list(errors.values()), scenario, count, clear)
    )


def _average(
    rows: Sequence[tuple[float, float, float | None]],
    scenario: Scenario,
    count: int,
    clear: frozenset[int],
) -> tuple[float, float]:
    if survey_titles(scenario):
        rows = [row for at, row in enumerate(rows) if at not in clear]
    else:
        rows = [rows[COUNTS.index(count)]]
    one, every = sum(row[0] for row in rows), sum(row[1] for row in rows)
    return min(1.0, one / len(rows)), min(1.0, every / len(rows))


def _rows(
    scenario: Scenario, count: int, clear: frozenset[int]
) -> dict[UserText, tuple[int, Question]]:
    """By name of the row: the number of questions that share ε, and the question."""
    names = survey_titles(scenario)
    if names:
        questions = _questions(scenario, count, clear)
        return {
            name: (1 if at in clear else count - len(clear), question)
            for at, (name, question) in enumerate(zip(names, questions, strict=True))
        }
    (question,) = _questions(scenario, 1, clear)
    return {UserText(f"{number} questions"): (number, question) for number in COUNTS}


def _asking_error(scenario: Scenario, asking: QuestionPlan, question: Question) -> float:
    return wrong_share(asking, question, runs.setup(scenario).n, scenario.estimator)


def survey_titles(scenario: Scenario) -> tuple[UserText, ...]:
    """Titles of the questions of an uploaded survey; empty for any other table."""
    spec = scenario.dataset
    return user_texts(t.title for t in spec.tables()) if isinstance(spec, OwnSurvey) else ()


def _questions(scenario: Scenario, count: int, clear: frozenset[int]) -> Sequence[Question]:
    spec = scenario.dataset
    if isinstance(spec, OwnSurvey):
        shares = [table.load().distribution for table in spec.tables()]
        numbers = _ordered_questions(scenario, spec)
        return [
            Question(open_mechanism_maker(p.size), p)
            if at in clear
            else ordered_question(p)
            if at in numbers
            else Question(plain_mechanism_maker(p.size), p)
            for at, p in enumerate(shares)
        ]
    p = runs.dataset(scenario).distribution
    if not isinstance(scenario.policy, ContextPolicy):
        return [Question(plain_mechanism_maker(p.size), p)] * count
    same = replace(scenario, seed=0)
    return [Question(lambda e: runs.setup(same.with_epsilon(e)).mechanism, p)] * count


def _ordered_questions(scenario: Scenario, spec: OwnSurvey) -> frozenset[int]:
    """Indices of the questions on a scale, if the page's method is the square wave."""
    if scenario.kind("mechanism") != "square-wave":
        return frozenset()
    tables = enumerate(spec.tables())
    return frozenset(at for at, table in tables if scale_of(table.names) is not None)


def survey_tables(
    scenario: Scenario, asking: QuestionPlan, clear: frozenset[int]
) -> list[QuestionTable]:
    """One simulated run of an uploaded survey, asked that way; empty for any other table."""
    spec = scenario.dataset
    if not isinstance(spec, OwnSurvey):
        return []
    tables = spec.tables()
    questions, n = _questions(scenario, len(tables), clear), runs.setup(scenario).n
    open_plan = QuestionPlan(1, 1, asking.epsilon)
    plans = [open_plan if at in clear else asking for at in range(len(tables))]
    asked = f"{asking} {sorted(clear)}"
    seeds = runs.seeds(scenario, f"several questions {asked}")
    marginals = ask_questions(plans, questions, n, scenario.estimator, seeds)
    return [
        QuestionTable(table, marginal, _mean(table, question, marginal, plan))
        for table, question, marginal, plan in zip(tables, questions, marginals, plans, strict=True)
    ]


def _mean(
    table: OwnTable, question: Question, marginal: Marginal, asking: QuestionPlan
) -> EstimatedMean | None:
    values = scale_of(table.names)
    if values is None:
        return None
    mechanism, n = question.make(asking.answer_epsilon), int(marginal.people.sum())
    return mean_of(mechanism, question.p, marginal.unbiased, n, values)


def _show_guesses(comparison: QuestionComparison) -> None:
    """The table of right guesses by way to ask, and without sharing ε."""
    options, epsilon = comparison.options, comparison.options.one.epsilon
    count = options.every.questions
    plans = {"one, at random": options.one}
    if comparison.is_subset_best:
        plans[f"{options.best.per_person}, at random"] = options.best
    plans[f"all {count}, ε shared"] = options.every
    cells = {
        name: (plan.answer_epsilon, plan.answer_guess_accuracy, plan.record_guess_accuracy)
        for name, plan in plans.items()
    }
    one_guess, unshared = max_guess_accuracy(epsilon), max_record_guess_accuracy(epsilon, count)
    cells[f"all {count}, ε not shared"] = (epsilon, one_guess, unshared)
    rows = {
        name: {
            "ε of an answer": formats.digits(level),
            "right of 100: one answer": formats.hundred(of_answer),
            "right of 100: two people": formats.hundred(of_record),
        }
        for name, (level, of_answer, of_record) in cells.items()
    }
    st.table(pd.DataFrame(rows).T.rename_axis("questions a person"))
    chance = formats.hundred(one_guess)
    st.caption(TEXTS["composition"].format(chance=chance, count=count, epsilon=epsilon))


_DEFAULT_COUNT: Final = 5
_ROW: Final = 46
"""Pixels of a row of bars."""
_NAME_MAX: Final = 22
"""Most letters of a question's name on the picture; the table has all of them."""
_ONE: Final = "one question a person"
_EVERY: Final = "ε shared by all questions"


def show(data: ComparisonData) -> None:
    """The whole tab; asks for the number of questions where the data are not an uploaded survey."""
    scenario = data.setup.scenario
    names = survey_titles(scenario)
    clear = _ask_open_questions(names) if names else frozenset[int]()
    count = len(names) or _ask_count()
    try:
        asking_options(scenario, count, clear)
    except CaldpError as error:
        st.info(escape_markdown(str(error)))
        return
    comparison = jobs.run_automatically(
        STATE.key("several"),
        f"{count} {sorted(clear)} {runs.key(scenario)}",
        lambda progress: compare_options(scenario, count, clear, progress),
        lambda job: f"Errors of both ways to ask: {job.share:.0%}",
    )
    if comparison is None:
        return
    st.markdown(f"**{comparison_sentence(comparison)}**")
    if clear:
        st.caption(TEXTS["open_questions_notes"])
    left, right = st.columns([1.2, 1], gap="large")
    with left:
        figure = _bars(comparison, palette())
        show_chart(figure, STATE.key("several-bars"), alt(comparison))
        st.html(legend(figure))
    with right:
        if comparison.options.every.questions > 1:
            _show_guesses(comparison)
    _answers(survey_tables(scenario, comparison.options.best, clear), comparison.options.best)


def _ask_open_questions(names: Sequence[UserText]) -> frozenset[int]:
    """Asks which questions are sensitive, and returns the indices of the others, never all."""
    every = list(range(len(names)))
    picked = st.multiselect(
        "Sensitive questions",
        every,
        every,
        # A menu shows its options as they are.
        format_func=lambda at: names[at].raw,
        key=STATE.key(f"several-sensitive-{'|'.join(name.raw for name in names)}"),
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


def _bars(comparison: QuestionComparison, colours: Palette) -> Figure:
    """A row per question, a bar per way to ask; names at the left, numbers at the ends."""
    names = [name.shortened(_NAME_MAX) for name in comparison.errors]
    rows = list(comparison.errors.values())
    styles = [(_ONE, colours.ours), (_EVERY, colours.plain)]
    if any(row[2] is not None for row in rows):
        styles.append((f"{comparison.options.best.per_person} questions a person", colours.pinned))
    traces = [
        _trace(name, [100 * (row[index] or 0.0) for row in rows], (colour, colours.text))
        for index, (name, colour) in enumerate(styles)
    ]
    longest = max(100 * (each or 0.0) for row in rows for each in row)
    ends = [0, max(1.2 * longest, 1.0)]
    layout = bare_layout(
        colours,
        {"title": "people under the wrong answer, of 100", "range": ends, **FIXED},
        {
            "autorange": "reversed",
            # By number: two long titles may begin alike.
            "tickvals": list(range(len(names))),
            "ticktext": [name.chart for name in names],
            **FIXED,
        },
        90 + _ROW * len(rows),
        (8 + 7 * max(len(name.raw) for name in names), 10, 8, 50),
        barmode="group",
        bargap=0.25,
    )
    return Figure(traces, layout)


def _trace(name: str, values: Sequence[float], inks: tuple[str, str]) -> dict[str, Any]:
    """Bars of one way to ask with their numbers; `inks`: colours of bars and numbers."""
    colour, text = inks
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "y": list(range(len(values))),
        "x": values,
        "text": [formats.per_hundred(min(value / 100, 1.0)) for value in values],
        "textposition": "outside",
        "textfont": {"color": text},
        "cliponaxis": False,
        "marker": {"color": colour},
        "hovertemplate": "%{fullData.name}: %{text} of 100<extra></extra>",
    }


def alt(comparison: QuestionComparison) -> str:
    """The picture in words."""
    rows = []
    for name, (one, every, _) in comparison.errors.items():
        errors = [formats.of_hundred(min(error, 1.0)) for error in (one, every)]
        rows.append(f"{name.raw}: {errors[0]} and {errors[1]}")
    return f"People under the wrong answer, with {_ONE}, and with {_EVERY}. {'; '.join(rows)}."


def _answers(tables: Sequence[QuestionTable], asking: QuestionPlan) -> None:
    """All answers to all questions of an uploaded survey in one table, and the means."""
    if not tables:
        return
    st.markdown(f"**All questions, each person asked {_asking_text(asking)}**")
    means = {UserText(t.question.title): t.mean for t in tables if t.mean is not None}
    if means:
        st.markdown("\n".join(f"- {n.markdown}: {mean_text(m)}." for n, m in means.items()))
    st.dataframe(
        frame(tables),
        hide_index=True,
        column_config={
            title: st.column_config.NumberColumn(title, format="%.2f %%")
            for title in (pack.COLUMN, "estimated", "low", "high")
        },
        key=STATE.key("several-table"),
    )
    st.caption(TEXTS["answer_notes"])


def _asking_text(asking: QuestionPlan) -> str:
    if asking.per_person == asking.questions:
        return "all"
    return f"{'one' if asking.per_person == 1 else asking.per_person} at random"


def frame(tables: Sequence[QuestionTable]) -> pd.DataFrame:
    """One row per answer, shares in percent; names are escaped, as the browser saves it as CSV."""
    parts = [
        pd.DataFrame(
            {
                "question": as_cell(each.question.title),
                "answer": list(map(as_cell, each.question.names)),
                pack.COLUMN: 100 * np.array(each.question.counts) / sum(each.question.counts),
                "estimated": 100 * each.marginal.estimate,
                "low": 100 * each.marginal.low,
                "high": 100 * each.marginal.high,
            }
        )
        for each in tables
    ]
    return pd.concat(parts, ignore_index=True)
