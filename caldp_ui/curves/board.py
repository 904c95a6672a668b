"""The curves with their headline, runs as points, and exports."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import streamlit as st

from caldp_core.basics.types import Progress
from caldp_core.experiments.interleaved_runs import MeanError, means, run_interleaved
from caldp_core.experiments.measures import BOXES, KM, LARGEST, TV
from caldp_ui.app.theme import palette
from caldp_ui.charts.show import show
from caldp_ui.compute import exports, runs
from caldp_ui.curves import charts, files, films, words
from caldp_ui.curves import lines as work
from caldp_ui.curves.axes import AXES
from caldp_ui.curves.lines import (
    LINES_MAX,
    CurveData,
    Line,
    PointForecast,
    proved_bounds,
    reader_position,
)
from caldp_ui.curves.lines import make_curves as curves_of
from caldp_ui.curves.page_state import STATE, Curves
from caldp_ui.parts import headline, sharing
from caldp_ui.session import incremental_jobs, jobs
from caldp_ui.words.headline import Headline

RUNS: Final = 5
_CAPTION: Final = "Lines: expected error. Bands: 90 of 100 outcomes. "
_MEANING: Final = {
    TV: "One person of 100 is a total variation of 0.01.",
    BOXES: "Mean over all ways to lay boxes on the map; one person of 100 is a total variation of "
    "0.01.",
    LARGEST: "Missed: the share is one less F1 of naming the largest ones.",
    KM: "Earth mover's distance: how far people have to be moved to turn the estimate into the "
    "truth; an approximation, the mean over directions.",
}
UNITS: Final = {TV: "TV", BOXES: "TV of boxes", LARGEST: "1 - F1", KM: "km"}
"""The unit of each error in the file."""
_PROVED: Final = (
    " Thin dots: what the papers prove of Hadamard and randomized response (half of the bound on "
    "l1)."
)


def view(record: Curves) -> None:
    """Draws the curves as they are computed, the runs, and the exports."""
    all_lines = work.all_lines(record, STATE.pinned)
    lines = all_lines[:LINES_MAX]
    name = work.cache_key(lines)
    measured = _measured_so_far(name, lines)
    compute, cost = partial(_expected_errors, record, lines), work.cost(lines)
    if incremental_jobs.needs_consent(STATE.key("curves"), name, cost):
        values = runs.dataset(record.scenario).domain.k
        headline.show(Headline("These curves are a lot to compute.", cost.describe(values)))
        incremental_jobs.consent_button(STATE.key("curves"), name, compute)
        return
    incremental_jobs.gather_automatically(
        STATE.key("curves"),
        name,
        compute,
        lambda job: f"Still computing: {job.share:.0%} of the curves",
        partial(_show, record, lines, measured),
    )
    if len(all_lines) > LINES_MAX:
        st.info(
            f"More than {LINES_MAX} curves cannot be told apart, so {len(all_lines) - LINES_MAX} "
            f"of {len(all_lines)} are left out."
        )
    _runs(name, lines)
    files.show(lines)
    films.show(record, STATE.pinned)


def _expected_errors(
    record: Curves, lines: Sequence[Line], progress: Progress
) -> Iterator[PointForecast]:
    return work.expected_errors(lines, progress, reader_position(record, lines[0]))


def _show(
    record: Curves,
    lines: Sequence[Line],
    measured: Sequence[Sequence[MeanError | None]],
    forecasts: list[PointForecast],
) -> None:
    curves = curves_of(lines, forecasts, measured)
    headline.show(words.headline(record, curves))
    show(charts.figure(record, curves, palette()), STATE.key("chart"), words.alt(record, curves))
    _file(record, curves)


def _measured_so_far(name: str, lines: Sequence[Line]) -> list[list[MeanError | None]]:
    job = jobs.current_job(STATE.key("runs"), name)
    turns = list(job.partial_results) if job is not None else []
    flat = means(turns, sum(len(line.places) for line in lines))
    rows, first = [], 0
    for line in lines:
        rows.append(flat[first : first + len(line.places)])
        first += len(line.places)
    return rows


def _runs(name: str, lines: Sequence[Line]) -> None:
    """The button that measures every point, its progress, and then the points."""
    scenarios = [replace(s, trials=RUNS) for line in lines for s in line.scenarios]
    if any(runs.takes_long(line.scenarios[0]) for line in lines):
        return
    incremental_jobs.gather_on_click(
        STATE.key("runs"),
        name,
        lambda progress: run_interleaved(scenarios, progress=progress, error=lines[0].error),
        jobs.StartButton(
            f"Run every point {RUNS} times",
            ":material/scatter_plot:",
            "Draws people, reports and estimates. Open marks then show the mean errors.",
        ),
        lambda job: f"Run {len(job.partial_results):,} of {len(scenarios) * RUNS:,}",
    )


def curves_csv(record: Curves, curves: Sequence[CurveData]) -> bytes:
    """One row per point of a curve."""
    kind = UNITS[record.error]
    rows = [
        {
            "curve": each.line.title,
            AXES[record.against].label: x,
            f"expected {kind}": error.error if error else None,
            "standard deviation": error.deviation if error else None,
            "way": error.method if error else None,
            f"mean {kind} of runs": mean.error if mean else None,
            "standard error": mean.standard_error if mean else None,
            "runs": mean.runs if mean else None,
        }
        for each in curves
        for x, error, mean in zip(each.line.places, each.expected, each.measured, strict=True)
    ]
    return exports.csv(rows)


def _file(record: Curves, curves: Sequence[CurveData]) -> None:
    st.caption(
        _CAPTION
        + _MEANING[record.error]
        + (_PROVED if proved_bounds([each.line for each in curves]) else "")
    )
    make = partial(curves_csv, record, curves)
    sharing.true_file(STATE.key("csv"), "curves.csv", make, record.scenario)
    if STATE.pins:
        pinned = {f"pin-{at}": pin for at, pin in enumerate(STATE.pins, 1)}
        sharing.true_file(
            STATE.key("pins-zip"),
            "pins.zip",
            lambda: files.pack(curves_csv(record, curves), {"now": record, **pinned}),
            *(each.scenario for each in (record, *STATE.pins)),
        )
