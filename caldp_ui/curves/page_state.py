"""The state of the page of error curves: the curves, their error and their axis."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Final

from caldp_core.basics.errors import check_choice, require
from caldp_core.datasets import Zipf
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.estimation.evidence import default_estimator
from caldp_core.experiments.error_validity import require_valid_errors
from caldp_core.experiments.measures import TV, find_measure
from caldp_core.scenarios.blocks import OneBlock
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.controls.choices import NAMES
from caldp_ui.controls.common import METHODS
from caldp_ui.curves.axes import AXES
from caldp_ui.session.pins import PinPageState
from caldp_ui.session.record_link import ScenarioLink
from caldp_ui.session.scenarios import ScenarioRecord

BEGIN: Final = Scenario(Zipf(), ContextPolicy(OneBlock()), n=100_000, estimator="simplex")
_LISTS: Final = ("protections", "methods", "estimates")


@dataclass(frozen=True)
class Curves(ScenarioRecord):
    """The page's record. `scenario`: data, people, ε and seed, which all curves share.

    One curve for each of `protections` × `methods` × `estimates`, by their names. `against`:
    the axis, by its name in `AXES`. `error`: the measure, by its name in `MEASURES`.
    """

    scenario: Scenario = BEGIN
    against: str = "people"
    protections: tuple[str, ...] = ("plain", "blocks", "more-blocks", "sensitive")
    methods: tuple[str, ...] = ("best",)
    estimates: tuple[str, ...] = (default_estimator(),)
    error: str = TV


def _adopt_scenario(source: Scenario) -> Scenario:
    """The page's scenario with the data, people, ε and seed of another."""
    scenario = replace(BEGIN, dataset=source.dataset, n=source.n, seed=source.seed)
    return scenario.with_context(epsilon=source.context.plain_epsilon)


def _check(record: Curves) -> None:
    """Raise `CaldpError` for unknown names, empty lists and repeated names."""
    check_choice("against", record.against, AXES)
    known_names: tuple[Collection[str], ...] = (NAMES, METHODS, ESTIMATORS)
    for name, known in zip(_LISTS, known_names, strict=True):
        chosen: tuple[str, ...] = getattr(record, name)
        require(
            len(chosen) > 0 and set(chosen) <= set(known) and len(set(chosen)) == len(chosen),
            f"{name} must be one or more of {', '.join(known)}, each once.",
        )
    runs.setup(record.scenario)
    measure = find_measure(record.error, runs.dataset(record.scenario).domain)
    require(
        not measure.wants_shares or "none" not in record.estimates,
        "Kilometres are for estimates made of shares; leave out the unprocessed one.",
    )
    for name in record.estimates:
        require_valid_errors(runs.setup(replace(record.scenario, estimator=name)))


LINK: Final = ScenarioLink(
    Curves(),
    _check,
    restrict_scenario=_adopt_scenario,
    left_out=Curves(estimates=("simplex",)),  # what the page began with until November 2026
)
STATE: Final = PinPageState("curves", LINK)
