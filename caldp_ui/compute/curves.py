"""Curves of expected error, computed once for all visits: of a scenario and of plain LDP.

Points may take seconds of trials, so curves belong into jobs. Its abscissa is fixed in the key of a
curve, so that moving along the curve computes nothing.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

import numpy as np

from caldp_core.basics.cache import cached_by
from caldp_core.basics.limits import EPSILON_MAX
from caldp_core.basics.types import Progress
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.forecast import (
    Curve,
    block_curve,
    epsilon_curve,
    people_curve,
    sensitive_curve,
)
from caldp_core.scenarios.blocks import GridBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute.runs import best_plain_ldp, expected_error, key, setup

EPSILONS: Final = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, EPSILON_MAX)
NUMBERS: Final = tuple(10**power for power in range(3, 13))
_GRIDS: Final = ((1, 1), (2, 3), (5, 7), (12, 17), (25, 35), (50, 70), (75, 150))
_SIZES: Final = 8
_EVEN_UP_TO: Final = 2_000
Pair: TypeAlias = tuple[Curve, Curve]
"""This protection, and the best plain LDP."""


def ignore_epsilon(scenario: Scenario) -> Scenario:
    """The scenario with fixed ε and seed, on which the curve against ε does not depend."""
    return replace(scenario.with_epsilon(1.0), seed=0)


def ignore_people(scenario: Scenario) -> Scenario:
    """The scenario with a fixed number of people and seed, for the curve against people."""
    return replace(scenario, n=NUMBERS[0], seed=0)


def ignore_blocks(scenario: Scenario) -> Scenario:
    """The scenario with fixed blocks and seed, for the curve against the number of blocks."""
    return replace(scenario.with_context(blocks=GridBlocks(1, 1)), seed=0)


def ignore_seed(scenario: Scenario) -> Scenario:
    """The scenario with a fixed seed, for the curve against the size of the sensitive set."""
    return replace(scenario, seed=0)


_MakeCurve: TypeAlias = Callable[[Scenario, Progress], Curve]


def _beside_plain(curve: _MakeCurve, scenario: Scenario, progress: Progress) -> Pair:
    ours = curve(scenario, lambda share: progress(share / 2))
    return ours, curve(best_plain_ldp(scenario), lambda share: progress(0.5 + share / 2))


def _above_plain(curve: _MakeCurve, scenario: Scenario, progress: Progress) -> Pair:
    """Plain LDP is the same at every x: it has one block, and all is sensitive to it."""
    ours = curve(scenario, progress)
    return ours, _constant_curve(best_plain_ldp(scenario), ours)


def _constant_curve(scenario: Scenario, like: Curve) -> Curve:
    """A scenario's expected error at each x of `like`; no points where it takes long trials."""
    forecast = expected_error(scenario)
    if forecast is None:
        return Curve(*(np.zeros(0) for _ in range(4)))
    one = np.ones_like(like.x)
    half = 1.6449 * forecast.deviation
    low, high = max(forecast.error - half, 0.0), forecast.error + half
    return Curve(like.x, forecast.error * one, low * one, high * one)


def _cache_key(scenario: Scenario, _: Progress) -> str:
    return key(scenario)


@cached_by(_cache_key)
def _epsilon(scenario: Scenario, progress: Progress) -> Curve:
    return epsilon_curve(setup(scenario), EPSILONS, progress)


@cached_by(_cache_key)
def _people(scenario: Scenario, progress: Progress) -> Curve:
    return people_curve(setup(scenario), NUMBERS, progress)


@cached_by(_cache_key)
def _blocks(scenario: Scenario, progress: Progress) -> Curve:
    ready = setup(scenario)
    domain = ready.dataset.domain
    assert isinstance(domain, GridDomain)
    fitting = [grid for grid in _GRIDS if grid[0] <= domain.rows and grid[1] <= domain.columns]
    return block_curve(ready, [GridBlocks(*grid) for grid in fitting], progress)


@cached_by(_cache_key)
def _sensitive(scenario: Scenario, progress: Progress) -> Curve:
    ready = setup(scenario)
    return sensitive_curve(ready, _sizes(ready.mechanism.k), progress=progress)


def _sizes(k: int) -> list[int]:
    """Of the sensitive set: even steps for a table of answers, ever larger ones for maps."""
    even = k <= _EVEN_UP_TO
    steps = np.linspace(0, k, _SIZES + 3) if even else np.geomspace(10, k, _SIZES)
    sizes: list[int] = np.unique(steps.astype(int)).tolist()
    return sizes


errors_over_epsilon: Final = partial(_beside_plain, _epsilon)
errors_over_people: Final = partial(_beside_plain, _people)
errors_over_blocks: Final = partial(_above_plain, _blocks)
"""Expected error against the number of blocks, as grids."""
errors_over_sensitive: Final = partial(_above_plain, _sensitive)
"""Expected error against the number of sensitive places or values."""
