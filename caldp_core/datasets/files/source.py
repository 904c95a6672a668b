"""Where the bytes of a file are: in memory or on disk, as they are or unpacked on the way."""

import io
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.files import refuse_address

if TYPE_CHECKING:
    from fsspec.spec import AbstractFileSystem

CHUNK_BYTES: Final = 2**20
PROTOCOL: Final = "data"


@dataclass(frozen=True)
class Bounds:
    """Bounds on reading a file: `seconds` a query (None: any), megabytes of memory, bytes unpacked.

    `rows` of a Parquet file, which may say a billion in a few bytes; `parsed_bytes`: bytes of a
    workbook or of GeoJSON, which are built up whole in memory.
    """

    seconds: float | None
    memory_mb: int
    unpacked_bytes: int
    rows: int
    parsed_bytes: int


PAGE_BOUNDS: Final = Bounds(20.0, 300, 2**31, 10**8, 2**27)
"""For a file uploaded to a server that others use, too."""
COMMAND_BOUNDS: Final = Bounds(None, 2_000, 2**46, 10**12, 2**29)
"""For a file on one's own machine."""


@dataclass(frozen=True)
class Source:
    """A file by its name: `open()` gives its bytes anew, `size` is how many there are."""

    name: str
    open: Callable[[], BinaryIO]
    size: int

    def head(self, size: int) -> bytes:
        """The first bytes, at most so many."""
        with self.open() as file:
            return file.read(size)

    def chunks(self) -> Iterator[bytes]:
        """All of its bytes, in pieces."""
        with self.open() as file:
            while piece := file.read(CHUNK_BYTES):
                yield piece

    def with_measured_size(self, seconds: float | None) -> "Source":
        """The file with its `size` counted by reading it, as its readers need to know it.

        Raises `CaldpError` for a fault on the way, and where it takes longer than `seconds`.
        """
        end, size = monotonic() + (seconds or inf), 0
        for piece in self.chunks():
            size += len(piece)
            require(monotonic() < end, f"The file {self.name!r} takes too long; give a part.")
        return Source(self.name, self.open, size)

    def map_chunks(self, step: Callable[[Iterator[bytes]], Iterator[bytes]]) -> "Source":
        """The file with its bytes changed on the way."""

        def opened() -> BinaryIO:
            return cast("BinaryIO", ChunkedFile(lambda: step(self.chunks())))

        return Source(self.name, opened, self.size)


def source_from_bytes(data: bytes, name: str) -> Source:
    """A file that is in memory."""
    return Source(name, lambda: io.BytesIO(data), len(data))


def source_from_path(path: Path) -> Source:
    """A file on disk; raises `CaldpError` if there is none that can be read."""
    # A pipe or a device would block or never end.
    refuse_address(path)
    require(path.is_file(), f"There is no file at {path}; check the path.")

    def opened() -> BinaryIO:
        try:
            return path.open("rb")
        except OSError as error:
            raise CaldpError(f"The file {path} can't be opened: {error.strerror}.") from None

    opened().close()
    return Source(path.name, opened, path.stat().st_size)


class ChunkedFile(io.RawIOBase):
    """Bytes that come in pieces, as a file: going back begins anew, going on skips."""

    def __init__(self, pieces: Callable[[], Iterator[bytes]]) -> None:
        super().__init__()
        self._pieces = pieces
        self._restart()

    def _restart(self) -> None:
        self._coming, self._rest, self._at = self._pieces(), memoryview(b""), 0

    def readable(self) -> bool:
        """True."""
        return True

    def seekable(self) -> bool:
        """True, though going back reads anew."""
        return True

    def tell(self) -> int:
        """How many bytes were read or skipped."""
        return self._at

    def read(self, size: int = -1) -> bytes:
        """The next bytes: fewer than `size` only at the end."""
        parts: list[memoryview] = []
        wanted = size if size >= 0 else 2**62
        while wanted and (self._rest or self._advance()):
            part, self._rest = self._rest[:wanted], self._rest[wanted:]
            parts.append(part)
            wanted -= len(part)
            self._at += len(part)
        return b"".join(parts)

    def _advance(self) -> bool:
        for piece in self._coming:
            if piece:
                self._rest = memoryview(piece)
                return True
        return False

    def seek(self, position: int, whence: int = io.SEEK_SET) -> int:
        """Go to a position counted from the beginning; raises `UnsupportedOperation` for others."""
        if whence != io.SEEK_SET:
            raise io.UnsupportedOperation("a stream knows its beginning only")
        if position < self._at:
            self._restart()
        while self._at < position and self.read(min(position - self._at, CHUNK_BYTES)):
            pass
        return self._at


@contextmanager
def file_system(source: Source, faults: list[CaldpError]) -> Iterator["AbstractFileSystem"]:
    """A file system with that one file, for DuckDB; at the end all that it opened is closed.

    `faults`: receives what is wrong with the file while it is read, as DuckDB raises its own errors
    alone.
    """
    from fsspec.spec import AbstractFileSystem

    files = ExitStack()  # DuckDB drops some of its files without closing them

    class OneFile(AbstractFileSystem):  # type: ignore[misc]  # it has no types
        protocol = PROTOCOL
        cachable = False

        def _open(self, path: str, mode: str = "rb", **options: Any) -> BinaryIO:
            return cast("BinaryIO", files.enter_context(_FaultRecorder(source.open(), faults)))

        def info(self, path: str, **options: Any) -> dict[str, Any]:
            return {"name": path, "size": source.size, "type": "file"}

        def exists(self, path: str, **options: Any) -> bool:
            return True

        def isfile(self, path: str) -> bool:
            return True

        def modified(self, path: str) -> Any:
            from datetime import UTC, datetime

            return datetime.fromtimestamp(0, UTC)

    with files:
        yield OneFile()


class _FaultRecorder(io.RawIOBase):
    """A file that adds the errors of reading it to `faults`."""

    def __init__(self, file: BinaryIO, faults: list[CaldpError]) -> None:
        super().__init__()
        self._file, self._faults = file, faults

    def read(self, size: int = -1) -> bytes:
        try:
            return self._file.read(size)
        except CaldpError as fault:
            self._faults.append(fault)
            raise

    def seek(self, position: int, whence: int = io.SEEK_SET) -> int:
        return self._file.seek(position, whence)

    def tell(self) -> int:
        return self._file.tell()

    def close(self) -> None:
        self._file.close()
        super().close()
