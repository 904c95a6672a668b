"""What the page has to show: four ways to keep a person's own places, on the same people."""

from dataclasses import dataclass

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.run import Result, Setup
from caldp_core.mechanisms.backgrounds import Bias
from caldp_core.mechanisms.capabilities import symbol_partition_of
from caldp_core.mechanisms.tagged import TaggedMechanism
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
    """What the page shows; results are None as long as they are not there.

    `plain`: plain LDP. `untagged`: only what is sensitive for everybody is hidden. `known_places`,
    `ours`: personalised, for a collector who knows where own places are, and with the record's
    background. `open_probability`: chance that a person at a place that is no secret names it.
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
    """All of it; what takes long comes by a job, whose button and progress are drawn here."""
    results = comparison.load_results(STATE, record.scenario)
    knowing = None
    if results.ours is not None:
        knowing = comparison.result_or_job(STATE, "known", with_known_places(record.scenario))
    return _make_data(record, results, knowing)


def load_fast_data(record: PersonalState) -> PersonalData:
    """What there is without a job."""
    results = comparison.load_fast_results(STATE, record.scenario)
    return _make_data(
        record, results, comparison.result_if_fast(with_known_places(record.scenario))
    )


def _make_data(
    record: PersonalState, results: comparison.ComparisonData, known_result: Result | None
) -> PersonalData:
    scenario = record.scenario
    setup = runs.setup(scenario)
    made = tagged_mechanism(setup)
    return PersonalData(
        record,
        runs.map_of(setup.dataset),
        setup,
        results.plain,
        comparison.result_if_fast(without_personal_tags(scenario)),
        known_result,
        results.ours,
        made.bias(setup.dataset.distribution),
        float(symbol_partition_of(made.common).clear_share[0]),
    )


def tagged_mechanism(setup: Setup) -> TaggedMechanism:
    """The setup's mechanism, which has tags; `CaldpError` for others."""
    if not isinstance(setup.mechanism, TaggedMechanism):
        raise CaldpError("This mechanism has no tags; choose a policy of kind personal-tags.")
    return setup.mechanism


def own_place_shares(data: PersonalData) -> tuple[Floats, Floats]:
    """(κ,) shares of all people who are at their own place of each tag: truth and estimate."""
    assert data.ours is not None  # asked for only once it is there
    made = tagged_mechanism(data.setup)
    true = made.shares_with_tags(data.setup.dataset.distribution)[made.k :]
    return true, made.common.estimate(data.ours.first.evidence.tally)[made.k :]
