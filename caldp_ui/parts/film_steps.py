"""Steps of a film, from where the reader is: a hand goes to the next ones first."""

from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Final, TypeAlias

from caldp_core.basics.types import Progress
from caldp_ui.stage import Step

StepMaker: TypeAlias = Callable[
    [Sequence[float], float, Callable[[float], Step], Progress], tuple[Step, ...]
]
"""Makes a film's steps, as `all_steps` does with the arguments in its order."""
_NEAR: Final = 2
_NEAR_S: Final = 0.6
"""Seconds after which no second step to a side is begun."""


def all_steps(
    levels: Sequence[float], current: float, step: Callable[[float], Step], progress: Progress
) -> tuple[Step, ...]:
    """A step per level; those next to `current`, where the reader is, are made first.

    `levels`: as on the slider, from the least on. A step that lacks pictures, as they would take
    long, is left out.
    """
    steps: dict[float, Step] = {}
    for level in _nearest(levels, current):
        progress(len(steps) / len(levels))
        steps[level] = step(level)
    return _complete_steps(levels, steps)


def nearest_steps(
    levels: Sequence[float], current: float, step: Callable[[float], Step], progress: Progress
) -> tuple[Step, ...]:
    """The steps next to where the reader is, and a second one on each side if there is time."""
    steps: dict[float, Step] = {}
    until, first = monotonic() + _NEAR_S, neighbouring_levels(levels, current)
    for level in _nearest(levels, current)[: 1 + 2 * _NEAR]:
        if level not in first and monotonic() > until:
            break
        progress(len(steps) / (1 + 2 * _NEAR))
        steps[level] = step(level)
    return _complete_steps(levels, steps)


def neighbouring_levels(levels: Sequence[float], current: float) -> list[float]:
    """The level where the reader is, and those next to it."""
    return _nearest(levels, current)[:3]


def _nearest(levels: Sequence[float], at: float) -> list[float]:
    """The levels from where the reader is; where two are as near, the higher first."""
    here = min(range(len(levels)), key=lambda place: abs(levels[place] - at))
    near = sorted(range(len(levels)), key=lambda place: (abs(place - here), -place))
    return [levels[place] for place in near]


def _complete_steps(
    levels: Sequence[float], steps_by_level: Mapping[float, Step]
) -> tuple[Step, ...]:
    whole = max(len(step.codes) for step in steps_by_level.values())
    ordered = (steps_by_level[level] for level in levels if level in steps_by_level)
    return tuple(step for step in ordered if len(step.codes) == whole)
