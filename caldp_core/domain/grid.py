"""The cells of a map as symbols, their places on the Earth, and rectangles of them."""

import re
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.errors import CaldpError, check_k, check_number, check_symbols, require
from caldp_core.basics.files import parse_float
from caldp_core.basics.limits import GRID_CELL_MIN
from caldp_core.basics.types import Bools, Floats, Ints

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
        """Whether both are the same part of the Earth: equal up to 360 degrees of longitude."""
        shifts = {round(self.west - other.west, 9), round(self.east - other.east, 9)}
        same = (self.south, self.north) == (other.south, other.north)
        return same and len(shifts) == 1 and shifts <= {0.0, FULL_TURN, -FULL_TURN}

    def shift_east(self, degrees: float) -> "Area":
        """The area shifted to the east by `degrees`."""
        return Area(self.south, self.north, self.west + degrees, self.east + degrees)

    def __str__(self) -> str:
        return ",".join(f"{edge:.10g}" for edge in (self.south, self.north, self.west, self.east))


KM_PER_DEGREE: Final = 111.195
"""Kilometres in one degree of latitude (mean Earth radius 6371.0 km)."""
POLE_WITHIN: Final = 89.9999999
TURN_WITHIN: Final = 179.9999999
"""Degrees that stand for the north pole and for 180° E, beyond which no cell begins."""
_TURNS: Final = (0.0, FULL_TURN, -FULL_TURN)
_WHOLE_WITHIN: Final = 1e-6
"""Cells by which a side may differ from a whole number: a third of a degree has to be rounded."""


@dataclass(frozen=True)
class GridDomain:
    """A map cut into equal cells in degrees; symbol = row·columns + column.

    Row 0 is the southernmost, column 0 the westernmost. `south` and `west` are the edges of
    the map in degrees, `cell` the side of a cell in degrees. A map may go on beyond 180° E, if
    cells end there; degrees then go on, too.
    """

    south: float
    west: float
    cell: float
    rows: int
    columns: int

    def __post_init__(self) -> None:
        check_number("cell (degrees)", self.cell, GRID_CELL_MIN, 180)
        require(
            self.rows >= 1 and self.columns >= 1,
            f"A map needs at least one row and one column, got {self.rows} × {self.columns}.",
        )
        check_k(self.rows * self.columns)
        check_number("south edge", self.south, -90, 90)
        check_number("west edge", self.west, -180, 180)
        north, east = self._far_edges()
        before = (HALF_TURN - self.west) / self.cell
        ends_there = abs(before - round(before)) <= _WHOLE_WITHIN
        farthest = self.west + FULL_TURN if ends_there else HALF_TURN
        for end, most, toward in ((north, 90, "N"), (east, farthest, "E")):
            require(
                end <= most + TOLERANCE,
                f"Cells of {self.cell:g}° do not fit: the map would end at {end:.10g}° {toward}, "
                f"beyond {most:.10g}°; choose another cell or a map that starts or ends elsewhere.",
            )

    @classmethod
    def from_area(cls, area: Area, cell: float) -> "GridDomain":
        """The grid that fills the area with whole cells, `cell` degrees a side.

        Raises `CaldpError` unless the cell divides both sides of the area: cells that reach
        beyond it would count people there, cells cut at its edge would not be equal.
        """
        check_number("cell (degrees)", cell, GRID_CELL_MIN, 180)
        sides = ((area.north - area.south) / cell, (area.east - area.west) / cell)
        if any(abs(side - round(side)) > _WHOLE_WITHIN for side in sides):
            rows, columns = (max(int(side), 1) for side in sides)
            ends = f"{area.south + rows * cell:.10g}", f"{area.west + columns * cell:.10g}"
            raise CaldpError(
                f"Cells of {cell:g}° must fill the area exactly, but {area} is {sides[0]:.6g} "
                f"cells high and {sides[1]:.6g} wide; choose another cell, or the area "
                f"{area.south:.10g},{ends[0]},{area.west:.10g},{ends[1]}."
            )
        return cls(area.south, area.west, cell, round(sides[0]), round(sides[1]))

    @property
    def k(self) -> int:
        """Number of cells."""
        return self.rows * self.columns

    @property
    def area(self) -> Area:
        """The whole map."""
        north, east = self._far_edges()
        return Area(self.south, north, self.west, east)

    def _far_edges(self) -> tuple[float, float]:
        """(northern, eastern) edge in degrees, rounded so that 0.1 may be added ten times."""
        return (
            round(self.south + self.rows * self.cell, 9),
            round(self.west + self.columns * self.cell, 9),
        )

    def latitudes(self) -> Floats:
        """(rows,) latitude of each row's centre, in degrees, from the south."""
        return np.asarray(self.south + (np.arange(self.rows) + 0.5) * self.cell, np.float64)

    def longitudes(self) -> Floats:
        """(columns,) longitude of each column's centre, in degrees, from the west."""
        return np.asarray(self.west + (np.arange(self.columns) + 0.5) * self.cell, np.float64)

    def wrapped_longitudes(self) -> Floats:
        """(columns,) longitude of each column's centre, in [−180, 180) degrees, as in files."""
        return wrap_longitude(self.longitudes())

    def name_of(self, symbol: int) -> str:
        """What readers call a cell: the latitude and longitude of its centre, in degrees."""
        row, column = divmod(symbol, self.columns)
        return f"{self.latitudes()[row]:g}, {self.wrapped_longitudes()[column]:g}"

    def locate(self, latitude: ArrayLike, longitude: ArrayLike) -> Ints:
        """Symbols of the cells that hold the points, −1 for points outside the map.

        `latitude` and `longitude`: (n,) degrees. A point on an edge belongs to the cell north and
        east of it; the map's own northern and eastern edges are outside, but at the north pole and
        at 180° E, where nothing follows, in its last cells.
        """
        row, column = self._row(latitude), self._column(longitude)
        inside = (row >= 0) & (row < self.rows) & (column >= 0) & (column < self.columns)
        return np.where(inside, row * self.columns + column, -1).astype(np.int64)

    def _row(self, latitude: ArrayLike) -> Floats:
        # The tiny addition keeps 25.6 in the cell that starts at 25.6 whatever binary makes of it.
        degrees = _within(latitude, POLE, POLE_WITHIN)
        return np.asarray(
            np.floor((degrees - self.south) / self.cell + TOLERANCE), dtype=np.float64
        )

    def _column(self, longitude: ArrayLike) -> Floats:
        if self.area.crosses_antimeridian:
            degrees = np.asarray(longitude, dtype=np.float64)
            degrees = np.where(degrees < self.west - TOLERANCE, degrees + FULL_TURN, degrees)
        else:
            degrees = _within(longitude, HALF_TURN, TURN_WITHIN)
        return np.asarray(np.floor((degrees - self.west) / self.cell + TOLERANCE), dtype=np.float64)

    def row_column(self, symbol: ArrayLike) -> tuple[Ints, Ints]:
        """(row, column) of symbols, each (n,); raises `CaldpError` on a symbol off the map."""
        symbols = check_symbols("symbol", symbol, self.k)
        return symbols // self.columns, symbols % self.columns

    def km_from(self, symbol: int) -> Floats:
        """(k,) kilometres of the great circle from a cell's centre to every cell's (haversine)."""
        (row,), (column,) = self.row_column([symbol])
        north, east = self.latitudes(), self.longitudes()
        apart = degrees_apart(north[:, None], float(north[row]), east - east[column])
        return apart.ravel() * KM_PER_DEGREE

    def area_mask(self, area: Area) -> Bools:
        """(k,) True for the cells whose centre lies in `area`."""
        lat, lon = self.latitudes(), self.longitudes()
        row = (lat > area.south) & (lat < area.north)
        column = np.zeros(lon.shape, np.bool_)
        for turn in _TURNS:
            column |= (lon > area.west + turn) & (lon < area.east + turn)
        return (row[:, None] & column[None, :]).ravel()

    def snap(self, area: Area) -> Area | None:
        """`area` grown to whole cells and cut to the map; None if it misses the map.

        Of an area that meets the map twice, around the Earth, the larger part.
        """
        turns = (turn for turn in _TURNS if area.west + turn >= -180 and area.east + turn <= 540)
        candidates = (self._snap(area.shift_east(turn)) for turn in turns)
        return max(
            (each for each in candidates if each),
            key=lambda each: each.east - each.west,
            default=None,
        )

    def _snap(self, area: Area) -> Area | None:
        low = np.floor(self._edges(area.south, area.west) + TOLERANCE)
        high = np.ceil(self._edges(area.north, area.east) - TOLERANCE)
        south, west = np.maximum(low, 0)
        north, east = np.minimum(high, (self.rows, self.columns))
        if south >= north or west >= east:
            return None
        return Area(
            round(self.south + south * self.cell, 9),
            round(self.south + north * self.cell, 9),
            round(self.west + west * self.cell, 9),
            round(self.west + east * self.cell, 9),
        )

    def subgrid(self, area: Area) -> "GridDomain":
        """The map's cells in an area; raises `CaldpError` unless it ends between cells of the map.

        `area_mask` of the part's own area gives their flags.
        """
        snapped = self.snap(area)
        if snapped is None or not snapped.is_same_region(area):
            raise CaldpError(
                f"The area must lie on the map {self.area} and end between its cells of "
                f"{self.cell:g}°, got {area}; take {snapped or self.area}."
            )
        within = snapped.shift_east(-FULL_TURN) if snapped.west >= HALF_TURN else snapped
        return GridDomain.from_area(within, self.cell)

    def _edges(self, latitude: float, longitude: float) -> Floats:
        return np.array([(latitude - self.south) / self.cell, (longitude - self.west) / self.cell])


def _within(degrees: ArrayLike, end: float, within: float) -> Floats:
    """Degrees, those up to `end` no larger than `within`."""
    numbers = np.asarray(degrees, dtype=np.float64)
    return np.where(numbers <= end, np.minimum(numbers, within), numbers)


def wrap_longitude(longitude: Floats) -> Floats:
    """Longitudes in degrees, any shape, with 360 subtracted from those of 180 and more."""
    return np.where(longitude >= HALF_TURN, longitude - FULL_TURN, longitude)


US_GRID: Final = GridDomain(south=25.0, west=-130.0, cell=0.2, rows=125, columns=350)
"""The paper's map: 25–50° N, 130–60° W in cells of 0.2°, k = 43,750 (CALDP §7)."""


def degrees_apart(latitude: Floats, other: ArrayLike, beside: Floats) -> Floats:
    """Degrees along great circles (haversine), broadcast; `beside`: of longitude between them."""
    one, two = np.radians(latitude), np.radians(other)
    half_north = np.sin((one - two) / 2) ** 2
    half_east = np.sin(np.radians(beside) / 2) ** 2
    chord = np.sqrt(np.clip(half_north + np.cos(one) * np.cos(two) * half_east, 0.0, 1.0))
    return np.asarray(np.degrees(2 * np.arcsin(chord)))
