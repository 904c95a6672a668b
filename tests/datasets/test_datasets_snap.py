"""Counting check-ins in SNAP's format, from good lines and bad."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import Snap, snap
from caldp_core.domain.grid import US_GRID, GridDomain
from tests.checkins import AUSTIN, random_rows, write

OSLO = b"7\t2010-10-18T22:17:43Z\t59.9\t10.75\t9"
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
    assert "2 check-ins are on the map, 1 outside it" in dataset.note
    assert "could not be read" not in dataset.note


@pytest.mark.parametrize("block", [200, 4096, snap.BLOCK_BYTES])
@pytest.mark.parametrize("packed", [False, True])
def test_any_block_size_gives_the_same_counts(
    path: Path, monkeypatch: pytest.MonkeyPatch, block: int, packed: bool
) -> None:
    rows, latitude, longitude = random_rows(2_000, np.random.default_rng(1))
    text = b"\n".join(rows)
    # The name says nothing: what counts is how the file begins.
    path.write_bytes(gzip.compress(text) if packed else text)
    monkeypatch.setattr(snap, "BLOCK_BYTES", block)
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
    "empty": b"",
    "words": b"user\ttime\tlatitude\tlongitude\tplace",
    "no number": b"1\t2010\t\t-97.0\t1",
    "not available": b"1\t2010\tNA\t-97.0\t1",
    "nan": b"1\t2010\tnan\t-97.0\t1",
    "infinite": b"1\t2010\t30.0\t-inf\t1",
    "huge": b"1\t2010\t30.0\t1e400\t1",
    "too far north": b"1\t2010\t90.0001\t-97.0\t1",
    "too far south": b"1\t2010\t-90.5\t-97.0\t1",
    "too far east": b"1\t2010\t30.0\t180.1\t1",
    "underscore": b"1\t2010\t3_0\t-97.0\t1",
    "hexadecimal": b"1\t2010\t0x1e\t-97.0\t1",
    "commas": AUSTIN.replace(b"\t", b","),
    "bytes": b"\xff\xfe\x00\x01\x80",
    "old line end": AUSTIN + b"\r" + AUSTIN,
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
@pytest.mark.parametrize("last", [False, True], ids=["within", "last"])
def test_a_bad_line_is_counted_and_shown(path: Path, bad: bytes, last: bool) -> None:
    rows = [AUSTIN] * 3 + ([bad] if last else [bad, AUSTIN])
    dataset = write(path, *rows).load()
    assert dataset.n == 4 - last
    assert f"1 of {5 - last} lines could not be read, the first is line 4: '" in dataset.note


@pytest.mark.parametrize(
    "odd",
    [
        AUSTIN + b"\r",
        b"\xff\t\x80\t30.2359091167\t-97.7951395833\t\x00",
        b'"0\t"2010\t30.2359091167\t-97.7951395833\t"',
        b"\t\t30.2359091167\t-97.7951395833\t",
        b"0\t2010\t 3.02359091167e1 \t-97.7951395833\t1",
        b"0\t2010\t+30.2359091167\t-97.7951395833\t1",
    ],
)
@pytest.mark.parametrize("company", [AUSTIN, b"bad"], ids=["fast", "line by line"])
def test_odd_but_readable_lines_count(path: Path, odd: bytes, company: Any) -> None:
    dataset = write(path, AUSTIN, odd, company).load()
    assert dataset.counts is not None
    assert dataset.counts[AUSTIN_CELL] == 2 + (company == AUSTIN)


def test_both_routes_read_the_same() -> None:
    rng = np.random.default_rng(2)
    rows, _, _ = random_rows(500, rng)
    block = b"\n".join(rows) + b"\n"
    fast = snap._coordinates_of_clean(block)
    assert fast is not None
    np.testing.assert_array_equal(fast, snap._coordinates_line_by_line(block))
    assert snap._coordinates_of_clean(block + b"bad\n") is None


def test_many_bad_lines_over_many_blocks(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snap, "BLOCK_BYTES", 1000)
    rng = np.random.default_rng(3)
    rows, _, _ = random_rows(1_000, rng)
    bad = np.sort(rng.choice(1_000, 120, replace=False))
    for kind, i in enumerate(bad):
        rows[i] = list(BAD.values())[kind % len(BAD)]
    note = write(path, *rows).load().note
    assert (
        f"120 of 1,000 lines could not be read, the first is line {bad[0] + 1}: '1\\t2010" in note
    )


def test_the_example_is_cut(path: Path) -> None:
    note = write(path, AUSTIN, b"x" * 61, b"y").load().note
    assert "2 of 3 lines could not be read, the first is line 2: '" + "x" * 60 + "…'." in note
    assert "x" * 61 not in note


@pytest.mark.parametrize("packed", [False, True])
def test_no_readable_line_is_an_error_with_the_example(path: Path, packed: bool) -> None:
    text = b"latitude,longitude\n1,2\n"
    path.write_bytes(gzip.compress(text) if packed else text)
    with pytest.raises(CaldpError, match=r"No line of .* the first is line 1: 'latitude"):
        Snap(str(path)).load()


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
