"""The real Gowalla check-ins from SNAP's file, on any map.

Reading bytes is `lines.py`; fetching the file is `fetch.py`. Source of the format:
https://snap.stanford.edu/data/loc-Gowalla.html

Fetch the real Gowalla check-ins from SNAP into a cache folder.

Reading the file is `snap.py`, the command is `cli/fetch.py`. Nothing else in the package reaches
for the network.

Whole lines of a large text file, plain or gzipped, in bounded memory.

Knows nothing of what the lines say; `snap.py` reads them.
"""

import gzip
import os
import zlib
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from typing import Final

import numpy as np
import platformdirs

from caldp_core.basics.counted import count_text
from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.files import refuse_address
from caldp_core.basics.limits import LINE_MAX_BYTES, SNAP_MAX_BYTES
from caldp_core.basics.types import Floats, Ints, Progress, no_progress
from caldp_core.datasets.base import Dataset, from_counts
from caldp_core.domain.grid import Area, GridDomain

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


NAME: Final = "Gowalla (SNAP)"
_FIELDS: Final = ("user", "time", "latitude", "longitude", "location")
_EXAMPLE_CHARACTERS: Final = 60
_SOURCE: Final = (
    "Check-ins of the location-based social network Gowalla, February 2009 to October 2010 "
    "(E. Cho, S. A. Myers, J. Leskovec, Friendship and Mobility, KDD 2011)."
)


@dataclass(frozen=True)
class Snap:
    """A check-in file in SNAP's format, counted on a map.

    `path`: the .txt or .txt.gz file. `area`: the map, "south,north,west,east" in degrees.
    `cell`: side of a cell in degrees, from 0.01; the cells must fill the map exactly. Raises
    `CaldpError` on a map that can't be.
    """

    path: str
    area: str = "25,50,-130,-60"
    cell: float = 0.2

    def __post_init__(self) -> None:
        require(bool(self.path), "path must name a check-in file, got an empty text.")
        self.grid()

    def grid(self) -> GridDomain:
        """The map's cells."""
        return GridDomain.from_area(Area.parse(self.area), self.cell)

    def file(self) -> Path:
        """The file's path; raises `CaldpError` on the home of somebody who is not there."""
        try:
            return Path(self.path).expanduser()
        except RuntimeError:
            raise CaldpError(
                f"The home folder in {self.path!r} can't be found; write the whole path."
            ) from None

    def load(self, progress: Progress = no_progress) -> Dataset:
        """Count the check-ins of each cell; lines that can't be read are counted in the note.

        Raises `CaldpError` if the file is missing, damaged or too large, if no line of it can be
        read, or if no check-in lies on the map.
        """
        tally = _Tally(self.grid())
        with closing(line_blocks(self.file(), progress)) as blocks:
            for block in blocks:
                tally.add(block)
        tally.check(self.path)
        return from_counts(NAME, tally.note(), tally.grid, tally.counts)


@dataclass
class _Tally:
    """Counts so far; `counts`: (k,) check-ins per cell of `grid`."""

    grid: GridDomain
    lines: int = 0
    unreadable: int = 0
    outside: int = 0
    example: str = ""
    counts: Ints = field(init=False)

    def __post_init__(self) -> None:
        self.counts = np.zeros(self.grid.k, dtype=np.int64)

    def add(self, block: bytes) -> None:
        r"""Count whole lines, each ended by "\n"."""
        latitude, longitude = coordinates(block)
        good = (np.abs(latitude) <= 90) & (np.abs(longitude) <= 180)
        symbols = self.grid.locate(latitude[good], longitude[good])
        on_map = symbols[symbols >= 0]
        self.counts += np.bincount(on_map, minlength=self.grid.k)
        self.outside += symbols.size - on_map.size
        if symbols.size < good.size:
            self._count_unreadable(block, np.flatnonzero(~good))
        self.lines += good.size

    def _count_unreadable(self, block: bytes, where: Ints) -> None:
        if not self.unreadable:
            first = int(where[0])
            text = block.split(b"\n", first + 1)[first].decode("utf-8", "replace")
            text = text.removesuffix("\r")
            quoted = text[:_EXAMPLE_CHARACTERS] + "…" * (len(text) > _EXAMPLE_CHARACTERS)
            self.example = f"the first is line {self.lines + first + 1:,}: {quoted!r}"
        self.unreadable += where.size

    def check(self, path: str) -> None:
        """Raise `CaldpError` unless some line could be read."""
        require(self.lines > 0, f"The file {path} is empty; give SNAP's check-in file.")
        if self.unreadable == self.lines:
            raise CaldpError(
                f"No line of {path} could be read as user, time, latitude, longitude and location "
                f"separated by tabs; {self.example}."
            )

    def note(self) -> str:
        """What readers should know of the source and of the lines left out."""
        note = (
            f"{_SOURCE} {count_text(int(self.counts.sum()), 'check-in is', 'check-ins are')} on "
            f"the map, {self.outside:,} outside it and left out."
        )
        if self.unreadable:
            note += (
                f" {self.unreadable:,} of {count_text(self.lines, 'line', 'lines')} could not be "
                f"read, {self.example}."
            )
        return note


def coordinates(block: bytes) -> tuple[Floats, Floats]:
    r"""(latitudes, longitudes), each (lines,) degrees, NaN where a line can't be read.

    `block`: whole lines, each ended by "\n". A line is readable if it has five fields and its
    third and fourth are numbers; whether they are possible places is not checked.
    """
    fast = _coordinates_of_clean(block)
    return _coordinates_line_by_line(block) if fast is None else fast


def _coordinates_of_clean(block: bytes) -> tuple[Floats, Floats] | None:
    """Arrow's reader, 20 times as quick; None where it gives up at a bad line, or is not there."""
    # Imported here because the dashboard starts without ever needing it.
    try:
        import pyarrow as pa
        from pyarrow import csv
    except ImportError:
        return None

    number = dict.fromkeys(_FIELDS[2:4], pa.float64())
    try:
        table = csv.read_csv(
            pa.BufferReader(block),
            csv.ReadOptions(column_names=_FIELDS, block_size=len(block) + 1, use_threads=False),
            csv.ParseOptions(delimiter="\t", quote_char=False, ignore_empty_lines=False),
            csv.ConvertOptions(include_columns=list(number), column_types=number),
        )
    except pa.ArrowInvalid:
        return None
    # Arrow also ends lines at a lone carriage return; then line numbers would be wrong.
    if table.num_rows != block.count(b"\n"):
        return None
    latitude, longitude = (table.column(name).to_numpy() for name in number)
    return latitude, longitude


def _coordinates_line_by_line(block: bytes) -> tuple[Floats, Floats]:
    places = np.array([_place(line) for line in block[:-1].split(b"\n")], dtype=np.float64)
    return places[:, 0], places[:, 1]


def _place(line: bytes) -> tuple[float, float]:
    fields = line.split(b"\t")
    # Python would read 3_0 as thirty.
    if len(fields) != len(_FIELDS) or b"_" in fields[2] + fields[3]:
        return np.nan, np.nan
    try:
        return float(fields[2]), float(fields[3])
    except ValueError:
        return np.nan, np.nan


GOWALLA_URL: Final = "https://snap.stanford.edu/data/loc-gowalla_totalCheckins.txt.gz"
GOWALLA_FILE: Final = "loc-gowalla_totalCheckins.txt.gz"
TRIES: Final = 3
_TIMEOUT: Final = 30.0
"""Seconds without a byte before a try is given up."""
_BLOCK_BYTES: Final = 2**18
_WORLD: Final = "-90,90,-180,180"


def cache_folder() -> Path:
    """Where fetched files are kept: `caldp` in the user's cache folder of this platform."""
    return platformdirs.user_cache_path("caldp", appauthor=False)


def fetch_gowalla(
    url: str = GOWALLA_URL,
    folder: str | Path | None = None,
    progress: Progress = no_progress,
) -> Path:
    """Download SNAP's check-in file (about 100 MB) and return its path.

    `folder`: where to keep it, by default `cache_folder()`. A file that is already there is
    returned as it is, whatever its URL was. Nobody publishes a checksum of this file, so a download
    is read to its end, by gzip's own checksum and as check-ins; only then the file gets its name.
    A transfer that fails is tried anew, three times in all. `progress` gets the share that is
    downloaded and may raise to stop. Proxies are those of the environment (HTTPS_PROXY). Raises
    `CaldpError` if the download fails; nothing is left of it then.
    """
    require(
        url.startswith(("https://", "http://")),
        f"url must start with https:// or http://, got {url!r}.",
    )
    target = (cache_folder() if folder is None else Path(folder).expanduser()) / GOWALLA_FILE
    if not target.is_file():
        try:
            _download(url, target, progress)
        except (CaldpError, OSError) as error:
            raise CaldpError(
                f"{_reason(error, url, target.parent)}. "
                f"Or download {url} yourself and give the path of the file."
            ) from None
    progress(1.0)
    return target


def _download(url: str, target: Path, progress: Progress) -> None:
    """Download the file and name it once it is checked; raises `CaldpError` or `OSError`."""
    # Imported here because nothing but this needs it, and most people never fetch.
    import pooch

    pooch.get_logger().setLevel("ERROR")  # its messages would break the progress bar
    target.parent.mkdir(parents=True, exist_ok=True)
    pooch.create(
        target.parent,
        base_url="",
        registry={target.name: None},
        urls={target.name: url},
        retry_if_failed=TRIES - 1,
    ).fetch(target.name, downloader=lambda _, file, __: _transfer(url, Path(file), progress))


def _transfer(url: str, file: Path, progress: Progress) -> None:
    """Write what `url` sends to `file`, and check that it is check-ins; raises as `_download`."""
    import requests

    with requests.get(url, stream=True, timeout=_TIMEOUT) as answer, file.open("wb") as here:
        answer.raise_for_status()
        total = int(answer.headers.get("Content-Length", 0))
        for block in answer.iter_content(_BLOCK_BYTES):
            here.write(block)
            if total:
                progress(min(here.tell() / total, 1.0))
    Snap(str(file), _WORLD, cell=1.0).load()
    file.chmod(0o644)  # pooch's temporary files are for their owner alone


def _reason(error: CaldpError | OSError, url: str, folder: Path) -> str:
    """Why the file can't be had, without the full stop."""
    from requests import HTTPError, RequestException, Response

    match error:
        case CaldpError():
            return f"What {url} sent is not kept: {str(error).removesuffix('.')}"
        case HTTPError(response=Response() as answer):
            return f"{url} answered with HTTP error {answer.status_code} {answer.reason}"
        case RequestException():
            return (
                f"The download of {url} failed {TRIES} times ({type(error).__name__}); "
                "check the connection, and HTTPS_PROXY behind a proxy"
            )
    return f"The file can't be kept in {folder}: {error.strerror or error}"
