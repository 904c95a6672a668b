"""What people paste or upload, read with care: whatever is unclear is told with its line.

Room: datasets. The texts are untrusted: how long they may be is bounded before they are read.
"""

import codecs
import csv
from collections import Counter
from collections.abc import Sequence
from typing import Final, TypeAlias

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.limits import N_MAX, OWN_TEXT_MAX
from caldp_core.basics.numerals import read_whole
from caldp_core.datasets.own import OwnTable, quoted

Row: TypeAlias = tuple[int, list[str]]
"""The number of a line, and its cells."""
DELIMITERS: Final = (",", ";", "\t")
_NO_DELIMITER: Final = "\x1f"
_HEADERS: Final = {"answer", "answers", "category", "response", "responses", "value", "values"}


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
    utf_16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return data.decode("utf-16" if utf_16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise CaldpError(
            f"The file is no text in UTF-8 (byte {error.start + 1:,}); in a spreadsheet, save it "
            "as “CSV UTF-8”."
        ) from None


def read_table(text: str, title: str = OwnTable.title) -> OwnTable:
    """The table that a text holds; raises `CaldpError` with the line that can't be read.

    Either each line has an answer, the people who gave it and perhaps a group, set apart by commas,
    semicolons or tabs, or it is one person's answer, and these are counted. A first line without
    a count is a header; blank lines are passed over. An answer that is in several groups is called
    "answer; group".
    """
    check_size(text)
    lines = text.removeprefix("\ufeff").splitlines()
    counted = {each: sum(_is_counted(line, each) for line in lines) for each in DELIMITERS}
    delimiter = max(counted, key=counted.__getitem__)
    rows = rows_of(lines, delimiter)
    require(bool(rows), "There is nothing to read; give lines such as “Often, 12”.")
    # One line that can't be read does not make answers of the others.
    if 2 * counted[delimiter] >= len(rows):
        return _of_counts(rows, title)
    return _of_answers(rows_of(lines, _NO_DELIMITER), title)


def rows_of(lines: Sequence[str], delimiter: str) -> list[Row]:
    """Lines that are not blank, as cells without spaces around them or empty ones at the end."""
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    rows: list[Row] = []
    end = 0
    try:
        for cells in reader:
            start, end = end + 1, reader.line_num
            stripped = [" ".join(cell.split()) for cell in cells]
            while stripped and not stripped[-1]:
                stripped.pop()
            if stripped:
                require(
                    start == end,
                    f"Line {start:,}: a quotation mark opens there and does not close on that "
                    "line; close it, or take it out.",
                )
                rows.append((end, stripped))
    except csv.Error as error:
        raise CaldpError(f"Line {end + 1:,} can't be read ({error}); shorten it.") from None
    return rows


def _is_counted(line: str, delimiter: str) -> bool:
    """True of a line whose second cell is a whole number."""
    try:
        cells = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:
        return False
    return len(cells) > 1 and read_whole(cells[1].strip()) is not None


def _of_counts(rows: list[Row], title: str) -> OwnTable:
    first = rows[0][1]
    if len(first) in (2, 3) and not any(sign.isdigit() for sign in first[1]):
        rows = rows[1:]
    counts = [_count(row) for row in rows]
    answers = [cells[0] for _, cells in rows]
    groups = [cells[2] for _, cells in rows if len(cells) == 3]
    if groups:
        for number, cells in rows:
            require(
                len(cells) == 3,
                f"Line {number:,} has no group, others have; give every answer one, or none.",
            )
        if len(set(answers)) < len(answers):
            answers = [f"{name}; {group}" for name, group in zip(answers, groups, strict=True)]
    _check_lines(rows, answers)
    return OwnTable(tuple(answers), tuple(counts), tuple(groups), title)


def _count(row: Row) -> int:
    number, cells = row
    require(
        len(cells) in (2, 3) and bool(cells[0]),
        f"Line {number:,} must have an answer, a count and perhaps a group, got "
        f"{quoted(' | '.join(cells))}; put what has a comma of its own in quotation marks.",
    )
    count = read_whole(cells[1])
    if count is None or not 0 <= count <= N_MAX:
        raise CaldpError(
            f"Line {number:,}: a count must be a whole number from 0 to {N_MAX:,}, in digits "
            f"alone, got {quoted(cells[1])}."
        )
    return count


def _check_lines(rows: Sequence[Row], answers: Sequence[str]) -> None:
    """Raise `CaldpError` for an answer that is there twice."""
    seen: dict[str, int] = {}
    for (number, _), name in zip(rows, answers, strict=True):
        require(
            name not in seen,
            f"Line {number:,} has the answer {quoted(name)} again, as line {seen.get(name, 0):,} "
            "has it; add the two up.",
        )
        seen[name] = number


def _of_answers(rows: list[Row], title: str) -> OwnTable:
    """One answer a line: in the order of numbers if all are numbers, else the most common first."""
    answers = [cells[0] for _, cells in rows]
    if answers[0].casefold() in _HEADERS:
        answers = answers[1:]
    people = Counter(answers)
    numbers = {name: read_whole(name) for name in people}
    found = people.most_common()
    if None not in numbers.values():
        found.sort(key=lambda pair: numbers[pair[0]] or 0)
    return OwnTable(tuple(name for name, _ in found), tuple(n for _, n in found), (), title)
