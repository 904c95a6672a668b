"""What the page has to show: four ways to keep a person's own places, on the same people."""

from dataclasses import dataclass

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.run import Result, Setup
from caldp_core.mechanisms.backgrounds import Bias
from caldp_core.mechanisms.offers import cover_of
from caldp_core.mechanisms.tagged import TaggedMechanism
from caldp_ui.compute import runs
from caldp_ui.parts import comparison
from caldp_ui.personal.slot import KNOWN, SLOT, Personal, known, nothing_own


@dataclass(frozen=True, eq=False)
class Shown:
    """What the page shows; results are None as long as they are not there.

    `everything`: plain LDP. `nothing`: only what is sensitive for everybody is hidden. `known`,
    `assumed`: personalised, for a collector who knows where own places are, and with the record's
    background. `clear`: chance that a person at a place that is no secret names it.
    """

    record: Personal
    domain: GridDomain
    setup: Setup
    everything: Result | None
    nothing: Result | None
    known: Result | None
    assumed: Result | None
    bias: Bias
    clear: float

    @property
    def is_known(self) -> bool:
        """Whether the record's own background is the right one."""
        return self.record.policy.background == KNOWN


def shown(record: Personal) -> Shown:
    """All of it; what takes long comes by a job, whose button and progress are drawn here."""
    results = comparison.shown(SLOT, record.scenario)
    knowing = None
    if results.ours is not None:
        knowing = comparison.beside(SLOT, "known", known(record.scenario))
    return _shown(record, results, knowing)


def at_once(record: Personal) -> Shown:
    """What there is without a job."""
    results = comparison.at_once(SLOT, record.scenario)
    return _shown(record, results, comparison.quick(known(record.scenario)))


def _shown(record: Personal, results: comparison.Shown, knowing: Result | None) -> Shown:
    scenario = record.scenario
    setup = runs.setup(scenario)
    made = tagged(setup)
    return Shown(
        record,
        runs.map_of(setup.dataset),
        setup,
        results.plain,
        comparison.quick(nothing_own(scenario)),
        knowing,
        results.ours,
        made.bias(setup.dataset.distribution),
        float(cover_of(made.common).clear_share[0]),
    )


def tagged(setup: Setup) -> TaggedMechanism:
    """The setup's mechanism, which has tags; `CaldpError` for others."""
    if not isinstance(setup.mechanism, TaggedMechanism):
        raise CaldpError("This mechanism has no tags; choose a policy of kind personal-tags.")
    return setup.mechanism


def at_own_places(what: Shown) -> tuple[Floats, Floats]:
    """(κ,) shares of all people who are at their own place of each tag: truth and estimate."""
    assert what.assumed is not None  # asked for only once it is there
    made = tagged(what.setup)
    true = made.shares(what.setup.dataset.distribution)[made.k :]
    return true, made.common.estimate(what.assumed.first.evidence.tally)[made.k :]
