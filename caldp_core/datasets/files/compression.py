"""Packed files: gzip, and zip with one file in it, unpacked on the way and never as bombs."""

import gzip
import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO, Final, cast

from caldp_core.basics.errors import CaldpError, require
from caldp_core.datasets.files.source import CHUNK_BYTES, Bounds, ChunkedFile, Source
from caldp_core.datasets.own import excerpt

GZIP: Final = b"\x1f\x8b"
ZIP: Final = b"PK\x03\x04"
_UNCHECKED_BYTES: Final = 2**26
_TIMES: Final = 200
"""Beyond 64 MB a file that grows more than 200-fold is a bomb; tables grow 3- to 30-fold."""
_FAULTS: Final = (EOFError, OSError, zlib.error, zipfile.BadZipFile, RuntimeError, ValueError)
_MEMBERS_MAX: Final = 10_000


def unpack(source: Source, bounds: Bounds) -> tuple[Source, tuple[str, ...]]:
    """The file inside a packed one, and by what it was packed; another as it is, with ().

    Raises `CaldpError`, now or while the file is read, for what is damaged or unpacks to too much.
    """
    start = source.head(4)
    if start.startswith(GZIP):
        name = source.name[:-3] if source.name.lower().endswith(".gz") else source.name

        def inside() -> BinaryIO:
            return cast("BinaryIO", gzip.GzipFile(fileobj=source.open()))

        return _bounded_source(Source(name, inside, source.size), source.size, bounds), ("gzip",)
    if start.startswith(ZIP) and (member := _member(source)) is not None:
        name = member.filename

        def of_zip() -> BinaryIO:
            return cast("BinaryIO", zipfile.ZipFile(source.open()).open(name))

        packed = max(member.compress_size, 1)
        return _bounded_source(Source(name, of_zip, source.size), packed, bounds), ("zip",)
    return source, ()


def zip_members(source: Source) -> list[zipfile.ZipInfo]:
    """The members of a zip; raises `CaldpError` if it is none, or has too many."""
    try:
        with zipfile.ZipFile(source.open()) as archive:
            packed = archive.infolist()
    except _FAULTS as error:
        raise _damaged(source.name, error) from None
    require(
        len(packed) <= _MEMBERS_MAX,
        f"The file {excerpt(source.name)} packs {len(packed):,} files; pack the one with the data.",
    )
    return packed


def _member(source: Source) -> zipfile.ZipInfo | None:
    """The one file with data in a zip; None for an Excel workbook."""
    members = [each for each in zip_members(source) if not each.is_dir()]
    if any(each.filename.startswith("xl/") for each in members):
        return None
    data = [each for each in members if not each.filename.startswith(("__MACOSX/", "."))]
    require(
        len(data) == 1,
        f"A zip must hold one file with data, {excerpt(source.name)} holds {len(data):,}; unpack "
        "it, and choose one.",
    )
    require(
        not data[0].flag_bits & 1,
        f"The file {excerpt(source.name)} asks for a password; unpack it first.",
    )
    return data[0]


def _within(source: Source, packed: int, most: int) -> Iterator[bytes]:
    """Chunks unpacked from `packed` bytes; raises `CaldpError` beyond the bounds."""
    total = 0
    try:
        with source.open() as file:
            while piece := file.read(CHUNK_BYTES):
                total += len(piece)
                require(
                    total <= most and (total <= _UNCHECKED_BYTES or total <= _TIMES * packed),
                    f"The file {excerpt(source.name)} unpacks to more than "
                    f"{min(most, max(_UNCHECKED_BYTES, _TIMES * packed)) / 2**20:,.0f} MB, too "
                    "much for its size; unpack it yourself, and give a part.",
                )
                yield piece
    except CaldpError:
        raise
    except _FAULTS as error:
        raise _damaged(source.name, error) from None


def _bounded_source(source: Source, packed: int, bounds: Bounds) -> Source:
    def pieces() -> Iterator[bytes]:
        return _within(source, packed, bounds.unpacked_bytes)

    return Source(source.name, lambda: cast("BinaryIO", ChunkedFile(pieces)), source.size)


def _damaged(name: str, error: Exception) -> CaldpError:
    return CaldpError(
        f"The file {excerpt(name)} is packed and damaged or unfinished ({error}); save it anew."
    )
