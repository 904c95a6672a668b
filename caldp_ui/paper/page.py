"""The page: Table 1 and Figures 2 and 3 recomputed, and what could not be checked."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

import pandas as pd
import streamlit as st

from caldp_core.basics.types import Progress
from caldp_core.experiments.reproduce import (
    FIGURE_RUNS,
    LINES,
    PANELS,
    SIZES,
    TABLE_1,
    MeanError,
    Point,
    TrialRun,
    complete_rounds,
    figure_2_points,
    means,
    run_interleaved,
    table_1_scenarios,
)
from caldp_core.scenarios.blocks import GridBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.texts import read_texts
from caldp_ui.app.theme import palette
from caldp_ui.charts.show import show as show_chart
from caldp_ui.compute import runs
from caldp_ui.controls import choices
from caldp_ui.maps.ground import ground
from caldp_ui.maps.scene import scene
from caldp_ui.paper import exact, files, page_state, view
from caldp_ui.paper.page_state import STATE, Paper
from caldp_ui.parts import markup, sharing
from caldp_ui.parts.comparison import ComparisonData, result_if_fast
from caldp_ui.parts.layout import title_row
from caldp_ui.session import jobs
from caldp_ui.shell.page import Page
from caldp_ui.stage import stage
from caldp_ui.words import formats
from caldp_ui.words.formats import Headline

TEXTS: Final = read_texts(__file__)


def table_1(record: Paper) -> None:
    """Draws the headline, both charts and the numbers, which sharpen as runs come in."""
    scenarios = table_1_scenarios(record.runs, record.scenario)
    quick = [
        which
        for which, scenario in enumerate(scenarios)
        if not runs.takes_long(scenario) and runs.setup(scenario).n <= runs.max_people(scenario)
    ]
    chosen = [scenarios[which] for which in quick]
    jobs.gather_automatically(
        STATE.key("table"),
        json.dumps([runs.key(scenario) for scenario in chosen]),
        _finder(chosen),
        partial(_progress_text, len(chosen) * record.runs),
        partial(_show_table, record.scenario, quick),
    )
    if len(quick) < len(TABLE_1):
        skipped = ", ".join(
            view.column_title(c) for which, c in enumerate(TABLE_1) if which not in quick
        )
        st.info(f"With this method or estimate one run takes too long for: {skipped}.")


def _finder(scenarios: list[Scenario]) -> Callable[[Progress], Iterator[TrialRun]]:
    """A function that runs the setups made here, as a thread beside the page has no Streamlit."""
    ready = {scenario: runs.setup(scenario) for scenario in scenarios}
    return lambda progress: run_interleaved(scenarios, ready.__getitem__, progress)


def _progress_text(total: int, job: jobs.Job[list[TrialRun]]) -> str:
    if job.is_waiting:
        return "Waiting for other runs on this server to end"
    return f"Run {len(job.partial_results)} of {total}"


def _show_table(scenario: Scenario, column_indices: list[int], turns: list[TrialRun]) -> None:
    mean_errors = means(complete_rounds(turns, len(column_indices)), len(column_indices))
    rows = [(TABLE_1[w], mean) for w, mean in zip(column_indices, mean_errors, strict=True) if mean]
    columns = [TABLE_1[which] for which in column_indices]
    markup.show_headline(view.headline(scenario, rows))
    left, right = st.columns([3, 2])
    columns_text = "; ".join(
        f"{view.column_title(column)}: {formats.share(mean.error)}, printed {column.paper}"
        for column, mean in rows
    )
    with left:
        show_chart(
            view.table_1(rows, columns, palette()),
            STATE.key("dots"),
            f"Table 1, error as total variation. {columns_text}.",
        )
    with right:
        gaps = "; ".join(
            f"{view.column_title(c)} {view.difference_text(c, mean)}" for c, mean in rows
        )
        show_chart(
            view.differences(rows, columns, palette()),
            STATE.key("differences"),
            f"Differences from the printed numbers: {gaps}.",
        )
    if rows:
        st.table(_numbers(rows).rename_axis("total variation"))
        sharing.file_button(STATE.key("csv"), "table-1.csv", partial(files.table_1_csv, rows))
    st.caption(TEXTS["table_1_notes"])


def _numbers(rows: view.Rows) -> pd.DataFrame:
    return pd.DataFrame(
        {
            view.column_title(column): {
                "printed": f"{column.paper}",
                "recomputed, mean": formats.share(mean.error),
                "standard error": view.standard_error_text(mean),
                "difference": view.difference_text(column, mean),
                "runs": f"{mean.runs}",
            }
            for column, mean in rows
        }
    )


def figure_2(record: Paper) -> None:
    """Draws Figure 2: four distributions, five curves, ten sizes, ten runs, as they are run."""
    points = list(figure_2_points(base=record.scenario))
    slow = next((p for p in points[:: len(SIZES)] if runs.takes_long(p.scenario)), None)
    if slow is not None:
        st.info("One run takes too long with this method or estimate: choose another one.")
        return

    def find(progress: Progress) -> Iterator[TrialRun]:
        return run_interleaved([point.scenario for point in points], progress=progress)

    total = len(points) * FIGURE_RUNS
    jobs.gather_automatically(
        STATE.key("figure-2"),
        runs.key(record.scenario),
        find,
        lambda job: f"Run {len(job.partial_results):,} of {total:,}",
        partial(_panels, points),
    )


def _panels(points: list[Point], turns: list[TrialRun]) -> None:
    mean_errors = means(complete_rounds(turns, len(points)), len(points))
    by_point = {
        (p.panel, p.line, p.scenario.n): m for p, m in zip(points, mean_errors, strict=True)
    }
    markup.show_headline(_order(by_point))
    least = min((mean.error for mean in by_point.values() if mean), default=0.01)
    for first in range(0, len(PANELS), 2):
        for column, panel in zip(st.columns(2), (first, first + 1), strict=True):
            curves = [[by_point[panel, line, n] for n in SIZES] for line in range(len(LINES))]
            with column:
                show_chart(
                    view.panel(PANELS[panel].title, curves, least, palette()),
                    STATE.key(f"panel-{panel}"),
                    f"{PANELS[panel].title}: error against 1,000 to 512,000 people, falling for "
                    "plain LDP and for 10, 20, 50 and 100 blocks.",
                )
    st.caption(TEXTS["figure_2_notes"])
    if any(mean_errors):
        sharing.file_button(
            STATE.key("csv"), "figure-2.csv", partial(files.figure_2_csv, points, mean_errors)
        )


def _order(mean_errors: dict[tuple[int, int, int | None], MeanError | None]) -> Headline:
    """How many comparisons have the paper's order: more blocks, less error."""
    pairs = [
        (mean_errors[panel, line, n], mean_errors[panel, line + 1, n])
        for panel in range(len(PANELS))
        for line in range(len(LINES) - 1)
        for n in SIZES
    ]
    compared = [(a.error, b.error) for a, b in pairs if a and b]
    in_order = sum(b < a for a, b in compared)
    if not compared:
        return Headline("Figure 2 is still being computed.", "It has 200 points of ten runs each.")
    return Headline(
        f"More blocks give a smaller error in {in_order} of {len(compared)} comparisons.",
        "The paper: “The larger m we have, the better accuracy we get.”",
    )


def figure_3(record: Paper) -> None:
    """Draws Figure 3: the truth, plain LDP and 25 × 35 blocks on one scale."""
    plain = record.scenario
    ours = plain.with_context(blocks=GridBlocks(25, 35))
    setup = runs.setup(ours)
    results = {
        name: result_if_fast(scenario) for name, scenario in (("ours", ours), ("plain", plain))
    }
    errors = {
        name: "too slow to compute"
        if result is None
        else formats.of_hundred(result.first.errors.tv)
        for name, result in results.items()
    }
    markup.show_headline(
        Headline(
            f"The paper's blocks put {errors['ours']} people in the wrong place, plain LDP "
            f"{errors['plain']}.",
            "Figure 3's map, under 25 × 35 blocks.",
        )
    )
    data = ComparisonData(setup, runs.setup(plain), results["ours"], results["plain"])
    land = ground(setup, runs.map_of(setup.dataset), None)
    stage(scene(data, land, "25 × 35 blocks"), STATE.key("maps"))
    with st.expander("ε, method and estimate"):
        page_state.settings(record)


def unchecked(record: Paper) -> None:
    """The printed numbers that could not be checked, and why."""
    del record
    markup.show_headline(
        Headline(
            "Some printed numbers could not be checked.",
            "Our copies of the papers are texts: numbers that stand in pictures alone are lost.",
        )
    )
    for each in view.UNCHECKED:
        st.markdown(f"**{each['title']}** {each['why']}")


_VIEWS: Final[Mapping[str, Callable[[Paper], None]]] = {
    "table-1": table_1,
    "figure-1": exact.show_region,
    "figure-2": figure_2,
    "figure-3": figure_3,
    "sensitive-sets": exact.show_sensitive_sets,
    "unchecked": unchecked,
}
_WITH_SLIDERS: Final[Mapping[str, Page[Paper, Any]]] = {
    "figure-1": exact.REGION,
    "sensitive-sets": exact.SENSITIVE_SETS,
}
"""Results that can be taken home as a file."""


def show(record: Paper) -> None:
    """Show the page at a record."""
    _, switch = title_row(STATE)
    with switch:
        choices.view_switch(STATE, "view", "Result", page_state.VIEWS)
    with st.container(key=STATE.key("result")):
        if record.view in ("table-1", "figure-2"):
            main, beside = st.columns([3.1, 1], gap="medium")
            with beside.container(key=STATE.key("side")):
                page_state.settings(record)
            with main:
                _VIEWS[record.view](record)
        else:
            _VIEWS[record.view](record)
    sharing.drawer(STATE.key("sharing"), lambda: _sharing(record))


def _sharing(record: Paper) -> None:
    with sharing.link_columns(STATE):
        files.show(record)
        if record.view in _WITH_SLIDERS:
            _WITH_SLIDERS[record.view].offer()
