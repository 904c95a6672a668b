"""Slots whose record holds a scenario: their controls, and their scenario's part of a link."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import SEED_MAX
from caldp_core.datasets import Snap
from caldp_core.scenarios.scenario import FORMAT, Scenario, strangers
from caldp_ui.compute.sources import fetched_snap, peopled
from caldp_ui.session import own
from caldp_ui.session.slot import Slot


@dataclass(frozen=True)
class WithScenario:
    """What the record of a page with a scenario begins with."""

    scenario: Scenario


S = TypeVar("S", bound=WithScenario)


def steer(slot: Slot[S], make: Callable[[Scenario], Scenario]) -> None:
    """Change the scenario of the slot's record; a change that is not allowed becomes a notice."""
    slot.change(lambda record: replace(record, scenario=make(record.scenario)))


def bind(
    slot: Slot[S], name: str, value: Any, make: Callable[[Scenario, Any], Scenario]
) -> dict[str, Any]:
    """Arguments that tie a widget to the scenario of the slot's record (see `Slot.bind`)."""
    return slot.bind(
        name, value, lambda record, picked: replace(record, scenario=make(record.scenario, picked))
    )


def another_draw(slot: Slot[S]) -> None:
    """The same scenario with new noise (and other people, where they are drawn)."""
    steer(slot, lambda s: replace(s, seed=(s.seed + 1) % (SEED_MAX + 1)))


def scenario_query(scenario: Scenario) -> dict[str, str]:
    """A scenario as texts of a link, never empty: no text stands for what a page begins with."""
    return own.query(scenario) or {"v": str(FORMAT)}


def read_scenario(query: Mapping[str, str]) -> Scenario:
    """The scenario of a link, made safe to run; raises `CaldpError` if it is none."""
    return made_safe(own.read(query))


def made_safe(found: Scenario) -> Scenario:
    """A scenario from anywhere, safe to run; raises `CaldpError` if it can't be."""
    # It must not make the server read files of the sender's choice.
    if isinstance(found.dataset, Snap) and found.dataset != fetched_snap():
        raise CaldpError(
            "It needs SNAP's file, which is not on this machine: "
            "python -m caldp_core fetch gowalla brings it here."
        )
    # One outcome is shown: more trials would only keep the server busy.
    return peopled(replace(found, trials=1))


def unknown_keys(query: Mapping[str, str]) -> list[str]:
    """Keys that no scenario has."""
    return [key for key in strangers(query) if key not in own.KEYS]
