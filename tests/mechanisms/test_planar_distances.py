"""Planar noise in kilometres: how far it moves people, and what a kilometre is worth."""

import math

import numpy as np
import pytest
from numpy.typing import ArrayLike

from caldp_core.basics.types import Floats
from caldp_core.domain.grid import KM_PER_DEGREE, US_GRID, GridDomain
from caldp_core.mechanisms.direct.planar import product_displacement
from caldp_core.privacy.distance import EuclideanMetric
from tests.mechanisms.planar_distance import planar_displacement


@pytest.mark.parametrize(
    "steps", [(0.001, 0.001), (0.01, 0.02), (0.1, 0.3), (1.0, 1.0), (3.0, 2.0)]
)
def test_displacements_are_sums_over_the_lattice(steps: tuple[float, float]) -> None:
    mine, product = planar_displacement(*steps), product_displacement(*steps)
    assert mine < 0.88 * product
    if max(steps) < 0.1:
        # In the plane: 2, and √2·∫∫ ‖(x, y)‖·e^{−x−y} = √2 + arsinh 1; steps cost their square.
        assert mine == pytest.approx(2.0, abs=max(steps) ** 2)
        assert product == pytest.approx(math.sqrt(2) + math.asinh(1), abs=max(steps) ** 2)
        return
    x, y = (
        epsilon * np.abs(np.arange(-round(70 / epsilon), round(70 / epsilon) + 1))
        for epsilon in steps
    )
    distance = np.hypot(x[:, None], y)
    for found, exponent in ((mine, distance), (product, (x[:, None] + y) / math.sqrt(2))):
        weights = np.exp(-exponent)
        assert found == pytest.approx((weights * distance).sum() / weights.sum(), rel=1e-13)


@pytest.mark.parametrize(("epsilon", "farther"), [(1.0, 1.06), (2.0, 1.40), (4.0, 4.27)])
def test_rounding_the_noise_of_the_plane_would_cost(epsilon: float, farther: float) -> None:
    # Andrés et al. 2013, §4.1–4.2: radius of density ε²r·e^{−εr}, angle even, nearest cell. The
    # standard error of a million is 0.3 % at most.
    rng = np.random.default_rng(4)
    radius, angle = rng.gamma(2.0, 1 / epsilon, 10**6), rng.uniform(0, 2 * np.pi, 10**6)
    x, y = np.rint(radius * np.cos(angle)), np.rint(radius * np.sin(angle))
    rounded = epsilon * float(np.hypot(x, y).mean())
    assert rounded / planar_displacement(epsilon, epsilon) == pytest.approx(farther, rel=0.015)


@pytest.mark.parametrize("grid", [US_GRID, GridDomain(-60.0, -100.0, 5.0, 20, 50)])
def test_kilometres_hold_as_the_crow_flies(grid: GridDomain) -> None:
    policy = EuclideanMetric.per_km(grid, 0.02)
    rng = np.random.default_rng(9)
    x, other = rng.integers(0, grid.k, (2, 100_000))
    corners = np.array([0, grid.columns - 1, grid.k - grid.columns, grid.k - 1])
    x, other = np.append(x, np.tile(corners, 4)), np.append(other, np.repeat(corners, 4))
    great = great_circle(grid, x, other)
    assert (policy.between(x, other) <= 0.02 * great * (1 + 1e-12)).all()
    # And nearly reached by neighbours to the north.
    assert policy.epsilon_row == pytest.approx(0.02 * great_circle(grid, [0], [grid.columns])[0])


def great_circle(grid: GridDomain, x: ArrayLike, other: ArrayLike) -> Floats:
    """(n,) kilometres between the centres of cells, by the haversine formula."""
    (row, column), (row_other, column_other) = grid.row_column(x), grid.row_column(other)
    latitude, longitude = np.radians(grid.latitudes()), np.radians(grid.longitudes())
    north = latitude[row] - latitude[row_other]
    east = longitude[column] - longitude[column_other]
    cosines = np.cos(latitude[row]) * np.cos(latitude[row_other])
    square = np.sin(north / 2) ** 2 + cosines * np.sin(east / 2) ** 2
    return np.degrees(2 * np.arcsin(np.sqrt(square))) * KM_PER_DEGREE
