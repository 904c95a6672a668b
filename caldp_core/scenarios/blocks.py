"""Specs of blocks, how a domain is cut, and of sensitive sets, which symbols are hidden.

Every spec is frozen and holds only scalars and texts, so that it can be a cache key, a line in a
file and part of a link; `build` makes the arrays.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final, Protocol

import numpy as np

from caldp_core.basics.cache import cached
from caldp_core.basics.errors import (
    CaldpError,
    check_number,
    check_whole,
    count_text,
    excerpt,
    require,
)
from caldp_core.basics.files import parse_float, parse_int
from caldp_core.basics.limits import (
    AREAS_MAX,
    CORNERS_MAX,
    HEXAGONS_MAX,
    K_MAX,
    N_MAX,
    POINTS_MAX,
    POLYGONS_MAX,
)
from caldp_core.basics.types import Bools, Floats, Ints, read_only
from caldp_core.datasets import (
    Dataset,
    country_labels,
    hexagon_labels,
    population_prior,
    region_labels,
    us_state_labels,
)
from caldp_core.datasets.base_map import City
from caldp_core.datasets.own import check_line
from caldp_core.domain import partitions
from caldp_core.domain.domains import US_GRID, Area, Domain, GridDomain

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

    def build(self, domain: AnyDomain) -> partitions.Partition:
        """The partition; raises `CaldpError` where the domain does not allow it."""


@dataclass(frozen=True)
class OneBlock:
    """Everything in one block: the block hides nothing, the symbols hide among all others."""

    def build(self, domain: AnyDomain) -> partitions.Partition:
        """See `BlocksSpec.build`."""
        return partitions.single_block(domain)


@dataclass(frozen=True)
class EvenRuns:
    """`blocks` runs of neighbouring symbols."""

    blocks: int = 10

    def __post_init__(self) -> None:
        check_whole("blocks", self.blocks, 1, K_MAX)

    def build(self, domain: AnyDomain) -> partitions.Partition:
        """See `BlocksSpec.build`."""
        return partitions.even_blocks(domain.k, self.blocks)


@dataclass(frozen=True)
class GroupBlocks:
    """The groups that the data come in, such as topics of web pages, in order of appearance."""

    def build(self, domain: AnyDomain) -> partitions.Partition:
        """See `BlocksSpec.build`."""
        groups = domain.groups if isinstance(domain, Domain) else ()
        require(
            bool(groups),
            "Group blocks need values that come in groups; choose a survey, web visits or other "
            "blocks.",
        )
        names = list(dict.fromkeys(groups))
        place = {name: j for j, name in enumerate(names)}
        return partitions.named_blocks([place[group] for group in groups], names)


@dataclass(frozen=True)
class GridBlocks:
    """A grid of `rows` × `columns` rectangles on the map (the paper's m₁ × m₂)."""

    rows: int = 25
    columns: int = 35

    def __post_init__(self) -> None:
        check_whole("rows of blocks", self.rows, 1, K_MAX)
        check_whole("columns of blocks", self.columns, 1, K_MAX)

    def build(self, domain: AnyDomain) -> partitions.Partition:
        """See `BlocksSpec.build`."""
        return partitions.grid_blocks(require_map(domain, "Grid blocks"), self.rows, self.columns)


@dataclass(frozen=True)
class StateBlocks:
    """US states; what is offshore or abroad is one more block."""

    def build(self, domain: AnyDomain) -> partitions.Partition:
        """See `BlocksSpec.build`."""
        require_us_map(domain, "State blocks")
        return partitions.named_blocks(*us_state_labels())


@dataclass(frozen=True)
class CountryBlocks:
    """Countries, by public borders; what is at sea is one more block."""

    def build(self, domain: AnyDomain) -> partitions.Partition:
        """See `BlocksSpec.build`."""
        return partitions.named_blocks(*country_labels(require_map(domain, "Country blocks")))


@dataclass(frozen=True)
class RegionBlocks:
    """States, provinces and the like of all countries; what is at sea is one more block."""

    def build(self, domain: AnyDomain) -> partitions.Partition:
        """See `BlocksSpec.build`."""
        return partitions.named_blocks(*region_labels(require_map(domain, "Region blocks")))


@dataclass(frozen=True)
class HexagonBlocks:
    """Hexagons of H3, about equally large anywhere on Earth; needs the package h3."""

    resolution: int = 2

    def __post_init__(self) -> None:
        check_whole("resolution of hexagons", self.resolution, 0, HEXAGONS_MAX)

    def build(self, domain: AnyDomain) -> partitions.Partition:
        """See `BlocksSpec.build` and `hexagon_labels`."""
        return partitions.named_blocks(
            *hexagon_labels(require_map(domain, "Hexagon blocks"), self.resolution)
        )


@dataclass(frozen=True)
class AdaptiveBlocks:
    """`blocks` rectangles with similar numbers of inhabitants, by GeoNames' public figures."""

    blocks: int = 875

    def __post_init__(self) -> None:
        check_whole("blocks", self.blocks, 1, K_MAX)

    def build(self, domain: AnyDomain) -> partitions.Partition:
        """See `BlocksSpec.build`."""
        us = require_us_map(domain, "Adaptive blocks")
        return partitions.adaptive_blocks(
            us, np.rint(population_prior()).astype(np.int64), self.blocks
        )


@dataclass(frozen=True)
class DrawnBlocks:
    """Hand-made blocks, each "south,north,west,east" in degrees; the rest is one more."""

    areas: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require(len(self.areas) <= AREAS_MAX, f"At most {AREAS_MAX} areas, got {len(self.areas)}.")
        for area in self.areas:
            Area.parse(area)

    def build(self, domain: AnyDomain) -> partitions.Partition:
        """See `BlocksSpec.build`."""
        areas = [Area.parse(area) for area in self.areas]
        return partitions.drawn_blocks(require_map(domain, "Drawn blocks"), areas)


@dataclass(frozen=True)
class SymbolBlocks:
    """Blocks of values by number, each as runs: "0,7" or "2-5,9"; the rest is one more."""

    blocks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for block in self.blocks:
            for _ in parse_runs(block.split(",")):
                pass

    def build(self, domain: AnyDomain) -> partitions.Partition:
        """See `BlocksSpec.build`; raises `CaldpError` for a value in two blocks, too."""
        raw = np.zeros(domain.k, np.int64)
        for number, block in enumerate(self.blocks, start=1):
            for first, last in parse_runs(block.split(",")):
                check_whole("value of a block", last, 0, domain.k - 1)
                taken = np.flatnonzero(raw[first : last + 1])
                if taken.size:
                    raise CaldpError(f"The value {first + int(taken[0])} is in two blocks.")
                raw[first : last + 1] = number
        blocks = (f"block {number + 1}" for number in range(len(self.blocks)))
        return partitions.present_blocks(raw, ["all others", *blocks])


def parse_runs(texts: Iterable[str]) -> Iterable[tuple[int, int]]:
    """First and last symbol of each text, written "3" or "10-19"; raises `CaldpError`."""
    for text in texts:
        parts = text.partition("-")
        first, last = parse_int(parts[0]), parse_int(parts[2] if parts[1] else parts[0])
        if first is None or last is None or last < first:
            raise CaldpError(f'Values by number are written "3" or "10-19", got {text!r}.')
        yield first, last


OUTSIDE: Final = "Outside of all areas"


@dataclass(frozen=True)
class Overlaps:
    """Number of `cells` in several areas, and by the names of two how many the second took.

    `taken`: the first area had them until the second, later one; most cells first. `left_out`: by
    the name of an area, cells that its border goes around twice and that are not in it.
    """

    cells: int
    taken: dict[tuple[str, str], int]
    left_out: dict[str, int]


@dataclass(frozen=True)
class PolygonBlocks:
    """Each polygon is a block, by its name; a later one wins where two overlap.

    `names`: up to 500 different texts of one line; `polygons`: one for each, its corners as
    "latitude,longitude" in degrees with spaces between them; a hole after " - ", a further part
    after " + " (a hole is one of its part alone), a ring by the even-odd rule after " / ".
    A cell is in the polygon that its centre is in; cells in none are one more block, the last.
    Polygons without a cell left are not blocks. Raises `CaldpError` for anything else.
    """

    names: tuple[str, ...] = ()
    polygons: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require(
            len(self.names) == len(self.polygons) <= POLYGONS_MAX,
            f"polygons must be up to {POLYGONS_MAX}, with a name for each, got "
            f"{len(self.polygons):,} and {count_text(len(self.names), 'name', 'names')}.",
        )
        for name in self.names:
            check_line("names of polygons", name)
        twice = next((name for name in self.names if self.names.count(name) > 1), None)
        require(twice is None, f"names of polygons must differ, {excerpt(twice)} is there twice.")
        corners = sum(text.count(",") for text in self.polygons)
        require(
            corners <= CORNERS_MAX,
            f"polygons may have up to {CORNERS_MAX:,} corners in all, got {corners:,}; "
            "simplify them.",
        )
        for text in self.polygons:
            partitions.parse_polygon(text)

    def overlaps(self, domain: AnyDomain) -> Overlaps:
        """Cells in several areas of a map."""
        return _areas_of_cells(self, require_map(domain, "Polygons"))[1]

    @cached
    def build(self, domain: AnyDomain) -> partitions.Partition:
        """See `BlocksSpec.build`."""
        areas, _ = _areas_of_cells(self, require_map(domain, "Polygons"))
        return partitions.present_blocks(areas, [*self.names, OUTSIDE])


@cached
def _areas_of_cells(spec: PolygonBlocks, grid: GridDomain) -> tuple[Ints, Overlaps]:
    """(k,) number of each cell's area, the last for none, and the cells in several."""
    texts = enumerate(spec.polygons)
    parts = [(number, part) for number, text in texts for part in partitions.parse_polygon(text)]
    outside = len(spec.names)
    areas, several = np.full(grid.k, outside, np.int64), np.zeros(grid.k, np.bool_)
    lost, inside = Counter[tuple[int, int]](), defaultdict[int, list[Ints]](list)
    for at, cells in partitions.cells_of_parts([part for _, part in parts], grid):
        number = parts[at][0]
        inside[number].append(cells)
        taken = cells[(areas[cells] != number) & (areas[cells] != outside)]
        lost.update((before, number) for before in areas[taken].tolist())
        several[taken], areas[cells] = True, number
    named = {(spec.names[a], spec.names[b]): cells for (a, b), cells in lost.most_common()}
    twice = defaultdict[int, list[Ints]](list)
    for number, part in parts:
        twice[number] += [partitions.cells_enclosed_twice(ring, grid) for ring in part.rings]
    left_out = {
        spec.names[number]: left
        for number, cells in twice.items()
        if (left := len(set(np.concatenate(cells)).difference(*inside[number])))
    }
    return read_only(areas), Overlaps(int(several.sum()), named, left_out)


_NAMED_MAX: Final = 3


def describe_areas(spec: PolygonBlocks, dataset: Dataset) -> Iterator[str]:
    """How blocks differ from the areas of a map as they were drawn, a sentence for each way."""
    overlaps, blocks = spec.overlaps(_map_of(dataset)), _blocks(spec, dataset).names
    lost = [name for name in spec.names if name not in blocks]
    covered = [name for name in lost if any(name == earlier for earlier, _ in overlaps.taken)]
    empty = [name for name in lost if name not in covered]
    if empty:
        yield f"Without the middle of a cell, so not a block: {some_names(empty)}."
    if covered:
        yield f"Covered by later areas of the file, so not a block: {some_names(covered)}."
    if overlaps.cells:
        (earlier, later), most = next(iter(overlaps.taken.items()))
        yield (
            f"{count_text(overlaps.cells, 'cell lies', 'cells lie')} in several areas and "
            f"{'belongs' if overlaps.cells == 1 else 'belong'} to the latest of them in the file: "
            f"“{later}” takes {most:,} of “{earlier}”."
        )
    if overlaps.left_out:
        cells = count_text(sum(overlaps.left_out.values()), "cell counts", "cells count")
        yield (
            f"{cells} as outside of {some_names(overlaps.left_out)}, whose border crosses itself "
            "and goes around them twice."
        )


def some_names(names: Collection[str]) -> str:
    """A few names in quotation marks, and how many more there are."""
    few = [f"“{name}”" for name in islice(names, _NAMED_MAX)]
    return ", ".join(few) + (f" and {len(names) - len(few)} more" if len(names) > len(few) else "")


class SensitiveSpec(Protocol):
    """Says which symbols are sensitive."""

    def build(self, domain: AnyDomain, partition: partitions.Partition) -> Bools:
        """(k,) flags; raises `CaldpError` where the domain does not allow it."""


def _map_of(dataset: Dataset) -> AnyDomain:
    """The symbols that blocks are made of: of cells that were put together the small ones."""
    return dataset.domain if dataset.fine_map is None else dataset.fine_map.cells.fine


def blocks_and_flags(
    blocks: BlocksSpec, sensitive: SensitiveSpec, dataset: Dataset
) -> tuple[partitions.Partition, Bools]:
    """Blocks of a dataset's symbols, and which symbols are sensitive: (k,), read-only.

    Cells that were put together are protected as their small ones are: a larger cell is in the
    block of its middle one, and sensitive if any of them is.
    """
    finest, domain = dataset.fine_map, _map_of(dataset)
    flags = sensitive.build(domain, blocks.build(domain))
    if finest is not None:
        flags = finest.cells.any_in_cell(flags)
    return _blocks(blocks, dataset), read_only(flags)


def _blocks(spec: BlocksSpec, dataset: Dataset) -> partitions.Partition:
    built = spec.build(_map_of(dataset))
    return built if dataset.fine_map is None else dataset.fine_map.cells.coarsen(built)


@dataclass(frozen=True)
class EverythingSensitive:
    """Every symbol is sensitive."""

    def build(self, domain: AnyDomain, partition: partitions.Partition) -> Bools:
        """See `SensitiveSpec.build`."""
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

    def build(self, domain: AnyDomain, partition: partitions.Partition) -> Bools:
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

    `points`: clinics, shelters or the like, each "latitude,longitude" in degrees, with a name after
    a further comma or without. Everybody within `km` of one is in a sensitive cell.
    """

    points: tuple[str, ...] = ()
    km: float = 1.0

    def __post_init__(self) -> None:
        require(
            len(self.points) <= POINTS_MAX, f"At most {POINTS_MAX} points, got {len(self.points)}."
        )
        check_number("km", self.km, 0.0, 1_000.0)
        self.degrees()

    def build(self, domain: AnyDomain, partition: partitions.Partition) -> Bools:
        """See `SensitiveSpec.build`."""
        return partitions.cells_within_km(require_map(domain, "Points"), self.degrees(), self.km)

    def degrees(self) -> Floats:
        """(points, 2) latitude and longitude."""
        points = [_parse_point(point)[:2] for point in self.points]
        return np.array(points, np.float64).reshape(-1, 2)

    @property
    def named(self) -> tuple[City, ...]:
        """The points that have a name, as places of a map."""
        points = map(_parse_point, self.points)
        return tuple(City(name, "", y, x, 0) for y, x, name in points if name)


def _parse_point(point: str) -> tuple[float, float, str]:
    """Latitude, longitude and name, "" without one."""
    parts = [part.strip() for part in (*point.split(",", 2), "", "")]
    latitude, longitude, name = parse_float(parts[0]), parse_float(parts[1]), parts[2]
    is_number = parse_float(name.replace(",", ".")) is not None  # decimals with commas, as it seems
    if latitude is None or longitude is None or is_number:
        raise CaldpError(f"A point is written latitude,longitude in degrees, got {point[:40]!r}.")
    check_number("latitude of a point", latitude, -90, 90)
    check_number("longitude of a point", longitude, -180, 180)
    return latitude, longitude, name and check_line("The name of a point", name)


@dataclass(frozen=True)
class BlocksNear:
    """The cells near each of the points that are `near`, as blocks by which a result is added up.

    A cell near several points is in the block of the first of them; all other cells are the last
    block. Points of one name are one block.
    """

    near: SensitiveNear

    def build(self, domain: AnyDomain) -> partitions.Partition:
        """See `BlocksSpec.build`."""
        grid = require_map(domain, "Points")
        points = map(_parse_point, self.near.points)
        names = [*(name or f"{y}, {x}" for y, x, name in points), OUTSIDE]
        areas = np.full(grid.k, len(names) - 1, np.int64)
        for number, point in list(enumerate(self.near.degrees()))[::-1]:
            areas[partitions.cells_within_km(grid, point[None], self.near.km)] = names.index(
                names[number]
            )
        return partitions.present_blocks(areas, names)


@dataclass(frozen=True)
class SensitiveInhabited:
    """Cells with `least` to `most` inhabitants by GeoNames' figures (0.2° is about 20 km)."""

    least: int = 1
    most: int = 5_000

    def __post_init__(self) -> None:
        check_whole("least inhabitants", self.least, 0, N_MAX)
        check_whole("most inhabitants", self.most, self.least, N_MAX)

    def build(self, domain: AnyDomain, partition: partitions.Partition) -> Bools:
        """See `SensitiveSpec.build`."""
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

    def build(self, domain: AnyDomain, partition: partitions.Partition) -> Bools:
        """See `SensitiveSpec.build`."""
        flags = np.zeros(domain.k, np.bool_)
        for first, last in parse_runs(self.runs):
            check_whole("sensitive symbol", last, 0, domain.k - 1)
            flags[first : last + 1] = True
        return flags
