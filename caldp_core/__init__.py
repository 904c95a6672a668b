"""caldp: context-aware local differential privacy, its mechanisms, estimators and theory.

The mathematics; nothing in here knows of any user interface. What most people need is handed out
here: `from caldp_core import Scenario, run`. The rooms, from the ground up: basics, domain,
privacy, datasets, mechanisms, estimation, audit, lecture, theory, scenarios, experiments,
treatments, attacks, collect, cli. Start reading at `mechanisms/base.py`, or at `experiments/run.py`
for the way of the data.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:  # what type checkers see of the table below
    from caldp_core.audit.mechanisms import audit_mechanism as audit_mechanism
    from caldp_core.basics.errors import CaldpError as CaldpError
    from caldp_core.collect.client import Client as Client
    from caldp_core.collect.protocol import Protocol as Protocol
    from caldp_core.domain.answers import Domain as Domain
    from caldp_core.estimation.shares import estimate as estimate
    from caldp_core.estimation.shares import intervals as intervals
    from caldp_core.experiments.run import Result as Result
    from caldp_core.experiments.run import prepare as prepare
    from caldp_core.experiments.run import run as run
    from caldp_core.mechanisms.base import Tally as Tally
    from caldp_core.mechanisms.catalogue import mechanism as mechanism
    from caldp_core.privacy.context import Context as Context
    from caldp_core.scenarios.scenario import Scenario as Scenario
    from caldp_core.theory.planner import Goal as Goal
    from caldp_core.theory.planner import epsilon_for as epsilon_for
    from caldp_core.theory.planner import people_for as people_for
    from caldp_core.theory.planner import relative_error as relative_error
    from caldp_core.theory.planner import standard_error as standard_error
    from caldp_core.theory.planner import total_variation as total_variation

__version__ = "0.1.0"
_PUBLIC: Final = {
    "audit.mechanisms": ["audit_mechanism"],
    "basics.errors": ["CaldpError"],
    "collect.client": ["Client"],
    "collect.protocol": ["Protocol"],
    "domain.answers": ["Domain"],
    "estimation.shares": ["estimate", "intervals"],
    "experiments.run": ["Result", "prepare", "run"],
    "mechanisms.base": ["Tally"],
    "mechanisms.catalogue": ["mechanism"],
    "privacy.context": ["Context"],
    "scenarios.scenario": ["Scenario"],
    "theory.planner": [
        "Goal",
        "epsilon_for",
        "people_for",
        "relative_error",
        "standard_error",
        "total_variation",
    ],
}
_HOMES: Final = {name: module for module, names in _PUBLIC.items() for name in names}
__all__ = sorted(_HOMES)  # noqa: PLE0605 — made from the table


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for: the command line's help needs none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
