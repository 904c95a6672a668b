"""Checks of how many people a row is: totals, crosstabs, identifiers, shares, several points."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

from caldp_core.basics.errors import count_text, excerpt
from caldp_core.datasets.files import numbers
from caldp_core.datasets.files.answers import counted_cells
from caldp_core.datasets.files.checks.record import ROWS, Check, Offer, Reading, ask, text_sql
from caldp_core.datasets.files.geojson import POINTS_COLUMN
from caldp_core.datasets.files.layout_detection import (
    RATES,
    detect_again,
    find_column,
    has_word,
    is_identifier,
    is_lone_letter,
    is_named,
    is_no_number_of_people,
    is_share,
    may_number_rows,
    normalize_name,
    service_columns,
)
from caldp_core.datasets.tables.columns import find_wide_columns
from caldp_core.datasets.tables.facts import CODES_BELOW_0
from caldp_core.datasets.tables.labels import is_total, title_says

_WEIGHTS: Final = frozenset(numbers.WORDS["labels"]["weights"].split())
_PREVIEWS: Final = frozenset(numbers.WORDS["labels"]["previews"].split("; "))
_MEAN_MAX: Final = 20
"""People a row from which a column of decimals or of records is asked about."""
_GUESS_MAX: Final = 10_000
"""People a row from which a column that is not called people is asked about."""
_LABELS_MAX: Final = 2
"""Columns of labels beside those of a crosstab."""
_YEAR: Final = r"\b(19|20)\d\d\b"
_CODES_MAX: Final = 2
"""Different numbers below 0 that may stand for hidden ones."""
_RATING_MAX: Final = 10
"""The largest number of columns of ratings, which are not people."""
_LISTED: Final = 5
_SHARES: Final = {1.0: 0.02, 100.0: 0.5}
"""Sums of shares and percentages, and how far they may be off."""


_PARTS: Final = rf"(?i)\W*({numbers.WORDS['labels']['parts']})\b"
_NUMBER: Final = rf"[^\d\s(:$€£~<>≤≥-]?(\d[\d.,{numbers.SPACES}]*?|:)"
_BRACKETED: Final = rf"\(\s*(\d[\d.,{numbers.SPACES}]*?)\s*\)"
_BOUND: Final = r"\d+ ?\+|[<≤>≥] ?\d+"
"""A number that hides another one, such as 20+."""
_MULTIPLES: Final[dict[str, int]] = numbers.WORDS["multiples"]
_IN: Final = numbers.WORDS["labels"]["in_units"]


def brackets(reading: Reading) -> Check | None:
    """Numbers in brackets: uncertain ones in official tables, negative ones in accounts."""
    file = reading.file
    first_in_column: dict[int, str] = {}
    for column in range(len(file.names)):
        bracketed = []
        others = set()
        for cell in file.cells(column):
            if cell[0] == "(" and re.fullmatch(_BRACKETED, cell):
                bracketed.append(cell)
            elif not re.fullmatch(numbers.HIDDEN, cell):
                others.add(cell)
        # Brackets in a column of texts are part of the texts.
        number_count = sum(map(numbers.looks_like_number, others))
        if bracketed and 2 * number_count >= len(others):
            first_in_column[column] = bracketed[0]
    if not first_in_column:
        return None

    patterns = dict.fromkeys(first_in_column, _BRACKETED)
    plain = partial(_replace_cells, patterns, "\\1")
    negative = partial(_replace_cells, patterns, "-\\1")
    names = ", ".join(map(reading.name, list(first_in_column)[:_LISTED]))
    first = next(iter(first_in_column.values()))
    number = re.sub(_BRACKETED, r"\1", first)
    return ask("brackets", plain, negative, names=names, first=first, number=number)


def _replace_cells(patterns: Mapping[int, str], by: str, reading: Reading) -> Reading:
    """The reading with other texts for cells of the columns' patterns, and its layout anew."""
    changed = {}
    for column, pattern in patterns.items():
        whole_cell = text_sql(rf"^\s*{pattern}\s*$")
        changed[column] = f"regexp_replace(c{column}, {whole_cell}, '{by}')"
    reading = reading.with_sql(changed)
    # Columns of places are found by their names or by degrees, which have no brackets or flags.
    if reading.layout.latitude is not None:
        return reading
    layout = detect_again(reading.file, reading.layout)
    return Reading(replace(reading.file, answers=layout), layout)


def marks(reading: Reading) -> Check | None:
    """Numbers with a flag, the sign of a note or a word behind them, such as “12 b” or “120*”."""
    if reading.layout.latitude is not None:
        return None
    file = reading.file
    words = numbers.WORDS["labels"]
    called = find_column(file.names, "count")
    multiples = "|".join(_MULTIPLES)

    marked: dict[int, str] = {}
    patterns: dict[int, str] = {}
    for column in range(len(file.names)):
        # A unit, such as “12 people”, is taken off only where the title says that it is people.
        pattern = rf"{_NUMBER}\s*({words['marks']})"
        if column == called:
            pattern = rf"{_NUMBER}\s*({words['marks']}|{words['units']})"
        flagged = []
        for cell in file.cells(column):
            is_plain = numbers.looks_like_number(cell) or cell == ":"
            if not is_plain and not re.fullmatch(_BOUND, cell):
                flagged.append(cell)
        # “12 thousand” is not a flag; `multiples` asks about it.
        in_multiples = any(re.fullmatch(rf"(?i){_NUMBER} ?({multiples})", cell) for cell in flagged)
        if flagged and not in_multiples and all(re.fullmatch(pattern, cell) for cell in flagged):
            marked[column] = flagged[0]
            patterns[column] = pattern
    if not marked:
        return _without_numbers(reading, called)

    column, first = next(iter(marked.items()))
    number = re.sub(rf"^{patterns[column]}$", r"\1", first)
    without = partial(_replace_cells, patterns, "\\1")
    names = ", ".join(map(reading.name, list(marked)[:_LISTED]))
    return ask("marks", without, names=names, first=first, number=number)


def _without_numbers(reading: Reading, called: int | None) -> Check | None:
    """A column that is called people, though none of its cells is a number, or it has none."""
    file, layout = reading.file, reading.layout
    if called is None or called == layout.group or layout.count is not None or layout.others:
        return None
    cells = file.cells(called)
    # Answers may bear a name such as “number” in records of people, where they repeat.
    if called == layout.answer and (file.repeats(called) or len(file.names) == 1):
        return None
    if any(map(numbers.looks_like_number, cells)) or not is_named(file.names[called], "count"):
        return None
    odd = next((cell for cell in cells if re.search(r"\d[^%]*$", cell)), "")
    is_empty = not cells and not file.repeats(layout.answer)
    if not (odd or is_empty) or layout.answer is None or multiples(reading):
        return None
    key = "no-numbers"
    if is_empty:
        key = "no-people"
    return ask(key, column=reading.name(called), cell=odd)


def multiples(reading: Reading) -> Check | None:
    """Thousands or millions of people, by words in a title, behind numbers or in other lines."""
    file, count = reading.file, reading.layout.count
    if count is None:
        count = find_column(file.names, "count")
    columns = _parts(reading)
    if count is not None:
        columns = [count]
    if not columns or has_word(file.names[columns[0]], RATES) or reading.layout.areas:
        return None
    title = file.names[columns[0]]
    lines = _lines_beside(reading)
    cells = [cell for cell in file.cells(columns[0]) if cell not in lines]

    # The first word that fits decides: “thousand”, “million” and their like in other languages.
    for words, factor in _MULTIPLES.items():
        behind = rf"(?i)^\s*([\d., ]+?)\s*({words})\s*$"
        bare = [re.sub(behind, r"\1", cell) for cell in cells]
        is_behind = any(re.match(behind, cell) for cell in cells)
        zeros = f"{factor:,}".replace(",", "[.,’' ]?").replace("1[.,’' ]?", "(1[.,’' ]?)?", 1)
        in_title = rf"(?i)(?<!\d)[\W_](in )?({words}|{zeros}s?)\W*$"
        in_line = rf"(?i)(^|[\W_])({_IN})(?![a-z]\b)({words}|{zeros}s?)(?!\w)"
        # A line beside the table counts only where neither cells nor the title say a multiple.
        line = ""
        is_meant = is_behind or re.search(in_title, title)
        if not is_meant:
            line = next((line for line in lines if re.search(in_line, line)), "")
        if not (is_meant or line) or not all(map(numbers.looks_like_number, bare)):
            continue
        multiplied_cells = "^(.*)$"
        if is_behind:
            multiplied_cells = behind
        check = _multiples(reading, columns, factor, multiplied_cells)
        if line:
            sentence = f"{excerpt(line)} stands beside the table. {check.sentence}"
            check = replace(check, sentence=sentence)
        return check
    return None


def _lines_beside(reading: Reading) -> list[str]:
    """Texts that may say a unit: notes around the table, and columns of one text, as “in …”."""
    file = reading.file
    lines: list[str] = []
    if file.table.dialect:
        lines += file.table.dialect.notes
    for column in range(len(file.names)):
        if file.is_numeric(column):
            continue
        # A column such as SCALAR_FACTOR says “thousands” in each row.
        distinct = {*file.cells(column)}
        if len(distinct) == 1:
            lines.append(f"in {distinct.pop()}")
    return lines


def _multiples(reading: Reading, columns: Sequence[int], factor: int, behind: str) -> Check:
    """The check that multiplies those cells of `columns` by `factor` that fit `behind`."""
    first = reading.file.cells(columns[0])[0]
    bare = []
    for column in columns:
        bare += [re.sub(behind, r"\1", cell) for cell in reading.file.cells(column)]
    mark = numbers.detect_mark(bare) or reading.layout.mark or "."

    def multiplied(read: Reading) -> Reading:
        count = read.layout.count
        if len(columns) == 1:
            count = columns[0]
        read = replace(read, layout=replace(read.layout, count=count, mark=mark))
        for column in columns:
            fits = f"regexp_matches(c{column}, {text_sql(behind)})"
            text = f"regexp_replace(c{column}, {text_sql(behind)}, '\\1')"
            factor_sql = f"CASE WHEN {fits} THEN {factor} ELSE 1 END"
            read = with_number(read, column, f"({numbers.number_sql(text, mark)}) * {factor_sql}")
        return read

    names = ", ".join(map(reading.name, columns[:_LISTED]))
    return ask("multiples", multiplied, column=names, factor=f"{factor:,}", first=first)


def _parts(reading: Reading) -> list[int]:
    """Columns that may hold people, beside labels that are all different."""
    if reading.layout.answer is None or reading.file.repeats(reading.layout.answer):
        return []
    columns = range(len(reading.file.names))
    return [column for column in columns if _may_hold_people(reading, column)]


def second_table(reading: Reading) -> Check | None:
    """A row in which the title of the people stands again, where another table begins."""
    count, label, file = reading.layout.count, reading.layout.answer, reading.file
    if count is None:
        return None
    for row in file.rows:
        # A row of one cell, or without a label, is a caption rather than a row of titles.
        filled = [cell for cell in row if cell]
        if len(filled) < 2 or (label is not None and not row[label]):
            continue
        if row[count] == file.names[count] or is_named(row[count], "count"):
            return ask("second-table", row=" | ".join(filled))
    return None


def parts_of_rows(reading: Reading) -> Check | None:
    """Answers such as “of which part-time” below what they are part of: people count twice."""
    # Without a number of people each row is one person, who cannot be a part of another.
    if reading.layout.count is None:
        return None
    found = []
    for column in range(len(reading.file.names)):
        cells = dict.fromkeys(counted_cells(reading.file, reading.layout, column))
        parts = tuple(cell for cell in cells if re.match(_PARTS, cell))
        # A column whose cells all begin with “of which” has nothing that they are part of.
        if parts and len(parts) < len(cells):
            found.append((column, parts))
    return _twice("parts-of-records", found)


def total_row(reading: Reading) -> Check | None:
    """Rows that are the sum of others: people are counted twice."""
    return _twice("total-record", _totals(reading))


def _twice(name: str, found: Sequence[tuple[int, tuple[str, ...]]]) -> Check | None:
    """The check that leaves out rows by their labels, by column; None where there are none."""
    if not found:
        return None
    rows_to_leave_out = []
    distinct_labels: dict[str, None] = {}
    for column, labels in found:
        for label in labels:
            rows_to_leave_out.append((column, label))
            distinct_labels[label] = None
    named = ", ".join(f"“{label}”" for label in list(distinct_labels)[:_LISTED])
    rows, verb = "rows", "look"
    if len(distinct_labels) == 1:
        rows, verb = "row", "looks"
    without = partial(leave_out, rows_to_leave_out)
    return ask(name, without, named=named, rows=rows, verb=verb)


def _totals(reading: Reading) -> list[tuple[int, tuple[str, ...]]]:
    """The columns with labels that name totals, among others that do not, and these labels.

    Of rows with numbers of people any column may have them; of records one row alone does.
    """
    file, layout = reading.file, reading.layout
    if layout.answer is None:
        return []
    columns: Sequence[int] = [layout.answer]
    if layout.count is not None:
        columns = range(len(file.names))
    found = []
    for column in columns:
        cells = counted_cells(file, layout, column)
        # “T” is a total beside M and F (or, in German, M and W) alone; elsewhere it is a code.
        codes = {cell.casefold() for cell in cells} - {"t"}
        are_sexes = codes in ({"m", "f"}, {"m", "w"})
        labels: dict[str, None] = {}
        for cell in cells:
            if is_total(cell) and (are_sexes or cell not in ("T", "t")):
                labels[cell] = None
        # Records of people may well answer “all” or “total”, but then several times.
        are_totals = layout.count is not None or sum(map(cells.count, labels)) == 1
        if are_totals and 0 < len(labels) < len(set(cells)):
            found.append((column, tuple(labels)))
    return found


def with_count(column: int | None, reading: Reading) -> Reading:
    """The reading whose people are in a column; None: each row is one person."""
    return replace(reading, layout=replace(reading.layout, count=column))


def leave_out(cells: Iterable[tuple[int, str]], reading: Reading) -> Reading:
    """The reading without rows that have one of `cells`, by column."""
    left_out = (*reading.layout.left_out, *cells)
    return replace(reading, layout=replace(reading.layout, left_out=left_out))


def previews(reading: Reading) -> Check | None:
    """Rows that survey services mark as a preview, a test, spam or not approved."""
    names = reading.file.names
    columns = {*service_columns(names)}
    for column, name in enumerate(names):
        if is_identifier(name):
            columns.add(column)
    found = []
    for column in sorted(columns):
        for cell in dict.fromkeys(reading.file.cells(column)):
            if cell.casefold() in _PREVIEWS:
                found.append((column, cell))
    if not found:
        return None

    row_count = 0
    for row in reading.file.rows:
        if any(row[column] == cell for column, cell in found):
            row_count += 1
    listed = ", ".join(f"“{cell}” in {reading.name(column)}" for column, cell in found[:_LISTED])
    rows = count_text(row_count, "row is", "rows are")
    return ask("previews", partial(leave_out, found), rows=rows, listed=listed)


_Crosstab: TypeAlias = tuple[int, list[int]]
"""The column of labels that is shown, and those of people."""


def crosstab(reading: Reading) -> Check | None:
    """Rows of labels and several columns of people, which may be the answers; or of shares."""
    file, count = reading.file, reading.layout.count
    shares = _share_columns(reading)
    if len(shares) > 1:
        return _several_shares(reading, shares)
    found = _crosstab_beside_texts(reading) or _crosstab_by_columns(reading)
    if found is None:
        return None
    label, columns = found
    totals, parts = _split_totals(reading, columns)
    if len(parts) < 2:
        return None
    # Columns of small numbers beside labels that are no groups of people are ratings.
    of_groups = _is_of_groups(reading, label)
    are_small = max(max(_people(reading, column)) for column in parts) <= _RATING_MAX
    if not totals and are_small and not of_groups:
        return None

    names = [file.names[column] for column in parts]
    listed = ", ".join(f"“{name}”" for name in names[:4])
    if len(names) > 4:
        listed += ", …"
    # Further labels and codes go on, as they say which rows belong together.
    more = []
    for column in range(len(file.names)):
        if column != label and column not in columns and file.cells(column):
            more.append(column)
    # Columns that are called after years hold the same people again: the last year comes first.
    times = []
    if all(re.search(_YEAR, name) for name in names):
        times = parts[::-1]
    # Columns that are sums help the model of the table to find what is hidden; it leaves them out.
    is_whole = len(file.rows) < ROWS and len(columns) * len(file.rows) <= ROWS
    unpivoted = tuple(parts)
    if is_whole and not times:
        unpivoted = tuple(columns)
    without_group = partial(_unpivot, label, unpivoted, tuple(more), None)
    by_group = partial(_unpivot, label, unpivoted, tuple(more), 0)
    one_person = ""
    if count is None:
        one_person = ", and each row is one person"
    title = reading.name(label)
    check = ask("crosstab", without_group, by_group, listed=listed, title=title, each=one_person)

    if times:
        only = [_only_column(reading, label, column, "people") for column in times[:_LISTED]]
        sentence = numbers.WORDS["checks"]["crosstab"]["of_times"].format(listed=listed)
        return replace(check, sentence=sentence, offers=(*only, *check.offers))
    sums = [column for column in totals if column != count]
    only = [_only_column(reading, label, column, "people") for column in sums[:_LISTED]]
    is_certain = bool(totals) or (of_groups and not are_small)
    return replace(check, offers=(*check.offers, *only), asks=not is_certain)


def _several_shares(reading: Reading, shares: Sequence[int]) -> Check:
    """The check that asks which of several columns of shares is meant."""
    listed = ", ".join(map(reading.name, shares[:_LISTED]))
    label = reading.layout.answer or 0
    offers = []
    for column in shares[:_LISTED]:
        offers.append(_only_column(reading, label, column, "share"))
    return replace(ask("shares-of-several", listed=listed), offers=tuple(offers))


def _split_totals(reading: Reading, columns: Sequence[int]) -> tuple[list[int], list[int]]:
    """The columns of people that are called totals or are the sum of the others, and the rest."""
    totals = []
    parts = []
    for column in columns:
        if is_total(reading.file.names[column]) or _is_sum(reading, column, columns):
            totals.append(column)
        else:
            parts.append(column)
    return totals, parts


def _crosstab_beside_texts(reading: Reading) -> _Crosstab | None:
    """The columns of a crosstab by texts beside numbers that nothing else explains."""
    file, layout = reading.file, reading.layout
    filled = [column for column in range(len(file.names)) if file.cells(column)]
    # A column that has one text alone, such as a year, tells no rows apart.
    several = []
    for column in filled:
        if len(set(file.cells(column))) > 1 or len(file.rows) == 1:
            several.append(column)
    texts = [column for column in several if not file.is_numeric(column)]
    if not texts and layout.answer in several and _is_measure(file.names[layout.answer]):
        texts = [layout.answer]  # labels may be ages or years

    # The label that is shown: each row of a crosstab is another one.
    label = layout.answer
    if label not in texts:
        label = layout.group
    labels = set(file.labels(texts))
    if label is None or label not in texts or len(labels) < len(file.rows):
        return None
    if len(_independent(reading, texts)) > _LABELS_MAX:
        return None

    columns = [column for column in filled if _may_hold_people(reading, column)]
    # Decimals may be measures, unless one column is the sum of the others.
    if not any(_is_sum(reading, column, columns) for column in columns):
        columns = [column for column in columns if _are_whole(_people(reading, column))]
    totals, _ = _split_totals(reading, columns)

    # One column that is called people is all that counts, unless it is a total of the others.
    count = layout.count
    if count is not None and count not in totals and is_named(file.names[count], "count"):
        return None
    # A column of numbers that nothing explains speaks against a crosstab.
    for column in {*several} - {*columns, *texts}:
        name = file.names[column]
        if not is_no_number_of_people(name) and not is_share(name):
            return None
    return label, columns


def _crosstab_by_columns(reading: Reading) -> _Crosstab | None:
    """The columns of a crosstab whose labels may be codes, ages or several columns."""
    file = reading.file
    if len(file.rows) >= ROWS or reading.layout.latitude is not None or not file.rows:
        return None
    found = find_wide_columns(file.names, file.rows)
    if found is None:
        return None
    for column in found.values:
        if not _are_whole(_people(reading, column)):
            return None
    label = found.labels[0]
    if reading.layout.answer is not None and reading.layout.answer in found.labels:
        label = reading.layout.answer
    return label, list(found.values)


def _are_whole(values: Sequence[float]) -> bool:
    return all(value.is_integer() for value in values)


def _independent(reading: Reading, texts: Sequence[int]) -> list[int]:
    """The columns of labels that no other one determines, as a name does its code or region."""
    # With empty cells, so that all columns are of one length.
    cells = {}
    for column in texts:
        cells[column] = [row[column] for row in reading.file.rows]
    found: list[int] = []
    for column in texts:
        is_determined = False
        for other in texts:
            # Of two that determine each other the later one stays.
            if other not in found and other <= column:
                continue
            pairs = set(zip(cells[other], cells[column], strict=True))
            if len(pairs) == len(set(cells[other])):
                is_determined = True
        if not is_determined:
            found.append(column)
    return found


def _is_of_groups(reading: Reading, label: int) -> bool:
    """Whether rows are called areas, sexes or ages, or one of them a total, so that cells count."""
    title = reading.file.names[label]
    named = title_says(title, "group", "answer", "code", "level")
    return named or any(map(is_total, reading.file.cells(label)))


def _is_measure(name: str) -> bool:
    return is_named(name, "measure") or is_named(name, "period")


def _may_hold_people(reading: Reading, column: int) -> bool:
    """Whether a column has numbers whose title and signs allow that they are people."""
    name = reading.file.names[column]
    if not reading.file.is_numeric(column) or is_share(name):
        return False
    # Titles of digits, such as years or codes of areas, and lone letters may well have people.
    is_label = name.isdecimal() or is_lone_letter(name, reading.file.names)
    if is_no_number_of_people(name) and not is_label:
        return False
    # People are never below 0, but some offices write -1 or -9 for numbers that they hide.
    below = {number for number in _people(reading, column) if number < 0}
    return not below or (len(below) <= _CODES_MAX and below <= CODES_BELOW_0)


def _people(reading: Reading, column: int) -> list[float]:
    """The numbers of a column; where marks may be of thousands, such as in 1.234, they are."""
    if reading.layout.mark:
        return reading.numbers(column)
    people = []
    for cell in reading.file.cells(column):
        number = numbers.parse_number(re.sub("[.,]", "", cell), ".")
        if number is not None:
            people.append(number)
    return people


def _is_sum(reading: Reading, column: int, columns: Sequence[int]) -> bool:
    """Whether a column is the sum of the others in every row."""
    own = _people(reading, column)
    others = [_people(reading, other) for other in columns if other != column]
    if len(others) < 2 or any(len(other) != len(own) for other in others) or not any(own):
        return False
    for number, *parts in zip(own, *others, strict=True):
        if not math.isclose(sum(parts), number):
            return False
    return True


def _only_column(reading: Reading, label: int, column: int, kind: str) -> Offer:
    """The offer to take one of several columns, of the people or shares at one time."""
    name = reading.file.names[column]

    def only(read: Reading) -> Reading:
        names = [*read.file.names]
        names[column] = f"{kind}, {name}"
        layout = replace(read.layout, answer=label, count=column, group=None, others=())
        return Reading(replace(read.file, names=tuple(names)), layout)

    return Offer(name, f"Only {name}", f"people by “{name}” alone", only)


def _unpivot(
    label: int, parts: tuple[int, ...], more: tuple[int, ...], group: int | None, reading: Reading
) -> Reading:
    """A row for each cell: its row's label, its column's name, its people, and `more` labels."""
    titles = reading.file.names
    names = ", ".join(text_sql(titles[column]) for column in parts)
    cells = ", ".join(f"c{column}" for column in parts)
    sql = [f"c{label}", f"unnest([{names}])", f"unnest([{cells}])"]
    new_titles = [titles[label], "answer", "people"]
    for column in more:
        sql.append(f"c{column}")
        new_titles.append(titles[column])
    layout = replace(reading.layout, answer=1, count=2, group=group, others=())
    return reading.derive(sql, new_titles, layout)


def people_column(reading: Reading) -> Check | None:
    """A column that would be people, and may be an identifier or a measure."""
    file, layout, count = reading.file, reading.layout, reading.layout.count
    if count is None:
        return None
    found = reading.numbers(count)
    if not found or shares(reading) is not None:
        return None
    name = file.names[count]
    mean = sum(found) / len(found)
    is_found_by_name = count == find_column(file.names, "count") and not has_word(name, RATES)
    is_called_people = is_found_by_name and not may_number_rows(name)

    # The name is that of something else, or one of several that sound like people.
    is_odd = (
        is_no_number_of_people(name)
        or (layout.header and not is_found_by_name)
        or _is_one_of_many(reading, count)
    )
    # Many people a row in records or in decimals: a weight or a measure, such as a salary.
    are_records = layout.group is None and file.repeats(layout.answer)
    are_measures = not is_called_people and (are_records or not _are_whole(found))
    is_weight = normalize_name(name) in _WEIGHTS
    is_far = mean >= _MEAN_MAX and (is_weight or are_measures)
    # Very many people a row: an identifier, unless the table adds them up itself.
    is_large = mean >= _GUESS_MAX and not is_called_people and not _holds_totals(reading, count)
    if not (is_odd or is_far or is_large):
        return None

    rows = count_text(len(found), "row", "rows")
    people = count_text(round(sum(found)), "person", "people")
    return ask(
        "people",
        partial(with_count, None),
        column=reading.name(count),
        rows=rows,
        people=people,
        mean=f"{mean:,.0f}",
    )


def _holds_totals(reading: Reading, count: int) -> bool:
    """Whether a row is called a total, so that the numbers beside it are added up."""
    for column in range(len(reading.file.names)):
        if column != count and any(map(is_total, reading.file.cells(column))):
            return True
    return False


def _is_one_of_many(reading: Reading, count: int) -> bool:
    """Whether a column only sounds like people, beside two or more that could be it as well."""
    file = reading.file
    name = file.names[count].partition(",")[0]  # “people, 2023” where it was chosen
    if reading.layout.answer is None or is_named(name, "count"):
        return False
    rival_count = 0
    for column, other_name in enumerate(file.names):
        if column == count or is_no_number_of_people(other_name) or not file.is_numeric(column):
            continue
        if min(reading.numbers(column), default=-1) >= 0:
            rival_count += 1
    return rival_count > 1


def shares(reading: Reading) -> Check | None:
    """Percentages or parts of one instead of people."""
    count = reading.layout.count
    if count is None:
        count = next(iter(_share_columns(reading)), None)
    if count is None:
        return None
    cells = reading.file.cells(count)
    is_signed = any(cell.endswith("%") for cell in cells)
    bare = [cell.removesuffix("%").strip() for cell in cells]
    mark = numbers.detect_mark(bare) or "."
    found = []
    for cell in bare:
        number = numbers.parse_number(cell, mark)
        if number is not None:
            found.append(number)
    total = sum(found)
    has_decimals = not _are_whole(found)
    are_shares = (
        is_signed or (has_decimals and _is_whole(total)) or is_share(reading.file.names[count])
    )
    if not total or not (are_shares or reading.layout.count is None):
        return None

    one = 1.0
    if is_signed or max(found) > 1:
        one = 100.0
    # Shares without decimals may add up to 101: each is rounded by up to a half. Where the sum is
    # farther off, others are missing, or people gave several answers.
    are_rounded = not has_decimals and abs(total - one) <= len(found) / 2
    whole = one
    if _is_whole(total) or are_rounded:
        whole = total

    def of(people: int) -> Offer:
        remark = f"shares of {count_text(people, 'person', 'people')}"
        return Offer(str(people), "", remark, partial(_shares_of, count, people / whole))

    total_text = f"{total:,.4g}"
    if is_signed:
        total_text += " %"
    check = ask("shares", column=reading.name(count), total=total_text)
    return replace(check, of_people=of)


def _share_columns(reading: Reading) -> list[int]:
    """Columns of percentages beside labels that differ, where no column says how many people.

    By their signs or titles, or as they or their rows add up to 1 or 100.
    """
    file, answer = reading.file, reading.layout.answer
    if answer is None or reading.layout.count is not None:
        return []
    columns = [column for column in range(len(file.names)) if column != answer]
    columns = [column for column in columns if file.cells(column)]
    numeric = [column for column in columns if file.is_numeric(column)]

    found = []
    for column in columns:
        if any(cell.endswith("%") for cell in file.cells(column)):
            found.append(column)
    found += [column for column in numeric if is_share(file.names[column])]
    if not found:
        found = _columns_adding_up(reading, numeric)

    # Rows with equal labels are records of people: numbers in these are answers.
    label_columns = {answer, *columns} - {*numeric, *found}
    labels = set(file.labels(label_columns))
    if len(labels) < len(file.rows):
        return []
    return found


def _columns_adding_up(reading: Reading, numeric: Sequence[int]) -> list[int]:
    """The columns of numbers, some with decimals, if all rows or all columns add up to a whole."""
    able = [column for column in numeric if not is_no_number_of_people(reading.file.names[column])]
    values = [reading.numbers(column) for column in able]
    if len({len(column) for column in values}) != 1 or all(map(_are_whole, values)):
        return []
    row_sums = [sum(row) for row in zip(*values, strict=True)]
    column_sums = [sum(column) for column in values]
    if all(map(_is_whole, row_sums)) or all(map(_is_whole, column_sums)):
        return able
    return []


def _is_whole(total: float) -> bool:
    """Whether a sum is, but for rounding, 1 or 100."""
    return any(abs(total - whole) <= off for whole, off in _SHARES.items())


def _shares_of(count: int, factor: float, reading: Reading) -> Reading:
    cells = [cell.removesuffix("%").strip() for cell in reading.file.cells(count)]
    mark = numbers.detect_mark(cells) or reading.layout.mark or "."
    reading = replace(reading, layout=replace(reading.layout, count=count, mark=mark))
    bare = f"trim(replace(c{count}, '%', ''))"
    return with_number(reading, count, f"({numbers.number_sql(bare, mark)}) * {factor!r}")


def with_number(reading: Reading, column: int | None, sql: str) -> Reading:
    """The reading with another number, as SQL, in a column."""
    text = f"CAST({sql} AS VARCHAR)"
    # The other cells of the file are read with this mark as well.
    if reading.layout.mark == ",":
        text = f"replace({text}, '.', ',')"
    return reading.with_sql({column or 0: text})


def periods(reading: Reading) -> Check | None:
    """A row for each year or date, which would add up the same people several times."""
    file, layout = reading.file, reading.layout
    if layout.count is None:
        return None
    roles = (layout.answer, layout.group, layout.latitude, layout.longitude)
    keys = [column for column in roles if column is not None]
    period = None
    for column, title in enumerate(file.names):
        is_period = is_named(title, "period") and column not in keys
        if period is None and is_period and len(set(file.cells(column))) > 1:
            period = column
    # Where no label comes twice, nobody is counted twice.
    labels = file.labels(keys)
    if period is None or len(set(labels)) == len(labels):
        return None

    values = sorted(set(file.cells(period)), reverse=True)
    name = reading.name(period)
    offers = []
    for value in values[:_LISTED]:
        only = partial(_only, period, value)
        offers.append(Offer(value, f"Only {value}", f"{name} {value} alone", only))
    check = ask("periods", values=f"{len(values):,}", column=name)
    return replace(check, offers=tuple(offers))


def _only(column: int, period: str, reading: Reading) -> Reading:
    """The reading of the rows of one period."""
    bare = numbers.single_spaced_sql(f"c{column}")
    sql = f"CASE {bare} WHEN {text_sql(period)} THEN {text_sql(period)} ELSE 'other' END"
    return leave_out([(column, "other")], reading.with_sql({column: sql}))


def thousands(reading: Reading) -> Check | None:
    """People such as 1.234 beside degrees with the same mark, or far below whole numbers."""
    count, mark = reading.layout.count, reading.layout.mark
    if count is None or mark is None or reading.file.table.dialect is None:
        return None
    cells = reading.file.cells(count)
    unclear = [cell for cell in cells if mark in cell and numbers.detect_mark([cell]) is None]
    if not unclear or numbers.detect_mark(cells) is not None:
        return None

    def whole(read: Reading) -> Reading:
        return with_number(read, count, f"replace(c{count}, '{mark}', '')")

    first = unclear[0]
    number = first.replace(mark, "")
    return ask("thousands", whole, column=reading.name(count), first=first, number=number)


def several_points(reading: Reading) -> Check | None:
    """Features with several points and one number of people."""
    names, layout = reading.file.names, reading.layout
    if POINTS_COLUMN not in names or layout.latitude is None:
        return None
    column = names.index(POINTS_COLUMN)
    points = count_text(len(reading.file.cells(column)), "point", "points")
    return ask("several-points", partial(_share_points, column), points=points)


def _share_points(column: int, reading: Reading) -> Reading:
    """The people of a feature in equal parts at its points."""
    layout, mark = reading.layout, reading.layout.mark or "."
    points = f"coalesce(TRY_CAST(c{column} AS DOUBLE), 1)"
    if layout.count is None:
        reading = replace(reading, layout=replace(layout, count=column))
        return with_number(reading, column, f"1 / {points}")
    people = numbers.number_sql(f"c{layout.count}", mark)
    return with_number(reading, layout.count, f"({people}) / {points}")
