"""Checks of what the answers are: codes and words for them, no answer, several choices."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
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


def _usual_codes() -> frozenset[int]:
    codes = set(range(-5, 0))
    for digit in "6789":
        for length in range(1, 7):
            repeated = int(digit * length)
            codes |= {repeated, -repeated}
            # Beside 99 stand 98 for “don’t know” and 97 for “refused”.
            if digit == "9":
                codes |= {repeated - 1, repeated - 2, 1 - repeated, 2 - repeated}
    return frozenset(codes)


_CODES: Final = _usual_codes()
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
    for column in (reading.layout.answer, *reading.layout.others):
        if column is None:
            continue
        # Answers of a table of counts are labels: only numbers among them can be codes.
        if reading.file.is_numeric(column) or reading.layout.count is None:
            for code, times in _codes(reading, column):
                found.append((column, code, times))
    if not found:
        return None

    written: dict[str, None] = {}
    listed = []
    cells = []
    for column, code, times in found:
        with_minus_sign = code.replace("-", "−")
        written[with_minus_sign] = None
        listed.append(f"{with_minus_sign} ({count_text(times, 'row', 'rows')})")
        cells.append((column, code))
    verb = "are"
    if len(found) == 1:
        verb = "is"
    first_column = found[0][0]
    key = "no-answer-words"
    if reading.file.is_numeric(first_column):
        key = "no-answer-codes"
    return ask(
        key,
        partial(leave_out, cells),
        codes=", ".join(written),
        listed=", ".join(listed),
        column=reading.name(first_column),
        verb=verb,
    )


def _codes(reading: Reading, column: int) -> list[tuple[str, int]]:
    """The cells of a column that are codes for no answer, and how many rows have each."""
    mark = reading.layout.mark or "."
    times_of = Counter(reading.file.cells(column))
    value_of = {cell: parse_number(cell, mark) for cell in times_of}
    codes_there = _CODES.intersection(value_of.values())
    words = [(cell, times) for cell, times in times_of.items() if cell.casefold() in _MISSING]

    # What the question's own numbers are; 6 and 7 go on with a scale from 1 to 5.
    others = []
    for value in value_of.values():
        if value is not None and value not in _CODES:
            others.append(value)
    usual = [value for value in others if value >= 0]
    for code in sorted(codes_there):
        if usual and 0 < code - max(usual) <= 1:
            usual.append(code)
    if len(usual) < 2 or min(others) < 0 or not reading.file.is_numeric(column):
        return words

    lowest = min(codes_there, default=0)
    far = []
    for cell, times in times_of.items():
        code_value = value_of[cell]
        if code_value is None or code_value not in _CODES:
            continue
        if _is_far(code_value, times, usual, lowest):
            far.append((code_value, cell, times))
    # The sort is stable, so that two spellings of one number stay in the order of the file.
    far.sort(key=lambda entry: entry[0])
    return [(cell, times) for _, cell, times in far] + words


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
    answer = layout.answer
    if answer is None or layout.count is not None:
        return None
    filled = [row for row in file.rows if any(row)]

    # 1. At the end, rows with nothing but a text of several words.
    found = []
    for row in reversed(filled):
        if not row[answer] or sum(map(bool, row)) != 1:
            break
        if len(row) > 1 and len(row[answer].split()) > _WORDS:
            found.append(row[answer])
    # 2. Near the end, what begins as sources and notes do.
    for row in filled[-_NOTES_MAX:]:
        if re.fullmatch(_NOTE, row[answer]):
            found.append(row[answer])
    # 3. Anywhere, the titles once more.
    for row in filled:
        if row == file.names and len(row) > 1:
            found.append(row[answer])

    # A text that is an answer of other rows as well is no note.
    times_of = Counter(file.cells(answer))
    rows = [cell for cell in dict.fromkeys(found) if times_of[cell] <= found.count(cell)]
    if not rows or len(rows) >= len(times_of):
        return None
    listed = ", ".join(f"“{cell[:40]}”" for cell in rows[:3])
    verb = "look"
    if len(rows) == 1:
        verb = "looks"
    texts = count_text(len(rows), "text", "texts")
    without = partial(leave_out, [(answer, row) for row in rows])
    return ask("notes", without, listed=listed, verb=verb, texts=texts)


def spellings(reading: Reading) -> Check | None:
    """Answers that differ in small and capital letters alone."""
    answer = reading.layout.answer
    if answer is None or reading.layout.areas or reading.file.is_numeric(answer):
        return None
    times_of = Counter(reading.file.cells(answer))
    # The spelling that most rows have stands for all.
    usual: dict[str, str] = {}
    for cell, _ in times_of.most_common():
        usual.setdefault(cell.casefold(), cell)
    replaced = {}
    for cell in times_of:
        if cell != usual[cell.casefold()]:
            replaced[cell] = usual[cell.casefold()]
    if not replaced:
        return None
    listed = ", ".join(f"“{cell}” is “{word}”" for cell, word in list(replaced.items())[:3])
    return ask(
        "spellings",
        lambda read: read.with_cells(answer, replaced),
        column=reading.name(answer),
        listed=listed,
    )


def option_columns(reading: Reading) -> Check | None:
    """A column for each choice of one question: 1 or 0, yes or no, filled or blank."""
    layout, file = reading.layout, reading.file
    if layout.latitude is not None or layout.others or layout.answer is None:
        return None
    kinds = [(column, _kind(file, column)) for column in range(len(file.names))]
    columns, kind = _longest_run(kinds)
    if len(columns) < 2:
        return None
    stem = _common_stem([file.names[column] for column in columns])

    # They are meant where the answer or the people are among them, where the answer's title is
    # theirs, or where the answer cannot be one, as nearly every row has another.
    is_among = {layout.answer, layout.count} & {*columns}
    is_own_answer = len({*file.cells(layout.answer)}) > _OWN_ANSWERS * len(file.rows)
    is_of_answer = stem.startswith(file.names[layout.answer])
    if not (is_among or is_own_answer or is_of_answer):
        return None
    # Columns of yes and no without a common title are several questions.
    if not stem and kind == "yes":
        return None

    # The choices that were ticked most often become questions, in the order of the file.
    ticks = {}
    for column in columns:
        ticks[column] = sum(cell.casefold() not in _NOT_TICKED for cell in file.cells(column))
    often = sorted(columns, key=lambda column: -ticks[column])
    best = sorted(often[:OWN_QUESTIONS_MAX])
    names = [_without_stem(file.names[column], stem) for column in best]
    sql = [_ticked_sql(column, columns, kind) for column in best]
    count = file.named_weights
    if count in columns:
        count = None

    def asked(read: Reading) -> Reading:
        read = replace(read, layout=replace(read.layout, count=count))
        return ask_questions(names, sql, read)

    return ask(
        "option-columns",
        asked,
        columns=count_text(len(columns), "column", "columns"),
        listed=", ".join(f"“{name}”" for name in names[:3]),
        asked=len(best),
        answer=reading.name(layout.answer),
    )


def _common_stem(titles: Sequence[str]) -> str:
    """What titles have in common at their start, such as "Q1_", without a word that is cut."""
    stem = ""
    for signs in zip(*titles, strict=False):
        if len({*signs}) > 1:
            break
        stem += signs[0]
    return re.sub(r"[^\W_]+$", "", stem)


def _kind(file: DetectedFile, column: int) -> str:
    """How a column says that a choice was ticked: "1", "yes", "filled"; or "", not at all.

    "blank" for a column without cells, which says neither.
    """
    cells = {cell.casefold() for cell in file.cells(column)}
    if not cells:
        return "blank"
    has_blanks = any(not row[column] for row in file.rows)
    if len(cells) == 1 and has_blanks and not cells <= _NOT_TICKED:
        return "filled"
    for ticked, not_ticked in _TICKED.items():
        if ticked in cells and cells <= {ticked, not_ticked}:
            if ticked == "1":
                return "1"
            return "yes"
    return ""


def _longest_run(kinds: Sequence[tuple[int, str]]) -> tuple[list[int], str]:
    """The longest run of columns of one kind, between which blank ones may be."""
    longest: list[int] = []
    longest_kind = ""
    run: list[int] = []
    run_kind = ""
    for column, kind in kinds:
        if kind == "blank":
            continue
        if kind != run_kind:
            run = []
            run_kind = kind
        run.append(column)
        # Of runs of one length the first stays; columns that tick nothing are no run.
        if kind and len(run) > len(longest):
            longest = run
            longest_kind = kind
    return longest, longest_kind


def _without_stem(title: str, stem: str) -> str:
    """A choice's name: its title without the question's, if that leaves more than a number."""
    name = title[len(stem) :].strip(" ])")
    if not name or name.isdecimal():
        return title
    return name


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
    # A table of counts, such as one of ours, has "answer; group" in its cells.
    if layout.count is not None and not reading.file.repeats(layout.answer):
        return None
    for column in _questions_of(reading):
        cells = reading.file.cells(column)
        if are_of_no_question(cells):
            continue
        for sign in _SEPARATORS:
            if _holds_choices(cells, sign):
                return _several_choices_of(reading, column, sign)
    return None


def _questions_of(reading: Reading) -> list[int]:
    """The questions of a file: those that are read, and others where nobody said which."""
    file, layout = reading.file, reading.layout
    questions = [column for column in (layout.answer, *layout.others) if column is not None]
    if layout.named or layout.others or layout.count is not None:
        return questions
    no_questions = {layout.answer, layout.person, layout.group, *service_columns(file.names)}
    for column, name in enumerate(file.names):
        if column not in no_questions and not is_identifier(name):
            questions.append(column)
    return questions


def _several_choices_of(reading: Reading, column: int, sign: str) -> Check:
    """The check of one question in whose cells `sign` stands between choices."""
    cells = reading.file.cells(column)
    times_of: Counter[str] = Counter()
    several_count = 0
    for cell in cells:
        ticked = _split(cell, sign)
        times_of.update(ticked)
        if len(ticked) > 1:
            several_count += 1

    # The choices asked about, the most frequent first; what everybody ticked says nothing.
    most = OWN_QUESTIONS_MAX - len(reading.layout.others)
    choices = [choice for choice, times in times_of.most_common() if times < len(cells)][:most]
    check = ask(
        "several-choices",
        partial(_as_questions, column, sign, choices),
        partial(_as_combinations, column, sign),
        several=f"{several_count:,}",
        cells=count_text(len(cells), "cell", "cells"),
        column=reading.name(column),
        listed=", ".join(f"“{choice}”" for choice in choices[:3]),
        asked=len(choices),
        choices=len(times_of),
    )
    as_questions, as_combinations = check.offers[:1], check.offers[1:]
    if column not in (reading.layout.answer, *reading.layout.others):
        answer = reading.name(reading.layout.answer)
        return replace(check, offers=as_questions, keep=f"No: {answer} alone")
    if len(choices) < 2:
        return replace(check, offers=as_combinations)
    return check


def _piece(sign: str) -> str:
    """A choice as a pattern: separators between brackets are parts of it."""
    return rf"(?:[^()\{sign}]|\([^()]*\)|[()])+"


def _split(cell: str, sign: str) -> list[str]:
    """The choices in a cell, each once, in their order."""
    choices: dict[str, None] = {}
    for piece in re.findall(_piece(sign), cell):
        choice = piece.strip()
        if choice not in _NOTHING:
            choices[choice] = None
    return list(choices)


def _holds_choices(cells: Sequence[str], sign: str) -> bool:
    """Whether many cells hold several choices, most of which are in other cells as well."""
    choices_of = {cell: _split(cell, sign) for cell in set(cells)}
    several_count = sum(len(choices_of[cell]) > 1 for cell in cells)
    if several_count < _SEVERAL * len(cells) or several_count < 2:
        return False

    cells_with: Counter[str] = Counter()
    cells_with_all: Counter[tuple[str, ...]] = Counter()
    alone = set()
    for choices in choices_of.values():
        cells_with.update(choices)
        cells_with_all[tuple(sorted(choices))] += 1
        if len(choices) == 1:
            alone.add(choices[0])
    # A sign such as a space also stands within answers, as in “agree” and “strongly agree”. It
    # separates choices only where some come in two orders, or where each stands alone somewhere.
    if sign not in _SURE and max(cells_with_all.values()) < 2 and alone != cells_with.keys():
        return False
    shared_count = sum(times > 1 for times in cells_with.values())
    return 2 <= len(cells_with) <= _CHOICES_MAX and 2 * shared_count > len(cells_with)


def _list_sql(column: int, sign: str) -> str:
    """SQL of the list of choices in a cell, as `_split` makes it."""
    pieces = f"regexp_extract_all(c{column}, {text_sql(_piece(sign))})"
    return (
        f"list_filter(list_transform({pieces}, lambda x: trim(x)), lambda x: x NOT IN {_NOTHING})"
    )


def _as_questions(column: int, sign: str, choices: Sequence[str], reading: Reading) -> Reading:
    """A question for each choice, with the answers yes and no; none where nothing was ticked."""
    parts = _list_sql(column, sign)
    sql = []
    for choice in choices:
        sql.append(
            f"CASE WHEN trim(coalesce(c{column}, '')) = '' THEN '' "
            f"WHEN list_contains({parts}, {text_sql(choice)}) THEN 'yes' ELSE 'no' END"
        )
    asked_so = ask_questions(choices, sql, reading)
    # Other questions of the same people stay beside those of the choices.
    layout = reading.layout
    if not layout.others:
        return asked_so
    questions = []
    for other in (layout.answer, *layout.others):
        if other is not None and other != column:
            questions.append(other)
    questions += [asked_so.layout.answer or 0, *asked_so.layout.others]
    layout = replace(asked_so.layout, answer=questions[0], others=tuple(questions[1:]))
    return replace(asked_so, layout=layout)


def ask_questions(names: Sequence[str], answers: Sequence[str], reading: Reading) -> Reading:
    """The reading with the questions of these names, whose answers are in SQL."""
    # They become new columns behind those that the file has.
    width = reading.file.table.width
    first, *others = range(width, width + len(names))
    layout = replace(reading.layout, answer=first, others=tuple(others), group=None, steps=None)
    titles = [*reading.file.names, *(name[:60] for name in names)]
    return reading.derive([*reading.sql_of(), *answers], titles, layout)


def _as_combinations(column: int, sign: str, reading: Reading) -> Reading:
    """Each combination of choices as one answer, whatever their order was."""
    sql = f"array_to_string(list_sort({_list_sql(column, sign)}), '; ')"
    return reading.with_sql({column: sql})


def bands_as_dates(reading: Reading) -> Check | None:
    """Bands of numbers such as 10-14, some of which a spreadsheet has turned into dates."""
    answer = reading.layout.answer
    if answer is None:
        return None
    bands = {}
    others = []
    for cell in dict.fromkeys(reading.file.cells(answer)):
        band = _band_of_date(cell)
        if band:
            bands[cell] = band
        if re.fullmatch(_BAND, cell):
            others.append(cell)
    # Dates alone are dates; beside bands that were left as they are they were bands.
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
    ends = []
    for word in match.groups():
        if not word:
            continue
        if word.isdecimal():
            ends.append(int(word))
        else:
            ends.append(_MONTH_NAMES.get(word[:3].casefold(), 0))
    if not all(ends):
        return ""
    return f"{min(ends)}-{max(ends)}"


def own_answers(reading: Reading) -> Check | None:
    """A column of texts or times in which nearly every row has an answer of its own."""
    layout = reading.layout
    if layout.answer is None or layout.count is not None or layout.latitude is not None:
        return None
    file, cells = reading.file, reading.file.cells(layout.answer)
    if file.is_numeric(layout.answer):
        return None
    distinct_count = len(set(cells))
    is_usual = distinct_count < _OWN_ROWS or distinct_count <= _OWN_ANSWERS * len(cells)
    if is_usual and not _are_labels(file, layout.answer):
        return None
    return ask(
        "own-answers",
        different=f"{distinct_count:,}",
        rows=count_text(len(cells), "row", "rows"),
        column=reading.name(layout.answer),
        cell=cells[0],
    )


def _are_labels(file: DetectedFile, answer: int) -> bool:
    """Whether answers all differ, beside decimals, as labels of a table do that holds no people."""
    if file.answers.count is not None or file.repeats(answer):
        return False
    for column in range(len(file.names)):
        if column == answer or not file.is_numeric(column):
            continue
        if any(re.search(r"\d[.,]\d", cell) for cell in file.cells(column)):
            return True
    return False


_KNOWN: Final = 0.8
"""Of the different cells of a question, those that a list must have to be its codes."""
_LISTED: Final = 3


def codes(reading: Reading) -> Check | None:
    """A question whose answers are codes that another sheet of the workbook explains."""
    layout, file = reading.layout, reading.file
    for column in (layout.answer, *layout.others):
        if column is None:
            continue
        cells = set(counted_cells(file, layout, column))
        for sheet, rows in file.table.lists:
            words = _words_of(rows, file.names[column])
            known = sorted(cells & words.keys())
            if not known or len(known) < _KNOWN * len(cells):
                continue
            listed = ", ".join(f"{code} is “{words[code]}”" for code in known[:_LISTED])
            apply = partial(with_words, words, (column,))
            return ask("codes", apply, sheet=sheet, column=reading.name(column), listed=listed)
    return None


def _words_of(rows: list[list[str]], question: str) -> dict[str, str]:
    """Code and word of the rows of a list, which may name the question before them."""
    of_question = [row[1:] for row in rows if len(row) > 2 and row[0] == question]
    words = {}
    for row in of_question or rows:
        # Two numbers beside each other are data rather than a code and its word.
        if len(row) > 1 and all(row[:2]) and not looks_like_number(row[1]):
            words[row[0]] = row[1]
    return words


def with_words(words: Mapping[str, str], columns: Collection[int], reading: Reading) -> Reading:
    """The reading with words for the codes in some columns that are not left out."""
    for column in columns:
        left_out = {cell for at, cell in reading.layout.left_out if at == column}
        own = {code: word for code, word in words.items() if code not in left_out}
        reading = reading.with_cells(column, own)
    return reading


def parse_words(text: str) -> dict[str, str]:
    """The words of codes, written as "1 = yes; 2 = no"; raises `CaldpError` for other texts."""
    words: dict[str, str] = {}
    pair_count = 0
    for pair in re.split(r"[;\n]", text):
        if not pair.strip():
            continue
        code, sign, word = (part.strip() for part in pair.partition("="))
        require(
            bool(code and sign and word),
            f"Words for codes must be written as “1 = yes; 2 = no”, got {excerpt(text)}.",
        )
        words[code] = word
        pair_count += 1
    require(len(words) == pair_count, f"Each code has one word, got {excerpt(text)}.")
    return words
