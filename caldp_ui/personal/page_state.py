"""State of the page: people who hide their own places behind tags; its link and its stories.

Data of the page: four ways to protect people's own places, on the same people; one person's week:
where they are, what their device reports, and what an attacker infers. An example: they live in the
map's largest city and work in the nearest other one.
"""

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from caldp_core.audit.inference import likelihood, posterior_after_reports
from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.types import Floats
from caldp_core.domain.domains import GridDomain
from caldp_core.experiments.forecast import require_valid_errors
from caldp_core.experiments.run import Result, Setup
from caldp_core.mechanisms.capabilities import symbol_partition_of
from caldp_core.mechanisms.personalised import NO_PLACE, Bias, PersonalisedMechanism
from caldp_core.mechanisms.randomness import generators
from caldp_core.scenarios.blocks import OneBlock, SensitiveAreas
from caldp_core.scenarios.policies import ContextPolicy, PersonalTags
from caldp_core.scenarios.scenario import Best, Scenario
from caldp_ui.compute import runs
from caldp_ui.controls.choices import LevelPreset, matching_preset, read_presets
from caldp_ui.parts import comparison
from caldp_ui.session.page_state import PinPageState, ScenarioLink, ScenarioRecord
from caldp_ui.stage.component import BROWSER_KEYS
from caldp_ui.words.formats import towns

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
    scenario = with_known_places(record.scenario)
    is_ready = results.ours is not None
    known = comparison.result_or_job(STATE, "known", scenario) if is_ready else None
    return _make_data(record, results, known)


def load_fast_data(record: PersonalState) -> PersonalData:
    """Data of the page without jobs: slow results are None."""
    results = comparison.load_fast_results(STATE, record.scenario)
    known = comparison.result_if_fast(with_known_places(record.scenario))
    return _make_data(record, results, known)


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


def tagged_mechanism(setup: Setup) -> PersonalisedMechanism:
    """The setup's mechanism, if it has tags; raises `CaldpError` for others."""
    if not isinstance(setup.mechanism, PersonalisedMechanism):
        raise CaldpError("This mechanism has no tags; choose a policy of kind personal-tags.")
    return setup.mechanism


def own_place_shares(data: PersonalData) -> tuple[Floats, Floats, Floats]:
    """(κ,) shares of all people at their own place of each tag: truth, estimate, its error.

    The error is by the estimated shares, as a collector knows no others.
    """
    assert data.ours is not None  # called only once it is there
    mechanism = tagged_mechanism(data.setup)
    true = mechanism.shares_with_tags(data.setup.dataset.distribution)
    estimates = mechanism.common.estimate(data.ours.first.evidence.tally)
    likely = np.maximum(estimates, 0.0)
    errors = np.sqrt(mechanism.common.variance(likely / likely.sum(), data.setup.n))
    return true[mechanism.k :], estimates[mechanism.k :], errors[mechanism.k :]


_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_STOPS: Final = (0, 1, -1, 1, 0, -2, 0)
"""By day: the tag of the own place, or a key of `_ELSEWHERE` for another place."""
_ELSEWHERE: Final = {-1: 4, -2: 7}
"""Rank by size of the city that such a stop is in."""
HOME_REPORTS: Final = 10
"""Reports from one home."""


@dataclass(frozen=True)
class Day:
    """A day of the week. `place`: symbol where the person is; `tag`: that stands for it, or None.

    `reported_place`: symbol that the report names, or None. `home_probability`: chance that they
    are at home, by this report alone, if home and one other place (`_ELSEWHERE[-1]`) were equally
    likely before.
    """

    name: str
    place: int
    tag: int | None
    reported_place: int | None
    home_probability: float


def simulate_week(data: PersonalData) -> list[Day]:
    """Seven days, with the noise of the record's seed; none where the map has too few cities."""
    cities = list(towns(data.domain))
    mechanism = tagged_mechanism(data.setup)
    tags = mechanism.policy.tags
    openly_named = symbol_partition_of(mechanism.common).clear
    if len(cities) <= max(_ELSEWHERE.values()):
        return []
    km = data.domain.km_from(cities[0])
    work = min(cities[1:], key=lambda city: float(km[city]))
    own = [*(cities[0], work)[:tags], *[NO_PLACE] * (tags - 2)]
    stops = [stop if stop < tags else 0 for stop in _STOPS]
    places = [cities[_ELSEWHERE[s]] if s < 0 else own[s] for s in stops]
    (rng,) = generators(runs.seeds(data.record.scenario, "week", 7), 1)
    tagged = mechanism.add_tags(places, np.tile(own, (len(places), 1)))
    reports = mechanism.common.privatize(tagged, rng)
    days = []
    for number, (day, stop, place) in enumerate(zip(_DAYS, stops, places, strict=True)):
        tally = mechanism.common.tally(reports[number : number + 1])
        chances = likelihood(mechanism.common, tally)
        home, elsewhere = (float(chances[x]) for x in (mechanism.k, cities[_ELSEWHERE[-1]]))
        (named,) = np.nonzero(mechanism.common.clear_counts(tally))
        tag = mechanism.add_tags([place], [own])[0] - mechanism.k
        days.append(
            Day(
                day,
                place,
                None if stop < 0 or tag < 0 else int(tag),
                int(openly_named[named[0]]) if named.size else None,
                home / (home + elsewhere) if home + elsewhere > 0 else 0.0,
            )
        )
    return days


@dataclass(frozen=True)
class HomeInference:
    """Belief after `HOME_REPORTS` reports from one home, if only the distribution is known before.

    `own_place_probability`: that they are at a place of their own. `home_probability`: that they
    are at the right place; `prior_probability`: that before any report.
    """

    own_place_probability: float
    home_probability: float
    prior_probability: float


def infer_home(data: PersonalData) -> HomeInference | None:
    """Belief after `HOME_REPORTS` reports from the largest city; None if the map has no city."""
    cities = list(towns(data.domain))
    if not cities:
        return None
    mechanism, home = tagged_mechanism(data.setup), cities[0]
    own = np.full((HOME_REPORTS, mechanism.policy.tags), NO_PLACE)
    own[:, 0] = home
    (rng,) = generators(runs.seeds(data.record.scenario, "home", HOME_REPORTS), 1)
    reports = mechanism.common.privatize(mechanism.add_tags([home] * HOME_REPORTS, own), rng)
    tallies = [mechanism.tally(reports[day : day + 1]) for day in range(HOME_REPORTS)]
    prior = data.setup.dataset.distribution
    tags = posterior_after_reports(mechanism.common, mechanism.shares_with_tags(prior), tallies)
    posterior = mechanism.without_tags(tags, prior)
    return HomeInference(
        float(tags[mechanism.k :].sum()), float(posterior[home]), float(prior[home])
    )


PRESETS: Final = read_presets(__file__, "stories", LevelPreset)
"""Each is a story: shares at own places, the common sensitive set, and the guess."""


def title(record: PersonalState) -> str:
    """Name of a pinned record."""
    preset = matching_preset(PRESETS, record.scenario)
    return f"{preset.title if preset else 'own'}, ε = {record.policy.epsilon:g}"
