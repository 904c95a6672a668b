"""State of the page: the curves, their error and their axis.

Axes: what the error can be drawn against, and the scenario at each place.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np

from caldp_core.basics.errors import check_choice, require
from caldp_core.datasets import Zipf
from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import GridDomain
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.estimation.evidence import default_estimator
from caldp_core.experiments.error_validity import require_valid_errors
from caldp_core.experiments.measures import TV, find_measure
from caldp_core.scenarios.blocks import EvenRuns, EverythingSensitive, GridBlocks, OneBlock
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.charts.curves import EPSILON_AXIS, PEOPLE_AXIS
from caldp_ui.charts.errors import logarithmic
from caldp_ui.compute import runs
from caldp_ui.controls.choices import NAMES, last_values
from caldp_ui.controls.common import METHODS
from caldp_ui.session.pins import PinPageState
from caldp_ui.session.record_link import ScenarioLink
from caldp_ui.session.scenarios import ScenarioRecord
from caldp_ui.words import formats

AnyDomain = Domain | GridDomain
_PEOPLE: Final = tuple(10**power for power in range(3, 10))
_EPSILONS: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0)
_GRIDS: Final = ((1, 1), (2, 3), (5, 7), (10, 14), (25, 35), (25, 70), (125, 175))


@dataclass(frozen=True)
class Axis:
    """An abscissa. `label`: its name; `ticks`: its title and marks, as Plotly has them.

    `places`: where curves are computed. `scenario_at`: the scenario there. `fixed_part`: what is
    left of a scenario that the axis does not change: equal ones are one curve.
    `describe_change(x, errors, place)`: how the error changes from `place` on, read off the points
    of a curve, as a sentence; "" where the curve does not reach that far.
    """

    title: str
    label: str
    ticks: dict[str, Any]
    places: Callable[[AnyDomain], tuple[float, ...]]
    scenario_at: Callable[[Scenario, AnyDomain, float], Scenario]
    fixed_part: Callable[[Scenario], Scenario]
    describe_change: Callable[[list[float], list[float], float], str]


def _describe_people_change(x: list[float], errors: list[float], place: float) -> str:
    half = place_of(x, errors, place, 0.5 * value_at(x, errors, place))
    if half is not None:
        return f"Half the error takes {formats.times(half / place)} as many people."
    if x[-1] < 2 * place:
        return ""
    return f"Half the error takes more than {formats.times(x[-1] / place)} as many people."


def _describe_ratio(
    words: str, times: float, *, falls: bool = True
) -> Callable[[list[float], list[float], float], str]:
    """A sentence on the error at `times` the place; `words`: it but for its number."""

    def describe(x: list[float], errors: list[float], place: float) -> str:
        ratio = _error_ratio(x, errors, place, times)
        return "" if ratio is None else f"{words} {formats.digits(1 / ratio if falls else ratio)}."

    return describe


def _error_ratio(x: list[float], errors: list[float], place: float, times: float) -> float | None:
    """The error at `times` the place over that at the place; None beyond the curve's end."""
    if times * place > x[-1]:
        return None
    return value_at(x, errors, times * place) / value_at(x, errors, place)


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


def _sizes(domain: AnyDomain) -> tuple[float, ...]:
    return (*_ladder(2, domain.k - 1), float(domain.k))


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
        _sizes,
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
        require(
            len(chosen) > 0 and set(chosen) <= set(known) and len(set(chosen)) == len(chosen),
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


LINK: Final = ScenarioLink(
    Curves(),
    _check,
    restrict_scenario=_adopt_scenario,
    left_out=Curves(estimates=("simplex",)),  # what the page began with until November 2026
)
STATE: Final = PinPageState("curves", LINK)
