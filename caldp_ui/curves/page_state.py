"""State of the page: the curves, their error and their axis.

Axes: what the error can be drawn against, and the scenario at each place.
"""

import json
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from typing import Any, Final

import numpy as np

from caldp_core.basics.cache import cached_by
from caldp_core.basics.errors import check_choice, require
from caldp_core.basics.extras import scipy
from caldp_core.basics.types import Progress, turn_of
from caldp_core.datasets import Zipf
from caldp_core.domain.domains import GridDomain
from caldp_core.estimation.estimators import ESTIMATORS, GIVEN_UP
from caldp_core.estimation.evidence import default_estimator
from caldp_core.experiments.forecast import forecast_if_fast, require_valid_errors
from caldp_core.experiments.metrics import TV, AnyDomain, find_measure
from caldp_core.experiments.reproduce import MeanError
from caldp_core.scenarios.blocks import EvenRuns, EverythingSensitive, GridBlocks, OneBlock
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory import bounds
from caldp_core.theory.expected_error import Budget, Forecast
from caldp_ui.charts.curves import EPSILON_AXIS, PEOPLE_AXIS, logarithmic
from caldp_ui.compute import runs
from caldp_ui.controls.choices import NAMES, PLAIN, Choice, last_values, protections
from caldp_ui.controls.common import METHODS
from caldp_ui.session.jobs import MB_PER_VALUE, Cost
from caldp_ui.session.links import FieldFormat
from caldp_ui.session.page_state import PinPageState, ScenarioLink, ScenarioRecord
from caldp_ui.words import formats

_PEOPLE: Final = (*(step * 10**power for power in range(3, 9) for step in (1, 2, 3, 5)), 10**9)
"""Four a decade: read off one a decade, half the error took 4.8 times as many people, not 3.5."""
_EPSILONS: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0)
_GRIDS: Final = ((1, 1), (2, 3), (5, 7), (10, 14), (25, 35), (25, 70), (125, 175))


@dataclass(frozen=True)
class Points:
    """Computed points of a curve: their places `x`, expected `errors` and `standard_errors`."""

    x: list[float]
    errors: list[float]
    standard_errors: list[float]


_Describe = Callable[[Points, float], tuple[str, dict[str, float]]]
_SURE: Final = 2.0
"""Standard errors of the trials on either side of a number: in 95 of 100 cases it is within."""


@dataclass(frozen=True)
class Axis:
    """An abscissa. `label`: its name; `ticks`: its title and marks, as Plotly has them.

    `places`: where curves are computed. `scenario_at`: the scenario there. `fixed_part`: what is
    left of a scenario that the axis does not change: equal ones are one curve.
    `describe_change(points, place)`: how the error changes from `place` on, read off the points of
    a curve, as a sentence and its number; "" where the curve does not reach that far.
    """

    title: str
    label: str
    ticks: dict[str, Any]
    places: Callable[[AnyDomain], tuple[float, ...]]
    scenario_at: Callable[[Scenario, AnyDomain, float], Scenario]
    fixed_part: Callable[[Scenario], Scenario]
    describe_change: _Describe


def _describe_people_change(points: Points, place: float) -> tuple[str, dict[str, float]]:
    x, errors = points.x, points.errors
    half = place_of(x, errors, place, 0.5 * value_at(x, errors, place))
    if half is not None:
        least, most = halving_range(points, place)
        figures = {"times": half / place, "times_least": least, "times_most": most}
        text = formats.times_between(least, most)
        return f"Half the error takes {text} as many people.", figures
    times = x[-1] / place
    if times < 2:
        return "", {"times": times}
    sentence = f"Half the error takes more than {formats.times(times)} as many people."
    return sentence, {"times": times}


def halving_range(points: Points, place: float) -> tuple[float, float]:
    """Least and most times as many people as at `place` from which half the error is expected.

    It covers the error of the trials, and how points are joined: the error falls fastest somewhere
    between two of them, where a straight line on log scales and a smooth curve through all points
    differ. The most is infinite where the curve ends before half the error is sure.
    """
    log_x, log_errors = np.log(points.x), np.log(points.errors)
    smooth = scipy.interpolate.PchipInterpolator(log_x, log_errors)
    # Places from the reader's on, close enough for the digits that are shown.
    fine = np.linspace(np.log(place), log_x[-1], _FINE)
    part = np.array(points.standard_errors) / np.array(points.errors)
    margin = _SURE * np.interp(fine, log_x, part)
    crossings = []
    for joined in (np.interp(fine, log_x, log_errors), smooth(fine)):
        # Both errors are uncertain, that at the place and that at its half.
        uncertain = np.hypot(margin, margin[0])
        fallen = joined - joined[0] + np.log(2.0)
        for bound in (fallen - uncertain, fallen + uncertain):
            below = np.flatnonzero(bound <= 0)
            crossings.append(float(np.exp(fine[below[0]] - fine[0])) if below.size else np.inf)
    return min(crossings), max(crossings)


_FINE: Final = 4001


def _describe_ratio(words: str, times: float, *, falls: bool = True) -> _Describe:
    """A sentence on the error at `times` the place, if the curve goes on to there.

    `words`: the sentence without its number.
    """

    def describe(points: Points, place: float) -> tuple[str, dict[str, float]]:
        x, errors = points.x, points.errors
        if times * place > x[-1]:
            return "", {"times": times}
        ratio = value_at(x, errors, times * place) / value_at(x, errors, place)
        shown = 1 / ratio if falls else ratio
        return f"{words} {formats.about(shown, _part_of_ratio(points, place, times))}.", {
            "times": shown
        }

    return describe


def _part_of_ratio(points: Points, place: float, times: float) -> float:
    """The error of a ratio of two errors, as a part of it, by the trials of both: `_SURE` sides."""
    part = np.array(points.standard_errors) / np.array(points.errors)
    ends = np.interp(np.log([place, times * place]), np.log(points.x), part)
    return _SURE * float(np.hypot(*ends))


def _blocks(domain: AnyDomain) -> tuple[float, ...]:
    if isinstance(domain, GridDomain):
        fit = [g for g in _GRIDS if g[0] <= domain.rows and g[1] <= domain.columns]
        return tuple(float(rows * columns) for rows, columns in fit)
    return _ladder(1, max(domain.k // 2, 1))


def _with_blocks(scenario: Scenario, domain: AnyDomain, x: float) -> Scenario:
    if not isinstance(domain, GridDomain):
        return scenario.with_context(blocks=EvenRuns(round(x)))
    rows, columns = next(grid for grid in _GRIDS if grid[0] * grid[1] == round(x))
    return scenario.with_context(blocks=GridBlocks(rows, columns))


def _ladder(low: int, high: int) -> tuple[float, ...]:
    """1, 2, 5, 10, 20, … within [low, high]."""
    steps = [part * 10**power for power in range(7) for part in (1, 2, 5)]
    return tuple(float(step) for step in steps if low <= step <= high)


def _whole(title: str) -> dict[str, Any]:
    """A logarithmic axis of whole numbers."""
    return logarithmic(title, [10**power for power in range(6)], formats.integer)


AXES: Final = {
    "people": Axis(
        "People",
        "number of people",
        PEOPLE_AXIS,
        lambda domain: tuple(map(float, _PEOPLE)),  # noqa: ARG005 — by its meaning
        lambda scenario, domain, x: replace(scenario, n=round(x)),  # noqa: ARG005
        lambda scenario: replace(scenario, n=_PEOPLE[0]),
        _describe_people_change,
    ),
    "epsilon": Axis(
        "ε",
        "privacy level ε",
        EPSILON_AXIS,
        lambda domain: _EPSILONS,  # noqa: ARG005
        lambda scenario, domain, x: scenario.with_context(epsilon=x),  # noqa: ARG005
        lambda scenario: scenario.with_context(epsilon=1.0),
        _describe_ratio("Doubling ε divides the error by", 2),
    ),
    "blocks": Axis(
        "Blocks",
        "number of blocks",
        _whole("number of blocks (right: less hidden; log scale)"),
        _blocks,
        _with_blocks,
        lambda scenario: scenario.with_context(blocks=OneBlock()),
        _describe_ratio("Ten times as many blocks divide the error by", 10),
    ),
    "sensitive": Axis(
        "Sensitive values",
        "number of sensitive values",
        _whole("number of sensitive values (log scale)"),
        lambda domain: (*_ladder(2, domain.k - 1), float(domain.k)),
        lambda scenario, domain, x: scenario.with_context(
            sensitive=last_values(domain.k, round(x))
        ),
        lambda scenario: scenario.with_context(sensitive=EverythingSensitive()),
        _describe_ratio(
            "Ten times as many sensitive values multiply the error by", 10, falls=False
        ),
    ),
}


def place_of(x: list[float], errors: list[float], start: float, error: float) -> float | None:
    """The first place from `start` on where the error has fallen so far; None where it never has.

    Between computed places it is read off a straight line on log scales.
    """
    ends = [(start, value_at(x, errors, start)), *zip(x, errors, strict=True)]
    points = [each for each in ends if each[0] >= start]
    for (left, high), (right, low) in pairwise(points):
        if low <= error < high:
            part = np.log(high / error) / np.log(high / low)
            return float(left * (right / left) ** part)
    return None


def value_at(x: list[float], tv: list[float], place: float) -> float:
    """The error at `place`, on the straight line between its neighbours on log scales."""
    return float(np.exp(np.interp(np.log(place), np.log(x), np.log(tv))))


BEGIN: Final = Scenario(Zipf(), ContextPolicy(OneBlock()), n=100_000, estimator="simplex")
_LISTS: Final = ("protections", "methods", "estimates")


@dataclass(frozen=True)
class Curves(ScenarioRecord):
    """The page's record. `scenario`: data, people, ε and seed, which all curves share.

    One curve for each of `protections` × `methods` × `estimates`, by their names. `against`:
    the axis, by its name in `AXES`. `error`: the measure, by its name in `MEASURES`.
    """

    scenario: Scenario = BEGIN
    against: str = "people"
    protections: tuple[str, ...] = ("plain", "blocks", "more-blocks", "sensitive")
    methods: tuple[str, ...] = ("best",)
    estimates: tuple[str, ...] = (default_estimator(),)
    error: str = TV


def _adopt_scenario(source: Scenario) -> Scenario:
    """The page's scenario with the data, people, ε and seed of another."""
    scenario = replace(BEGIN, dataset=source.dataset, n=source.n, seed=source.seed)
    return scenario.with_context(epsilon=source.context.plain_epsilon)


def _check(record: Curves) -> None:
    """Raise `CaldpError` for unknown names, empty lists and repeated names."""
    check_choice("against", record.against, AXES)
    known_names: tuple[Collection[str], ...] = (NAMES, METHODS, ESTIMATORS)
    for name, known in zip(_LISTS, known_names, strict=True):
        chosen: tuple[str, ...] = getattr(record, name)
        require(bool(chosen), f"Curves need {name}; choose at least one.")
        require(
            set(chosen) <= set(known) and len(set(chosen)) == len(chosen),
            f"{name} must be one or more of {', '.join(known)}, each once.",
        )
    runs.setup(record.scenario)
    measure = find_measure(record.error, runs.dataset(record.scenario).domain)
    require(
        not measure.wants_shares or "none" not in record.estimates,
        "Kilometres are for estimates made of shares; leave out the unprocessed one.",
    )
    for name in record.estimates:
        require_valid_errors(runs.setup(replace(record.scenario, estimator=name)))


def _read_estimates(_: str, text: str) -> tuple[str, ...]:
    """The names of a link's estimates, each once; of earlier ones those that they are read as."""
    names = [GIVEN_UP.get(name, name) for name in text.split(";")]
    return tuple(dict.fromkeys(names))


LINK: Final = ScenarioLink(
    Curves(),
    _check,
    field_formats={"estimates": FieldFormat(";".join, _read_estimates)},
    restrict_scenario=_adopt_scenario,
    left_out=Curves(estimates=("simplex",)),  # what the page began with until November 2026
)
STATE: Final = PinPageState("curves", LINK)


SHIPPED_BUDGET: Final = Budget(64, 2048, 0.01)
"""Trials of a point of `FORECASTS`: to 1 %, as the headline shows two digits of what they say."""
BUDGET: Final = Budget(8, 16, 0.03)
"""Trials of a point where the normal approximation fails: few, as curves have many points."""
LINES_MAX: Final = 8
"""Curves that readers can still tell apart."""


@dataclass(frozen=True)
class ComparedMethod:
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


def record_lines(record: Curves) -> list[ComparedMethod]:
    """All curves of the record; those that differ only in what the axis changes are one."""
    domain, axis = runs.dataset(record.scenario).domain, AXES[record.against]
    known, places, parts = protections(domain), axis.places(domain), set()
    lines = []
    for name, method, estimate in product(record.protections, record.methods, record.estimates):
        policy = known[name].policy
        scenario = replace(record.scenario, mechanism=METHODS[method][1], estimator=estimate)
        scenario = scenario.with_context(blocks=policy.blocks, sensitive=policy.sensitive)
        if axis.fixed_part(scenario) in parts:
            continue
        parts.add(axis.fixed_part(scenario))
        lines.append(
            ComparedMethod(
                _title(record, _without_axis(known[name], axis), method, estimate),
                runs.setup(scenario).mechanism_name,
                places,
                tuple(axis.scenario_at(scenario, domain, x) for x in places),
                name == PLAIN,
                error=record.error,
            )
        )
    return lines


def all_lines(record: Curves, pinned: Curves | None) -> list[ComparedMethod]:
    """The record's own curves, then those of what is pinned."""
    return [*record_lines(record), *pinned_lines(record, pinned)]


def pinned_lines(record: Curves, pinned: Curves | None) -> list[ComparedMethod]:
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


def cache_key(lines: Sequence[ComparedMethod]) -> str:
    """The key of these curves in caches."""
    return json.dumps([[line.error, *map(runs.key, line.scenarios)] for line in lines])


def expected_errors(
    lines: Sequence[ComparedMethod], progress: Progress, here: float | None = None
) -> Iterator[PointForecast]:
    """Expected errors: beside the place `here` first, then both ends of all curves, then the rest.

    Without `here`: beside the middle.
    """
    places = max((line.places for line in lines), key=len, default=())
    points = [
        (place, number, line)
        for place in _point_order(places, here)
        for number, line in enumerate(lines)
        if place < len(line.places)
    ]
    for done, (place, number, line) in enumerate(points):
        scenario = replace(line.scenarios[place], seed=0)  # no outcome, an expectation
        within = turn_of(progress, done, len(points))
        yield PointForecast(number, place, _point(scenario, line.error, within))
        within(1.0)


def cost(lines: Sequence[ComparedMethod]) -> Cost:
    """The approximate cost of all points, as measured from 128 to 2²⁰ values.

    A cascade takes trials at each: eight of 43,750 values a second.
    """
    scenarios = [each for line in lines for each in line.scenarios]
    ks = [runs.dataset(each).domain.k for each in scenarios]
    rates = [2e-5 * ESTIMATORS[each.estimator].relative_time for each in scenarios]
    seconds = sum(rate * k for rate, k in zip(rates, ks, strict=True))
    return Cost(seconds, MB_PER_VALUE * max(ks, default=0))


def _point_order(places: Sequence[float], here: float | None) -> list[int]:
    count = len(places)
    if not count:
        return []
    nearest = count // 2 if here is None else min(bisect_left(places, here), count - 1)
    beside = max(nearest, min(1, count - 1))
    return list(dict.fromkeys([max(beside - 1, 0), beside, 0, count - 1, *range(count)]))


FORECASTS: Final = Path(__file__).with_name("forecasts.json")
"""Errors of the page's first record, by `python -m scripts.estimator_figures forecasts`."""


def point_key(scenario: Scenario, error: str) -> str:
    """The key of a point in caches and in `FORECASTS`."""
    return f"{error} {runs.law_key(scenario)}"


@cache
def shipped_forecasts() -> dict[str, Forecast]:
    """The points of `FORECASTS` by their keys: a server that just started draws them at once."""
    points = json.loads(FORECASTS.read_text("utf-8"))["points"]
    names = [each.name for each in fields(Forecast)]
    return {key: Forecast(**{name: row[name] for name in names}) for key, row in points.items()}


@cached_by(lambda scenario, error, *_: point_key(scenario, error))
def _point(scenario: Scenario, error: str, progress: Progress) -> Forecast | None:
    shipped = shipped_forecasts().get(point_key(scenario, error))
    return shipped or forecast_if_fast(
        runs.setup(scenario), budget=BUDGET, progress=progress, error=error
    )


@dataclass(frozen=True)
class Bound:
    """A proved bound on the TV of one line, by its index: (places,) x and tv.

    `theorem`: its name in the papers.
    """

    theorem: str
    line: int
    x: tuple[float, ...]
    tv: tuple[float, ...]


def proved_bounds(lines: Sequence[ComparedMethod]) -> list[Bound]:
    """The papers' statements about the unbiased estimates of these methods.

    CALDP's proofs of Propositions 4 and 5 bound l1, so TV by half of it; ULDP's Proposition 4 is
    the error itself for many people.
    """
    return [
        Bound(theorem, at, line.places, tuple(_bound_at(line.method, s) for s in line.scenarios))
        for at, line in enumerate(lines)
        if (theorem := _theorem(line)) is not None
    ]


def _theorem(line: ComparedMethod) -> str | None:
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


def _bound_at(method: str, scenario: Scenario) -> float:
    setup = runs.setup(scenario)
    k, n, flags = setup.mechanism.k, setup.n, setup.sensitive
    epsilon = setup.scenario.context.plain_epsilon
    if method == "randomized-response":
        return bounds.urr_l1_loss(setup.dataset.distribution, flags, n, epsilon) / 2
    if isinstance(setup.scenario.context.sensitive, EverythingSensitive):
        return bounds.block_tv_bound(setup.partition.sizes(), n, epsilon) / 2
    return bounds.high_low_tv_bound(k, int(flags.sum()), n, epsilon) / 2


SMALLEST_ERROR: Final = 1e-5


@dataclass(frozen=True)
class CurveData:
    """A line with its (places,) expected errors and means of runs, None where not known."""

    line: ComparedMethod
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
    lines: Sequence[ComparedMethod],
    forecasts: Sequence[PointForecast],
    measured: Sequence[Sequence[MeanError | None]],
) -> list[CurveData]:
    """Each line with the errors known so far, and with those that ship."""
    shipped = shipped_forecasts()
    table = [[shipped.get(point_key(at, line.error)) for at in line.scenarios] for line in lines]
    for each in forecasts:
        table[each.line][each.place] = each.error
    return [CurveData(*row) for row in zip(lines, table, measured, strict=True)]


def reader_position(record: Curves, line: ComparedMethod) -> float:
    """Where on the axis the reader is, at its end if beyond; its middle if nothing says it."""
    place = _place_set(record)
    if place is None:
        return line.places[len(line.places) // 2]
    return min(max(place, line.places[0]), line.places[-1])


def is_beyond(record: Curves, line: ComparedMethod) -> bool:
    """Whether the record's own place on the axis is beyond the ends of the curves."""
    return _place_set(record) not in (None, reader_position(record, line))


def _place_set(record: Curves) -> float | None:
    if record.against == "people":
        return float(runs.people(record.scenario))
    return record.scenario.context.plain_epsilon if record.against == "epsilon" else None
