"""What people paste or upload, as rows of cells; the texts are untrusted.

How long they may be is bounded before they are read. What can't be read is told with its line.
"""

import codecs
import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.limits import N_MAX, OWN_TEXT_MAX
from caldp_core.basics.numerals import read_number
from caldp_core.datasets.own import quoted

Row: TypeAlias = tuple[int, list[str]]
"""The number of a line, and its cells."""
DELIMITERS: Final = (",", ";", "\t")
COUNT_NAMES: Final = (
    *("count", "counts", "frequency", "freq", "n", "number", "total"),
    *("people", "persons", "population", "pop", "inhabitants", "residents", "respondents"),
    *("users", "visits", "checkins", "check-ins"),
)
"""What a column of how many people is called, in lower case."""
_BINARY: Final = {
    b"PK\x03\x04": (
        "an Excel workbook or another packed file",
        "in a spreadsheet, save it as “CSV UTF-8”; unpack an archive first",
    ),
    b"\xd0\xcf\x11\xe0": ("an old Excel workbook", "save it as “CSV UTF-8”"),
    b"\x1f\x8b": ("packed by gzip", "unpack it first"),
    b"BZh": ("packed by bzip2", "unpack it first"),
    b"\xfd7zXZ": ("packed by xz", "unpack it first"),
    b"\x28\xb5\x2f\xfd": ("packed by zstd", "unpack it first"),
    b"PAR1": ("a Parquet file", "save it as CSV"),
    b"%PDF": ("a PDF", "copy its table into a spreadsheet, and save that as “CSV UTF-8”"),
}
"""By the first bytes of a file: what it is, and what to do."""


def check_size(text: str | bytes) -> None:
    """Raise `CaldpError` if a text or a file is longer than is ever read."""
    require(
        len(text) <= OWN_TEXT_MAX,
        f"A text or file may have up to {OWN_TEXT_MAX:,} characters, got {len(text):,}; put equal "
        "lines together, with how many there are.",
    )


def text_of(data: bytes) -> str:
    """The text of a file in UTF-8 or UTF-16; raises `CaldpError` if it is neither or too long."""
    check_size(data)
    for start, (kind, then) in _BINARY.items():
        require(not data.startswith(start), f"The file must be plain text, but is {kind}; {then}.")
    utf_16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = data.decode("utf-16" if utf_16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise _no_text(error.start) from None
    if "\0" in text:
        raise _no_text(text.index("\0"))
    return text


def _no_text(byte: int) -> CaldpError:
    return CaldpError(
        f"The file is no text in UTF-8 (byte {byte + 1:,}); in a spreadsheet, save it as “CSV "
        "UTF-8”."
    )


def lines_of(text: str) -> list[str]:
    """The lines of a text that is not too long."""
    check_size(text)
    return text.removeprefix("\ufeff").splitlines()


def people_of(cell: str) -> int | None:
    """How many people a cell says, "12" or "12.0"; None if it says no such number."""
    number = read_number(cell)
    return int(number) if number is not None and _is_count(number) else None


def check_whole_people(line: int, cell: str) -> None:
    """Raise `CaldpError` for a number in a column of people that is no whole number of them."""
    number = read_number(cell)
    require(
        number is None or _is_count(number),
        f"Line {line:,}: a count must be a whole number of people from 0 to {N_MAX:,}, got "
        f"{quoted(cell)}; turn weights or shares into people, rounded.",
    )


def _is_count(number: float) -> bool:
    return number.is_integer() and 0 <= number <= N_MAX


@dataclass(frozen=True)
class Lines:
    """The different lines of a text that are not blank, in the order in which they first come.

    `numbers`: that of the first of each, from 1. `times`: how often each is there. `again`: the
    number of the second of those that are there several times, by that of the first.
    """

    texts: tuple[str, ...]
    numbers: tuple[int, ...]
    times: tuple[int, ...]
    again: Mapping[int, int]


def different(lines: Sequence[str]) -> Lines:
    """What is there twice is read but once: half a million lines may be one answer."""
    first: dict[str, int] = {}
    again: dict[int, int] = {}
    times: Counter[str] = Counter(lines)
    for number, line in enumerate(lines, start=1):
        if (before := first.setdefault(line, number)) != number:
            again.setdefault(before, number)
    texts = tuple(line for line in first if line and not line.isspace())
    numbers = tuple(first[text] for text in texts)
    return Lines(texts, numbers, tuple(times[text] for text in texts), again)


def rows_of(lines: Sequence[str], delimiter: str, numbers: Sequence[int] = ()) -> list[Row]:
    """Lines that are not blank, as cells without spaces around them or empty ones at the end.

    `numbers`: of the lines; by default from 1.
    """
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    rows: list[Row] = []
    end = 0
    try:
        for cells in reader:
            start, end = end + 1, reader.line_num
            number = numbers[start - 1] if numbers else start
            stripped = [" ".join(cell.split()) for cell in cells]
            while stripped and not stripped[-1]:
                stripped.pop()
            if stripped:
                require(
                    start == end,
                    f"Line {number:,}: a quotation mark opens there and does not close on that "
                    "line; close it, or take it out.",
                )
                rows.append((number, stripped))
    except csv.Error as error:
        number = numbers[end] if numbers else end + 1
        raise CaldpError(f"Line {number:,} can't be read ({error}); shorten it.") from None
    return rows
