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
    found, file = dict[int, str](), reading.file
    for at in range(len(file.names)):
        inside = [c for c in file.cells(at) if c[0] == "(" and re.fullmatch(_BRACKETED, c)]
        others = {*file.cells(at)} - {*inside} if inside else set()
        others = {cell for cell in others if not re.fullmatch(numbers.HIDDEN, cell)}
        if inside and 2 * sum(map(numbers.looks_like_number, others)) >= len(others):
            found[at] = inside[0]
    if not found:
        return None
    patterns = dict.fromkeys(found, _BRACKETED)
    ways = (partial(_replace_cells, patterns, by) for by in ("\\1", "-\\1"))
    names, first = ", ".join(map(reading.name, list(found)[:_LISTED])), next(iter(found.values()))
    number = re.sub(_BRACKETED, r"\1", first)
    return ask("brackets", *ways, names=names, first=first, number=number)


def _replace_cells(patterns: Mapping[int, str], by: str, reading: Reading) -> Reading:
    """The reading with other texts for cells of the columns' patterns, and its layout anew."""
    whole = {at: text_sql(rf"^\s*{pattern}\s*$") for at, pattern in patterns.items()}
    reading = reading.with_sql(
        {at: f"regexp_replace(c{at}, {pattern}, '{by}')" for at, pattern in whole.items()}
    )
    if reading.layout.latitude is not None:
        return reading
    layout = detect_again(reading.file, reading.layout)
    return Reading(replace(reading.file, answers=layout), layout)


def marks(reading: Reading) -> Check | None:
    """Numbers with a flag, the sign of a note or a word behind them, such as “12 b” or “120*”."""
    file, words = reading.file, numbers.WORDS["labels"]
    called = find_column(file.names, "count")
    patterns = dict.fromkeys(range(len(file.names)), rf"{_NUMBER}\s*({words['marks']})")
    if called is not None:
        patterns[called] = rf"{_NUMBER}\s*({words['marks']}|{words['units']})"
    multiples = "|".join(_MULTIPLES)
    marked = dict[int, str]()
    for at, pattern in patterns.items():
        cells = (c for c in file.cells(at) if not numbers.looks_like_number(c) and c != ":")
        others = [cell for cell in cells if not re.fullmatch(_BOUND, cell)]
        are_people = any(re.fullmatch(rf"(?i){_NUMBER} ?({multiples})", cell) for cell in others)
        if others and not are_people and all(re.fullmatch(pattern, cell) for cell in others):
            marked[at] = others[0]
    if reading.layout.latitude is not None:
        return None
    if not marked:
        return _without_numbers(reading, called)
    column, first = next(iter(marked.items()))
    number = re.sub(rf"^{patterns[column]}$", r"\1", first)

    without = partial(_replace_cells, {at: patterns[at] for at in marked}, "\\1")
    names = ", ".join(reading.name(at) for at in list(marked)[:_LISTED])
    return ask("marks", without, names=names, first=first, number=number)


def _without_numbers(reading: Reading, called: int | None) -> Check | None:
    """A column that is called people, though none of its cells is a number, or it has none."""
    file, layout = reading.file, reading.layout
    if called in (None, layout.group) or layout.count is not None or layout.others:
        return None
    cells = file.cells(called or 0)
    if called == layout.answer and (file.repeats(called) or len(file.names) == 1):
        return None
    if any(map(numbers.looks_like_number, cells)) or not is_named(file.names[called or 0], "count"):
        return None
    odd = next((cell for cell in cells if re.search(r"\d[^%]*$", cell)), "")
    is_empty = not cells and not file.repeats(layout.answer)
    if not (odd or is_empty) or layout.answer is None or multiples(reading):
        return None
    return ask("no-people" if is_empty else "no-numbers", column=reading.name(called), cell=odd)


def multiples(reading: Reading) -> Check | None:
    """Thousands or millions of people, by words in a title, behind numbers or in other lines."""
    file, count = reading.file, reading.layout.count
    count = find_column(file.names, "count") if count is None else count
    columns = [count] if count is not None else _parts(reading)
    if not columns or has_word(file.names[columns[0]], RATES) or reading.layout.areas:
        return None
    lines = file.table.dialect.notes if file.table.dialect else ()
    texts = [at for at in range(len(file.names)) if not file.is_numeric(at)]
    constant = ({*file.cells(at)} for at in texts)  # such as SCALAR_FACTOR
    lines = (*lines, *(f"in {cell}" for each in constant if len(each) == 1 for cell in each))
    for words, factor in _MULTIPLES.items():
        behind = rf"(?i)^\s*([\d., ]+?)\s*({words})\s*$"
        cells = [cell for cell in file.cells(columns[0]) if cell not in lines]
        found = [cell for cell in cells if re.match(behind, cell)]
        bare = [re.sub(behind, r"\1", cell) for cell in cells]
        zeros = f"{factor:,}".replace(",", "[.,’' ]?").replace("1[.,’' ]?", "(1[.,’' ]?)?", 1)
        in_title = rf"(?i)(?<!\d)[\W_](in )?({words}|{zeros}s?)\W*$"
        in_line = rf"(?i)(^|[\W_])({_IN})(?![a-z]\b)({words}|{zeros}s?)(?!\w)"
        is_meant = found or re.search(in_title, file.names[columns[0]])
        line = next((line for line in lines if re.search(in_line, line) and not is_meant), "")
        if (is_meant or line) and all(map(numbers.looks_like_number, bare)):
            check = _multiples(reading, columns, factor, behind if found else "^(.*)$")
            said = f"{excerpt(line)} stands beside the table. " if line else ""
            return replace(check, sentence=said + check.sentence)
    return None


def _multiples(reading: Reading, columns: Sequence[int], factor: int, behind: str) -> Check:
    first = reading.file.cells(columns[0])[0]
    bare = [re.sub(behind, r"\1", cell) for at in columns for cell in reading.file.cells(at)]
    mark = numbers.detect_mark(bare) or reading.layout.mark or "."

    def multiplied(read: Reading) -> Reading:
        count = columns[0] if len(columns) == 1 else read.layout.count
        read = replace(read, layout=replace(read.layout, count=count, mark=mark))
        for at in columns:
            is_one = f"regexp_matches(c{at}, {text_sql(behind)})"
            text = f"regexp_replace(c{at}, {text_sql(behind)}, '\\1')"
            factor_sql = f"CASE WHEN {is_one} THEN {factor} ELSE 1 END"
            read = with_number(read, at, f"({numbers.number_sql(text, mark)}) * {factor_sql}")
        return read

    column, times = ", ".join(map(reading.name, columns[:_LISTED])), f"{factor:,}"
    return ask("multiples", multiplied, column=column, factor=times, first=first)


def _parts(reading: Reading) -> list[int]:
    """Columns that may hold people, beside labels that are all different."""
    if reading.layout.answer is None or reading.file.repeats(reading.layout.answer):
        return []
    return [at for at in range(len(reading.file.names)) if _may_hold_people(reading, at)]


def second_table(reading: Reading) -> Check | None:
    """A row in which the title of the people stands again, where another table begins."""
    at, file = reading.layout.count, reading.file
    if at is None:
        return None
    label = reading.layout.answer
    filled = (r for r in file.rows if sum(map(bool, r)) > 1 and (label is None or r[label]))
    again = [r for r in filled if r[at] == file.names[at] or is_named(r[at], "count")]
    return ask("second-table", row=" | ".join(filter(None, again[0]))) if again else None


def parts_of_rows(reading: Reading) -> Check | None:
    """Answers such as “of which part-time” below what they are part of: people count twice."""
    found = []
    for at in range(len(reading.file.names)) if reading.layout.count is not None else ():
        cells = dict.fromkeys(counted_cells(reading.file, reading.layout, at))
        parts = tuple(cell for cell in cells if re.match(_PARTS, cell))
        found += [(at, parts)] if 0 < len(parts) < len(cells) else []
    return _twice("parts-of-records", found)


def total_row(reading: Reading) -> Check | None:
    """Rows that are the sum of others: people are counted twice."""
    return _twice("total-record", _totals(reading))


def _twice(name: str, found: Sequence[tuple[int, tuple[str, ...]]]) -> Check | None:
    if not found:
        return None
    labels = tuple(dict.fromkeys(label for _, labels in found for label in labels))
    named = ", ".join(f"“{label}”" for label in labels[:_LISTED])
    rows, verb = ("row", "looks") if len(labels) == 1 else ("rows", "look")
    without = partial(leave_out, [(column, cell) for column, cells in found for cell in cells])
    return ask(name, without, named=named, rows=rows, verb=verb)


def _totals(reading: Reading) -> list[tuple[int, tuple[str, ...]]]:
    """The columns with labels that name totals, among others that do not, and these labels.

    Of rows with numbers of people any column may have them; of records one row alone does.
    """
    file, layout = reading.file, reading.layout
    if layout.answer is None:
        return []
    columns = range(len(file.names)) if layout.count is not None else (layout.answer,)
    found = []
    for column in columns:
        cells = counted_cells(file, layout, column)
        by_sex = {cell.casefold() for cell in cells} - {"t"} in ({"m", "f"}, {"m", "w"})
        sums = {cell for cell in {*cells} if is_total(cell) and (by_sex or cell not in ("T", "t"))}
        labels = tuple(dict.fromkeys(cell for cell in cells if cell in sums))
        few = layout.count is not None or sum(map(cells.count, labels)) == 1
        if few and 0 < len(labels) < len(set(cells)):
            found.append((column, labels))
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
    named = {*service_columns(names), *(at for at, n in enumerate(names) if is_identifier(n))}
    cells = ((at, cell) for at in sorted(named) for cell in dict.fromkeys(reading.file.cells(at)))
    if not (found := [each for each in cells if each[1].casefold() in _PREVIEWS]):
        return None
    rows = sum(any(row[at] == cell for at, cell in found) for row in reading.file.rows)
    listed = ", ".join(f"“{cell}” in {reading.name(at)}" for at, cell in found[:_LISTED])
    several = count_text(rows, "row is", "rows are")
    return ask("previews", partial(leave_out, found), rows=several, listed=listed)


def crosstab(reading: Reading) -> Check | None:
    """Rows of labels and several columns of people, which may be the answers; or of shares."""
    file, layout = reading.file, reading.layout
    if len(shares := _share_columns(reading)) > 1:
        listed = ", ".join(map(reading.name, shares[:_LISTED]))
        check = ask("shares-of-several", listed=listed)
        answer = layout.answer or 0
        offers = tuple(_only_column(reading, answer, at, "share") for at in shares[:_LISTED])
        return replace(check, offers=offers)
    found = _named_crosstab(reading) or _other_crosstab(reading)
    if found is None:
        return None
    label, columns = found
    totals = [at for at in columns if is_total(file.names[at]) or _is_sum(reading, at, columns)]
    parts = [at for at in columns if at not in totals]
    count = layout.count
    if len(parts) < 2:
        return None
    of_groups = _is_of_groups(reading, label)
    are_small = max(max(_people(reading, at)) for at in parts) <= _RATING_MAX
    if not totals and are_small and not of_groups:
        return None  # ratings
    names = [file.names[at] for at in parts]
    listed = ", ".join(f"“{name}”" for name in names[:4]) + (", …" if len(names) > 4 else "")
    title = reading.name(label)
    # Further labels and codes go on, as they say which rows belong together.
    others = [at for at in range(len(file.names)) if at != label and at not in columns]
    more = tuple(at for at in others if file.cells(at))
    times = parts[::-1] if all(re.search(_YEAR, name) for name in names) else []
    # Columns that are sums help the model of the table to find what is hidden; it leaves them out.
    is_whole = len(file.rows) < ROWS and len(columns) * len(file.rows) <= ROWS
    read = tuple(columns) if is_whole and not times else tuple(parts)
    ways = (partial(_unpivot, label, read, more, group) for group in (None, 0))
    each = "" if count is not None else ", and each row is one person"
    check = ask("crosstab", *ways, listed=listed, title=title, each=each)
    alone = times or [at for at in totals if at != count]
    only = [_only_column(reading, label, at, "people") for at in alone[:_LISTED]]
    if not times:
        known = bool(totals) or (of_groups and not are_small)
        return replace(check, offers=(*check.offers, *only), asks=not known)
    offers = (*only, *check.offers)
    sentence = numbers.WORDS["checks"]["crosstab"]["of_times"].format(listed=listed)
    return replace(check, sentence=sentence, offers=offers)


_Crosstab: TypeAlias = tuple[int, list[int]]
"""The column of labels that is shown, and those of people."""


def _named_crosstab(reading: Reading) -> _Crosstab | None:
    """The columns of a crosstab by texts beside numbers that nothing else explains."""
    file, layout = reading.file, reading.layout
    filled = [at for at in range(len(file.names)) if file.cells(at)]
    several = [at for at in filled if len(set(file.cells(at))) > 1 or len(file.rows) == 1]
    texts = [at for at in several if not file.is_numeric(at)]
    if not texts:  # ages or years
        texts = [at for at in several if at == layout.answer and _is_measure(file.names[at])]
    labels = {tuple(row[at] for at in texts) for row in file.rows}
    label = next((at for at in (layout.answer, layout.group) if at in texts), None)
    if label is None or len(labels) < len(file.rows):
        return None
    if len(_independent(reading, texts)) > _LABELS_MAX:
        return None
    columns = [at for at in filled if _may_hold_people(reading, at)]
    if not any(_is_sum(reading, at, columns) for at in columns):  # decimals may be measures
        columns = [at for at in columns if all(n.is_integer() for n in _people(reading, at))]
    totals = [at for at in columns if is_total(file.names[at]) or _is_sum(reading, at, columns)]
    count = layout.count
    is_left = count not in (None, *totals) and is_named(file.names[count or 0], "count")
    others = (file.names[at] for at in {*several} - {*columns, *texts})
    odd = any(not is_no_number_of_people(name) and not is_share(name) for name in others)
    return None if is_left or odd else (label, columns)


def _other_crosstab(reading: Reading) -> _Crosstab | None:
    """The columns of a crosstab whose labels may be codes, ages or several columns."""
    file = reading.file
    if len(file.rows) >= ROWS or reading.layout.latitude is not None or not file.rows:
        return None
    found = find_wide_columns(file.names, file.rows)
    if found is None:
        return None
    whole = all(number.is_integer() for at in found.values for number in _people(reading, at))
    label = next((at for at in (reading.layout.answer,) if at in found.labels), found.labels[0])
    return (label, list(found.values)) if whole else None


def _independent(reading: Reading, texts: Sequence[int]) -> list[int]:
    """The columns of labels that no other one determines, as a name does its code or region."""
    cells = {at: [row[at] for row in reading.file.rows] for at in texts}
    found: list[int] = []
    for at in texts:
        others = [other for other in texts if other in found or other > at]
        pairs = {other: len(set(zip(cells[other], cells[at], strict=True))) for other in others}
        if not any(pairs[other] == len(set(cells[other])) for other in others):
            found.append(at)
    return found


def _is_of_groups(reading: Reading, label: int) -> bool:
    """Whether rows are called areas, sexes or ages, or one of them a total, so that cells count."""
    title = reading.file.names[label]
    named = title_says(title, "group", "answer", "code", "level")
    return named or any(map(is_total, reading.file.cells(label)))


def _is_measure(name: str) -> bool:
    return is_named(name, "measure") or is_named(name, "period")


def _may_hold_people(reading: Reading, column: int) -> bool:
    name = reading.file.names[column]
    is_other = is_no_number_of_people(name) and not name.isdecimal()
    is_other = is_other and not is_lone_letter(name, reading.file.names)
    if not reading.file.is_numeric(column) or is_other or is_share(name):
        return False
    below = {number for number in _people(reading, column) if number < 0}
    return not below or (len(below) <= _CODES_MAX and below <= CODES_BELOW_0)


def _people(reading: Reading, column: int) -> list[float]:
    """The numbers of a column; where marks may be of thousands, such as in 1.234, they are."""
    if reading.layout.mark:
        return reading.numbers(column)
    cells = (re.sub("[.,]", "", cell) for cell in reading.file.cells(column))
    return [number for cell in cells if (number := numbers.parse_number(cell, ".")) is not None]


def _is_sum(reading: Reading, column: int, columns: list[int]) -> bool:
    """Whether a column is the sum of the others in every row."""
    others = [_people(reading, at) for at in columns if at != column]
    own = _people(reading, column)
    if len(others) < 2 or any(len(each) != len(own) for each in others) or not any(own):
        return False
    return all(math.isclose(sum(row), number) for number, *row in zip(own, *others, strict=True))


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
    names = ", ".join(text_sql(reading.file.names[at]) for at in parts)
    cells = ", ".join(f"c{at}" for at in parts)
    columns = (f"c{label}", f"unnest([{names}])", f"unnest([{cells}])", *(f"c{at}" for at in more))
    layout = replace(reading.layout, answer=1, count=2, group=group, others=())
    titles = (reading.file.names[label], "answer", "people", *(reading.file.names[a] for a in more))
    return reading.derive(columns, titles, layout)


def people_column(reading: Reading) -> Check | None:
    """A column that would be people, and may be an identifier or a measure."""
    layout, count = reading.layout, reading.layout.count
    if count is None or not (found := reading.numbers(count)) or shares(reading) is not None:
        return None
    mean, name = sum(found) / len(found), reading.file.names[count]
    is_weight = normalize_name(name) in _WEIGHTS
    by_name = count == find_column(reading.file.names, "count") and not has_word(name, RATES)
    called = by_name and not may_number_rows(name)
    decimals = any(not number.is_integer() for number in found)
    repeats = layout.group is None and reading.file.repeats(layout.answer)
    odd = is_no_number_of_people(name) or (layout.header and not by_name)
    odd = odd or _is_one_of_many(reading, count)
    far = mean >= _MEAN_MAX and (is_weight or ((decimals or repeats) and not called))
    large = mean >= _GUESS_MAX and not called and not _holds_totals(reading, count)
    if not (odd or far or large):
        return None
    rows = count_text(len(found), "row", "rows")
    people = count_text(round(sum(found)), "person", "people")
    size = {"rows": rows, "people": people, "mean": f"{mean:,.0f}"}
    return ask("people", partial(with_count, None), column=reading.name(count), **size)


def _holds_totals(reading: Reading, count: int) -> bool:
    """Whether a row is called a total, so that the numbers beside it are added up."""
    columns = [at for at in range(len(reading.file.names)) if at != count]
    return any(is_total(cell) for at in columns for cell in reading.file.cells(at))


def _is_one_of_many(reading: Reading, count: int) -> bool:
    """Whether a column only sounds like people, beside two or more that could be it as well."""
    file = reading.file
    name = file.names[count].partition(",")[0]  # “people, 2023” where it was chosen
    if reading.layout.answer is None or is_named(name, "count"):
        return False
    others = [at for at, name in enumerate(file.names) if not is_no_number_of_people(name)]
    numeric = {at for at in others if file.is_numeric(at)} - {count}
    return sum(min(reading.numbers(at), default=-1) >= 0 for at in numeric) > 1


def shares(reading: Reading) -> Check | None:
    """Percentages or parts of one instead of people."""
    count = reading.layout.count
    if count is None:
        count = next(iter(_share_columns(reading)), None)
    if count is None:
        return None
    cells = reading.file.cells(count)
    bare = [cell.removesuffix("%").strip() for cell in cells]
    mark = numbers.detect_mark(bare) or "."
    found = [number for cell in bare if (number := numbers.parse_number(cell, mark)) is not None]
    total = sum(found)
    signed = any(cell.endswith("%") for cell in cells)
    parts = any(not number.is_integer() for number in found)
    are_shares = signed or (parts and _is_whole(total)) or is_share(reading.file.names[count])
    if not total or not (are_shares or reading.layout.count is None):
        return None

    one = 100.0 if signed or max(found) > 1 else 1.0
    # Shares without decimals may add up to 101: each is rounded by up to a half.
    are_rounded = not parts and abs(total - one) <= len(found) / 2
    whole = (
        total if _is_whole(total) or are_rounded else one
    )  # others are missing, or people gave several answers

    def of(people: int) -> Offer:
        remark = f"shares of {count_text(people, 'person', 'people')}"
        return Offer(str(people), "", remark, partial(_shares_of, count, people / whole))

    sum_text = f"{total:,.4g}{' %' if signed else ''}"
    check = ask("shares", column=reading.name(count), total=sum_text)
    return replace(check, of_people=of)


def _share_columns(reading: Reading) -> list[int]:
    """Columns of percentages beside labels that differ, where no column says how many people.

    By their signs or titles, or as they or their rows add up to 1 or 100.
    """
    file, answer = reading.file, reading.layout.answer
    if answer is None or reading.layout.count is not None:
        return []
    columns = [at for at in range(len(file.names)) if at != answer and file.cells(at)]
    signed = [at for at in columns if any(cell.endswith("%") for cell in file.cells(at))]
    numeric = [at for at in columns if file.is_numeric(at)]
    found = signed + [at for at in numeric if is_share(file.names[at])]
    able = [at for at in numeric if not is_no_number_of_people(file.names[at])]
    parts = [reading.numbers(at) for at in able]
    if not found and len({*map(len, parts)}) == 1 and any(n % 1 for part in parts for n in part):
        sums = ([sum(row) for row in zip(*parts, strict=True)], [*map(sum, parts)])
        found = able if any(all(map(_is_whole, each)) for each in sums) else []
    labels = [tuple(row[at] for at in {answer, *columns} - {*numeric, *found}) for row in file.rows]
    return found if len({*labels}) == len(labels) else []


def _is_whole(total: float) -> bool:
    return any(abs(total - whole) <= off for whole, off in _SHARES.items())


def _shares_of(count: int, factor: float, reading: Reading) -> Reading:
    cells = [cell.removesuffix("%").strip() for cell in reading.file.cells(count)]
    mark = numbers.detect_mark(cells) or reading.layout.mark or "."
    reading = replace(reading, layout=replace(reading.layout, count=count, mark=mark))
    bare = f"trim(replace(c{count}, '%', ''))"
    return with_number(reading, count, f"({numbers.number_sql(bare, mark)}) * {factor!r}")


def with_number(reading: Reading, column: int | None, sql: str) -> Reading:
    """The reading with another number, as SQL, in a column."""
    mark = reading.layout.mark or "."
    text = f"CAST({sql} AS VARCHAR)"
    return reading.with_sql({column or 0: f"replace({text}, '.', ',')" if mark == "," else text})


def periods(reading: Reading) -> Check | None:
    """A row for each year or date, which would add up the same people several times."""
    file, layout = reading.file, reading.layout
    roles = (layout.answer, layout.group, layout.latitude, layout.longitude)
    key = [at for at in roles if at is not None]
    called = [
        at for at, name in enumerate(file.names) if is_named(name, "period") and at not in key
    ]
    column = next((at for at in called if len(set(file.cells(at))) > 1), None)
    rows = [tuple(row[at] for at in key) for row in file.rows]
    if layout.count is None or column is None or len(set(rows)) == len(rows):
        return None
    values = sorted(set(file.cells(column)), reverse=True)
    name = reading.name(column)
    offers = tuple(
        Offer(each, f"Only {each}", f"{name} {each} alone", partial(_only, column, each))
        for each in values[:_LISTED]
    )
    check = ask("periods", values=f"{len(values):,}", column=name)
    return replace(check, offers=offers)


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
    unclear = [cell for cell in cells if numbers.detect_mark([cell]) is None and mark in cell]
    if not unclear or numbers.detect_mark(cells) is not None:
        return None

    def whole(read: Reading) -> Reading:
        return with_number(read, count, f"replace(c{count}, '{mark}', '')")

    first = unclear[0]
    return ask(
        "thousands", whole, column=reading.name(count), first=first, number=first.replace(mark, "")
    )


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
