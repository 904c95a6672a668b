"""The data that ship with the project: check-ins, inhabitants, states, infant deaths, surveys.

`data/README.md` says what each file is, where it comes from and under which licence; `scripts/`
make them. All but the counties of North Carolina are on the paper's map, `US_GRID`.

Made-up distributions are those of the paper's Figure 2, and cities on the map. All randomness of a
spec comes from its own `seed`.
"""

import csv
import gzip
import tomllib
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from caldp_core.basics import limits
from caldp_core.basics.errors import CaldpError, check_choice, check_k, check_number, check_whole
from caldp_core.basics.extras import scipy
from caldp_core.basics.types import Floats, Ints, Progress, no_progress, read_only
from caldp_core.datasets.base import Dataset, from_counts, from_weights, with_larger_cells
from caldp_core.domain.domains import KM_PER_DEGREE, US_GRID, Area, Domain, GridDomain
from caldp_core.domain.partitions import LargerCells

_HERE: Final = Path(__file__).resolve()
_INSTALLED: Final = _HERE.parents[1] / "data"
DATA_FOLDER: Final = _INSTALLED if _INSTALLED.is_dir() else _HERE.parents[2] / "data"
_OWN_FILE_MAX: Final = 2**24
"""Characters; the largest has less than a tenth of it."""
ELSEWHERE: Final = "Offshore and abroad"
NOTES: Final = tomllib.loads(_HERE.with_name("notes.toml").read_text("utf-8"))
_NAME: Final = "Gowalla (reconstructed grid)"
_NOTE: Final = NOTES["gowalla"]


@dataclass(frozen=True)
class Gowalla:
    """The paper's 3,671,812 check-ins on `US_GRID` (CALDP §7), reconstructed; k = 43,750.

    `area`: the part of the map to take, "south,north,west,east" in degrees, cut between cells.
    `together`: cells along the side of a larger one. Raises `CaldpError` for what can't be.
    """

    area: str = str(US_GRID.area)
    together: int = 1

    def __post_init__(self) -> None:
        LargerCells(self.grid(), self.together)

    def grid(self) -> GridDomain:
        """The part's cells, before they are put together."""
        return US_GRID.subgrid(Area.parse(self.area))

    def load(self, progress: Progress = no_progress) -> Dataset:
        """Read data/gowalla_us_reconstruction.csv.gz; raises `CaldpError` if it is gone."""
        progress(0.0)
        counts = _read_us_cells("gowalla_us_reconstruction.csv.gz")
        progress(1.0)
        grid = self.grid()
        dataset = (
            from_counts(_NAME, _NOTE, grid, counts) if grid == US_GRID else _part(grid, counts)
        )
        return replace(with_larger_cells(dataset, self.together), from_inhabitants=True)


def _part(grid: GridDomain, counts: Ints) -> Dataset:
    note = f"The part {grid.area} of: {_NOTE}"
    return from_counts(f"{_NAME}, part", note, grid, counts[US_GRID.area_mask(grid.area)])


@cache
def population_prior() -> Floats:
    """(43750,) inhabitants per cell of `US_GRID`, read-only whole numbers ≥ 0; not yet shares.

    Public figures (GeoNames) that have nothing to do with the check-ins. All towns of more than
    500 inhabitants in the map's rectangle, those of Canada, Mexico, the Bahamas and Bermuda too;
    a town counts wholly in the cell of its centre, people outside of towns are missing, so that
    most cells are 0. Raises `CaldpError` if the file is gone.
    """
    return read_only(_read_us_cells("us_population_prior.csv.gz").astype(np.float64))


@cache
def us_state_labels() -> tuple[Ints, tuple[str, ...]]:
    """(43750,) block of each cell of `US_GRID`, read-only, and the blocks' names.

    A cell belongs to the state that its centre is in. Blocks 0, …, m−2 are states in the order
    of the alphabet, the last one is `ELSEWHERE`: sea, lakes and other countries. Every block has
    a cell; the District of Columbia lies between cell centres and therefore has none, its people
    count in the cells of Virginia and Maryland. Raises `CaldpError` if the file is gone.
    """
    # Each row of the file is a run of cells: a state's name and for how many cells it goes on.
    with explain_file_errors("us_states_cells.csv.gz"):
        runs = read_rows("us_states_cells.csv.gz")
        states = sorted({name for name, _ in runs} - {ELSEWHERE})
        names = (*states, ELSEWHERE)
        number = {name: label for label, name in enumerate(names)}
        labels = np.repeat(
            np.array([number[name] for name, _ in runs]), [int(cells) for _, cells in runs]
        )
        if labels.size != US_GRID.k:
            raise ValueError(f"it has {labels.size:,} cells instead of {US_GRID.k:,}")
    return read_only(labels.astype(np.int64)), names


def state_outline() -> tuple[Floats, Floats]:
    """(longitudes, latitudes) of coasts and state borders in degrees, to be drawn as one line.

    Each (points,), with NaN between one line and the next. Within 0.05° of the Census Bureau's
    lines; islands smaller than that are left out, narrow ones are strokes. Raises `CaldpError`
    if the file is gone.
    """
    return _lines("us_states_outline.csv.gz")


def land_outline() -> tuple[Floats, Floats]:
    """(longitudes, latitudes) of closed rings around the contiguous states, to be filled as land.

    Each (points,), with NaN between one ring and the next; as exact as `state_outline`, and as it
    raises `CaldpError` if the file is gone.
    """
    return _lines("us_land.csv.gz")


def _lines(name: str) -> tuple[Floats, Floats]:
    with explain_file_errors(name):
        table = np.array(read_rows(name), dtype=np.float64)
        gaps = np.flatnonzero(np.diff(table[:, 0])) + 1
        with_gaps = np.insert(table[:, 1:], gaps, np.nan, axis=0)
        return with_gaps[:, 0], with_gaps[:, 1]


def read_rows(name: str) -> list[list[str]]:
    """The rows of data/`name`, a gzipped csv file, without its header; raises `CaldpError`."""
    with (
        explain_file_errors(name),
        gzip.open(DATA_FOLDER / name, "rt", encoding="utf-8", newline="") as file,
    ):
        text = file.read(_OWN_FILE_MAX + 1)
        rows = list(csv.reader(text.splitlines(keepends=True)))[1:]
        if not rows or len(text) > _OWN_FILE_MAX:
            raise EOFError("it has no rows" if not rows else "it is too long")
        return rows


_BROKEN_FILE: Final = (
    *(OSError, EOFError, ValueError, LookupError),
    *(zlib.error, zipfile.BadZipFile, csv.Error),
)
"""What readers of our files raise for one that is gone, cut, empty or another one."""


@contextmanager
def explain_file_errors(name: str) -> Iterator[None]:
    """Within it, whatever is wrong with data/`name` becomes a `CaldpError` that says what to do."""
    try:
        yield
    except CaldpError:
        raise
    except _BROKEN_FILE as error:
        raise CaldpError(
            f"The project's own file {DATA_FOLDER / name} can't be read ({error}); restore it from "
            "the repository, or install caldp again."
        ) from None


@cache
def _read_us_cells(name: str) -> Ints:
    """(43750,) whole numbers per cell of `US_GRID` from data/`name`, read-only; 0 if not listed.

    The file has the columns lat_index (0 is the southernmost row), lon_index (0 is the
    westernmost column) and the number. Raises `CaldpError` if the file can't be read.
    """
    cells = np.zeros(US_GRID.k, dtype=np.int64)
    with explain_file_errors(name):
        table = np.array(read_rows(name), dtype=np.int64)
        cells[table[:, 0] * US_GRID.columns + table[:, 1]] = table[:, 2]
    return read_only(cells)


PERIODS: Final = ("1974–78", "1979–84")


@dataclass(frozen=True)
class InfantDeaths:
    """1,503 deaths by county and period: 200 cells, in groups of one county's two periods."""

    def load(self, progress: Progress = no_progress) -> Dataset:
        """Read data/nc_infant_deaths.csv.gz; raises `CaldpError` if it is gone."""
        with explain_file_errors("nc_infant_deaths.csv.gz"):
            rows = read_rows("nc_infant_deaths.csv.gz")
            groups = tuple(row[1] for row in rows for _ in PERIODS)
            names = tuple(f"{row[1]}, {period}" for row in rows for period in PERIODS)
            counts = np.array([[row[3], row[5]] for row in rows], dtype=np.int64).ravel()
        progress(1.0)
        domain = Domain(len(names), names, groups)
        return from_counts("Infant deaths in North Carolina", NOTES["counties"], domain, counts)


@cache
def county_outlines() -> tuple[tuple[Floats, ...], ...]:
    """Closed rings of the counties, in the order of `InfantDeaths`' groups: land of each.

    Each ring: (points, 2) longitudes and latitudes in degrees, read-only; within about 0.01° of the
    Census Bureau's borders. Raises `CaldpError` if the file is gone.
    """
    rings: dict[str, dict[str, list[tuple[float, float]]]] = {}
    with explain_file_errors("nc_counties.csv.gz"):
        for fips, ring, longitude, latitude in read_rows("nc_counties.csv.gz"):
            points = rings.setdefault(fips, {}).setdefault(ring, [])
            points.append((float(longitude), float(latitude)))
        counties = [row[0] for row in read_rows("nc_infant_deaths.csv.gz")]
        return tuple(
            tuple(read_only(np.array(points)) for points in rings[fips].values())
            for fips in counties
        )


@dataclass(frozen=True)
class SurveyTable:
    """One shipped table for readers.

    `question`: what people were asked. `sensitive`: the groups or values that most people would
    rather not have known, by name; where a reader starts from.
    """

    title: str
    question: str
    source: str
    sensitive: tuple[str, ...]


_TEXTS: Final = tomllib.loads(Path(__file__).with_name("surveys.toml").read_text("utf-8"))
SURVEYS: Final = {
    name: SurveyTable(**table | {"sensitive": tuple(table["sensitive"])})
    for name, table in _TEXTS["tables"].items()
}
"""Every shipped table by name."""


@dataclass(frozen=True)
class Survey:
    """One of `SURVEYS`: real answers, so people may be taken as they are or drawn from them."""

    table: str = "affairs"

    def __post_init__(self) -> None:
        check_choice("table", self.table, SURVEYS)

    def load(self, progress: Progress = no_progress) -> Dataset:
        """Read data/surveys.csv.gz; raises `CaldpError` if it is gone."""
        with explain_file_errors("surveys.csv.gz"):
            rows = [row[1:] for row in read_rows("surveys.csv.gz") if row[0] == self.table]
            groups, names, people = zip(*rows, strict=True)
            counts = np.array(people, dtype=np.int64)
        progress(1.0)
        survey = SURVEYS[self.table]
        return from_counts(survey.title, survey.source, Domain(len(names), names, groups), counts)


_HARMLESS_TOPICS, SENSITIVE_TOPICS, _PAGES = (
    tuple(_TEXTS["visits"][kind]) for kind in ("harmless", "sensitive", "pages")
)


@dataclass(frozen=True)
class WebVisits:
    """Made-up visits to 1,000 kinds of web page: 40 topics, 12 of them delicate, 25 pages each.

    Popularity falls by Zipf's law with exponent `rate`, in [0, 10]; `seed`, in [0, 2^32), decides
    which page is how popular.
    """

    rate: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        check_number("rate", self.rate, limits.ZIPF_RATE_MIN, limits.ZIPF_RATE_MAX)
        check_whole("seed", self.seed, 0, limits.SEED_MAX)

    def load(self, progress: Progress = no_progress) -> Dataset:
        """The distribution on the 1,000 named pages, topic after topic."""
        topics = (*_HARMLESS_TOPICS, *SENSITIVE_TOPICS)
        groups = tuple(topic for topic in topics for _ in _PAGES)
        names = tuple(f"{topic}: {page}" for topic in topics for page in _PAGES)
        place = np.random.default_rng(self.seed).permutation(len(names))
        progress(1.0)
        return from_weights(
            "Visits to web pages (synthetic)",
            f"Made-up visits to {len(names):,} kinds of page, Zipf({self.rate:g}).",
            Domain(len(names), names, groups),
            zipf_shares(len(names), self.rate)[place],
        )


@dataclass(frozen=True)
class Uniform:
    """All `k` symbols are equally likely; k in [1, 2^20]."""

    k: int = 1000

    def __post_init__(self) -> None:
        check_k(self.k)

    def load(self, progress: Progress = no_progress) -> Dataset:
        """The distribution p(i) = 1/k."""
        note = f"A made-up distribution: all {self.k:,} symbols are equally likely."
        progress(1.0)
        return from_weights("Uniform (synthetic)", note, Domain(self.k), np.ones(self.k))


@dataclass(frozen=True)
class Geometric:
    """Geo(λ) of CALDP §7 on `k` symbols, k in [1, 2^20]; `rate` is λ, in (0, 1)."""

    k: int = 1000
    rate: float = 0.8

    def __post_init__(self) -> None:
        check_k(self.k)
        check_number("rate", self.rate, limits.GEOMETRIC_RATE_MIN, limits.GEOMETRIC_RATE_MAX)

    def load(self, progress: Progress = no_progress) -> Dataset:
        """The distribution p(i) ∝ (1 − λ)^i λ."""
        note = f"A made-up distribution: Geo({self.rate:g}), p(i) ∝ (1 − {self.rate:g})^i."
        progress(1.0)
        return from_weights(
            "Geometric (synthetic)", note, Domain(self.k), _geometric(self.k, self.rate)
        )


@dataclass(frozen=True)
class PermutedGeometric(Geometric):
    """Geo(λ)* of CALDP §7: the masses of Geo(λ), shuffled over the symbols.

    `k` in [1, 2^20]; `rate` is λ, in (0, 1); `seed`, in [0, 2^32), decides the order. The heavy
    symbols then lie in many blocks instead of in the first one.
    """

    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("seed", self.seed, 0, limits.SEED_MAX)

    def load(self, progress: Progress = no_progress) -> Dataset:
        """The distribution p(π(i)) ∝ (1 − λ)^i λ with a random permutation π."""
        note = (
            f"A made-up distribution: the masses of Geo({self.rate:g}) in a random order "
            f"(seed {self.seed})."
        )
        weights = np.random.default_rng(self.seed).permutation(_geometric(self.k, self.rate))
        progress(1.0)
        return from_weights("Permuted geometric (synthetic)", note, Domain(self.k), weights)


@dataclass(frozen=True)
class Zipf:
    """Zipf(λ) of CALDP §7 on `k` symbols, k in [1, 2^20]; `rate` is λ, in [0, 10]."""

    k: int = 1000
    rate: float = 1.0

    def __post_init__(self) -> None:
        check_k(self.k)
        check_number("rate", self.rate, limits.ZIPF_RATE_MIN, limits.ZIPF_RATE_MAX)

    def load(self, progress: Progress = no_progress) -> Dataset:
        """The distribution p(i) ∝ (i + 1)^(−λ)."""
        note = f"A made-up distribution: Zipf({self.rate:g}), p(i) ∝ (i + 1)^(−{self.rate:g})."
        progress(1.0)
        return from_weights(
            "Zipf (synthetic)", note, Domain(self.k), zipf_shares(self.k, self.rate)
        )


@dataclass(frozen=True)
class YesOrNo:
    """One question: symbol 0 is no, 1 is yes; `yes`: share of the people who have it, in [0, 1]."""

    yes: float = 0.2

    def __post_init__(self) -> None:
        check_number("yes", self.yes, 0.0, 1.0)

    def load(self, progress: Progress = no_progress) -> Dataset:
        """The distribution (1 − yes, yes)."""
        note = f"Made-up answers to one question: {self.yes:.1%} of the people have yes."
        progress(1.0)
        domain = Domain(2, ("no", "yes"))
        weights = np.array([1.0 - self.yes, self.yes])
        return from_weights("Yes or no (synthetic)", note, domain, weights)


@dataclass(frozen=True)
class Cities:
    """Made-up cities on the paper's map.

    `cities`: how many, in [1, 1000]; the j-th largest has a share ∝ 1/j (Zipf's law), each at a
    random place, all places on the map's surface equally likely. `spread_km`: standard deviation
    of a city's inhabitants around its centre in each direction, in [1, 1000] km.
    `background`: share of the people who live anywhere, evenly over all cells, in [0, 1].
    `seed`, in [0, 2^32), decides the places. `together`: cells along the side of a larger one.
    """

    cities: int = 40
    spread_km: float = 25.0
    background: float = 0.05
    seed: int = 0
    together: int = 1

    def __post_init__(self) -> None:
        check_whole("cities", self.cities, 1, limits.CITIES_MAX)
        check_number("spread_km", self.spread_km, limits.SPREAD_KM_MIN, limits.SPREAD_KM_MAX)
        check_number("background", self.background, 0.0, 1.0)
        check_whole("seed", self.seed, 0, limits.SEED_MAX)
        LargerCells(US_GRID, self.together)

    def load(self, progress: Progress = no_progress) -> Dataset:
        """The distribution on `US_GRID`."""
        rng = np.random.default_rng(self.seed)
        latitude, longitude = _places(self.cities, rng)
        people = _city_map(latitude, longitude, self.spread_km, zipf_shares(self.cities, 1.0))
        weights = (1 - self.background) * people + self.background / US_GRID.k
        note = (
            f"Made-up people, no real place: {self.cities} cities of Zipf-distributed size with "
            f"a spread of {self.spread_km:g} km, {self.background:.0%} of the people anywhere "
            f"(seed {self.seed})."
        )
        progress(1.0)
        cities = from_weights("Cities (synthetic)", note, US_GRID, weights)
        return with_larger_cells(cities, self.together)


def _geometric(k: int, rate: float) -> Floats:
    """(k,) masses ∝ (1 − λ)^i; those too small for a float are 0."""
    return np.asarray(np.exp(np.arange(k) * np.log1p(-rate)), dtype=np.float64)


def zipf_shares(k: int, rate: float) -> Floats:
    """(k,) masses (i + 1)^(−λ) / sum."""
    weights = np.arange(1, k + 1, dtype=np.float64) ** -rate
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def _places(cities: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """(latitudes, longitudes), each (cities,) degrees, uniform on the map's surface."""
    area = US_GRID.area
    low, high = np.sin(np.radians([area.south, area.north]))
    latitude = np.degrees(np.arcsin(rng.uniform(low, high, cities)))
    return latitude, rng.uniform(area.west, area.east, cities)


def _city_map(latitude: Floats, longitude: Floats, spread_km: float, shares: Floats) -> Floats:
    """(43750,) share of each cell, sums to 1: the cities' Gaussians, cut to the map.

    `latitude`, `longitude`, `shares`: (cities,). A degree of longitude is shorter by the cosine
    of the city's latitude.
    """
    area = US_GRID.area
    rows = np.linspace(area.south, area.north, US_GRID.rows + 1)
    columns = np.linspace(area.west, area.east, US_GRID.columns + 1)
    spread = np.full(latitude.shape, spread_km / KM_PER_DEGREE)
    north = _interval_shares(rows, latitude, spread)
    east = _interval_shares(columns, longitude, spread / np.cos(np.radians(latitude)))
    return np.asarray((north.T @ (east * shares[:, None])).ravel(), dtype=np.float64)


def _interval_shares(edges: Floats, centres: Floats, spreads: Floats) -> Floats:
    """(cities, intervals) normal mass between neighbouring `edges`, each row scaled to sum 1."""
    below = scipy.special.ndtr((edges[None, :] - centres[:, None]) / spreads[:, None])
    mass = np.diff(below, axis=1)
    return np.asarray(mass / mass.sum(axis=1, keepdims=True), dtype=np.float64)
