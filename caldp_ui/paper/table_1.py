"""Table 1 live: every column run again and again beside the page."""

import json
from collections.abc import Callable, Iterator
from functools import partial

import pandas as pd
import streamlit as st

from caldp_core.basics.types import Progress
from caldp_core.experiments.interleaved_runs import (
    TrialRun,
    complete_rounds,
    means,
    run_interleaved,
)
from caldp_core.experiments.reproduce import TABLE_1, table_1_scenarios
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.theme import palette
from caldp_ui.charts.show import show
from caldp_ui.compute import runs
from caldp_ui.paper import charts, files, words
from caldp_ui.paper.page_state import STATE, Paper
from caldp_ui.parts import headline, sharing
from caldp_ui.session import incremental_jobs, jobs
from caldp_ui.words import formats


def view(record: Paper) -> None:
    """Draws the headline, both charts and the numbers, which sharpen as runs come in."""
    scenarios = table_1_scenarios(record.runs, record.scenario)
    quick = [which for which, scenario in enumerate(scenarios) if _is_quick(scenario)]
    chosen = [scenarios[which] for which in quick]
    incremental_jobs.gather_automatically(
        STATE.key("table"),
        json.dumps([runs.key(scenario) for scenario in chosen]),
        _finder(chosen),
        partial(_progress_text, len(chosen) * record.runs),
        partial(_show, record.scenario, quick),
    )
    if len(quick) < len(TABLE_1):
        skipped = ", ".join(
            words.column_title(c) for which, c in enumerate(TABLE_1) if which not in quick
        )
        st.info(f"With this method or estimate one run takes too long for: {skipped}.")


def _is_quick(scenario: Scenario) -> bool:
    return not runs.takes_long(scenario) and runs.setup(scenario).n <= runs.max_people(scenario)


def _finder(scenarios: list[Scenario]) -> Callable[[Progress], Iterator[TrialRun]]:
    """A function that runs the setups made here, as a thread beside the page has no Streamlit."""
    ready = {scenario: runs.setup(scenario) for scenario in scenarios}
    return lambda progress: run_interleaved(scenarios, ready.__getitem__, progress)


def _progress_text(total: int, job: jobs.Job[list[TrialRun]]) -> str:
    if job.is_waiting:
        return "Waiting for other runs on this server to end"
    return f"Run {len(job.partial_results)} of {total}"


def _show(scenario: Scenario, column_indices: list[int], turns: list[TrialRun]) -> None:
    mean_errors = means(complete_rounds(turns, len(column_indices)), len(column_indices))
    rows = [(TABLE_1[w], mean) for w, mean in zip(column_indices, mean_errors, strict=True) if mean]
    columns = [TABLE_1[which] for which in column_indices]
    headline.show(words.headline(scenario, rows))
    left, right = st.columns([3, 2])
    columns_text = "; ".join(
        f"{words.column_title(column)}: {formats.share(mean.error)}, printed {column.paper}"
        for column, mean in rows
    )
    with left:
        show(
            charts.table_1(rows, columns, palette()),
            STATE.key("dots"),
            f"Table 1, error as total variation. {columns_text}.",
        )
    with right:
        gaps = "; ".join(
            f"{words.column_title(c)} {words.difference_text(c, mean)}" for c, mean in rows
        )
        show(
            charts.differences(rows, columns, palette()),
            STATE.key("differences"),
            f"Differences from the printed numbers: {gaps}.",
        )
    if rows:
        st.table(_numbers(rows).rename_axis("total variation"))
        sharing.file_button(STATE.key("csv"), "table-1.csv", partial(files.table_1_csv, rows))
    st.caption(
        "The paper names neither ε nor the projection: change them to see what the numbers depend "
        "on. Bars: two standard errors on either side; the paper prints none. One person of 100 is "
        "a total variation of 0.01. The paper's LDP is Hadamard response. For the best plain LDP "
        "choose “The most accurate here” under “Method”."
    )


def _numbers(rows: words.Rows) -> pd.DataFrame:
    return pd.DataFrame(
        {
            words.column_title(column): {
                "printed": f"{column.paper}",
                "recomputed, mean": formats.share(mean.error),
                "standard error": words.standard_error_text(mean),
                "difference": words.difference_text(column, mean),
                "runs": f"{mean.runs}",
            }
            for column, mean in rows
        }
    )
