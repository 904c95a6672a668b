"""What is said of an estimate's trust: the ranges of the unbiased estimate, and noise called so."""

import io
import json
import struct
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest

from caldp_core import Scenario, prepare, run
from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import OwnTable, read_places
from caldp_core.estimation.intervals import intervals, may_be_noise, ranges
from caldp_core.experiments.table import as_csv, as_geojson, as_geoparquet, columns_of
from caldp_core.mechanisms.catalogue import Hadamard
from caldp_core.scenarios.blocks import OneBlock
from tests import ROOT


def of_example(name: str) -> Scenario:
    return Scenario.from_file(str(ROOT / "examples" / f"{name}.json"))


def test_every_row_says_how_far_it_can_be_trusted() -> None:
    result = run(prepare(replace(of_example("hadamard"), estimator="simplex")))
    columns = {name: np.array(column) for name, column in columns_of(result).items()}
    evidence, shares = result.first.evidence, result.first.estimate
    ends = ranges(evidence, shares)
    np.testing.assert_array_equal(columns["low"], ends.low)
    np.testing.assert_array_equal(columns["high"], ends.high)
    assert set(columns["level"]) == {0.95}
    np.testing.assert_array_equal(columns["may be noise"] == "yes", may_be_noise(evidence))
    known = shares > 0
    assert 0 < known.sum() < shares.size
    assert set(columns["relative error"][~known]) == {""}
    half = columns["relative error"][known].astype(float) * shares[known]
    np.testing.assert_allclose(2 * half, (ends.high - ends.low)[known])


def test_values_that_nobody_has_are_called_noise_and_those_of_many_are_not() -> None:
    """Of 500 values without people none is taken for one with people, but for 1 time in 40."""
    counts = (0,) * 500 + (60_000,) * 500
    table = OwnTable(tuple(f"value {i}" for i in range(1000)), counts)
    scenario = Scenario(table, mechanism=Hadamard(), seed=3)
    result = run(prepare(scenario.with_context(blocks=OneBlock(), epsilon=4.0)))
    noise = np.array(columns_of(result)["may be noise"])
    assert (noise[:500] == "yes").all()
    assert (noise[500:] == "no").sum() > 400
    # Must fail: each value's own range names 1 in 40 of them.
    assert (intervals(result.first.evidence).low[:500] > 0).sum() > 3


def test_a_map_is_saved_as_squares_with_the_same_columns() -> None:
    places = read_places("lat,lon,n\n48.1,11.5,90000\n48.2,11.6,50000\n-33.9,151.2,70000").places
    scenario = Scenario(places).with_context(epsilon=4.0)
    result = run(prepare(scenario))
    grid, columns = places.grid(), columns_of(result)
    made = json.loads(as_geojson(result))
    packed = as_geoparquet(result)
    table = pq.read_table(io.BytesIO(packed))
    assert json.loads(table.schema.metadata[b"geo"])["primary_column"] == "geometry"
    for cell, row in zip(made["features"], table.to_pylist(), strict=True):
        polygon = row.pop("geometry")
        assert (row, polygon[:13]) == (cell["properties"], struct.pack("<BIII", 1, 3, 1, 5))
        ring = np.frombuffer(polygon, "<f8", offset=13).reshape(-1, 2)
        np.testing.assert_array_equal(ring, cell["geometry"]["coordinates"][0])
    numbers = [each["properties"]["number"] for each in made["features"]]
    assert numbers == np.flatnonzero(result.first.estimate > 0).tolist()
    for each in made["features"][:50]:
        (ring,) = each["geometry"]["coordinates"]
        (west, south), (east, _), (_, north), _, last = ring
        assert last == ring[0]
        number = each["properties"].pop("number")
        assert grid.locate([(south + north) / 2], [(west + east) / 2]).tolist() == [number]
        for name, cell in each["properties"].items():
            assert cell == columns[name][number]
    with pytest.raises(CaldpError, match="needs a map"):
        as_geojson(run(prepare(of_example("hadamard"))))
    with pytest.raises(CaldpError, match="needs a map"):
        as_geoparquet(run(prepare(of_example("hadamard"))))


def test_where_variances_are_too_many_the_shares_stand_alone() -> None:
    result = run(prepare(of_example("planar-geometric")))
    head = as_csv(columns_of(result)).splitlines()[0]
    assert head == "number,latitude,longitude,block,estimated share,estimated people"
