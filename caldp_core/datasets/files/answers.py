"""Answers of a file, counted as they are read, and which rows are not counted, and why.

People of a row: one, a count or a weight; sums are exact, and rounded to people at the end.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from caldp_core.basics.errors import CaldpError, count_text, excerpt, require
from caldp_core.basics.files import parse_int, unescape_formula
from caldp_core.basics.limits import N_MAX, OWN_ANSWERS_MAX, OWN_NAME_MAX, OWN_QUESTIONS_MAX
from caldp_core.basics.types import Progress, no_progress, turn_of
from caldp_core.datasets.base_map import named_areas
from caldp_core.datasets.files import numbers
from caldp_core.datasets.files.area_names import areas_by_country
from caldp_core.datasets.files.layout_detection import DetectedFile, Layout
from caldp_core.datasets.files.numbers import WORDS, NumberSteps, default_width
from caldp_core.datasets.files.table import REJECTS_MAX, Reader
from caldp_core.datasets.own import READING_MAX, OwnSurvey, OwnTable, one_line
from caldp_core.domain.orders import natural_order

_REASONS: Final[Mapping[str, dict[str, str]]] = WORDS["reasons"]
_WHY: Final = _REASONS["rejected"]
_OPEN_QUOTE: Final = "UNQUOTED VALUE"


def reasons(kind: str) -> dict[int, str]:
    """Why rows of "answers" or "places" are not counted, by their code."""
    texts = _REASONS["all"] | _REASONS[kind]
    return {int(code): text.format(most=f"{N_MAX:,}") for code, text in texts.items()}


@dataclass(frozen=True)
class RefusedRows:
    """`rows` in all; `reasons` with how many rows each; `example`: the first that is refused."""

    rows: int
    reasons: tuple[tuple[str, int], ...] = ()
    example: str = ""

    @property
    def count(self) -> int:
        """How many rows are not counted."""
        return sum(times for _, times in self.reasons)

    def describe(self) -> str:
        """What is refused, as sentences; empty where nothing is."""
        if not self.count:
            return ""
        why = "; ".join(f"{times:,} with {reason}" for reason, times in self.reasons)
        rows = count_text(self.rows, "row", "rows")
        verb = "are"
        if self.count == 1 or self.rows == 1:
            verb = "is"
        sentence = f"{self.count:,} of {rows} {verb} not counted: {why}."
        if self.example:
            sentence += f" The first is {self.example}."
        return sentence


_NO_ID: Final = 9
_ABOVE_CAP: Final = 10
_BY_MODEL: Final = 100
"""Codes of rows that are not counted because of whose they are."""


def with_people_sql(rows_sql: str, layout: Layout) -> str:
    """SQL of all rows, refused where no id says whose they are and above the cap of each person.

    `rows_sql`: with `code`, 0 where nothing is wrong. The rows that are kept of a person are drawn
    by the MD5 sum of their numbers in the file: always the same ones, whatever is in them.
    """
    if layout.people_column is None:
        return rows_sql
    named = f"SELECT *, trim(coalesce(c{layout.people_column}, '')) AS person FROM ({rows_sql})"
    above = ""
    # Rows with nothing wrong come first, so that what is refused takes no place below the cap.
    if layout.cap:
        lot = "md5_number_lower(concat('cap ', row_number() OVER ())) AS lot"
        place = "row_number() OVER (PARTITION BY person ORDER BY code <> 0, lot) AS place"
        named = f"SELECT *, {place} FROM (SELECT *, {lot} FROM ({named}))"
        above = f"WHEN place > {layout.cap} THEN {_ABOVE_CAP} "
    code = f"CASE WHEN code <> 0 THEN code WHEN person = '' THEN {_NO_ID} {above}ELSE 0 END"
    return f"SELECT * REPLACE ({code} AS code) FROM ({named})"


def people_of_rows(reader: Reader, rows_sql: str, layout: Layout) -> tuple[int, ...]:
    """How many people the rows are of, and the median and largest number of rows of one of them.

    Without a column of ids (). `rows_sql`: as `with_people_sql` writes it.
    """
    if layout.people_column is None:
        return ()
    by_person = f"SELECT count(*) AS k FROM ({rows_sql}) WHERE code = 0 GROUP BY person"
    ((people, median, most),) = reader.fetch_rows(
        f"SELECT count(*), quantile_disc(k, 0.5), max(k) FROM ({by_person})"
    )
    # Of nobody the median and the largest number are NULL.
    return int(people), int(median or 0), int(most or 0)


def find_refused_rows(
    reader: Reader,
    file: DetectedFile,
    layout: Layout,
    *,
    rows_sql: str,
    codes: Iterable[tuple[int, int]],
    words: Mapping[int, str],
) -> RefusedRows:
    """The rows of the last query that DuckDB rejected or whose `code` says what is wrong.

    `rows_sql`: SQL of all rows with `code` (0: nothing wrong) and the columns; `codes`: each with a
    number of rows, perhaps several times; `words`: what each means. Raises `CaldpError` for a
    quotation mark that opens and never closes.
    """
    # 1. What was read, and is not counted.
    times_of = Counter[int]()
    for code, times in codes:
        times_of[code] += times
    reasons = [(words[code], times) for code, times in sorted(times_of.items()) if code]
    total = times_of.total()

    # 2. What DuckDB could not read as a row of this table.
    first: tuple[int, str] | None = None
    for why, times, line, text in reader.rejected_rows():
        if why == _OPEN_QUOTE and "\n" in text.strip("\r\n"):
            raise CaldpError(
                f"Line {line:,} of {excerpt(file.table.source.name)}: a quotation mark opens there "
                "and does not close on that line; close it, or take it out."
            )
        reason = _WHY.get(why, why.lower())
        if times >= REJECTS_MAX:
            reason += " (and perhaps more)"
        reasons.append((reason, times))
        total += times
        if first is None or (line, text) < first:
            first = (line, text)

    # 3. The first of both as an example, by its line in the file.
    skipped = 0
    dialect = file.table.dialect
    if dialect is not None:
        skipped = dialect.skip_with_header if layout.header else dialect.skip
    # Rows that a person has left out, or a model, are named elsewhere.
    unnamed = [code for code in times_of if code and code < _BY_MODEL]
    if any(times_of[code] for code in unnamed if code not in (_NO_ID, _ABOVE_CAP)):
        first = _first_refused(reader, file, rows_sql, skipped, first)
    example = ""
    if first is not None:
        line, text = first
        example = f"line {line:,}, {excerpt(' '.join(text.split()))}"
    return RefusedRows(total, tuple(reasons), example)


def _first_refused(
    reader: Reader, file: DetectedFile, rows_sql: str, start: int, other: tuple[int, str] | None
) -> tuple[int, str]:
    """The first row with something wrong: its line, if no cell before holds several, and itself."""
    shown_columns = range(min(file.table.width, 10))
    cells = ", ".join(f"coalesce(c{column}, '')" for column in shown_columns)
    ((line, text),) = reader.fetch_rows(
        f"SELECT line, text FROM (SELECT row_number() OVER () AS line, code, "
        f"concat_ws(' | ', {cells}) AS text FROM ({rows_sql})) "
        f"WHERE code BETWEEN 1 AND {_BY_MODEL - 1} LIMIT 1"
    )
    found = (start + int(line), str(text))
    if other is None:
        return found
    return min(found, other)


UNIT: Final = 1_000_000
"""Parts of a person in which weights are added up: whole numbers, so that no order matters."""


def sum_sql(layout: Layout) -> str:
    """SQL of the sum of people `n`, in parts, of rows with nothing wrong (`code` 0)."""
    if layout.count is None:
        return f"count(*) * {UNIT}"
    return f"coalesce(sum(CASE WHEN code = 0 THEN CAST(round(n * {UNIT}) AS BIGINT) END), 0)"


def part_sql(layout: Layout) -> str:
    """SQL of a cell that says a part of a person, such as 1.5; NULL where all are whole."""
    if layout.count is None:
        return "NULL"
    return f"any_value(c{layout.count}) FILTER (n <> floor(n))"


def round_to_people(parts: Sequence[int]) -> list[int]:
    """Whole people of each sum, which add up to the rounded sum of all: by largest remainders.

    Of equal remainders the larger sum comes first, so that the order of answers plays no part.
    """
    people = [part // UNIT for part in parts]
    missing = (sum(parts) + UNIT // 2) // UNIT - sum(people)
    by_remainder = sorted(
        range(len(parts)), key=lambda place: (-(parts[place] % UNIT), -parts[place])
    )
    for place in by_remainder[:missing]:
        people[place] += 1
    return people


Cells: TypeAlias = tuple[tuple[int, str], ...]
"""Cells by column."""
_SPELLINGS: Final = 5
"""Different cells that may spell one answer, with other spaces."""
_WORDS: Final = reasons("answers")


@dataclass(frozen=True, kw_only=True)
class CountedFile:
    """What all counts of a file say: rows not among them, and whether weights were rounded.

    `met`: by column cells that are counted, and that checks have not seen in the first rows.
    """

    refused: RefusedRows
    rounded: bool = False
    met: Cells = ()


@dataclass(frozen=True)
class CountedAnswers(CountedFile):
    """Counted answers.

    `clamped_rows`: rows whose number lies beyond the steps, and is counted in the first or last of
    them. `off_map`: people whose area is not on the map.
    """

    table: OwnTable
    clamped_rows: int = 0
    off_map: int = 0


def count_answers(
    file: DetectedFile, layout: Layout, title: str, progress: Progress = no_progress
) -> CountedAnswers:
    """Count the people of a file by answer, and by answer and group where there is one.

    With one row for each, answers are in the order of the file; else in their natural order if they
    have one (numbers, "10-20k", "District 2"), else the commonest first, within groups by their
    names. With `layout.steps` all steps are answers, in their order, the empty ones included. An
    answer that is in several groups is called "answer; group". With `layout.areas` answers are the
    areas, each once, and those that are not on the map are left out. Raises `CaldpError` for too
    many answers, and for a file without any.
    """
    # 1. The rows are read once, and added up by answer and group; then it is known which of them
    # are refused, and why.
    layout.check_complete(file, "answer")
    if layout.steps is not None:
        layout.steps.check()
    read = _rows_sql(file, layout)
    coded = with_people_sql(read, layout)
    words = dict(_WORDS)
    for number, reason in enumerate(layout.reasons):
        words[_BY_MODEL + number] = reason
    with file.table.open_reader() as reader:
        sums = reader.fetch_rows(_sums(coded, layout), progress=progress)
        _require_few(len(sums), OWN_ANSWERS_MAX * _SPELLINGS)
        codes = [(code, rows) for code, _, _, rows, *_ in sums]
        refused = find_refused_rows(reader, file, layout, rows_sql=read, codes=codes, words=words)
        of_people = people_of_rows(reader, coded, layout)

    # 2. What the sums of rows with nothing wrong say together.
    is_records = layout.count is None
    rounded = False
    whole = True
    clamped = 0
    for code, _, _, rows, _, part, _, are_whole, beyond, *_ in sums:
        if code != 0:
            continue
        is_records |= rows > 1
        rounded |= bool(part)
        whole &= bool(are_whole)
        clamped += int(beyond)

    # 3. Answers are spelled in one way, become areas or steps if they should, and get an order.
    pairs = _pairs(sums)
    people = sum(pairs.values())
    met = _met(file, layout, sums)
    if layout.areas:
        layout = _with_further_areas(layout, [answer for answer, _ in pairs])
        areas = dict(layout.areas)
        pairs = _by_area(pairs, areas)
        # A name that is on the map needs no check.
        met = tuple((column, cell) for column, cell in met if not areas.get(normalize_spaces(cell)))
    if layout.steps is not None:
        pairs = _people_by_step(pairs, layout.steps, whole)
        order = list(pairs)
    elif is_records:
        order = _order(pairs)
    else:
        order = list(pairs)

    # 4. The table, and the people who are not in it as their area is not on the map.
    _require_two([answer for answer, _ in order], refused)
    table = _table(pairs, order, layout, title)
    table = replace(table, person_rows=of_people, unit=layout.unit, cap=layout.cap)
    off_map = (people + UNIT // 2) // UNIT - sum(table.counts)
    return CountedAnswers(table, clamped, off_map, refused=refused, rounded=rounded, met=met)


def _met(file: DetectedFile, layout: Layout, sums: list[tuple[Any, ...]]) -> Cells:
    """Counted cells that the first rows of a long file lack.

    Of answers and groups all, of steps the least and the largest number of each, of people one that
    is not whole.
    """
    # An answer that is put together of several columns is a cell of none of them.
    answer = layout.answer
    if layout.crossed:
        answer = None
    seen = {}
    for column in (answer, layout.group, layout.count):
        if column is not None:
            seen[column] = set(file.cells(column))
    met: dict[tuple[int, str], None] = {}
    for code, _, group, _, _, part, *_, low, high in sums:
        if code != 0:
            continue
        cells = ((answer, low), (answer, high), (layout.group, group), (layout.count, part))
        for column, cell in cells:
            if column is None or not cell:
                continue
            text = " ".join(cell.split())
            if text not in seen[column]:
                met[column, text] = None
    return tuple(met)


def _with_further_areas(layout: Layout, names: Sequence[str]) -> Layout:
    """The layout with areas for those of `names` that it does not know yet."""
    known = dict(layout.areas)
    found = areas_by_country([*known, *names]).get(layout.areas_of, {})
    further = {name: area.key for name, area in found.items()}
    return replace(layout, areas=tuple((further | known).items()))


def _by_area(
    pairs: dict[tuple[str, str], int], areas: Mapping[str, str]
) -> dict[tuple[str, str], int]:
    """People, in parts, by the key of an area and its group, without those not on the map.

    Groups are the file's own where each area is in one, else parts of a country, or countries.
    """
    people = Counter[str]()
    groups_of = defaultdict[str, set[str]](set)
    for (cell, group), parts in pairs.items():
        area = areas.get(cell)
        if area:
            people[area] += parts
            groups_of[area].add(group)

    has_own_groups = all(len(groups) == 1 and "" not in groups for groups in groups_of.values())
    shipped = named_areas()
    group_of = {}
    for area, groups in groups_of.items():
        if has_own_groups:
            group_of[area] = min(groups)
        elif area in shipped:
            group_of[area] = shipped[area].part
        else:
            group_of[area] = ""

    # One group for all, or one for each area, says nothing.
    if not 1 < len(set(group_of.values())) < len(groups_of):
        group_of = dict.fromkeys(groups_of, "")
    return {(area, group_of[area]): parts for area, parts in people.items()}


def _rows_sql(file: DetectedFile, layout: Layout) -> str:
    """SQL of all rows: a (answer), g (group), n (people), code (what is wrong), and the columns."""
    people = "1.0"
    if layout.count is not None:
        people = numbers.number_sql(f"c{layout.count}", layout.mark or ".")
    group = "''"
    no_group = "FALSE"
    if layout.group is not None:
        group = _trimmed_sql(layout.group)
        no_group = "g = ''"
    answer = _answer_sql(layout)
    steps = "0 AS v, 0 AS unbound, 0 AS step"
    if layout.steps is not None:
        steps = numbers.steps_sql(f"c{layout.answer}", layout.steps, layout.mark or ".")
    left_out = f"WHEN {left_out_sql(layout)} THEN 8 {_reason_sql(layout)}"
    return (
        f"SELECT *, CASE {left_out}WHEN a = '' THEN 1 "
        f"WHEN step IS NULL THEN 7 WHEN {no_group} THEN 2 "
        f"WHEN n IS NULL THEN 5 WHEN NOT (n >= 0 AND n <= {N_MAX}) THEN 6 ELSE 0 END AS code FROM "
        f"(SELECT *, {answer} AS a, {group} AS g, {people} AS n, {steps} "
        f"FROM {file.table.relation_sql(bool(layout.header))})"
    )


def _reason_sql(layout: Layout) -> str:
    """SQL of the code of why a row is not counted by the model of its table; "" without one."""
    if layout.reason is None:
        return ""
    found = []
    for number, reason in enumerate(layout.reasons):
        text = reason.replace("'", "''")
        found.append(f"WHEN c{layout.reason} = '{text}' THEN {_BY_MODEL + number} ")
    return "".join(found)


def left_out_sql(layout: Layout) -> str:
    """SQL of whether a row is left out by one of its cells."""
    tests = []
    for column, cell in layout.left_out:
        text = cell.replace("'", "''")
        tests.append(f"{numbers.single_spaced_sql(f'c{column}')} = '{text}'")
    return f"coalesce({' OR '.join(tests) or 'FALSE'}, FALSE)"


def _answer_sql(layout: Layout) -> str:
    """SQL of the answer, with those of crossed columns; empty where one of them is."""
    parts = [_trimmed_sql(column) for column in (layout.answer, *layout.crossed)]
    missing = " OR ".join(f"{part} = ''" for part in parts)
    return f"CASE WHEN {missing} THEN '' ELSE concat_ws(', ', {', '.join(parts)}) END"


def _trimmed_sql(column: int | None) -> str:
    return f"trim(coalesce(c{column}, ''), ' \t\r\n\u00a0')"


def _sums(rows_sql: str, layout: Layout) -> str:
    """SQL of sums by code, answer and group.

    Rows, people in parts, the cell of a part of a person, first row, whether whole numbers, rows
    beyond steps, the cells of the least and the largest number.
    """
    # The order of rows is that of answers where each has one row of its own, with its people.
    row = "0"
    people = ""
    if layout.count is not None:
        row = "row_number() OVER ()"
        people = f"c{layout.count}, "
    # Of steps the ends are looked at, of other answers all: each is its own least and largest.
    answer, low, high = "a", "a", "a"
    if layout.steps is not None:
        answer, low, high = "step::VARCHAR", "arg_min(cell, v)", "arg_max(cell, v)"
    return (
        f"SELECT code, a, g, count(*), {sum_sql(layout)}, {part_sql(layout)}, min(r), "
        f"bool_and(v = floor(v)), count(*) FILTER (step <> unbound), {low}, {high} "
        f"FROM (SELECT *, {row} AS r FROM (SELECT code, n, v, step, unbound, {people}a AS cell, "
        f"CASE code WHEN 0 THEN {answer} ELSE '' END AS a, "
        f"CASE code WHEN 0 THEN g ELSE '' END AS g FROM ({rows_sql}))) GROUP BY code, a, g "
        f"ORDER BY min(r), count(*) DESC, a, g LIMIT {OWN_ANSWERS_MAX * _SPELLINGS + 1}"
    )


def _require_few(answers: int, most: int = OWN_ANSWERS_MAX) -> None:
    require(
        answers <= most,
        f"A table may have up to {OWN_ANSWERS_MAX:,} answers, and there are {answers:,} or more; "
        "choose another column, or put rare ones together.",
    )


def _pairs(sums: list[tuple[Any, ...]]) -> dict[tuple[str, str], int]:
    """People, in parts, by answer and group, spelled with single spaces."""
    pairs: dict[tuple[str, str], int] = {}
    for code, answer, group, _, parts, *_ in sums:
        if code == 0:
            pair = (normalize_spaces(answer), normalize_spaces(group))
            pairs[pair] = pairs.get(pair, 0) + int(parts)
    return pairs


def _people_by_step(
    pairs: dict[tuple[str, str], int], steps: NumberSteps, whole: bool
) -> dict[tuple[str, str], int]:
    """People by step and group, in order: empty steps have 0, so that none is missing.

    Empty if there is not one number.
    """
    if not pairs:
        return {}
    names = numbers.bin_names([int(place) for place, _ in pairs], steps, whole)
    people = {}
    for group in sorted({group for _, group in pairs}):
        for place, name in names.items():
            people[name, group] = pairs.get((str(place), group), 0)
    return people


_AS_TEXT: Final = re.compile(r'^="([^"]*)"$')
"""How spreadsheets are told that a cell such as 01234 is a text."""


def normalize_spaces(text: str) -> str:
    """A text as it is shown: without unseen marks, in composed letters, with single spaces."""
    return unescape_formula(_AS_TEXT.sub(r"\1", one_line(text)))


def _order(pairs: dict[tuple[str, str], int]) -> list[tuple[str, str]]:
    """Of records, group by group, the answers in their natural order, else the commonest first.

    Groups are in the order of numbers or of the alphabet, as ages are.
    """
    people: Counter[str] = Counter()
    for (answer, _), parts in pairs.items():
        people[answer] += parts
    common = [answer for answer, _ in people.most_common()]
    natural = natural_order(common)
    common.sort(key=lambda answer: natural.get(answer, (0.0, 0)))
    rank = {answer: place for place, answer in enumerate(common)}
    are_numbers = all(parse_int(group) is not None for _, group in pairs)

    def place_of(pair: tuple[str, str]) -> tuple[int, str, int]:
        answer, group = pair
        number = 0
        if are_numbers:
            number = parse_int(group) or 0
        return number, group, rank[answer]

    return sorted(pairs, key=place_of)


def _table(
    pairs: dict[tuple[str, str], int], order: list[tuple[str, str]], layout: Layout, title: str
) -> OwnTable:
    """The table of people, in parts, by answer and group, in this order, with names for all."""
    _require_few(len(pairs))
    counts = tuple(round_to_people([pairs[pair] for pair in order]))
    answers = [answer for answer, _ in order]
    groups = [group for _, group in order]
    if not any(groups):
        groups = []

    # Areas are known by their keys, and shown by their names.
    areas: tuple[str, ...] = ()
    if layout.areas:
        areas = tuple(answers)
        answers = _area_names(areas, layout.areas)
    if len(set(answers)) < len(answers):
        answers = [f"{answer}; {group}" for answer, group in order]

    # The record of how the file was read says that names are no longer those of the file.
    reading = [layout.reading] if layout.reading else []
    long = sum(len(answer) > OWN_NAME_MAX for answer in answers)
    if long:
        reading.append(f"{count_text(long, 'answer', 'answers')} cut to {OWN_NAME_MAX} characters")
    text = "; ".join(reading)[:READING_MAX]
    return OwnTable(_short(answers), counts, _short(groups), title, text, areas)


def _area_names(areas: tuple[str, ...], cells: Sequence[tuple[str, str]]) -> list[str]:
    """What areas are called: those of a file by its cells; by keys where two have one name."""
    shipped = named_areas()
    cell_of = {area: cell for cell, area in cells}
    names = [shipped[area].name if area in shipped else cell_of[area] for area in areas]
    times_of = Counter(names)
    unique_names = []
    for area, name in zip(areas, names, strict=True):
        unique_names.append(name if times_of[name] == 1 else area)
    return unique_names


def _short(names: Sequence[str]) -> tuple[str, ...]:
    """Names that are not too long; those that are equal after the cut are numbered."""
    full: dict[str, str] = {}
    for name in names:
        short = name
        if len(name) > OWN_NAME_MAX:
            short = f"{name[: OWN_NAME_MAX - 1].strip()}…"
        number = 1
        while full.setdefault(short, name) != name:
            number += 1
            short = f"{name[: OWN_NAME_MAX - 6].strip()}… {number}"
    by_name = {name: short for short, name in full.items()}
    return tuple(by_name[name] for name in names)


def _require_two(answers: list[str], refused: RefusedRows) -> None:
    """Raise `CaldpError` for fewer than two answers, with the reasons why others do not count."""
    if len(answers) > 1:
        return
    first = excerpt(answers[0]) if answers else "none"
    why = ", ".join(f"{reason} in {times:,}" for reason, times in refused.reasons)
    rows = f" ({why} of {count_text(refused.rows, 'row', 'rows')})" if why else ""
    more = "take a column, or a file, that has more"
    raise CaldpError(f"A table needs two answers, got {first}{rows}; {more}.")


@dataclass(frozen=True)
class CountedQuestions(CountedFile):
    """A survey counted; `refused`: rows that are not counted for the question that has most."""

    survey: OwnSurvey


def count_questions(
    file: DetectedFile, layout: Layout, title: str, progress: Progress = no_progress
) -> CountedQuestions:
    """Count the people of a file by their answer in each of 2 to 10 columns, column by column.

    The columns are the layout's `answer` and `others`; one of more than 30 different numbers is put
    together in steps. Raises `CaldpError` as `count_answers` does.
    """
    layout.check_complete(file, "answer")
    columns = (layout.answer or 0, *layout.others)
    twice = ""
    if len(set(columns)) < len(columns):
        twice = ", one of them twice"
    require(
        2 <= len(columns) <= OWN_QUESTIONS_MAX and not twice,
        f"A survey has 2 to {OWN_QUESTIONS_MAX} different questions, got {len(columns)}{twice}; "
        "choose other columns.",
    )
    counted: list[CountedAnswers] = []
    for number, column in enumerate(columns):
        steps = None
        width = step_width(file, layout, column)
        if width is not None:
            steps = NumberSteps(width)
        # A value may be left out for another question; the row still counts for this one.
        others = {*columns} - {column}
        left_out = [(where, cell) for where, cell in layout.left_out if where not in others]
        own = replace(
            layout,
            answer=column,
            group=None,
            others=(),
            steps=steps,
            areas=(),
            left_out=tuple(left_out),
        )
        within = turn_of(progress, number, len(columns))
        counted.append(count_answers(file, own, file.names[column], within))

    # Rows are not counted for one question and counted for another: the worst one is shown.
    worst = max(counted, key=lambda answers: answers.refused.count)
    reasons = [(f"{why} in “{worst.table.title}”", rows) for why, rows in worst.refused.reasons]
    met: list[tuple[int, str]] = []
    for answers in counted:
        met += answers.met

    # Of how many rows a person has, the largest number over all questions is said.
    survey = OwnSurvey.of(tuple(answers.table for answers in counted), title)
    most = max(counted, key=lambda answers: answers.table.person_rows[-1:])
    return CountedQuestions(
        replace(survey.counted_as(most.table), reading=layout.reading),
        refused=replace(worst.refused, reasons=tuple(reasons)),
        rounded=any(answers.rounded for answers in counted),
        met=tuple(met),
    )


def step_width(file: DetectedFile, layout: Layout, column: int) -> float | None:
    """The width of the steps in which numbers of a column are put together; None for none."""
    if not file.is_numeric(column):
        return None
    return default_width(counted_cells(file, layout, column), layout.mark or ".")


def counted_cells(file: DetectedFile, layout: Layout, column: int) -> list[str]:
    """The cells of a column in the first rows, without empty ones and those that are left out."""
    return [cell for cell in file.cells(column) if (column, cell) not in layout.left_out]
