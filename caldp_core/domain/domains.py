"""Domains: lists of answers with names, groups and numbers, and the cells of a map as symbols.

Blocks of symbols are in `partitions.py`, secrecy in `privacy/`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics import errors
from caldp_core.basics.files import parse_float
from caldp_core.basics.limits import GRID_CELL_MIN
from caldp_core.basics.types import Bools, Floats, Ints, read_only

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
            errors.check_number(f"{name} of an area", getattr(self, name), low, high)
        errors.require(
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
            raise errors.CaldpError(
                f"An area is written south,north,west,east in degrees, got {text!r}."
            )
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
        errors.check_number("cell (degrees)", self.cell, GRID_CELL_MIN, 180)
        errors.require(
            self.rows >= 1 and self.columns >= 1,
            f"A map needs at least one row and one column, got {self.rows} × {self.columns}.",
        )
        errors.check_k(self.rows * self.columns)
        errors.check_number("south edge", self.south, -90, 90)
        errors.check_number("west edge", self.west, -180, 180)
        north, east = self._far_edges()
        before = (HALF_TURN - self.west) / self.cell
        ends_there = abs(before - round(before)) <= _WHOLE_WITHIN
        farthest = self.west + FULL_TURN if ends_there else HALF_TURN
        for end, most, toward in ((north, 90, "N"), (east, farthest, "E")):
            errors.require(
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
        errors.check_number("cell (degrees)", cell, GRID_CELL_MIN, 180)
        sides = ((area.north - area.south) / cell, (area.east - area.west) / cell)
        if any(abs(side - round(side)) > _WHOLE_WITHIN for side in sides):
            rows, columns = (max(int(side), 1) for side in sides)
            ends = f"{area.south + rows * cell:.10g}", f"{area.west + columns * cell:.10g}"
            raise errors.CaldpError(
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
        symbols = errors.check_symbols("symbol", symbol, self.k)
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
            raise errors.CaldpError(
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


_NAMES_LISTED: Final = 5
"""Most names of a domain that an error lists."""


@dataclass(frozen=True)
class Domain:
    """The symbols {0, …, k−1} of a question without a map.

    `names`: what readers call each symbol; `groups`: the group that each is in, such as the topic
    of a web page. Both hold k texts, or none where symbols are mere numbers.
    """

    k: int
    names: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        given: object = self.k
        errors.require(
            isinstance(given, str) or not isinstance(given, Iterable),
            f"k must be a number of values, got one of type {type(given).__name__}; take "
            "Domain.of(names) for a list of names.",
        )
        errors.check_k(self.k)
        for field in ("names", "groups"):
            texts = getattr(self, field)
            odd = [text for text in texts if not isinstance(text, str)]
            errors.require(not odd, f"{field} must be texts, got {odd[:1]}.")
            errors.require(
                len(texts) in (0, self.k),
                f"{field} must be one text for each of the {self.k} values, got {len(texts)}.",
            )
        if len(set(self.names)) < len(self.names):
            ((twice, _),) = Counter(self.names).most_common(1)
            raise errors.CaldpError(
                f"names must differ from each other, {errors.excerpt(twice)} is there twice."
            )

    @classmethod
    def of(cls, names: Iterable[str], groups: Iterable[str] = ()) -> "Domain":
        """The domain of these texts in their order, such as `Domain.of(["yes", "no"])`.

        `groups`: the group of each, or none, as `Context.of` takes `blocks`. A pandas
        Series of texts will do. Raises `CaldpError` for texts that are there twice.
        """
        texts = tuple(errors.check_list("names", names))
        return cls(len(texts), texts, tuple(errors.check_list("groups", groups)))

    def short_names(self) -> list[str]:
        """(k,) names without what all of a group share, such as "yes" of "yes; North".

        That is a last part behind "; " or a first part before ": ". Where answers are crossed with
        groups these are the answers.
        """
        names = [self.name_of(x) for x in range(self.k)]
        for group in dict.fromkeys(self.groups):
            members = [x for x, each in enumerate(self.groups) if each == group]
            ends = {f"; {names[x].rpartition('; ')[2]}" for x in members}
            starts = {f"{names[x].partition(': ')[0]}: " for x in members}
            for x in members if len(members) > 1 or ends == {f"; {group}"} else ():
                if len(ends) == 1:
                    names[x] = names[x].removesuffix(*ends)
                elif len(starts) == 1:
                    names[x] = names[x].removeprefix(*starts)
        return names

    def name_of(self, symbol: int) -> str:
        """What readers call a symbol; counted from 1 where it has no name."""
        return self.names[symbol] if self.names else f"value {symbol + 1:,}"

    def symbols(self, answers: Iterable[object]) -> Ints:
        """(n,) names, such as a pandas Series of texts → (n,) symbols in [0, k).

        Raises `CaldpError` with the first answer that is not a name, such as a missing one.
        """
        # A column of Arrow yields scalars of its own kind; its list has texts.
        column = answers.to_pylist() if hasattr(answers, "to_pylist") else answers
        given = errors.check_list("answers", column)
        numbers = {name: i for i, name in enumerate(self.names)}
        symbols = [numbers.get(each, -1) if isinstance(each, str) else -1 for each in given]
        if -1 in symbols:
            place = symbols.index(-1)
            known = ", ".join(self.names[:_NAMES_LISTED]) + ", …" * (self.k > _NAMES_LISTED)
            raise errors.CaldpError(
                f"answers must be names of this domain ({known}), got {given[place]!r} at place "
                f"{place:,}; leave such people out, or give the domain a name for them."
            )
        return np.array(symbols, np.int64)

    def mask(self, names: Iterable[str]) -> Bools:
        """(k,) True at these names, as `Context.of` takes `sensitive`; raises as `symbols` does."""
        flags = np.zeros(self.k, np.bool_)
        flags[self.symbols(names)] = True
        return flags

    def labelled(self, values: ArrayLike) -> dict[str, Any]:
        """(k,) values by name, in order: a pandas Series can be made of it, or a table's column.

        Raises `CaldpError` for another number of values.
        """
        array = errors.as_array("values", values)
        errors.require(
            array.shape == (self.k,), f"values must be {self.k:,}, got shape {array.shape}."
        )
        return {self.name_of(i): value for i, value in enumerate(array.tolist())}


_NUMBER: Final = r"(-?\d[\d,]*(?:\.\d+)?)"
_ANSWER: Final = re.compile(rf"{_NUMBER}(?:(?: to under | to |–|-){_NUMBER})?")
_NUMBERS_MIN: Final = 3
"""Fewer numbers are codes, such as 1 for yes and 2 for no."""


def bin_name(number: int, width: float, whole: bool, start: float = 0.0) -> str:
    """The name of the bin of numbers that begins at start + `number`·width.

    `whole`: all numbers are whole ones.
    """
    low, high = start + number * width, start + (number + 1) * width
    if not whole or width != int(width) or start != int(start):
        return f"{low:,.10g} to under {high:,.10g}"
    return f"{low:,.10g}" if width == 1 else f"{low:,.10g} to {high - 1:,.10g}"


def is_scale(domain: Domain | GridDomain) -> bool:
    """Whether the values of a domain are numbers that rise, see `scale_of`."""
    return isinstance(domain, Domain) and scale_of(domain.names) is not None


def scale_of(names: Sequence[str]) -> Floats | None:
    """(k,) the number that each answer stands for, of a range its middle; they rise.

    None where an answer is not a number, where they do not rise, or for fewer than three.
    """
    matches = [_ANSWER.fullmatch(name) for name in names]
    if len(names) < _NUMBERS_MIN or None in matches:
        return None
    ends = [
        [float(end.replace(",", "")) for end in each.groups() if end] for each in matches if each
    ]
    middles = np.array([sum(each) / len(each) for each in ends])
    return read_only(middles) if bool((np.diff(middles) > 0).all()) else None
