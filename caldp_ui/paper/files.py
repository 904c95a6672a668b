"""Exports of each result: its link, its numbers, and code that reproduces them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import streamlit as st

from caldp_core.experiments.reproduce import LINES, PANELS, MeanError, Point
from caldp_core.scenarios.blocks import GridBlocks
from caldp_ui.app.texts import read_texts
from caldp_ui.compute import exports
from caldp_ui.paper.page_state import STATE, Paper
from caldp_ui.paper.view import Rows
from caldp_ui.parts import sharing

TEXTS: Final = read_texts(__file__)


def show(record: Paper) -> None:
    """Show the code and the files that give a result's digits again, where there are any."""
    if record.view in _AGAIN:
        st.markdown("**The same digits elsewhere**")
        _AGAIN[record.view](record)


def _table_1(record: Paper) -> None:
    st.code(
        f"python -m caldp_core reproduce table1 --runs {record.runs} "
        f"--seed {record.scenario.seed} --scenario scenario.json",
        language="bash",
    )
    sharing.file_button(STATE.key("json"), "scenario.json", exports.scenario_json(record.scenario))


def _figure_3(record: Paper) -> None:
    plain = record.scenario
    ours = plain.with_context(blocks=GridBlocks(25, 35))
    st.code(exports.command(record.scenario), language="bash")
    with st.container(horizontal=True):
        sharing.file_button(STATE.key("json"), "scenario.json", exports.scenario_json(ours))
        sharing.file_button(STATE.key("plain"), "plain-ldp.json", exports.scenario_json(plain))
    sharing.python(exports.snippet(ours))


_AGAIN: Final[Mapping[str, Callable[[Paper], None]]] = {
    "table-1": _table_1,
    "figure-1": lambda record: sharing.python(figure_1_snippet(record)),
    "figure-2": lambda record: sharing.python(figure_2_snippet(record)),
    "figure-3": _figure_3,
    "sensitive-sets": lambda record: sharing.python(sensitive_sets_snippet(record)),
}


def figure_1_snippet(record: Paper) -> str:
    """Python that prints the corner of the region."""
    question = record.question
    return TEXTS["figure_1_code"].format(first=question.epsilon_01, second=question.epsilon_10)


def figure_2_snippet(record: Paper) -> str:
    """Python that prints the mean of every point, in about the time that the page takes."""
    return TEXTS["figure_2_code"].format(scenario=exports.literal(record.scenario))


def sensitive_sets_snippet(record: Paper) -> str:
    """Python that prints the multiples of the sentence, before they are rounded."""
    code = TEXTS["worst_case_code"] if record.share is None else TEXTS["known_share_code"]
    return code.format(
        values=record.values, share=record.share, epsilon=record.scenario.context.plain_epsilon
    )


def sensitive_sets_csv(sizes: Sequence[int], multiples: Mapping[str, Sequence[float]]) -> bytes:
    """One row per number of sensitive values: multiples of the best, by method."""
    return exports.csv({"sensitive values": sizes, **multiples})


def _columns(mean: MeanError) -> dict[str, object]:
    error = {"mean TV": mean.error, "standard error": mean.standard_error}
    return {**error, "runs": mean.runs}


def table_1_csv(rows: Rows) -> bytes:
    """One row per column of Table 1."""
    return exports.csv(
        [
            {
                "column": column.title,
                "printed": column.paper,
                **_columns(mean),
            }
            for column, mean in rows
        ]
    )


def figure_2_csv(points: Sequence[Point], found: Sequence[MeanError | None]) -> bytes:
    """One row per point of Figure 2, as far as it was run."""
    return exports.csv(
        [
            {
                "distribution": PANELS[point.panel].title,
                "curve": LINES[point.line].title,
                "people": point.scenario.n,
                **_columns(mean),
            }
            for point, mean in zip(points, found, strict=True)
            if mean
        ]
    )
