"""What the page of error curves shows: which curves, and against what."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Final

from caldp_core.basics.errors import require
from caldp_core.datasets import Zipf
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.protection import OneBlock
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.controls.choices import NAMES
from caldp_ui.controls.common import METHODS
from caldp_ui.curves.axes import AXES
from caldp_ui.session.pins import PinSlot
from caldp_ui.session.scenarios import WithScenario, read_scenario, scenario_query, unknown_keys

BEGIN: Final = Scenario(Zipf(), ContextPolicy(OneBlock()), n=100_000)
_AGAINST: Final = "against"
_LISTS: Final = ("protections", "methods", "estimates")


@dataclass(frozen=True)
class Curves(WithScenario):
    """The page's record. `scenario`: data, people, ε and seed, which all curves share.

    One curve for each of `protections` × `methods` × `estimates`, by their names.
    """

    scenario: Scenario = BEGIN
    against: str = "people"
    protections: tuple[str, ...] = ("plain", "blocks", "more-blocks", "sensitive")
    methods: tuple[str, ...] = ("best",)
    estimates: tuple[str, ...] = ("simplex",)


class CurvesLink:
    """How the record is written into a link: the scenario's own keys, the axis and the curves."""

    browser: tuple[str, ...] = ()

    def fresh(self) -> Curves:
        """See `Codec`."""
        return Curves()

    def write(self, record: Curves) -> dict[str, str]:
        """See `Codec`."""
        fresh = Curves()
        flat = {} if record.scenario == BEGIN else scenario_query(record.scenario)
        if record.against != fresh.against:
            flat[_AGAINST] = record.against
        for name in _LISTS:
            if getattr(record, name) != getattr(fresh, name):
                flat[name] = ";".join(getattr(record, name))
        return flat

    def read(self, query: Mapping[str, str]) -> Curves:
        """See `Codec`."""
        flat, fresh = dict(query), Curves()
        against = flat.pop(_AGAINST, fresh.against)
        lists = {name: tuple(flat.pop(name).split(";")) for name in _LISTS if name in flat}
        found = read_scenario(flat) if flat else BEGIN
        scenario = replace(BEGIN, dataset=found.dataset, n=found.n, seed=found.seed)
        return Curves(scenario.with_context(epsilon=found.context.plain_epsilon), against, **lists)

    def strangers(self, query: Mapping[str, str]) -> list[str]:
        """See `Codec`."""
        return [key for key in unknown_keys(query) if key not in (_AGAINST, *_LISTS)]

    def check(self, record: Curves) -> None:
        """See `Codec`: unknown names, empty lists and repeated names are refused."""
        require(record.against in AXES, f"against must be one of {', '.join(AXES)}.")
        known_names: tuple[Collection[str], ...] = (NAMES, METHODS, ESTIMATORS)
        for name, known in zip(_LISTS, known_names, strict=True):
            picked: tuple[str, ...] = getattr(record, name)
            require(
                len(picked) > 0 and set(picked) <= set(known) and len(set(picked)) == len(picked),
                f"{name} must be one or more of {', '.join(known)}, each once.",
            )
        runs.setup(record.scenario)


SLOT: Final = PinSlot("curves", CurvesLink())
