"""Cached work: every page asks here, so that a moved control costs only what it changes.

Results are kept in the one shared cache by a scenario's text and the state of its file. They are
shared by all visits and read-only.
"""

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Final

from caldp_core.basics.cache import cached, cached_by
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Progress, no_progress
from caldp_core.datasets import Dataset
from caldp_core.domain.grid import GridDomain
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.experiments.error_validity import has_valid_errors
from caldp_core.experiments.forecast import forecast_if_fast
from caldp_core.experiments.run import (
    Result,
    Setup,
    check_estimator,
    number_of_people,
    prepare,
    run,
)
from caldp_core.mechanisms import FAMILIES, in_context
from caldp_core.mechanisms.capabilities import people_max, symbol_partition_of
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.privacy.context import Context
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.expected_error import Forecast
from caldp_core.theory.planner import Recommendation, best_family
from caldp_ui.app.theme import settings
from caldp_ui.compute.sources import file_state, is_own

_LONG: Final = 10_000
_MANY_CELLS: Final = 2**18
"""Symbols from which a run takes more than a second by any mechanism, and a film many megabytes."""


def key(scenario: Scenario) -> str:
    """The cache key of the scenario and of the state of the file that its data come from."""
    return f"{_text(scenario)} {file_state(scenario.dataset)}"


@cached
def _text(scenario: Scenario) -> str:
    text = json.dumps(scenario.to_dict(), sort_keys=True)
    # Caches hash their keys at each look-up: a scenario with its data in it stands by its own hash.
    return text if len(text) <= _LONG else hashlib.sha256(text.encode()).hexdigest()


@cached_by(lambda scenario: (scenario.dataset, file_state(scenario.dataset)))
def dataset(scenario: Scenario) -> Dataset:
    """The scenario's data, loaded once."""
    return scenario.dataset.load()


def people(scenario: Scenario) -> int:
    """The scenario's number of people, without making its mechanism; raises `CaldpError`."""
    return number_of_people(scenario, dataset(scenario))


def data_key(scenario: Scenario) -> str:
    """The cache key of the scenario's data alone."""
    return key(_only_data(scenario))


def _only_data(scenario: Scenario) -> Scenario:
    return replace(Scenario(), dataset=scenario.dataset, n=1)


def map_of(data: Dataset) -> GridDomain:
    """The map of a dataset of places; `CaldpError` for other data."""
    if not isinstance(data.domain, GridDomain):
        raise CaldpError(f"{data.name} has no map; start afresh to see places.")
    return data.domain


def finest_map_of(data: Dataset) -> GridDomain:
    """The map before its cells are put together, to which blocks and sensitive places refer."""
    return map_of(data) if data.fine_map is None else data.fine_map.cells.fine


def _load(scenario: Scenario, progress: Progress) -> Dataset:
    del progress
    return dataset(scenario)


def setup(scenario: Scenario) -> Setup:
    """Data, blocks and mechanism of the scenario, ready to run."""
    return _setup_of(replace(scenario, seed=0))


@cached_by(lambda scenario: (scenario, file_state(scenario.dataset)))
def _setup_of(scenario: Scenario) -> Setup:
    people(scenario)  # raises if their number is missing
    default = Scenario()
    protection = replace(
        scenario,
        estimator=default.estimator,
        prior=default.prior,
        false_share=default.false_share,
        trials=default.trials,
        n=1,
    )
    # Neither people nor estimate change what is promised and by which mechanism.
    ready = replace(_setup(protection), scenario=scenario)
    check_estimator(ready)
    return ready


@cached_by(key)
def _setup(scenario: Scenario) -> Setup:
    return prepare(scenario, load=_load)


@cached_by(lambda scenario, *_: key(scenario))
def result(scenario: Scenario, progress: Progress = no_progress) -> Result:
    """The scenario, run once for all visits."""
    return _run(scenario, progress)


def uncached_result(scenario: Scenario) -> Result:
    """The scenario's result, not cached: for what is looked at once."""
    return _run(scenario, no_progress)


def _run(scenario: Scenario, progress: Progress) -> Result:
    """A run; noise on a visitor's own data is secret, or estimates would give them away.

    An attacker who knows the seed could try tables until one has the digits of an estimate.
    """
    secret = settings().noise_secret if is_own(scenario.dataset) else 0
    return run(replace(setup(scenario), scenario=scenario), progress, secret)


def takes_long(scenario: Scenario) -> bool:
    """True if a run takes more than a second, by its cells or by `may_take_minutes`."""
    return setup(scenario).mechanism.k >= _MANY_CELLS or may_take_minutes(scenario)


def may_take_minutes(scenario: Scenario) -> bool:
    """True where mechanism or estimator are slow for so many symbols; cells alone take seconds."""
    ready = setup(scenario)
    slow_from = min(
        MECHANISMS[ready.mechanism_name].slow_from, ESTIMATORS[scenario.estimator].slow_from
    )
    return int(symbol_partition_of(ready.mechanism).sizes.max(initial=0)) >= slow_from


def max_people(scenario: Scenario) -> int:
    """The most people whose reports can be drawn at once."""
    return people_max(setup(scenario).mechanism)


@cached_by(lambda scenario, *_: key(replace(scenario, trials=1, seed=0)))
def expected_error(scenario: Scenario, progress: Progress = no_progress) -> Forecast | None:
    """Expected error of the scenario, whatever its seed; None where it takes long trials.

    None, too, where errors mean nothing (`has_valid_errors`).
    """
    ready = setup(scenario)
    return forecast_if_fast(ready, progress=progress) if has_valid_errors(ready) else None


def context_of(ready: Setup) -> Context:
    """The context that is a setup's policy; `CaldpError` for another policy."""
    if not isinstance(ready.policy, Context):
        raise CaldpError("Only contexts have methods to compare; choose a policy of kind context.")
    return ready.policy


@dataclass(frozen=True)
class MethodComparison:
    """Every registered family in one context: the best of them, and the bits of its reports."""

    best: Recommendation
    report_bits: dict[str, int]


def compare_methods(scenario: Scenario) -> MethodComparison:
    """Compare all families for the scenario's protection and people, whatever its own family."""
    default = Scenario()
    return _methods(
        replace(
            scenario,
            estimator=default.estimator,
            prior=default.prior,
            seed=0,
            mechanism=default.mechanism,
        )
    )


@cached_by(key)
def _methods(scenario: Scenario) -> MethodComparison:
    ready = setup(scenario)
    policy = context_of(ready)
    bits = {name: in_context(policy, name).report_bits for name in FAMILIES}
    return MethodComparison(best_family(policy, ready.dataset.distribution, ready.n), bits)
