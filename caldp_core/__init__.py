"""caldp: context-aware local differential privacy, its mechanisms, estimators and theory.

The mathematics; nothing in here knows of any user interface. What most people need is handed out
here: `from caldp_core import Scenario, run`. The rooms, from the ground up: basics, domain,
privacy, datasets, mechanisms, estimation, audit, lecture, theory, scenarios, experiments,
treatments, attacks, collect, cli. Start reading at `mechanisms/base.py`, or at `experiments/run.py`
for the way of the data.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from caldp_core.audit.mechanisms import audit_mechanism
    from caldp_core.basics.errors import CaldpError
    from caldp_core.collect.client import Client
    from caldp_core.collect.protocol import Protocol
    from caldp_core.domain.answers import Domain
    from caldp_core.estimation.shares import estimate, intervals
    from caldp_core.experiments.run import Result, prepare, run
    from caldp_core.mechanisms.base import Tally
    from caldp_core.mechanisms.catalogue import mechanism
    from caldp_core.privacy.context import Context
    from caldp_core.scenarios.scenario import Scenario
    from caldp_core.theory.planner import (
        Goal,
        epsilon_for,
        people_for,
        relative_error,
        standard_error,
        total_variation,
    )

__version__ = "0.1.0"
__all__ = [
    "CaldpError",
    "Client",
    "Context",
    "Domain",
    "Goal",
    "Protocol",
    "Result",
    "Scenario",
    "Tally",
    "audit_mechanism",
    "epsilon_for",
    "estimate",
    "intervals",
    "mechanism",
    "people_for",
    "prepare",
    "relative_error",
    "run",
    "standard_error",
    "total_variation",
]
_HOMES: Final = {
    "CaldpError": "basics.errors",
    "Client": "collect.client",
    "Protocol": "collect.protocol",
    "Context": "privacy.context",
    "Domain": "domain.answers",
    "Result": "experiments.run",
    "Scenario": "scenarios.scenario",
    "audit_mechanism": "audit.mechanisms",
    "Tally": "mechanisms.base",
    "estimate": "estimation.shares",
    "intervals": "estimation.shares",
    "mechanism": "mechanisms.catalogue",
    "prepare": "experiments.run",
    "Goal": "theory.planner",
    "epsilon_for": "theory.planner",
    "people_for": "theory.planner",
    "relative_error": "theory.planner",
    "standard_error": "theory.planner",
    "total_variation": "theory.planner",
    "run": "experiments.run",
}


_MADE_WITH: Final = {"Any", "Final", "TYPE_CHECKING", "import_module"}
"""Names of this file that are nothing of ours."""


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for: the command line's help needs none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__} - _MADE_WITH)
