"""The findings of a table's model as checks: who would be counted twice, and what is hidden.

Tables of up to 20,000 rows are read as a whole; longer ones are records, of which `people.py` looks
for rows that are called a total.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from caldp_core.basics.errors import count_text
from caldp_core.basics.files import csv_text
from caldp_core.datasets.files.answers import left_out_sql
from caldp_core.datasets.files.checks import people, record
from caldp_core.datasets.files.checks.record import (
    Check,
    CheckFunction,
    Joint,
    Offer,
    Reading,
    fetch_rows,
)
from caldp_core.datasets.files.dialect import TableDialect
from caldp_core.datasets.files.layout_detection import mark_beside_thousands
from caldp_core.datasets.files.numbers import WORDS, DecimalMark
from caldp_core.datasets.files.source import source_from_bytes
from caldp_core.datasets.tables.columns import find_columns
from caldp_core.datasets.tables.model import CountTable, Finding, TableModel, read_model

MARKS: Final[tuple[DecimalMark, ...]] = (".", ",")
ROWS_MAX: Final = 20_000
"""Most rows of a table that is read as a whole."""
NAMES: Final = (
    "periods",
    "hidden-counts",
    "parts-of-rows",
    "total-row",
    "levels",
    "bands",
    "bands-inside",
)
"""Findings of the model, by which they are answered."""


OF_RECORDS: Final[Mapping[str, CheckFunction]] = {
    "periods": people.periods,
    "parts-of-rows": people.parts_of_rows,  # first: a row may be the sum of its parts
    "total-row": people.total_row,
}
"""What is looked for in records, places and long files, whose rows are not read as a whole."""


def structure(reading: Reading) -> Joint:
    """The findings of a table of counts, all at once; of other files those of records."""
    rows = table_rows(reading)
    if rows is None:
        return Joint(partial(_see_records, reading))
    layout = reading.layout
    count = layout.count or 0
    cells = [row[count] for row in rows]
    named_columns = []
    for column in (layout.answer, layout.group):
        if column is not None and column != count:
            named_columns.append(column)
    named = tuple(named_columns)
    columns = find_columns(reading.file.names, rows, count, named)
    if layout.answer in columns.beside and not layout.named:
        # A level or region that follows from another label is not an answer.
        layout = replace(layout, answer=columns.labels[0])
        reading = replace(reading, layout=layout)
    table = CountTable(reading.file.names, rows, count, layout.mark or ".", named)
    if layout.mark is None:
        mark = mark_beside_thousands(reading.name(count), cells) or _mark_by_sums(table)
        table = replace(table, mark=mark or ".")
        reading = replace(reading, layout=replace(layout, mark=mark))
    return Joint(partial(_see, reading, table))


def _mark_by_sums(table: CountTable) -> DecimalMark | None:
    """The mark of decimals by which more rows are sums of others; None where neither is."""
    sums: dict[DecimalMark, int] = {}
    for mark in MARKS:
        model = read_model(replace(table, mark=mark), {})
        sums[mark] = sum(level.rows for level in model.levels)
    if sums["."] > sums[","]:
        return "."
    if sums[","] > sums["."]:
        return ","
    return None


def _see_records(reading: Reading, answers: Mapping[str, str]) -> tuple[tuple[Check, ...], Reading]:
    """The checks of records, each on what the answers before have made of the reading."""
    found = []
    for look in OF_RECORDS.values():
        check = look(reading)
        if isinstance(check, Check):
            found.append(check)
            reading = record.answered(check, reading, answers)
    return tuple(found), reading


def table_rows(reading: Reading) -> Sequence[tuple[str, ...]] | None:
    """The rows of a table of counts, as they are written; None of what is not one.

    Rows that an answer has left out before are no part of it.
    """
    layout = reading.layout
    if layout.count is None or layout.answer is None or layout.latitude is not None:
        return None
    if layout.others or layout.steps is not None or layout.header is None:
        return None
    where = f"WHERE NOT {left_out_sql(layout)} LIMIT {ROWS_MAX + 1}"
    found = fetch_rows(reading.file.table, bool(layout.header), where)
    if not found or len(found) > ROWS_MAX:
        return None
    rows = []
    for row in found:
        rows.append(tuple(re.sub(r"\s*[\r\n]\s*", " ", cell or "") for cell in row))
    return rows


def _see(
    reading: Reading, table: CountTable, answers: Mapping[str, str]
) -> tuple[tuple[Check, ...], Reading]:
    """The checks of the model that these answers make, and the reading with them."""
    model = read_model(table, answers)
    checks = tuple(_check_of(finding) for finding in model.findings)
    if not model.changes:
        return checks, replace(reading, model=model)
    return checks, _as_read(reading, table, model)


def _check_of(finding: Finding) -> Check:
    """A finding as a sentence, with an offer for each way to answer it."""
    texts = WORDS["checks"][finding.name]
    offers = []
    for way in finding.ways:
        # To keep all as it is has its own button.
        if way == record.KEEP:
            continue
        values = dict(finding.values)
        if way in texts:
            label, remark = texts[way]
        elif way.startswith("level-"):
            label, remark = texts["level"]
            values["level"] = way.removeprefix("level-")
        else:
            # A way that is a text of the file itself, such as a period.
            label, remark = texts["each"]
            values["way"] = way
        label, remark = label.format(**values), remark.format(**values)
        offers.append(Offer(way, label, remark, _unchanged))
    check = Check(
        finding.name,
        texts["sentence"].format(**finding.values),
        tuple(offers),
        texts["keep"].format(**finding.values),
        asks=finding.asks,
        effect=finding.effect,
    )
    if not finding.takes_number:
        return check
    listed = str(finding.values["listed"])
    return replace(
        check,
        of_people=partial(_number_of_people, listed),
        people_label="People in each of these rows",
    )


def _unchanged(reading: Reading) -> Reading:
    """The reading: a model applies the answers to all of its findings together."""
    return reading


def _number_of_people(listed: str, people: int) -> Offer:
    remark = f"{listed} read as {count_text(people, 'person', 'people')} each"
    return Offer(str(people), "", remark, _unchanged)


def _as_read(reading: Reading, table: CountTable, model: TableModel) -> Reading:
    """The reading of the same rows, with a further column that says why one is not counted."""
    # 1. The rows that were looked at, with what the model has found of them.
    rows = []
    for number, row in enumerate(table.rows):
        cells = list(row)
        if number in model.values:
            cells[table.people] = f"{model.values[number]:.0f}"
        rows.append((*cells, model.reasons[number]))
    # 2. Rows that were left out before, and are counted as such: the model has not seen them.
    file = reading.file
    width = len(table.titles)
    if reading.layout.left_out:
        where = f"WHERE {left_out_sql(reading.layout)}"
        for row in fetch_rows(file.table, bool(reading.layout.header), where):
            rows.append((*(cell or "" for cell in row), ""))

    # 3. All of them as a file of their own, in memory, and the first ones that checks look at.
    source = source_from_bytes(csv_text(rows).encode(), file.table.source.name)
    plain = TableDialect(",", width + 1, 0, 0)
    as_text = replace(
        file.table, source=source, dialect=plain, names=(), reader="", derived=(), met=b""
    )
    reasons = tuple(sorted({reason for reason in model.reasons if reason}))
    layout = replace(reading.layout, header=False, reason=width, reasons=reasons)
    first_rows = []
    for row in rows:
        if not row[width]:
            first_rows.append(tuple(" ".join(cell.split()) for cell in row))
    names = (*file.names, "not counted, as it is")
    read = replace(file, table=as_text, names=names, rows=tuple(first_rows[: record.ROWS]))
    return Reading(read, layout, model)
