"""State of the page: a scenario with a distance policy, one place, and the blocks beside it."""

from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from caldp_core.basics.errors import CaldpError, check_choice, check_whole
from caldp_core.datasets import Gowalla
from caldp_core.mechanisms.catalogue import MechanismEntry, mechanisms_for
from caldp_core.mechanisms.specs import BestKernel, PlanarGeometric
from caldp_core.scenarios.best import Best
from caldp_core.scenarios.policies import CrowFlies, Streets
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.session.pins import PinPageState
from caldp_ui.session.record_link import ScenarioLink
from caldp_ui.session.scenarios import ScenarioRecord
from caldp_ui.stage import BROWSER_KEYS

MapDistance: TypeAlias = CrowFlies | Streets
"""Policies of this page: an ε per kilometre."""
DISTANCES: Final[tuple[type[MapDistance], ...]] = (CrowFlies, Streets)

EVERYBODY: Final = "everybody"
PERSON: Final = "person"
VIEWS: Final = (EVERYBODY, PERSON)
SAME_EPSILON: Final = "as-far"
SIMILAR_PRIVACY: Final = "as-near"
BLOCK_CHOICES: Final = (SIMILAR_PRIVACY, SAME_EPSILON)
NORTHEAST: Final = Gowalla("39.8,42.6,-77.2,-71")
"""From Philadelphia to Boston: small enough for every mechanism of the catalogue."""
BEGIN: Final = Scenario(NORTHEAST, CrowFlies(1.0, 50.0), estimator="maximum-likelihood")
"""Strong noise leaves an unbiased estimate useless; maximum likelihood still gives a map."""
NEW_YORK: Final = int(NORTHEAST.grid().locate([40.71], [-74.01])[0])


@dataclass(frozen=True)
class DistanceState(ScenarioRecord):
    """The page's record. `place`: the symbol that the ring is drawn around.

    `show`: one of `VIEWS`, the estimate of everybody or one person's reports. `beside`: one of
    `BLOCK_CHOICES`, blocks that displace reports as far, at the ε of neighbours or of the ring.
    """

    scenario: Scenario = BEGIN
    place: int = NEW_YORK
    show: str = EVERYBODY
    beside: str = SIMILAR_PRIVACY

    @property
    def policy(self) -> MapDistance:
        """The scenario's policy; raises `CaldpError` for another kind."""
        policy = self.scenario.policy
        if not isinstance(policy, DISTANCES):
            raise CaldpError(
                "This page shows secrecy that fades with distance on a map, this scenario's policy "
                f"is of kind {self.scenario.kind('policy')}; choose crow-flies or streets."
            )
        return policy

    @property
    def rate(self) -> float:
        """ε per kilometre."""
        return self.policy.epsilon / self.policy.km

    def with_place(self, place: int) -> "DistanceState":
        """The record with the ring around another place."""
        return replace(self, place=place)


def with_rate(scenario: Scenario, rate: float) -> Scenario:
    """The scenario with `rate` ε per kilometre; the ε of the ring stays."""
    policy = scenario.policy
    assert isinstance(policy, DISTANCES)  # `_check` sees to it
    return replace(scenario, policy=replace(policy, km=round(policy.epsilon / rate, 9)))


def with_distance_kind(scenario: Scenario, kind: type[MapDistance]) -> Scenario:
    """The scenario with another kind of distance, and the best mechanism where the old one can't.

    The ring's ε and kilometres stay.
    """
    policy = scenario.policy
    assert isinstance(policy, DISTANCES)
    changed = replace(scenario, policy=kind(policy.epsilon, policy.km))
    specs = {entry.spec for entry in compatible_mechanisms(changed)}
    is_compatible = type(scenario.mechanism) in {*specs, Best}
    return changed if is_compatible else replace(changed, mechanism=Best())


def fallback_scenario(scenario: Scenario) -> Scenario:
    """The scenario with planar noise in place of the best, which may have to be designed first."""
    if not isinstance(scenario.mechanism, BestKernel):
        return scenario
    return replace(scenario, mechanism=PlanarGeometric())


def compatible_mechanisms(scenario: Scenario) -> list[MechanismEntry]:
    """All mechanisms of the catalogue for the kind of policy that the scenario has."""
    return mechanisms_for(scenario.policy.build(runs.dataset(scenario)).policy)


def _check(record: DistanceState) -> None:
    """Raise `CaldpError` for other policies, data without a map, and places off the map."""
    _ = record.policy
    domain = runs.map_of(runs.dataset(record.scenario))
    check_whole("place", record.place, 0, domain.k - 1)
    check_choice("show", record.show, VIEWS)
    check_choice("beside", record.beside, BLOCK_CHOICES)
    runs.setup(fallback_scenario(record.scenario))


LINK: Final = ScenarioLink(DistanceState(), _check, BROWSER_KEYS)
STATE: Final = PinPageState("distances", LINK)
