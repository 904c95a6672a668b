"""Specs of policies: what is promised about which pairs of values.

Every spec is frozen and holds only numbers, texts and other specs, so that it can be a cache key, a
part of a file and of a link; `build` makes the privacy matrix for a dataset.
"""

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.errors import check_choice, check_epsilon, require
from caldp_core.basics.limits import EPSILON_MAX, TAGS_MAX
from caldp_core.basics.types import Bools, Floats
from caldp_core.datasets import Dataset, population_prior
from caldp_core.domain.grid import GridDomain
from caldp_core.mechanisms.personalised import population_background, uniform_background
from caldp_core.privacy.context import Context, PersonalPolicy, PrivacyMatrix
from caldp_core.privacy.matrix import BinaryPolicy, DenseMatrix
from caldp_core.scenarios.blocks import BlocksSpec, GridBlocks, OneBlock, require_us_map
from caldp_core.scenarios.policy_base import (
    Protection,
    plain_level,
    require_size,
    require_square,
    single_block_protection,
)
from caldp_core.scenarios.records import Level, Rows
from caldp_core.scenarios.sensitive import (
    EverythingSensitive,
    SensitiveSpec,
    SensitiveSymbols,
    blocks_and_flags,
)


@dataclass(frozen=True)
class ContextPolicy:
    """Blocks and a sensitive set: E = ε from a sensitive value to all others of its block.

    `epsilon`: in [0.001, 20], one number or one per block.
    """

    matrix: ClassVar[type[PrivacyMatrix]] = Context
    blocks: BlocksSpec = GridBlocks()
    sensitive: SensitiveSpec = EverythingSensitive()
    epsilon: float | tuple[float, ...] = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", _levels(self.epsilon))

    def build(self, dataset: Dataset) -> Protection:
        """See `PolicySpec.build`."""
        partition, sensitive = blocks_and_flags(self.blocks, self.sensitive, dataset)
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
    """Any E for few values: `rows`[x][x′] in [0, ∞], 0 on the diagonal."""

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


def _people(tags: int, dataset: Dataset, open_symbols: Bools) -> Floats:
    return population_background(tags, dataset.distribution, open_symbols)


def _public_figures(tags: int, dataset: Dataset, open_symbols: Bools) -> Floats:
    require_us_map(dataset.domain, "Numbers of inhabitants")
    return population_background(tags, population_prior(), open_symbols)


def _even(tags: int, dataset: Dataset, open_symbols: Bools) -> Floats:
    del dataset
    return uniform_background(tags, open_symbols)


def _mirrored(tags: int, dataset: Dataset, open_symbols: Bools) -> Floats:
    """The data mirrored, west for east: a background that looks plausible, and is wrong."""
    p, domain = dataset.distribution, dataset.domain
    rows = domain.rows if isinstance(domain, GridDomain) else 1
    return population_background(tags, p.reshape(rows, -1)[:, ::-1].ravel(), open_symbols)


BACKGROUNDS: Final = {
    "uniform": _even,
    "population": _public_figures,
    "truth": _people,
    "mirrored": _mirrored,
}
"""The places that the collector expects behind a tag: nothing known, GeoNames, where people are, or
that mirrored, which is wrong on purpose."""


@dataclass(frozen=True)
class PersonalTags:
    """Places that are sensitive for everybody, and each person's own, which tags stand for.

    `sensitive`: the common ones. `shares`: for each tag, of the people at other places the share
    who are at their own place of that tag. `background`: one of `BACKGROUNDS`; "truth" and
    "mirrored" are made from the data, to compare with. `epsilon`: in [0.001, 20].
    """

    matrix: ClassVar[type[PrivacyMatrix]] = PersonalPolicy
    sensitive: SensitiveSpec = SensitiveSymbols()
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
        partition, sensitive = blocks_and_flags(OneBlock(), self.sensitive, dataset)
        background = BACKGROUNDS[self.background](len(self.shares), dataset, ~sensitive)
        policy = PersonalPolicy.of(sensitive, self.shares, background, self.epsilon)
        return Protection(policy, partition, sensitive)

    @property
    def plain_epsilon(self) -> float:
        """The policy's ε."""
        return self.epsilon
