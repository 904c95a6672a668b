"""What lies under a map anywhere on Earth: cities, countries, inhabitants, hexagons, coasts.

Cities are GeoNames' (CC-BY 4.0, `scripts/make_places.py`). Countries and their first-order regions
are Natural Earth's (public domain, `make_world.py`, at 1:50m and 1:10m): as
ruled in fact; others see some borders otherwise. H3 (Brodsky 2018, h3geo.org) cuts the Earth into
2 + 120·7^r cells at resolution r, all but twelve of them hexagons.

Coasts and borders are made by `scripts/make_world.py` from Natural Earth's 1:10m lines (public
domain).

Areas of the Earth are what people call regions and countries, and where they lie on a map.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.cache import cached
from caldp_core.basics.errors import excerpt, require
from caldp_core.basics.extras import explain_missing, scipy
from caldp_core.basics.limits import HEXAGONS_MAX
from caldp_core.basics.types import Bools, Floats, Ints, read_only, sums_by
from caldp_core.datasets import shipped
from caldp_core.datasets.files import maps
from caldp_core.domain.domains import KM_PER_DEGREE, US_GRID, Area, GridDomain
from caldp_core.domain.partitions import AreaPart, cells_by_area, cells_of_parts, parse_polygon

WORLD_LINES: Final = "world_lines.npz"
STEP: Final = 0.002
"""Degrees: the file holds whole multiples."""
_BEYOND: Final = 1.0
"""Of an area's longer side, what is drawn beyond its edges: frames have other shapes than maps."""
_BETWEEN: Final = 0.37 * STEP
"""Edges lie between the points of lines: GEOS can't cut a ring that touches one at a point."""
_INVISIBLE: Final = 1 / 1200
"""Share of an area's longer side below which nothing is visible on a screen."""

Lines = tuple[Floats, Floats]
"""(longitudes, latitudes), each (points,) degrees, NaN between one line and the next."""


def coasts(area: Area) -> Lines:
    """Closed rings of the land in and around an area, to be filled by the even-odd rule.

    Lakes are rings as well. Within half a kilometre of Natural Earth's lines, and thinned to what
    a screen shows of the area. Raises `CaldpError` if the file is gone or shapely is missing.
    """
    with explain_missing("A map of the world"):
        import shapely

    rings = [shapely.Polygon(ring) for ring in _visible_lines("coasts", area)]
    cut = shapely.clip_by_rect(rings, *_edges(area))
    return _join_lines(
        [
            np.asarray(part.exterior.coords)
            for part in shapely.get_parts(shapely.simplify(cut, _tolerance(area)))
            if isinstance(part, shapely.Polygon) and not part.is_empty
        ]
    )


def borders(area: Area) -> Lines:
    """Lines of coasts and of borders between countries in and around an area, to be drawn.

    As exact as `coasts`; raises `CaldpError` as it does.
    """
    with explain_missing("A map of the world"):
        import shapely

    lines = [*_visible_lines("coasts", area), *_visible_lines("borders", area)]
    if area.crosses_antimeridian:
        lines = [part for line in lines for part in _without_seam(line)]
    cut = shapely.clip_by_rect([shapely.LineString(line) for line in lines], *_edges(area))
    return _join_lines(
        [
            np.asarray(part.coords)
            for part in shapely.get_parts(shapely.simplify(cut, _tolerance(area)))
            if part.length > _tolerance(area)
        ]
    )


def pack_lines(lines: Mapping[str, Sequence[Floats]]) -> dict[str, NDArray[np.integer]]:
    """The arrays of the file: starts, steps and lengths of lines, each (points, 2) degrees."""
    arrays: dict[str, NDArray[np.integer]] = {}
    for name, each in lines.items():
        whole = [np.rint(line / STEP).astype(np.int64) for line in each]
        arrays[f"{name}_starts"] = np.array([line[0] for line in whole], np.int32)
        arrays[f"{name}_lengths"] = np.array([len(line) for line in whole], np.int32)
        steps = np.concatenate([np.diff(line, axis=0) for line in whole])
        if np.abs(steps).max() > np.iinfo(np.int16).max:
            raise ValueError("Two points of a line are too far apart.")
        arrays[f"{name}_steps"] = np.ascontiguousarray(steps.T.astype(np.int16))
    return arrays


def unpack_lines(file: Mapping[str, NDArray[np.integer]], name: str) -> tuple[Floats, ...]:
    """The lines of one kind, each (points, 2) degrees, from the arrays of `pack_lines`."""
    starts, lengths, steps = (file[f"{name}_{part}"] for part in ("starts", "lengths", "steps"))
    ends = np.cumsum(lengths - 1)
    return tuple(
        STEP * np.concatenate([[start], start + np.cumsum(part, axis=0, dtype=np.int64)])
        for start, part in zip(starts, np.split(steps.T, ends[:-1]), strict=True)
    )


@contextmanager
def _archive(name: str) -> Iterator[Any]:
    """The arrays of data/`name`; raises `CaldpError` if it is gone or broken.

    It is opened here because NumPy does not close a file that is not an archive.
    """
    with (
        shipped.explain_file_errors(name),
        (shipped.DATA_FOLDER / name).open("rb") as content,
        np.load(content, allow_pickle=False) as file,
    ):
        yield file


@cache
def _load_lines(name: str) -> tuple[tuple[Floats, ...], Floats]:
    """The lines of that kind, each (points, 2), and (lines, 4) their west, south, east, north."""
    with _archive(WORLD_LINES) as file:
        lines = unpack_lines(file, name)
    boxes = np.array([[*line.min(axis=0), *line.max(axis=0)] for line in lines])
    return lines, boxes


def _visible_lines(name: str, area: Area) -> list[Floats]:
    """Lines of a kind in and around an area, those large enough to be visible."""
    turns = (0.0, 360.0) if area.crosses_antimeridian else (0.0,)
    return [
        line + np.array([turn, 0.0]) for turn in turns for line in _lines_in_box(name, area, turn)
    ]


def _lines_in_box(name: str, area: Area, turn: float) -> list[Floats]:
    """Visible lines of a kind in and around an area, before they are shifted east by `turn`."""
    lines, boxes = _load_lines(name)
    west, south, east, north = np.subtract(_edges(area), (turn, 0.0, turn, 0.0))
    visible = (boxes[:, 0] <= east) & (boxes[:, 2] >= west)
    visible &= (boxes[:, 1] <= north) & (boxes[:, 3] >= south)
    visible &= np.ptp(boxes.reshape(-1, 2, 2), axis=1).max(axis=1) > 2 * _tolerance(area)
    return [lines[i] for i in np.flatnonzero(visible)]


def _edges(area: Area) -> tuple[float, float, float, float]:
    """West, south, east and north of what is drawn."""
    beyond = _BEYOND * _longer(area)
    middle = 0.5 * (area.west + area.east) if area.crosses_antimeridian else 0.0
    return (
        max(area.west - beyond, middle - 180.0) - _BETWEEN,
        max(area.south - beyond, -90.0) - _BETWEEN,
        min(area.east + beyond, middle + 180.0) + _BETWEEN,
        min(area.north + beyond, 90.0) + _BETWEEN,
    )


def _without_seam(line: Floats) -> list[Floats]:
    """A line without its sides along the 180th meridian, where countries are cut in two."""
    at = np.abs(np.abs(line[:, 0] - 180.0) % 360.0) < STEP
    seams = np.flatnonzero(at[:-1] & at[1:])
    return [part for part in np.split(line, seams + 1) if len(part) > 1]


def _longer(area: Area) -> float:
    return max(area.east - area.west, area.north - area.south)


def _tolerance(area: Area) -> float:
    return _INVISIBLE * _longer(area)


def _join_lines(lines: Sequence[Floats]) -> Lines:
    """Lines as one, NaN between them."""
    gap = np.full((1, 2), np.nan)
    points = np.concatenate([part for line in lines for part in (line, gap)] or [gap])[:-1]
    return points[:, 0], points[:, 1]


_TILE_SHARE: Final = 1 / 350
"""Of an area's longer side: of cities that are closer, the largest is enough."""
_CITIES_MAX: Final = 2000


@dataclass(frozen=True)
class City:
    """A city: degrees of its middle, number of inhabitants; `region`: its state or country."""

    name: str
    region: str
    latitude: float
    longitude: float
    population: int


@cache
def us_cities() -> tuple[City, ...]:
    """The cities on `US_GRID`, in the order in which to label them: the largest first.

    Those abroad are ranked by a quarter of their inhabitants. At least 15,000 inhabitants; of
    places within 0.2° of each other only the first is kept. Raises `CaldpError` if the file is
    gone.
    """
    return _read("us_cities.csv.gz")


@cache
def world_cities() -> tuple[City, ...]:
    """Places on Earth with at least 15,000 inhabitants, and smaller capitals, the largest first.

    Raises `CaldpError` if the file is gone.
    """
    return _read("world_cities.csv.gz")


def cities_in(area: Area) -> tuple[City, ...]:
    """The largest cities of an area, at most 2,000, the largest first.

    Only one of those too close to be distinguished on a screen. Raises `CaldpError` if the file is
    gone.
    """
    cities = world_cities()
    at = np.array([(city.latitude, city.longitude) for city in cities])
    if area.crosses_antimeridian:  # degrees go on, as the map's do
        at[at[:, 1] < area.west, 1] += 360.0
    south_west, north_east = (area.south, area.west), (area.north, area.east)
    inside = np.flatnonzero(((at >= south_west) & (at < north_east)).all(axis=1))
    tile = _TILE_SHARE * max(area.north - area.south, area.east - area.west)
    tiles = np.floor((at[inside] - south_west) / tile).astype(np.int64)
    _, first = np.unique(tiles, axis=0, return_index=True)
    labelled = inside[np.sort(first)][:_CITIES_MAX]
    return tuple(replace(cities[i], longitude=float(at[i, 1])) for i in labelled)


def _read(name: str) -> tuple[City, ...]:
    with shipped.explain_file_errors(name):
        return tuple(
            City(name, region, float(latitude), float(longitude), int(population))
            for name, region, latitude, longitude, population in shipped.read_rows(name)
        )


_OF_STATES: Final = 10.0
"""Degrees: on smaller maps the borders of states, true to 0.05°, would lie beside the coasts."""


@dataclass(frozen=True, eq=False)
class BaseMap:
    """`land`: closed rings; `outline`: coasts and borders; `cities`: the largest first."""

    land: Lines
    outline: Lines
    cities: tuple[City, ...]


@cached
def base_map(domain: GridDomain) -> BaseMap:
    """The base map of a domain: states on maps of the United States, else the world's countries.

    Raises `CaldpError` if a file of the project is gone, or shapely is missing for the latter.
    """
    area = domain.area
    if _is_us_map(area):
        cities = us_cities() if domain == US_GRID else cities_in(area)
        return BaseMap(shipped.land_outline(), shipped.state_outline(), cities)
    return BaseMap(coasts(area), borders(area), cities_in(area))


def _is_us_map(area: Area) -> bool:
    whole = US_GRID.area
    within = whole.south <= area.south and area.north <= whole.north
    within = within and whole.west <= area.west and area.east <= whole.east
    return within and max(area.north - area.south, area.east - area.west) >= _OF_STATES


WORLD_COUNTRIES: Final = "world_countries.npz"
AT_SEA: Final = "At sea"


@cached
def country_labels(grid: GridDomain) -> tuple[Ints, tuple[str, ...]]:
    """(k,) block of each cell, read-only, and the blocks' names: countries with a cell, in order.

    A cell belongs to the country that its centre is in, by borders true to a few kilometres; cells
    whose centre is in none are in the last block, `AT_SEA`, if there are any. Raises `CaldpError`
    if the file is gone.
    """
    countries = _countries()
    labels, present = cells_by_area([rings for _, rings in countries], grid)
    names = [*(name for name, _ in countries), AT_SEA]
    return read_only(labels), tuple(names[number] for number in present)


@cache
def _countries() -> tuple[tuple[str, tuple[Floats, ...]], ...]:
    """Name and rings (points, 2), longitude and latitude, of each."""
    with _archive(WORLD_COUNTRIES) as file:
        return tuple(
            (str(name), unpack_lines(file, str(number)))
            for number, name in enumerate(file["names"])
        )


WORLD_REGIONS: Final = "world_regions.npz"


@cached
def region_labels(grid: GridDomain) -> tuple[Ints, tuple[str, ...]]:
    """(k,) block of each cell, read-only, and the blocks' names, such as "Bayern, Germany".

    Regions with a cell, by country and name. A cell belongs to the region that its centre is in,
    by borders true to a few kilometres; cells whose centre is in none are in the last block,
    `AT_SEA`, if there are any. Raises `CaldpError` if the file is gone.
    """
    regions = region_rings()
    names = [name if name == of else f"{name}, {of}" for of, name in regions]
    labels, present = cells_by_area(list(regions.values()), grid)
    return read_only(labels), tuple((*names, AT_SEA)[number] for number in present)


@cache
def region_rings() -> Mapping[tuple[str, str], tuple[Floats, ...]]:
    """The rings of each region, (points, 2) longitude and latitude, by country and name."""
    with _archive(WORLD_REGIONS) as file:
        rings, of_ring = unpack_lines(file, "rings"), file["of_ring"]
        pairs = list(zip(file["countries"].tolist(), file["names"].tolist(), strict=True))
        first = np.searchsorted(of_ring, np.arange(len(pairs) + 1))
        return {pair: rings[first[i] : first[i + 1]] for i, pair in enumerate(pairs)}


_TOWN_KM: Final = 4.0
"""Standard deviation of a town's inhabitants around its middle."""
_AROUND_KM: Final = 20.0
"""Standard deviation of people in the villages around it; at least a cell."""
_AROUND_SHARE: Final = 0.6
"""Share of people in villages. All three are chosen on the world's check-ins, see
docs/estimators.md."""
_ANYWHERE: Final = 1e-3
"""Share of people who live anywhere, spread evenly over all cells."""


@cached
def population_shares(grid: GridDomain) -> Floats:
    """(k,) shares of people by where they live, positive, sum 1; even where a map has no town.

    Raises `CaldpError` if the file of towns is gone.
    """
    towns = world_cities()
    cells = grid.locate([town.latitude for town in towns], [town.longitude for town in towns])
    people = np.array([town.population for town in towns], np.float64)
    on_map = cells >= 0
    middles = sums_by(cells[on_map], people[on_map], grid.k)
    if middles.sum() <= 0:
        return read_only(np.full(grid.k, 1.0 / grid.k))
    own, around = (_spread(middles, grid, km) for km in (_TOWN_KM, max(_AROUND_KM, _cell(grid))))
    live = (1.0 - _AROUND_SHARE) * own + _AROUND_SHARE * around
    return read_only((1.0 - _ANYWHERE) * live / live.sum() + _ANYWHERE / grid.k)


def _cell(grid: GridDomain) -> float:
    """Height of a cell in kilometres."""
    return grid.cell * KM_PER_DEGREE


def _spread(values: Floats, grid: GridDomain, km: float) -> Floats:
    """(k,) values blurred with a standard deviation of `km`; unchanged if cells are larger."""
    if km < _cell(grid):
        return values
    middle = np.radians(0.5 * (grid.area.south + grid.area.north))
    sizes = (km / _cell(grid), km / _cell(grid) / max(float(np.cos(middle)), 0.1))
    table = values.reshape(grid.rows, grid.columns)
    return np.asarray(
        scipy.ndimage.gaussian_filter(table, sizes, mode="constant", truncate=3.0).ravel()
    )


_CELLS_MIN: Final = 2
"""Fewest cells of the map in a hexagon, on average: a report from one of one cell would name it."""


@cached
def hexagon_labels(grid: GridDomain, resolution: int) -> tuple[Ints, tuple[str, ...]]:
    """(k,) block of each cell, read-only, and the blocks' names: H3's hexagons with a cell.

    A cell belongs to the hexagon that its centre is in; blocks are in the order of H3's numbers. A
    name is that number as H3 writes it, with the largest town in the hexagon: "Paris and around
    (841fb47ffffffff)". Raises `CaldpError` where hexagons are smaller than the map's cells, on
    average, and where the package h3 is missing.
    """
    finest = max((r for r in range(HEXAGONS_MAX + 1) if _km2(r) >= _cell_km2(grid)), default=0)
    require(
        resolution <= finest,
        f"Hexagons at resolution {resolution} are smaller than the map's cells; at most {finest}.",
    )
    with explain_missing("A grid of hexagons"):
        import h3.api.basic_int as h3
    latitudes, longitudes = grid.latitudes().tolist(), grid.wrapped_longitudes().tolist()
    indices = (h3.latlng_to_cell(y, x, resolution) for y in latitudes for x in longitudes)
    numbers = np.fromiter(indices, np.uint64, grid.k)
    present, labels = np.unique(numbers, return_inverse=True)
    towns: dict[int, str] = {}
    for city in world_cities():  # the largest first
        number = h3.latlng_to_cell(city.latitude, city.longitude, resolution)
        towns.setdefault(number, city.name)
    return read_only(labels.astype(np.int64)), tuple(
        _name(h3.int_to_str(number), towns.get(number)) for number in present.tolist()
    )


def _name(index: str, town: str | None) -> str:
    return f"{town} and around ({index})" if town else f"hexagon {index}"


def hexagon_km(resolution: int) -> float:
    """Kilometres across a hexagon, from side to side, on average over the Earth.

    H3's hexagons differ by a factor of two in area, some 40 % across.
    """
    return float(np.sqrt(_km2(resolution) * 2.0 / np.sqrt(3.0)))


def hexagon_resolutions(grid: GridDomain) -> tuple[int, ...]:
    """H3's resolutions at which a map has some two hexagons or more, of some two cells or more.

    By areas alone, largest hexagons first.
    """
    least, most = _CELLS_MIN * _cell_km2(grid), _km2_of(grid.area) / 2
    return tuple(r for r in range(HEXAGONS_MAX + 1) if least <= _km2(r) <= most)


def _cell_km2(grid: GridDomain) -> float:
    """Square kilometres of a cell, on average."""
    return _km2_of(grid.area) / grid.k


def _km2(resolution: int) -> float:
    """Square kilometres of a hexagon, on average."""
    earth = _km2_of(Area(-90.0, 90.0, -180.0, 180.0))
    return earth / (2 + 120 * 7.0**resolution)


def _km2_of(area: Area) -> float:
    south, north = np.sin(np.radians([area.south, area.north]))
    radius = float(np.degrees(KM_PER_DEGREE))
    return float(np.radians(area.east - area.west) * (north - south)) * radius**2


AREA_NAMES: Final = "area_names.csv.gz"
_CELLS_MAX: Final = 300_000
"""Cells in which areas are drawn: the world has them of 0.5°."""
_MANY, _GAP_MIN, _GAIN_MIN, _LOSS_MAX = 10, 0.03, 0.15, 0.4
"""Areas of which some may be out of view; of the map's length the gap to them and what leaving
them out saves; the share of areas that this may cost, in parts of that."""


@dataclass(frozen=True)
class NamedArea:
    """A first-order region, such as a state or canton, or a country.

    `key`: "Bayern, Germany" or "Germany"; `country`: of a region, "" for countries; `part`: of the
    country or of the Earth. `names`, `codes`: as `normalize_name` writes them; codes are short, or
    words that name parts of any place.
    """

    key: str
    name: str
    country: str
    part: str
    names: frozenset[str]
    codes: frozenset[str]


@cache
def named_areas() -> Mapping[str, NamedArea]:
    """All regions and countries by their keys; raises `CaldpError` if the file is gone."""
    return {
        key: NamedArea(key, name, country, part, _spellings(names), _spellings(codes))
        for key, name, country, part, names, codes in shipped.read_rows(AREA_NAMES)
    }


@cache
def areas_by_spelling() -> Mapping[str, list[NamedArea]]:
    """The areas that have each name or code, as `normalize_name` writes it."""
    found = defaultdict[str, list[NamedArea]](list)
    for area in named_areas().values():
        for spelling in area.names | area.codes:
            found[spelling].append(area)
    return found


def _spellings(text: str) -> frozenset[str]:
    return frozenset(filter(None, text.split("|")))


def area_parts(area: str) -> tuple[AreaPart, ...]:
    """The parts of a named area by its key, or of a polygon as `PolygonBlocks` writes it.

    Raises `CaldpError` for any other text.
    """
    if area[:1].isdigit() or area[:1] == "-":
        return parse_polygon(area)
    require(area in named_areas(), f"areas must ship or be polygons, got {excerpt(area)}.")
    own, rings = named_areas()[area], region_rings()
    if own.country:
        return (AreaPart(rings[own.country, own.name]),)
    return tuple(AreaPart(each) for (country, _), each in rings.items() if country == own.name)


@cached
def areas_on_map(areas: tuple[str, ...]) -> tuple[GridDomain, Ints]:
    """A map around areas, and (cells,) the number of the area of each cell, read-only.

    A cell is in the area that its centre is in; an area without a centre gets one cell. The number
    of areas stands for none.
    """
    parts = [(number, part) for number, area in enumerate(areas) for part in area_parts(area)]
    points = [np.concatenate(part.rings) for _, part in parts]
    x, y = np.concatenate(points).T
    ends = [float(each) for each in (x.min(), x.max(), (x % 360).min(), (x % 360).max())]
    south, north, west, east = float(y.min()), float(y.max()), *maps.shortest_longitude_range(*ends)
    cell = next(
        side
        for side in (*maps.FINE_CELLS, *maps.CELLS)
        if ((north - south) / side + 3) * ((east - west) / side + 3) <= _CELLS_MAX
    )
    grid = maps.map_for_places(maps.MapRequest(cell), (south, north, west, east), None)
    labels = np.full(grid.k, len(areas), np.int64)
    for at, cells in cells_of_parts([part for _, part in parts], grid):
        labels[cells] = parts[at][0]
    for (number, _), corners in zip(parts, points, strict=True):
        if not (labels == number).any():
            longitude, latitude = corners.mean(axis=0)
            labels[grid.locate([latitude], [longitude])] = number
    return grid, read_only(labels)


@cached
def main_view(areas: tuple[str, ...]) -> tuple[Area, tuple[int, ...]]:
    """The part of the map that shows most areas in a useful size, and numbers of areas beyond it.

    Few areas beyond a wide gap, such as Alaska and Hawaii, are beyond it; so are such parts.
    """
    grid, labels = areas_on_map(areas)
    cells = np.flatnonzero(labels < len(areas))
    weights = 1.0 / np.bincount(labels)[labels]
    positions = grid.row_column(np.arange(grid.k))
    for at in positions if len(areas) >= _MANY else ():
        while (far := _far_cells(at[cells], weights[cells])).any():
            cells = cells[~far]
    near = np.bincount(labels[cells], weights[cells], len(areas))
    beyond = np.isin(np.arange(len(areas)), labels) & (near < 0.5)
    rows, columns = (at[cells] for at in positions)
    ends = [rows.min(), rows.max() + 1, columns.min(), columns.max() + 1]
    corner = np.repeat([grid.south, grid.west], 2)
    view = Area(*(corner + np.multiply(ends, grid.cell)).tolist())
    return view, tuple(np.flatnonzero(beyond).tolist())


def _far_cells(at: Ints, weights: Floats) -> Bools:
    """(cells,) those beyond a wide gap in their rows or columns `at`, if few areas are there."""
    used = np.unique(at)
    span = int(np.ptp(used))
    for end in used[:-1][np.diff(used) > max(1.0, _GAP_MIN * span)]:
        far: Bools = at <= end
        if weights[far].sum() > weights[~far].sum():
            far = ~far
        saved, cost = 1 - np.ptp(at[~far]) / span, weights[far].sum() / weights.sum()
        if saved >= _GAIN_MIN and cost <= _LOSS_MAX * saved:
            return far
    return np.zeros(at.size, np.bool_)
