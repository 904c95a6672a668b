"""The protocol of policy specs, and what those without blocks share."""

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from caldp_core.basics.errors import require
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN
from caldp_core.basics.types import Bools, read_only
from caldp_core.datasets import Dataset
from caldp_core.domain.partitions import Partition, single_block
from caldp_core.privacy.context import PrivacyMatrix
from caldp_core.scenarios.records import Rows


@dataclass(frozen=True, eq=False)
class Protection:
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
        ...

    @property
    def plain_epsilon(self) -> float:
        """ε of plain LDP that hides every pair as well as this hides what it hides best."""
        ...


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
