"""Made-up distributions: those of the paper's Figure 2, and cities on the map.

All randomness of a spec comes from its own `seed`.
"""

from dataclasses import dataclass

import numpy as np

from caldp_core.basics.errors import check_k, check_number, check_whole
from caldp_core.basics.extras import scipy
from caldp_core.basics.limits import (
    CITIES_MAX,
    GEOMETRIC_RATE_MAX,
    GEOMETRIC_RATE_MIN,
    SEED_MAX,
    SPREAD_KM_MAX,
    SPREAD_KM_MIN,
    ZIPF_RATE_MAX,
    ZIPF_RATE_MIN,
)
from caldp_core.basics.types import Floats, Progress, no_progress
from caldp_core.datasets.base import Dataset, from_weights, with_larger_cells
from caldp_core.domain.domains import KM_PER_DEGREE, US_GRID, Domain
from caldp_core.domain.partitions import LargerCells


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
        check_number("rate", self.rate, GEOMETRIC_RATE_MIN, GEOMETRIC_RATE_MAX)

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
        check_whole("seed", self.seed, 0, SEED_MAX)

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
        check_number("rate", self.rate, ZIPF_RATE_MIN, ZIPF_RATE_MAX)

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
        check_whole("cities", self.cities, 1, CITIES_MAX)
        check_number("spread_km", self.spread_km, SPREAD_KM_MIN, SPREAD_KM_MAX)
        check_number("background", self.background, 0.0, 1.0)
        check_whole("seed", self.seed, 0, SEED_MAX)
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
