"""Which columns of a table of counts are labels, codes beside them, periods, or nothing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from caldp_core.datasets.files.layout_detection import (
    RATES,
    ROLES,
    has_word,
    is_identifier,
    is_lone_letter,
    is_named,
    is_no_number_of_people,
    is_share,
)
from caldp_core.datasets.files.numbers import HIDDEN, looks_like_number
from caldp_core.datasets.tables import labels

_FEW_NUMBERS: Final = 3
"""Of rows for each number, those of a column of codes, such as of sex."""
_NUMERIC: Final = 0.6
_TEXTS_MAX: Final = 0.1
"""Of the cells of a column of numbers, those that may be words."""
_BLANK_MAX: Final = 0.5
_PLACES: Final = ("latitude", "longitude")


@dataclass(frozen=True)
class Columns:
    """Columns by number: `labels` that tell rows apart, `beside` with codes and levels of these.

    `period`: a column that says when, None for none. `are_places`: whether columns hold degrees.
    """

    labels: tuple[int, ...]
    beside: tuple[int, ...]
    period: int | None
    are_places: bool


def find_columns(
    titles: Sequence[str], rows: Sequence[Sequence[str]], people: int, named: Sequence[int]
) -> Columns:
    """The columns of a table whose people are in the column `people`.

    `named`: columns that are labels for sure.
    """
    cells = _cells_of_columns(titles, rows)
    # A column that has one text alone tells no rows apart.
    usable = []
    for column in range(len(titles)):
        if column != people and len(set(cells[column])) > 1:
            usable.append(column)

    # 1. Texts that say what a row is, then codes that are needed to tell rows apart.
    found = []
    for column in usable:
        if column in named or _is_label(titles[column], cells[column]):
            found.append(column)
    for column in usable:
        if column not in found and _is_code_of_rows(titles[column], cells, column, found):
            found.append(column)
    found.sort()
    if not found:
        first_other = 1
        if people:
            first_other = 0
        found = list(named[:1]) or usable[:1] or [first_other]

    # 2. A year or date, where it tells further rows apart.
    period = next((column for column in usable if is_named(titles[column], "period")), None)
    if period is not None and period not in found and _keys(cells, found) < len(rows):
        found.append(period)
    found.sort()

    # 3. Codes and levels that another label determines stand beside it.
    beside = _columns_beside(titles, cells, found, named)
    kept = tuple(column for column in found if column not in beside)
    are_places = False
    for title in titles:
        if any(is_named(title, role) for role in _PLACES):
            are_places = True
    return Columns(kept, tuple(beside), period, are_places)


def _cells_of_columns(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """The cells of each column, empty ones included, without spaces around them."""
    columns = []
    for column in range(len(titles)):
        columns.append([row[column].strip() for row in rows])
    return columns


def _keys(cells: Sequence[Sequence[str]], columns: Sequence[int]) -> int:
    """How many different rows some columns make."""
    if not columns:
        return 1
    return len(set(zip(*(cells[column] for column in columns), strict=True)))


def _is_label(title: str, cells: Sequence[str]) -> bool:
    """Whether a column holds texts that say what a row is, and no remarks, shares or numbers."""
    filled = [cell for cell in cells if cell]
    is_code = labels.title_says(title, "code")
    # By the title: ages are groups as well as measures; a number of its own for each row is none.
    if is_share(title) or (is_named(title, "measure") and not is_named(title, "period")):
        return labels.title_says(title, "group") and not is_share(title)
    if is_identifier(title) and not is_code and len(set(filled)) == len(cells):
        return False
    if labels.title_says(title, "remark") or len(filled) < _BLANK_MAX * len(cells):
        return _has_blocks(cells)

    # By the cells: texts are labels, and numbers only if they are written as codes.
    number_count, hidden_count = _count_numbers(filled)
    text_count = len(filled) - number_count - hidden_count
    if number_count < _NUMERIC * len(filled) or text_count > _TEXTS_MAX * len(filled):
        return not any(cell.endswith("%") or cell.startswith("±") for cell in filled)
    has_zeros = any(cell.startswith("0") and len(cell) > 1 for cell in filled)
    return is_code or (has_zeros and all(cell.isdecimal() for cell in filled))


def _count_numbers(cells: Sequence[str]) -> tuple[int, int]:
    """How many cells are numbers, and how many are marks of hidden ones."""
    number_count = sum(map(looks_like_number, cells))
    hidden_count = 0
    for cell in cells:
        if re.fullmatch(HIDDEN, cell):
            hidden_count += 1
    return number_count, hidden_count


def _has_blocks(cells: Sequence[str]) -> bool:
    """Whether labels stand once above a group of rows each, as merged cells do."""
    filled = [cell for cell in cells if cell]
    return bool(cells) and cells[0] != "" and len(set(filled)) == len(filled) > 1


def _is_code_of_rows(
    title: str, cells: Sequence[Sequence[str]], column: int, found: Sequence[int]
) -> bool:
    """Whether few whole numbers tell rows apart, as codes of sex and ages do."""
    own = cells[column]
    are_whole = all(cell.lstrip("-").isdecimal() for cell in own)
    if not are_whole or is_share(title) or has_word(title, RATES):
        return False
    is_age = labels.title_says(title, "group") or is_named(title, "period")
    if is_age and not found:
        return True
    # Many numbers are people or measures, unless the title says that they are ages or years.
    are_few = len(set(own)) <= max(_FEW_NUMBERS, len(own) // _FEW_NUMBERS)
    known = _keys(cells, found)
    tells_apart = known < len(own) and _keys(cells, [*found, column]) > known
    return tells_apart and (are_few or is_age)


def _columns_beside(
    titles: Sequence[str],
    cells: Sequence[Sequence[str]],
    found: Sequence[int],
    named: Sequence[int],
) -> list[int]:
    """Columns that another label column determines: its code, level or region."""
    beside: list[int] = []
    distinct = {column: _keys(cells, [column]) for column in found}
    codes = {column: sum(map(labels.is_code, cells[column])) for column in found}
    for column in found:
        for other in found:
            if other == column or column in beside or other in beside:
                continue
            if labels.title_says(titles[other], "question") or distinct[column] < 2:
                continue
            # A column determines another one if both together make no more rows than it alone.
            determined = _keys(cells, [column, other]) == distinct[column]
            finer = distinct[column] > distinct[other]
            # Of two that determine each other the one that is known, or has fewer codes, stays.
            as_fine = distinct[column] == distinct[other]
            prefers = other not in named and (column in named or codes[column] <= codes[other])
            if determined and (finer or (as_fine and prefers)):
                beside.append(other)
    return beside


@dataclass(frozen=True)
class WideColumns:
    """Of a table with answers across: `labels` of its rows, and `values`, its columns of people."""

    labels: tuple[int, ...]
    values: tuple[int, ...]


def find_wide_columns(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> WideColumns | None:
    """Labels and columns of people, where labels tell all rows apart; None where there are none."""
    cells = _cells_of_columns(titles, rows)
    texts = []
    able = []
    others = []
    for column, title in enumerate(titles):
        # A column that has one text alone is neither.
        if len(set(cells[column])) < 2 and len(rows) != 1:
            continue
        if _is_label(title, cells[column]):
            texts.append(column)
        elif _may_be_people(titles, cells, column):
            able.append(column)
        else:
            others.append(column)

    # Few numbers that tell rows apart, such as codes of sex and ages, are labels; but enough
    # columns must be left that may be people.
    for column in sorted(able, key=lambda column: len(set(cells[column]))):
        rest = [other for other in able if other != column]
        is_enough = len(rest) > 1 or any(_is_called_people(titles[other]) for other in rest)
        if not is_enough or _is_called_people(titles[column]):
            continue
        if _is_code_of_rows(titles[column], cells, column, texts):
            texts.append(column)
            able.remove(column)
    if not texts:
        texts = [column for column in others if is_named(titles[column], "period")]
        texts = texts or others[:1]
    if len(able) < 2 or not texts or _keys(cells, texts) < len(rows):
        return None
    # Columns of one title are two numbers of the same people, and no answers.
    bare = {re.sub(r" \(column \d+\)$", "", titles[column]) for column in able}
    if len(bare) < len(able):
        return None

    # A single column that is called people is all that counts, unless it is a total of the others.
    named = {column for column in able if _is_called_people(titles[column])}
    totals = {column for column in able if labels.is_total(titles[column])}
    are_across = named <= totals or (len(named) > 1 and (not totals or len(named) == len(able)))
    if not are_across:
        return None
    return WideColumns(tuple(sorted(texts)), tuple(able))


def _is_called_people(title: str) -> bool:
    """Whether a title, or a word of it but for a number behind, says people."""
    return is_named(title, "count") or has_word(re.sub(r"[_\d]+$", "", title), ROLES["count"])


def _may_be_people(titles: Sequence[str], cells: Sequence[Sequence[str]], column: int) -> bool:
    """Whether a column of whole numbers may be people: no share, rate, code, measure or number."""
    title = titles[column]
    own = [cell for cell in cells[column] if cell]
    number_count, hidden_count = _count_numbers(own)
    if number_count + hidden_count < len(own):
        return False
    if number_count < max(1, _NUMERIC * (len(own) - hidden_count)):
        return False
    if is_share(title) or has_word(title, RATES) or any("%" in cell for cell in own):
        return False
    return is_lone_letter(title, titles) or not is_no_number_of_people(title)
