"""The same people under every treatment, with one vocabulary of errors."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from caldp_core.basics.cache import cached
from caldp_core.basics.types import Ints
from caldp_core.domain.grid import Domain, GridDomain
from caldp_core.experiments.run import Result, Setup, draw_people
from caldp_core.treatments import (
    CentralTable,
    Release,
    Rounding,
    Suppressed,
    Suppression,
    TableErrors,
    exact,
    larger_cells,
    measure,
)
from caldp_ui.coarser.slot import (
    BLOCKS,
    CENTRAL,
    HIDE,
    LARGER,
    NOTHING,
    PLAIN,
    ROUND,
    SLOT,
    Publication,
)
from caldp_ui.compute import runs
from caldp_ui.parts import comparison
from caldp_ui.parts.comparison import Way


@dataclass(frozen=True, eq=False)
class Treated:
    """A treatment's published table, and its errors."""

    release: Release
    errors: TableErrors


@dataclass(frozen=True, eq=False)
class PageData:
    """What the page shows. `counts`: (k,) people; `labels`: (k,) blocks, the larger cells.

    `table`: with small counts hidden and further cells, too. `by`: each treatment that is there, by
    its name. `ours`, `plain`: results of blocks and of plain LDP, None before they are there.
    """

    record: Publication
    setup: Setup
    counts: Ints
    labels: Ints
    table: Suppressed
    by: Mapping[str, Treated]
    ours: Result | None
    plain: Result | None

    @property
    def domain(self) -> Domain | GridDomain:
        """The cells."""
        return self.setup.dataset.domain

    @property
    def name(self) -> str:
        """What stands for all of it but the attack, for caches."""
        return _name(self.record)


def _name(record: Publication) -> str:
    return f"{runs.key(record.scenario)} {record.threshold} {record.base}"


def find(record: Publication, way: Way = comparison.shown) -> PageData:
    """All of it; `way`: whether what takes long comes by jobs, drawn where this is called."""
    results = way(SLOT, record.scenario)
    setup = results.setup
    counts = _people(runs.key(record.scenario), setup)
    table, offices = _offices(_name(record), setup, record, counts)
    noisy = {PLAIN: results.plain, BLOCKS: results.ours}
    local = {
        name: _local(f"{_name(record)} {name}", setup, record, counts, result)
        for name, result in noisy.items()
        if result is not None
    }
    by = {**offices, **local}
    labels = setup.partition.labels
    return PageData(record, setup, counts, labels, table, by, results.ours, results.plain)


@cached
def _people(name: str, _setup: Setup) -> Ints:
    """The people of the first trial, as `run` draws them."""
    del name
    (trial,) = np.random.SeedSequence(_setup.scenario.seed).spawn(1)
    return draw_people(_setup, np.random.default_rng(trial.spawn(2)[0]))


@cached
def _offices(
    name: str, _setup: Setup, _record: Publication, _counts: Ints
) -> tuple[Suppressed, dict[str, Treated]]:
    del name
    labels = _setup.partition.labels
    table = Suppression(_record.threshold).publish(_counts, labels)
    children = np.random.SeedSequence((_setup.scenario.seed, 24)).spawn(2)
    round_coins, noise_coins = (np.random.default_rng(child) for child in children)
    central = CentralTable(_setup.scenario.policy.plain_epsilon)
    made = {
        NOTHING: exact(_counts),
        LARGER: larger_cells(_counts, labels),
        HIDE: table.release(),
        ROUND: Rounding(_record.base).publish(_counts, round_coins),
        CENTRAL: central.publish(_counts, noise_coins),
    }
    return table, {each: _treated(_setup, _record, _counts, r) for each, r in made.items()}


@cached
def _local(
    name: str, _setup: Setup, _record: Publication, _counts: Ints, _result: Result
) -> Treated:
    del name
    people = _result.first.estimate * _setup.n
    release = Release(people.astype(np.float64), np.zeros(people.size, np.bool_))
    return _treated(_setup, _record, _counts, release)


def _treated(setup: Setup, record: Publication, counts: Ints, release: Release) -> Treated:
    domain = setup.dataset.domain
    boxes = domain if isinstance(domain, GridDomain) else setup.partition.labels
    small = max(record.threshold - 1, 1)
    return Treated(release, measure(counts, release, small, boxes))
