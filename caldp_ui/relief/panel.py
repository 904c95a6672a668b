"""Position of each map of a relief, and the scale that all share."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from caldp_core.basics.types import Floats
from caldp_core.domain.grid import GridDomain
from caldp_ui.relief.columns import Columns, narrowing
from caldp_ui.relief.words import percent

GAP: Final = 0.16
"""Between two maps, as a part of their width."""
_HEIGHT: Final = 0.6
"""The top of the scale, as a part of a map's width."""


@dataclass(frozen=True)
class Look:
    """Scale and colours that all maps of a relief share.

    `top`: value at the top of the scale; `step`: between two of its ticks. `widest`: spread of the
    strongest colour. `text`: colour of words on the page, (red, green, blue) in [0, 255].
    `describe`: a height in words.
    """

    top: float
    step: float
    widest: float
    text: tuple[int, int, int]
    describe: Callable[[float], str] = percent


def shared_look(maps: Mapping[str, Columns], text: tuple[int, int, int]) -> Look:
    """One scale for all `maps`: its top is a round number not below the highest column."""
    highest = max(float(each.shares.max()) for each in maps.values())
    step = _round_step(max(highest, 1e-9) / 6)
    widest = max(float(each.spread.max()) for each in maps.values())
    return Look(step * math.ceil(highest / step), step, widest, text)


def _round_step(least: float) -> float:
    """Smallest of 1, 2 and 5 times a power of ten that is not below `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(times * power for times in (1, 2, 5, 10) if times * power >= least)


@dataclass(frozen=True)
class Panel:
    """Position of a map in space, in degrees of latitude.

    `column`, `row`: its place among the maps, the first row farthest back. `west`, `south`: of its
    area, in degrees. `narrow`: width of a degree of longitude; `wide`, `high`: sides of the map.
    `rise`: the top of the scale, as a part of `wide`.
    """

    title: str
    number: int
    column: int
    row: int
    west: float
    south: float
    narrow: float
    wide: float
    high: float
    rise: float = _HEIGHT

    @classmethod
    def of(cls, domain: GridDomain, number: int, title: str, across: int) -> "Panel":
        """Panel of map `number`, among maps of which `across` stand in a row."""
        area, narrow = domain.area, narrowing(domain)
        wide = narrow * (area.east - area.west)
        high, (row, column) = area.north - area.south, divmod(number, across)
        return cls(title, number, column, row, area.west, area.south, narrow, wide, high)

    @property
    def left(self) -> float:
        """The left edge."""
        return self.column * self.wide * (1 + GAP)

    @property
    def low(self) -> float:
        """The southern edge: seen at 45°, a map's scale hides as much behind it as it is high."""
        return -self.row * (self.high + self.top) * (1 + GAP)

    @property
    def right(self) -> float:
        """The right edge."""
        return self.left + self.wide

    @property
    def ruler(self) -> float:
        """x of the scale."""
        return self.left - self.wide / 100

    @property
    def top(self) -> float:
        """Height of the scale."""
        return self.rise * self.wide

    def x(self, longitudes: Floats) -> Floats:
        """Longitudes in degrees → x, from left to right; same shape."""
        return (longitudes - self.west) * self.narrow + self.left

    def y(self, latitudes: Floats) -> Floats:
        """Latitudes in degrees → y, away from the reader; same shape."""
        return latitudes - self.south + self.low
