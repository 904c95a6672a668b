"""Figures 2 and 3 of the paper, and what could not be checked."""

from collections.abc import Iterator
from functools import partial

import streamlit as st

from caldp_core.basics.types import Progress
from caldp_core.experiments.interleaved_runs import (
    Mean,
    TrialRun,
    complete_rounds,
    means,
    run_interleaved,
)
from caldp_core.experiments.reproduce import (
    FIGURE_RUNS,
    LINES,
    PANELS,
    SIZES,
    Point,
    figure_2_points,
)
from caldp_core.scenarios.blocks import GridBlocks
from caldp_ui.app.theme import palette
from caldp_ui.charts.show import show
from caldp_ui.compute import runs
from caldp_ui.maps.ground import ground
from caldp_ui.maps.scene import scene
from caldp_ui.paper import charts, files, page_state, words
from caldp_ui.paper.page_state import STATE, Paper
from caldp_ui.parts import headline, sharing
from caldp_ui.parts.comparison import ComparisonData, result_if_fast
from caldp_ui.session import incremental_jobs
from caldp_ui.stage import stage
from caldp_ui.words import formats
from caldp_ui.words.headline import Headline


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
    incremental_jobs.gather_automatically(
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
    headline.show(_order(by_point))
    least = min((mean.error for mean in by_point.values() if mean), default=0.01)
    for first in range(0, len(PANELS), 2):
        for column, panel in zip(st.columns(2), (first, first + 1), strict=True):
            curves = [[by_point[panel, line, n] for n in SIZES] for line in range(len(LINES))]
            with column:
                show(
                    charts.panel(PANELS[panel].title, curves, least, palette()),
                    STATE.key(f"panel-{panel}"),
                    f"{PANELS[panel].title}: error against 1,000 to 512,000 people, falling for "
                    "plain LDP and for 10, 20, 50 and 100 blocks.",
                )
    st.caption(
        "Log scales. There are 1,000 values; each point is the mean of ten runs, by Hadamard "
        "response at ε = 1 unless chosen otherwise. λ is our choice: the paper's is in its picture "
        "only. One person of 100 is a total variation of 0.01."
    )
    if any(mean_errors):
        sharing.file_button(
            STATE.key("csv"), "figure-2.csv", partial(files.figure_2_csv, points, mean_errors)
        )


def _order(mean_errors: dict[tuple[int, int, int | None], Mean | None]) -> Headline:
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
    headline.show(
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
    headline.show(
        Headline(
            "Some printed numbers could not be checked.",
            "Our copies of the papers are texts: numbers that stand in pictures alone are lost.",
        )
    )
    for title, text in words.UNCHECKED:
        st.markdown(f"**{title}** {text}")
