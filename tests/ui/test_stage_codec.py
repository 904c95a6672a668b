"""Codes of shares keep their promise; what goes to the browser is small, named by content."""

import json
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caldp_core.datasets import state_outline, us_cities
from caldp_core.domain.grid import US_GRID
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.stage import codec, nobody_below

BUDGET = 40_000
"""Bytes for one picture of the reconstruction."""
SHARES = st.floats(codec.SMALLEST, 1.0) | st.floats(-1.0, -codec.SMALLEST)


@given(st.lists(SHARES, min_size=1, max_size=50))
def test_shares_come_back_within_a_thousandth(shares: list[float]) -> None:
    values = np.array(shares)
    back = codec.values(codec.codes(values))
    assert (np.abs(back - values) <= 4.3e-4 * np.abs(values)).all()


def test_nobody_and_what_is_beyond_the_scale() -> None:
    shares = np.array([0.0, 1e-13, -1e-13, 1.0, 7.0, -7.0, codec.SMALLEST])
    assert codec.codes(shares).tolist() == [0, 0, 0, 32767, 32767, 65535, 1]
    assert codec.values(codec.codes(shares)).tolist() == [0, 0, 0, 1, 1, -1, codec.SMALLEST]


def test_codes_keep_the_order_of_shares() -> None:
    shares = np.sort(np.random.default_rng(5).random(1000) ** 20)
    assert (np.diff(codec.codes(shares).astype(int)) >= 0).all()


@pytest.mark.parametrize("scenario", [Scenario(), Scenario().plain()], ids=["blocks", "plain"])
def test_a_picture_of_the_reconstruction_is_within_its_budget(scenario: Scenario) -> None:
    from caldp_core.experiments.run import prepare, run

    result = run(prepare(scenario))
    assert len(codec.encode_people(result.first.estimate, result.setup.n).packed) <= BUDGET
    assert result.first.levels is not None
    assert len(codec.encode_levels(result.first.levels).packed) <= BUDGET / 5
    noise = np.random.default_rng(1).normal(0, 1e-4, US_GRID.k)
    assert len(codec.encode(noise).packed) > BUDGET, "the measure does not see what is large"


@given(st.lists(SHARES, min_size=1, max_size=50), st.integers(10, 10**12))
def test_people_come_back_as_a_map_shows_them(shares: list[float], people: int) -> None:
    exact = np.array(shares)
    found = codec.values(codec.people_codes(exact, people))
    number, sent = np.abs(exact) * people, np.abs(found) * people
    visible = np.abs(exact) >= nobody_below(people)
    np.testing.assert_array_equal(found != 0, visible)
    assert (found[visible] * exact[visible] > 0).all()
    few, many = visible & (number < 30), number >= 999.5
    whole = visible & ~few & ~many
    np.testing.assert_array_equal(np.rint(sent[whole]), np.rint(number[whole]))
    levels_off = np.abs(np.log10(found[few] / exact[few])) / 4 * 254
    assert (levels_off <= 0.5).all()  # of 255 colours for a range of 10⁴
    assert (np.abs(sent[many] / number[many] - 1) < 1.3e-3).all()


def test_standard_errors_come_back_to_a_hundredth() -> None:
    errors = np.array([0.0, 1e-9, 3e-5, 0.02, 1.0])
    raw = np.frombuffer(zlib.decompress(codec.encode_errors(errors).packed), "<u2")
    np.testing.assert_allclose(codec.values(raw), errors, rtol=0.014)


def test_equal_pictures_have_one_name() -> None:
    shares = np.array([0.5, 0.25, 0.25])
    assert codec.encode(shares) == codec.encode(shares.copy())
    assert codec.encode(shares).name != codec.encode(shares[::-1].copy()).name


def test_labels_masks_and_lines_are_what_the_browser_reads() -> None:
    labels = np.array([0, 70_000, 3])
    raw = zlib.decompress(codec.encode_labels(labels).packed)
    assert np.frombuffer(raw, "<u4").tolist() == labels.tolist()
    mask = np.arange(11) % 3 == 0
    bits = np.frombuffer(zlib.decompress(codec.encode_mask(mask).packed), np.uint8)
    assert np.unpackbits(bits, count=11, bitorder="little").astype(bool).tolist() == mask.tolist()
    lines = codec.encode_lines(np.array([1.25, np.nan]), np.array([-2.5, np.nan]))
    points = np.frombuffer(zlib.decompress(lines.packed), "<i4").tolist()
    assert points == [1250, -2500, -(2**31), -(2**31)]


def test_the_shipped_outline_is_small() -> None:
    assert len(codec.encode_lines(*state_outline()).packed) < 20_000


def test_a_parcel_holds_a_head_and_each_blob_once() -> None:
    blob, other = codec.encode(np.array([0.5])), codec.encode(np.array([0.25, 0.75]))
    parcel = codec.pack_message({"stage": "map"}, [blob, other, blob])
    body = 4 + int.from_bytes(parcel[:4], "little")
    head = json.loads(parcel[4:body])
    assert head["stage"] == "map"
    assert head["blobs"] == [[each.name, len(each.packed)] for each in (blob, other)]
    assert parcel[body:] == blob.packed + other.packed


@pytest.mark.parametrize(
    ("text", "cells"),
    [("", []), ("0+2,4+1", [0, 1, 4]), ("4+9", [4]), ("x+1,-3+2,2,+,1+y", []), ("9+1", [])],
)
def test_runs_become_cells_and_nonsense_becomes_nothing(text: str, cells: list[int]) -> None:
    assert np.flatnonzero(codec.parse_runs(text, 5)).tolist() == cells


def test_cities_are_places_of_the_map_and_none_hides_another() -> None:
    cities = us_cities()
    assert cities[0].name == "New York"
    places = np.array([(city.latitude, city.longitude) for city in cities])
    assert (US_GRID.locate(places[:, 0], places[:, 1]) >= 0).all()
    near = (np.abs(places[:, None] - places[None]) < 0.19).all(axis=2)
    assert near.sum() == len(cities)
    assert all(city.population > 0 and city.region for city in cities)
