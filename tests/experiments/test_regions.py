"""Reports on parts of the domain and on areas: exact blocks, ranges, and an estimate's trust."""

import io
import json
import struct
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
import scipy
import shapely
from scipy.stats import binom, chi2, norm

from caldp_core import Context, run
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats, Ints, Progress, sums_by
from caldp_core.datasets import Dataset, Geometric, OwnTable, Zipf, from_counts, read_places
from caldp_core.domain.domains import Domain, GridDomain
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.intervals import intervals, may_be_noise, ranges
from caldp_core.experiments.regions import (
    RegionReport,
    ResultAreas,
    areas_as_geojson,
    region_report,
)
from caldp_core.experiments.run import Setup, prepare, run_trial
from caldp_core.experiments.table import as_csv, as_geojson, as_geoparquet, columns_of
from caldp_core.mechanisms import FAMILIES, Mechanism, in_context
from caldp_core.mechanisms.catalogue import Hadamard
from caldp_core.scenarios.blocks import EvenRuns, OneBlock, SensitiveSymbols
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_core.treatments.release import local_release
from tests import ROOT
from tests.stats import SIGNIFICANCE

CASES = [(family, own) for family in FAMILIES for own in (True, False)]
QUICK = [(family, False) for family in list(FAMILIES)[::3]] + [("hadamard", True)]
"""Where people are fixed, the interval leaves out their sampling error, whatever the family."""
PER_SIDE = SIGNIFICANCE / len(CASES) / 4
RUNS = 400
"""At ε = 6 the coins of k-RR add less than sampling does, so that taking one for the other shows.
The mean square of 400 errors in standard deviations is 1 ± 0.07, within 0.4; with half or twice
the variance it is 2 ± 0.14 or 0.5 ± 0.04: both outside."""
RUNS_THOROUGH = 1000
"""The interval holds the truth in Binomial(1000, 0.95) runs: 950, within 5.4·6.9 = 37. With half
the variance it would hold in 83 % or 834 ± 12, with twice in 99.4 % or 994 ± 2.4: both outside."""
SCENARIO = Scenario(
    policy=ContextPolicy(blocks=EvenRuns(5), sensitive=SensitiveSymbols(("0-29",)), epsilon=6.0),
    dataset=Zipf(40),
    n=10_000,
)
REGION = (np.arange(40) >= 6) & (np.arange(40) < 16)
"""A quarter of the first block of 8 cells and all of the second, but none of the others."""


def load_counts(scenario: Scenario, progress: Progress) -> Dataset:
    """A dataset with people of its own: 30 of symbol 0, 40 of symbol 1, …"""
    return from_counts("Counted", "Made up.", Domain(40), 10 * np.arange(3, 43))


def setup_of(family: str, own: bool) -> Setup:
    scenario = replace(SCENARIO, n=None if own else 10_000, mechanism=FAMILIES[family].spec())
    return prepare(scenario, load=load_counts)


def reports(setup: Setup, runs: int) -> list[RegionReport]:
    seeds = np.random.SeedSequence(5).spawn(runs)
    return [region_report(setup, run_trial(setup, seed), REGION) for seed in seeds]


def count_hits(found: list[RegionReport], off: float = 1.0) -> int:
    """In how many reports the interval holds the truth; `off`: factor of a wrong variance."""
    return sum(abs(r.estimate - r.truth) <= np.sqrt(off) * r.half_width for r in found)


def mean_square(found: list[RegionReport], off: float = 1.0) -> float:
    """Of the errors in standard deviations that the reports claim; `off`: as in `count_hits`."""
    z = np.array([(r.estimate - r.truth) / (r.half_width / norm.isf(0.025)) for r in found])
    return float(np.mean(z**2)) / off


def check_errors(found: list[RegionReport]) -> None:
    """They are 0 on average, and their mean square is as claimed."""
    runs = len(found)
    low, high = chi2.ppf(PER_SIDE, runs) / runs, chi2.isf(PER_SIDE, runs) / runs
    assert low <= mean_square(found) <= high
    for off in (0.5, 2.0):
        assert not low <= mean_square(found, off) <= high
    # 5.5 standard errors: p = 4e-8 for each of 24 cases.
    error = np.mean([r.estimate - r.truth for r in found])
    assert abs(error) <= 5.5 * found[0].half_width / norm.isf(0.025) / np.sqrt(runs)


@pytest.mark.slow
@pytest.mark.parametrize(("family", "own"), QUICK)
def test_estimates_are_right_on_average_and_err_as_they_say(family: str, own: bool) -> None:
    check_errors(reports(setup_of(family, own), RUNS))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("family", "own"), [case for number, case in enumerate(CASES) if number % 8 in (0, 3)]
)
def test_intervals_hold_the_truth_as_often_as_they_say(family: str, own: bool) -> None:
    found = reports(setup_of(family, own), RUNS_THOROUGH)
    check_errors(found)
    low, high = (law(PER_SIDE, RUNS_THOROUGH, 0.95) for law in (binom.ppf, binom.isf))
    assert low <= count_hits(found) <= high
    for off in (0.5, 2.0):
        assert not low <= count_hits(found, off) <= high


def test_what_a_report_says() -> None:
    setup = setup_of("hadamard", own=True)
    (report,) = reports(setup, 1)
    assert report.cells == 10
    assert report.exact_blocks == 1
    assert report.truth == pytest.approx((10 * np.arange(3, 43))[REGION].sum())
    assert 0 <= report.low <= report.estimate <= report.high
    assert report.is_lost_in_noise == (report.half_width > report.truth)


def test_whole_blocks_are_exact() -> None:
    setup = setup_of("hadamard", own=True)
    outcome = run_trial(setup, np.random.SeedSequence(1))
    report = region_report(setup, outcome, np.isin(setup.partition.labels, [2, 4]))
    assert report.exact_blocks == 2
    assert report.estimate == pytest.approx(report.truth)
    assert report.half_width == pytest.approx(0, abs=1e-6)
    assert not report.is_lost_in_noise
    everything = region_report(setup, outcome, np.ones(40, np.bool_))
    assert everything.estimate == pytest.approx(setup.n)


def test_an_interval_stays_among_the_people_there_are() -> None:
    setup = prepare(Scenario(Geometric(60, 0.5), policy=ContextPolicy(blocks=OneBlock()), n=1000))
    nobody = np.arange(60) >= 55
    seeds = np.random.SeedSequence(6).spawn(100)
    found = [region_report(setup, run_trial(setup, seed), nobody) for seed in seeds]
    assert all(min(each.estimate, 0) <= each.low <= each.high <= 1000 for each in found)
    assert all(each.low <= each.estimate <= each.high for each in found)
    assert all(each.low >= 0 for each in found if each.estimate >= 0)
    assert any(each.estimate + each.half_width < 0 for each in found)  # the case is there
    everybody = [region_report(setup, run_trial(setup, seed), np.arange(60) < 59) for seed in seeds]
    assert all(each.low <= each.processed_estimate <= each.high for each in everybody)
    assert all(each.high <= max(each.estimate, 1000 + 1e-9) for each in everybody)
    assert any(each.estimate - each.half_width > 1000 for each in everybody)


def test_an_empty_region_is_refused() -> None:
    setup = setup_of("hadamard", own=True)
    outcome = run_trial(setup, np.random.SeedSequence(1))
    with pytest.raises(CaldpError, match="holds no cell"):
        region_report(setup, outcome, np.zeros(40, np.bool_))


K, N, AREAS_RUNS = 60, 3_000, 60
LABELS = np.arange(K) % 7
MISSES = 1e-6


def mechanism(family: str) -> Mechanism:
    """Four blocks, in which every fourth symbol is not hidden."""
    return in_context(Context.of(np.arange(K) // 15, np.arange(K) % 4 > 0, 2.0), family)


def people(rng: np.random.Generator) -> Ints:
    return rng.multinomial(N, rng.dirichlet(np.full(K, 0.3)))


def misses(family: str, scale: float) -> tuple[int, int]:
    """Of `AREAS_RUNS` runs: those whose highest area is missed, and areas missed in all.

    `scale`: of the half widths; 1 as they are.
    """
    rng, made = np.random.default_rng(5), mechanism(family)
    counts = people(rng)
    truth, highest, every = sums_by(LABELS, counts / N, 7), 0, 0
    for _ in range(AREAS_RUNS):
        evidence = Evidence.of(made, made.sample_tally(counts, rng))
        sums = sums_by(LABELS, evidence.plausible, 7)
        ends = local_release(evidence, evidence.plausible).ends_of_areas(LABELS)
        low, high = (sums + scale * (end / evidence.n - sums) for end in (ends.low, ends.high))
        missed = (truth < low - 1e-12) | (truth > high + 1e-12)
        highest += bool(missed[np.argmax(sums)])
        every += int(missed.sum())
    return highest, every


@pytest.mark.parametrize("family", ["oue", "randomized-response"])
def test_ranges_hold_for_95_of_100_areas_and_for_the_highest(family: str) -> None:
    highest, every = misses(family, 1.0)
    assert highest <= scipy.stats.binom.isf(MISSES, AREAS_RUNS, 0.05)
    assert every <= 7 * scipy.stats.binom.isf(
        MISSES, AREAS_RUNS, 0.05
    )  # areas of a run are dependent
    _, of_narrow = misses(family, 0.4)
    assert of_narrow > 7 * scipy.stats.binom.isf(MISSES, AREAS_RUNS, 0.05)


def test_an_area_of_whole_blocks_is_known_and_a_part_of_one_is_not() -> None:
    made, rng = mechanism("oue"), np.random.default_rng(6)
    counts = people(rng)
    labels = np.where(np.arange(K) < 30, 0, 1 + (np.arange(K) >= 50))
    evidence = Evidence.of(made, made.sample_tally(counts, rng))
    ends = local_release(evidence, evidence.plausible).ends_of_areas(labels)
    assert [ends.low[0], ends.high[0]] == pytest.approx([counts[:30].sum()] * 2)
    assert (ends.high - ends.low)[1:].min() > 0.01 * N
    assert ends.always.tolist() == [True, False, False]


def test_geojson_draws_an_area_as_the_union_of_its_cells() -> None:
    grid = GridDomain.from_area(GridDomain(48.0, 11.0, 0.5, 2, 3).area, 0.5)
    cells = np.array([0, 0, 2, 0, 1, 2])
    areas = ResultAreas(("a", "b", "none"), cells, grid, np.where(cells == 2, 3, cells))
    shares: Floats = np.array([0.5, 0.25, 0.25])
    columns = {"area": list(areas.names), "estimated share": shares.tolist()}
    first, second, third = json.loads(areas_as_geojson(areas, columns))["features"]
    assert shapely.geometry.shape(first["geometry"]).area == pytest.approx(3 * 0.25)
    assert shapely.geometry.shape(second["geometry"]).bounds == (11.5, 48.5, 12.0, 49.0)
    assert third == {
        "type": "Feature",
        "geometry": None,
        "properties": {"area": "none", "estimated share": 0.25},
    }


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


@pytest.mark.slow
def test_where_variances_are_too_many_the_shares_stand_alone() -> None:
    result = run(prepare(of_example("planar-geometric")))
    head = as_csv(columns_of(result)).splitlines()[0]
    assert head == "number,latitude,longitude,block,estimated share,estimated people"
