"""Blocks from polygons of one's own, such as the districts of a town."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.cache import cached
from caldp_core.basics.counted import count_text
from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.limits import CORNERS_MAX, POLYGONS_MAX
from caldp_core.basics.types import Floats, Ints, read_only
from caldp_core.datasets.own import check_line, excerpt
from caldp_core.domain.grid import GridDomain
from caldp_core.domain.partitions import Partition, named_blocks
from caldp_core.domain.polygons import AreaPart, cells_of_parts, unwrap_rings
from caldp_core.scenarios.blocks import AnyDomain, require_map

OUTSIDE: Final = "Outside of all areas"
_NUMBER: Final = r"-?[0-9]{1,3}(?:\.[0-9]{1,12})?"
_RING: Final = re.compile(rf"{_NUMBER},{_NUMBER}(?: {_NUMBER},{_NUMBER})*")
_CORNERS_MIN: Final = 3


@dataclass(frozen=True)
class Overlaps:
    """Number of `cells` in several areas, and by the names of two how many the second took.

    `taken`: the first area had them until the second, later one; most cells first.
    """

    cells: int
    taken: dict[tuple[str, str], int]


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
            _parts(text)

    def overlaps(self, domain: AnyDomain) -> Overlaps:
        """Cells in several areas of a map."""
        return _areas_of_cells(self, require_map(domain, "Polygons"))[1]

    def build(self, domain: AnyDomain) -> Partition:
        """See `BlocksSpec.build`."""
        return _partition(self, require_map(domain, "Polygons"))


@cached
def _partition(spec: PolygonBlocks, grid: GridDomain) -> Partition:
    present, labels = np.unique(_areas_of_cells(spec, grid)[0], return_inverse=True)
    names = [*spec.names, OUTSIDE]
    return named_blocks(np.asarray(labels, np.int64), [names[number] for number in present])


@cached
def _areas_of_cells(spec: PolygonBlocks, grid: GridDomain) -> tuple[Ints, Overlaps]:
    """(k,) number of each cell's area, the last for none, and the cells in several."""
    parts = [(number, part) for number, text in enumerate(spec.polygons) for part in _parts(text)]
    outside = len(spec.names)
    areas, several = np.full(grid.k, outside, np.int64), np.zeros(grid.k, np.bool_)
    lost = Counter[tuple[int, int]]()
    for at, cells in cells_of_parts([part for _, part in parts], grid):
        number = parts[at][0]
        taken = cells[(areas[cells] != number) & (areas[cells] != outside)]
        lost.update((before, number) for before in areas[taken].tolist())
        several[taken], areas[cells] = True, number
    named = {(spec.names[a], spec.names[b]): cells for (a, b), cells in lost.most_common()}
    return read_only(areas), Overlaps(int(several.sum()), named)


@cached
def _parts(text: str) -> tuple[AreaPart, ...]:
    """The parts that a text unites; raises `CaldpError` where it is not such a text."""
    return tuple(_part(part) for part in text.split(" + "))


def _part(text: str) -> AreaPart:
    area, *holes = text.split(" - ")
    rings = area.split(" / ")
    require(
        len({frozenset(ring.split(" ")) for ring in rings}) == len(rings),
        "A ring of a polygon stands twice after “ / ”, where two copies cancel each other; leave "
        f"one out, got {excerpt(text)}.",
    )
    whole = unwrap_rings([_ring(ring) for ring in (*rings, *holes)])
    return AreaPart(whole[: len(rings)], whole[len(rings) :])


def _ring(text: str) -> Floats:
    """A closed ring, (points, 2) longitude and latitude; raises `CaldpError` for other texts."""
    if _RING.fullmatch(text) is None:
        raise CaldpError(
            "A polygon is written as corners “latitude,longitude” in degrees with spaces "
            f"between them, got {excerpt(text)}."
        )
    points = np.array(re.split("[ ,]", text), dtype=np.float64).reshape(-1, 2)
    inside = (np.abs(points) <= (90.0, 180.0)).all()
    require(
        bool(inside) and len(points) >= _CORNERS_MIN,
        f"A polygon needs {_CORNERS_MIN} corners or more within ±90° and ±180°, got "
        f"{excerpt(text)}.",
    )
    return np.asarray(np.vstack([points, points[:1]])[:, ::-1])
