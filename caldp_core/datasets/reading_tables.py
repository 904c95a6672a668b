"""Tables of answers that people paste or upload: read as meant, or refused with the line."""

import csv
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.limits import N_MAX, OWN_ANSWERS_MAX
from caldp_core.basics.numerals import read_number, read_whole
from caldp_core.datasets import reading
from caldp_core.datasets.own import OwnTable, quoted
from caldp_core.datasets.reading import Lines, Row

_NO_DELIMITER: Final = "\x1f"
_SPELLINGS: Final = 8
"""Different lines that may spell one answer, with other spaces and quotation marks."""
_ANSWER_NAMES: Final = ("answer", "answers", "category", "response", "responses", "value", "values")
_GROUP_NAMES: Final = ("group", "groups", "block", "blocks")
_LAYOUT: Final = "give the answer first, then how many people gave it, and perhaps a group"


@dataclass(frozen=True)
class _Columns:
    """Where in a line answer, count and group are; `group` is None where there is none."""

    answer: int = 0
    count: int = 1
    group: int | None = None


def read_table(text: str, title: str = OwnTable.title) -> OwnTable:
    """The table that a text holds; raises `CaldpError` with the line that can't be read.

    Either each line has an answer, the people who gave it and perhaps a group, set apart by commas,
    semicolons or tabs, or it is one person's answer, and these are counted. A first line that names
    the columns may have them in another order; blank lines are passed over. An answer that is in
    several groups is called "answer; group".
    """
    lines = reading.different(reading.lines_of(text))
    _check_few(len(lines.texts), _SPELLINGS * OWN_ANSWERS_MAX)
    with_numbers = {each: _with_numbers(lines, each) for each in reading.DELIMITERS}
    delimiter = max(with_numbers, key=with_numbers.__getitem__)
    rows = reading.rows_of(lines.texts, delimiter, lines.numbers)
    require(bool(rows), "There is nothing to read; give lines such as “Often, 12”.")
    times = dict(zip(lines.numbers, lines.times, strict=True))
    # One line that can't be read does not make answers of the others.
    if 2 * with_numbers[delimiter] >= sum(times[number] for number, _ in rows):
        again = [(lines.again[at], cells) for at, cells in rows if at in lines.again]
        return _of_counts(sorted(rows + again), title)
    _check_one_column(lines)
    return _of_answers(reading.rows_of(lines.texts, _NO_DELIMITER, lines.numbers), times, title)


def _check_few(answers: int, most: int) -> None:
    """Refuse what can't be a table before it is read."""
    require(
        answers <= most,
        f"There are {answers:,} different lines, and a table may have up to {OWN_ANSWERS_MAX:,} "
        "answers; put rare ones together.",
    )


def _with_numbers(lines: Lines, delimiter: str) -> int:
    pairs = zip(lines.texts, lines.times, strict=True)
    return sum(times for text, times in pairs if _has_numbers(text, delimiter))


def _has_numbers(line: str, delimiter: str) -> bool:
    """True of a line of several cells, one of which is a number."""
    try:
        cells = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:
        return False
    return len(cells) > 1 and any(read_number(cell.strip()) is not None for cell in cells)


def _check_one_column(lines: Lines) -> None:
    """Raise `CaldpError` where every line has the same number of columns, and not just one."""
    for delimiter in reading.DELIMITERS:
        rows = reading.rows_of(lines.texts, delimiter, lines.numbers)
        widths = {len(cells) for _, cells in rows}
        require(
            len(widths) > 1 or widths == {1},
            f"Each line has {max(widths, default=0)} columns and no count, such as line "
            f"{rows[0][0]:,}, {_cited(rows[0])}; {_LAYOUT}, or one answer a line, in quotation "
            "marks if it has a comma.",
        )


def _of_counts(rows: list[Row], title: str) -> OwnTable:
    columns = _header(rows[0])
    if columns is None:
        columns = _Columns(group=2 if any(len(cells) > 2 for _, cells in rows) else None)
    else:
        rows = rows[1:]
    width = max(columns.answer, columns.count, columns.group or 0) + 1
    counts = [_count(row, columns, width) for row in rows]
    answers = [cells[columns.answer] for _, cells in rows]
    groups: list[str] = []
    if columns.group is not None and any(len(cells) > columns.group for _, cells in rows):
        groups = [_group(row, columns.group) for row in rows]
        if len(set(answers)) < len(answers):
            answers = [f"{name}; {group}" for name, group in zip(answers, groups, strict=True)]
    _check_lines(rows, answers)
    return OwnTable(tuple(answers), tuple(counts), tuple(groups), title)


def _header(row: Row) -> _Columns | None:
    """Which column is what, if the first line names them; raises `CaldpError` if one is unknown."""
    cells = [cell.casefold() for cell in row[1]]
    if any(any(sign.isdigit() for sign in cell) for cell in cells[1:]) or len(cells) < 2:
        return None
    count = _place_of(cells, reading.COUNT_NAMES)
    if count is None:  # named in another language, in the order that is asked for
        return _Columns(group=2 if len(cells) > 2 else None) if len(cells) <= 3 else None
    answer, group = _place_of(cells, _ANSWER_NAMES), _place_of(cells, _GROUP_NAMES)
    others = [at for at in range(len(cells)) if at not in (answer, count, group)]
    if answer is None and others:
        answer = others.pop(0)
    if (answer, count) == (0, 1) and group is None and others == [2]:
        group = others.pop()
    require(
        answer is not None and not others,
        f"Line {row[0]:,} names the columns {_cited(row)}, of which only an answer, its people and "
        f"perhaps a group are read; {_LAYOUT}, and nothing else.",
    )
    return _Columns(answer or 0, count, group)


def _place_of(cells: Sequence[str], known: Collection[str]) -> int | None:
    return next((at for at, cell in enumerate(cells) if cell in known), None)


def _count(row: Row, columns: _Columns, width: int) -> int:
    number, cells = row
    require(
        columns.count < len(cells) <= width and bool(cells[columns.answer]),
        f"Line {number:,} must have an answer, a count and perhaps a group, got {_cited(row)}; "
        f"{_LAYOUT}, and put what has a comma of its own in quotation marks.",
    )
    people = reading.people_of(cells[columns.count])
    if people is None:
        reading.check_whole_people(number, cells[columns.count])
        raise CaldpError(
            f"Line {number:,}: a count must be a whole number from 0 to {N_MAX:,}, in digits "
            f"alone, got {quoted(cells[columns.count])}; {_LAYOUT}."
        )
    return people


def _group(row: Row, column: int) -> str:
    number, cells = row
    require(
        len(cells) > column and bool(cells[column]),
        f"Line {number:,} has no group, others have; give every answer one, or none.",
    )
    return cells[column]


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


def _of_answers(rows: list[Row], times: Mapping[int, int], title: str) -> OwnTable:
    """One answer a line: in the order of numbers if all are numbers, else the most common first."""
    people: Counter[str] = Counter()
    for number, cells in rows:
        people[cells[0]] += times[number]
    if _is_title(rows, people):
        people[rows[0][1][0]] -= 1
        people += Counter()
    numbers = {name: read_whole(name) for name in people}
    found = people.most_common()
    if None not in numbers.values():
        found.sort(key=lambda pair: numbers[pair[0]] or 0)
    return OwnTable(tuple(name for name, _ in found), tuple(n for _, n in found), (), title)


def _is_title(rows: list[Row], people: Mapping[str, int]) -> bool:
    """True if the first line names the column; raises `CaldpError` if nobody can tell."""
    line, (first, *_) = rows[0]
    if first.casefold() in _ANSWER_NAMES:
        return True
    others = [name for name, times in people.items() if name != first or times > 1]
    if read_number(first) is None and all(read_number(name) is not None for name in others):
        return bool(others)
    require(
        read_number(first) is not None or first in others,
        f"Line {line:,}, {quoted(first)}, is there only once and may be a title or an answer; if "
        "it is a title, write “answer” instead, and if it is an answer, “answer” on a line above.",
    )
    return False


def _cited(row: Row) -> str:
    return quoted(" | ".join(row[1]))
