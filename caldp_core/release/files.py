"""The files of a release, by the names that its settings have for them: bytes or paths."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from caldp_core.basics.errors import quoted, require
from caldp_core.datasets.files.layout_detection import DetectedFile
from caldp_core.datasets.files.source import (
    COMMAND_BOUNDS,
    Bounds,
    FileSource,
    source_from_bytes,
    source_from_path,
)
from caldp_core.datasets.files.table import Chosen
from caldp_core.datasets.reading import inspect_data

_WITH_TITLES: Final = Chosen(header=True)


@dataclass(frozen=True)
class Files:
    """Sources of bytes by name; `bounds`: within which they are read."""

    find: Callable[[str], FileSource]
    bounds: Bounds

    def digest(self, name: str) -> str:
        """A plain hash of the bytes; for marks with a key only, as it would tell a list."""
        found = sha256()
        for chunk in self.find(name).chunks():
            found.update(chunk)
        return found.hexdigest()

    def read_bytes(self, name: str) -> bytes:
        """All bytes of a small file."""
        return b"".join(self.find(name).chunks())


def files_in(folder: Path, bounds: Bounds = COMMAND_BOUNDS) -> Files:
    """The files of a folder, beside which the settings lie."""
    return Files(lambda name: source_from_path(folder / name), bounds)


def files_from_bytes(contents: Mapping[str, bytes], bounds: Bounds) -> Files:
    """Files that were uploaded, by their names; raises `CaldpError` for one that was not."""

    def find(name: str) -> FileSource:
        require(name in contents, f"The file {quoted(name)} is missing; add it.")
        return source_from_bytes(contents[name], name)

    return Files(find, bounds)


def detect_file(files: Files, name: str, chosen: Chosen = _WITH_TITLES) -> DetectedFile:
    """The file as a table with a row of titles; raises `CaldpError` for what is none.

    `chosen`: how to read it, where the settings say so.
    """
    return inspect_data(files.find(name), files.bounds, chosen)


@dataclass(frozen=True)
class Rows:
    """Different rows as texts without spaces around them.

    `times`: how often each is there; `unread`: the first line that is not a row, or "".
    """

    rows: list[tuple[str, ...]]
    times: list[int]
    unread: str

    def require_all(self) -> None:
        """Raise `CaldpError` where a line could not be read: nobody may be left out."""
        require(not self.unread, f"{self.unread}; mend it, as nobody may be left out of a release.")


def read_columns(files: Files, name: str, columns: Sequence[str]) -> list[tuple[str, ...]]:
    """The different rows of the columns with these titles; raises `CaldpError`."""
    read = read_rows(detect_file(files, name), columns)
    read.require_all()
    return read.rows


def read_rows(file: DetectedFile, columns: Sequence[str]) -> Rows:
    """The different rows of the columns with these titles, in the order in which they begin.

    Equal ones are put together as the file is read, so that a million answers are a few rows.
    Raises `CaldpError` for a column that is missing.
    """
    table = file.table
    name = quoted(table.source.name)
    places = []
    for column in columns:
        # Titles are kept to 60 characters, on one line.
        title = " ".join(column.split())[:60]
        require(
            title in file.names,
            f"The file {name} has no column {quoted(column)}; its columns are "
            f"{', '.join(file.names)[:300]}.",
        )
        places.append(file.names.index(title))
    named = [f"trim(coalesce(c{place}, '')) AS t{at}" for at, place in enumerate(places)]
    texts = ", ".join(f"t{at}" for at in range(len(places)))
    numbered = (
        f"SELECT {', '.join(named)}, row_number() OVER () AS r FROM {table.relation_sql(True)}"
    )
    grouped = f"SELECT {texts}, count(*) FROM ({numbered}) GROUP BY {texts} ORDER BY min(r)"
    with table.open_reader() as reader:
        found = reader.fetch_rows(grouped)
        rejected = reader.rejected_rows()
    unread = ""
    if rejected:
        _, _, line, text = min(rejected, key=lambda each: each[2])
        unread = f"Line {line:,} of {name} is not a row of the table: {quoted(text[:60])}"
    rows = [tuple(" ".join(str(cell).split()) for cell in row[:-1]) for row in found]
    return Rows(rows, [int(row[-1]) for row in found], unread)
