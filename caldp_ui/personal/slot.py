"""What the page shows: a scenario in which people hide their own places behind tags."""

from dataclasses import dataclass, replace
from typing import Any, Final

from caldp_core.basics.errors import CaldpError, require
from caldp_core.experiments.judged import require_judged
from caldp_core.scenarios.best import Best
from caldp_core.scenarios.blocks import OneBlock
from caldp_core.scenarios.policies import ContextPolicy, PersonalTags
from caldp_core.scenarios.scenario import Scenario
from caldp_core.scenarios.sensitive import SensitiveAreas
from caldp_ui.compute import runs
from caldp_ui.session.pins import PinSlot
from caldp_ui.session.record_link import ScenarioLink
from caldp_ui.session.scenarios import WithScenario
from caldp_ui.stage import BROWSER_KEYS

TAGS: Final = ("home", "work", "a third place", "a fourth place")

"""What tags stand for, in their order."""
BEGIN: Final = Scenario(policy=PersonalTags(SensitiveAreas(()), (0.4, 0.2), "population", 1.0))
KNOWN: Final = "truth"


@dataclass(frozen=True)
class Personal(WithScenario):
    """The page's record."""

    scenario: Scenario = BEGIN

    @property
    def policy(self) -> PersonalTags:
        """The scenario's policy; raises `CaldpError` for another kind."""
        policy = self.scenario.policy
        if not isinstance(policy, PersonalTags):
            raise CaldpError(
                "This page shows people's own places behind tags, this scenario's policy is of "
                f"kind {self.scenario.kind('policy')}; choose personal-tags."
            )
        return policy


def with_tags(scenario: Scenario, **changes: Any) -> Scenario:
    """The scenario with other `sensitive`, `shares`, `background` or `epsilon`."""
    return replace(scenario, policy=replace(Personal(scenario).policy, **changes))


def known(scenario: Scenario) -> Scenario:
    """The same reports, for a collector who knows where people's own places are."""
    if Personal(scenario).policy.background == KNOWN:
        return scenario
    same = replace(scenario, mechanism=runs.setup(scenario).spec)
    return with_tags(same, background=KNOWN)


def nothing_own(scenario: Scenario) -> Scenario:
    """The same, where only what is sensitive for everybody is hidden."""
    policy = Personal(scenario).policy
    # Where nothing is sensitive ε says nothing, and one result does for all of them.
    epsilon = policy.epsilon if runs.setup(scenario).sensitive.any() else BEGIN.policy.plain_epsilon
    context = ContextPolicy(OneBlock(), policy.sensitive, epsilon)
    return replace(scenario, policy=context, mechanism=Best())


def _check(record: Personal) -> None:
    """Raise `CaldpError` for other policies, data without a map, too many tags."""
    policy = record.policy
    require(
        len(policy.shares) <= len(TAGS),
        f"This page shows up to {len(TAGS)} tags, got {len(policy.shares)}; the command line "
        "takes any number.",
    )
    require(
        record.scenario.estimator != "maximum-likelihood",
        "Maximum likelihood is not known for tags; choose another estimate.",
    )
    runs.map_of(runs.dataset(record.scenario))
    for each in (record.scenario, known(record.scenario), nothing_own(record.scenario)):
        runs.setup(each)
    require_judged(runs.setup(record.scenario))


LINK: Final = ScenarioLink(Personal(), _check, BROWSER_KEYS)
SLOT: Final = PinSlot("personal", LINK)
