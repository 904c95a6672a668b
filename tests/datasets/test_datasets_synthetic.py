"""Made-up distributions."""

from typing import Any

import numpy as np
import pytest
from scipy import integrate

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import (
    Cities,
    Geometric,
    PermutedGeometric,
    Uniform,
    YesOrNo,
    Zipf,
    synthetic,
)
from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import US_GRID

ALL = [Uniform(), Geometric(), PermutedGeometric(), Zipf(), YesOrNo(), Cities()]


@pytest.mark.parametrize("spec", ALL, ids=lambda spec: type(spec).__name__)
def test_every_spec_gives_a_named_distribution(spec: Any) -> None:
    shares: list[float] = []
    dataset = spec.load(shares.append)
    assert shares[-1] == 1.0
    assert "synthetic" in dataset.name
    assert dataset.note
    assert dataset.n is None
    assert dataset.distribution.shape == (dataset.domain.k,)
    assert dataset.distribution.sum() == pytest.approx(1, abs=1e-12)
    assert (dataset.distribution >= 0).all()
    assert spec == type(spec)()
    assert hash(spec) == hash(type(spec)())


def test_uniform() -> None:
    dataset = Uniform(7).load()
    assert dataset.domain == Domain(7)
    assert dataset.distribution == pytest.approx(np.full(7, 1 / 7))


def test_yes_or_no_has_words() -> None:
    dataset = YesOrNo(0.25).load()
    assert dataset.domain == Domain(2, ("no", "yes"))
    assert dataset.distribution.tolist() == [0.75, 0.25]
    assert YesOrNo(0.0).load().distribution.tolist() == [1.0, 0.0]


def test_geometric_is_the_papers() -> None:
    p = Geometric(k=12, rate=0.3).load().distribution
    masses = [0.7**i * 0.3 for i in range(12)]
    assert p == pytest.approx(np.array(masses) / sum(masses), rel=1e-12)


@pytest.mark.parametrize("rate", [1e-6, 0.5, 1 - 1e-6])
def test_geometric_bears_extreme_rates(rate: Any) -> None:
    p = Geometric(k=2**20, rate=rate).load().distribution
    assert np.isfinite(p).all()
    assert p[0] == p.max() > 0


def test_zipf_shares_are_the_papers() -> None:
    p = Zipf(k=5, rate=2.0).load().distribution
    masses = [1, 1 / 4, 1 / 9, 1 / 16, 1 / 25]
    assert p == pytest.approx(np.array(masses) / sum(masses), rel=1e-12)
    assert Zipf(k=5, rate=0.0).load().distribution == pytest.approx(np.full(5, 0.2))


def test_permuted_geometric_has_the_same_masses_in_another_order() -> None:
    plain = Geometric(k=50, rate=0.1).load().distribution
    first = PermutedGeometric(k=50, rate=0.1, seed=1).load().distribution
    again = PermutedGeometric(k=50, rate=0.1, seed=1).load().distribution
    other = PermutedGeometric(k=50, rate=0.1, seed=2).load().distribution
    assert np.sort(first)[::-1] == pytest.approx(plain, rel=1e-12)
    assert (first == again).all()
    assert not np.allclose(first, plain)
    assert not np.allclose(first, other)


@pytest.mark.parametrize(
    ("spec", "field", "value"),
    [
        (Uniform, "k", 0),
        (Uniform, "k", 2**20 + 1),
        (Geometric, "k", 1.5),
        (Geometric, "rate", 0.0),
        (Geometric, "rate", 1.0),
        (Geometric, "rate", float("nan")),
        (PermutedGeometric, "rate", 1.0),
        (PermutedGeometric, "seed", -1),
        (Zipf, "rate", -0.1),
        (Zipf, "rate", 11),
        (YesOrNo, "yes", 1.5),
        (Cities, "cities", 0),
        (Cities, "cities", 1001),
        (Cities, "spread_km", 0.5),
        (Cities, "spread_km", float("inf")),
        (Cities, "background", -0.01),
        (Cities, "background", 1.01),
        (Cities, "seed", 2**32),
        (Cities, "seed", True),
    ],
)
def test_values_out_of_range_name_the_field(spec: Any, field: str, value: Any) -> None:
    with pytest.raises(CaldpError, match=field):
        spec(**{field: value})


def test_cities_depend_on_the_seed_only() -> None:
    a, b, c = (Cities(seed=seed).load().distribution for seed in (3, 3, 4))
    assert (a == b).all()
    assert not np.allclose(a, c)


def test_background_alone_is_uniform() -> None:
    p = Cities(background=1.0).load().distribution
    assert p == pytest.approx(np.full(US_GRID.k, 1 / US_GRID.k))
    assert (Cities(background=0.2).load().distribution >= 0.2 / US_GRID.k * (1 - 1e-9)).all()


def one_city(latitude: float, longitude: float, spread_km: float) -> Any:
    people = synthetic._city_map(
        np.array([latitude]), np.array([longitude]), spread_km, np.array([1.0])
    )
    return people.reshape(US_GRID.rows, US_GRID.columns)


@pytest.mark.parametrize("latitude", [30.0, 45.0])
def test_a_city_is_round_in_kilometres(latitude: float) -> None:
    people = one_city(latitude, -95.0, 80.0)
    north = (US_GRID.latitudes() - latitude) * 111.195
    east = (US_GRID.longitudes() + 95.0) * 111.195 * np.cos(np.radians(latitude))
    assert people.sum() == pytest.approx(1)
    assert np.sqrt(people.sum(axis=1) @ north**2) == pytest.approx(80, rel=0.01)
    assert np.sqrt(people.sum(axis=0) @ east**2) == pytest.approx(80, rel=0.01)


def test_a_cell_holds_the_gaussian_integrated_over_it() -> None:
    people = one_city(40.07, -95.03, 9.0)
    row, column = (int(i[0]) for i in US_GRID.row_column(US_GRID.locate([40.3], [-95.3])))
    wide = np.cos(np.radians(40.07))

    def density(x: float, y: float) -> Any:
        north, east = (y - 40.07) * 111.195 / 9, (x + 95.03) * 111.195 * wide / 9
        return np.exp(-(north**2 + east**2) / 2) / (2 * np.pi) * (111.195 / 9) ** 2 * wide

    expected, _ = integrate.dblquad(density, 40.2, 40.4, -95.4, -95.2)
    assert people[row, column] == pytest.approx(expected, rel=1e-6)


def test_a_narrow_city_and_one_at_the_edge_keep_all_their_people() -> None:
    narrow = one_city(40.1, -95.1, 1.0)
    assert narrow.max() > 0.999
    for latitude, longitude in ((25.0, -130.0), (49.999, -60.001)):
        assert one_city(latitude, longitude, 200.0).sum() == pytest.approx(1)


def test_city_sizes_followzipf_sharess_law() -> None:
    far_apart = np.array([30.0, 40.0, 48.0]), np.array([-120.0, -95.0, -70.0])
    shares = synthetic.zipf_shares(3, 1.0)
    assert shares == pytest.approx(np.array([6, 3, 2]) / 11)
    people = synthetic._city_map(*far_apart, 20.0, shares).reshape(US_GRID.rows, US_GRID.columns)
    thirds = [people[:, :90].sum(), people[:, 90:240].sum(), people[:, 240:].sum()]
    assert thirds == pytest.approx(shares)


def test_places_are_uniform_on_the_surface() -> None:
    latitude, longitude = synthetic._places(20_000, np.random.default_rng(5))
    assert (US_GRID.locate(latitude, longitude) >= 0).all()
    # sin(latitude) is uniform: its mean has a standard error of 0.0007, six of them make 0.004.
    low, high = np.sin(np.radians([25.0, 50.0]))
    assert np.sin(np.radians(latitude)).mean() == pytest.approx((low + high) / 2, abs=0.004)
    # Places uniform in degrees would fail that bound.
    assert np.sin(np.radians(np.linspace(25, 50, 1001))).mean() > (low + high) / 2 + 0.006
    assert longitude.mean() == pytest.approx(-95, abs=0.9)
