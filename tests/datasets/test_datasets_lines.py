"""Reading files of lines: missing, damaged, too large, cancelled."""

import builtins
import gzip
import pathlib
import tracemalloc
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError, Cancelled
from caldp_core.basics.types import no_progress
from caldp_core.datasets import Snap, snap
from tests.checkins import AUSTIN, random_rows, write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "checkins"


def test_files_that_are_none(tmp_path: Path, path: Path) -> None:
    with pytest.raises(CaldpError, match=r"There is no file at .*checkins"):
        Snap(str(path)).load()
    with pytest.raises(CaldpError, match="There is no file at"):
        Snap(str(tmp_path)).load()
    for empty in (b"", gzip.compress(b"")):
        path.write_bytes(empty)
        with pytest.raises(CaldpError, match="is empty"):
            Snap(str(path)).load()


def test_a_file_that_may_not_be_opened(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: Any) -> None:
        raise PermissionError(13, "Permission denied")

    spec = write(path, AUSTIN)
    monkeypatch.setattr(pathlib.Path, "open", forbidden)
    with pytest.raises(CaldpError, match="can't be opened: Permission denied"):
        spec.load()


def test_a_home_folder_may_be_short(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(path.parent))
    monkeypatch.setenv("USERPROFILE", str(path.parent))
    write(path, AUSTIN)
    assert Snap("~/checkins").load().n == 1


def damage(kind: str) -> bytes:
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
def test_damaged_gzip_files(path: Path, kind: str) -> None:
    path.write_bytes(damage(kind))
    with pytest.raises(CaldpError, match="damaged or unfinished gzip file"):
        Snap(str(path)).load()


def test_gzip_files_glued_together_are_one(path: Path) -> None:
    path.write_bytes(gzip.compress(AUSTIN + b"\n") + gzip.compress(AUSTIN + b"\n"))
    assert Snap(str(path)).load().n == 2


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_that_unpacks_to_too_much_is_refused(path: Path, packed: bool) -> None:
    text = b"0" * 9_999 + b"\n"
    path.write_bytes(gzip.compress(text) if packed else text)

    def read(max_bytes: int) -> bytes:
        with closing(snap.line_blocks(path, no_progress, max_bytes)) as blocks:
            return b"".join(blocks)

    assert read(10_000) == text
    with pytest.raises(CaldpError, match=r"at most 9,999 bytes"):
        read(9_999)


def test_a_gzip_bomb_is_read_no_further_than_the_limit(path: Path) -> None:
    squeeze = zlib.compressobj(9, wbits=31)
    bomb = b"".join(squeeze.compress(bytes(2**20)) for _ in range(64)) + squeeze.flush()
    path.write_bytes(bomb)
    shares: list[float] = []
    with (
        closing(snap.line_blocks(path, shares.append, 2**24)) as blocks,
        pytest.raises(CaldpError, match="at most 16,777,216 bytes"),
    ):
        list(blocks)
    assert len(shares) == 2**24 // snap.BLOCK_BYTES


def test_an_endless_line_neither_fills_memory_nor_counts(path: Path) -> None:
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


def test_progress_grows_to_one(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snap, "BLOCK_BYTES", 5_000)
    rows, _, _ = random_rows(2_000, np.random.default_rng(5))
    path.write_bytes(b"\n".join(rows))
    shares: list[float] = []
    Snap(str(path)).load(shares.append)
    assert len(shares) > 10
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.5
    assert shares[-1] == 1.0


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("error", [Cancelled, OSError, KeyboardInterrupt])
def test_cancelling_passes_through_and_closes_the_file(
    path: Path, monkeypatch: pytest.MonkeyPatch, packed: bool, error: Any
) -> None:
    rows, _, _ = random_rows(2_000, np.random.default_rng(6))
    text = b"\n".join(rows)
    path.write_bytes(gzip.compress(text) if packed else text)
    monkeypatch.setattr(snap, "BLOCK_BYTES", 1_000)
    files: list[Any] = []

    def open_file(self: Path, *args: Any) -> Any:
        files.append(builtins.open(self, *args))  # noqa: SIM115, PTH123
        return files[-1]

    def stop(share: float) -> None:
        if share > 0.1:
            raise error

    monkeypatch.setattr(pathlib.Path, "open", open_file)
    with pytest.raises(error):
        Snap(str(path)).load(stop)
    assert [file.closed for file in files] == [True]


def test_an_error_while_counting_closes_the_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files: list[Any] = []

    def open_file(self: Path, *args: Any) -> Any:
        files.append(builtins.open(self, *args))  # noqa: SIM115, PTH123
        return files[-1]

    def fail(block: int) -> None:
        raise MemoryError

    spec = write(path, AUSTIN, AUSTIN)
    monkeypatch.setattr(pathlib.Path, "open", open_file)
    monkeypatch.setattr(snap, "coordinates", fail)
    with pytest.raises(MemoryError) as held:
        spec.load()
    assert held.traceback
    assert [file.closed for file in files] == [True]
