"""Reading check-in files in SNAP's format, good and bad."""

import builtins
import gzip
import pathlib
import tracemalloc
import zlib
from contextlib import closing

import numpy as np
import pytest

from caldp_core.datasets import Snap, lines, snap
from caldp_core.domain import US_GRID
from caldp_core.errors import CaldpError, Cancelled
from caldp_core.types import no_progress

AUSTIN = b"0\t2010-10-19T23:55:27Z\t30.2359091167\t-97.7951395833\t22847"
OSLO = b"7\t2010-10-18T22:17:43Z\t59.9\t10.75\t9"
AUSTIN_CELL = int(US_GRID.locate([30.2359091167], [-97.7951395833])[0])


def write(path, *rows, end=b"\n"):
    path.write_bytes(b"\n".join(rows) + end)
    return Snap(str(path))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "checkins"


def random_rows(n, rng):
    latitude, longitude = rng.uniform(20, 55, n), rng.uniform(-135, -55, n)
    rows = [
        f"{i}\t2010-10-19T23:55:27Z\t{a:.10f}\t{b:.10f}\t{i}".encode()
        for i, (a, b) in enumerate(zip(latitude, longitude, strict=True))
    ]
    return rows, latitude, longitude


def test_counts_go_to_the_cells_of_the_places(path):
    dataset = write(path, AUSTIN, OSLO, AUSTIN).load()
    assert dataset.name == "Gowalla (SNAP)"
    assert dataset.domain == US_GRID
    assert dataset.n == 2
    assert dataset.counts[AUSTIN_CELL] == 2
    assert "2 check-ins are on the map, 1 are outside" in dataset.note
    assert "could not be read" not in dataset.note


@pytest.mark.parametrize("block", [200, 4096, lines.BLOCK_BYTES])
@pytest.mark.parametrize("packed", [False, True])
def test_any_block_size_gives_the_same_counts(path, monkeypatch, block, packed):
    rows, latitude, longitude = random_rows(2_000, np.random.default_rng(1))
    text = b"\n".join(rows)
    # The name says nothing: what counts is how the file begins.
    path.write_bytes(gzip.compress(text) if packed else text)
    monkeypatch.setattr(lines, "BLOCK_BYTES", block)
    counts = Snap(str(path)).load().counts
    expected, *_ = np.histogram2d(
        latitude, longitude, bins=(np.linspace(25, 50, 126), np.linspace(-130, -60, 351))
    )
    assert (counts.reshape(125, 350) == expected).all()


def test_another_map(path):
    write(path, AUSTIN, OSLO)
    dataset = Snap(str(path), area="59,61,10,12", cell=0.5).load()
    assert (dataset.domain.rows, dataset.domain.columns) == (4, 4)
    assert dataset.n == 1
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
def test_impossible_maps_are_refused_at_once(fields):
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
def test_a_bad_line_is_counted_and_shown(path, bad, last):
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
def test_odd_but_readable_lines_count(path, odd, company):
    dataset = write(path, AUSTIN, odd, company).load()
    assert dataset.counts[AUSTIN_CELL] == 2 + (company == AUSTIN)


def test_both_routes_read_the_same():
    rng = np.random.default_rng(2)
    rows, _, _ = random_rows(500, rng)
    block = b"\n".join(rows) + b"\n"
    fast = snap._coordinates_of_clean(block)
    assert fast is not None
    np.testing.assert_array_equal(fast, snap._coordinates_line_by_line(block))
    assert snap._coordinates_of_clean(block + b"bad\n") is None


def test_many_bad_lines_over_many_blocks(path, monkeypatch):
    monkeypatch.setattr(lines, "BLOCK_BYTES", 1000)
    rng = np.random.default_rng(3)
    rows, _, _ = random_rows(1_000, rng)
    bad = np.sort(rng.choice(1_000, 120, replace=False))
    for kind, i in enumerate(bad):
        rows[i] = list(BAD.values())[kind % len(BAD)]
    note = write(path, *rows).load().note
    assert (
        f"120 of 1,000 lines could not be read, the first is line {bad[0] + 1}: '1\\t2010" in note
    )


def test_the_example_is_cut(path):
    note = write(path, AUSTIN, b"x" * 61, b"y").load().note
    assert "2 of 3 lines could not be read, the first is line 2: '" + "x" * 60 + "…'." in note
    assert "x" * 61 not in note


@pytest.mark.parametrize("packed", [False, True])
def test_no_readable_line_is_an_error_with_the_example(path, packed):
    text = b"latitude,longitude\n1,2\n"
    path.write_bytes(gzip.compress(text) if packed else text)
    with pytest.raises(CaldpError, match=r"No line of .* the first is line 1: 'latitude"):
        Snap(str(path)).load()


def test_nobody_on_the_map_is_an_error(path):
    with pytest.raises(CaldpError, match="choose a larger one"):
        write(path, OSLO).load()


def test_files_that_are_none(tmp_path, path):
    with pytest.raises(CaldpError, match=r"There is no file at .*checkins"):
        Snap(str(path)).load()
    with pytest.raises(CaldpError, match="There is no file at"):
        Snap(str(tmp_path)).load()
    for empty in (b"", gzip.compress(b"")):
        path.write_bytes(empty)
        with pytest.raises(CaldpError, match="is empty"):
            Snap(str(path)).load()


def test_a_file_that_may_not_be_opened(path, monkeypatch):
    def forbidden(*_):
        raise PermissionError(13, "Permission denied")

    spec = write(path, AUSTIN)
    monkeypatch.setattr(pathlib.Path, "open", forbidden)
    with pytest.raises(CaldpError, match="can't be opened: Permission denied"):
        spec.load()


def test_a_home_folder_may_be_short(path, monkeypatch):
    monkeypatch.setenv("HOME", str(path.parent))
    monkeypatch.setenv("USERPROFILE", str(path.parent))
    write(path, AUSTIN)
    assert Snap("~/checkins").load().n == 1


def damaged(kind):
    rng = np.random.default_rng(4)
    whole = bytearray(gzip.compress(b"\n".join(random_rows(3_000, rng)[0])))
    if kind == "cut":
        return bytes(whole[: len(whole) // 2])
    if kind == "header only":
        return bytes(whole[:5])
    if kind == "checksum":
        whole[-6] ^= 1
    if kind == "body":
        whole[len(whole) // 2 : len(whole) // 2 + 40] = bytes(40)
    if kind == "tail":
        whole += b"garbage"
    return bytes(whole)


@pytest.mark.parametrize("kind", ["cut", "header only", "checksum", "body", "tail"])
def test_damaged_gzip_files(path, kind):
    path.write_bytes(damaged(kind))
    with pytest.raises(CaldpError, match="damaged or unfinished gzip file"):
        Snap(str(path)).load()


def test_gzip_files_glued_together_are_one(path):
    path.write_bytes(gzip.compress(AUSTIN + b"\n") + gzip.compress(AUSTIN + b"\n"))
    assert Snap(str(path)).load().n == 2


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_that_unpacks_to_too_much_is_refused(path, packed):
    text = b"0" * 9_999 + b"\n"
    path.write_bytes(gzip.compress(text) if packed else text)

    def read(max_bytes):
        with closing(lines.line_blocks(path, no_progress, max_bytes)) as blocks:
            return b"".join(blocks)

    assert read(10_000) == text
    with pytest.raises(CaldpError, match=r"at most 9,999 bytes"):
        read(9_999)


def test_a_gzip_bomb_is_read_no_further_than_the_limit(path):
    squeeze = zlib.compressobj(9, wbits=31)
    bomb = b"".join(squeeze.compress(bytes(2**20)) for _ in range(64)) + squeeze.flush()
    path.write_bytes(bomb)
    shares = []
    with (
        closing(lines.line_blocks(path, shares.append, 2**24)) as blocks,
        pytest.raises(CaldpError, match="at most 16,777,216 bytes"),
    ):
        list(blocks)
    assert len(shares) == 2**24 // lines.BLOCK_BYTES


def test_an_endless_line_neither_fills_memory_nor_counts(path):
    squeeze = zlib.compressobj(9, wbits=31)
    parts = [squeeze.compress(AUSTIN + b"\n" + AUSTIN)]
    parts += [squeeze.compress(b"9" * 2**20) for _ in range(48)]
    parts += [squeeze.compress(b"\n" + AUSTIN + b"\n"), squeeze.flush()]
    path.write_bytes(b"".join(parts))
    spec = Snap(str(path))
    write(path.with_name("warm"), AUSTIN).load()
    tracemalloc.start()
    try:
        dataset = spec.load()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 24 * 2**20
    assert dataset.n == 2
    assert "1 of 3 lines could not be read, the first is line 2: '0\\t2010" in dataset.note


def test_progress_grows_to_one(path, monkeypatch):
    monkeypatch.setattr(lines, "BLOCK_BYTES", 5_000)
    rows, _, _ = random_rows(2_000, np.random.default_rng(5))
    path.write_bytes(b"\n".join(rows))
    shares = []
    Snap(str(path)).load(shares.append)
    assert len(shares) > 10
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.5
    assert shares[-1] == 1.0


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("error", [Cancelled, OSError, KeyboardInterrupt])
def test_cancelling_passes_through_and_closes_the_file(path, monkeypatch, packed, error):
    rows, _, _ = random_rows(2_000, np.random.default_rng(6))
    text = b"\n".join(rows)
    path.write_bytes(gzip.compress(text) if packed else text)
    monkeypatch.setattr(lines, "BLOCK_BYTES", 1_000)
    opened = []

    def watched(self, *args):
        opened.append(builtins.open(self, *args))  # noqa: SIM115, PTH123
        return opened[-1]

    def stop(share):
        if share > 0.1:
            raise error

    monkeypatch.setattr(pathlib.Path, "open", watched)
    with pytest.raises(error):
        Snap(str(path)).load(stop)
    assert [file.closed for file in opened] == [True]


def test_an_error_while_counting_closes_the_file(path, monkeypatch):
    opened = []

    def watched(self, *args):
        opened.append(builtins.open(self, *args))  # noqa: SIM115, PTH123
        return opened[-1]

    def fail(block):
        raise MemoryError

    spec = write(path, AUSTIN, AUSTIN)
    monkeypatch.setattr(pathlib.Path, "open", watched)
    monkeypatch.setattr(snap, "coordinates", fail)
    with pytest.raises(MemoryError) as held:
        spec.load()
    assert held.traceback
    assert [file.closed for file in opened] == [True]
