"""State of the page: a scenario with a distance policy, one place, and the blocks beside it.

Its link, and ready distances: each one sentence, one click; data, people and the place stay.

Data of the page: noise that fades with distance, and the blocks to compare it with.

The blocks are made from the policy alone, never from where people are. Results are cached for all
visits.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeAlias

import numpy as np
import streamlit as st

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.basics.cache import cached, cached_by
from caldp_core.basics.errors import CaldpError, check_choice, check_whole
from caldp_core.basics.limits import EPSILON_MAX
from caldp_core.basics.types import Bools, Floats, Progress
from caldp_core.datasets import Gowalla
from caldp_core.domain.domains import GridDomain
from caldp_core.estimation.projection import identity_remap, remap
from caldp_core.experiments.run import Result, Setup
from caldp_core.mechanisms import catalogue
from caldp_core.mechanisms.capabilities import ReportsSymbols
from caldp_core.mechanisms.kernels import Kernel, StepLevels, check_map, kernel_for, read_kernel
from caldp_core.mechanisms.randomness import generators
from caldp_core.privacy.context import PrivacyMatrix
from caldp_core.privacy.distance import EuclideanMetric, symbols_within_level
from caldp_core.scenarios.blocks import EverythingSensitive, GridBlocks
from caldp_core.scenarios.policies import ContextPolicy, CrowFlies, Streets
from caldp_core.scenarios.scenario import Best, Scenario
from caldp_core.theory import bounds as theory
from caldp_ui.app.texts import escape_markdown, read_texts
from caldp_ui.compute import runs
from caldp_ui.controls.choices import PolicyPreset, read_presets, with_compatible_mechanism
from caldp_ui.parts import comparison
from caldp_ui.session import jobs
from caldp_ui.session.page_state import PinPageState, ScenarioLink, ScenarioRecord
from caldp_ui.stage.component import BROWSER_KEYS
from caldp_ui.words import formats

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
    return with_compatible_mechanism(changed)


def fallback_scenario(scenario: Scenario) -> Scenario:
    """The scenario with planar noise in place of the best, which may have to be designed first."""
    if not isinstance(scenario.mechanism, catalogue.BestKernel):
        return scenario
    return replace(scenario, mechanism=catalogue.PlanarGeometric())


def compatible_mechanisms(scenario: Scenario) -> list[catalogue.MechanismEntry]:
    """All mechanisms of the catalogue for the kind of policy that the scenario has."""
    return catalogue.mechanisms_for(scenario.policy.build(runs.dataset(scenario)).policy)


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


@dataclass(frozen=True, eq=False)
class PersonReports:
    """Reports of one person at a place.

    `law`: (k,) distribution; `mean_km`: mean distance from the place. `separated_share`: share of
    the pairs of neighbouring cells that a report always tells apart, in [0, 1].
    """

    law: Floats
    mean_km: float
    separated_share: float


@dataclass(frozen=True, eq=False)
class DistanceData:
    """Data of the page; results are None until they are computed.

    `ring`: (k,) True within the policy's ε of the place. `noise_reports`, `block_reports`: reports
    from the place. `average_km`: mean displacements of reports, with noise from the map's middle
    and in blocks over the map; the blocks are cut so that these are equal.
    """

    record: DistanceState
    domain: GridDomain
    setup: Setup
    blocks_setup: Setup
    ring: Bools
    noise_reports: PersonReports
    block_reports: PersonReports
    average_km: tuple[float, float]
    ours: Result | None
    blocks_result: Result | None
    plain: Result | None

    @property
    def blocks_epsilon(self) -> float:
        """The one ε of the blocks."""
        return self.blocks_setup.scenario.policy.plain_epsilon


def load_data(
    record: DistanceState, load_results: comparison.ResultLoader = comparison.load_results
) -> DistanceData:
    """Data of the page; `load_results`: whether slow results come by a job or are left out."""
    setup = runs.setup(record.scenario)
    domain = runs.map_of(setup.dataset)
    in_blocks = blocks_scenario(record)
    blocks_setup = runs.setup(in_blocks)
    results = load_results(STATE, record.scenario)
    centre_km = _centre_km(setup, domain)
    grid_blocks = in_blocks.context.blocks
    assert isinstance(grid_blocks, GridBlocks)
    return DistanceData(
        record,
        domain,
        setup,
        blocks_setup,
        symbols_within_level(setup.policy, record.place, record.policy.epsilon),
        _noise_reports(setup, domain, record.place),
        _block_reports(blocks_setup, domain, record.place),
        (
            centre_km,
            theory.displacement_in_blocks(
                domain, grid_blocks.rows, grid_blocks.columns, in_blocks.policy.plain_epsilon
            ),
        ),
        results.ours,
        comparison.result_if_fast(in_blocks),
        results.plain,
    )


def blocks_scenario(record: DistanceState) -> Scenario:
    """The same people in blocks that displace reports as far, at the ε that `beside` chooses."""
    scenario = record.scenario
    setup = runs.setup(scenario)
    domain = runs.map_of(setup.dataset)
    epsilon = record.policy.epsilon
    if record.beside == SIMILAR_PRIVACY:
        # ε between neighbouring cells in the direction where it is smaller, east to west.
        sizes = ((1, domain.columns), (domain.columns, domain.rows))
        steps = [step for step, size in sizes if size > 1]
        epsilon = float(setup.policy.between([0] * len(steps), steps).min(initial=EPSILON_MAX))
    km = _centre_km(setup, domain)
    blocks = GridBlocks(*_block_grid(domain, km, epsilon))
    policy = ContextPolicy(blocks, EverythingSensitive(), epsilon)
    estimator = {"simplex": "simplex-per-block"}.get(scenario.estimator, scenario.estimator)
    return replace(scenario, policy=policy, mechanism=Best(), estimator=estimator)


@cached_by(lambda setup, *_: runs.law_key(setup.scenario))
def _centre_km(setup: Setup, domain: GridDomain) -> float:
    """Mean displacement of reports from the map's middle, in km: depends on nobody's place."""
    middle = domain.rows // 2 * domain.columns + domain.columns // 2
    return _noise_reports(setup, domain, middle).mean_km


_block_grid: Final = cached(theory.blocks_with_displacement)


def _noise_reports(setup: Setup, domain: GridDomain, place: int) -> PersonReports:
    law = theory.report_distribution(setup.mechanism, place)
    return PersonReports(law, float(law @ domain.km_from(place)), 0.0)


def _block_reports(setup: Setup, domain: GridDomain, place: int) -> PersonReports:
    labels = setup.partition.labels
    law = theory.block_report_distribution(labels, place, setup.scenario.policy.plain_epsilon)
    on_map = labels.reshape(domain.rows, domain.columns)
    cuts = [(on_map[1:] != on_map[:-1]).ravel(), (on_map[:, 1:] != on_map[:, :-1]).ravel()]
    pairs = np.concatenate(cuts)
    km_between = float(pairs.mean()) if pairs.size else 0.0
    return PersonReports(law, float(law @ domain.km_from(place)), km_between)


def right_guess_probability(record: DistanceState, km: float) -> float:
    """Largest chance that an even guess between places `km` apart is right, in [0.5, 1]."""
    return max_guess_accuracy(record.rate * km)


PRESETS: Final = read_presets(__file__, "distances", PolicyPreset)


def title(record: DistanceState) -> str:
    """Name of a pinned record."""
    return f"ε = {record.rate:.3g} per kilometre"


BEST_KERNEL: Final = "best-kernel"
"""Name of the best noise in the catalogue."""
_FALLBACK_TEXT: Final = "Until then: planar geometric noise."


def design_noise(record: DistanceState) -> DistanceState:
    """The record; with planar noise until its own is designed by a job, whose progress is drawn."""
    if not isinstance(record.scenario.mechanism, catalogue.BestKernel):
        return record
    fallback = replace(record, scenario=fallback_scenario(record.scenario))
    policy = runs.setup(fallback.scenario).policy
    reason = infeasible_reason(policy)
    if reason:
        st.warning(escape_markdown(f"{reason} Planar geometric noise is shown here."))
        return fallback
    if designed_kernel(policy) is not None:
        return record
    assert isinstance(policy, EuclideanMetric)  # else there is a reason
    steps = StepLevels.of(policy)
    designed = jobs.run_automatically(
        STATE.key("design"),
        f"{steps}",
        lambda progress: kernel_for(steps, progress),
        lambda job: f"Designing the best noise: {job.seconds:.0f} s. {_FALLBACK_TEXT}",
    )
    return fallback if designed is None else record


def with_fallback_noise(record: DistanceState) -> DistanceState:
    """The record; with planar noise if its own is not designed yet. Starts no job."""
    if not isinstance(record.scenario.mechanism, catalogue.BestKernel):
        return record
    fallback = replace(record, scenario=fallback_scenario(record.scenario))
    return record if designed_kernel(runs.setup(fallback.scenario).policy) is not None else fallback


def designed_kernel(policy: PrivacyMatrix) -> Kernel | None:
    """The best noise for a policy with its proof; None where it was not designed yet."""
    if not isinstance(policy, EuclideanMetric):
        return None
    try:
        return _stored_kernel(StepLevels.of(policy))
    except CaldpError:
        return None


@cached
def _stored_kernel(steps: StepLevels) -> Kernel:
    """The design on file. Raises `CaldpError` where there is none, as errors are not cached."""
    kernel = read_kernel(steps)
    if kernel is None:
        raise CaldpError("Not designed yet.")
    return kernel


def infeasible_reason(policy: PrivacyMatrix) -> str:
    """Why the best noise can't be designed for a policy; "" where it can."""
    if not isinstance(policy, EuclideanMetric):
        return "The best noise is designed for distances as the crow flies only."
    try:
        check_map(policy)
    except CaldpError as error:
        return str(error)
    return ""


TEXTS: Final = read_texts(__file__)
PEOPLE: Final = 20_000
"""People drawn to measure both distances, to about half a percent."""


def section(ours: Result) -> None:
    """Show one sentence, by a job; nothing if reports are no places or a share is negative."""
    has_places = isinstance(ours.setup.mechanism, ReportsSymbols)
    if not has_places or not bool((ours.first.estimate >= 0).all()):
        return
    kilometres = jobs.run_automatically(
        STATE.key("remap"),
        runs.key(ours.setup.scenario),
        partial(mean_displacements, ours),
        lambda job: f"Reading reports in the light of all others: {job.share:.0%}",
    )
    if kilometres is not None:
        before, after = map(formats.length, kilometres)
        st.markdown(TEXTS["remap"].format(before=before, after=after))


@cached_by(lambda ours, *_: runs.key(ours.setup.scenario))
def mean_displacements(ours: Result, progress: Progress) -> tuple[float, float]:
    """Mean km before and after the remap by the page's estimate, of people drawn by the truth."""
    setup, domain = ours.setup, runs.map_of(ours.setup.dataset)
    moved = remap(setup.mechanism, ours.first.estimate, domain, progress)
    (rng,) = generators(runs.seeds(setup.scenario, "remap"), 1)
    people = rng.choice(domain.k, PEOPLE, p=setup.dataset.distribution)
    reports = np.asarray(setup.mechanism.privatize(people, rng))
    before, after = (each.kilometres(people, reports) for each in (identity_remap(domain), moved))
    return float(before.mean()), float(after.mean())
