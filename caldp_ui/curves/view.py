"""What the page shows of its curves: the headline at the reader's place, and the chart.

The chart has expected errors with bands, measured runs, and what is proved; its gap that matters is
what plain LDP takes to be as accurate as the best of the other curves. Colour is never alone: every
curve has its own dash and mark, and its name at its end.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from caldp_core.basics.types import no_progress
from caldp_core.experiments import metrics
from caldp_core.experiments.run import Setup
from caldp_core.privacy.matrix import coverage
from caldp_ui.app.texts import read_toml
from caldp_ui.app.theme import Palette
from caldp_ui.charts import curves as errors
from caldp_ui.charts import show as charts
from caldp_ui.charts.curves import (
    ChartLabel,
    ErrorScale,
    Words,
    band_trace,
    dots_trace,
    error_scale,
    gap_arrow,
    line_trace,
    plane,
    vertical_line,
)
from caldp_ui.charts.show import Figure
from caldp_ui.compute import runs
from caldp_ui.curves import page_state as state
from caldp_ui.shell.page import View
from caldp_ui.words import formats, promise


@dataclass(frozen=True)
class ErrorFormat:
    """An error in words. `unit`: on the axis. `describe(error)`: what a curve does.

    `number_text(error)`: the number alone, where a sentence has said the rest.
    """

    unit: ErrorScale
    describe: Callable[[float], str]
    number_text: Callable[[float], str]


def error_title(name: str, domain: metrics.AnyDomain) -> str:
    """The title of the error in the menu."""
    vocabulary = formats.nouns_of(domain)
    return {
        metrics.TV: f"People {vocabulary.wrong}",
        metrics.BOXES: f"People {_box(domain)}",
        metrics.LARGEST: f"The {metrics.number_of_largest(domain.k)} largest {vocabulary.units}",
        metrics.KM: "Kilometres that people are misplaced by",
    }[name]


def error_format(name: str, domain: metrics.AnyDomain, shares: bool) -> ErrorFormat:
    """The error in words; `shares`: whether all estimates are made of shares."""
    if name == metrics.KM:
        return _KILOMETRES
    if name == metrics.LARGEST:
        number, units = metrics.number_of_largest(domain.k), formats.nouns_of(domain).units

        def of_them(error: float) -> str:
            return formats.digits(error * number)

        return ErrorFormat(
            ErrorScale(
                f"missed of the {number} largest {units}",
                of_them,
                lambda error: f"misses {of_them(error)} of {number} (F1 {1 - error:.2f})",
            ),
            lambda error: f"misses {of_them(error)} of the {number} largest {units}",
            of_them,
        )
    if not shares:
        return _TOTAL_VARIATION
    wrong = _box(domain) if name == metrics.BOXES else formats.nouns_of(domain).wrong
    return ErrorFormat(
        error_scale(wrong),
        lambda tv: f"puts {formats.of_hundred(min(tv, 1.0))} people {wrong}",
        lambda tv: formats.per_hundred(min(tv, 1.0)),
    )


def _box(domain: metrics.AnyDomain) -> str:
    side = metrics.box_side(domain)
    return f"in the wrong box of {side} × {side} cells"


_TOTAL_VARIATION: Final = ErrorFormat(
    error_scale(None), lambda tv: f"has an expected error of {formats.share(tv)}", formats.share
)
_KILOMETRES: Final = ErrorFormat(
    ErrorScale("km that people are misplaced by, on average", formats.digits, formats.length),
    lambda km: f"misplaces people by {formats.length(km)} on average",
    lambda km: f"by {formats.length(km)}",
)
_EVERYBODY: Final = 1 - 1e-9
_PLAIN_TITLE: Final = "Plain LDP"


@dataclass(frozen=True)
class CurvePair:
    """What the headline compares at the reader's place: the least error, and another's beside it.

    `least` protects everybody if any curve does; `protected_share`: the share of people that it
    protects.
    """

    least: state.CurveData
    other: state.CurveData | None
    protected_share: float


def curves_error_format(curves: Sequence[state.CurveData]) -> ErrorFormat:
    """The error that the curves show, in words."""
    lines = [each.line for each in curves]
    shares = all(line.scenarios[0].estimator != "none" for line in lines)
    return error_format(lines[0].error, runs.dataset(lines[0].scenarios[0]).domain, shares)


def alt(record: state.Curves, curves: Sequence[state.CurveData]) -> str:
    """The chart in words: both ends of every curve."""
    ends = "; ".join(
        f"{each.line.title} from {_error_text(each, each.known_points()[0][1].error)} to "
        f"{_error_text(each, each.known_points()[-1][1].error)}"
        for each in curves
        if each.known_points()
    )
    unit = curves_error_format(curves).unit.title
    axis = state.AXES[record.against].label
    return f"Expected error ({unit}) against {axis}: {ends or 'not computed yet'}."


def headline(record: state.Curves, curves: Sequence[state.CurveData]) -> formats.Headline:
    """The headline of the record's own curves, without pinned ones."""
    own = [each for each in curves if not each.line.is_pinned]
    place = state.reader_position(record, own[0].line)
    pair = headline_pair(own, place)
    if pair is None:
        return formats.Headline(
            "The errors of these curves are not computed yet.",
            "Those at your place come first, then the ends of the curves.",
        )
    setup = _setup_at(pair.least, place)
    exposed = promise.exposed_text(setup.dataset.domain, coverage(setup.policy))
    partial, (change, times) = _partial(own, pair, place), _change(record, pair, place)
    sentences = [
        _errors_sentence(own, pair, place),
        _setting_sentence(record, own[0].line, place),
        f"“{partial[0]}” protects only {formats.out_of(partial[1])} people." if partial else "",
        change,
    ]
    figures = {**_figures(pair, place), "partly": partial[1] if partial else 1.0, **times}
    return formats.Headline.of([exposed, _left_out_sentence(pair)], sentences, figures)


def _figures(pair: CurvePair, place: float) -> dict[str, float]:
    """Unrounded numbers of the headline: place, errors there, share of the protected."""
    error = error_at(pair.least, place)
    found = {"place": place, "error": error, "protected": pair.protected_share}
    return found if pair.other is None else {**found, "other": error_at(pair.other, place)}


def headline_pair(curves: Sequence[state.CurveData], place: float) -> CurvePair | None:
    """Among curves that protect most people: the least error, and plain LDP's or the largest."""
    known = [each for each in curves if len(each.known_points()) > 1 and each.is_known_at(place)]
    if not known:
        return None
    covered = [_protected_share(each, place) for each in known]
    most = [
        each
        for each, share in zip(known, covered, strict=True)
        if share >= min(_EVERYBODY, max(covered))
    ]
    least = min(most, key=lambda each: error_at(each, place))
    others = [each for each in most if each is not least]
    plain = next((each for each in others if each.line.is_plain), None)
    other = plain or max(others, key=lambda each: error_at(each, place), default=None)
    return CurvePair(least, other, _protected_share(least, place))


def error_at(each: state.CurveData, place: float) -> float:
    """The expected error at `place`, interpolated between the computed places next to it."""
    return state.value_at(*_known_points(each), place)


def place_text(axis: str, place: float) -> str:
    """A place of an axis in words."""
    number = formats.people(place) if axis != "epsilon" else f"{place:g}"
    return {
        "people": formats.counted(place, "person", "people"),
        "epsilon": f"ε = {number}",
        "blocks": formats.count(round(place), "block", "blocks"),
        "sensitive": formats.count(round(place), "sensitive value", "sensitive values"),
    }[axis]


def _setup_at(each: state.CurveData, place: float) -> Setup:
    """The scenario at the computed place next to the reader's."""
    line = each.line
    nearest = min(range(len(line.places)), key=lambda i: abs(line.places[i] - place))
    return runs.setup(line.scenarios[nearest])


def _protected_share(each: state.CurveData, place: float) -> float:
    """The share of people that are protected there."""
    return promise.protected_share(_setup_at(each, place))


def _errors_sentence(own: Sequence[state.CurveData], curve_pair: CurvePair, place: float) -> str:
    """The least error, and the one beside it."""
    does = curves_error_format(own).describe(error_at(curve_pair.least, place))
    least = curve_pair.least.line.title
    text = f"{least if least == _PLAIN_TITLE else f'“{least}”'} {does}"
    if curve_pair.other is not None:
        other = curve_pair.other.line
        title = "plain LDP" if other.title == _PLAIN_TITLE else f"“{other.title}”"
        text += f", {title} {_error_text(curve_pair.other, error_at(curve_pair.other, place))}"
    return f"{text}."


def _left_out_sentence(curve_pair: CurvePair) -> str:
    """How few people all of these curves protect; "" where one protects everybody."""
    if curve_pair.protected_share >= _EVERYBODY:
        return ""
    if curve_pair.protected_share <= 0:
        return "Nobody is protected here."
    return f"Only {formats.out_of(curve_pair.protected_share)} people are protected here."


def _setting_sentence(record: state.Curves, line: state.ComparedMethod, place: float) -> str:
    """The setting that the headline holds for, and whether the reader's is beyond the chart."""
    at = place_text(record.against, place)
    level = f"ε = {record.scenario.context.plain_epsilon:g}"
    nouns = promise.counted(record.scenario)
    people = formats.counted(runs.people(record.scenario), *nouns)
    first, last = {"people": (at, level), "epsilon": (people, at)}.get(
        record.against, (f"{people} and {at}", level)
    )
    edge = ", where the chart ends" if state.is_beyond(record, line) else ""
    return f"This is with {first} at {last}{edge}."


def _partial(
    own: Sequence[state.CurveData], curve_pair: CurvePair, place: float
) -> tuple[str, float] | None:
    """Title of another curve, whose protection leaves people out, and the share it protects."""
    found = ((e.line.title, _protected_share(e, place)) for e in own if len(e.known_points()) > 1)
    if curve_pair.protected_share < _EVERYBODY:
        return None
    return next(((title, share) for title, share in found if share < _EVERYBODY), None)


def _change(
    record: state.Curves, curve_pair: CurvePair, place: float
) -> tuple[str, dict[str, float]]:
    """How the error changes from `place` on: a sentence and its figures."""
    if None in curve_pair.least.expected:
        return "Some points are not computed yet.", {"times": 0.0}
    return state.AXES[record.against].describe_change(_points(curve_pair.least), place)


def _error_text(each: state.CurveData, error: float) -> str:
    """An error as a number, in the unit of the curve."""
    return curves_error_format([each]).number_text(error)


def _known_points(each: state.CurveData) -> tuple[list[float], list[float]]:
    points = each.known_points()
    return [x for x, _ in points], [forecast.error for _, forecast in points]


def _points(each: state.CurveData) -> state.Points:
    x, errors = _known_points(each)
    return state.Points(x, errors, [found.standard_error for _, found in each.known_points()])


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


def find_gap(record: state.Curves, curves: Sequence[state.CurveData], x: float) -> Gap | None:
    """From the curve that the headline speaks of to plain LDP's, at the same error.

    None along other axes than people and ε, and where plain LDP's curve does not come so far down.
    """
    pair = headline_pair([each for each in curves if not each.line.is_pinned], x)
    if record.against not in ("people", "epsilon") or pair is None or pair.other is None:
        return None
    if not pair.other.line.is_plain:
        return None
    error = error_at(pair.least, x)
    plain_place = state.place_of(*_known_points(pair.other), x, error)
    if plain_place is None or plain_place < 1.05 * x:
        return None
    label = (
        f"{formats.times(plain_place / x)} as many people"
        if record.against == "people"
        else f"ε = {formats.digits(plain_place)} for the same error"
    )
    return Gap(((x, error), (plain_place, error)), label)


HEIGHT: Final = 520
CHART: Final = state.STATE.key("chart")
_LOOKS: Final[dict[str, list[str]]] = read_toml(__file__, "looks.toml")
_BAND: Final = 1.6449


def figure(record: state.Curves, curves: Sequence[state.CurveData], colours: Palette) -> Figure:
    """The chart of a record: logarithmic axes, names at the lines' ends, and what matters here."""
    inks = list(map(colours.choose, _LOOKS["light"], _LOOKS["dark"]))
    counted = curves_error_format(curves).unit
    traces: list[dict[str, Any]] = []
    for number, each in enumerate(curves):
        traces += [_band(each, inks[number]), _expected_trace(each, number, inks[number], counted)]
        if any(each.measured):
            traces.append(_runs_trace(each, number, inks[number]))
    bounds = state.proved_bounds([each.line for each in curves])
    traces += [_bound(bound, curves[bound.line], inks[bound.line]) for bound in bounds]
    here = state.reader_position(record, curves[0].line)
    y = _ordinate(curves, counted)
    notes = [_here(record, curves[0].line, here, 10.0 ** y["range"][1], colours)]
    gap = find_gap(record, curves, here)
    if gap is not None:
        traces.append(gap_arrow(gap.ends, colours))
        notes.append(ChartLabel(*gap.middle, gap.label, colours.text, "top center", lift=4))
    places = [place for each in curves for place in each.line.places]
    x = {**state.AXES[record.against].ticks, "range": errors.log_range(places)}
    labels = Words(_names(curves, bounds, inks), notes=notes)
    marks = [vertical_line(here, colours)]
    return plane(traces, x, y, marks, colours, words=labels, height=HEIGHT)


def _ordinate(curves: Sequence[state.CurveData], counted: errors.ErrorScale) -> dict[str, Any]:
    """The error axis: whole powers of ten around all errors known so far."""
    expected = [forecast.error for each in curves for _, forecast in each.known_points()]
    means = [mean.error for each in curves for mean in each.measured if mean]
    known = [*expected, *(error for error in means if error > state.SMALLEST_ERROR)]
    if curves[0].line.error != metrics.KM or not known:
        known += [0.05, 1.0]
    return errors.log_axis(min(known), max(known), counted, HEIGHT)


def _here(
    record: state.Curves, line: state.ComparedMethod, here: float, top: float, colours: Palette
) -> ChartLabel:
    """The label of the reader's place; without “you” where that is not what the record sets."""
    place = place_text(record.against, here)
    is_set = record.against in ("people", "epsilon") and not state.is_beyond(record, line)
    text = f"you: {place}" if is_set else place
    return ChartLabel(here, top, text, colours.text, "top center")


def _names(
    curves: Sequence[state.CurveData], bounds: Sequence[state.Bound], inks: Sequence[str]
) -> list[ChartLabel]:
    """Each line's name at its last point, and each bound's at its own."""
    lines = [
        ChartLabel(x, forecast.error, each.line.title, ink)
        for each, ink in zip(curves, inks, strict=False)
        for x, forecast in each.known_points()[-1:]
    ]
    return [*lines, *(ChartLabel(b.x[-1], b.tv[-1], b.theorem, inks[b.line]) for b in bounds)]


def _band(each: state.CurveData, ink: str) -> dict[str, Any]:
    x, y = _known_points(each)
    spread = [_BAND * forecast.deviation for _, forecast in each.known_points()]
    low = [max(error - half, state.SMALLEST_ERROR) for error, half in zip(y, spread, strict=True)]
    high = [error + half for error, half in zip(y, spread, strict=True)]
    return band_trace(x, low, high, ink, 0.2)


def _expected_trace(
    each: state.CurveData, number: int, ink: str, counted: errors.ErrorScale
) -> dict[str, Any]:
    x, y = _known_points(each)
    return line_trace(
        each.line.title,
        x,
        y,
        (ink, _LOOKS["dashes"][number]),
        mode="lines+markers",
        marker={"symbol": _LOOKS["symbols"][number], "size": 7, "color": ink},
        text=list(map(counted.describe, y)),
        hovertemplate="%{text}",
    )


def _runs_trace(each: state.CurveData, number: int, ink: str) -> dict[str, Any]:
    points = [(x, mean) for x, mean in zip(each.line.places, each.measured, strict=True) if mean]
    ends = [2 * (mean.standard_error or 0) for _, mean in points]
    symbol = f"{_LOOKS['symbols'][number]}-open"
    look = {"symbol": symbol, "size": 13, "color": ink, "line": {"width": 2}}
    return dots_trace(
        f"{each.line.title}, runs",
        [x for x, _ in points],
        [mean.error for _, mean in points],
        look,
        error_y={"type": "data", "array": ends, "color": ink},
        showlegend=False,
        hovertemplate="%{y:.3g} in runs",
    )


def _bound(bound: state.Bound, each: state.CurveData, ink: str) -> dict[str, Any]:
    name, look = f"{bound.theorem}: {each.line.title}", (ink, "dot")
    proved = "%{y:.3g} proved"
    return line_trace(name, bound.x, bound.tv, look, width=1.5, hovertemplate=proved)


def view(record: state.Curves, pinned: state.Curves | None, colours: Palette) -> View:
    """The headline and the chart, with the curves of what is pinned."""
    lines = state.all_lines(record, pinned)[: state.LINES_MAX]
    blank = [[None] * len(line.places) for line in lines]
    return view_of(
        record,
        state.make_curves(lines, list(state.expected_errors(lines, no_progress)), blank),
        colours,
    )


def view_of(record: state.Curves, curves: Sequence[state.CurveData], colours: Palette) -> View:
    """The headline and the chart of curves with the errors known so far."""
    chart = charts.figure_json(figure(record, curves, colours), alt(record, curves))
    return View(headline(record, curves), {CHART: chart})
