"""Specs of blocks: how a domain is cut, so that people hide each other within a block only.

Every spec is frozen and holds only scalars and texts, so that it can be a cache key, a line in a
file and part of a link; `build` makes the arrays.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from caldp_core.basics.errors import CaldpError, check_whole, require
from caldp_core.basics.files import parse_int
from caldp_core.basics.limits import AREAS_MAX, HEXAGONS_MAX, K_MAX
from caldp_core.datasets import (
    country_labels,
    hexagon_labels,
    population_prior,
    region_labels,
    us_state_labels,
)
from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import US_GRID, Area, GridDomain
from caldp_core.domain.partitions import (
    Partition,
    adaptive_blocks,
    drawn_blocks,
    even_blocks,
    grid_blocks,
    named_blocks,
    single_block,
)

AnyDomain = Domain | GridDomain


def require_map(domain: AnyDomain, feature: str) -> GridDomain:
    """The domain, if it is a map; else `CaldpError` saying `feature` needs one."""
    if not isinstance(domain, GridDomain):
        raise CaldpError(f"{feature} need a map; choose a dataset of places or other blocks.")
    return domain


def require_us_map(domain: AnyDomain, feature: str) -> GridDomain:
    """The domain, if it is the paper's map; else `CaldpError` saying `feature` is known for it."""
    if domain != US_GRID:
        raise CaldpError(
            f"{feature} are known for the map of the United States in cells of 0.2° only; "
            "choose a grid or drawn areas for other maps."
        )
    return US_GRID


class BlocksSpec(Protocol):
    """Says how the domain is cut into blocks."""

    def build(self, domain: AnyDomain) -> Partition:
        """The partition; raises `CaldpError` where the domain does not allow it."""
        ...


@dataclass(frozen=True)
class OneBlock:
    """Everything in one block: the block hides nothing, the symbols hide among all others."""

    def build(self, domain: AnyDomain) -> Partition:
        """See `BlocksSpec.build`."""
        return single_block(domain)


@dataclass(frozen=True)
class EvenRuns:
    """`blocks` runs of neighbouring symbols."""

    blocks: int = 10

    def __post_init__(self) -> None:
        check_whole("blocks", self.blocks, 1, K_MAX)

    def build(self, domain: AnyDomain) -> Partition:
        """See `BlocksSpec.build`."""
        return even_blocks(domain.k, self.blocks)


@dataclass(frozen=True)
class GroupBlocks:
    """The groups that the data come in, such as topics of web pages, in order of appearance."""

    def build(self, domain: AnyDomain) -> Partition:
        """See `BlocksSpec.build`."""
        groups = domain.groups if isinstance(domain, Domain) else ()
        require(
            bool(groups),
            "Group blocks need values that come in groups; choose a survey, web visits or other "
            "blocks.",
        )
        names = list(dict.fromkeys(groups))
        place = {name: j for j, name in enumerate(names)}
        return named_blocks([place[group] for group in groups], names)


@dataclass(frozen=True)
class GridBlocks:
    """A grid of `rows` × `columns` rectangles on the map (the paper's m₁ × m₂)."""

    rows: int = 25
    columns: int = 35

    def __post_init__(self) -> None:
        check_whole("rows of blocks", self.rows, 1, K_MAX)
        check_whole("columns of blocks", self.columns, 1, K_MAX)

    def build(self, domain: AnyDomain) -> Partition:
        """See `BlocksSpec.build`."""
        return grid_blocks(require_map(domain, "Grid blocks"), self.rows, self.columns)


@dataclass(frozen=True)
class StateBlocks:
    """US states; what is offshore or abroad is one more block."""

    def build(self, domain: AnyDomain) -> Partition:
        """See `BlocksSpec.build`."""
        require_us_map(domain, "State blocks")
        return named_blocks(*us_state_labels())


@dataclass(frozen=True)
class CountryBlocks:
    """Countries, by public borders; what is at sea is one more block."""

    def build(self, domain: AnyDomain) -> Partition:
        """See `BlocksSpec.build`."""
        return named_blocks(*country_labels(require_map(domain, "Country blocks")))


@dataclass(frozen=True)
class RegionBlocks:
    """States, provinces and the like of all countries; what is at sea is one more block."""

    def build(self, domain: AnyDomain) -> Partition:
        """See `BlocksSpec.build`."""
        return named_blocks(*region_labels(require_map(domain, "Region blocks")))


@dataclass(frozen=True)
class HexagonBlocks:
    """Hexagons of H3, about equally large anywhere on Earth; needs the package h3."""

    resolution: int = 2

    def __post_init__(self) -> None:
        check_whole("resolution of hexagons", self.resolution, 0, HEXAGONS_MAX)

    def build(self, domain: AnyDomain) -> Partition:
        """See `BlocksSpec.build` and `hexagon_labels`."""
        return named_blocks(*hexagon_labels(require_map(domain, "Hexagon blocks"), self.resolution))


@dataclass(frozen=True)
class AdaptiveBlocks:
    """`blocks` rectangles with similar numbers of inhabitants, by GeoNames' public figures."""

    blocks: int = 875

    def __post_init__(self) -> None:
        check_whole("blocks", self.blocks, 1, K_MAX)

    def build(self, domain: AnyDomain) -> Partition:
        """See `BlocksSpec.build`."""
        us = require_us_map(domain, "Adaptive blocks")
        return adaptive_blocks(us, np.rint(population_prior()).astype(np.int64), self.blocks)


@dataclass(frozen=True)
class DrawnBlocks:
    """Hand-made blocks, each "south,north,west,east" in degrees; the rest is one more."""

    areas: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require(len(self.areas) <= AREAS_MAX, f"At most {AREAS_MAX} areas, got {len(self.areas)}.")
        for area in self.areas:
            Area.parse(area)

    def build(self, domain: AnyDomain) -> Partition:
        """See `BlocksSpec.build`."""
        areas = [Area.parse(area) for area in self.areas]
        return drawn_blocks(require_map(domain, "Drawn blocks"), areas)


@dataclass(frozen=True)
class SymbolBlocks:
    """Blocks of values by number, each as runs: "0,7" or "2-5,9"; the rest is one more."""

    blocks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for block in self.blocks:
            for _ in parse_runs(block.split(",")):
                pass

    def build(self, domain: AnyDomain) -> Partition:
        """See `BlocksSpec.build`; raises `CaldpError` for a value in two blocks, too."""
        raw = np.zeros(domain.k, np.int64)
        for number, block in enumerate(self.blocks, start=1):
            for first, last in parse_runs(block.split(",")):
                check_whole("value of a block", last, 0, domain.k - 1)
                taken = np.flatnonzero(raw[first : last + 1])
                if taken.size:
                    raise CaldpError(f"The value {first + int(taken[0])} is in two blocks.")
                raw[first : last + 1] = number
        present, labels = np.unique(raw, return_inverse=True)
        return named_blocks(labels, ["all others" if j == 0 else f"block {j}" for j in present])


def parse_runs(texts: Iterable[str]) -> Iterable[tuple[int, int]]:
    """First and last symbol of each text, written "3" or "10-19"; raises `CaldpError`."""
    for text in texts:
        parts = text.partition("-")
        first, last = parse_int(parts[0]), parse_int(parts[2] if parts[1] else parts[0])
        if first is None or last is None or last < first:
            raise CaldpError(f'Values by number are written "3" or "10-19", got {text!r}.')
        yield first, last
