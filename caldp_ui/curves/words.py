"""The curves in words: the headline at the reader's place, and the chart's alternative text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from caldp_core.experiments.run import Setup
from caldp_core.privacy.coverage import coverage
from caldp_ui.compute import runs
from caldp_ui.curves.axes import AXES, value_at
from caldp_ui.curves.error_formats import ErrorFormat, error_format
from caldp_ui.curves.lines import CurveData, Line, is_beyond, reader_position
from caldp_ui.curves.page_state import Curves
from caldp_ui.words import formats, promise
from caldp_ui.words.coverage import exposed_text
from caldp_ui.words.headline import Headline

_EVERYBODY: Final = 1 - 1e-9
_PLAIN_TITLE: Final = "Plain LDP"


@dataclass(frozen=True)
class CurvePair:
    """What the headline compares at the reader's place: the least error, and another's beside it.

    `least` protects everybody if any curve does; `protected_share`: the share of people that it
    protects.
    """

    least: CurveData
    other: CurveData | None
    protected_share: float


def curves_error_format(curves: Sequence[CurveData]) -> ErrorFormat:
    """The error that the curves show, in words."""
    lines = [each.line for each in curves]
    shares = all(line.scenarios[0].estimator != "none" for line in lines)
    return error_format(lines[0].error, runs.dataset(lines[0].scenarios[0]).domain, shares)


def alt(record: Curves, curves: Sequence[CurveData]) -> str:
    """The chart in words: both ends of every curve."""
    ends = "; ".join(
        f"{each.line.title} from {_error_text(each, each.known_points()[0][1].error)} to "
        f"{_error_text(each, each.known_points()[-1][1].error)}"
        for each in curves
        if each.known_points()
    )
    unit = curves_error_format(curves).unit.title
    return f"Expected error ({unit}) against {AXES[record.against].label}: {ends}."


def headline(record: Curves, curves: Sequence[CurveData]) -> Headline:
    """The headline of the record's own curves, without pinned ones."""
    own = [each for each in curves if not each.line.is_pinned]
    place = reader_position(record, own[0].line)
    pair = headline_pair(own, place)
    if pair is None:
        return Headline(
            "The errors of these curves are being computed.",
            "Those at your place come first, then the ends of the curves.",
        )
    setup = _setup_at(pair.least, place)
    exposed = exposed_text(setup.dataset.domain, coverage(setup.policy))
    left_out = [text for text in (exposed, _left_out_sentence(pair)) if text]
    first, *rest = [*left_out, _errors_sentence(own, pair, place)]
    second = [
        *rest,
        _setting_sentence(record, own[0].line, place),
        _unprotected_sentence(own, pair, place),
        _slope_sentence(record, pair, place),
    ]
    return Headline(first, " ".join(part for part in second if part), bool(left_out))


def headline_pair(curves: Sequence[CurveData], place: float) -> CurvePair | None:
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


def error_at(each: CurveData, place: float) -> float:
    """The expected error at `place`, interpolated between the computed places next to it."""
    return value_at(*_known_points(each), place)


def place_text(axis: str, place: float) -> str:
    """A place of an axis in words."""
    number = formats.people(place) if axis != "epsilon" else f"{place:g}"
    return {
        "people": formats.counted(place, "person", "people"),
        "epsilon": f"ε = {number}",
        "blocks": formats.count(round(place), "block", "blocks"),
        "sensitive": formats.count(round(place), "sensitive value", "sensitive values"),
    }[axis]


def _setup_at(each: CurveData, place: float) -> Setup:
    """The scenario at the computed place next to the reader's."""
    line = each.line
    nearest = min(range(len(line.places)), key=lambda i: abs(line.places[i] - place))
    return runs.setup(line.scenarios[nearest])


def _protected_share(each: CurveData, place: float) -> float:
    """The share of people that are protected there."""
    return promise.protected_share(_setup_at(each, place))


def _errors_sentence(own: Sequence[CurveData], curve_pair: CurvePair, place: float) -> str:
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


def _setting_sentence(record: Curves, line: Line, place: float) -> str:
    """The setting that the headline holds for, and whether the reader's is beyond the chart."""
    at = place_text(record.against, place)
    level = f"ε = {record.scenario.context.plain_epsilon:g}"
    nouns = promise.counted(record.scenario)
    people = formats.counted(runs.people(record.scenario), *nouns)
    first, last = {"people": (at, level), "epsilon": (people, at)}.get(
        record.against, (f"{people} and {at}", level)
    )
    edge = ", where the chart ends" if is_beyond(record, line) else ""
    return f"This is with {first} at {last}{edge}."


def _unprotected_sentence(own: Sequence[CurveData], curve_pair: CurvePair, place: float) -> str:
    """Another curve whose protection leaves people out, and how many it protects; or empty."""
    partial = [
        each
        for each in own
        if len(each.known_points()) > 1 and _protected_share(each, place) < _EVERYBODY
    ]
    if curve_pair.protected_share < _EVERYBODY or not partial:
        return ""
    return (
        f"“{partial[0].line.title}” protects only "
        f"{formats.out_of(_protected_share(partial[0], place))} people."
    )


def _slope_sentence(record: Curves, curve_pair: CurvePair, place: float) -> str:
    if None in curve_pair.least.expected:
        return "Some points are still being computed."
    return AXES[record.against].describe_change(*_known_points(curve_pair.least), place)


def _error_text(each: CurveData, error: float) -> str:
    """An error as a number, in the unit of the curve."""
    return curves_error_format([each]).number_text(error)


def _known_points(each: CurveData) -> tuple[list[float], list[float]]:
    points = each.known_points()
    return [x for x, _ in points], [forecast.error for _, forecast in points]
