"""Slots whose record holds a scenario: their controls, and their scenario's part of a link."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import SEED_MAX
from caldp_core.datasets import Snap
from caldp_core.scenarios.scenario import FORMAT, Scenario, unknown_query_keys
from caldp_ui.compute.sources import fetched_snap, with_population
from caldp_ui.session import visitor_data
from caldp_ui.session.page_state import PageState


@dataclass(frozen=True)
class ScenarioRecord:
    """Base of the records of pages with a scenario."""

    scenario: Scenario


S = TypeVar("S", bound=ScenarioRecord)


def update_scenario(state: PageState[S], update: Callable[[Scenario], Scenario]) -> None:
    """Change the scenario of the page's record; a change that is not allowed becomes a notice."""
    state.change(lambda record: replace(record, scenario=update(record.scenario)))


def bind(
    state: PageState[S], name: str, value: Any, update: Callable[[Scenario, Any], Scenario]
) -> dict[str, Any]:
    """Arguments that tie a widget to the scenario of the page's record (see `PageState.bind`)."""
    return state.bind(name, value, _on_scenario(update))


def bind_text(
    state: PageState[S], name: str, text: str, update: Callable[[Scenario, str], Scenario]
) -> dict[str, Any]:
    """As `bind`, for a field of text (see `PageState.bind_text`)."""
    return state.bind_text(name, text, _on_scenario(update))


def _on_scenario(update: Callable[[Scenario, Any], Scenario]) -> Callable[[S, Any], S]:
    return lambda record, picked: replace(record, scenario=update(record.scenario, picked))


def redraw_noise(state: PageState[S]) -> None:
    """Draw new noise for the same scenario (and other people, where they are drawn)."""
    update_scenario(state, lambda s: replace(s, seed=(s.seed + 1) % (SEED_MAX + 1)))


def scenario_query(scenario: Scenario) -> dict[str, str]:
    """A scenario as texts of a link, never empty: no text stands for what a page begins with."""
    return visitor_data.query(scenario) or {"v": str(FORMAT)}


def read_scenario(query: Mapping[str, str]) -> Scenario:
    """The scenario of a link, made safe to run; raises `CaldpError` if it is none."""
    return make_safe(visitor_data.read(query))


def make_safe(found: Scenario) -> Scenario:
    """A scenario from anywhere, safe to run; raises `CaldpError` if it can't be."""
    # It must not make the server read files of the sender's choice.
    if isinstance(found.dataset, Snap) and found.dataset != fetched_snap():
        raise CaldpError(
            "It needs SNAP's file, which is not on this machine: "
            "python -m caldp_core fetch gowalla brings it here."
        )
    # One outcome is shown: more trials would only keep the server busy.
    return with_population(replace(found, trials=1))


def unknown_link_keys(query: Mapping[str, str]) -> list[str]:
    """Keys of the query that no scenario has."""
    return [key for key in unknown_query_keys(query) if key not in visitor_data.KEYS]
