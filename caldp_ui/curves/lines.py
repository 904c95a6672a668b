"""The curves of a record: their scenarios, their expected errors, and what the papers prove.

Curves with the errors known so far, for the chart and the headline.
"""

import json
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from caldp_core.basics.cache import cached_by
from caldp_core.basics.types import Progress
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.experiments.forecast import forecast_if_fast
from caldp_core.experiments.interleaved_runs import MeanError
from caldp_core.experiments.measures import TV
from caldp_core.experiments.run import Setup
from caldp_core.scenarios.blocks import EverythingSensitive, OneBlock
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory import bounds
from caldp_core.theory.expected_error import Budget, Forecast
from caldp_ui.compute import runs
from caldp_ui.controls.choices import PLAIN, Choice, protections
from caldp_ui.controls.common import METHODS
from caldp_ui.curves.page_state import AXES, Axis, Curves
from caldp_ui.session.cost import MB_PER_VALUE, Cost

BUDGET: Final = Budget(8, 16, 0.03)
"""Trials of a point where the normal approximation fails: few, as curves have many points."""
LINES_MAX: Final = 8
"""Curves that readers can still tell apart."""


@dataclass(frozen=True)
class Line:
    """A curve: its name for readers, its method, and the scenario at each of its places.

    `error`: which one, by its name in `MEASURES`.
    """

    title: str
    method: str
    places: tuple[float, ...]
    scenarios: tuple[Scenario, ...]
    is_plain: bool
    is_pinned: bool = False
    error: str = TV


@dataclass(frozen=True)
class PointForecast:
    """An expected error with the indices of its line and place; None where none was found."""

    line: int
    place: int
    error: Forecast | None


def record_lines(record: Curves) -> list[Line]:
    """All curves of the record; those that differ only in what the axis changes are one."""
    domain, axis = runs.dataset(record.scenario).domain, AXES[record.against]
    known, places, parts = protections(domain), axis.places(domain), set()
    lines = []
    for name in record.protections:
        for method in record.methods:
            for estimate in record.estimates:
                scenario = replace(
                    record.scenario, mechanism=METHODS[method][1], estimator=estimate
                ).with_context(
                    blocks=known[name].policy.blocks, sensitive=known[name].policy.sensitive
                )
                if axis.fixed_part(scenario) in parts:
                    continue
                parts.add(axis.fixed_part(scenario))
                lines.append(
                    Line(
                        _title(record, _without_axis(known[name], axis), method, estimate),
                        runs.setup(scenario).mechanism_name,
                        places,
                        tuple(axis.scenario_at(scenario, domain, x) for x in places),
                        name == PLAIN,
                        error=record.error,
                    )
                )
    return lines


def all_lines(record: Curves, pinned: Curves | None) -> list[Line]:
    """The record's own curves, then those of what is pinned."""
    return [*record_lines(record), *pinned_lines(record, pinned)]


def pinned_lines(record: Curves, pinned: Curves | None) -> list[Line]:
    """Curves of a pinned record with the same error and axis, without the record's own."""
    if pinned is None or (pinned.against, pinned.error) != (record.against, record.error):
        return []
    own = {line.scenarios for line in record_lines(record)}
    return [
        replace(line, title=f"pinned: {line.title}", is_pinned=True)
        for line in record_lines(pinned)
        if line.scenarios not in own
    ]


def _title(record: Curves, protection: str, method: str, estimate: str) -> str:
    """The title of a curve: only what tells it from the others."""
    parts = []
    if len(record.protections) > 1 or (len(record.methods) == len(record.estimates) == 1):
        parts.append(protection)
    if len(record.methods) > 1:
        parts.append(METHODS[method][0])
    if len(record.estimates) > 1:
        parts.append(ESTIMATORS[estimate].title)
    return ", ".join(parts)


def _without_axis(protection: Choice, axis: Axis) -> str:
    """The title of a protection without what the axis changes."""
    policy = protection.policy
    if axis is AXES["blocks"] and isinstance(policy.sensitive, EverythingSensitive):
        return "All sensitive"
    if axis is AXES["sensitive"] and isinstance(policy.blocks, OneBlock):
        return "One block"
    return protection.title


def cache_key(lines: Sequence[Line]) -> str:
    """The key of these curves in caches."""
    return json.dumps([[line.error, *map(runs.key, line.scenarios)] for line in lines])


def expected_errors(
    lines: Sequence[Line], progress: Progress, here: float | None = None
) -> Iterator[PointForecast]:
    """Expected errors: beside the place `here` first, then both ends of all curves, then the rest.

    Without `here`: beside the middle.
    """
    total, done = sum(len(line.places) for line in lines), 0
    places = max((line.places for line in lines), key=len, default=())
    for place in _point_order(places, here):
        for number, line in enumerate(lines):
            if place < len(line.places):
                scenario = replace(line.scenarios[place], seed=0)  # no outcome, an expectation
                low = done / total
                within = _from(progress, low, total)
                yield PointForecast(number, place, _point(scenario, line.error, within))
                done += 1
                progress(done / total)


def cost(lines: Sequence[Line]) -> Cost:
    """The approximate cost of all points, as measured from 128 to 2²⁰ values.

    A cascade takes trials at each: eight of 43,750 values a second.
    """
    scenarios = [each for line in lines for each in line.scenarios]
    ks = [runs.dataset(each).domain.k for each in scenarios]
    rates = [2e-5 if ESTIMATORS[each.estimator].is_cascade else 2e-6 for each in scenarios]
    seconds = sum(rate * k for rate, k in zip(rates, ks, strict=True))
    return Cost(seconds, MB_PER_VALUE * max(ks, default=0))


def _point_order(places: Sequence[float], here: float | None) -> list[int]:
    count = len(places)
    if not count:
        return []
    nearest = count // 2 if here is None else min(bisect_left(places, here), count - 1)
    beside = max(nearest, min(1, count - 1))
    return list(dict.fromkeys([max(beside - 1, 0), beside, 0, count - 1, *range(count)]))


@cached_by(lambda scenario, error, *_: f"{error} {runs.key(scenario)}")
def _point(scenario: Scenario, error: str, progress: Progress) -> Forecast | None:
    progress(0.0)
    return forecast_if_fast(runs.setup(scenario), budget=BUDGET, progress=progress, error=error)


def _from(progress: Progress, low: float, parts: int) -> Progress:
    """The progress of one of so many equal parts, which begins at `low`."""
    return lambda share: progress(low + share / parts)


@dataclass(frozen=True)
class Bound:
    """A proved bound on the TV of one line, by its index: (places,) x and tv.

    `theorem`: its name in the papers.
    """

    theorem: str
    line: int
    x: tuple[float, ...]
    tv: tuple[float, ...]


def proved_bounds(lines: Sequence[Line]) -> list[Bound]:
    """The papers' statements about the unbiased estimates of these methods.

    CALDP's proofs of Propositions 4 and 5 bound l1, so TV by half of it; ULDP's Proposition 4 is
    the error itself for many people.
    """
    proved = []
    for number, line in enumerate(lines):
        theorem = _theorem(line)
        if theorem is not None:
            tv = tuple(_bound_at(line.method, runs.setup(s)) for s in line.scenarios)
            proved.append(Bound(theorem, number, line.places, tv))
    return proved


def _theorem(line: Line) -> str | None:
    if line.scenarios[0].estimator != "none" or line.error != TV:
        return None
    context = line.scenarios[0].context
    whole = isinstance(context.blocks, OneBlock) and isinstance(
        line.scenarios[-1].context.blocks, OneBlock
    )
    everything = isinstance(context.sensitive, EverythingSensitive)
    if line.method == "hadamard" and everything:
        return "CALDP Prop. 5"
    if line.method == "hadamard" and whole:
        return "CALDP Prop. 4"
    if line.method == "randomized-response" and whole and not everything:
        return "ULDP Prop. 4"
    return None


def _bound_at(method: str, setup: Setup) -> float:
    k, n, flags = setup.mechanism.k, setup.n, setup.sensitive
    epsilon = setup.scenario.context.plain_epsilon
    if method == "randomized-response":
        return bounds.urr_losses(setup.dataset.distribution, flags, n, epsilon).l1 / 2
    if isinstance(setup.scenario.context.sensitive, EverythingSensitive):
        return bounds.block_tv_bound(setup.partition.sizes(), n, epsilon) / 2
    return bounds.high_low_tv_bound(k, int(flags.sum()), n, epsilon) / 2


SMALLEST_ERROR: Final = 1e-5


@dataclass(frozen=True)
class CurveData:
    """A line with its (places,) expected errors and means of runs, None where not known."""

    line: Line
    expected: Sequence[Forecast | None]
    measured: Sequence[MeanError | None]

    def known_points(self) -> list[tuple[float, Forecast]]:
        """Places and expected errors, as far as they are known and above 0."""
        pairs = zip(self.line.places, self.expected, strict=True)
        return [
            (x, error) for x, error in pairs if error is not None and error.error > SMALLEST_ERROR
        ]

    def is_known_at(self, place: float) -> bool:
        """Whether the expected errors next to `place` are known on both sides."""
        x = self.line.places
        right = min(max(bisect_left(x, place), 1), len(x) - 1)
        return None not in self.expected[right - 1 : right + 1]


def make_curves(
    lines: Sequence[Line],
    forecasts: Sequence[PointForecast],
    measured: Sequence[Sequence[MeanError | None]],
) -> list[CurveData]:
    """Each line with the errors known so far."""
    table: list[list[Forecast | None]] = [[None] * len(line.places) for line in lines]
    for each in forecasts:
        table[each.line][each.place] = each.error
    return [CurveData(*row) for row in zip(lines, table, measured, strict=True)]


def reader_position(record: Curves, line: Line) -> float:
    """Where on the axis the reader is, at its end if beyond; its middle if nothing says it."""
    place = _place_set(record)
    if place is None:
        return line.places[len(line.places) // 2]
    return min(max(place, line.places[0]), line.places[-1])


def is_beyond(record: Curves, line: Line) -> bool:
    """Whether the record's own place on the axis is beyond the ends of the curves."""
    return _place_set(record) not in (None, reader_position(record, line))


def _place_set(record: Curves) -> float | None:
    if record.against == "people":
        return float(runs.people(record.scenario))
    return record.scenario.context.plain_epsilon if record.against == "epsilon" else None
