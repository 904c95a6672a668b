"""Where the bytes of a file are: in memory or on disk; unpacked (gzip, zip) and recoded to UTF-8.

Packed files are unpacked on the way and never as bombs.
"""

import codecs
import gzip
import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import inf
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from caldp_core.basics.errors import CaldpError, excerpt, quoted, require
from caldp_core.basics.extras import explain_missing
from caldp_core.basics.files import refuse_address
from caldp_core.datasets.files.numbers import WORDS

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
class FileSource:
    """A file by its name: `open()` gives its bytes anew, `size` is how many there are."""

    name: str
    open: Callable[[], BinaryIO]
    size: int

    def head(self, size: int) -> bytes:
        """The first bytes, at most `size`."""
        with self.open() as file:
            return file.read(size)

    def chunks(self) -> Iterator[bytes]:
        """All of its bytes, in pieces."""
        with self.open() as file:
            while piece := file.read(CHUNK_BYTES):
                yield piece

    def with_measured_size(self, seconds: float | None) -> "FileSource":
        """The file with its `size` counted by reading it, as its readers need to know it.

        Raises `CaldpError` for a fault on the way, and where it takes longer than `seconds`.
        """
        end = monotonic() + (seconds or inf)
        size = 0
        for piece in self.chunks():
            size += len(piece)
            require(monotonic() < end, f"The file {quoted(self.name)} takes too long; give a part.")
        return FileSource(self.name, self.open, size)


def source_from_bytes(data: bytes, name: str) -> FileSource:
    """A file that is in memory."""
    return FileSource(name, lambda: io.BytesIO(data), len(data))


def source_from_path(path: Path) -> FileSource:
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
    return FileSource(path.name, opened, path.stat().st_size)


class ChunkedFile(io.RawIOBase):
    """Bytes that come in pieces, as a file: going back begins anew, going on skips."""

    def __init__(self, pieces: Callable[[], Iterator[bytes]]) -> None:
        super().__init__()
        self._pieces = pieces
        self._restart()

    def _restart(self) -> None:
        self._coming = self._pieces()
        self._rest = memoryview(b"")  # of the piece that came last, what was not read yet
        self._position = 0

    def close(self) -> None:
        """Close the file that the pieces come from."""
        self._coming = iter(())
        super().close()

    def readable(self) -> bool:
        """True."""
        return True

    def seekable(self) -> bool:
        """True, though going back reads anew."""
        return True

    def tell(self) -> int:
        """How many bytes were read or skipped."""
        return self._position

    def read(self, size: int = -1) -> bytes:
        """The next bytes: fewer than `size` only at the end."""
        parts: list[memoryview] = []
        wanted = size
        if size < 0:
            wanted = 2**62
        while wanted and (self._rest or self._advance()):
            part = self._rest[:wanted]
            self._rest = self._rest[wanted:]
            parts.append(part)
            wanted -= len(part)
            self._position += len(part)
        return b"".join(parts)

    def _advance(self) -> bool:
        """Go on to the next piece that is not empty; False at the end."""
        for piece in self._coming:
            if piece:
                self._rest = memoryview(piece)
                return True
        return False

    def seek(self, position: int, whence: int = io.SEEK_SET) -> int:
        """Go to a position counted from the beginning; raises `UnsupportedOperation` for others."""
        if whence != io.SEEK_SET:
            raise io.UnsupportedOperation("a stream knows its beginning only")
        if position < self._position:
            self._restart()
        while self._position < position:
            skipped = self.read(min(position - self._position, CHUNK_BYTES))
            # Beyond the end there is nothing to skip.
            if not skipped:
                break
        return self._position


@contextmanager
def file_system(source: FileSource) -> Iterator["AbstractFileSystem"]:
    """A file system with that one file, for DuckDB; at the end all that it opened is closed."""
    with explain_missing("Reading files"):
        from fsspec.spec import AbstractFileSystem

    files = ExitStack()  # DuckDB drops some of its files without closing them

    class OneFile(AbstractFileSystem):  # type: ignore[misc]  # it has no types
        protocol = PROTOCOL
        cachable = False

        def _open(self, path: str, mode: str = "rb", **options: Any) -> BinaryIO:
            return files.enter_context(source.open())

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


GZIP: Final = b"\x1f\x8b"
ZIP: Final = b"PK\x03\x04"
_UNCHECKED_BYTES: Final = 2**26
_TIMES: Final = 200
"""Beyond 64 MB a file that grows more than 200-fold is a bomb; tables grow 3- to 30-fold."""
_FAULTS: Final = (EOFError, OSError, zlib.error, zipfile.BadZipFile, RuntimeError, ValueError)
_ODS: Final = "content.xml"
_MEMBERS_MAX: Final = 10_000


def unpack(source: FileSource, bounds: Bounds) -> tuple[FileSource, tuple[str, ...]]:
    """The file inside a packed one, and by what it was packed; another as it is, with ().

    Raises `CaldpError`, now or while the file is read, for what is damaged or unpacks to too much.
    """
    start = source.head(4)
    most = bounds.unpacked_bytes
    if start.startswith(GZIP):
        name = source.name
        if name.lower().endswith(".gz"):
            name = name[:-3]
        return _unpacked(name, lambda: _open_gzip(source), source.size, most), ("gzip",)
    if not start.startswith(ZIP):
        return source, ()
    member = _member(source)
    if member is None:
        return source, ()
    member_name = member.filename
    packed = max(member.compress_size, 1)
    return _unpacked(member_name, lambda: _open_member(source, member_name), packed, most), ("zip",)


@contextmanager
def _open_gzip(source: FileSource) -> Iterator[BinaryIO]:
    with source.open() as file, gzip.GzipFile(fileobj=file) as inside:
        yield cast("BinaryIO", inside)


@contextmanager
def _open_member(source: FileSource, name: str) -> Iterator[BinaryIO]:
    with source.open() as file, zipfile.ZipFile(file) as archive, archive.open(name) as inside:
        yield cast("BinaryIO", inside)


def zip_members(source: FileSource) -> list[zipfile.ZipInfo]:
    """The members of a zip; raises `CaldpError` if the file is not a zip or has too many."""
    try:
        with source.open() as file, zipfile.ZipFile(file) as archive:
            packed = archive.infolist()
    except _FAULTS as error:
        raise _damaged(source.name, error) from None
    require(
        len(packed) <= _MEMBERS_MAX,
        f"The file {excerpt(source.name)} packs {len(packed):,} files; pack the one with the data.",
    )
    return packed


_BESIDE_DATA: Final = re.compile(
    r"(^|/)(readme|licen[cs]e|about|terms|metadata|codebook)[^/]*$|\.(md|pdf|html?|docx?)$"
)
"""Files that stand beside the data of a zip and say what they are."""


def _member(source: FileSource) -> zipfile.ZipInfo | None:
    """The one file with data in a zip; None for an Excel workbook."""
    # 1. Workbooks are zips as well.
    members = [member for member in zip_members(source) if not member.is_dir()]
    for member in members:
        if member.filename.startswith("xl/") or member.filename == _ODS:
            return None

    # 2. Without what a Mac adds, an archive of another kind, such as a shapefile, is told by an
    # ending.
    data = [member for member in members if not member.filename.startswith(("__MACOSX/", "."))]
    for ending, kind in WORDS["archives"].items():
        found = any(member.filename.lower().endswith(ending) for member in data)
        require(not found, f"The file {excerpt(source.name)} is {kind}.")

    # A description may lie beside the data; of several files with data people choose one.
    alone = [member for member in data if not _BESIDE_DATA.search(member.filename.lower())]
    if len(alone) == 1:
        data = alone
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


def _unpacked(
    name: str, opened: Callable[[], AbstractContextManager[BinaryIO]], packed: int, most: int
) -> FileSource:
    """The file that `opened` unpacks from `packed` bytes, of at most `most`; its size is measured.

    Reading it raises `CaldpError` beyond the bounds, and for what is damaged.
    """

    def pieces() -> Iterator[bytes]:
        total = 0
        bound = min(most, max(_UNCHECKED_BYTES, _TIMES * packed))
        try:
            with opened() as file:
                while piece := file.read(CHUNK_BYTES):
                    total += len(piece)
                    require(
                        total <= bound,
                        f"The file {excerpt(name)} unpacks to more than {bound / 2**20:,.0f} MB, "
                        "too much for its size; unpack it yourself, and give a part.",
                    )
                    yield piece
        except CaldpError:
            raise
        except _FAULTS as error:
            raise _damaged(name, error) from None

    return FileSource(name, lambda: cast("BinaryIO", ChunkedFile(pieces)), packed)


def _damaged(name: str, error: Exception) -> CaldpError:
    return CaldpError(
        f"The file {excerpt(name)} is packed and damaged or unfinished ({error}); save it anew."
    )


UTF_8: Final = "UTF-8"
_ENCODING_BYTES: Final = 2**16
_OFFERED: Final = 6
_LOCAL: Final[Mapping[str, str]] = WORDS["encodings"]
"""Encodings that are looked for, by Python's name, and what people call them."""
_WESTERN: Final = frozenset(WORDS["labels"]["western"] + "\u00a0")
_WIDE: Final = ("utf_16_le", "utf_16_be")
ENCODINGS: Final = {"utf_8": UTF_8, "utf_16": "UTF-16", "utf_32": "UTF-32", **_LOCAL}
"""Encodings that may be chosen, by Python's name, and what people call them."""
_SAME: Final = dict.fromkeys(_WIDE, "utf_16") | {"utf_8_sig": "utf_8"}
_SAMPLE_CHUNKS: Final = 32
"""Megabytes of a file that must be UTF-8 for all of it to be."""
_BOMS: Final = {
    codecs.BOM_UTF8: "utf_8_sig",
    # Before UTF-16, whose mark is how the little-endian one begins.
    codecs.BOM_UTF32_LE: "utf_32",
    codecs.BOM_UTF32_BE: "utf_32",
    codecs.BOM_UTF16_LE: "utf_16",
    codecs.BOM_UTF16_BE: "utf_16",
}
_NO_TEXT: Final = bytes({*range(32)} - {*b"\t\n\x0b\x0c\r\x1a\x1b"})


def to_utf_8(source: FileSource, wanted: str = "") -> tuple[FileSource, str]:
    """The file as UTF-8 without a byte-order mark, and the name of its encoding in `ENCODINGS`.

    Without a mark it is UTF-8 where that can be, else Windows-1252, which Western spreadsheets
    write; `wanted`: the encoding that was chosen. Raises `CaldpError`, now or while it is read, for
    bytes that are not text, or not in that encoding.
    """
    require(
        wanted in ("", *ENCODINGS),
        f"The encoding must be one of {', '.join(ENCODINGS)}; got {wanted!r}.",
    )
    detected = _codec(source)
    codec = wanted
    # What was detected says more than "UTF-16" does: which byte comes first, or that there is a
    # mark in front.
    if wanted in ("", _SAME.get(detected)):
        codec = detected
    if codec == detected == "utf_8":
        return source, codec
    opened = partial(ChunkedFile, partial(_recoded, source, codec))
    recoded = FileSource(source.name, cast("Any", opened), source.size)
    return recoded, _SAME.get(codec, codec)


def _codec(source: FileSource) -> str:
    """Python's name of a text's encoding; raises `CaldpError` if the bytes are not text."""
    with explain_missing("Reading text"):
        from charset_normalizer import from_bytes

    # 1. A mark in front says it.
    head = source.head(CHUNK_BYTES)
    for mark, of_mark in _BOMS.items():
        if head.startswith(mark):
            return of_mark

    # 2. Only where characters have two bytes is one of them 0.
    if b"\0" in head:
        found = from_bytes(head[:_ENCODING_BYTES], cp_isolation=list(_WIDE))
        require(bool(found), str(_no_text(source.name)))
        return found[0].encoding

    # 3. Other texts are hardly ever UTF-8 by chance; else one tells by which letters there are.
    require(head == head.translate(None, _NO_TEXT), str(_no_text(source.name)))
    if _decodes(islice(source.chunks(), _SAMPLE_CHUNKS), "utf_8"):
        return "utf_8"
    if not _decodes([head], "cp1252"):
        for name, _ in other_encodings(head):
            return name
    return "cp1252"


def other_encodings(head: bytes) -> tuple[tuple[str, str], ...]:
    """Encodings that fit a text better than a Western one: the codec, its name and some words.

    () for a text that is UTF-8 or may be Western.
    """
    with explain_missing("Reading text"):
        from charset_normalizer import from_bytes

    if head.isascii() or _looks_western(head[:_ENCODING_BYTES]):
        return ()
    found = from_bytes(head[:_ENCODING_BYTES], cp_isolation=list(_LOCAL))
    codecs_found = [match.encoding for match in found if match.encoding != "cp1252"]
    offered = []
    for codec in codecs_found[:_OFFERED]:
        # People know their own words in the right encoding.
        text = head[:_ENCODING_BYTES].decode(codec, "ignore")
        words = [word for word in re.findall(r"\w+", text) if not word.isascii()]
        offered.append((codec, f"{_LOCAL[codec]}: {', '.join(words[:3])}"))
    return tuple(offered)


def _looks_western(head: bytes) -> bool:
    """Whether a text in Windows-1252 has usual letters alone, and most of them one by one.

    Statistics of letters can't say it of the few words of a table.
    """
    try:
        text = head.decode("cp1252").replace("ç", "c")
    except UnicodeDecodeError:
        return False
    letters = {*re.sub(r"[\x00-\x7f]", "", text)}
    if not letters <= _WESTERN:
        return False
    words = [word for word in re.findall(r"\w+", text) if not word.isascii()]
    with_two_in_a_row = [word for word in words if re.search(r"[^\x00-\x7f]{2}", word)]
    return 2 * len(with_two_in_a_row) <= len(words)


def _no_text(name: str) -> CaldpError:
    return CaldpError(
        f"The file {excerpt(name)} is not a text file; in a spreadsheet, save it as “CSV UTF-8”."
    )


def _decodes(pieces: Iterable[bytes], codec: str) -> bool:
    """Whether the beginning of a text can be in an encoding; no more than a piece is decoded."""
    decoder = codecs.getincrementaldecoder(codec)()
    try:
        for piece in pieces:
            decoder.decode(piece)
    except UnicodeDecodeError:
        return False
    return True


def _recoded(source: FileSource, codec: str) -> Iterator[bytes]:
    """The chunks of a file, recoded from `codec` to UTF-8; raises `CaldpError` for others."""
    try:
        yield from codecs.iterencode(codecs.iterdecode(source.chunks(), codec), "utf_8")
    except UnicodeError:
        called = ENCODINGS[_SAME.get(codec, codec)]
        raise CaldpError(
            f"The file {excerpt(source.name)} is not a text in {called}; choose another encoding, "
            "or in a spreadsheet save it as “CSV UTF-8”."
        ) from None
