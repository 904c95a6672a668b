"""The state of the planner: its data, the accuracy asked for, and the protection."""

from dataclasses import dataclass, replace
from typing import Final

from caldp_core.basics.errors import check_choice, check_number, require
from caldp_core.datasets import Survey
from caldp_core.experiments.error_validity import require_valid_errors
from caldp_core.scenarios.blocks import OneBlock
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.controls.choices import NAMES, protections
from caldp_ui.plan.regions import REGIONS, regions_of
from caldp_ui.session.pins import PinPageState
from caldp_ui.session.record_link import ScenarioLink
from caldp_ui.session.scenarios import ScenarioRecord

BEGIN: Final = Scenario(
    Survey("income"), ContextPolicy(OneBlock()), n=1_000_000, estimator="simplex"
)
GOALS: Final = {
    "values": "Every answer",
    "groups": "Every group",
    REGIONS: "Regions",
    "overall": "All together",
}
OF_REGIONS: Final = ("groups", REGIONS)
RELATIVE: Final = ("values", *OF_REGIONS)
"""Goals that are met to within a share of the true value, each by a formula."""
_NUMBERS: Final = ("floor", "within", "wrong")


@dataclass(frozen=True)
class Plan(ScenarioRecord):
    """The page's record. `scenario`: data, people and ε; `protection`: its name in `NAMES`.

    `goal`: "values": every value with a share of at least `floor` is known to within ± `within` of
    its share; "groups": every group, state or country is; "regions": every region of a country is;
    "overall": total variation is at most `wrong`. The three numbers are in [1e-6, 1].
    """

    scenario: Scenario = BEGIN
    goal: str = "values"
    floor: float = 0.01
    within: float = 0.1
    wrong: float = 0.05
    protection: str = "blocks"

    def protected_scenario(self, name: str, epsilon: float) -> Scenario:
        """The scenario under the protection of that name at this ε, by the best method."""
        known = protections(runs.dataset(self.scenario).domain)[name].policy
        return self.scenario.with_context(
            blocks=known.blocks, sensitive=known.sensitive, epsilon=epsilon
        )

    @property
    def epsilon(self) -> float:
        """The ε of the plan."""
        return self.scenario.context.plain_epsilon


def _adopt_scenario(source: Scenario) -> Scenario:
    """The plan's scenario with the data, people and ε of another."""
    scenario = replace(BEGIN, dataset=source.dataset, n=source.n)
    return scenario.with_context(epsilon=source.context.plain_epsilon)


def _check(record: Plan) -> None:
    """Raise `CaldpError` for unknown names, numbers out of range, and a floor that none reaches."""
    check_choice("goal", record.goal, GOALS)
    check_choice("protection", record.protection, NAMES)
    for name in _NUMBERS:
        check_number(name, getattr(record, name), 1e-6, 1.0)
    require_valid_errors(runs.setup(record.protected_scenario(record.protection, record.epsilon)))
    if record.goal in RELATIVE:
        _check_floor(record)


def _check_floor(record: Plan) -> None:
    """Raise `CaldpError` where no answer, or no group, is as common as what is asked for."""
    shares, noun = runs.dataset(record.scenario).distribution, "answer"
    if record.goal in OF_REGIONS:
        regions = regions_of(record.scenario, record.goal)
        require(
            regions is not None,
            "These data come in no groups, states, countries or regions that could be asked for; "
            "choose another goal, or other data.",
        )
        assert regions is not None  # for mypy
        shares, noun = regions.partition.sums(shares), regions.singular
    largest = float(shares.max())
    require(
        largest >= record.floor,
        f"No {noun} here has {100 * record.floor:g} % of the people, the largest has "
        f"{100 * largest:.2g} %; ask for rarer ones too.",
    )


LINK: Final = ScenarioLink(Plan(), _check, restrict_scenario=_adopt_scenario)
STATE: Final = PinPageState("plan", LINK)
