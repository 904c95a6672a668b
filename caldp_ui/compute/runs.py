"""Cached work: every page asks here, so that a moved control costs only what it changes.

Room: compute. Caches are keyed on a scenario's JSON text: hashing the records themselves would
take two different kinds without fields for the same. Cached values are shared by all visits and
read-only.
"""

import json
from dataclasses import dataclass, replace
from typing import Final

import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Progress
from caldp_core.datasets import Dataset
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.forecast import (
    Curve,
    Forecast,
    forecast_soon,
    over_epsilon,
    over_people,
    people_for_same_error,
)
from caldp_core.experiments.regions import RegionReport, region_report
from caldp_core.experiments.run import Outcome, Result, Setup, prepare, run
from caldp_core.mechanisms import FAMILIES, mechanism
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.planner import Recommendation, best_family
from caldp_ui.compute.sources import file_state

EPSILONS: Final = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0)
NUMBERS: Final = tuple(10**power for power in range(3, 13))


def key(scenario: Scenario) -> str:
    """The scenario's canonical text, and the state of the file that its data come from."""
    return json.dumps([scenario.to_dict(), file_state(scenario.dataset)], sort_keys=True)


@dataclass(frozen=True, eq=False)
class Comparison:
    """A scenario's result, and plain LDP's on the same people."""

    ours: Result
    plain: Result

    @property
    def setup(self) -> Setup:
        """What was run."""
        return self.ours.setup

    @property
    def outcome(self) -> Outcome:
        """What is shown."""
        return self.ours.first


def dataset(scenario: Scenario) -> Dataset:
    """The scenario's data, loaded once."""
    return _dataset(key(replace(Scenario(), dataset=scenario.dataset, n=1)), scenario)


def map_of(data: Dataset) -> GridDomain:
    """The map of a dataset of places; `CaldpError` for other data."""
    if not isinstance(data.domain, GridDomain):
        raise CaldpError(f"{data.name} has no map; start afresh to see places.")
    return data.domain


@st.cache_resource(max_entries=4, show_spinner="Loading the data …")
def _dataset(text: str, _scenario: Scenario) -> Dataset:
    del text
    return _scenario.dataset.load()


def _load(scenario: Scenario, progress: Progress) -> Dataset:
    del progress
    return dataset(scenario)


def setup(scenario: Scenario) -> Setup:
    """Data, blocks and mechanism of the scenario, ready to run."""
    return _setup(key(replace(scenario, seed=0)), replace(scenario, seed=0))


@st.cache_resource(max_entries=24, show_spinner=False)
def _setup(text: str, _scenario: Scenario) -> Setup:
    del text
    return prepare(_scenario, load=_load)


def compare(scenario: Scenario) -> Comparison:
    """Run the scenario, and plain LDP on the same people."""
    return Comparison(_run(key(scenario), scenario), _run(key(scenario.plain()), scenario.plain()))


def pair_of(scenario: Scenario) -> tuple[Setup, Setup]:
    """The scenario's setup and plain LDP's, for work that runs outside of a page."""
    ours, plain = setup(scenario), setup(scenario.plain())
    return replace(ours, scenario=scenario), replace(plain, scenario=scenario.plain())


def compare_setups(ours: Setup, plain: Setup, progress: Progress) -> Comparison:
    """What `compare` does, without caches and with progress."""
    first = run(ours, lambda share: progress(share / 2))
    return Comparison(first, run(plain, lambda share: progress(0.5 + share / 2)))


@st.cache_resource(max_entries=24, show_spinner=False)
def _run(text: str, _scenario: Scenario) -> Result:
    del text
    return run(replace(setup(_scenario), scenario=_scenario))


def region(comparison: Comparison, inside: Bools) -> RegionReport:
    """Numbers of a region of the shown outcome."""
    return region_report(comparison.setup, comparison.outcome, inside)


def expected(scenario: Scenario) -> Forecast | None:
    """Expected error of the scenario, whatever its seed; None where only long trials tell."""
    return _expected(key(replace(scenario, trials=1, seed=0)), replace(scenario, seed=0))


@st.cache_data(max_entries=64, show_spinner=False)
def _expected(text: str, _scenario: Scenario) -> Forecast | None:
    del text
    return forecast_soon(setup(_scenario))


def epsilon_curve(scenario: Scenario) -> Curve:
    """Expected error against ε; the same whatever the scenario's own ε and seed."""
    same = replace(scenario, epsilon=1.0, seed=0)
    return _epsilon_curve(key(same), same)


@st.cache_data(max_entries=64, show_spinner=False)
def _epsilon_curve(text: str, _scenario: Scenario) -> Curve:
    del text
    return over_epsilon(setup(_scenario), EPSILONS)


def people_curve(scenario: Scenario) -> Curve:
    """Expected error against the number of people; the same whatever the scenario's own."""
    same = replace(scenario, n=NUMBERS[0], seed=0)
    return _people_curve(key(same), same)


@st.cache_data(max_entries=64, show_spinner=False)
def _people_curve(text: str, _scenario: Scenario) -> Curve:
    del text
    return over_people(setup(_scenario), NUMBERS)


def people_plain_needs(scenario: Scenario) -> int | None:
    """How many people plain LDP needs for the scenario's expected error; None: beyond 10^12."""
    return _people_plain_needs(key(replace(scenario, seed=0)), scenario)


@st.cache_data(max_entries=256, show_spinner=False)
def _people_plain_needs(text: str, _scenario: Scenario) -> int | None:
    del text
    return people_for_same_error(setup(_scenario), setup(_scenario.plain()))


@dataclass(frozen=True)
class Methods:
    """Every registered family in one context: the best of them, and the bits of its reports."""

    best: Recommendation
    report_bits: dict[str, int]


def methods(scenario: Scenario) -> Methods:
    """All families with the scenario's protection and people; the same whatever its family."""
    same = replace(scenario, family=Scenario().family, estimator=Scenario().estimator, seed=0)
    return _methods(key(same), same)


@st.cache_data(max_entries=64, show_spinner=False)
def _methods(text: str, _scenario: Scenario) -> Methods:
    del text
    ready = setup(_scenario)
    policy = ready.mechanism.policy
    bits = {name: mechanism(policy, name).report_bits for name in FAMILIES}
    return Methods(best_family(policy, ready.dataset.distribution, ready.n), bits)


def pretty(scenario: Scenario) -> str:
    """The scenario as a file, for people."""
    return json.dumps(scenario.to_dict(), indent=2, ensure_ascii=False)
