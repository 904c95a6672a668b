"""What the error can be drawn against, and the scenario at each place of the axis."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np

from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import GridDomain
from caldp_core.scenarios.blocks import EvenRuns, EverythingSensitive, GridBlocks, OneBlock
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.charts.curves import EPSILON_AXIS, PEOPLE_AXIS
from caldp_ui.controls.choices import last_values
from caldp_ui.words import formats

AnyDomain = Domain | GridDomain
_PEOPLE: Final = tuple(10**power for power in range(3, 10))
_EPSILONS: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0)
_GRIDS: Final = ((1, 1), (2, 3), (5, 7), (10, 14), (25, 35), (25, 70), (125, 175))


@dataclass(frozen=True)
class Axis:
    """An abscissa. `ticks`: its title and marks, as Plotly has them.

    `places`: where curves are computed. `scenario_at`: the scenario there. `fixed_part`: what is
    left of a scenario that the axis does not change: equal ones are one curve.
    `describe_change(x, errors, place)`: how the error changes from `place` on, read off the points
    of a curve, as a sentence; "" where the curve does not reach that far.
    """

    title: str
    ticks: dict[str, Any]
    places: Callable[[AnyDomain], tuple[float, ...]]
    scenario_at: Callable[[Scenario, AnyDomain, float], Scenario]
    fixed_part: Callable[[Scenario], Scenario]
    describe_change: Callable[[list[float], list[float], float], str]

    @property
    def label(self) -> str:
        """The title of the axis, without what stands in brackets."""
        return str(self.ticks["title_text"]).partition(" (")[0]


def _describe_people_change(x: list[float], errors: list[float], place: float) -> str:
    half = place_of(x, errors, place, 0.5 * value_at(x, errors, place))
    if half is not None:
        return f"Half the error takes {formats.times(half / place)} as many people."
    if x[-1] < 2 * place:
        return ""
    return f"Half the error takes more than {formats.times(x[-1] / place)} as many people."


def _describe_epsilon_change(x: list[float], errors: list[float], place: float) -> str:
    ratio = _error_ratio(x, errors, place, 2)
    return "" if ratio is None else f"Doubling ε divides the error by {formats.digits(1 / ratio)}."


def _describe_blocks_change(x: list[float], errors: list[float], place: float) -> str:
    ratio = _error_ratio(x, errors, place, 10)
    if ratio is None:
        return ""
    return f"Ten times as many blocks divide the error by {formats.digits(1 / ratio)}."


def _describe_sensitive_change(x: list[float], errors: list[float], place: float) -> str:
    ratio = _error_ratio(x, errors, place, 10)
    if ratio is None:
        return ""
    return f"Ten times as many sensitive values multiply the error by {formats.digits(ratio)}."


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


def _with_sensitive(scenario: Scenario, domain: AnyDomain, x: float) -> Scenario:
    return scenario.with_context(sensitive=last_values(domain.k, round(x)))


def _ladder(low: int, high: int) -> tuple[float, ...]:
    """1, 2, 5, 10, 20, … within [low, high]."""
    steps = [part * 10**power for power in range(7) for part in (1, 2, 5)]
    return tuple(float(step) for step in steps if low <= step <= high)


def _whole(title: str) -> dict[str, Any]:
    """A logarithmic axis of whole numbers."""
    marks = [10**power for power in range(6)]
    named = [f"{mark:,}" for mark in marks]
    return {"title_text": title, "type": "log", "tickvals": marks, "ticktext": named}


AXES: Final = {
    "people": Axis(
        "People",
        PEOPLE_AXIS,
        lambda domain: tuple(map(float, _PEOPLE)),  # noqa: ARG005 — by its meaning
        lambda scenario, domain, x: replace(scenario, n=round(x)),  # noqa: ARG005
        lambda scenario: replace(scenario, n=_PEOPLE[0]),
        _describe_people_change,
    ),
    "epsilon": Axis(
        "ε",
        EPSILON_AXIS,
        lambda domain: _EPSILONS,  # noqa: ARG005
        lambda scenario, domain, x: scenario.with_context(epsilon=x),  # noqa: ARG005
        lambda scenario: scenario.with_context(epsilon=1.0),
        _describe_epsilon_change,
    ),
    "blocks": Axis(
        "Blocks",
        _whole("number of blocks (right: less hidden; log scale)"),
        _blocks,
        _with_blocks,
        lambda scenario: scenario.with_context(blocks=OneBlock()),
        _describe_blocks_change,
    ),
    "sensitive": Axis(
        "Sensitive values",
        _whole("number of sensitive values (log scale)"),
        _sizes,
        _with_sensitive,
        lambda scenario: scenario.with_context(sensitive=EverythingSensitive()),
        _describe_sensitive_change,
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
