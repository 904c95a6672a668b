"""Whole lines of a large text file, plain or gzipped, in bounded memory.

Knows nothing of what the lines say; `snap.py` reads them.
"""

import gzip
import os
import zlib
from collections.abc import Generator
from io import BufferedReader
from pathlib import Path
from typing import Final

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.files import refuse_address
from caldp_core.basics.limits import LINE_MAX_BYTES, SNAP_MAX_BYTES
from caldp_core.basics.types import Progress

GZIP_MAGIC: Final = b"\x1f\x8b"
BLOCK_BYTES: Final = 2**21
"""Unpacked bytes read at a time."""
_HEAD_BYTES: Final = 240
_CUT_MARK: Final = b"\t" * 16


def line_blocks(
    path: Path, progress: Progress, max_bytes: int = SNAP_MAX_BYTES
) -> Generator[bytes]:
    r"""Yield the file's bytes in blocks of whole lines, each ended by "\n", the last one too.

    Whether the file is gzipped is decided by its first two bytes. `progress` gets the share
    of the file's own bytes that are read. A line of more than `LINE_MAX_BYTES` may be cut to its
    head and 16 tabs, so that it can't pass for a proper row. Raises `CaldpError` if the file
    can't be opened or read, is a damaged gzip file, or unpacks to more than `max_bytes`.
    Close the generator (`contextlib.closing`) so that an error elsewhere closes the file.
    """
    with _open(path) as raw:
        size = max(os.fstat(raw.fileno()).st_size, 1)
        stream = gzip.GzipFile(fileobj=raw) if raw.peek(2)[:2] == GZIP_MAGIC else raw
        rest, unpacked = b"", 0
        while fresh := _read(stream, path):
            unpacked += len(fresh)
            require(unpacked <= max_bytes, _too_large(path, max_bytes))
            block = rest + fresh
            cut = block.rfind(b"\n") + 1
            rest = _shortened(block[cut:])
            if cut:
                yield block[:cut]
            progress(min(raw.tell() / size, 1.0))
        if rest:
            yield rest + b"\n"
        progress(1.0)


def _open(path: Path) -> BufferedReader:
    # A pipe or a device would block or never end, so only real files are opened.
    refuse_address(path)
    require(path.is_file(), f"There is no file at {path}; check the path.")
    try:
        return path.open("rb")
    except OSError as error:
        raise CaldpError(f"The file {path} can't be opened: {error.strerror}.") from None


def _read(stream: gzip.GzipFile | BufferedReader, path: Path) -> bytes:
    try:
        return stream.read(BLOCK_BYTES)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise CaldpError(
            f"The file {path} is a damaged or unfinished gzip file ({error}); fetch it again."
        ) from None
    except OSError as error:
        raise CaldpError(f"The file {path} can't be read: {error.strerror}.") from None


def _shortened(line: bytes) -> bytes:
    if len(line) <= LINE_MAX_BYTES:
        return line
    return line[:_HEAD_BYTES] + _CUT_MARK


def _too_large(path: Path, max_bytes: int) -> str:
    return (
        f"The file {path} must unpack to at most {max_bytes:,} bytes, but it holds more; "
        "give SNAP's check-in file or a part of it."
    )
