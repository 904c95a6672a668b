"""Checks of what the answers are: codes and words for them, no answer, several choices."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby, takewhile
from typing import Final

from caldp_core.basics.errors import count_text, excerpt, require
from caldp_core.basics.limits import OWN_QUESTIONS_MAX
from caldp_core.datasets.files.answers import counted_cells
from caldp_core.datasets.files.checks.people import leave_out
from caldp_core.datasets.files.checks.record import Check, Reading, ask, text_sql
from caldp_core.datasets.files.layout_detection import (
    DetectedFile,
    are_of_no_question,
    is_identifier,
    service_columns,
)
from caldp_core.datasets.files.numbers import WORDS, looks_like_number, parse_number

_CODES: Final = frozenset(
    sign * int(digit * times) - back * sign
    for digit in "6789"
    for times in range(1, 7)
    for sign in (1, -1)
    for back in ((0, 1, 2) if digit == "9" else (0,))
) | frozenset(range(-5, 0))
"""Numbers that stand for no answer, such as −99 and 998."""
_FAR: Final = 1.5
"""Times the largest other number, from which a code is asked about."""
_GAP, _OFTEN = 10, 3
"""Distance from the largest other number, and rows, from which it is as well."""
_SCALE_MAX: Final = 5
_MISSING: Final = frozenset(WORDS["labels"]["missing"].split())
_SEPARATORS: Final = (";", "|", ",", "/", "+", "&", " ")
_SURE: Final = ";|,"
"""Of these, those that no single answer has."""
_NOTHING: Final = ("", "and", "und", "et", "y")
"""What stands between choices and is none."""
_SEVERAL: Final = 0.1
"""Of the cells that hold several choices, from which it is asked about."""
_CHOICES_MAX: Final = 60
_BAND: Final = r"\d+ ?[-–] ?\d+"
_DATE: Final = r"\d{4}-(\d\d)-(\d\d)|(\d{1,2})[. -]+([^\W\d_]{3,9})|([^\W\d_]{3,9})[. -]+(\d{1,2})"
_MONTH_NAMES: Final[Mapping[str, int]] = WORDS["months"]
_NOTE: Final = rf"(?i)(#\s|[*©]|\(c\)|({WORDS['labels']['notes']})\b).*\W.*"
_NOTES_MAX, _WORDS = 20, 2
"""Of the last rows of a file, those that may be notes; a text alone in a row has more words."""
_TICKED: Final[Mapping[str, str]] = WORDS["ticked"]
_NOT_TICKED: Final = frozenset(_TICKED.values())
"""Cells that say that a choice was ticked, and for each what says that it was not."""
_OWN_ANSWERS: Final = 0.6
_OWN_ROWS: Final = 15


def no_answer_codes(reading: Reading) -> Check | None:
    """Codes such as −99 and 999, far from all other numbers of a column; NA also among words."""
    found: list[tuple[int, str, int]] = []
    columns = [at for at in (reading.layout.answer, *reading.layout.others) if at is not None]
    for column in columns:
        if reading.file.is_numeric(column) or reading.layout.count is None:
            found += [(column, *code) for code in _codes(reading, column)]
    if not found:
        return None
    codes = ", ".join(dict.fromkeys(code.replace("-", "−") for _, code, _ in found))
    listed = ", ".join(
        f"{code.replace('-', '−')} ({count_text(times, 'row', 'rows')})" for _, code, times in found
    )
    without = partial(leave_out, [(column, code) for column, code, _ in found])
    verb = "is" if len(found) == 1 else "are"
    name = reading.name(found[0][0])
    key = "no-answer-codes" if reading.file.is_numeric(found[0][0]) else "no-answer-words"
    return ask(key, without, codes=codes, listed=listed, column=name, verb=verb)


def _codes(reading: Reading, column: int) -> list[tuple[str, int]]:
    """The cells of a column that are codes for no answer, and how many rows have each."""
    mark = reading.layout.mark or "."
    cells = Counter(reading.file.cells(column))
    values = {cell: parse_number(cell, mark) for cell in cells}
    words = [(cell, times) for cell, times in cells.items() if cell.casefold() in _MISSING]
    others = [value for value in values.values() if value is not None and value not in _CODES]
    usual = [value for value in others if value >= 0]
    for code in sorted(_CODES.intersection(values.values())):  # 6 goes on a scale from 1 to 5
        usual += [code] if usual and 0 < code - max(usual) <= 1 else []
    if len(usual) < 2 or min(others) < 0 or not reading.file.is_numeric(column):
        return words
    lowest = min(_CODES.intersection(values.values()), default=0)
    far = [
        (cell, times)
        for cell, times in cells.items()
        if (value := values[cell]) in _CODES and _is_far(value or 0.0, times, usual, lowest)
    ]
    return sorted(far, key=lambda each: float(values[each[0]] or 0)) + words


def _is_far(value: float, times: int, usual: Sequence[float], lowest: float) -> bool:
    """Whether a number lies far from the usual ones, or less far and is there often.

    −1 to −5 may be on a scale that has 0 as well, where `lowest` of all codes is one of them.
    """
    if value < 0:
        return lowest < -_SCALE_MAX or 0 not in usual
    gap = value - max(usual)
    return value > _FAR * max(usual) or (gap >= _GAP and times >= _OFTEN)


def notes(reading: Reading) -> Check | None:
    """Rows that are not records: sources and notes below them, repeated titles."""
    layout, file = reading.layout, reading.file
    at = layout.answer
    if at is None or layout.count is not None:
        return None
    cells, filled = Counter(file.cells(at)), [row for row in file.rows if any(row)]
    last = takewhile(lambda row: row[at] and sum(map(bool, row)) == 1, reversed(filled))
    found = [row[at] for row in last if len(row) > 1 and len(row[at].split()) > _WORDS]
    found += [row[at] for row in filled[-_NOTES_MAX:] if re.fullmatch(_NOTE, row[at])]
    found += [row[at] for row in filled if row == file.names and len(row) > 1]
    rows = tuple(cell for cell in dict.fromkeys(found) if cells[cell] <= found.count(cell))
    if not rows or len(rows) >= len(cells):
        return None
    listed = ", ".join(f"“{cell[:40]}”" for cell in rows[:3])
    verb = "looks" if len(rows) == 1 else "look"
    texts = count_text(len(rows), "text", "texts")
    without = partial(leave_out, [(at, row) for row in rows])
    return ask("notes", without, listed=listed, verb=verb, texts=texts)


def spellings(reading: Reading) -> Check | None:
    """Answers that differ in small and capital letters alone."""
    answer = reading.layout.answer
    if answer is None or reading.layout.areas or reading.file.is_numeric(answer):
        return None
    cells = Counter(reading.file.cells(answer))
    first = dict[str, str]()
    for cell, _ in cells.most_common():
        first.setdefault(cell.casefold(), cell)
    other = {cell: first[cell.casefold()] for cell in cells if cell not in first.values()}
    if not other:
        return None
    listed = ", ".join(f"“{cell}” is “{word}”" for cell, word in list(other.items())[:3])
    return ask(
        "spellings",
        lambda read: read.with_cells(answer, other),
        column=reading.name(answer),
        listed=listed,
    )


def option_columns(reading: Reading) -> Check | None:
    """A column for each choice of one question: 1 or 0, yes or no, filled or blank."""
    layout, file = reading.layout, reading.file
    if layout.latitude is not None or layout.others or layout.answer is None:
        return None
    columns, kind = _longest_run([(at, _kind(file, at)) for at in range(len(file.names))])
    titles = [file.names[at] for at in columns]
    same = takewhile(lambda signs: len({*signs}) == 1, zip(*titles, strict=False))
    stem = re.sub(r"[^\W_]+$", "", "".join(signs[0] for signs in same))
    own = len({*file.cells(layout.answer)}) > _OWN_ANSWERS * len(file.rows)
    is_meant = {layout.answer, layout.count} & {*columns} or own
    of_answer = stem.startswith(file.names[layout.answer])
    if len(columns) < 2 or not (is_meant or of_answer) or not (stem or kind != "yes"):
        return None
    ticks = [sum(cell.casefold() not in _NOT_TICKED for cell in file.cells(at)) for at in columns]
    often = sorted(columns, key=lambda at: -ticks[columns.index(at)])
    best = sorted(often[:OWN_QUESTIONS_MAX])
    names = [_without_stem(file.names[at], stem) for at in best]
    listed = ", ".join(f"“{name}”" for name in names[:3])
    count = file.named_weights if file.named_weights not in columns else None

    def asked(read: Reading) -> Reading:
        read = replace(read, layout=replace(read.layout, count=count))
        return ask_questions(names, [_ticked_sql(at, columns, kind) for at in best], read)

    several = count_text(len(columns), "column", "columns")
    return ask(
        "option-columns",
        asked,
        columns=several,
        listed=listed,
        asked=len(best),
        answer=reading.name(layout.answer),
    )


def _kind(file: DetectedFile, column: int) -> str:
    """How a column says that a choice was ticked: "1", "yes", "filled"; or "", not at all."""
    cells = {cell.casefold() for cell in file.cells(column)}
    blank = sum(not row[column] for row in file.rows)
    if len(cells) == 1 and blank and not cells <= _NOT_TICKED:
        return "filled"
    words = next((w for w in _TICKED if {w} <= cells <= {w, _TICKED[w]}), "")
    return "1" if words == "1" else "yes" if words else "" if cells else "blank"


def _longest_run(kinds: Sequence[tuple[int, str]]) -> tuple[list[int], str]:
    """The longest run of columns of one kind, between which blank ones may be."""
    runs = groupby((each for each in kinds if each[1] != "blank"), key=lambda each: each[1])
    found = [([at for at, _ in run], kind) for kind, run in runs if kind]
    return max(found, key=lambda each: len(each[0]), default=([], ""))


def _without_stem(title: str, stem: str) -> str:
    name = title[len(stem) :].strip(" ])")
    return title if not name or name.isdecimal() else name


def _ticked_sql(column: int, columns: Sequence[int], kind: str) -> str:
    """SQL of yes or no; "" for no answer: a blank cell, or where all of `columns` are blank."""
    own = f"lower(trim(coalesce(c{column}, '')))"
    if kind != "filled":
        no = ", ".join(map(text_sql, sorted(_NOT_TICKED)))
        return f"CASE WHEN {own} = '' THEN '' WHEN {own} IN ({no}) THEN 'no' ELSE 'yes' END"
    everything = " || ".join(f"trim(coalesce(c{at}, ''))" for at in columns)
    return f"CASE WHEN {own} <> '' THEN 'yes' WHEN {everything} <> '' THEN 'no' ELSE '' END"


def several_choices(reading: Reading) -> Check | None:
    """Cells of a question in which people could tick several choices, wherever it stands."""
    layout = reading.layout
    if layout.answer is None or layout.latitude is not None:
        return None
    if layout.count is not None and not reading.file.repeats(layout.answer):
        return None  # a table of counts, such as one of ours, has "answer; group"
    for column in _questions_of(reading):
        cells = reading.file.cells(column)
        sign = next((sign for sign in _SEPARATORS if _holds_choices(cells, sign)), None)
        if sign is not None and not are_of_no_question(cells):
            return _several_choices_of(reading, column, sign)
    return None


def _questions_of(reading: Reading) -> list[int]:
    """The questions of a file: those that are read, and others where nobody said which."""
    file, layout = reading.file, reading.layout
    read = [at for at in (layout.answer, *layout.others) if at is not None]
    if layout.named or layout.others or layout.count is not None:
        return read
    named = {*service_columns(file.names), layout.person, layout.group}
    others = [at for at in range(len(file.names)) if at not in {*read, *named}]
    return read + [at for at in others if not is_identifier(file.names[at])]


def _several_choices_of(reading: Reading, column: int, sign: str) -> Check:
    """The check of one question in whose cells `sign` stands between choices."""
    cells = reading.file.cells(column)
    times = Counter(choice for cell in cells for choice in _split(cell, sign))
    most = OWN_QUESTIONS_MAX - len(reading.layout.others)
    choices = [c for c, n in times.most_common() if n < len(cells)][:most]
    listed = ", ".join(f"“{choice}”" for choice in choices[:3])
    several = sum(len(_split(cell, sign)) > 1 for cell in cells)
    check = ask(
        "several-choices",
        partial(_as_questions, column, sign, choices),
        partial(_as_combinations, column, sign),
        several=f"{several:,}",
        cells=count_text(len(cells), "cell", "cells"),
        column=reading.name(column),
        listed=listed,
        asked=len(choices),
        choices=len(times),
    )
    if column not in (reading.layout.answer, *reading.layout.others):
        answer = reading.name(reading.layout.answer)
        return replace(check, offers=check.offers[:1], keep=f"No: {answer} alone")
    return check if len(choices) > 1 else replace(check, offers=check.offers[1:])


def _piece(sign: str) -> str:
    """A choice as a pattern: separators between brackets are parts of it."""
    return rf"(?:[^()\{sign}]|\([^()]*\)|[()])+"


def _split(cell: str, sign: str) -> list[str]:
    pieces = (each.strip() for each in re.findall(_piece(sign), cell))
    return [each for each in dict.fromkeys(pieces) if each not in _NOTHING]


def _holds_choices(cells: Sequence[str], sign: str) -> bool:
    """Whether many cells hold several choices, most of which are in other cells as well."""
    different = {cell: _split(cell, sign) for cell in set(cells)}
    several = sum(len(different[cell]) > 1 for cell in cells)
    if several < _SEVERAL * len(cells) or several < 2:
        return False
    in_cells = Counter(choice for choices in different.values() for choice in choices)
    orders = Counter(tuple(sorted(choices)) for choices in different.values())
    alone = {choices[0] for choices in different.values() if len(choices) == 1}
    if sign not in _SURE and max(orders.values()) < 2 and alone != in_cells.keys():
        return False  # such as “agree” and “strongly agree”
    shared = sum(times > 1 for times in in_cells.values())
    return 2 <= len(in_cells) <= _CHOICES_MAX and 2 * shared > len(in_cells)


def _list_sql(column: int, sign: str) -> str:
    pieces = f"regexp_extract_all(c{column}, {text_sql(_piece(sign))})"
    return (
        f"list_filter(list_transform({pieces}, lambda x: trim(x)), lambda x: x NOT IN {_NOTHING})"
    )


def _as_questions(column: int, sign: str, choices: Sequence[str], reading: Reading) -> Reading:
    """A question for each choice, with the answers yes and no; none where nothing was ticked."""
    parts = _list_sql(column, sign)
    asked = [
        f"CASE WHEN trim(coalesce(c{column}, '')) = '' THEN '' "
        f"WHEN list_contains({parts}, {text_sql(choice)}) THEN 'yes' ELSE 'no' END"
        for choice in choices
    ]
    asked_so = ask_questions(choices, asked, reading)
    # Other questions of the same people stay beside those of the choices.
    layout = reading.layout
    others = [at for at in (layout.answer, *layout.others) if at is not None and at != column]
    if not layout.others:
        return asked_so
    asked_columns = [*others, asked_so.layout.answer or 0, *asked_so.layout.others]
    layout = replace(asked_so.layout, answer=asked_columns[0], others=tuple(asked_columns[1:]))
    return replace(asked_so, layout=layout)


def ask_questions(names: Sequence[str], answers: Sequence[str], reading: Reading) -> Reading:
    """The reading with the questions of these names, whose answers are in SQL."""
    width = reading.file.table.width
    first, *others = range(width, width + len(names))
    layout = replace(reading.layout, answer=first, others=tuple(others), group=None, steps=None)
    return reading.derive(
        [*reading.sql_of(), *answers], [*reading.file.names, *(n[:60] for n in names)], layout
    )


def _as_combinations(column: int, sign: str, reading: Reading) -> Reading:
    sql = f"array_to_string(list_sort({_list_sql(column, sign)}), '; ')"
    return reading.with_sql({column: sql})


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
    return ask(
        "bands-as-dates",
        lambda read: read.with_cells(answer, bands),
        first=others[0],
        listed=listed,
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
    file, cells = reading.file, reading.file.cells(layout.answer)
    different = len(set(cells))
    few = different < _OWN_ROWS or different <= _OWN_ANSWERS * len(cells)
    if (few and not _are_labels(file, layout.answer)) or file.is_numeric(layout.answer):
        return None
    rows = count_text(len(cells), "row", "rows")
    column, size = reading.name(layout.answer), f"{different:,}"
    return ask("own-answers", different=size, rows=rows, column=column, cell=cells[0])


def _are_labels(file: DetectedFile, answer: int) -> bool:
    """Whether answers all differ, beside decimals, as labels of a table do that holds no people."""
    numeric = [at for at in range(len(file.names)) if at != answer and file.is_numeric(at)]
    cells = [cell for at in numeric for cell in file.cells(at)]
    is_table = file.answers.count is None and not file.repeats(answer)
    return is_table and any(re.search(r"\d[.,]\d", cell) for cell in cells)


_KNOWN: Final = 0.8
"""Of the different cells of a question, those that a list must have to be its codes."""
_LISTED: Final = 3


def codes(reading: Reading) -> Check | None:
    """A question whose answers are codes that another sheet of the workbook explains."""
    layout, file = reading.layout, reading.file
    for column in (at for at in (layout.answer, *layout.others) if at is not None):
        cells, name = set(counted_cells(file, layout, column)), reading.name(column)
        for sheet, rows in file.table.lists:
            words = _words_of(rows, file.names[column])
            known = sorted(cells & words.keys())
            if known and len(known) >= _KNOWN * len(cells):
                few = ", ".join(f"{code} is “{words[code]}”" for code in known[:_LISTED])
                apply = partial(with_words, words, (column,))
                return ask("codes", apply, sheet=sheet, column=name, listed=few)
    return None


def _words_of(rows: list[list[str]], question: str) -> dict[str, str]:
    """Code and word of the rows of a list, which may name the question before them."""
    own = [row[1:] for row in rows if len(row) > 2 and row[0] == question]
    pairs = [row[:2] for row in own or rows if len(row) > 1 and all(row[:2])]
    return {code: word for code, word in pairs if not looks_like_number(word)}


def with_words(words: Mapping[str, str], columns: Collection[int], reading: Reading) -> Reading:
    """The reading with words for the codes in some columns that are not left out."""
    for column in columns:
        left_out = {cell for at, cell in reading.layout.left_out if at == column}
        own = {code: word for code, word in words.items() if code not in left_out}
        reading = reading.with_cells(column, own)
    return reading


def parse_words(text: str) -> dict[str, str]:
    """The words of codes, written as "1 = yes; 2 = no"; raises `CaldpError` for other texts."""
    pairs = [each.partition("=") for each in re.split(r"[;\n]", text) if each.strip()]
    for code, sign, word in pairs:
        require(
            bool(code.strip() and sign and word.strip()),
            f"Words for codes must be written as “1 = yes; 2 = no”, got {excerpt(text)}.",
        )
    words = {code.strip(): word.strip() for code, _, word in pairs}
    require(len(words) == len(pairs), f"Each code has one word, got {excerpt(text)}.")
    return words
