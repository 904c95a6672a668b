"""State of the page: a scenario of one yes-or-no question, with its link and undo."""

from dataclasses import dataclass, replace
from typing import Final

from caldp_core.basics.errors import require
from caldp_core.datasets import YesOrNo
from caldp_core.scenarios.policies import BinaryQuestion
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.session.pins import PinPageState
from caldp_ui.session.record_link import ScenarioLink
from caldp_ui.session.scenarios import ScenarioRecord

BEGIN: Final = Scenario(YesOrNo(), BinaryQuestion(epsilon_01=3.0, epsilon_10=1.0), n=1_000)


@dataclass(frozen=True)
class YesNoState(ScenarioRecord):
    """The page's record."""

    scenario: Scenario = BEGIN


def _check(record: YesNoState) -> None:
    """Raise `CaldpError` for other policies and other data, and where the setup fails."""
    yes_no_policy(record.scenario)
    runs.setup(record.scenario)


def yes_no_policy(scenario: Scenario) -> BinaryQuestion:
    """The scenario's policy; raises `CaldpError` if it is no yes-or-no question."""
    policy = scenario.policy
    require(
        isinstance(policy, BinaryQuestion) and isinstance(scenario.dataset, YesOrNo),
        "This page shows one yes-or-no question; open other scenarios on their own page.",
    )
    assert isinstance(policy, BinaryQuestion)
    return policy


def with_levels(scenario: Scenario, **levels: float) -> Scenario:
    """The scenario with another `epsilon_01` (of no) or `epsilon_10` (of yes)."""
    return replace(scenario, policy=replace(yes_no_policy(scenario), **levels))


LINK: Final = ScenarioLink(YesNoState(), _check)
STATE: Final = PinPageState("yesno", LINK)
