"""Whoever is near a point is in a cell that counts as near, and no cell is far from all points."""

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.domain.grid import KM_PER_DEGREE, GridDomain
from caldp_core.domain.polygons import cells_within_km
from caldp_core.scenarios.blocks import SensitiveNear

WORLD = GridDomain(-90.0, -180.0, 2.0, 90, 180)
NORTH = GridDomain(66.0, 14.0, 0.05, 100, 200)
CITY = GridDomain(48.7, 2.1, 0.01, 36, 60)


def kilometres(one: Floats, other: Floats) -> Floats:
    """By unit vectors: another route than the haversine."""

    def on_sphere(place: Floats) -> Floats:
        latitude, longitude = np.radians(place).T
        return np.stack(
            [
                np.cos(latitude) * np.cos(longitude),
                np.cos(latitude) * np.sin(longitude),
                np.sin(latitude),
            ],
            axis=-1,
        )

    chord = np.linalg.norm(on_sphere(one) - on_sphere(other), axis=-1)
    return np.asarray(np.degrees(2 * np.arcsin(np.clip(chord / 2, 0, 1))) * KM_PER_DEGREE)


@pytest.mark.parametrize(
    ("grid", "point", "km"),
    [
        (WORLD, (10.0, 179.5), 700.0),  # across the date line
        (WORLD, (-87.0, 20.0), 400.0),  # a pole is near
        (NORTH, (69.0, 19.0), 30.0),
        (CITY, (48.853, 2.349), 0.3),
        (CITY, (48.69, 2.2), 2.0),  # off the map
    ],
)
def test_near_is_what_a_sphere_says(
    grid: GridDomain, point: tuple[float, float], km: float
) -> None:
    flags = cells_within_km(grid, np.array([point]), km)
    area, rng = grid.area, np.random.default_rng(4)
    people = rng.uniform((area.south, area.west), (area.north, area.east), (200_000, 2))
    apart = kilometres(people, np.array(point))
    cells = grid.locate(people[:, 0], people[:, 1])
    assert flags[cells[apart <= km]].all()  # everybody whom the words speak of
    assert flags.any()
    # Of a cell that counts some part is near: its diagonal away at most.
    diagonal = 1.45 * grid.cell * KM_PER_DEGREE
    assert (apart[flags[cells]] <= km + diagonal).all()
    assert not flags.all()


def test_several_points_are_each_near_and_none_is_nothing() -> None:
    points = np.array([[48.8, 2.2], [48.9, 2.5]])
    each = [cells_within_km(CITY, point[None], 0.5) for point in points]
    np.testing.assert_array_equal(cells_within_km(CITY, points, 0.5), each[0] | each[1])
    assert not cells_within_km(CITY, np.empty((0, 2)), 5.0).any()


@pytest.mark.parametrize(
    ("points", "km", "words"),
    [
        (("48.8",), 1.0, "latitude,longitude in degrees, got '48.8'"),
        (("north,2",), 1.0, "latitude,longitude"),
        (("91,2",), 1.0, "latitude of a point"),
        (("1,2",) * 501, 1.0, "At most 500 points, got 501"),
        (("1,2",), -1.0, "km must be a number in"),
    ],
)
def test_what_is_no_point_is_refused(points: tuple[str, ...], km: float, words: str) -> None:
    with pytest.raises(CaldpError, match=words):
        SensitiveNear(points, km)
