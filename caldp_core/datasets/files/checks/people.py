"""Checks of how many people a row is: totals, crosstabs, identifiers, shares, several points."""

import re
from dataclasses import replace
from functools import partial
from typing import Final

from caldp_core.basics.counted import count_text
from caldp_core.datasets.files import numbers
from caldp_core.datasets.files.answers import counted_cells
from caldp_core.datasets.files.checks.record import Check, Offer, Reading, text_sql
from caldp_core.datasets.files.geojson import POINTS_COLUMN
from caldp_core.datasets.files.layout_detection import (
    find_column,
    is_named,
    is_no_number_of_people,
    may_number_rows,
    normalize_name,
)

_TOTAL_WORDS: Final = (
    "total totals totaal totale totali totalt totales sum sums summe summen gesamt insgesamt "
    "gesamtsumme zusammen all alle somme ensemble suma somma razem ogolem celkem yhteensa "
    "subtotal zwischensumme overall toplam osszesen итого всего 合计 合計 总计 總計 합계 계"
)
_TOTALS: Final = frozenset(_TOTAL_WORDS.split())
_WEIGHTS: Final = frozenset(
    ["weight", "weights", "wt", "wgt", "gewicht", "gewichte", "peso", "poids"]
)
"""Names of weights of people in a sample, and of bodies."""
_MEAN_MAX: Final = 20
"""People a row from which a column of decimals or of records is asked about."""
_GUESS_MAX: Final = 10_000
"""People a row from which a column that is not called people is asked about."""
_SHARES: Final = {1.0: 0.02, 100.0: 0.5}
"""Sums of shares and percentages, and how far they may be off."""


_HIDDEN: Final = r"(?i)[<≤] ?\d+|[*:–-]+|\.{2,}|…|[cxs]|n/?a|suppressed"
"""What stands for a number of people that is too small to be published."""


def is_total(label: str) -> bool:
    """Whether a label is nothing but a word for a total, in the usual languages."""
    words = normalize_name(label).split()
    return bool(words) and (
        " ".join(words) in _TOTALS
        or (len(words) == 2 and words[0] in {"grand", "total", "summe"} and words[1] in _TOTALS)
        or words in (["grand", "total"], ["total", "general"])
    )


def total_row(reading: Reading) -> Check | None:
    """A row that is the sum of the others: all people are counted twice."""
    layout = reading.layout
    if layout.count is None or layout.answer is None:
        return None
    column, labels = _labels_with_totals(reading)
    if not labels:
        return None
    named = ", ".join(f"“{label}”" for label in labels)
    remark = f"{named} left out, as a total of the other rows"
    offer = Offer("leave-out", f"Leave out {named}", remark, partial(leave_out, column, labels))
    return Check(
        "total-row",
        f"The row {named} looks like the total of the other rows: everybody would count twice.",
        (offer,),
        "Count it: it is an answer",
    )


def _labels_with_totals(reading: Reading) -> tuple[int, tuple[str, ...]]:
    """The column whose labels name totals, and these labels."""
    layout = reading.layout
    assert layout.answer is not None
    assert layout.count is not None
    for column in (layout.answer, layout.group):
        if column is not None:
            cells = counted_cells(reading.file, layout, column)
            named = dict.fromkeys(cell for cell in cells if is_total(cell))
            if named:
                return column, tuple(named)
    return layout.answer, _sum_of_others(reading, layout.answer, layout.count)


def _sum_of_others(reading: Reading, column: int, count: int) -> tuple[str, ...]:
    """The first or last label whose number is the sum of all others'; three others at least."""
    layout, mark = reading.layout, reading.layout.mark or "."
    rows = [
        (row[column], number)
        for row in reading.file.rows
        if row[column] and (number := numbers.parse_number(row[count], mark)) is not None
    ]
    whole = sum(number for _, number in rows)
    if not 4 <= len(rows) == len(dict(rows)) or whole <= 2 * len(rows) or layout.left_out:
        return ()
    ends = [rows[-1], rows[0]]
    return next(((label,) for label, number in ends if 2 * number == whole), ())


def leave_out(column: int, cells: tuple[str, ...], reading: Reading) -> Reading:
    """The reading without rows that have one of `cells` in a column."""
    more = tuple((column, cell) for cell in cells)
    left_out = (*reading.layout.left_out, *more)
    return replace(reading, layout=replace(reading.layout, left_out=left_out))


def crosstab(reading: Reading) -> Check | None:
    """Rows of labels and several columns of people, which may be the answers."""
    file, label = reading.file, reading.layout.answer
    if label is None or file.is_numeric(label) or len(set(file.cells(label))) < len(file.rows):
        return None
    columns = [at for at in range(len(file.names)) if _holds_people(reading, at)]
    totals = [at for at in columns if is_total(file.names[at]) or _is_sum(reading, at, columns)]
    parts = [at for at in columns if at not in totals]
    count = reading.layout.count
    is_left = count not in (None, *totals) and is_named(file.names[count or 0], "count")
    texts = [at for at in range(len(file.names)) if file.cells(at) and at not in columns]
    if len(parts) < 2 or is_left or texts != [label]:
        return None
    if not totals and max(max(reading.numbers(at)) for at in parts) <= _MEAN_MAX:
        return None
    names = [file.names[at] for at in parts]
    listed = ", ".join(f"“{name}”" for name in names[:4]) + (", …" if len(names) > 4 else "")
    title = reading.name(label)
    offers = (
        Offer(
            "columns",
            "The columns are the answers",
            f"the columns {listed} read as answers, rows added up",
            partial(_unpivot, label, tuple(parts), None),
        ),
        Offer(
            "groups",
            f"The columns are the answers, by {title}",
            f"the columns {listed} read as answers, {title} as group",
            partial(_unpivot, label, tuple(parts), 0),
        ),
    )
    sentence = f"The columns {listed} all hold numbers of people: are they the answers?"
    return Check("crosstab", sentence, offers, f"No: {title} has the answers")


def _holds_people(reading: Reading, column: int) -> bool:
    if not reading.file.is_numeric(column) or is_no_number_of_people(reading.file.names[column]):
        return False
    found = reading.numbers(column)
    return all(number >= 0 and number.is_integer() for number in found)


def _is_sum(reading: Reading, column: int, columns: list[int]) -> bool:
    """Whether a column is the sum of the others in every row."""
    others = [reading.numbers(at) for at in columns if at != column]
    own = reading.numbers(column)
    if len(others) < 2 or any(len(each) != len(own) for each in others) or not any(own):
        return False
    return all(sum(row) == number for number, *row in zip(own, *others, strict=True))


def _unpivot(label: int, parts: tuple[int, ...], group: int | None, reading: Reading) -> Reading:
    """A row for each cell: its row's label, its column's name, its number of people."""
    names = ", ".join(text_sql(reading.file.names[at]) for at in parts)
    cells = ", ".join(f"c{at}" for at in parts)
    columns = (f"c{label}", f"unnest([{names}])", f"unnest([{cells}])")
    layout = replace(reading.layout, answer=1, count=2, group=group, others=())
    titles = (reading.file.names[label], "answer", "people")
    found = reading.derive(columns, titles, layout)
    totals = tuple(dict.fromkeys(cell for cell in found.file.cells(0) if is_total(cell)))
    return leave_out(0, totals, found)


def people_column(reading: Reading) -> Check | None:
    """A column that would be people, and may be an identifier or a measure."""
    layout, count = reading.layout, reading.layout.count
    if count is None or not (found := reading.numbers(count)):
        return None
    mean, name = sum(found) / len(found), reading.file.names[count]
    is_weight = normalize_name(name) in _WEIGHTS
    called = count == find_column(reading.file.names, "count") and not may_number_rows(name)
    decimals = any(not number.is_integer() for number in found)
    repeats = layout.group is None and reading.file.repeats(layout.answer)
    odd = is_no_number_of_people(name) or _is_one_of_many(reading, count)
    far = mean >= _MEAN_MAX and (is_weight or ((decimals or repeats) and not called))
    if not (odd or far or (mean >= _GUESS_MAX and not called)):
        return None
    return Check(
        "people",
        f"The column {reading.name(count)} would make {count_text(len(found), 'row', 'rows')} "
        f"{count_text(round(sum(found)), 'person', 'people')}, {mean:,.0f} a row: does it say "
        "how many people there are?",
        (
            Offer(
                "rows",
                "No: each row is one person",
                f"the column {reading.name(count)} is not people; each row is one person",
                lambda read: replace(read, layout=replace(read.layout, count=None)),
            ),
        ),
        "Yes: numbers of people",
    )


def _is_one_of_many(reading: Reading, count: int) -> bool:
    """Whether a column only sounds like people, beside two or more that could be it as well."""
    others = [at for at in range(len(reading.file.names)) if at != count]
    able = [at for at in others if reading.file.is_numeric(at) and _may_be_people(reading, at)]
    return (
        len(able) > 1
        and reading.layout.answer is not None
        and not is_named(reading.file.names[count], "count")
    )


def _may_be_people(reading: Reading, column: int) -> bool:
    is_other = is_no_number_of_people(reading.file.names[column])
    return not is_other and min(reading.numbers(column), default=-1) >= 0


def shares(reading: Reading) -> Check | None:
    """Percentages or parts of one instead of people."""
    count = reading.layout.count
    if count is None:
        count = _percent_column(reading)
    if count is None:
        return None
    cells = reading.file.cells(count)
    bare = [cell.removesuffix("%").strip() for cell in cells]
    mark = numbers.detect_mark(bare) or "."
    found = [number for cell in bare if (number := numbers.parse_number(cell, mark)) is not None]
    total = sum(found)
    signed = any(cell.endswith("%") for cell in cells)
    parts = any(not number.is_integer() for number in found)
    sums = any(abs(total - whole) <= off for whole, off in _SHARES.items())
    if not total or not (signed or (parts and sums)):
        return None

    def of(people: int) -> Offer:
        remark = f"shares of {count_text(people, 'person', 'people')}"
        return Offer(str(people), "", remark, partial(_shares_of, count, people / total))

    return Check(
        "shares",
        f"The column {reading.name(count)} holds shares that add up to {total:,.4g}"
        f"{' %' if signed else ''}, not people: of how many people are they?",
        (),
        of_people=of,
    )


def _percent_column(reading: Reading) -> int | None:
    """The column of percentages beside answers that differ."""
    file, answer = reading.file, reading.layout.answer
    if answer is None or file.repeats(answer):
        return None
    columns = [at for at in range(len(file.names)) if at != answer and file.cells(at)]
    signed = [at for at in columns if all(cell.endswith("%") for cell in file.cells(at))]
    return signed[0] if len(signed) == 1 else None


def _shares_of(count: int, factor: float, reading: Reading) -> Reading:
    reading = replace(reading, layout=replace(reading.layout, count=count))
    bare = f"trim(replace(c{count}, '%', ''))"
    mark = reading.layout.mark or "."
    return with_number(reading, count, f"({numbers.number_sql(bare, mark)}) * {factor!r}")


def with_number(reading: Reading, column: int | None, sql: str) -> Reading:
    """The reading with another number, as SQL, in a column."""
    mark = reading.layout.mark or "."
    text = f"CAST({sql} AS VARCHAR)"
    columns = reading.sql_of()
    columns[column or 0] = f"replace({text}, '.', ',')" if mark == "," else text
    return reading.derive(columns, reading.file.names, reading.layout)


def hidden_counts(reading: Reading) -> Check | None:
    """Cells such as “<5” or “*” where official tables hide a number of people."""
    count, answer = reading.layout.count, reading.layout.answer
    if count is None or answer is None:
        return None
    rows = [row for row in reading.file.rows if re.fullmatch(_HIDDEN, row[count])]
    if not rows or reading.file.repeats(answer):
        return None
    cells = tuple(dict.fromkeys(row[count] for row in rows))
    listed = ", ".join(f"“{cell}”" for cell in cells[:4])

    def of(people: int) -> Offer:
        read = {cell: str(people) for cell in cells}
        remark = f"{listed} read as {count_text(people, 'person', 'people')}"
        label = "Keep these answers, with 0 people"
        return Offer(str(people), label, remark, lambda each: each.with_cells(count, read))

    return Check(
        "hidden-counts",
        f"{count_text(len(rows), 'row has', 'rows have')} no number of people but {listed}, such "
        f"as “{rows[0][answer]}”. Left out, these answers are missing: how many people gave each?",
        (replace(of(0), name="zero"),),
        "Leave these rows out",
        of,
        "People who gave each",
    )


def thousands(reading: Reading) -> Check | None:
    """People such as 1.234 beside degrees whose decimals have the same mark."""
    count, mark = reading.layout.count, reading.layout.mark or "."
    if count is None or reading.layout.latitude is None:
        return None
    cells = reading.file.cells(count)
    unclear = [cell for cell in cells if numbers.detect_mark([cell]) is None and mark in cell]
    if not unclear or numbers.detect_mark(cells) is not None:
        return None

    def whole(read: Reading) -> Reading:
        return with_number(read, count, f"replace(c{count}, '{mark}', '')")

    return Check(
        "thousands",
        f"The column {reading.name(count)} has numbers such as {unclear[0]}: is that "
        f"{unclear[0].replace(mark, '')}?",
        (Offer("whole", "Yes: thousands", "marks in numbers of people read as thousands", whole),),
        "No: decimals",
    )


def several_points(reading: Reading) -> Check | None:
    """Features with several points and one number of people."""
    names, layout = reading.file.names, reading.layout
    if POINTS_COLUMN not in names or layout.latitude is None:
        return None
    column = names.index(POINTS_COLUMN)
    points = len(reading.file.cells(column))
    return Check(
        "several-points",
        f"{points:,} points belong to features of several points: does the number of people hold "
        "for all points of a feature together?",
        (
            Offer(
                "once",
                "Yes: count it once",
                "people of several points counted once, in equal parts",
                partial(_share_points, column),
            ),
        ),
        "No: for each point",
    )


def _share_points(column: int, reading: Reading) -> Reading:
    """The people of a feature in equal parts at its points."""
    layout, mark = reading.layout, reading.layout.mark or "."
    points = f"coalesce(TRY_CAST(c{column} AS DOUBLE), 1)"
    if layout.count is None:
        reading = replace(reading, layout=replace(layout, count=column))
        return with_number(reading, column, f"1 / {points}")
    people = numbers.number_sql(f"c{layout.count}", mark)
    return with_number(reading, layout.count, f"({people}) / {points}")
