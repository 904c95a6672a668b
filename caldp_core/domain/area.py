"""A rectangle on the map of the Earth, which may go on beyond the 180th meridian."""

import re
from dataclasses import dataclass
from typing import Final

from caldp_core.basics.errors import CaldpError, check_number, require
from caldp_core.basics.files import parse_float

TOLERANCE: Final = 1e-9
POLE: Final = 90.0
HALF_TURN: Final = 180.0
FULL_TURN: Final = 360.0
_EDGES: Final = (("south", -90, 90), ("north", -90, 90), ("west", -180, 540), ("east", -180, 540))


@dataclass(frozen=True)
class Area:
    """A rectangle on the map, edges in degrees (north and east positive).

    Across the 180th meridian degrees go on: 170 to 190 ends at 170° W. `south` and `north` in
    [−90, 90], `west` and `east` in [−180, 540]. Raises `CaldpError` for anything else.
    """

    south: float
    north: float
    west: float
    east: float

    def __post_init__(self) -> None:
        for name, low, high in _EDGES:
            check_number(f"{name} of an area", getattr(self, name), low, high)
        require(
            self.south < self.north and self.west < self.east <= self.west + FULL_TURN + TOLERANCE,
            f"An area needs south < north and west < east, and is at most 360° wide, got {self}.",
        )

    @classmethod
    def parse(cls, text: str) -> "Area":
        """Read "south,north,west,east" in degrees; raises `CaldpError` on anything else.

        170 to −170 is read as 170 to 190, if that is less than half of the Earth.
        """
        edges = [parse_float(part) for part in re.split(r"\s*,\s*", text.strip())]
        numbers = [edge for edge in edges if edge is not None]
        if not len(edges) == len(numbers) == 4:
            raise CaldpError(f"An area is written south,north,west,east in degrees, got {text!r}.")
        south, north, west, east = numbers
        across = west >= 0 > east and west - east > HALF_TURN
        return cls(south, north, west, east + FULL_TURN if across else east)

    @property
    def crosses_antimeridian(self) -> bool:
        """Whether it goes on beyond 180° E."""
        return self.east > HALF_TURN

    def is_same_region(self, other: "Area") -> bool:
        """Whether both are the same part of the Earth, written alike or a turn apart."""
        shifts = {round(self.west - other.west, 9), round(self.east - other.east, 9)}
        same = (self.south, self.north) == (other.south, other.north)
        return same and len(shifts) == 1 and shifts <= {0.0, FULL_TURN, -FULL_TURN}

    def shift_east(self, degrees: float) -> "Area":
        """The area shifted by so many degrees to the east."""
        return Area(self.south, self.north, self.west + degrees, self.east + degrees)

    def __str__(self) -> str:
        return ",".join(f"{edge:.10g}" for edge in (self.south, self.north, self.west, self.east))
