"""Scenario → mechanism → tally → estimate → Result: the one way of the data.

Everything random follows from the scenario's seed: trial i takes the i-th child of its
SeedSequence, which has two children of its own, one for who the people are and one for their coins.
Two scenarios that differ only in protection so face the same people.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from caldp_core.basics.counted import count_text
from caldp_core.basics.errors import CaldpError, check_type, require
from caldp_core.basics.extras import explain_missing
from caldp_core.basics.types import Bools, Floats, Ints, Levels, Progress, no_progress, read_only
from caldp_core.datasets import Dataset
from caldp_core.domain.grid import GridDomain
from caldp_core.domain.partitions import Partition
from caldp_core.estimation.cascade_estimator import NEEDS_MAP
from caldp_core.estimation.estimators import estimator
from caldp_core.estimation.evidence import Evidence, Options
from caldp_core.experiments import metrics
from caldp_core.experiments.picture import result_html
from caldp_core.experiments.table import columns_of
from caldp_core.mechanisms import Mechanism, Tally
from caldp_core.mechanisms.catalogue import MechanismSpec
from caldp_core.privacy.context import PrivacyMatrix
from caldp_core.scenarios.scenario import Scenario, choose_mechanism

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, eq=False, repr=False)
class Setup:
    """A scenario with its data, policy and mechanism made: ready to run, and to be shared.

    `policy`: what is promised. `partition`, `sensitive`: its blocks and (k,) flags; a policy
    without blocks has one of everything. `spec`: the scenario's mechanism, or what `Best` chose.
    """

    scenario: Scenario
    dataset: Dataset
    policy: PrivacyMatrix
    partition: Partition
    sensitive: Bools
    mechanism: Mechanism
    mechanism_name: str
    spec: MechanismSpec

    def __repr__(self) -> str:
        return (
            f"<Setup: {self.mechanism_name}, {count_text(self.n, 'report', 'reports')}, "
            f"{self.mechanism.k:,} values>"
        )

    @property
    def n(self) -> int:
        """Number of people."""
        return number_of_people(self.scenario, self.dataset)

    @cached_property
    def options(self) -> Options:
        """What the estimator knows; `CaldpError` for a public map that says nothing here."""
        return Options(
            self.scenario.prior.shares_on(self.dataset.domain), self.scenario.false_share
        )

    def evidence(self, tally: Tally, progress: Progress = no_progress) -> Evidence:
        """The input of the scenario's estimator: the tally, and what it may know beside it."""
        return Evidence.of(self.mechanism, tally, progress, self.dataset.domain, self.options)


@dataclass(frozen=True)
class BoxError:
    """Share `tv` of people in the wrong box of `cells` × `cells` cells."""

    cells: int
    tv: float


@dataclass(frozen=True)
class Errors:
    """Distances of one estimate from the truth; `sliced_wasserstein_km` where both are maps.

    `boxes`: errors of boxes of a map, small ones first; none elsewhere. `largest`: how well the
    largest symbols are found. `sampling_tv` is the part that stays without any privacy: these
    people against the truth.
    """

    tv: float
    l1: float
    l2: float
    kl: float
    sliced_wasserstein_km: float | None
    boxes: tuple[BoxError, ...]
    largest: metrics.Largest
    sampling_tv: float


@dataclass(frozen=True, eq=False, repr=False)
class Outcome:
    """One trial: (k,) `people` counts, the `evidence` in their reports, and the `estimate`.

    `estimate`: (k,) shares by the scenario's estimator. `levels`: (k,) how far symbols were pooled
    for it (`estimation.cascade.Cascade`), 0 for those with a share of their own; None where all
    have. The arrays are read-only.
    """

    people: Ints
    evidence: Evidence
    estimate: Floats
    levels: Levels | None
    errors: Errors

    def __repr__(self) -> str:
        return (
            f"<Outcome: {count_text(int(self.people.sum()), 'report', 'reports')}, total "
            f"variation {self.errors.tv:.3f}>"
        )

    @property
    def unbiased(self) -> Floats:
        """(k,) unbiased shares, may be negative."""
        return self.evidence.unbiased

    @property
    def block_shares(self) -> Floats:
        """(m,) shares of whole blocks, which no context hides: exact for these people."""
        return self.evidence.block_shares


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """The result of a scenario: the `first` trial whole, and the errors of all."""

    setup: Setup
    first: Outcome
    errors: tuple[Errors, ...]
    seconds: float

    def __repr__(self) -> str:
        tv, setup = fmean(each.tv for each in self.errors), self.setup
        return (
            f"<Result: {setup.mechanism_name}, {count_text(setup.n, 'report', 'reports')}, "
            f"{setup.mechanism.k:,} values, total variation {tv:.3f}, "
            f"{count_text(len(self.errors), 'trial', 'trials')}>"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: a small picture, and who is not protected (`picture.py`)."""
        return result_html(self)

    def to_pandas(self) -> "DataFrame":
        """A row a value, with the columns of `table.columns_of`.

        Raises `CaldpError` where pandas is not installed.
        """
        with explain_missing("to_pandas"):
            from pandas import DataFrame
        return DataFrame(columns_of(self))


def prepare(
    scenario: Scenario,
    progress: Progress = no_progress,
    load: Callable[[Scenario, Progress], Dataset] = lambda s, p: s.dataset.load(p),
) -> Setup:
    """Make data, policy and mechanism; raises `CaldpError` where they don't fit together.

    `load`: loads the dataset; callers that keep datasets pass their own.
    """
    check_type("scenario", scenario, Scenario, "Scenario.from_file reads one")
    dataset = load(scenario, progress)
    number_of_people(scenario, dataset)  # says early that n is missing
    protection = scenario.policy.build(dataset)
    choice = choose_mechanism(scenario.mechanism, protection.policy)
    setup = Setup(
        scenario,
        dataset,
        protection.policy,
        protection.partition,
        protection.sensitive,
        choice.mechanism,
        choice.name,
        choice.spec,
    )
    check_estimator(setup)
    return setup


def check_estimator(setup: Setup) -> None:
    """Raise `CaldpError` where the estimator needs a public map, or has one that says nothing."""
    needs_map = estimator(setup.scenario.estimator).needs_map
    require(setup.options.prior is not None or not needs_map, NEEDS_MAP)


def number_of_people(scenario: Scenario, dataset: Dataset) -> int:
    """Number of people; raises `CaldpError` where neither scenario nor dataset gives one."""
    n = dataset.n if scenario.n is None else scenario.n
    if n is None:
        raise CaldpError(f"{dataset.name} has no people of its own; give n, the number to draw.")
    return n


def run(setup: Setup, progress: Progress = no_progress, secret: int = 0) -> Result:
    """Run all trials; `progress` is called with the finished share and may raise `Cancelled`.

    `secret`: a whole number from which all randomness follows beside the seed, so that who knows
    the seed alone can't draw the same; 0 for none.
    """
    check_type("setup", setup, Setup, "run(prepare(scenario)) makes it")
    started = perf_counter()
    scenario = setup.scenario
    errors: list[Errors] = []
    first: Outcome | None = None
    coins = np.random.SeedSequence((secret, scenario.seed) if secret else scenario.seed)
    for trial, seeds in enumerate(coins.spawn(scenario.trials)):

        def within(share: float, trial: int = trial) -> None:
            progress((trial + share) / scenario.trials)

        outcome = run_trial(setup, seeds, within)
        first = first or outcome
        errors.append(outcome.errors)
        progress((trial + 1) / scenario.trials)
    assert first is not None  # a scenario has at least one trial
    return Result(setup, first, tuple(errors), perf_counter() - started)


def run_trial(
    setup: Setup, seeds: np.random.SeedSequence, progress: Progress = no_progress
) -> Outcome:
    """One population, its reports' tally, and the estimate from it."""
    who, coins = (np.random.default_rng(child) for child in seeds.spawn(2))
    people = draw_people(setup, who)
    tally = setup.mechanism.sample_tally(people, coins)
    evidence = setup.evidence(tally, progress)
    post_process = estimator(setup.scenario.estimator)
    estimate, levels = post_process.apply(evidence), post_process.levels(evidence)
    errors = compute_errors(setup.dataset, people, estimate)
    kept = replace(evidence, progress=no_progress)
    return Outcome(read_only(people), kept, read_only(estimate), levels, errors)


def draw_people(setup: Setup, rng: np.random.Generator) -> Ints:
    """(k,) people per symbol: the dataset's own, or n drawn from its distribution."""
    if setup.scenario.n is None and setup.dataset.counts is not None:
        return setup.dataset.counts
    return rng.multinomial(setup.n, setup.dataset.distribution)


def compute_errors(dataset: Dataset, people: Ints, estimate: Floats) -> Errors:
    """Every metric of one estimate against the dataset's distribution."""
    truth = dataset.distribution
    is_map = isinstance(dataset.domain, GridDomain) and bool((estimate >= 0).all())
    return Errors(
        tv=metrics.total_variation(truth, estimate),
        l1=metrics.l1(truth, estimate),
        l2=metrics.l2(truth, estimate),
        kl=metrics.kl_divergence(truth, estimate),
        sliced_wasserstein_km=metrics.sliced_wasserstein(truth, estimate, dataset.domain)
        if is_map and isinstance(dataset.domain, GridDomain)
        else None,
        boxes=_boxes(truth, estimate, dataset.domain)
        if isinstance(dataset.domain, GridDomain)
        else (),
        largest=metrics.largest(truth, estimate),
        sampling_tv=metrics.total_variation(truth, people / people.sum()),
    )


def _boxes(truth: Floats, estimate: Floats, domain: GridDomain) -> tuple[BoxError, ...]:
    return tuple(
        BoxError(side, metrics.box_error(truth, estimate, domain, side))
        for side in metrics.box_sides(domain)
    )
