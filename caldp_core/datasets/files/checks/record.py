"""The records of checks, and the one place that runs them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.files import csv_text
from caldp_core.basics.types import Floats, Progress, no_progress
from caldp_core.datasets.files.dialect import TableDialect
from caldp_core.datasets.files.layout_detection import DetectedFile, Layout
from caldp_core.datasets.files.numbers import WORDS, detect_mark, parse_number, single_spaced_sql
from caldp_core.datasets.files.source import source_from_bytes
from caldp_core.datasets.files.table import Table
from caldp_core.datasets.own import READING_MAX
from caldp_core.datasets.tables.model import TableModel

KEEP: Final = "keep"
"""The answer to a check that leaves the file as it was read."""
ROWS: Final = 5_000
"""First rows of a file that checks look at."""
_PLACES, _PART_BYTES, _LINES = 32, 2**13, 80
"""Most places of a longer text whose lines they look at as well, and bytes and lines of each."""
_TIMES: Final = 3
"""Rows of each cell that counting met."""


def text_sql(text: str) -> str:
    """A text as SQL."""
    return "'" + text.replace("'", "''") + "'"


@dataclass(frozen=True)
class Reading:
    """A file, its first rows, how it is read, and the model of a table of counts."""

    file: DetectedFile
    layout: Layout
    model: TableModel | None = None

    def name(self, column: int | None) -> str:
        """The name of a column, in quotation marks."""
        if column is None:
            return ""
        return f"“{self.file.names[column]}”"

    @cached_property
    def places(self) -> Floats:
        """(rows, 2) latitude and longitude of the first rows that have both, but not 0, 0."""
        if None in (self.layout.latitude, self.layout.longitude):
            return np.zeros((0, 2))
        places = self.file.first_places(self.layout)
        return places[places.any(axis=1)]

    def numbers(self, column: int) -> list[float]:
        """The numbers of a column in the first rows."""
        cells = self.file.cells(column)
        mark = detect_mark(cells) or self.layout.mark or "."
        numbers = []
        for cell in cells:
            number = parse_number(cell, mark)
            if number is not None:
                numbers.append(number)
        return numbers

    def sql_of(self) -> list[str]:
        """SQL of each column, unchanged."""
        return [f"c{column}" for column in range(self.file.table.width)]

    def with_cells(self, column: int, cells: Mapping[str, str]) -> "Reading":
        """The reading with other texts for some cells of a column."""
        text = single_spaced_sql(f"c{column}")
        cases = [f"WHEN {text_sql(cell)} THEN {text_sql(new)}" for cell, new in cells.items()]
        return self.with_sql({column: f"CASE {text} {' '.join(cases)} ELSE c{column} END"})

    def with_sql(self, changed: Mapping[int, str]) -> "Reading":
        """The reading with other SQL for some columns."""
        columns = [changed.get(column, sql) for column, sql in enumerate(self.sql_of())]
        return self.derive(columns, self.file.names, self.layout)

    def derive(self, columns: Sequence[str], names: Sequence[str], layout: Layout) -> "Reading":
        """The reading with other columns, each in SQL of those that are read now, c0, c1, …."""
        table = self.file.table
        table = replace(table, derived=(*table.derived, tuple(columns)))
        file = replace(self.file, table=table, names=tuple(names))
        if len(columns) < self.file.table.width:  # the columns of places are others now
            places = replace(file.places, latitude=None, longitude=None, count=None)
            file = replace(file, places=places)
        return Reading(with_first_rows(file, layout), layout, self.model)


@dataclass(frozen=True)
class Offer:
    """One click: `name` for the command line, `label` on the button, and what it does.

    `remark`: what stands in the record afterwards, which may be shared: it holds no counts.
    """

    name: str
    label: str
    remark: str
    apply: Callable[[Reading], Reading]


@dataclass(frozen=True)
class Check:
    """What a check sees in one file, as one `sentence`, and its offers, the likeliest first.

    `keep`: the label of the button that leaves all as it is. `of_people`: the offer for a number
    that may be typed, where one is needed; `people_label`: what that number is. `asks`: whether
    somebody must say; where nobody must, the first offer is taken, and said. `effect`: people that
    the first offer adds to the number of people, or takes from it.
    """

    name: str
    sentence: str
    offers: tuple[Offer, ...]
    keep: str = "Leave it as it is"
    of_people: Callable[[int], Offer] | None = None
    people_label: str = "People in all"
    asks: bool = True
    effect: float = 0

    def offer(self, answer: str) -> Offer | None:
        """The offer of that name, the first one for ""; None to leave it as it is.

        Raises `CaldpError` for a name that the check does not offer.
        """
        if self.of_people is not None and answer.isdecimal() and int(answer) > 0:
            return self.of_people(int(answer))
        names = [offer.name for offer in self.offers]
        if answer == KEEP or (not answer and not names and self.of_people is None):
            return None
        if not answer and names:
            return self.offers[0]
        if answer in names:
            return self.offers[names.index(answer)]
        ways = list(names)
        if self.of_people is not None:
            ways.append("a number of people")
        ways.append(KEEP)
        raise CaldpError(f"{self.name} is answered by {', '.join(ways)}, got {answer!r}.")


def ask(key: str, *ways: Callable[[Reading], Reading], **values: object) -> Check:
    """The check with the texts of that key, which `values` fill, and an offer for each of `ways`.

    Offers are lists of a label and a remark, in the order of the ways.
    """
    texts = WORDS["checks"][key]
    texts_of_offers = [(way, text) for way, text in texts.items() if isinstance(text, list)]
    offers = []
    for (way, (label, remark)), apply in zip(texts_of_offers, ways, strict=False):
        offers.append(Offer(way, label.format(**values), remark.format(**values), apply))
    return Check(
        texts.get("name", key),
        texts["sentence"].format(**values),
        tuple(offers),
        texts["keep"].format(**values),
    )


@dataclass(frozen=True)
class Joint:
    """Checks that one model sees together, so that an answer to one changes what others say.

    `see(answers)`: the checks that these answers make, and the reading with all of them applied.
    """

    see: Callable[[Mapping[str, str]], tuple[tuple[Check, ...], Reading]]


CheckFunction = Callable[[Reading], Check | Joint | None]


@dataclass(frozen=True)
class Resolved:
    """A reading with all answers applied; `unanswered` checks, and `remarks` on answers by name.

    `told`: checks whose first offer was taken, as nobody must say; of all that are not answered the
    gravest come first.
    """

    reading: Reading
    unanswered: tuple[Check, ...]
    remarks: Mapping[str, str]
    told: tuple[Check, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """The names of all checks that see something."""
        names = {check.name for check in (*self.unanswered, *self.told)}
        return frozenset(names | self.remarks.keys())


def with_first_rows(file: DetectedFile, layout: Layout) -> DetectedFile:
    """The file with as many of its first rows as checks look at, and further ones of a long text.

    Of these those that differ from all before; and those that counting met.
    """
    table = file.table
    found = fetch_rows(table, bool(layout.header), f"LIMIT {ROWS}")

    # A long text is cut anywhere to look further: only where a line is a row.
    if len(found) == ROWS and table.dialect is not None and not _has_line_ends(found):
        further = _further_lines(table)
        if further:
            seen = set(found)
            spread = _fetch_text(table, further, table.dialect)
            found += [row for row in dict.fromkeys(spread) if row not in seen]
    if table.met:
        found += _fetch_text(table, table.met, TableDialect(",", table.own_width, 0, 0))

    # Rows that the model of a table does not count are looked at by nothing else.
    if layout.reason is not None:
        found = [row for row in found if not row[layout.reason]]
    rows = []
    for row in found:
        rows.append(tuple(" ".join((cell or "").split()) for cell in row))
    return replace(file, rows=tuple(rows))


def _has_line_ends(rows: Sequence[tuple[Any, ...]]) -> bool:
    """Whether any cell goes on in a further line."""
    for row in rows:
        if any("\n" in (cell or "") for cell in row):
            return True
    return False


def with_rows_only(
    file: DetectedFile, layout: Layout, only: Sequence[tuple[int, Sequence[str]]]
) -> DetectedFile:
    """The file without rows that have none of the chosen cells in their column.

    Raises `CaldpError` where no row is left.
    """
    tests = []
    chosen = []
    for column, cells in only:
        listed = ", ".join(map(text_sql, cells))
        tests.append(f"coalesce({single_spaced_sql(f'c{column}')} IN ({listed}), FALSE)")
        for cell in cells:
            chosen.append(f"“{cell}” in “{file.names[column]}”")
    table = replace(file.table, where=" AND ".join(tests))
    found = with_first_rows(replace(file, table=table), layout)
    require(bool(found.rows), f"No row has {', '.join(chosen)[:300]}; choose other cells.")
    return found


def fetch_rows(table: Table, header: bool, where: str = "") -> list[tuple[Any, ...]]:
    """Rows of a table, all or by a clause of SQL."""
    with table.open_reader() as reader:
        return reader.fetch_rows(f"SELECT * FROM {table.relation_sql(header)} {where}")


def _fetch_text(table: Table, text: bytes, dialect: TableDialect) -> list[tuple[Any, ...]]:
    """Rows that are written in a text as if they were all of the table."""
    source = source_from_bytes(text, table.source.name)
    dialect = replace(dialect, skip=0, skip_with_header=0)
    return fetch_rows(replace(table, source=source, dialect=dialect), False)


def with_rows_of(file: DetectedFile, header: bool, cells: Sequence[str]) -> DetectedFile | None:
    """The file whose checks look at rows with these cells as well, up to three of each cell.

    None where they do already.
    """
    # Cells are compared as they are read by the first step, and rows kept as the file has them.
    own_table = replace(file.table, derived=())
    read: Sequence[str]
    if file.table.derived:
        read = file.table.derived[0]
    else:
        read = Reading(file, file.answers).sql_of()
    columns = ", ".join(map(single_spaced_sql, read))
    met = f"list_intersect([{', '.join(map(text_sql, cells))}], [{columns}])[1]"
    number = f"row_number() OVER (PARTITION BY {met} ORDER BY {columns})"
    found = fetch_rows(own_table, header, f"WHERE {met} IS NOT NULL QUALIFY {number} <= {_TIMES}")

    further = csv_text(found).encode()
    before = file.table.met
    if {*further.split()} <= {*before.split()}:
        return None
    return replace(file, table=replace(file.table, met=before + further))


def _further_lines(table: Table) -> bytes:
    """Whole lines from all over a text, its last ones included; b"" of other and of short files."""
    end = table.source.size - _PART_BYTES
    places = min(_PLACES, end // (4 * _PART_BYTES))
    lines: list[bytes] = []
    last_line = b""
    with table.source.open() as file:
        for place in range(places):
            file.seek(end * (place + 1) // places)
            part = file.read(_PART_BYTES)
            # The first line of a part and its last one are cut, but at the end of the file.
            lines += part.split(b"\n")[1:-1][-_LINES:]
            last_line = part.rpartition(b"\n")[2]
    return b"\n".join([*lines, last_line])


def resolve(
    file: DetectedFile,
    layout: Layout,
    checks: Sequence[CheckFunction],
    answers: Mapping[str, str],
    progress: Progress = no_progress,
) -> Resolved:
    """Run `checks` in turn, each on what the answers before have made of the reading.

    `answers`: by name of a check that of an offer, "" for its first, or `KEEP`. `progress` receives
    the share that is done before each check. Raises `CaldpError` for an answer that the check does
    not offer.
    """
    if len(file.rows) >= 999:
        file = with_first_rows(file, layout)
    reading = Reading(file, layout)
    unanswered: list[Check] = []
    told: list[Check] = []
    remarks: dict[str, str] = {}
    # 1. Each check looks at what the answers before have made of the reading.
    distinct = list(dict.fromkeys(checks))
    for place, look in enumerate(distinct):
        progress(place / len(distinct))
        seen = look(reading)
        if seen is None:
            continue
        if isinstance(seen, Joint):
            found, after = seen.see(answers)
        else:
            found, after = (seen,), answered(seen, reading, answers)
        for check in found:
            if check.name in answers:
                remarks[check.name] = _remark(check, answers[check.name])
            elif check.asks:
                unanswered.append(check)
            else:
                told.append(check)
        reading = after

    # 2. Of a long file checks have seen a part, which their sentences say.
    if len(reading.file.rows) >= ROWS:
        seen_part = WORDS["labels"]["seen"]
        unanswered = [
            replace(check, sentence=f"{check.sentence} {seen_part}") for check in unanswered
        ]

    # 3. The record says what was answered, and what was taken unasked.
    texts = [reading.layout.reading, *remarks.values()]
    for check in told:
        offer = check.offer("")
        if offer is not None:
            texts.append(offer.remark)
    text = "; ".join(filter(None, texts))
    reading = replace(reading, layout=replace(reading.layout, reading=text[:READING_MAX]))
    return Resolved(reading, tuple(unanswered), remarks, tuple(told))


def answered(check: Check, reading: Reading, answers: Mapping[str, str]) -> Reading:
    """The reading with the answer to a check, or as its first offer would make it.

    What later checks ask is asked under the likeliest answers before them.
    """
    if check.name not in answers and not check.offers:
        return reading
    offer = check.offer(answers.get(check.name, ""))
    if offer is None:
        return reading
    return offer.apply(reading)


def _remark(check: Check, answer: str) -> str:
    """What the record says of an answer."""
    offer = check.offer(answer)
    if offer is None:
        return f"the question “{check.name}” was answered “{check.keep}”"
    return offer.remark
