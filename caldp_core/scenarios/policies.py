"""Specs of policies: what is promised about which pairs of values.

Every spec is frozen and holds only numbers, texts and other specs, so that it can be a cache key, a
part of a file and of a link; `build` makes the privacy matrix for a dataset. On maps ε belongs to a
number of kilometres, as readers think of secrecy: "within 50 km".
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final, Protocol

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.errors import CaldpError, check_choice, check_epsilon, check_number, require
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN, KM_MAX, KM_MIN, TAGS_MAX
from caldp_core.basics.types import Bools, EqualByFields, Floats, read_only
from caldp_core.datasets import Dataset, population_prior
from caldp_core.domain.domains import GridDomain
from caldp_core.domain.partitions import Partition, single_block
from caldp_core.mechanisms.personalised import population_background, uniform_background
from caldp_core.privacy.context import Context, PersonalPolicy, PrivacyMatrix
from caldp_core.privacy.distance import DistanceMetric, EuclideanMetric, GridMetric
from caldp_core.privacy.matrix import BinaryPolicy, DenseMatrix
from caldp_core.scenarios import blocks as block_specs
from caldp_core.scenarios.records import Level, Rows


@dataclass(frozen=True, eq=False)
class Protection(EqualByFields):
    """A policy made for a dataset: its matrix E, and the blocks and flags that it is made of.

    Policies without blocks have one block of everything; `sensitive`: (k,) values with a finite E.
    """

    policy: PrivacyMatrix
    partition: Partition
    sensitive: Bools


class PolicySpec(Protocol):
    """Says what is promised. `matrix`: the kind of privacy matrix that it makes."""

    matrix: ClassVar[type[PrivacyMatrix]]

    def build(self, dataset: Dataset) -> Protection:
        """The policy for this dataset; raises `CaldpError` where the two do not fit."""

    @property
    def plain_epsilon(self) -> float:
        """ε of plain LDP that hides every pair as well as this hides what it hides best."""


def single_block_protection(policy: PrivacyMatrix, dataset: Dataset) -> Protection:
    """A policy without blocks, made for a dataset: one block, everything in it sensitive."""
    return Protection(
        policy, single_block(dataset.domain), read_only(np.ones(dataset.domain.k, np.bool_))
    )


def plain_level(level: float) -> float:
    """The level, clipped to the range that an ε of plain LDP may have."""
    return min(max(level, EPSILON_MIN), EPSILON_MAX)


def require_square(rows: Rows) -> Rows:
    """The rows, if they form a square table; else `CaldpError`."""
    require(
        len({len(row) for row in rows}) == 1 and len(rows) == len(rows[0]),
        f"rows must be a square table, got rows of {[len(row) for row in rows]} numbers.",
    )
    return rows


def require_size(size: int, dataset: Dataset) -> None:
    """Raise `CaldpError` unless the dataset has `size` values."""
    require(
        dataset.domain.k == size,
        f"This policy is made for {size} values, {dataset.name} has {dataset.domain.k:,}; "
        "choose a dataset of that size or another policy.",
    )


@dataclass(frozen=True)
class ContextPolicy:
    """Blocks and a sensitive set: E = ε from a sensitive value to all others of its block.

    `epsilon`: in [0.001, 20], one number or one per block.
    """

    matrix: ClassVar[type[PrivacyMatrix]] = Context
    blocks: block_specs.BlocksSpec = block_specs.GridBlocks()
    sensitive: block_specs.SensitiveSpec = block_specs.EverythingSensitive()
    epsilon: float | tuple[float, ...] = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", _levels(self.epsilon))

    def build(self, dataset: Dataset) -> Protection:
        """See `PolicySpec.build`."""
        partition, sensitive = block_specs.blocks_and_flags(self.blocks, self.sensitive, dataset)
        context = Context.of(partition.labels, sensitive, self.epsilon)
        return Protection(context, partition, sensitive)

    @property
    def plain_epsilon(self) -> float:
        """The ε of the most secret block."""
        return min(self.epsilon) if isinstance(self.epsilon, tuple) else self.epsilon


def _levels(epsilon: ArrayLike) -> float | tuple[float, ...]:
    """One ε or several, as a float or a tuple of floats."""
    levels = check_epsilon(epsilon)
    require(
        levels.ndim <= 1 and levels.size > 0,
        "epsilon must be one number or one per block, got "
        f"{'none' if levels.size == 0 else repr(epsilon)}.",
    )
    return tuple(levels.tolist()) if levels.ndim else float(levels)


@dataclass(frozen=True)
class BinaryQuestion:
    """A yes-or-no question: E[0, 1] = `epsilon_01`, E[1, 0] = `epsilon_10`, in [0, ∞]."""

    matrix: ClassVar[type[PrivacyMatrix]] = BinaryPolicy
    epsilon_01: Level = 1.0
    epsilon_10: Level = 1.0

    def __post_init__(self) -> None:
        BinaryPolicy(self.epsilon_01, self.epsilon_10)

    def build(self, dataset: Dataset) -> Protection:
        """See `PolicySpec.build`."""
        require_size(2, dataset)
        return single_block_protection(BinaryPolicy(self.epsilon_01, self.epsilon_10), dataset)

    @property
    def plain_epsilon(self) -> float:
        """The smaller of the two ε."""
        return plain_level(min(self.epsilon_01, self.epsilon_10))


@dataclass(frozen=True)
class MatrixPolicy:
    """Any E for few values: `rows[x][x′]` in [0, ∞], 0 on the diagonal."""

    matrix: ClassVar[type[PrivacyMatrix]] = DenseMatrix
    rows: Rows

    def __post_init__(self) -> None:
        DenseMatrix.of(require_square(self.rows))

    def build(self, dataset: Dataset) -> Protection:
        """See `PolicySpec.build`."""
        require_size(len(self.rows), dataset)
        return single_block_protection(DenseMatrix.of(self.rows), dataset)

    @property
    def plain_epsilon(self) -> float:
        """The least level of E."""
        levels = [e for x, row in enumerate(self.rows) for y, e in enumerate(row) if x != y]
        return plain_level(min(levels, default=EPSILON_MAX))


def _public_figures(tags: int, dataset: Dataset, open_symbols: Bools) -> Floats:
    block_specs.require_us_map(dataset.domain, "Numbers of inhabitants")
    return population_background(tags, population_prior(), open_symbols)


def _mirrored(tags: int, dataset: Dataset, open_symbols: Bools) -> Floats:
    """The data mirrored, west for east: a background that looks plausible, and is wrong."""
    p, domain = dataset.distribution, dataset.domain
    rows = domain.rows if isinstance(domain, GridDomain) else 1
    return population_background(tags, p.reshape(rows, -1)[:, ::-1].ravel(), open_symbols)


BACKGROUNDS: Final[dict[str, Callable[[int, Dataset, Bools], Floats]]] = {
    "uniform": lambda tags, _, open_symbols: uniform_background(tags, open_symbols),
    "population": _public_figures,
    "truth": lambda tags, found, open_symbols: population_background(
        tags, found.distribution, open_symbols
    ),
    "mirrored": _mirrored,
}
"""The places that the collector expects behind a tag: nothing known, GeoNames, where people are, or
that mirrored, which is wrong on purpose."""


class _OneEpsilon:
    """A policy whose ε is that of the plain LDP to compare it with.

    That LDP hides everything as well as this hides neighbours, or places within its kilometres.
    """

    epsilon: float

    @property
    def plain_epsilon(self) -> float:
        """The policy's ε."""
        return self.epsilon


@dataclass(frozen=True)
class PersonalTags(_OneEpsilon):
    """Places that are sensitive for everybody, and each person's own, which tags stand for.

    `sensitive`: the common ones. `shares`: for each tag, of the people at other places the share
    who are at their own place of that tag. `background`: one of `BACKGROUNDS`; "truth" and
    "mirrored" are made from the data, to compare with. `epsilon`: in [0.001, 20].
    """

    matrix: ClassVar[type[PrivacyMatrix]] = PersonalPolicy
    sensitive: block_specs.SensitiveSpec = block_specs.SensitiveSymbols()
    shares: tuple[float, ...] = (0.5,)
    background: str = "uniform"
    epsilon: float = 1.0

    def __post_init__(self) -> None:
        check_choice("background", self.background, BACKGROUNDS)
        require(
            len(self.shares) <= TAGS_MAX,
            f"shares must be of at most {TAGS_MAX} tags, got {len(self.shares):,}; take fewer.",
        )
        one = np.ones((len(self.shares), 1))
        PersonalPolicy.of(np.zeros(1, np.bool_), self.shares, one, self.epsilon)

    def build(self, dataset: Dataset) -> Protection:
        """See `PolicySpec.build`."""
        partition, sensitive = block_specs.blocks_and_flags(
            block_specs.OneBlock(), self.sensitive, dataset
        )
        background = BACKGROUNDS[self.background](len(self.shares), dataset, ~sensitive)
        policy = PersonalPolicy.of(sensitive, self.shares, background, self.epsilon)
        return Protection(policy, partition, sensitive)


@dataclass(frozen=True)
class _WithinKilometres(_OneEpsilon):
    """Places of a map that are `km` kilometres apart by `matrix` are ε apart."""

    matrix: ClassVar[type[PrivacyMatrix]]
    epsilon: float = 1.0
    km: float = 50.0

    def __post_init__(self) -> None:
        check_number("epsilon", self.epsilon, EPSILON_MIN, EPSILON_MAX)
        check_number("km", self.km, KM_MIN, KM_MAX)

    def build(self, dataset: Dataset) -> Protection:
        """See `PolicySpec.build`."""
        grid = block_specs.require_map(dataset.domain, "Distances in kilometres")
        assert issubclass(self.matrix, GridMetric | EuclideanMetric)
        try:
            return single_block_protection(
                self.matrix.per_km(grid, self.epsilon / self.km), dataset
            )
        except CaldpError:
            raise CaldpError(
                f"A step to the next cell must be worth {EPSILON_MIN:g} to {EPSILON_MAX:g} nats, "
                f"which ε = {self.epsilon:g} within {self.km:g} km does not give on this map; "
                "choose another ε, another distance or other cells."
            ) from None


@dataclass(frozen=True)
class Streets(_WithinKilometres):
    """Places `km` kilometres apart, north–south plus east–west, are ε apart; twice as far, 2ε."""

    matrix: ClassVar[type[PrivacyMatrix]] = GridMetric


@dataclass(frozen=True)
class CrowFlies(_WithinKilometres):
    """Geo-indistinguishability: places `km` kilometres apart are ε apart, twice as far, 2ε."""

    matrix: ClassVar[type[PrivacyMatrix]] = EuclideanMetric


@dataclass(frozen=True)
class Line(_OneEpsilon):
    """Values on a scale: neighbours are ε apart, values t steps apart t·ε."""

    matrix: ClassVar[type[PrivacyMatrix]] = GridMetric
    epsilon: float = 1.0

    def __post_init__(self) -> None:
        check_number("epsilon", self.epsilon, EPSILON_MIN, EPSILON_MAX)

    def build(self, dataset: Dataset) -> Protection:
        """See `PolicySpec.build`."""
        scale = GridMetric(1, dataset.domain.k, self.epsilon, self.epsilon)
        return single_block_protection(scale, dataset)


@dataclass(frozen=True)
class Distances:
    """Few values with a table of distances, `rows[x][x′]`: E = ε times the distance."""

    matrix: ClassVar[type[PrivacyMatrix]] = DistanceMetric
    rows: Rows
    epsilon: float = 1.0

    def __post_init__(self) -> None:
        check_number("epsilon", self.epsilon, EPSILON_MIN, EPSILON_MAX)
        DistanceMetric.of(require_square(self.rows), self.epsilon)

    def build(self, dataset: Dataset) -> Protection:
        """See `PolicySpec.build`."""
        require_size(len(self.rows), dataset)
        return single_block_protection(DistanceMetric.of(self.rows, self.epsilon), dataset)

    @property
    def plain_epsilon(self) -> float:
        """ε of plain LDP that hides everything as well as this hides the nearest two values."""
        distances = [entry for row in self.rows for entry in row if entry > 0]
        return plain_level(self.epsilon * min(distances, default=1.0))
