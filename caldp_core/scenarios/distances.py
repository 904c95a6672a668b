"""Specs of policies that fall off with distance: near values hide each other well, far ones less.

On maps ε belongs to a number of kilometres, as readers think of secrecy: "within 50 km". See
`policies.py` for the other policies.
"""

from dataclasses import dataclass
from typing import ClassVar

from caldp_core.basics.errors import CaldpError, check_number
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN, KM_MAX, KM_MIN
from caldp_core.datasets import Dataset
from caldp_core.privacy.context import PrivacyMatrix
from caldp_core.privacy.distance import DistanceMetric, EuclideanMetric, GridMetric
from caldp_core.scenarios.blocks import require_map
from caldp_core.scenarios.policy_base import (
    Protection,
    plain_level,
    require_size,
    require_square,
    single_block_protection,
)
from caldp_core.scenarios.records import Rows


@dataclass(frozen=True)
class _WithinKilometres:
    """Places of a map that are `km` kilometres apart by `matrix` are ε apart."""

    matrix: ClassVar[type[PrivacyMatrix]]
    epsilon: float = 1.0
    km: float = 50.0

    def __post_init__(self) -> None:
        check_number("epsilon", self.epsilon, EPSILON_MIN, EPSILON_MAX)
        check_number("km", self.km, KM_MIN, KM_MAX)

    def build(self, dataset: Dataset) -> Protection:
        """See `PolicySpec.build`."""
        grid = require_map(dataset.domain, "Distances in kilometres")
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

    @property
    def plain_epsilon(self) -> float:
        """ε of plain LDP that hides everything as well as this hides places within `km`."""
        return self.epsilon


@dataclass(frozen=True)
class Streets(_WithinKilometres):
    """Places `km` kilometres apart, north–south plus east–west, are ε apart; twice as far, 2ε."""

    matrix: ClassVar[type[PrivacyMatrix]] = GridMetric


@dataclass(frozen=True)
class CrowFlies(_WithinKilometres):
    """Geo-indistinguishability: places `km` kilometres apart are ε apart, twice as far, 2ε."""

    matrix: ClassVar[type[PrivacyMatrix]] = EuclideanMetric


@dataclass(frozen=True)
class Line:
    """Values on a scale: neighbours are ε apart, values t steps apart t·ε."""

    matrix: ClassVar[type[PrivacyMatrix]] = GridMetric
    epsilon: float = 1.0

    def __post_init__(self) -> None:
        check_number("epsilon", self.epsilon, EPSILON_MIN, EPSILON_MAX)

    def build(self, dataset: Dataset) -> Protection:
        """See `PolicySpec.build`."""
        scale = GridMetric(1, dataset.domain.k, self.epsilon, self.epsilon)
        return single_block_protection(scale, dataset)

    @property
    def plain_epsilon(self) -> float:
        """ε of plain LDP that hides everything as well as this hides neighbours."""
        return self.epsilon


@dataclass(frozen=True)
class Distances:
    """Few values with a table of distances, `rows`[x][x′]: E = ε times the distance."""

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
