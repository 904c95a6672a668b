"""State of the page: a scenario in which people hide their own places behind tags.

Data of the page: four ways to protect people's own places, on the same people.
"""

from dataclasses import dataclass, replace
from typing import Any, Final

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.types import Floats
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.error_validity import require_valid_errors
from caldp_core.experiments.run import Result, Setup
from caldp_core.mechanisms.capabilities import symbol_partition_of
from caldp_core.mechanisms.personalised import Bias, TaggedMechanism
from caldp_core.scenarios.best import Best
from caldp_core.scenarios.blocks import OneBlock, SensitiveAreas
from caldp_core.scenarios.policies import ContextPolicy, PersonalTags
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.parts import comparison
from caldp_ui.session.pins import PinPageState
from caldp_ui.session.record_link import ScenarioLink
from caldp_ui.session.scenarios import ScenarioRecord
from caldp_ui.stage import BROWSER_KEYS

TAG_NAMES: Final = ("home", "work", "a third place", "a fourth place")
"""What tags stand for, in their order."""
BEGIN: Final = Scenario(policy=PersonalTags(SensitiveAreas(()), (0.4, 0.2), "population", 1.0))
TRUE_BACKGROUND: Final = "truth"


@dataclass(frozen=True)
class PersonalState(ScenarioRecord):
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
    return replace(scenario, policy=replace(PersonalState(scenario).policy, **changes))


def with_known_places(scenario: Scenario) -> Scenario:
    """The same reports, for a collector who knows where people's own places are."""
    if PersonalState(scenario).policy.background == TRUE_BACKGROUND:
        return scenario
    same = replace(scenario, mechanism=runs.setup(scenario).spec)
    return with_tags(same, background=TRUE_BACKGROUND)


def without_personal_tags(scenario: Scenario) -> Scenario:
    """The scenario without tags: only what is sensitive for everybody is hidden."""
    policy = PersonalState(scenario).policy
    # Where nothing is sensitive ε has no effect, so that all levels share one result.
    epsilon = policy.epsilon if runs.setup(scenario).sensitive.any() else BEGIN.policy.plain_epsilon
    context = ContextPolicy(OneBlock(), policy.sensitive, epsilon)
    return replace(scenario, policy=context, mechanism=Best())


def _check(record: PersonalState) -> None:
    """Raise `CaldpError` for other policies and estimators, data without a map, too many tags."""
    policy = record.policy
    require(
        len(policy.shares) <= len(TAG_NAMES),
        f"This page shows up to {len(TAG_NAMES)} tags, got {len(policy.shares)}; the command line "
        "takes any number.",
    )
    require(
        record.scenario.estimator != "maximum-likelihood",
        "Maximum likelihood is not known for tags; choose another estimate.",
    )
    runs.map_of(runs.dataset(record.scenario))
    for each in (
        record.scenario,
        with_known_places(record.scenario),
        without_personal_tags(record.scenario),
    ):
        runs.setup(each)
    require_valid_errors(runs.setup(record.scenario))


LINK: Final = ScenarioLink(PersonalState(), _check, BROWSER_KEYS)
STATE: Final = PinPageState("personal", LINK)


@dataclass(frozen=True, eq=False)
class PersonalData:
    """Data of the page; results are None until they are computed.

    `plain`: plain LDP. `untagged`: only what is sensitive for everybody is hidden. `known_places`,
    `ours`: personalised, for a collector who knows where own places are, and with the record's
    background. `bias`: of that background. `open_probability`: chance that a person at a place that
    is not sensitive names it.
    """

    record: PersonalState
    domain: GridDomain
    setup: Setup
    plain: Result | None
    untagged: Result | None
    known_places: Result | None
    ours: Result | None
    bias: Bias
    open_probability: float

    @property
    def has_true_background(self) -> bool:
        """Whether the record's own background is the right one."""
        return self.record.policy.background == TRUE_BACKGROUND


def load_data(record: PersonalState) -> PersonalData:
    """Data of the page; slow results come by a job, whose button and progress are drawn here."""
    results = comparison.load_results(STATE, record.scenario)
    known_result = None
    if results.ours is not None:
        known_result = comparison.result_or_job(STATE, "known", with_known_places(record.scenario))
    return _make_data(record, results, known_result)


def load_fast_data(record: PersonalState) -> PersonalData:
    """Data of the page without jobs: slow results are None."""
    results = comparison.load_fast_results(STATE, record.scenario)
    return _make_data(
        record, results, comparison.result_if_fast(with_known_places(record.scenario))
    )


def _make_data(
    record: PersonalState, results: comparison.ComparisonData, known_result: Result | None
) -> PersonalData:
    scenario = record.scenario
    setup = runs.setup(scenario)
    mechanism = tagged_mechanism(setup)
    return PersonalData(
        record,
        runs.map_of(setup.dataset),
        setup,
        results.plain,
        comparison.result_if_fast(without_personal_tags(scenario)),
        known_result,
        results.ours,
        mechanism.bias(setup.dataset.distribution),
        float(symbol_partition_of(mechanism.common).clear_share[0]),
    )


def tagged_mechanism(setup: Setup) -> TaggedMechanism:
    """The setup's mechanism, if it has tags; raises `CaldpError` for others."""
    if not isinstance(setup.mechanism, TaggedMechanism):
        raise CaldpError("This mechanism has no tags; choose a policy of kind personal-tags.")
    return setup.mechanism


def own_place_shares(data: PersonalData) -> tuple[Floats, Floats]:
    """(κ,) shares of all people who are at their own place of each tag: truth and estimate."""
    assert data.ours is not None  # called only once it is there
    mechanism = tagged_mechanism(data.setup)
    true = mechanism.shares_with_tags(data.setup.dataset.distribution)[mechanism.k :]
    return true, mechanism.common.estimate(data.ours.first.evidence.tally)[mechanism.k :]
