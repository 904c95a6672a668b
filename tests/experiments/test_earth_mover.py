"""Kilometres that people are misplaced by, each number by a second route.

Closed forms (a checkerboard, a shift to the north, one meridian) and Kantorovich's dual, a linear
program of its own whose variables are heights of places and not moves of people.
"""

import math
from time import perf_counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_array
from scipy.stats import wasserstein_distance

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import TRANSPORT_CELLS_MAX
from caldp_core.basics.types import Floats
from caldp_core.datasets import Cities, Gowalla
from caldp_core.domain.domains import US_GRID, GridDomain
from caldp_core.experiments.metrics import earth_movers_km, find_measure
from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.policies import CrowFlies
from caldp_core.scenarios.scenario import Scenario

RADIUS_KM = 6371.0
SMALL = GridDomain(south=40.0, west=-3.0, cell=1.0, rows=3, columns=4)
NORTH = GridDomain(south=56.0, west=-6.0, cell=1.0, rows=8, columns=12)
MERIDIAN = GridDomain(south=-10.0, west=5.0, cell=0.5, rows=40, columns=1)
WEIGHTS = st.lists(st.floats(0.001, 1), min_size=12, max_size=12).map(
    lambda values: np.array(values) / np.sum(values)
)


def great_circles(grid: GridDomain) -> Floats:
    """(k, k) kilometres between cells, from the angle between their directions in space."""
    latitude = np.radians(np.repeat(grid.latitudes(), grid.columns))
    longitude = np.radians(np.tile(grid.longitudes(), grid.rows))
    across = np.cos(latitude)
    directions = np.stack(
        [across * np.cos(longitude), across * np.sin(longitude), np.sin(latitude)], axis=1
    )
    chords = np.linalg.norm(directions[:, None] - directions[None, :], axis=2)
    return np.asarray(2 * RADIUS_KM * np.arcsin(np.minimum(chords / 2, 1.0)))


def by_the_dual(truth: Floats, estimate: Floats, grid: GridDomain) -> float:
    """The largest Σ h(x)·(estimate − truth) of heights h that rise at most 1 for each kilometre.

    By Kantorovich and Rubinstein it is the earth mover's distance.
    """
    km = great_circles(grid)
    first, second = np.nonzero(~np.eye(grid.k, dtype=np.bool_))
    row = np.arange(first.size)
    rises: Any = csr_array(
        (
            np.concatenate([np.ones(first.size), -np.ones(first.size)]),
            (np.tile(row, 2), np.concatenate([first, second])),
        ),
        shape=(first.size, grid.k),
    )
    surplus = estimate - truth
    scale = 1 / float(np.abs(surplus).max())  # the solver's tolerance is absolute
    found = linprog(-surplus * scale, A_ub=rises, b_ub=km[first, second], bounds=(0, None))
    assert found.fun is not None
    return -float(found.fun) / scale


@pytest.mark.parametrize("seed", range(25))
def test_it_is_the_dual_s_optimum(seed: int) -> None:
    rng = np.random.default_rng(seed)
    grid = NORTH if seed % 5 == 0 else SMALL
    weights = np.full(grid.k, rng.choice([0.1, 0.5, 2.0]))
    truth, estimate = rng.dirichlet(weights, size=2)
    exact = by_the_dual(truth, estimate, grid)
    assert earth_movers_km(truth, estimate, grid) == pytest.approx(exact, rel=1e-6)
    # A distance that knows no way between people would be another one.
    assert exact != pytest.approx(0.5 * np.abs(estimate - truth).sum() * 100, rel=0.01)


def test_a_checkerboard_s_people_move_one_cell_east_or_west() -> None:
    """Nearer than the next cell of one's row is none, so that no plan is shorter than this one.

    The mean along directions, which stood here as kilometres, is 9.4 km for it.
    """
    grid = GridDomain(south=43.0, west=-5.0, cell=0.5, rows=10, columns=20)
    row, column = np.divmod(np.arange(grid.k), grid.columns)
    black = ((row + column) % 2 == 0) / (grid.k / 2)
    white = ((row + column) % 2 == 1) / (grid.k / 2)
    latitudes = np.radians(43.25 + 0.5 * np.arange(10))
    half_step = np.cos(latitudes) * math.sin(math.radians(0.25))
    expected = float(np.mean(2 * RADIUS_KM * np.arcsin(half_step)))
    assert expected == pytest.approx(39.0, abs=0.1)
    assert earth_movers_km(black, white, grid) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("rows", [1, 4, -2])
def test_a_map_shifted_north_counts_its_shift(rows: int) -> None:
    # A blob that overlaps its own shift: what stays in a cell need not be moved.
    truth = np.zeros((8, 12))
    truth[2:4, 3:5] = [[0.1, 0.2], [0.3, 0.4]]
    moved = np.roll(truth, rows, axis=0)
    expected = abs(rows) * math.pi * RADIUS_KM / 180
    assert earth_movers_km(truth.ravel(), moved.ravel(), NORTH) == pytest.approx(expected)


def test_on_one_meridian_it_is_the_distance_of_one_dimension() -> None:
    truth, estimate = np.random.default_rng(7).dirichlet(np.full(MERIDIAN.k, 0.3), size=2)
    km = MERIDIAN.latitudes() * math.pi * RADIUS_KM / 180
    expected = wasserstein_distance(km, km, truth, estimate)
    assert earth_movers_km(truth, estimate, MERIDIAN) == pytest.approx(expected, rel=1e-6)


@given(WEIGHTS, WEIGHTS, WEIGHTS)
def test_it_obeys_the_laws_of_distances(p: Floats, q: Floats, r: Floats) -> None:
    def distance(first: Floats, second: Floats) -> float:
        return earth_movers_km(first, second, SMALL)

    assert distance(p, p) == 0
    assert distance(p, q) == pytest.approx(distance(q, p), rel=1e-6, abs=1e-6)
    assert distance(p, r) <= distance(p, q) + distance(q, r) + 1e-6
    half_way = distance(p, 0.5 * p + 0.5 * q)
    assert half_way == pytest.approx(0.5 * distance(p, q), rel=1e-6, abs=1e-6)


def test_a_map_of_one_cell_has_no_distance() -> None:
    grid = GridDomain(south=0.0, west=0.0, cell=1.0, rows=1, columns=1)
    assert earth_movers_km(np.ones(1), np.ones(1), grid) == 0


def test_a_large_map_has_none_and_says_so() -> None:
    even = np.full(US_GRID.k, 1 / US_GRID.k)
    with pytest.raises(CaldpError, match=f"at most {TRANSPORT_CELLS_MAX} cells, .* 43,750"):
        earth_movers_km(even, even, US_GRID)
    with pytest.raises(CaldpError, match=f"at most {TRANSPORT_CELLS_MAX} cells if of kilometres"):
        find_measure("km", US_GRID)
    result = run(prepare(Scenario(Cities(), n=1000)))
    assert result.first.errors.earth_movers_km is None


NORTHEAST = Scenario(
    Gowalla("39.8,42.6,-77.2,-71"), CrowFlies(1.0, 50.0), estimator="maximum-likelihood"
)


@pytest.mark.slow
def test_the_kilometres_of_the_page_s_first_map_are_the_dual_s() -> None:
    """Half as far is the mean along directions, which is not a distance of people."""
    result = run(prepare(NORTHEAST))
    grid = NORTHEAST.dataset.load().domain
    assert isinstance(grid, GridDomain)
    exact = by_the_dual(result.setup.dataset.distribution, result.first.estimate, grid)
    started = perf_counter()
    km = result.first.errors.earth_movers_km
    seconds = perf_counter() - started
    assert km == pytest.approx(exact, rel=1e-6)
    assert exact == pytest.approx(7.2, abs=0.05)
    assert seconds < 3  # 0.1 s alone; a slow and shared machine gets thirty times as long
