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
    cells = [[row[at].strip() for row in rows] for at in range(len(titles))]
    usable = [at for at in range(len(titles)) if at != people and len(set(cells[at])) > 1]
    found = [at for at in usable if at in named or _is_label(titles[at], cells[at])]
    for at in usable:
        if at not in found and _is_code_of_rows(titles[at], cells, at, found):
            found.append(at)
    found.sort()
    if not found:
        found = list(named[:1]) or usable[:1] or [0 if people else 1]
    period = next((at for at in usable if is_named(titles[at], "period")), None)
    if period is not None and period not in found and _keys(cells, found) < len(rows):
        found.append(period)
    found.sort()
    beside = _columns_beside(titles, cells, found, named)
    kept = tuple(at for at in found if at not in beside)
    are_places = any(is_named(title, role) for title in titles for role in _PLACES)
    return Columns(kept, tuple(beside), period, are_places)


def _keys(cells: Sequence[Sequence[str]], columns: Sequence[int]) -> int:
    """How many different rows some columns make."""
    return len(set(zip(*(cells[at] for at in columns), strict=True))) if columns else 1


def _is_label(title: str, cells: Sequence[str]) -> bool:
    """Whether a column holds texts that say what a row is, and no remarks, shares or numbers."""
    filled = [cell for cell in cells if cell]
    is_code = labels.title_says(title, "code")
    if is_share(title) or (is_named(title, "measure") and not is_named(title, "period")):
        return labels.title_says(title, "group") and not is_share(title)
    if is_identifier(title) and not is_code and len(set(filled)) == len(cells):
        return False
    if labels.title_says(title, "remark") or len(filled) < _BLANK_MAX * len(cells):
        return _has_blocks(cells)
    numeric = sum(map(looks_like_number, filled))
    hidden = sum(re.fullmatch(HIDDEN, cell) is not None for cell in filled)
    texts = len(filled) - numeric - hidden
    if numeric < _NUMERIC * len(filled) or texts > _TEXTS_MAX * len(filled):
        return not any(cell.endswith("%") or cell.startswith("±") for cell in filled)
    has_zeros = any(cell.startswith("0") and len(cell) > 1 for cell in filled)
    return is_code or (has_zeros and all(cell.isdecimal() for cell in filled))


def _has_blocks(cells: Sequence[str]) -> bool:
    """Whether labels stand once above a group of rows each, as merged cells do."""
    filled = [cell for cell in cells if cell]
    return bool(cells) and cells[0] != "" and len(set(filled)) == len(filled) > 1


def _is_code_of_rows(
    title: str, cells: Sequence[Sequence[str]], at: int, found: Sequence[int]
) -> bool:
    """Whether few whole numbers tell rows apart, as codes of sex and ages do."""
    own = cells[at]
    whole = all(cell.lstrip("-").isdecimal() for cell in own)
    few = len(set(own)) <= max(_FEW_NUMBERS, len(own) // _FEW_NUMBERS)
    if not whole or is_share(title) or has_word(title, RATES):
        return False
    is_age = labels.title_says(title, "group") or is_named(title, "period")
    known = _keys(cells, found)
    if is_age and not found:
        return True
    tells_apart = known < len(own) and _keys(cells, [*found, at]) > known
    return tells_apart and (few or is_age)


def _columns_beside(
    titles: Sequence[str],
    cells: Sequence[Sequence[str]],
    found: Sequence[int],
    named: Sequence[int],
) -> list[int]:
    """Columns that another label column determines: its code, level or region."""
    beside: list[int] = []
    distinct = {at: _keys(cells, [at]) for at in found}
    codes = {at: sum(map(labels.is_code, cells[at])) for at in found}
    for at in found:
        for other in found:
            if other == at or at in beside or other in beside:
                continue
            if labels.title_says(titles[other], "question") or distinct[at] < 2:
                continue
            determined = _keys(cells, [at, other]) == distinct[at]
            finer = distinct[at] > distinct[other]
            as_fine = distinct[at] == distinct[other]
            prefers = other not in named and (at in named or codes[at] <= codes[other])
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
    cells = [[row[at].strip() for row in rows] for at in range(len(titles))]
    varied = [at for at in range(len(titles)) if len(set(cells[at])) > 1 or len(rows) == 1]
    texts = [at for at in varied if _is_label(titles[at], cells[at])]
    able = [at for at in varied if at not in texts and _may_be_people(titles, cells, at)]
    # Few numbers that tell rows apart, such as codes of sex and ages, are labels.
    for at in sorted(able, key=lambda at: len(set(cells[at]))):
        rest = [other for other in able if other != at]
        enough = len(rest) > 1 or any(_is_called_people(titles[other]) for other in rest)
        if (
            enough
            and not _is_called_people(titles[at])
            and _is_code_of_rows(titles[at], cells, at, texts)
        ):
            texts.append(at)
            able.remove(at)
    if not texts:
        others = [at for at in varied if at not in able]
        texts = [at for at in others if is_named(titles[at], "period")] or others[:1]
    if len(able) < 2 or not texts or _keys(cells, texts) < len(rows):
        return None
    named = {at for at in able if _is_called_people(titles[at])}
    totals = {at for at in able if labels.is_total(titles[at])}
    # Columns of one title are two numbers of the same people, and no answers.
    bare = {re.sub(r" \(column \d+\)$", "", titles[at]) for at in able}
    if len(bare) < len(able):
        return None
    across = named <= totals or (len(named) > 1 and (not totals or len(named) == len(able)))
    return WideColumns(tuple(sorted(texts)), tuple(able)) if across else None


def _is_called_people(title: str) -> bool:
    """Whether a title, or a word of it but for a number behind, says people."""
    return is_named(title, "count") or has_word(re.sub(r"[_\d]+$", "", title), ROLES["count"])


def _may_be_people(titles: Sequence[str], cells: Sequence[Sequence[str]], at: int) -> bool:
    """Whether a column of whole numbers may be people: no share, rate, code, measure or number."""
    title, own = titles[at], [cell for cell in cells[at] if cell]
    numeric = sum(map(looks_like_number, own))
    hidden = sum(re.fullmatch(HIDDEN, cell) is not None for cell in own)
    if numeric < max(1, _NUMERIC * (len(own) - hidden)) or numeric + hidden < len(own):
        return False
    if is_share(title) or has_word(title, RATES) or any("%" in cell for cell in own):
        return False
    return is_lone_letter(title, titles) or not is_no_number_of_people(title)
