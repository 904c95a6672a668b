"""What the planner shows: the data it plans with, the accuracy asked for, the protection."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from caldp_core.basics.errors import CaldpError, check_number, require
from caldp_core.basics.numerals import read_number
from caldp_core.datasets import Survey
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.protection import OneBlock
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.controls.choices import NAMES, protections
from caldp_ui.session.pins import PinSlot
from caldp_ui.session.scenarios import WithScenario, read_scenario, scenario_query, unknown_keys

BEGIN: Final = Scenario(Survey("income"), ContextPolicy(OneBlock()), n=1_000_000)
GOALS: Final = {"values": "Every answer", "overall": "All together"}
_GOAL, _PROTECTION = "goal", "protection"
_NUMBERS: Final = ("floor", "within", "wrong")


@dataclass(frozen=True)
class Plan(WithScenario):
    """The page's record. `scenario`: data, people and ε; `protection`: its name in `NAMES`.

    `goal`: "values", every value that a share `floor` has to within ± `within` of itself; or
    "overall", a total variation of at most `wrong`. All in (0, 1].
    """

    scenario: Scenario = BEGIN
    goal: str = "values"
    floor: float = 0.01
    within: float = 0.1
    wrong: float = 0.05
    protection: str = "blocks"

    def under(self, name: str, epsilon: float) -> Scenario:
        """The scenario under the protection of that name at this ε, by the best method."""
        known = protections(runs.dataset(self.scenario).domain)[name].policy
        return self.scenario.with_context(
            blocks=known.blocks, sensitive=known.sensitive, epsilon=epsilon
        )

    @property
    def epsilon(self) -> float:
        """The one ε that there is."""
        return self.scenario.context.plain_epsilon


class PlanLink:
    """How the record is written into a link: the scenario's own keys, and what is asked for."""

    browser: tuple[str, ...] = ()

    def fresh(self) -> Plan:
        """See `Codec`."""
        return Plan()

    def write(self, record: Plan) -> dict[str, str]:
        """See `Codec`."""
        fresh = Plan()
        flat = {} if record.scenario == BEGIN else scenario_query(record.scenario)
        for name in (_GOAL, _PROTECTION, *_NUMBERS):
            if getattr(record, name) != getattr(fresh, name):
                flat[name] = str(getattr(record, name))
        return flat

    def read(self, query: Mapping[str, str]) -> Plan:
        """See `Codec`."""
        flat, fresh = dict(query), Plan()
        goal, protection = flat.pop(_GOAL, fresh.goal), flat.pop(_PROTECTION, fresh.protection)
        floor, within, wrong = (
            check_number(name, read_number(flat.pop(name, str(getattr(fresh, name)))), 1e-6, 1.0)
            for name in _NUMBERS
        )
        found = read_scenario(flat) if flat else BEGIN
        scenario = replace(BEGIN, dataset=found.dataset, n=found.n).with_context(
            epsilon=found.context.plain_epsilon
        )
        return Plan(scenario, goal, floor, within, wrong, protection)

    def strangers(self, query: Mapping[str, str]) -> list[str]:
        """See `Codec`."""
        known = (_GOAL, _PROTECTION, *_NUMBERS)
        return [key for key in unknown_keys(query) if key not in known]

    def check(self, record: Plan) -> None:
        """See `Codec`: unknown names, and answers that nobody gives often enough, are refused."""
        require(record.goal in GOALS, f"goal must be one of {', '.join(GOALS)}.")
        require(record.protection in NAMES, f"protection must be one of {', '.join(NAMES)}.")
        runs.setup(record.under(record.protection, record.epsilon))
        largest = float(runs.dataset(record.scenario).distribution.max())
        if record.goal == "values" and largest < record.floor:
            raise CaldpError(
                f"No answer here is given by {100 * record.floor:g} % of the people, the most by "
                f"{100 * largest:.2g} %; ask for rarer ones too."
            )


SLOT: Final = PinSlot("plan", PlanLink())
