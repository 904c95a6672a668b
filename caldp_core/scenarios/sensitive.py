"""Specs of sensitive sets: which symbols are hidden. See `blocks.py` for what all specs are."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from caldp_core.basics.errors import CaldpError, check_number, check_whole, require
from caldp_core.basics.files import parse_float
from caldp_core.basics.limits import AREAS_MAX, N_MAX, POINTS_MAX
from caldp_core.basics.types import Bools, Floats, read_only
from caldp_core.datasets import Dataset, population_prior
from caldp_core.domain.grid import Area
from caldp_core.domain.partitions import (
    Partition,
)
from caldp_core.domain.polygons import cells_within_km
from caldp_core.scenarios.blocks import (
    AnyDomain,
    BlocksSpec,
    parse_runs,
    require_map,
    require_us_map,
)


class SensitiveSpec(Protocol):
    """Says which symbols are sensitive."""

    def build(self, domain: AnyDomain, partition: Partition) -> Bools:
        """(k,) flags; raises `CaldpError` where the domain does not allow it."""
        ...


def blocks_and_flags(
    blocks: BlocksSpec, sensitive: SensitiveSpec, dataset: Dataset
) -> tuple[Partition, Bools]:
    """Blocks of a dataset's symbols, and which symbols are sensitive: (k,), read-only.

    Cells that were put together are protected as their small ones are: a larger cell is in the
    block of its middle one, and sensitive if any of them is.
    """
    finest = dataset.fine_map
    domain = dataset.domain if finest is None else finest.cells.fine
    partition = blocks.build(domain)
    flags = sensitive.build(domain, partition)
    if finest is None:
        return partition, read_only(flags)
    return finest.cells.coarsen(partition), read_only(finest.cells.any_in_cell(flags))


@dataclass(frozen=True)
class EverythingSensitive:
    """Every symbol is sensitive."""

    def build(self, domain: AnyDomain, partition: Partition) -> Bools:
        """See `SensitiveSpec.build`."""
        del partition
        return np.ones(domain.k, np.bool_)


@dataclass(frozen=True)
class SensitiveAreas:
    """Areas added and taken away in order; none at all leaves nothing sensitive.

    Each edit is a sign, then "south,north,west,east" in degrees: "+40.4,41.2,-74.4,-73.6" makes
    its cells sensitive, "-…" makes them not. A "b" after the sign means every block that the area
    touches: "+b40.4,41.2,-74.4,-73.6".
    """

    edits: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require(len(self.edits) <= AREAS_MAX, f"At most {AREAS_MAX} areas, got {len(self.edits)}.")
        for edit in self.edits:
            _parse_edit(edit)

    def build(self, domain: AnyDomain, partition: Partition) -> Bools:
        """See `SensitiveSpec.build`."""
        grid = require_map(domain, "Sensitive areas")
        flags = np.zeros(grid.k, np.bool_)
        for adds, whole_blocks, area in map(_parse_edit, self.edits):
            touched = grid.area_mask(area)
            if whole_blocks:
                touched = np.isin(partition.labels, np.unique(partition.labels[touched]))
            flags[touched] = adds
        return flags


def _parse_edit(edit: str) -> tuple[bool, bool, Area]:
    require(
        edit[:1] in ("+", "-"),
        f"A sensitive area starts with + or -, then south,north,west,east; got {edit!r}.",
    )
    whole_blocks = edit[1:2] == "b"
    return edit[0] == "+", whole_blocks, Area.parse(edit[1 + whole_blocks :])


@dataclass(frozen=True)
class SensitiveNear:
    """Cells that come within `km` kilometres of a point; without points nothing is sensitive.

    `points`: clinics, shelters or the like, each "latitude,longitude" in degrees. Whoever is
    within `km` of one is in a sensitive cell.
    """

    points: tuple[str, ...] = ()
    km: float = 1.0

    def __post_init__(self) -> None:
        require(
            len(self.points) <= POINTS_MAX, f"At most {POINTS_MAX} points, got {len(self.points)}."
        )
        check_number("km", self.km, 0.0, 1_000.0)
        self._degrees()

    def build(self, domain: AnyDomain, partition: Partition) -> Bools:
        """See `SensitiveSpec.build`."""
        del partition
        return cells_within_km(require_map(domain, "Points"), self._degrees(), self.km)

    def _degrees(self) -> Floats:
        """(points, 2) latitude and longitude."""
        points = [_parse_point(point) for point in self.points]
        return np.array(points, np.float64).reshape(-1, 2)


def _parse_point(point: str) -> tuple[float, float]:
    numbers = [parse_float(part.strip()) for part in point.split(",")]
    latitude, longitude = numbers if len(numbers) == 2 else (None, None)
    if latitude is None or longitude is None:
        raise CaldpError(f"A point is written latitude,longitude in degrees, got {point[:40]!r}.")
    check_number("latitude of a point", latitude, -90, 90)
    check_number("longitude of a point", longitude, -180, 180)
    return latitude, longitude


@dataclass(frozen=True)
class SensitiveInhabited:
    """Cells with `least` to `most` inhabitants by GeoNames' figures (0.2° is about 20 km)."""

    least: int = 1
    most: int = 5_000

    def __post_init__(self) -> None:
        check_whole("least inhabitants", self.least, 0, N_MAX)
        check_whole("most inhabitants", self.most, self.least, N_MAX)

    def build(self, domain: AnyDomain, partition: Partition) -> Bools:
        """See `SensitiveSpec.build`."""
        del partition
        require_us_map(domain, "Numbers of inhabitants")
        people = population_prior()
        return np.asarray((people >= self.least) & (people <= self.most))


@dataclass(frozen=True)
class SensitiveSymbols:
    """Symbols by number, as runs: "3" or "10-19"."""

    runs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for _ in parse_runs(self.runs):
            pass

    def build(self, domain: AnyDomain, partition: Partition) -> Bools:
        """See `SensitiveSpec.build`."""
        del partition
        flags = np.zeros(domain.k, np.bool_)
        for first, last in parse_runs(self.runs):
            check_whole("sensitive symbol", last, 0, domain.k - 1)
            flags[first : last + 1] = True
        return flags
