"""The curves in words: the headline at the reader's place, and what the chart says."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from caldp_ui.compute import runs
from caldp_ui.curves.asked import Asked, asked
from caldp_ui.curves.axes import AXES, power_at, value_at
from caldp_ui.curves.drawn import Drawn, present
from caldp_ui.curves.slot import Curves
from caldp_ui.words import formats, promise
from caldp_ui.words.headline import Headline

_EVERYBODY: Final = 1 - 1e-9


@dataclass(frozen=True)
class Pair:
    """What the headline compares at the reader's place: the least error, and another's beside it.

    `least` protects everybody if any curve does; `covered`: the share of people that it protects.
    """

    least: Drawn
    other: Drawn | None
    covered: float


def asked_of(drawn: Sequence[Drawn]) -> Asked:
    """The error that the curves show, in words."""
    lines = [each.line for each in drawn]
    shares = all(line.scenarios[0].estimator != "none" for line in lines)
    return asked(lines[0].error, runs.dataset(lines[0].scenarios[0]).domain, shares)


def alt(record: Curves, curves: Sequence[Drawn]) -> str:
    """The chart in words: both ends of every curve."""
    told = "; ".join(
        f"{each.line.title} from {_short(each, each.there()[0][1].error)} to "
        f"{_short(each, each.there()[-1][1].error)}"
        for each in curves
        if each.there()
    )
    unit = asked_of(curves).counted.title
    return f"Expected error ({unit}) against {AXES[record.against].label}: {told}."


def said(record: Curves, curves: Sequence[Drawn]) -> Headline:
    """The page's headline, of its own curves without pinned ones."""
    own = [each for each in curves if not each.line.is_pinned]
    place = present(record, own[0].line)
    found = pair(own, place)
    if found is None:
        return Headline("The curves are still being computed here.", "Their ends come first.")
    second = [_place(record, place), _others(own, found, place), _slope(record, found, place)]
    return Headline(
        _sentence(own, found, place),
        " ".join(part for part in second if part),
        found.covered < _EVERYBODY,
    )


def pair(drawn: Sequence[Drawn], place: float) -> Pair | None:
    """The least error of those that protect most people, and plain LDP's or else the largest."""
    whole = [each for each in drawn if len(each.there()) > 1 and each.knows(place)]
    if not whole:
        return None
    covered = [_covered(each, place) for each in whole]
    most = [
        each
        for each, share in zip(whole, covered, strict=True)
        if share >= min(_EVERYBODY, max(covered))
    ]
    least = min(most, key=lambda each: error_at(each, place))
    others = [each for each in most if each is not least]
    plain = next((each for each in others if each.line.is_plain), None)
    other = plain or max(others, key=lambda each: error_at(each, place), default=None)
    return Pair(least, other, _covered(least, place))


def error_at(each: Drawn, place: float) -> float:
    """The expected error there, between the computed places next to it."""
    return value_at(*_points(each), place)


def called(against: str, place: float) -> str:
    """A place of an axis in words."""
    number = formats.people(place) if against != "epsilon" else f"{place:g}"
    return {
        "people": f"{number} people",
        "epsilon": f"ε = {number}",
        "blocks": formats.count(round(place), "block", "blocks"),
        "sensitive": formats.count(round(place), "sensitive value", "sensitive values"),
    }[against]


def _covered(each: Drawn, place: float) -> float:
    """The share of people that are protected at the computed place next to the reader's."""
    line = each.line
    nearest = min(range(len(line.places)), key=lambda i: abs(line.places[i] - place))
    return promise.protected_share(runs.setup(line.scenarios[nearest]))


def _sentence(own: Sequence[Drawn], found: Pair, place: float) -> str:
    does = asked_of(own).does(error_at(found.least, place))
    told = f"“{found.least.line.title}” {does}"
    if found.other is not None:
        other = found.other.line
        title = "plain LDP" if other.title == "Plain LDP" else f"“{other.title}”"
        told += f", {title} {_short(found.other, error_at(found.other, place))}"
    if found.covered >= _EVERYBODY:
        return f"{told}."
    few = "Nobody is" if found.covered <= 0 else f"Only {formats.out_of(found.covered)} people are"
    return f"{few} protected here; {told}."


def _place(record: Curves, place: float) -> str:
    """What the headline holds for."""
    at = called(record.against, place)
    level = f"ε = {record.scenario.context.plain_epsilon:g}"
    people = f"{formats.people(runs.people(record.scenario))} people"
    if record.against == "people":
        return f"With {at} at {level}."
    return f"With {people} at {at}." if record.against == "epsilon" else f"With {at} at {level}."


def _others(own: Sequence[Drawn], found: Pair, place: float) -> str:
    """Of the curves beside it, one whose protection leaves people out, with how many it covers."""
    left = [each for each in own if len(each.there()) > 1 and _covered(each, place) < _EVERYBODY]
    if found.covered < _EVERYBODY or not left:
        return ""
    return (
        f"“{left[0].line.title}” protects only {formats.out_of(_covered(left[0], place))} people."
    )


def _slope(record: Curves, found: Pair, place: float) -> str:
    if None in found.least.expected:
        return "Some points are still being computed."
    x, tv = _points(found.least)
    told = AXES[record.against].power(power_at(x, tv, place))
    return f"{told[0].upper()}{told[1:]}."


def _short(each: Drawn, error: float) -> str:
    """The number alone."""
    return asked_of([each]).short(error)


def _points(each: Drawn) -> tuple[list[float], list[float]]:
    there = each.there()
    return [x for x, _ in there], [found.error for _, found in there]
