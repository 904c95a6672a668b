"""A public map: its people on other cells, and files that it is read from, our own among them."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.cli.commands import main
from caldp_core.datasets import Cities, Zipf, inspect_data, read_places
from caldp_core.datasets.files.published import count_published_map
from caldp_core.datasets.public_map import PublicMap, public_map_from_weights
from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.forecast import SAME, invalid_error_reason
from caldp_core.experiments.metrics import total_variation
from caldp_core.experiments.run import Result, prepare, run
from caldp_core.experiments.table import as_csv, as_geojson, columns_of
from caldp_core.scenarios.blocks import OneBlock
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.expected_error import Budget
from tests.contract.checks import naming

AREA = "25,35,-110,-96"
LAST_YEAR = Scenario(Cities(together=5), n=400_000, seed=3).with_context(
    blocks=OneBlock(), epsilon=4.0
)
THIS_YEAR = replace(LAST_YEAR, n=200_000, seed=4).with_context(epsilon=1.0)


@pytest.fixture(scope="module")
def last() -> Result:
    return run(prepare(LAST_YEAR))


def by_points(spec: PublicMap, domain: GridDomain, fine: int = 12) -> Floats:
    """Each cell's part at fine × fine points of it, counted where they lie: the slow route."""
    source, found = spec.grid(), np.zeros(domain.k)
    steps = (np.arange(fine) + 0.5) / fine * source.cell
    for cell, part in enumerate(spec.weights().tolist()):
        row, column = divmod(cell, source.columns)
        latitudes = np.repeat(source.south + row * source.cell + steps, fine)
        longitudes = np.tile(source.west + column * source.cell + steps, fine)
        turned = np.where(longitudes > 180, longitudes - 360, longitudes)
        cells = domain.locate(latitudes, turned)
        np.add.at(found, cells[cells >= 0], part / fine**2)
    return np.asarray(found / found.sum())


def test_a_map_is_spread_evenly_over_its_cells_on_any_other() -> None:
    rng = np.random.default_rng(1)
    source = GridDomain(40.0, -6.0, 0.5, 4, 6)
    spec = public_map_from_weights(rng.integers(0, 9, source.k), source, "a")
    assert spec.shares_on(source) == pytest.approx(spec.weights() / spec.weights().sum())
    grids = {
        "finer": GridDomain(40.0, -6.0, 0.25, 8, 12),
        "coarser": GridDomain(40.0, -6.0, 1.0, 2, 3),
        "shifted, a part": GridDomain(40.25, -5.75, 0.5, 3, 4),
        "one that hides it": GridDomain(0.0, -20.0, 60.0, 1, 1),
    }
    for name, grid in grids.items():
        with naming(name):
            assert spec.shares_on(grid) == pytest.approx(by_points(spec, grid), abs=1e-9)
    across = GridDomain(50.0, 170.0, 1.0, 3, 20)
    west = public_map_from_weights(np.arange(1, 13), GridDomain(50.0, -178.0, 1.0, 3, 4), "b")
    assert west.shares_on(across) == pytest.approx(by_points(west, across))
    assert west.shares_on(across).reshape(3, 20)[:, 12:16].sum() == pytest.approx(1.0)


def test_maps_that_say_nothing_are_refused() -> None:
    spec = PublicMap("0:1", "40,41,-6,-5", 0.5, "Spain")
    with pytest.raises(CaldpError, match="'Spain' has nobody on this map"):
        spec.shares_on(GridDomain(40.0, 10.0, 0.5, 2, 2))
    with pytest.raises(CaldpError, match="on no map"):
        spec.shares_on(Domain(3))
    for parts in ("0:0", "", "5:1", "1:1 0:1", "0:x"):
        with naming(parts), pytest.raises(CaldpError, match="parts must be"):
            PublicMap(parts, "40,41,-6,-5", 0.5)
    with pytest.raises(CaldpError, match="needs a public map"):
        prepare(replace(THIS_YEAR, estimator="cascade-map"))
    with pytest.raises(CaldpError, match="on no map"):
        prepare(replace(Scenario(Zipf(), n=100).with_context(blocks=OneBlock()), prior=spec))


def published(data: bytes, domain: GridDomain, title: str) -> PublicMap:
    detected = inspect_data(data)
    return count_published_map(detected, detected.places, title, domain).published


def test_last_years_estimate_is_read_as_it_was_written(last: Result) -> None:
    domain, shares = last.setup.dataset.domain, last.first.estimate
    assert isinstance(domain, GridDomain)
    files = {"csv": as_csv(columns_of(last)), "geojson": as_geojson(last)}
    for kind, text in files.items():
        with naming(kind):
            found = published(text.encode(), domain, "last year")
            assert total_variation(found.shares_on(domain), shares) < 1e-6
            # Its own cells, which are larger, on the map in its smallest ones.
            fine = prepare(replace(LAST_YEAR, dataset=Cities())).dataset.domain
            assert isinstance(fine, GridDomain)
            coarse = published(text.encode(), fine, "last year")
            assert coarse.cell == pytest.approx(domain.cell)
            assert total_variation(coarse.shares_on(domain), shares) < 1e-6
            assert (coarse.shares_on(fine) > 0).mean() == pytest.approx(
                (shares > 0).mean(), abs=0.02
            )
    people = read_places(files["csv"]).places
    assert people.counts().sum() == pytest.approx(last.setup.n, rel=0.01)  # no numbers of cells


def test_points_of_any_list_are_counted_on_the_map_and_what_is_elsewhere_is_told() -> None:
    domain = GridDomain(48.0, 11.0, 0.1, 10, 10)
    text = "lat,lon,people\n48.05,11.05,2.5\n48.05,11.05,1\n48.51,11.95,7\n52.5,13.4,1000\n"
    file = inspect_data(text)
    found = count_published_map(file, file.places, "towns", domain)
    assert found.published.area == str(domain.area)
    assert found.published.shares_on(domain)[[0, 59]] == pytest.approx([1 / 3, 2 / 3])
    assert found.people == 10
    assert (found.refused.count, found.refused.rows) == (1, 4)
    abroad = inspect_data("lat,lon\n52.5,13.4\n52.4,13.5\n")
    with pytest.raises(CaldpError, match="Nobody of 'the text' is on this map"):
        count_published_map(abroad, abroad.places, "Berlin", domain)


def test_the_command_takes_last_years_file_and_does_not_judge_the_data_by_themselves(
    last: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Budget, "single", lambda k: Budget(4, 4, 0.01))

    def run_file(*more: str) -> dict[str, object]:
        done = CliRunner().invoke(main, ["run", str(tmp_path / "s.json"), *more])
        assert done.exit_code == 0, done.stderr
        summary: dict[str, object] = json.loads(done.stdout)
        return summary

    (tmp_path / "s.json").write_text(json.dumps(THIS_YEAR.to_dict()), "utf-8")
    (tmp_path / "last year.csv").write_text(as_csv(columns_of(last)), "utf-8")
    alone, knowing = run_file(), run_file("--prior", str(tmp_path / "last year.csv"))
    scenario = Scenario.from_dict(knowing["scenario"])
    assert isinstance(scenario.prior, PublicMap)
    assert (scenario.estimator, scenario.prior.title) == ("cascade-map", "last year")
    assert run(prepare(scenario)).first.errors.tv == knowing["errors"]["tv"]["mean"]  # type: ignore[index]
    assert knowing["expected"]["tv"] < 0.8 * alone["expected"]["tv"]  # type: ignore[index]
    few = run_file("--q", "0.01")
    few_scenario = Scenario.from_dict(few["scenario"])
    assert few_scenario == replace(THIS_YEAR, false_share=0.01)
    assert run(prepare(few_scenario)).first.errors.tv == few["errors"]["tv"]["mean"]  # type: ignore[index]
    assert few["errors"] != alone["errors"]
    truth, domain = last.setup.dataset.distribution, last.setup.dataset.domain
    assert isinstance(domain, GridDomain)
    same = public_map_from_weights(truth, domain, "the data")
    setup = prepare(replace(THIS_YEAR, estimator="cascade-map", prior=same))
    assert invalid_error_reason(setup) == SAME
    assert not invalid_error_reason(prepare(replace(setup.scenario, estimator="cascade")))
    assert not invalid_error_reason(prepare(scenario))


def test_values_take_no_map(tmp_path: Path) -> None:
    scenario = Scenario(Zipf(), n=100).with_context(blocks=OneBlock())
    (tmp_path / "s.json").write_text(json.dumps(scenario.to_dict()), "utf-8")
    (tmp_path / "p.csv").write_text("lat,lon\n1,1\n", "utf-8")
    done = CliRunner().invoke(
        main, ["run", str(tmp_path / "s.json"), "--prior", str(tmp_path / "p.csv")]
    )
    assert done.exit_code == 2
    assert "on none" in done.stderr
