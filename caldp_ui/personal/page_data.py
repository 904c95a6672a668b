"""Data of the page: four ways to protect people's own places, on the same people."""

from dataclasses import dataclass

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.run import Result, Setup
from caldp_core.mechanisms.capabilities import symbol_partition_of
from caldp_core.mechanisms.personalised import Bias, TaggedMechanism
from caldp_ui.compute import runs
from caldp_ui.parts import comparison
from caldp_ui.personal.page_state import (
    STATE,
    TRUE_BACKGROUND,
    PersonalState,
    with_known_places,
    without_personal_tags,
)


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
