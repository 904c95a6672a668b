"""The same people under every treatment, with one vocabulary of errors."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from caldp_core.basics.cache import cached_by
from caldp_core.basics.types import Ints
from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.run import Result, Setup, draw_people
from caldp_core.treatments import (
    CentralTable,
    Release,
    Rounding,
    Suppressed,
    Suppression,
    TableErrors,
    exact_release,
    larger_cells,
    table_errors,
)
from caldp_ui.coarser.page_state import (
    BLOCKS,
    CENTRAL,
    HIDE,
    LARGER,
    NOTHING,
    PLAIN,
    ROUND,
    STATE,
    Publication,
)
from caldp_ui.compute import runs
from caldp_ui.parts import comparison
from caldp_ui.parts.comparison import ResultLoader


@dataclass(frozen=True, eq=False)
class TreatmentResult:
    """A treatment's published table, and its errors."""

    release: Release
    errors: TableErrors


@dataclass(frozen=True, eq=False)
class TreatmentData:
    """The data of the page. `counts`: (k,) people; `labels`: (k,) blocks, the larger cells.

    `table`: with small counts hidden, and further ones that would give them away. `treatments`:
    those computed so far, by name. `ours`, `plain`: results of blocks and of plain LDP, None until
    they are computed.
    """

    record: Publication
    setup: Setup
    counts: Ints
    labels: Ints
    table: Suppressed
    treatments: Mapping[str, TreatmentResult]
    ours: Result | None
    plain: Result | None

    @property
    def domain(self) -> Domain | GridDomain:
        """The domain of the cells."""
        return self.setup.dataset.domain

    @property
    def cache_key(self) -> str:
        """The key of these data in caches; it leaves the attack out."""
        return _cache_key(self.record)


def _cache_key(record: Publication) -> str:
    return f"{runs.key(record.scenario)} {record.threshold} {record.base}"


def load_data(
    record: Publication, load_results: ResultLoader = comparison.load_results
) -> TreatmentData:
    """The data of a record; `load_results`: runs slow parts as jobs, or leaves them out."""
    results = load_results(STATE, record.scenario)
    setup = results.setup
    counts = _people(setup)
    table, offices = _offices(record, setup, counts)
    noisy = {PLAIN: results.plain, BLOCKS: results.ours}
    local = {
        name: _local(record, setup, counts, result)
        for name, result in noisy.items()
        if result is not None
    }
    treatments = {**offices, **local}
    labels = setup.partition.labels
    return TreatmentData(
        record, setup, counts, labels, table, treatments, results.ours, results.plain
    )


@cached_by(lambda setup: runs.key(setup.scenario))
def _people(setup: Setup) -> Ints:
    """The people of the first trial, as `run` draws them."""
    (trial,) = np.random.SeedSequence(setup.scenario.seed).spawn(1)
    return draw_people(setup, np.random.default_rng(trial.spawn(2)[0]))


@cached_by(lambda record, *_: _cache_key(record))
def _offices(
    record: Publication, setup: Setup, counts: Ints
) -> tuple[Suppressed, dict[str, TreatmentResult]]:
    labels = setup.partition.labels
    table = Suppression(record.threshold).publish(counts, labels)
    children = np.random.SeedSequence((setup.scenario.seed, 24)).spawn(2)
    round_coins, noise_coins = (np.random.default_rng(child) for child in children)
    central = CentralTable(setup.scenario.policy.plain_epsilon)
    releases = {
        NOTHING: exact_release(counts),
        LARGER: larger_cells(counts, labels),
        HIDE: table.release(),
        ROUND: Rounding(record.base).publish(counts, round_coins),
        CENTRAL: central.publish(counts, noise_coins),
    }
    return table, {each: _measure_release(setup, record, counts, r) for each, r in releases.items()}


def _record_and_result(record: Publication, _: Setup, __: Ints, result: Result) -> tuple[str, str]:
    return _cache_key(record), runs.key(result.setup.scenario)


@cached_by(_record_and_result)
def _local(record: Publication, setup: Setup, counts: Ints, result: Result) -> TreatmentResult:
    people = result.first.estimate * setup.n
    release = Release(people.astype(np.float64), np.zeros(people.size, np.bool_))
    return _measure_release(setup, record, counts, release)


def _measure_release(
    setup: Setup, record: Publication, counts: Ints, release: Release
) -> TreatmentResult:
    domain = setup.dataset.domain
    boxes = domain if isinstance(domain, GridDomain) else setup.partition.labels
    small = max(record.threshold - 1, 1)
    return TreatmentResult(release, table_errors(counts, release, small, boxes))
