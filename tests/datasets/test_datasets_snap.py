"""Counting check-ins in SNAP's format, from good lines and bad."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import Snap
from caldp_core.datasets.files.maps import MapRequest, map_for_places
from caldp_core.domain.grid import US_GRID, Area, GridDomain
from tests import strategies
from tests.checkins import AUSTIN, random_rows, write

OSLO = b"7\t2010-10-18T22:17:43Z\t59.9\t10.75\t9"
ORIGIN = (0.0, 0.0, 0.0, 0.0)
AUSTIN_CELL = int(US_GRID.locate([30.2359091167], [-97.7951395833])[0])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "checkins"


def test_counts_go_to_the_cells_of_the_places(path: Path) -> None:
    dataset = write(path, AUSTIN, OSLO, AUSTIN).load()
    assert dataset.name == "Gowalla (SNAP)"
    assert dataset.domain == US_GRID
    assert dataset.n == 2
    assert dataset.counts is not None
    assert dataset.counts[AUSTIN_CELL] == 2
    assert "2 check-ins are on the map. 1 of 3 rows is not counted" in dataset.note
    assert dataset.note.endswith("1 with a place outside the map.")


@pytest.mark.parametrize("packed", [False, True])
def test_counts_are_those_of_a_histogram(path: Path, packed: bool) -> None:
    rows, latitude, longitude = random_rows(2_000, np.random.default_rng(1))
    text = b"\n".join(rows)
    # The name says nothing: what counts is how the file begins.
    path.write_bytes(gzip.compress(text) if packed else text)
    counts = Snap(str(path)).load().counts
    expected, *_ = np.histogram2d(
        latitude, longitude, bins=(np.linspace(25, 50, 126), np.linspace(-130, -60, 351))
    )
    assert counts is not None
    assert (counts.reshape(125, 350) == expected).all()


def test_another_map(path: Path) -> None:
    write(path, AUSTIN, OSLO)
    dataset = Snap(str(path), area="59,61,10,12", cell=0.5).load()
    assert isinstance(dataset.domain, GridDomain)
    assert (dataset.domain.rows, dataset.domain.columns) == (4, 4)
    assert dataset.n == 1
    assert dataset.counts is not None
    assert dataset.counts[1 * 4 + 1] == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"area": "25,50"},
        {"area": "50,25,-130,-60"},
        {"cell": 0.001},
        {"cell": 0.01, "area": "-90,90,-180,180"},
        {"path": ""},
    ],
)
def test_impossible_maps_are_refused_at_once(fields: Any) -> None:
    with pytest.raises(CaldpError):
        Snap(**({"path": "x"} | fields))


BAD = {
    "too few fields": b"1\t2010\t30.0\t-97.0",
    "too many fields": AUSTIN + b"\tmore",
    "words": b"user\ttime\tlatitude\tlongitude\tplace",
    "no number": b"1\t2010\t\t-97.0\t1",
    "not available": b"1\t2010\tNA\t-97.0\t1",
    "nan": b"1\t2010\tnan\t-97.0\t1",
    "infinite": b"1\t2010\t30.0\t-inf\t1",
    "huge": b"1\t2010\t30.0\t1e400\t1",
    "too far north": b"1\t2010\t90.0001\t-97.0\t1",
    "too far south": b"1\t2010\t-90.5\t-97.0\t1",
    "too far east": b"1\t2010\t30.0\t180.1\t1",
    "hexadecimal": b"1\t2010\t0x1e\t-97.0\t1",
    "commas": AUSTIN.replace(b"\t", b","),
    "bytes": b"\xff\xfe\x80",
    "null island": b"1\t2010\t0.0\t0.0\t1",
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
@pytest.mark.parametrize("last", [False, True], ids=["within", "last"])
def test_a_bad_line_is_counted_and_shown(path: Path, bad: bytes, last: bool) -> None:
    rows = [AUSTIN] * 3 + ([bad] if last else [bad, AUSTIN])
    dataset = write(path, *rows).load()
    assert dataset.n == 4 - last
    assert f"1 of {5 - last} rows is not counted: 1 with " in dataset.note
    assert "The first is line 4, '" in dataset.note


@pytest.mark.parametrize(
    "odd",
    [
        b"\xff\t\x80\t30.2359091167\t-97.7951395833\t1",
        b"\t\t30.2359091167\t-97.7951395833\t",
        b"0\t2010\t 3.02359091167e1 \t-97.7951395833\t1",
        b"0\t2010\t+30.2359091167\t-97.7951395833\t1",
    ],
)
def test_odd_but_readable_lines_count(path: Path, odd: bytes) -> None:
    dataset = write(path, AUSTIN, odd).load()
    assert dataset.counts is not None
    assert dataset.counts[AUSTIN_CELL] == 2


def test_many_bad_lines(path: Path) -> None:
    rng = np.random.default_rng(3)
    rows, _, _ = random_rows(1_000, rng)
    bad = np.sort(rng.choice(1_000, 120, replace=False))
    for kind, i in enumerate(bad):
        rows[i] = list(BAD.values())[kind % len(BAD)]
    path.write_bytes(b"\n".join(rows))
    note = Snap(str(path), area="-90,90,-180,180", cell=1.0).load().note
    assert "880 check-ins are on the map. 120 of 1,000 rows are not counted" in note
    assert f"The first is line {bad[0] + 1}, '1 2010" in note


@pytest.mark.parametrize("packed", [False, True])
def test_no_readable_line_is_an_error_with_the_example(path: Path, packed: bool) -> None:
    text = b"latitude,longitude\n1,2\n"
    path.write_bytes(gzip.compress(text) if packed else text)
    with pytest.raises(CaldpError, match=r"No row of .* the first is line 1, 'latitude"):
        Snap(str(path)).load()


def test_files_that_are_none(tmp_path: Path, path: Path) -> None:
    with pytest.raises(CaldpError, match=r"There is no file at .*checkins"):
        Snap(str(path)).load()
    with pytest.raises(CaldpError, match="There is no file at"):
        Snap(str(tmp_path)).load()
    for empty in (b"", gzip.compress(b"")):
        path.write_bytes(empty)
        with pytest.raises(CaldpError, match="nothing to read"):
            Snap(str(path)).load()


@pytest.mark.parametrize("kind", ["cut", "header only", "checksum", "body", "tail"])
def test_damaged_gzip_files(path: Path, kind: str) -> None:
    whole = bytearray(gzip.compress(b"\n".join(random_rows(3_000, np.random.default_rng(4))[0])))
    middle = len(whole) // 2
    if kind == "checksum":
        whole[-6] ^= 1
    if kind == "body":
        whole[middle : middle + 40] = bytes(40)
    ends = {"cut": whole[:middle], "header only": whole[:5], "tail": whole + b"garbage"}
    path.write_bytes(bytes(ends.get(kind, whole)))
    with pytest.raises(CaldpError, match="packed and damaged or unfinished"):
        Snap(str(path)).load()


def test_gzip_files_glued_together_are_one(path: Path) -> None:
    path.write_bytes(gzip.compress(AUSTIN + b"\n") + gzip.compress(AUSTIN + b"\n"))
    assert Snap(str(path)).load().n == 2


@given(strategies.snaps())
def test_the_map_is_the_one_that_is_asked_for(spec: Snap) -> None:
    assert map_for_places(MapRequest(spec.cell, Area.parse(spec.area)), ORIGIN, None) == spec.grid()


def test_nobody_on_the_map_is_an_error(path: Path) -> None:
    with pytest.raises(CaldpError, match="choose a larger one"):
        write(path, OSLO).load()


def test_homes_are_found_or_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(path.parent))
    assert Snap(f"~/{path.name}").file() == path
    with pytest.raises(CaldpError, match="home folder in '~nobody-of-that-name/x' can't be found"):
        Snap("~nobody-of-that-name/x").load()


def test_nobody_beyond_the_area_is_counted(path: Path) -> None:
    rows, latitude, longitude = random_rows(2_000, np.random.default_rng(4))
    write(path, *rows)
    east = (longitude >= -130) & (longitude < -60)
    inside = east & (latitude >= 25) & (latitude < 49.9)
    with pytest.raises(CaldpError, match="must fill the area exactly"):
        Snap(str(path), area="25,49.9,-130,-60", cell=0.2)
    assert Snap(str(path), area="25,49.9,-130,-60", cell=0.1).load().n == inside.sum()
    # What cells reaching beyond would count, as they once did: the rows here tell it apart.
    whole = Snap(str(path), area="25,50,-130,-60", cell=0.2).load().n
    assert whole == (east & (latitude >= 25) & (latitude < 50)).sum() > inside.sum()
