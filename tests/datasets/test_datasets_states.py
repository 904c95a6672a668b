"""State labels and outline, checked against the borders by another route than the script's."""

import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from caldp_core.basics.types import Floats
from caldp_core.datasets import ELSEWHERE, state_outline, us_state_labels
from caldp_core.domain.grid import US_GRID
from tests import ROOT

DATA = ROOT / "data"


@pytest.fixture(scope="module")
def polygons() -> Any:
    """Per state: a list of polygons, each a list of rings, the first one its outside."""
    features = json.loads((DATA / "us_states.geojson").read_text(encoding="utf-8"))["features"]
    assert {feature["geometry"]["type"] for feature in features} <= {"Polygon", "MultiPolygon"}
    return {
        feature["properties"]["name"]: (
            [feature["geometry"]["coordinates"]]
            if feature["geometry"]["type"] == "Polygon"
            else feature["geometry"]["coordinates"]
        )
        for feature in features
    }


def turns(ring: Any, x: float, y: float) -> int:
    """Winding number of `ring` around (x, y): the sum of the angles its edges are seen under."""
    angles = np.unwrap(np.arctan2(*(np.array(ring) - (x, y)).T[::-1]))
    return round((angles[-1] - angles[0]) / (2 * np.pi))


def holds(state: Any, x: float, y: float) -> bool:
    return any(
        turns(outside, x, y) != 0 and all(turns(hole, x, y) == 0 for hole in holes)
        for outside, *holes in state
    )


def test_labels_are_contiguous_and_every_name_has_a_cell() -> None:
    labels, names = us_state_labels()
    assert labels.shape == (US_GRID.k,)
    assert labels.dtype == np.int64
    assert (np.bincount(labels, minlength=len(names)) > 0).all()
    assert labels.max() == len(names) - 1
    assert names[-1] == ELSEWHERE
    assert list(names[:-1]) == sorted(names[:-1])


def test_only_the_district_of_columbia_has_no_cell(polygons: Any) -> None:
    _, names = us_state_labels()
    assert set(polygons) - set(names) == {"District of Columbia"}
    assert len(names) == 49


def test_a_sample_of_cells_agrees_with_winding_numbers(polygons: Any) -> None:
    labels, names = us_state_labels()
    rng = np.random.default_rng(20)
    border = np.flatnonzero(np.diff(labels, prepend=labels[0]))
    sample = np.unique(np.concatenate([rng.choice(border, 120), rng.choice(US_GRID.k, 40)]))
    row, column = US_GRID.row_column(sample)
    for symbol, i, j in zip(sample, row, column, strict=True):
        x, y = US_GRID.longitudes()[j], US_GRID.latitudes()[i]
        states = [name for name, state in polygons.items() if holds(state, x, y)]
        assert [names[labels[symbol]]] == (states or [ELSEWHERE])


@pytest.mark.parametrize(
    ("latitude", "longitude", "state"),
    [
        (39.7, -105.0, "Colorado"),
        (30.3, -97.7, "Texas"),
        (44.9, -93.2, "Minnesota"),
        (28.5, -81.3, "Florida"),
        (47.5, -122.1, "Washington"),
        (47.5, -87.0, ELSEWHERE),  # Lake Superior
        (45.5, -73.5, ELSEWHERE),  # Montréal
        (38.9, -77.05, "Virginia"),  # the District itself
        (38.9, -76.98, "Maryland"),  # and its other half
        (30.0, -65.0, ELSEWHERE),
    ],
)
def test_well_known_places(latitude: float, longitude: float, state: str) -> None:
    labels, names = us_state_labels()
    assert names[labels[US_GRID.locate([latitude], [longitude])[0]]] == state


def test_areas_of_states_come_out_right() -> None:
    labels, names = us_state_labels()
    cosine = np.cos(np.radians(np.repeat(US_GRID.latitudes(), US_GRID.columns)))
    km2 = np.bincount(labels, cosine) * (US_GRID.cell * 111.195) ** 2
    areas = dict(zip(names, km2, strict=True))
    # Land area by the Census Bureau, 2010, in square kilometres.
    for state, land in {"Texas": 676_587, "Kansas": 211_754, "Colorado": 268_431}.items():
        assert areas[state] == pytest.approx(land, rel=0.02)


def test_outline_is_small_and_has_gaps() -> None:
    longitude, latitude = state_outline()
    assert longitude.shape == latitude.shape
    assert longitude.dtype == latitude.dtype == np.float64
    assert 8 * longitude.size <= 30_000
    assert (np.isnan(longitude) == np.isnan(latitude)).all()
    assert not np.isnan([longitude[0], longitude[-1]]).any()
    assert not (np.isnan(longitude[:-1]) & np.isnan(longitude[1:])).any()
    assert np.nanmin(longitude) > -125
    assert np.nanmax(longitude) < -66.9
    assert 24 < np.nanmin(latitude) < 25.5
    assert 49 < np.nanmax(latitude) < 49.5


def segments(longitude: Floats, latitude: Floats) -> tuple[Floats, Floats]:
    ends = np.stack([longitude, latitude], axis=1)
    a, b = ends[:-1], ends[1:]
    real = ~np.isnan(a + b).any(axis=1)
    return a[real], b[real]


def test_outline_follows_every_border_but_small_islands(polygons: Any) -> None:
    longitude, latitude = state_outline()
    a, b = segments(longitude, latitude)
    along = b - a
    for state in polygons.values():
        for ring in (np.array(ring) for polygon in state for ring in polygon):
            if np.ptp(ring, axis=0).max() < 0.2:
                continue
            for point in ring:
                share = ((point - a) * along).sum(axis=1) / (along**2).sum(axis=1)
                nearest = a + np.clip(share, 0, 1)[:, None] * along
                assert np.hypot(*(point - nearest).T).min() <= 0.05 + 1e-9


def test_outline_draws_nothing_twice_and_nothing_new(polygons: Any) -> None:
    corners = {
        (x, y)
        for state in polygons.values()
        for polygon in state
        for ring in polygon
        for x, y in ring
    }
    longitude, latitude = state_outline()
    points = [p for p in zip(longitude, latitude, strict=True) if not np.isnan(p[0])]
    assert set(points) <= corners
    drawn = [frozenset(pair) for pair in pairwise(zip(longitude, latitude, strict=True))]
    real = [pair for pair in drawn if not any(np.isnan(x) for x, _ in pair)]
    assert len(real) == len(set(real))
