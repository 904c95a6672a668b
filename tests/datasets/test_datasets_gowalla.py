"""The shipped check-ins and the population of places."""

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import Gowalla, population_prior, shipped
from caldp_core.domain.grid import US_GRID, GridDomain
from tests import ROOT
from tests.contract.checks import check_progress

DATA = ROOT / "data"


def rows(name: str) -> list[dict[str, str]]:
    with gzip.open(DATA / name, "rt", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_gowalla_has_the_papers_people_and_says_that_it_is_a_reconstruction() -> None:
    dataset = Gowalla().load()
    assert dataset.name == "Gowalla (reconstructed grid)"
    assert "reconstruction" in dataset.note.lower()
    assert dataset.domain == US_GRID
    assert dataset.n == 3_671_812
    assert dataset.distribution.sum() == pytest.approx(1, abs=1e-12)
    assert not dataset.distribution.flags.writeable


def test_gowalla_agrees_with_its_file_cell_by_cell() -> None:
    counts = Gowalla().load().counts
    assert counts is not None
    listed = rows("gowalla_us_reconstruction.csv.gz")
    for row in listed:
        symbol = int(row["lat_index"]) * 350 + int(row["lon_index"])
        assert counts[symbol] == int(row["checkins"])
    assert np.count_nonzero(counts) == len(listed) == 9_114


def test_a_part_has_the_counts_of_its_cells() -> None:
    whole, part = Gowalla().load(), Gowalla("39.8,42.6,-77.2,-71").load()
    assert whole.counts is not None
    assert part.counts is not None
    assert isinstance(part.domain, GridDomain)
    middles = np.meshgrid(part.domain.latitudes(), part.domain.longitudes(), indexing="ij")
    cells = US_GRID.locate(*(each.ravel() for each in middles))
    np.testing.assert_array_equal(part.counts, whole.counts[cells])
    assert part.n == whole.counts[cells].sum() < whole.counts.sum()
    assert (part.name, part.note) != (whole.name, whole.note)


def test_parts_end_between_cells_and_lie_on_the_map() -> None:
    for area in ("39.9,42.6,-77.2,-71", "20,42.6,-77.2,-71", "60,62,-77.2,-71"):
        with pytest.raises(CaldpError, match="must lie on the map"):
            Gowalla(area)
    with pytest.raises(CaldpError, match="written south,north,west,east"):
        Gowalla("everywhere")


def test_gowalla_is_not_upside_down() -> None:
    counts = Gowalla().load().counts
    assert counts is not None
    manhattan, atlantic = US_GRID.locate([40.75, 30.0], [-73.98, -65.0])
    assert counts[manhattan] > 10_000
    assert counts[atlantic] == 0


def test_gowalla_can_be_cancelled_and_reports_the_end() -> None:
    assert check_progress(Gowalla().load)[-1] == 1.0


@pytest.mark.parametrize(
    "content",
    [None, b"not gzip", gzip.compress(b"a,b\n1,2\n" * 99)[:-9]],
    ids=["gone", "not gzip", "cut"],
)
def test_a_broken_repository_is_told_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    if content is not None:
        (tmp_path / "gowalla_us_reconstruction.csv.gz").write_bytes(content)
    monkeypatch.setattr(shipped, "DATA_FOLDER", tmp_path)
    shipped._read_us_cells.cache_clear()
    with pytest.raises(CaldpError, match="restore it from the repository"):
        Gowalla().load()


def test_population_lies_where_people_live() -> None:
    people = population_prior()
    assert people.shape == (US_GRID.k,)
    assert people.dtype == np.float64
    assert (people >= 0).all()
    assert (people == np.rint(people)).all()
    assert 3.0e8 < people.sum() < 3.6e8
    chicago, toronto, nassau, atlantic = US_GRID.locate(
        [41.85003, 43.70643, 25.058, 30.0], [-87.65005, -79.39864, -77.343, -65.0]
    )
    assert people[chicago] > 2_500_000
    assert people[toronto] > 2_500_000
    assert people[nassau] > 100_000
    assert people[atlantic] == 0


def test_new_york_city_is_counted_by_its_boroughs() -> None:
    people = population_prior()
    whole_city, brooklyn = US_GRID.locate([40.71427, 40.6501], [-74.00597, -73.94958])
    # The entry for all of New York City (8.8 million) lies in the cell of Jersey City.
    assert 1e6 < people[whole_city] < 4e6
    assert people[brooklyn] > 6e6
