"""How far reports lie off: closed forms against exact channels, drawn reports and brute force."""

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.domain.grid import KM_PER_DEGREE, US_GRID, GridDomain
from caldp_core.domain.partitions import grid_blocks
from caldp_core.mechanisms import catalogue
from caldp_core.mechanisms.base import Mechanism
from caldp_core.mechanisms.direct.few_values import ExponentialMechanism
from caldp_core.mechanisms.direct.geometric_axis import GridGeometricMechanism
from caldp_core.mechanisms.direct.planar import PlanarGeometricMechanism, product_displacement
from caldp_core.privacy.context import Context, dense
from caldp_core.privacy.distance import (
    DistanceMetric,
    EuclideanMetric,
    GridMetric,
    symbols_within_level,
)
from caldp_core.theory.bounds import (
    block_report_distribution,
    blocks_with_displacement,
    cell_km,
    displacement,
    displacement_in_blocks,
    report_distribution,
)
from tests.contract.checks import naming
from tests.mechanisms.planar_distance import planar_displacement

SMALL = GridDomain(40.0, -75.0, 0.5, 6, 7)


def noises() -> list[Mechanism]:
    euclid = EuclideanMetric.per_km(SMALL, 0.02)
    return [
        PlanarGeometricMechanism(euclid),
        GridGeometricMechanism(GridMetric.per_km(SMALL, 0.02)),
        GridGeometricMechanism(euclid.stricter_grid_metric()),
        ExponentialMechanism(DistanceMetric.from_policy(euclid)),
    ]


def test_reports_are_the_channels_rows() -> None:
    for mechanism in noises():
        with naming(type(mechanism).__name__):
            rows = np.array(mechanism.exact_channel(), dtype=float)
            for x in (0, 17, SMALL.k - 1):
                np.testing.assert_allclose(report_distribution(mechanism, x), rows[x], atol=1e-12)


def test_drawn_reports_lie_as_far_off() -> None:
    # |mean − expected| ≤ 5.1 standard errors: two-sided 3.4e-7 a mechanism. 40,000 reports tell
    # an ε that is 5 % off: the mean moves by about 4 %, eight standard errors.
    rng = np.random.default_rng(3)
    km = SMALL.km_from(17)
    for mechanism in noises():
        with naming(type(mechanism).__name__):
            off = km[mechanism.privatize(np.full(40_000, 17), rng)]
            expected = displacement(report_distribution(mechanism, 17), km)
            assert abs(off.mean() - expected) < 5.1 * off.std() / 200
    weaker = PlanarGeometricMechanism(EuclideanMetric.per_km(SMALL, 0.021))
    off = km[weaker.privatize(np.full(40_000, 17), rng)]
    expected = displacement(report_distribution(noises()[0], 17), km)
    assert abs(off.mean() - expected) > 5.1 * off.std() / 200


def test_far_from_borders_it_is_the_planes() -> None:
    # A map near the equator, so that a cell is as wide as it is high; distances are far from it.
    domain = GridDomain(-1.0, 10.0, 0.02, 100, 100)
    middle, rate = 50 * 100 + 50, 0.2
    euclid = EuclideanMetric.per_km(domain, rate)
    steps = (euclid.epsilon_row, euclid.epsilon_column)
    km = domain.km_from(middle)
    planar = displacement(report_distribution(PlanarGeometricMechanism(euclid), middle), km)
    assert planar == pytest.approx(planar_displacement(*steps) / rate, rel=2e-3)
    product = displacement(
        report_distribution(GridGeometricMechanism(euclid.stricter_grid_metric()), middle), km
    )
    assert product == pytest.approx(product_displacement(*steps) / rate, rel=2e-3)
    assert product > 1.1 * planar


def test_reports_in_blocks_are_randomized_response() -> None:
    labels = grid_blocks(SMALL, 2, 3).labels
    mechanism = catalogue.in_context(Context.block_structured(labels, 1.3), "randomized-response")
    rows = np.array(mechanism.exact_channel(), dtype=float)
    # The channel's columns are hidden symbols block after block.
    order = np.argsort(labels, kind="stable")
    for x in range(SMALL.k):
        law = block_report_distribution(labels, x, 1.3)
        np.testing.assert_allclose(law[order], rows[x], atol=1e-12)
    assert abs(block_report_distribution(labels, 0, 1.4)[0] - rows[0].max()) > 1e-3


def test_blocks_by_offsets_are_the_mean_over_all_cells() -> None:
    height, width = cell_km(SMALL)
    row, column = np.divmod(np.arange(SMALL.k), SMALL.columns)
    flat = np.hypot(height * (row[:, None] - row), width * (column[:, None] - column))
    for cut in ((1, 1), (2, 3), (4, 5), (6, 7)):
        with naming(f"{cut}"):
            labels = grid_blocks(SMALL, *cut).labels
            each = [
                displacement(block_report_distribution(labels, x, 0.7), flat[x])
                for x in range(SMALL.k)
            ]
            found = displacement_in_blocks(SMALL, *cut, 0.7)
            assert found == pytest.approx(np.mean(each), rel=1e-12, abs=1e-12)


def test_blocks_as_far_are_the_nearest_there_are() -> None:
    for km in (15.0, 40.0, 120.0, 700.0):
        with naming(f"{km}"):
            rows, columns = blocks_with_displacement(US_GRID, km, 1.0)
            own = displacement_in_blocks(US_GRID, rows, columns, 1.0)
            assert own == pytest.approx(km, rel=0.35)
            height, width = cell_km(US_GRID)
            aspect = (US_GRID.rows / rows * height) / (US_GRID.columns / columns * width)
            assert 0.6 < aspect < 1.7
            for other in (rows - 1, rows + 1):
                if 1 <= other <= US_GRID.rows:
                    square = round(columns * other / rows)
                    far = displacement_in_blocks(US_GRID, other, max(square, 1), 1.0)
                    assert abs(far - km) >= abs(own - km) - 0.02 * km
    assert blocks_with_displacement(SMALL, 0.0, 1.0) == (SMALL.rows, SMALL.columns)
    assert blocks_with_displacement(SMALL, 20_000.0, 1.0) == (1, 1)


def test_great_circles_agree_with_vectors_on_the_sphere() -> None:
    latitude, longitude = np.radians(US_GRID.latitudes()), np.radians(US_GRID.longitudes())
    north, east = (each.ravel() for each in np.meshgrid(latitude, longitude, indexing="ij"))
    points = np.stack([np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)])
    for x in (0, 25_675, US_GRID.k - 1):
        chord = np.linalg.norm(points - points[:, [x]], axis=0)
        km = np.degrees(2 * np.arcsin(chord / 2)) * KM_PER_DEGREE
        np.testing.assert_allclose(US_GRID.km_from(x), km, rtol=1e-9, atol=1e-9)


def test_the_ring_is_what_the_policy_says() -> None:
    for policy in (EuclideanMetric.per_km(SMALL, 0.01), GridMetric.per_km(SMALL, 0.01)):
        levels = dense(policy)
        for level in (0.3, 1.0, float(levels[17, 19])):
            ring = symbols_within_level(policy, 17, level)
            np.testing.assert_array_equal(ring, levels[17] <= level * (1 + 1e-12))
            assert ring[17]
    # As the crow flies more places are within 1 nat than along streets.
    euclid, streets = EuclideanMetric.per_km(SMALL, 0.01), GridMetric.per_km(SMALL, 0.01)
    assert (
        symbols_within_level(euclid, 17, 1.0).sum() > symbols_within_level(streets, 17, 1.0).sum()
    )


def test_reports_that_are_no_places_are_refused() -> None:
    with pytest.raises(CaldpError, match="not places"):
        report_distribution(catalogue.in_context(Context.plain(5, 1.0), "hadamard"), 0)
    with pytest.raises(CaldpError, match="x must"):
        report_distribution(noises()[0], SMALL.k)
