"""The curves, what they say in words, runs as points, and the data to take along."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import streamlit as st

from caldp_core.experiments.measures import BOXES, KM, LARGEST, TV
from caldp_core.experiments.turns import Mean, in_turns, means
from caldp_ui.app.theme import palette
from caldp_ui.charts.show import show
from caldp_ui.compute import exports, runs
from caldp_ui.curves import charts, files, films, words
from caldp_ui.curves import lines as work
from caldp_ui.curves.axes import AXES
from caldp_ui.curves.drawn import Drawn
from caldp_ui.curves.drawn import drawn as curves_of
from caldp_ui.curves.lines import LINES_MAX, Found, Line, proved
from caldp_ui.curves.slot import SLOT, Curves
from caldp_ui.parts import headline, sharing
from caldp_ui.session import findings, jobs
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
"""What the file calls each error."""
_PROVED: Final = (
    " Thin dots: what the papers prove of Hadamard and randomized response (half of the bound on "
    "l1)."
)


def view(record: Curves) -> None:
    """The curves as they come, the runs, and the file."""
    asked = work.asked(record, SLOT.pinned)
    lines = asked[:LINES_MAX]
    name = work.name(lines)
    measured = _measured_so_far(name, lines)
    find, cost = partial(work.expected, lines), work.cost(lines)
    if findings.must_ask(SLOT.key("curves"), name, cost):
        values = runs.dataset(record.scenario).domain.k
        headline.show(Headline("These curves are a lot to compute.", cost.told(values)))
        findings.ask(SLOT.key("curves"), name, find)
        return
    findings.filling(
        SLOT.key("curves"),
        name,
        find,
        lambda job: f"Still computing: {job.share:.0%} of the curves",
        partial(_show, record, lines, measured),
    )
    if len(asked) > LINES_MAX:
        st.info(
            f"More than {LINES_MAX} curves cannot be told apart, so {len(asked) - LINES_MAX} of "
            f"{len(asked)} are left out."
        )
    _runs(name, lines)
    files.show(lines)
    films.show(record, SLOT.pinned)


def _show(
    record: Curves,
    lines: Sequence[Line],
    measured: Sequence[Sequence[Mean | None]],
    found: list[Found],
) -> None:
    drawn = curves_of(lines, found, measured)
    headline.show(words.said(record, drawn))
    show(charts.of(record, drawn, palette()), SLOT.key("chart"), words.alt(record, drawn))
    _file(record, drawn)


def _measured_so_far(name: str, lines: Sequence[Line]) -> list[list[Mean | None]]:
    job = jobs.held(SLOT.key("runs"), name)
    turns = list(job.found) if job is not None else []
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
    findings.gathered(
        SLOT.key("runs"),
        name,
        lambda progress: in_turns(scenarios, progress=progress, error=lines[0].error),
        jobs.Offer(
            f"Run every point {RUNS} times",
            ":material/scatter_plot:",
            "Draws people, reports and estimates. Open marks then show the mean errors.",
        ),
        lambda job: f"Run {len(job.found):,} of {len(scenarios) * RUNS:,}",
    )


def csv_of(record: Curves, drawn: Sequence[Drawn]) -> bytes:
    """One row a point of a curve."""
    kind = UNITS[record.error]
    rows = [
        {
            "curve": each.line.title,
            AXES[record.against].label: x,
            f"expected {kind}": error.error if error else None,
            "standard deviation": error.deviation if error else None,
            "way": error.way if error else None,
            f"mean {kind} of runs": mean.error if mean else None,
            "standard error": mean.standard_error if mean else None,
            "runs": mean.runs if mean else None,
        }
        for each in drawn
        for x, error, mean in zip(each.line.places, each.expected, each.measured, strict=True)
    ]
    return exports.csv(rows)


def _file(record: Curves, drawn: Sequence[Drawn]) -> None:
    st.caption(
        _CAPTION
        + _MEANING[record.error]
        + (_PROVED if proved([each.line for each in drawn]) else "")
    )
    sharing.file(SLOT.key("csv"), "curves.csv", partial(csv_of, record, drawn))
    if SLOT.pins:
        kept = {f"pin-{at}": pin for at, pin in enumerate(SLOT.pins, 1)}
        sharing.file(
            SLOT.key("pins-zip"),
            "pins.zip",
            lambda: files.pack(csv_of(record, drawn), {"now": record, **kept}),
        )
