"""A file of reports by its contents: whether they were counted before, and whether it has grown."""

import gzip
import hashlib
import sys
import zlib
from collections.abc import Collection
from io import BufferedIOBase
from pathlib import Path
from typing import Final

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.files import parse_int, refuse_address

FILE_PREFIX: Final = "sha256:"
"""How a file's name in the books begins."""
ZIPPED: Final = ".gz"
"""How the names of files end that are unpacked while they are read."""
_BLOCK: Final = 1 << 20


def file_batch_name(path: Path, counted_batches: Collection[str] = ()) -> str:
    """The batch name of a file: digest and length in bytes of its contents, unpacked.

    Raises `CaldpError` if it can't be read, and if it begins with the contents of a file that is
    among the batches counted: it has grown since.
    """
    # A pipe gives its bytes only once, and a device may have no end.
    require(
        path.is_file() or not path.exists(),
        f"The file {str(path)!r} can't be read: it is a pipe, a device or a folder; give a file.",
    )
    try:
        with gzip.open(path) if path.name.lower().endswith(ZIPPED) else path.open("rb") as file:
            name, has_more = _first_name(file, counted_batches)
    except (OSError, ValueError, EOFError, zlib.error) as error:
        refuse_address(path)
        reason = getattr(error, "strerror", None) or error
        raise CaldpError(f"The file {str(path)!r} can't be read: {reason}.") from None
    require(
        not has_more,
        f"The file {str(path)!r} has grown since it was counted, and its beginning would count "
        "twice; count finished files only, or count all anew into another output.",
    )
    return name


def is_counted(name: str, counted_batches: Collection[str]) -> bool:
    """Whether a file of this batch name is among the batches counted."""
    # Earlier versions wrote the digest alone.
    return name in counted_batches or name.rpartition(":")[0] in counted_batches


def _first_name(file: BufferedIOBase, counted_batches: Collection[str]) -> tuple[str, bool]:
    """(batch name of its first bytes that were counted, or of all; whether more bytes follow)."""
    digest, length = hashlib.sha256(), 0
    for end in [*_lengths(counted_batches), sys.maxsize]:
        while block := file.read(min(_BLOCK, end - length)):
            digest.update(block)
            length += len(block)
        name = f"{FILE_PREFIX}{digest.hexdigest()}:{length}"
        if length < end or name in counted_batches:
            break
    return name, bool(file.read(1))


def _lengths(batches: Collection[str]) -> list[int]:
    """The lengths of files among batches, each once, the shortest first."""
    ends = {parse_int(name.rpartition(":")[2]) for name in batches if name.startswith(FILE_PREFIX)}
    return sorted(end for end in ends if end is not None and end > 0)
