"""Blocks from polygons of one's own, such as the districts of a town."""

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.cache import cached
from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.limits import CORNERS_MAX, POLYGONS_MAX
from caldp_core.basics.types import Floats
from caldp_core.datasets.own import check_line, excerpt
from caldp_core.domain.grid import GridDomain
from caldp_core.domain.partitions import Partition, named_blocks
from caldp_core.domain.polygons import cells_by_area, unwrap_rings
from caldp_core.scenarios.blocks import AnyDomain, require_map

OUTSIDE: Final = "Outside of all areas"
_NUMBER: Final = r"-?[0-9]{1,3}(?:\.[0-9]{1,12})?"
_RING: Final = re.compile(rf"{_NUMBER},{_NUMBER}(?: {_NUMBER},{_NUMBER})*")
_CORNERS_MIN: Final = 3


@dataclass(frozen=True)
class PolygonBlocks:
    """Each polygon is a block, by its name; a later one wins where two overlap.

    `names`: up to 500 different texts of one line; `polygons`: one for each, its corners as
    "latitude,longitude" in degrees with spaces between them; a hole or a further part after " / ".
    A cell is in the polygon that its centre is in; cells in none are one more block, the last.
    Polygons without a cell of their own are no blocks. Raises `CaldpError` for anything else.
    """

    names: tuple[str, ...] = ()
    polygons: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require(
            len(self.names) == len(self.polygons) <= POLYGONS_MAX,
            f"polygons must be up to {POLYGONS_MAX}, with a name for each, got "
            f"{len(self.polygons):,} and {len(self.names):,} names.",
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
            _rings(text)

    def build(self, domain: AnyDomain) -> Partition:
        """See `BlocksSpec.build`."""
        return _partition(self, require_map(domain, "Polygons"))


@cached
def _partition(spec: PolygonBlocks, grid: GridDomain) -> Partition:
    labels, present = cells_by_area([_rings(text) for text in spec.polygons], grid)
    names = [*spec.names, OUTSIDE]
    return named_blocks(labels, [names[number] for number in present])


@cached
def _rings(text: str) -> tuple[Floats, ...]:
    """Closed rings, (points, 2) longitude and latitude; raises `CaldpError` for any other text."""
    rings = []
    for ring in text.split(" / "):
        if _RING.fullmatch(ring) is None:
            raise CaldpError(
                "A polygon is written as corners “latitude,longitude” in degrees with spaces "
                f"between them, got {excerpt(ring)}."
            )
        points = np.array(re.split("[ ,]", ring), dtype=np.float64).reshape(-1, 2)
        inside = (np.abs(points) <= (90.0, 180.0)).all()
        require(
            bool(inside) and len(points) >= _CORNERS_MIN,
            f"A polygon needs {_CORNERS_MIN} corners or more within ±90° and ±180°, got "
            f"{excerpt(ring)}.",
        )
        rings.append(np.vstack([points, points[:1]])[:, ::-1])
    return tuple(unwrap_rings(rings))
