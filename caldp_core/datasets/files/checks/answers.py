"""Checks of what the answers are: codes for no answer, several choices, texts of everyone's own."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from caldp_core.basics.counted import count_text
from caldp_core.basics.limits import OWN_QUESTIONS_MAX
from caldp_core.datasets.files.checks.people import leave_out
from caldp_core.datasets.files.checks.record import Check, Offer, Reading, text_sql
from caldp_core.datasets.files.numbers import parse_number

_CODES: Final = frozenset(
    sign * int(digit * times) - back * sign
    for digit in "6789"
    for times in (1, 2, 3, 4)
    for sign in (1, -1)
    for back in ((0, 1, 2) if digit == "9" else (0,))
)
"""Numbers that stand for no answer, such as −99 and 998."""
_FAR: Final = 1.5
"""Times the largest other number, from which a code is asked about."""
_SEPARATORS: Final = (";", "|", ",")
_SEVERAL: Final = 0.1
"""Of the cells that hold several choices, from which it is asked about."""
_CHOICES_MAX: Final = 60
_BAND: Final = r"\d+ ?[-–] ?\d+"
_DATE: Final = r"\d{4}-(\d\d)-(\d\d)|(\d{1,2})[. -]+([^\W\d_]{3,9})|([^\W\d_]{3,9})[. -]+(\d{1,2})"
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH_NAMES: Final = {name: month for month, name in enumerate(_MONTHS, start=1)} | {
    "mrz": 3, "mär": 3, "mai": 5, "okt": 10, "dez": 12,
}  # fmt: skip
_OWN_ANSWERS: Final = 0.6
_OWN_ROWS: Final = 15


def no_answer_codes(reading: Reading) -> Check | None:
    """Codes such as −99 and 999, far from all other numbers of a column."""
    found: list[tuple[int, str, int]] = []
    columns = [at for at in (reading.layout.answer, *reading.layout.others) if at is not None]
    for column in columns:
        if reading.file.is_numeric(column):
            found += [(column, *code) for code in _codes(reading, column)]
    if not found:
        return None
    codes = ", ".join(dict.fromkeys(code.replace("-", "−") for _, code, _ in found))
    listed = ", ".join(
        f"{code.replace('-', '−')} ({count_text(times, 'row', 'rows')})" for _, code, times in found
    )

    def without(read: Reading) -> Reading:
        for column, code, _ in found:
            read = leave_out(column, (code,), read)
        return read

    return Check(
        "no-answer-codes",
        f"{listed} in {reading.name(found[0][0])} "
        f"{'lies' if len(found) == 1 else 'lie'} far from all other numbers: codes for no answer?",
        (Offer("leave-out", "Yes: leave them out", f"{codes} left out as no answer", without),),
        "No: they are numbers",
    )


def _codes(reading: Reading, column: int) -> list[tuple[str, int]]:
    """The cells of a column that are codes for no answer, and how many rows have each."""
    mark = reading.layout.mark or "."
    cells = Counter(reading.file.cells(column))
    values = {cell: parse_number(cell, mark) for cell in cells}
    others = [value for value in values.values() if value is not None and value not in _CODES]
    usual = [value for value in others if value >= 0]
    if len(usual) < 2 or min(others) < 0:
        return []
    odd = [
        (cell, cells[cell])
        for cell, value in values.items()
        if value in _CODES and not 0 <= float(value or 0) <= _FAR * max(usual)
    ]
    return sorted(odd, key=lambda each: float(values[each[0]] or 0))


def several_choices(reading: Reading) -> Check | None:
    """Cells of a question in which people could tick several choices."""
    layout = reading.layout
    if layout.answer is None or layout.others or layout.latitude is not None:
        return None
    if layout.count is not None and not reading.file.repeats(layout.answer):
        return None  # a table of counts, such as one of ours, has "answer; group"
    cells = reading.file.cells(layout.answer)
    sign = next((sign for sign in _SEPARATORS if _holds_choices(cells, sign)), None)
    if sign is None:
        return None
    times = Counter(choice for cell in cells for choice in _split(cell, sign))
    choices = [c for c, n in times.most_common() if n < len(cells)][:OWN_QUESTIONS_MAX]
    listed = ", ".join(f"“{choice}”" for choice in choices[:3])
    several = sum(len(_split(cell, sign)) > 1 for cell in cells)
    column = layout.answer
    offers = (
        Offer(
            "questions",
            f"Ask each of {len(choices)} as yes or no",
            f"{len(choices)} of {len(times)} choices read as questions, yes or no each",
            partial(_as_questions, column, sign, tuple(choices)),
        ),
        Offer(
            "combinations",
            "Count combinations, in any order",
            "combinations of choices counted, in any order",
            partial(_as_combinations, column, sign),
        ),
    )
    return Check(
        "several-choices",
        f"{several:,} of {count_text(len(cells), 'cell', 'cells')} of {reading.name(column)} hold "
        f"several choices, such as {listed}: one question each? A person then answers "
        f"{len(choices)}, and ε is shared.",
        offers if len(choices) > 1 else offers[1:],
        "No: each text is one answer",
    )


def _split(cell: str, sign: str) -> list[str]:
    return list(dict.fromkeys(each.strip() for each in cell.split(sign) if each.strip()))


def _holds_choices(cells: Sequence[str], sign: str) -> bool:
    """Whether many cells hold several choices, most of which are in other cells as well."""
    different = {cell: _split(cell, sign) for cell in set(cells)}
    several = sum(len(different[cell]) > 1 for cell in cells)
    if several < _SEVERAL * len(cells) or several < 2:
        return False
    in_cells = Counter(choice for choices in different.values() for choice in choices)
    shared = sum(times > 1 for times in in_cells.values())
    return 2 <= len(in_cells) <= _CHOICES_MAX and 2 * shared > len(in_cells)


def _list_sql(column: int, sign: str) -> str:
    parts = f"list_transform(string_split(c{column}, '{sign}'), lambda x: trim(x))"
    return f"list_filter({parts}, lambda x: x <> '')"


def _as_questions(column: int, sign: str, choices: Sequence[str], reading: Reading) -> Reading:
    """A question for each choice, with the answers yes and no; none where nothing was ticked."""
    width, parts = reading.file.table.width, _list_sql(column, sign)
    asked = [
        f"CASE WHEN trim(coalesce(c{column}, '')) = '' THEN '' "
        f"WHEN list_contains({parts}, {text_sql(choice)}) THEN 'yes' ELSE 'no' END"
        for choice in choices
    ]
    first, *others = range(width, width + len(choices))
    layout = replace(reading.layout, answer=first, others=tuple(others), group=None, steps=None)
    return reading.derive(
        [*reading.sql_of(), *asked], [*reading.file.names, *(c[:60] for c in choices)], layout
    )


def _as_combinations(column: int, sign: str, reading: Reading) -> Reading:
    columns = reading.sql_of()
    columns[column] = f"array_to_string(list_sort({_list_sql(column, sign)}), '; ')"
    return reading.derive(columns, reading.file.names, reading.layout)


def bands_as_dates(reading: Reading) -> Check | None:
    """Bands of numbers such as 10-14, some of which a spreadsheet has turned into dates."""
    answer = reading.layout.answer
    if answer is None:
        return None
    cells = dict.fromkeys(reading.file.cells(answer))
    bands = {cell: band for cell in cells if (band := _band_of_date(cell))}
    others = [cell for cell in cells if re.fullmatch(_BAND, cell)]
    if not bands or len(others) < 2:
        return None
    listed = ", ".join(f"“{cell}” is “{band}”" for cell, band in list(bands.items())[:3])
    return Check(
        "bands-as-dates",
        f"Bands such as “{others[0]}” stand beside dates: {listed}?",
        (
            Offer(
                "bands",
                "Yes: a spreadsheet made dates of them",
                "dates among bands of numbers read as bands",
                lambda read: read.with_cells(answer, bands),
            ),
        ),
        "No: they are dates",
    )


def _band_of_date(cell: str) -> str:
    """The band of numbers that a spreadsheet takes for a date: "10-14" for 14 October; or ""."""
    match = re.fullmatch(_DATE, cell)
    if match is None:
        return ""
    words = [word.casefold() for word in match.groups() if word]
    known = [int(word) if word.isdecimal() else _MONTH_NAMES.get(word[:3], 0) for word in words]
    return f"{min(known)}-{max(known)}" if all(known) else ""


def own_answers(reading: Reading) -> Check | None:
    """A column of texts or times in which nearly every row has an answer of its own."""
    layout = reading.layout
    if layout.answer is None or layout.count is not None or layout.latitude is not None:
        return None
    cells = reading.file.cells(layout.answer)
    different = len(set(cells))
    few = different < _OWN_ROWS or different <= _OWN_ANSWERS * len(cells)
    if few or reading.file.is_numeric(layout.answer):
        return None
    return Check(
        "own-answers",
        f"{different:,} of {count_text(len(cells), 'row', 'rows')} have an answer of their own in "
        f"{reading.name(layout.answer)}, such as “{cells[0][:40]}”: is this the question?",
        (),
        "Yes, count these answers",
    )
