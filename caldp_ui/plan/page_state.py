"""State of the page, and people needed at each ε: data, the accuracy asked for, protections.

Groups that a plan's answers or places come in, and how well each is known.

Published deployments of local differential privacy, with the figures of their sources: only what a
source prints, and what it was checked against here; a deployment without published figures is not
listed.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.audit.inference import best_guess
from caldp_core.basics.cache import cached_by
from caldp_core.basics.errors import CaldpError, check_choice, check_number, check_whole, require
from caldp_core.basics.limits import EPSILON_MIN, N_MAX
from caldp_core.basics.types import Floats, Progress, no_progress, part_of, sums_by, turn_of
from caldp_core.collect import device
from caldp_core.collect.protocol import Protocol
from caldp_core.collect.record import YEAR, plan_accuracy, plan_cost
from caldp_core.datasets import AT_SEA, DatasetSpec, Survey
from caldp_core.domain.domains import Domain, GridDomain
from caldp_core.domain.partitions import Partition
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.estimation.evidence import default_estimator
from caldp_core.experiments.forecast import (
    epsilon_against_guesses,
    forecast_if_fast,
    require_valid_errors,
)
from caldp_core.experiments.run import Setup
from caldp_core.mechanisms import FAMILIES
from caldp_core.mechanisms.capabilities import symbol_partition_of
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.scenarios import blocks
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory import planner
from caldp_core.theory.expected_error import Budget, Forecast, variance_given_people
from caldp_ui.app.texts import read_toml
from caldp_ui.app.user_text import user_texts
from caldp_ui.compute import runs
from caldp_ui.controls.choices import MARKED, NAMES, PLAIN, Choice, has_marks, protections
from caldp_ui.controls.common import METHODS
from caldp_ui.session.jobs import MB_PER_VALUE, Cost
from caldp_ui.session.page_state import PinPageState, ScenarioLink, ScenarioRecord
from caldp_ui.words import formats


@dataclass(frozen=True, eq=False)
class Regions:
    """Nouns for one region and several, the `spec` of their blocks, and the partition of values."""

    singular: str
    plural: str
    spec: blocks.BlocksSpec
    partition: Partition


_ON_MAPS: Final = (
    ("state", "states", blocks.StateBlocks()),
    ("country", "countries", blocks.CountryBlocks()),
    ("region", "regions", blocks.RegionBlocks()),
)
REGIONS: Final = "regions"
"""The goal of regions where there are states or countries, too."""
OWN: Final = "areas"
"""The goal of areas of a file."""
_IN_LISTS: Final = (("group", "groups", blocks.GroupBlocks()),)


NONE: Final = blocks.PolygonBlocks()


@cached_by(lambda scenario, goal, areas=NONE: (runs.data_key(scenario), goal, areas))
def regions_of(scenario: Scenario, goal: str, areas: blocks.PolygonBlocks = NONE) -> Regions | None:
    """States, countries, their regions or groups: the first that there are two of, or None.

    Only regions of countries, or the `areas` of a file, where they are the goal.
    """
    domain = runs.dataset(scenario).domain
    known = _ON_MAPS if isinstance(domain, GridDomain) else _IN_LISTS
    chosen: dict[str, Sequence[tuple[str, str, blocks.BlocksSpec]]] = {
        REGIONS: _ON_MAPS[-1:],
        OWN: (("area", "areas", areas),),
    }
    for singular, plural, spec in chosen.get(goal, known):
        try:
            partition = spec.build(domain)
        except CaldpError:  # other maps, answers without groups, or no map
            continue
        if len({*partition.names} - {AT_SEA}) > 1:
            return Regions(singular, plural, spec, partition)
    return None


def have_smaller_regions(scenario: Scenario) -> bool:
    """Whether the data have regions besides their states or countries."""
    groups, regions = (regions_of(scenario, goal) for goal in ("groups", REGIONS))
    return groups is not None and regions is not None and groups.spec != regions.spec


@dataclass(frozen=True, eq=False)
class Margins:
    """(g,) names, true shares of the plan's data, and half the 95 % range of each share.

    By falling share; regions without people are left out.
    """

    names: tuple[str, ...]
    shares: Floats
    margins: Floats


@dataclass(frozen=True)
class Repetition:
    """What a plan of repetition costs and brings, as `plan_cost` and `plan_accuracy` have it."""

    value: Mapping[str, Any]
    change: Mapping[str, Any]
    accuracy: Mapping[str, float]


@cached_by(lambda setup, goal, _, areas=NONE: (runs.key(setup.scenario), goal, areas))
def margins_of(
    setup: Setup, goal: str, progress: Progress, areas: blocks.PolygonBlocks = NONE
) -> Margins:
    """Margins of every region for the setup's people; of every answer where there are none."""
    regions = regions_of(setup.scenario, goal, areas)
    p = setup.dataset.distribution
    if regions is None:
        domain, cells = setup.dataset.domain, range(p.size)
        names = [domain.name_of(x) if isinstance(domain, Domain) else f"cell {x:,}" for x in cells]
        return _ordered(names, p, _TWO_SIDED * np.sqrt(setup.mechanism.variance(p, setup.n)))
    labels = regions.partition.labels
    one_person_margins = planner.group_margins(setup.mechanism, p, labels, progress=progress)
    shares = sums_by(labels, p, regions.partition.m)
    return _ordered(list(regions.partition.names), shares, one_person_margins / np.sqrt(setup.n))


@cached_by(lambda setup, _: runs.key(setup.scenario))
def repetitions(setup: Setup, progress: Progress) -> dict[str, Repetition | None]:
    """By kind of plan: ε and accuracy if people are asked daily for a year.

    None where the method lacks it. With a noisy memo, a report that differs shows it with the
    scenario's ε. Raises `CaldpError` for a mechanism without a device.
    """
    once = Protocol.of(setup, allow_unprotected=True)
    change_epsilon = setup.scenario.context.plain_epsilon
    plans: dict[str, Callable[[], device.Repetition]] = {
        device.Once.kind: device.Once,
        device.Memo.kind: device.Memo,
        # Not for every method: a set of bits has too many different reports.
        device.NoisyMemo.kind: partial(
            device.NoisyMemo.of, change_epsilon, once.mechanism.outputs, YEAR
        ),
        device.Budget.kind: partial(device.Budget, YEAR),
    }
    found: dict[str, Repetition | None] = {}
    for kind, make in plans.items():
        progress(len(found) / len(device.REPETITIONS))
        try:
            protocol = once.repeated(make())
            cost = plan_cost(protocol)
            accuracy = plan_accuracy(protocol, setup.n)
            found[kind] = Repetition(cost["value"], cost["change"], accuracy)
        except CaldpError:
            found[kind] = None
    return found


_TWO_SIDED: Final = 1.959964
"""Standard deviations of a normal on either side that hold 95 of 100."""


def _ordered(names: list[str], shares: Floats, margins: Floats) -> Margins:
    order = [at for at in np.argsort(-shares, kind="stable").tolist() if shares[at] > 0]
    return Margins(tuple(names[at] for at in order), shares[order], margins[order])


BEGIN: Final = Scenario(
    Survey("income"), ContextPolicy(blocks.OneBlock()), n=1_000_000, estimator="simplex"
)
GOALS: Final = {
    "values": "Every answer",
    "groups": "Every group",
    REGIONS: "Regions",
    OWN: "My areas",
    "overall": "All together",
}
OF_REGIONS: Final = ("groups", REGIONS, OWN)
RELATIVE: Final = ("values", *OF_REGIONS)
"""Goals that are met to within a share of the true value, each by a formula."""
_NUMBERS: Final = ("floor", "within", "wrong", "guessed")


@cached_by(runs.key)
def protections_of(scenario: Scenario) -> Mapping[str, Choice]:
    """The protections of a plan with this scenario's data, by name.

    Those of `NAMES`, and on a list of answers what is marked in the scenario. On a visitor's own
    list only plain LDP and the marks: blocks in the order of a file would show answers openly that
    nobody has allowed to be shown.
    """
    domain = runs.dataset(scenario).domain
    known = protections(domain)
    if isinstance(domain, GridDomain):
        return known
    if runs.is_own(scenario.dataset):
        known = {PLAIN: known[PLAIN]}
    if has_marks(scenario.context):
        known[MARKED] = Choice(_marks_title(scenario, domain), scenario.context)
    return known


_NAMED_MAX: Final = 3
"""Most answers that the name of a protection names."""


def _marks_title(scenario: Scenario, domain: Domain) -> str:
    """A short name of what is marked: “Weekly, Monthly sensitive, in 2 blocks”."""
    partition = scenario.context.blocks.build(domain)
    flags = scenario.context.sensitive.build(domain, partition)
    marked = np.flatnonzero(flags).tolist()
    if len(marked) == domain.k:
        which = "All sensitive"
    elif 0 < len(marked) <= _NAMED_MAX:
        names = user_texts(domain.name_of(x) for x in marked)
        which = f"{', '.join(name.plain for name in names)} sensitive"
    else:
        which = f"{len(marked):,} of {domain.k:,} sensitive"
    blocks_text = formats.count(partition.m, "block", "blocks")
    return f"{which}, in {blocks_text}" if partition.m > 1 else which


@dataclass(frozen=True)
class Plan(ScenarioRecord):
    """The page's record. `scenario`: data, people, ε and, on a list of answers, what is marked.

    `protection`: its name in `NAMES`, or `MARKED` for the marks.

    `goal`: "values": every value with a share of at least `floor` is known to within ± `within` of
    its share; "groups": every group, state or country is; "regions": every region of a country is;
    "areas": every area of a file is, which are the blocks of `scenario` (no protection has them);
    "overall": total variation is at most `wrong`. `guessed`: share of the protected people that an
    attacker may guess right, 1 without such a goal. These four numbers are in [1e-6, 1]. `group`:
    people of the smallest group that is to be read by itself, 0 without one.
    """

    scenario: Scenario = BEGIN
    goal: str = "values"
    floor: float = 0.01
    within: float = 0.1
    wrong: float = 0.05
    guessed: float = 1.0
    protection: str = "blocks"
    group: int = 0

    @property
    def protections(self) -> Mapping[str, Choice]:
        """The protections that these data have, by name."""
        return protections_of(self.scenario)

    @property
    def chosen(self) -> str:
        """The name of the protection: `protection`, or the nearest where the data lack it."""
        if self.protection in self.protections:
            return self.protection
        return MARKED if MARKED in self.protections else PLAIN

    def protected_scenario(self, name: str, epsilon: float) -> Scenario:
        """The scenario under the protection of that name at this ε, by the best method."""
        known = self.protections[name].policy
        return self.scenario.with_context(
            blocks=known.blocks, sensitive=known.sensitive, epsilon=epsilon
        )

    @property
    def epsilon(self) -> float:
        """The ε of the plan."""
        return self.scenario.context.plain_epsilon

    @property
    def areas(self) -> blocks.PolygonBlocks:
        """The areas of a file, of which every one may be the goal."""
        found = self.scenario.context.blocks
        return found if isinstance(found, blocks.PolygonBlocks) else NONE

    @property
    def regions(self) -> Regions | None:
        """The regions of the goal."""
        return regions_of(self.scenario, self.goal, self.areas)


def _adopt_scenario(source: Scenario) -> Scenario:
    """The plan's scenario with the data, people, ε and areas of another; of a list its marks."""
    context = source.context
    scenario = replace(BEGIN, dataset=source.dataset, n=source.n)
    if isinstance(runs.dataset(scenario).domain, Domain):
        return replace(scenario, policy=context)
    own = context.blocks if isinstance(context.blocks, blocks.PolygonBlocks) else blocks.OneBlock()
    return scenario.with_context(blocks=own, epsilon=context.plain_epsilon)


def use_data(scenario: Scenario, spec: DatasetSpec) -> Scenario:
    """The plan's scenario with other data: without marks, and of own data with their people."""
    changed = runs.with_dataset(scenario, spec)
    n = None if runs.is_own(spec) else changed.n
    return _adopt_scenario(
        replace(changed, n=n).with_context(
            blocks=blocks.OneBlock(), sensitive=blocks.EverythingSensitive()
        )
    )


def _check(record: Plan) -> None:
    """Raise `CaldpError` for unknown names, numbers out of range, and a floor that none reaches."""
    check_choice("goal", record.goal, GOALS)
    check_choice("protection", record.protection, (*NAMES, MARKED))
    check_whole("group", record.group, 0, N_MAX)
    for name in _NUMBERS:
        check_number(name, getattr(record, name), 1e-6, 1.0)
    require_valid_errors(runs.setup(record.protected_scenario(record.chosen, record.epsilon)))
    if record.goal in RELATIVE:
        _check_floor(record)


def _check_floor(record: Plan) -> None:
    """Raise `CaldpError` where no answer, or no group, is as common as what is asked for."""
    shares, noun = runs.dataset(record.scenario).distribution, "answer"
    if record.goal in OF_REGIONS:
        regions = record.regions
        if regions is None:
            raise CaldpError(
                "These data come in no groups, states, countries or regions that could be asked "
                "for; choose another goal, a file of areas, or other data."
            )
        shares, noun = regions.partition.sums(shares), regions.singular
    largest = float(shares.max())
    require(
        largest >= record.floor,
        f"No {noun} here has {100 * record.floor:g} % of the people, the largest has "
        f"{100 * largest:.2g} %; ask for rarer ones too.",
    )


LINK: Final = ScenarioLink(Plan(), _check, restrict_scenario=_adopt_scenario)
STATE: Final = PinPageState("plan", LINK)


@dataclass(frozen=True)
class Deployment:
    """A collection that was really made.

    `epsilon`: of one report. `reports_a_day`: reports a day at most, None where reports do not add
    up. `epsilon_limit`: ε of all reports about an unchanged value together, where they are made
    from one noisy copy that is kept. `verification`: what the figures of `source` were checked by.
    """

    title: str
    epsilon: float
    source: str
    verification: str
    reports_a_day: int | None = None
    epsilon_limit: float | None = None

    def epsilon_after(self, days: int) -> float:
        """ε of all reports about one unchanged value after `days` (CALDP Proposition 2)."""
        if self.epsilon_limit is not None:
            return self.epsilon_limit
        return self.epsilon * (self.reports_a_day or 1) * days

    def describe_right_guesses(self, days: int) -> str:
        """Of 100 guesses between two equally likely values, how many are right at most."""
        return formats.hundred(max_guess_accuracy(self.epsilon_after(days)))


def _rappor(f: float, p: float, q: float, source: str, **texts: Any) -> Deployment:
    """RAPPOR with two hash functions by its f, p, q: ε₁ and ε∞ by its Theorems 2 and 1."""
    if_set, if_not = (0.5 * f * (p + q) + (1 - f) * bit for bit in (q, p))
    one_report = 2 * math.log(if_set * (1 - if_not) / (if_not * (1 - if_set)))
    all_reports = 4 * math.log((1 - f / 2) / (f / 2))
    cited = f"{source}: h = 2, f = {f:g}, p = {p:g}, q = {q:g}"
    return Deployment(epsilon=one_report, source=cited, epsilon_limit=all_reports, **texts)


_FILE: Final = read_toml(__file__, "deployments.toml")
DEPLOYMENTS: Final = (
    *(Deployment(**_FILE["apple"], **each) for each in _FILE["types"]),
    *(_rappor(**each) for each in _FILE["rappor"]),
)
_EXACT: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0)
_SIMULATED: Final = (0.5, 1.0, 2.0, 4.0)
"""ε's of the picture: fewer where every point takes trials."""
BUDGET: Final = Budget(16, 256, 0.01)
"""Trials of one error, fewer where it is far from the goal."""


@dataclass(frozen=True)
class Need:
    """People that a protection needs at an ε by a method; None: over 10^12, or not found here."""

    protection: str
    epsilon: float
    people: int | None
    method: str


def compute_needs(record: Plan, progress: Progress) -> Iterator[Need]:
    """All points of the picture: those at the reader's ε first if it is on the picture's grid.

    Else they come last: the grid's points are the same for every ε, and mostly cached. Then the
    reader's protection at each ε that the points so far name as sufficient, until one of them is.
    """
    own, known = record.chosen, list[Need]()
    points = [(epsilon, name) for epsilon in epsilon_levels(record) for name in record.protections]
    total = len(points) + 1
    while points:
        for epsilon, name in points:
            within = turn_of(progress, min(len(known), total - 1), total)
            scenario = record.protected_scenario(name, epsilon)
            known.append(compute_need(record, name, scenario, within))
            yield known[-1]
            within(1.0)
        level = epsilon_for(needs_by_protection(record, known)[own], runs.people(record.scenario))
        computed = (each.epsilon for each in known if each.protection == own)
        points = [] if level is None or level in computed else [(level, own)]


def cost(record: Plan) -> Cost:
    """The approximate cost of all points of the picture, as measured from 128 to 2²⁰ values."""
    k, points = (
        runs.dataset(record.scenario).domain.k,
        len(epsilon_levels(record)) * len(record.protections),
    )
    a_point = 6e-7 * k if record.goal == "values" else 5e-5 * min(k, 2**14) + 2.5e-6 * k
    regions = record.regions
    if record.goal in OF_REGIONS and regions is not None:
        shares = regions.partition.sums(runs.dataset(record.scenario).distribution)
        a_point = 1.5e-6 * k * int((shares >= record.floor).sum())
    return Cost(points * a_point, MB_PER_VALUE * k)


def epsilon_levels(record: Plan) -> list[float]:
    """The ε's of the picture, in the order of `compute_needs`."""
    grid = _EXACT if record.goal in RELATIVE else _SIMULATED
    return sorted({*grid, record.epsilon}, key=lambda e: (e not in grid, e != record.epsilon, e))


def compute_need(
    record: Plan, name: str, scenario: Scenario, progress: Progress = no_progress
) -> Need:
    """The people that this scenario's protection and method need for the record's goal."""
    normalised = replace(scenario, seed=0, n=1)  # nor does it depend on how many there are
    people, method = _people_and_method(normalised, record, progress)
    return Need(name, scenario.context.plain_epsilon, people, method)


def target(record: Plan) -> float:
    """The largest error that meets the goal."""
    return record.within if record.goal in RELATIVE else record.wrong


@cached_by(lambda scenario, at, _: (runs.key(scenario), at.goal, at.areas, at.floor, target(at)))
def _people_and_method(
    scenario: Scenario, record: Plan, progress: Progress
) -> tuple[int | None, str]:
    """The number of people, None as in `Need`, and the name of the method."""
    progress(0.0)
    setup = runs.setup(scenario)
    p, regions, goal = setup.dataset.distribution, record.regions, record.goal
    try:
        if goal in OF_REGIONS and regions is not None:
            people = planner.people_for_groups(
                setup.mechanism,
                p,
                regions.partition.labels,
                floor=record.floor,
                within=record.within,
                progress=progress,
            )
        else:
            reached = planner.Goal(_accuracy(scenario, record), target(record))
            people = planner.people_for(setup.mechanism, p, reached, progress)
    except CaldpError:  # no exact variance at this size, or too many people to draw
        people = None
    return people, setup.mechanism_name


def least_margin(record: Plan, setup: Setup) -> float:
    """Half the 95 % range of the best known hidden share of `record.group` people, by noise alone.

    Whatever else is done with their reports, no unbiased estimate of that share is closer. The
    group's shares are taken to be those of the plan's data.
    """
    p = setup.dataset.distribution
    variance = variance_given_people(setup.mechanism, p, record.group)
    hidden = symbol_partition_of(setup.mechanism).hidden
    return _TWO_SIDED * float(np.sqrt(variance[hidden].min()))


def error_at(record: Plan, setup: Setup, progress: Progress) -> float:
    """The error that the goal is about, for the setup's people and ε; to be held to `target`."""
    if record.goal in OF_REGIONS:
        found = margins_of(setup, record.goal, progress, areas=record.areas)
        return float((found.margins / found.shares)[found.shares >= record.floor].max())
    accuracy = _accuracy(setup.scenario, record)
    return accuracy(setup.mechanism, setup.dataset.distribution, setup.n)


def _accuracy(scenario: Scenario, record: Plan) -> planner.Accuracy:
    """Of all together by the normal approximation alone where trials are long."""
    if record.goal == "values":
        return planner.relative_error(record.floor)
    setup, simulated = runs.setup(scenario), not runs.takes_long(scenario)
    domain, options = setup.dataset.domain, setup.options
    return planner.TotalVariation(
        scenario.estimator, domain, options, record.wrong, BUDGET, simulated
    )


@cached_by(lambda plan, _: (runs.key(plan.scenario), plan.chosen, plan.guessed))
def attack_limit(plan: Plan, progress: Progress) -> tuple[float | None, float]:
    """`epsilon_against_guesses` for the attacker's goal, and the right guesses of another there.

    That one knows how common each value is in the data; its share is of all protected people, NaN
    where that is not known.
    """
    setup = runs.setup(replace(plan.protected_scenario(plan.chosen, 1.0), n=1))
    level = epsilon_against_guesses(setup, plan.guessed, progress)
    there = runs.setup(setup.scenario.with_epsilon(level or EPSILON_MIN))
    try:
        return level, best_guess(there.mechanism, there.dataset.distribution).hidden
    except CaldpError:
        return level, math.nan


@dataclass(frozen=True)
class NeedTables:
    """Needs in the tables: by title of the method and protection, and of each deployment."""

    methods: list[tuple[str, dict[str, Need]]]
    deployments: list[Need]


def compute_tables(record: Plan, progress: Progress) -> NeedTables:
    """Computes the needs of both tables; on large maps this takes seconds."""
    share = len(FAMILIES) / (len(FAMILIES) + len(DEPLOYMENTS))
    table = needs_by_method(record, part_of(progress, 0.0, share))
    rest, needed = part_of(progress, share, 1.0), []
    for number, each in enumerate(DEPLOYMENTS):
        within = turn_of(rest, number, len(DEPLOYMENTS))
        scenario = record.protected_scenario(PLAIN, each.epsilon)
        needed.append(compute_need(record, PLAIN, scenario, within))
        within(1.0)
    return NeedTables(table, needed)


def needs_by_method(
    record: Plan, progress: Progress = no_progress
) -> list[tuple[str, dict[str, Need]]]:
    """By family: its need under each protection at the reader's ε, by exact variance."""
    exact = replace(record, goal="values")
    table = []
    for number, family in enumerate(FAMILIES):
        row = {}
        for place, name in enumerate(record.protections):
            columns = len(record.protections)
            within = turn_of(progress, number * columns + place, len(FAMILIES) * columns)
            within(0.0)
            protected = record.protected_scenario(name, record.epsilon)
            scenario = replace(protected, mechanism=METHODS[family][1])
            if not runs.takes_long(scenario):
                row[name] = compute_need(exact, name, scenario, within)
        table.append((MECHANISMS[family].title, row))
    return table


def needs_by_protection(record: Plan, needs: Sequence[Need]) -> Mapping[str, list[Need]]:
    """Needs that are known, protection by protection, by rising ε."""
    ordered = sorted((each for each in needs if each.people), key=lambda each: each.epsilon)
    return {
        name: [each for each in ordered if each.protection == name] for name in record.protections
    }


def epsilon_for(points: Sequence[Need], people: int) -> float | None:
    """The least ε at which that many people are enough, to two digits, or None.

    Read off between neighbours on log scales and rounded up: only at one of the points is it sure.
    """
    epsilons = [each.epsilon for each in points]
    needed = [float(each.people or 0) for each in points]
    place = next((i for i, number in enumerate(needed) if number <= people), None)
    if place is None:
        return None
    if place == 0:
        return epsilons[0]
    x, y = np.log(needed[place - 1 : place + 1]), np.log(epsilons[place - 1 : place + 1])
    least = float(np.exp(np.interp(np.log(people), x[::-1], y[::-1])))
    digit = 10.0 ** (math.floor(math.log10(least)) - 1)
    return min(epsilons[place], float(f"{digit * math.ceil(least / digit - 1e-9):.2g}"))


def measure_estimates(setup: Setup, progress: Progress) -> tuple[Forecast | None, Forecast | None]:
    """Expected errors of the plan's estimate and of the default one; None where trials are long."""
    budget = replace(BUDGET, most=BUDGET.least)
    planned, default = (
        forecast_if_fast(
            runs.setup(replace(setup.scenario, estimator=name, seed=0)),
            budget=budget,
            progress=turn_of(progress, number, 2),
        )
        for number, name in enumerate((setup.scenario.estimator, default_estimator()))
    )
    return planned, default


def estimate_title(record: Plan) -> str:
    """The title of the estimate that the goal is about."""
    name = "none" if record.goal in RELATIVE else record.scenario.estimator
    return ESTIMATORS[name].title
