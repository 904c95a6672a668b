"""The real Gowalla check-ins from SNAP's file, on any map.

Reading bytes is `lines.py`; fetching the file is `fetch.py`. Source of the format:
https://snap.stanford.edu/data/loc-Gowalla.html
"""

from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from caldp_core.basics.counted import count_text
from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.types import Floats, Ints, Progress, no_progress
from caldp_core.datasets.base import Dataset, from_counts
from caldp_core.datasets.lines import line_blocks
from caldp_core.domain.grid import Area, GridDomain

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
