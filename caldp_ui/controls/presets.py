"""Examples of protections: each one sentence, one click.

A preset sets what is protected; data, ε, people and estimator stay.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import streamlit as st

from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.scenarios.best import Best
from caldp_core.scenarios.blocks import BlocksSpec, EverythingSensitive, OneBlock, SensitiveSpec
from caldp_core.scenarios.policies import ContextPolicy, Distances, Line, PolicySpec
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.controls import menus
from caldp_ui.session.page_state import PageState
from caldp_ui.session.scenarios import S


@dataclass(frozen=True)
class Example:
    """An example, with a title and a sentence for readers."""

    title: str
    sentence: str

    def apply(self, scenario: Scenario) -> Scenario:
        """The scenario with this example."""
        raise NotImplementedError

    def fits(self, scenario: Scenario) -> bool:
        """True if the scenario shows this example already."""
        return bool(self.apply(scenario).policy == scenario.policy)


P = TypeVar("P", bound=Example)


@dataclass(frozen=True)
class PolicyPreset(Example):
    """A whole policy."""

    policy: PolicySpec

    def apply(self, scenario: Scenario) -> Scenario:
        """The scenario with this policy."""
        return replace(scenario, policy=self.policy)


@dataclass(frozen=True)
class Preset(Example):
    """Blocks and sensitive values."""

    blocks: BlocksSpec
    sensitive: SensitiveSpec

    def apply(self, scenario: Scenario) -> Scenario:
        """The scenario with these blocks and values, at its own ε."""
        return with_context_policy(scenario).with_context(
            blocks=self.blocks, sensitive=self.sensitive
        )


@dataclass(frozen=True)
class DistancePreset(Example):
    """Secrecy that fades with the distance between values; neighbours are 1 apart."""

    policy: Line | Distances

    def apply(self, scenario: Scenario) -> Scenario:
        """The scenario with this protection, at its own ε."""
        policy = replace(self.policy, epsilon=scenario.policy.plain_epsilon)
        return _with_compatible_mechanism(replace(scenario, policy=policy))


def with_context_policy(scenario: Scenario) -> Scenario:
    """The scenario, if its policy is a context; another becomes plain LDP at its ε."""
    if isinstance(scenario.policy, ContextPolicy):
        return scenario
    plain = ContextPolicy(OneBlock(), EverythingSensitive(), scenario.policy.plain_epsilon)
    return _with_compatible_mechanism(replace(scenario, policy=plain))


def _with_compatible_mechanism(scenario: Scenario) -> Scenario:
    """The scenario with its own mechanism if that supports its policy, else with the best."""
    entry = next((e for e in MECHANISMS.values() if e.spec is type(scenario.mechanism)), None)
    keeps = entry is None or type(scenario.policy).matrix in entry.policies
    return scenario if keeps else replace(scenario, mechanism=Best())


def matching_preset(presets: Sequence[P], scenario: Scenario) -> P | None:
    """The preset that the scenario shows, if it is one."""
    return next((preset for preset in presets if preset.fits(scenario)), None)


def picker(state: PageState[S], presets: Sequence[Example]) -> None:
    """A menu of examples, and the sentence of the one that is shown."""
    chosen = menu(state, presets)
    if chosen:
        st.caption(chosen.sentence)


def menu(state: PageState[S], presets: Sequence[P], **options: Any) -> P | None:
    """The menu alone, in one line; returns the example that is shown."""
    titles = {preset.title: preset for preset in presets}
    chosen = matching_preset(presets, state.current().scenario)
    look = {"placeholder": "your own", "label_visibility": "collapsed"} | options
    menus.by_title(
        state,
        "preset",
        "Example",
        titles,
        lambda record, example: replace(record, scenario=example.apply(record.scenario)),
        title=chosen.title if chosen else None,
        **look,
    )
    return chosen
