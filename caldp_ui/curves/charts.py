"""The chart of many curves: expected errors with bands, measured runs, and what is proved.

Colour is never alone: every curve has its own dash and mark, and its name at its end.

The gap that matters: what plain LDP takes to be as accurate as the best of the other curves.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from caldp_core.experiments.measures import KM
from caldp_ui.app.theme import Palette
from caldp_ui.charts import errors
from caldp_ui.charts.curves import Words, gap_arrow, plane, vertical_line
from caldp_ui.charts.labels import Label
from caldp_ui.curves import words
from caldp_ui.curves.axes import AXES
from caldp_ui.curves.lines import (
    SMALLEST_ERROR,
    Bound,
    CurveData,
    Line,
    is_beyond,
    proved_bounds,
    reader_position,
)
from caldp_ui.curves.page_state import Curves
from caldp_ui.words import formats


@dataclass(frozen=True)
class Gap:
    """A horizontal gap between two curves on the chart: its ends (x, error), and its label."""

    ends: tuple[tuple[float, float], tuple[float, float]]
    label: str

    @property
    def middle(self) -> tuple[float, float]:
        """Halfway on a logarithmic axis."""
        (x0, y), (x1, _) = self.ends
        return float(np.sqrt(x0 * x1)), y


def find_gap(record: Curves, curves: Sequence[CurveData], x: float) -> Gap | None:
    """From the curve that the headline speaks of to plain LDP's, at the same error.

    None along other axes than people and ε, and where plain LDP's curve does not come so far down.
    """
    pair = words.headline_pair([each for each in curves if not each.line.is_pinned], x)
    if record.against not in ("people", "epsilon") or pair is None or pair.other is None:
        return None
    if not pair.other.line.is_plain:
        return None
    error = words.error_at(pair.least, x)
    plain_place = _place_of_error(pair.other, error)
    if plain_place is None or plain_place < 1.05 * x:
        return None
    label = (
        f"{formats.times(plain_place / x)} as many people"
        if record.against == "people"
        else f"ε = {formats.digits(plain_place)} for the same error"
    )
    return Gap(((x, error), (plain_place, error)), label)


def _place_of_error(each: CurveData, error: float) -> float | None:
    """The place where a falling curve reaches an error, between its points on log scales."""
    points = each.known_points()
    errors = [forecast.error for _, forecast in points]
    if not points or error < min(errors):
        return None
    return float(np.exp(np.interp(-np.log(error), -np.log(errors), np.log([x for x, _ in points]))))


HEIGHT: Final = 520
_LIGHT: Final = (
    "#C44E00", "#0072B2", "#007A5A", "#A03E79", "#8A5A00", "#3D6FB5", "#B03A2E", "#4A5663",
)  # fmt: skip
_DARK: Final = (
    "#E69F00", "#56B4E9", "#3CC79B", "#E79AC4", "#F0E442", "#9FC5F8", "#FF9B6A", "#C8D0DC",
)  # fmt: skip
_DASHES: Final = ("dash", "solid", "solid", "dashdot", "longdash", "solid", "dashdot", "longdash")
_SYMBOLS: Final = (
    "diamond", "circle", "square", "triangle-up", "star", "cross", "x", "hexagon",
)  # fmt: skip
_BAND: Final = 1.6449


def figure(record: Curves, curves: Sequence[CurveData], colours: Palette) -> go.Figure:
    """The chart of a record: logarithmic axes, names at the lines' ends, and what matters here."""
    inks = _DARK if colours.edge == "#0B0F14" else _LIGHT
    counted = words.curves_error_format(curves).unit
    traces: list[dict[str, Any]] = []
    for number, each in enumerate(curves):
        traces += [_band(each, inks[number]), _expected_trace(each, number, inks[number], counted)]
        if any(each.measured):
            traces.append(_runs_trace(each, number, inks[number]))
    bounds = proved_bounds([each.line for each in curves])
    traces += [_bound(bound, inks[bound.line]) for bound in bounds]
    here = reader_position(record, curves[0].line)
    y = _ordinate(curves, counted)
    notes = [_here(record, curves[0].line, here, 10.0 ** y["range"][1], colours)]
    gap = find_gap(record, curves, here)
    if gap is not None:
        traces.append(gap_arrow(gap.ends, colours))
        notes.append(Label(*gap.middle, gap.label, colours.text, "top center", lift=4))
    x = {**AXES[record.against].ticks, "range": _range([each.line.places for each in curves])}
    labels = Words(_names(curves, bounds, inks), notes=notes)
    marks = [vertical_line(here, colours)]
    return plane(traces, x, y, marks, colours, words=labels, height=HEIGHT)


def _ordinate(curves: Sequence[CurveData], counted: errors.ErrorScale) -> dict[str, Any]:
    """The error axis: whole powers of ten around all errors known so far."""
    expected = [forecast.error for each in curves for _, forecast in each.known_points()]
    means = [mean.error for each in curves for mean in each.measured if mean]
    known = [*expected, *(error for error in means if error > SMALLEST_ERROR)]
    if curves[0].line.error != KM or not known:
        known += [0.05, 1.0]
    return errors.log_axis(min(known), max(known), counted, HEIGHT)


def _here(record: Curves, line: Line, here: float, top: float, colours: Palette) -> Label:
    """The label of the reader's place; without “you” where that is not what the record sets."""
    place = words.place_text(record.against, here)
    is_set = record.against in ("people", "epsilon") and not is_beyond(record, line)
    text = f"you: {place}" if is_set else place
    return Label(here, top, text, colours.text, "top center")


def _names(
    curves: Sequence[CurveData], bounds: Sequence[Bound], inks: Sequence[str]
) -> list[Label]:
    """Each line's name at its last point, and each bound's at its own."""
    lines = [
        Label(
            each.known_points()[-1][0],
            each.known_points()[-1][1].error,
            each.line.title,
            inks[number],
        )
        for number, each in enumerate(curves)
        if each.known_points()
    ]
    return [
        *lines,
        *(Label(b.x[-1], b.tv[-1], b.title.partition(":")[0], inks[b.line]) for b in bounds),
    ]


def _range(places: Sequence[Sequence[float]]) -> list[float]:
    """The range of all places with a little room, so that the axis stays as curves grow."""
    low, high = math.log10(min(map(min, places))), math.log10(max(map(max, places)))
    return [low - 0.02 * (high - low), high + 0.02 * (high - low)]


def _band(each: CurveData, ink: str) -> dict[str, Any]:
    points = each.known_points()
    high = [forecast.error + _BAND * forecast.deviation for _, forecast in points]
    low = [
        max(forecast.error - _BAND * forecast.deviation, SMALLEST_ERROR) for _, forecast in points
    ]
    x = [place for place, _ in points]
    return {
        "type": "scatter",
        "x": x + x[::-1],
        "y": high + low[::-1],
        "fill": "toself",
        "fillcolor": ink,
        "opacity": 0.2,
        "line": {"width": 0},
        "mode": "lines",
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _expected_trace(
    each: CurveData, number: int, ink: str, counted: errors.ErrorScale
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": [x for x, _ in each.known_points()],
        "y": [forecast.error for _, forecast in each.known_points()],
        "mode": "lines+markers",
        "name": each.line.title,
        "line": {"color": ink, "dash": _DASHES[number], "width": 2.5},
        "marker": {"symbol": _SYMBOLS[number], "size": 7, "color": ink},
        "text": [counted.describe(forecast.error) for _, forecast in each.known_points()],
        "hovertemplate": "%{text}",
    }


def _runs_trace(each: CurveData, number: int, ink: str) -> dict[str, Any]:
    points = [(x, mean) for x, mean in zip(each.line.places, each.measured, strict=True) if mean]
    return {
        "type": "scatter",
        "x": [x for x, _ in points],
        "y": [mean.error for _, mean in points],
        "error_y": {
            "type": "data",
            "array": [2 * (mean.standard_error or 0) for _, mean in points],
            "color": ink,
        },
        "mode": "markers",
        "name": f"{each.line.title}, runs",
        "showlegend": False,
        "marker": {
            "symbol": f"{_SYMBOLS[number]}-open", "size": 13, "color": ink, "line": {"width": 2},
        },
        "hovertemplate": "%{y:.3g} in runs",
    }  # fmt: skip


def _bound(bound: Bound, ink: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": bound.x,
        "y": bound.tv,
        "mode": "lines",
        "name": bound.title,
        "line": {"color": ink, "dash": "dot", "width": 1.5},
        "hovertemplate": "%{y:.3g} proved",
    }
