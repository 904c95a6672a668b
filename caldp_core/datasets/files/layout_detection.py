"""The layout of a file, detected, also by names in the usual languages: header, roles of columns.

What can't be detected is None, and people are asked.
"""

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from caldp_core.basics.errors import excerpt, require
from caldp_core.basics.types import Floats
from caldp_core.datasets.files import numbers
from caldp_core.datasets.files.maps import MapRequest
from caldp_core.datasets.files.table import Table
from caldp_core.datasets.own import one_line
from caldp_core.datasets.tables.labels import title_says

_OURS: Final = {"count": "estimated people"}
"""Its name in files of ours, which have a `number` of each cell beside it."""
ROLES: Final = {role: frozenset(names.split()) for role, names in numbers.WORDS["names"].items()}
"""Names by what is in the column, in lower case and without accents."""
_ALONE: Final = frozenset(numbers.WORDS["labels"]["alone"].split())
"""Names that mean nothing as a part of a longer one."""
RATES: Final = frozenset(numbers.WORDS["labels"]["rate"].split())
"""Words in names of numbers that no sum makes people of."""
_IDENTIFIER: Final = re.compile(
    r"(?i)\w[\s_-](id|nr\.?|no\.|number|code|uuid)$|\wnummer$|\wnr\.?$|(?-i:[a-z]I[dD])$|^#$"
)
_TIME: Final = re.compile(
    r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}([ T,].*\d{1,2}:\d\d.*)?|[\d.,]+ ?%"
    r"|[A-Z][a-z]{2,8}\.? \d{1,2}, (19|20)\d\d.*"
)
"""Cells of no question: a date, also with the time of day or the month's name, a percentage."""
_UNCLEAR: Final = re.compile(r"[-+]?[1-9]\d{0,2}[.,]\d{3}")
"""A number that may have decimals, or thousands."""
_YEAR: Final = re.compile(r"(19|20)\d\d")
_HELD: Final = re.compile(r"\d[.,]\d|\d ?[°º]|@|://")
"""What cells with places, decimals or addresses hold, and their title does not."""


def normalize_name(name: str) -> str:
    """A name in lower case, without accents, and with one space for all other signs."""
    taken_apart = unicodedata.normalize(
        "NFKD", name[:200].casefold().replace("check-in", "checkin")
    )
    bare = "".join(sign for sign in taken_apart if not unicodedata.combining(sign))
    return " ".join(re.findall(r"\w+", bare.replace("ł", "l")))


def is_named(name: str, role: str) -> bool:
    """True if the name alone says that role."""
    bare = normalize_name(name)
    return bare in ROLES[role] or bare.replace(" ", "").replace("_", "") in ROLES[role]


def is_identifier(name: str) -> bool:
    """True of what numbers or dates a row or a person, such as “Response ID” or “Kundennummer”.

    “Count of ID” is a number of people, as pivot tables call it.
    """
    if re.match(numbers.WORDS["labels"]["count_of"], name.strip()):
        return False
    named = is_named(name, "identifier") or is_named(name, "person")
    return named or _IDENTIFIER.search(name.strip()) is not None


_SERVICES: Final = {
    sign: {sign, *names.split()} for sign, names in numbers.WORDS["services"].items()
}
"""By the name of a column that only one survey service writes all that it adds to the answers."""


def service_columns(names: Sequence[str]) -> list[int]:
    """The columns that a survey service has added, such as SoSci's MODE; elsewhere a question."""
    bare = [normalize_name(name).replace(" ", "") for name in names]
    added = set[str]().union(*(_SERVICES[name] for name in bare if name in _SERVICES))
    return [at for at, name in enumerate(bare) if name in added]


def is_no_number_of_people(name: str) -> bool:
    """True of an identifier, and of what is measured of a person or place: an age, a northing."""
    return is_identifier(name) or is_named(name, "measure") or is_named(name, "period")


def is_lone_letter(name: str, names: Collection[str]) -> bool:
    """True of a title of one letter, unless a pair of places is called so: x and y, e and n."""
    letters = {other.casefold() for other in names if len(other) == 1}
    return len(name) == 1 and letters not in ({"x", "y"}, {"e", "n"})


def is_share(name: str) -> bool:
    """True of a name that says percent or share, such as “in %”; not of “n (%)”."""
    return has_word(name, ROLES["share"]) or ("%" in name and normalize_name(name) != "n")


def has_word(name: str, words: Collection[str]) -> bool:
    """True if one of the words of a name, such as “individualCount”, is among `words`."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", " ", name)
    return not set(words).isdisjoint(re.split(r"[\s_]+", normalize_name(name)))


def may_number_rows(name: str) -> bool:
    """True of a name of people that an identifier may have as well."""
    return normalize_name(name) in {"n", "number", "numero"}


def find_column(names: Sequence[str], role: str) -> int | None:
    """The number of the column with that role: by its whole name, else by a word of it."""
    ours = [at for at, name in enumerate(names) if name == _OURS.get(role)]
    exact = [at for at, name in enumerate(names) if is_named(name, role)]
    beside_lat = role == "longitude" and any(has_word(name, {"lat"}) for name in names)
    known = ROLES[role] - (_ALONE - {"long"} if beside_lat else _ALONE)
    parts = [at for at, n in enumerate(names) if has_word(n, known) and not is_identifier(n)]
    return next(iter([*ours, *exact, *parts]), None)


_SAMPLE: Final = 1_000
_NUMBER_SHARE: Final = 0.6
"""Of the cells of a column of numbers; the others are refused, and reported."""
_HIDDEN_LEAST: Final = 0.25
_REPEATS: Final = 0.5
_CELLS_MIN: Final = 10
_CODE_MAX: Final = 15
"""Digits of a code, such as a ZIP's five."""
_SERIAL_MIN: Final = 4
"""Rows from which 1, 2, 3 … is not taken for people."""
_DEGREES: Final = ("latitude", "longitude")
_FINE_DIGITS: Final = 3
"""Decimals of most degrees."""


@dataclass(frozen=True)
class Layout:
    """How a table is meant: whether its first row is a header, its decimal mark, and its columns.

    Columns are numbers from 0; None: there is none. `header` and `mark` None: not known yet.
    `wanted`: the map to count places on.
    `others`: columns of further questions, beside `answer`, of one survey.
    `steps`: in which numbers of `answer` are put together; None: each answer stands alone.
    `left_out`: by column the cells, with single spaces, whose rows are not counted; `reading`: how
    checks of the file were answered. `areas`: where answers are areas of a map, by cell the area as
    in `OwnTable`, "" for one that is not on the map; `areas_of`: what other names are areas of, as
    `match_names` calls it, "" for none. `person`: the column of ids of people; `unit` and `cap`:
    as in `CountedRows`. `crossed`: columns that make one answer with `answer`. `reason`: a column
    that says of a row why it is not counted, by one of `reasons`; empty where it is. `named`:
    columns of which a user has said what they are.
    """

    header: bool | None
    mark: numbers.DecimalMark | None
    latitude: int | None = None
    longitude: int | None = None
    count: int | None = None
    answer: int | None = None
    group: int | None = None
    cell: int | None = None
    wanted: MapRequest = MapRequest()
    others: tuple[int, ...] = ()
    steps: numbers.NumberSteps | None = None
    left_out: tuple[tuple[int, str], ...] = ()
    reading: str = ""
    areas: tuple[tuple[str, str], ...] = ()
    areas_of: str = ""
    person: int | None = None
    unit: str = ""
    cap: int = 0
    crossed: tuple[int, ...] = ()
    reason: int | None = None
    reasons: tuple[str, ...] = ()
    named: tuple[int, ...] = ()

    @property
    def people_column(self) -> int | None:
        """The column of ids; None also where a row says how many people it stands for."""
        return self.person if self.count is None else None

    def check_complete(self, file: "DetectedFile", *roles: str) -> None:
        """Raise `CaldpError` where a column of `roles`, or how the file is meant, is not known."""
        for role in roles:
            require(
                getattr(self, role) is not None,
                f"No column of {excerpt(file.table.source.name)} is known to be the {role}, got "
                f"{excerpt(' | '.join(file.names))}; name one “{role}”, or say which it is.",
            )
        first = file.rows[0][self.answer or 0] if file.rows else ""
        require(
            self.header is not None,
            f"The first row, {excerpt(first)}, may be a title or an answer; say which (on the "
            "command line by --header or --no-header), or write “answer” above the answers.",
        )
        read = [self.count, self.answer if self.steps is not None else None]
        cells = [row[at] for at in read if at is not None for row in file.rows]
        unclear = next((cell for cell in cells if numbers.detect_mark([cell]) is None), "")
        require(
            self.mark is not None or not cells,
            f"Numbers such as {excerpt(unclear)} may have decimals or thousands; say which (on "
            "the command line by --decimal), or write them in digits alone.",
        )


@dataclass(frozen=True)
class DetectedFile:
    """A file, what it seems to be as `places` and as `answers`, and its first rows.

    `rows`: as texts, without the header if there is one; `names`: of the columns, all different.
    """

    table: Table
    places: Layout
    answers: Layout
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def named_weights(self) -> int | None:
        """The column of people in records, by its name alone: other numbers there are answers."""
        at = self.answers.count
        return at if at == find_column(self.names, "count") else None

    def repeats(self, column: int | None) -> bool:
        """Whether a cell of a column comes twice in the first rows, as in records of people."""
        cells = [] if column is None else self.cells(column)
        return len(set(cells)) < len(cells)

    def cells(self, column: int) -> list[str]:
        """The cells of a column in the first rows, without empty ones."""
        return [row[column] for row in self.rows if row[column]]

    def first_places(self, layout: Layout) -> Floats:
        """(rows, 2) latitude and longitude of the first rows that have both."""
        mark, at = layout.mark or ".", (layout.latitude or 0, layout.longitude or 0)
        read = [[numbers.parse_degrees(row[each], mark) for each in at] for row in self.rows]
        return np.array([each for each in read if None not in each], np.float64).reshape(-1, 2)

    def is_numeric(self, column: int) -> bool:
        """Whether most of the first cells of a column are numbers."""
        known = self._numeric_columns
        if column not in known:
            known[column] = _is_numeric(self.cells(column))
        return known[column]

    @cached_property
    def _numeric_columns(self) -> dict[int, bool]:
        """What `is_numeric` has found: most checks ask it of every column."""
        return {}

    @property
    def has_places(self) -> bool:
        """Whether two columns are called latitude and longitude, or hold decimals of degrees."""
        named = [find_column(self.names, role) is not None for role in _DEGREES]
        at = [each for each in (self.places.latitude, self.places.longitude) if each is not None]
        cells = [cell for each in at for cell in self.cells(each)]
        # Titles that name no place may stand above means and deviations as well.
        digits = _FINE_DIGITS if self.places.header else 1
        fine = [cell for cell in cells if re.search(rf"[.,]\d{{{digits}}}", cell)]
        is_fine = len(at) == 2 and 2 * len(fine) > len(cells) * bool(self.places.header)
        if self.places.header and all(map(_UNCLEAR.fullmatch, cells)):
            is_fine = False  # such as 176,637: people in thousands
        return bool(fine and is_fine) or bool(self.places.header and all(named))


def detect_layouts(table: Table, header: bool | None = None) -> DetectedFile:
    """The detected layouts of a table; `header`: whether it has one, None if not known.

    Raises `CaldpError` for a table without rows.
    """
    with table.open_reader() as reader:
        rows = reader.fetch_rows(f"SELECT * FROM {table.relation_sql(False)} LIMIT {_SAMPLE}")
    sample = [tuple(" ".join((cell or "").split()) for cell in row) for row in rows]
    require(bool(sample), f"There is no row that can be read in {excerpt(table.source.name)}.")
    if table.names:
        titles: tuple[str, ...] | None = table.names
        header = True
    else:
        header = _has_header(sample) if header is None else header
        titles = sample[0] if header else None
        sample = sample[1:] if header else sample
    titles = titles and tuple(map(one_line, titles))
    columns = _columns(sample, table.width)
    names = _unique_titles(titles, table.width)
    if titles is not None and sample:  # an empty column is nothing, whatever it is called
        titles = tuple(t if cells else "" for t, cells in zip(titles, columns, strict=True))
    found = _Sample(columns, titles, header)
    places, answers = found.places(), found.answers()
    if table.dialect is None:  # what has numbers writes them in one way
        places, answers = replace(places, mark="."), replace(answers, mark=".")
    return DetectedFile(table, places, answers, names, tuple(sample))


def detect_again(file: DetectedFile, before: Layout) -> Layout:
    """The layout of answers after cells were changed, opened and asked for as `before`."""
    titles = file.names if before.header else None
    found = _Sample(_columns(file.rows, file.table.width), titles, before.header).answers()
    return replace(found, wanted=before.wanted, steps=before.steps, reading=before.reading)


def _columns(sample: Sequence[Sequence[str]], width: int) -> list[list[str]]:
    """The cells of each column that are not empty."""
    return [[row[at] for row in sample if row[at]] for at in range(width)]


def _unique_titles(titles: Sequence[str] | None, width: int) -> tuple[str, ...]:
    unique: list[str] = []
    for at in range(width):
        title = (titles[at][:60] if titles else "") or f"column {at + 1}"
        unique.append(title if title not in unique else f"{title} (column {at + 1})")
    return tuple(unique)


def _has_header(sample: Sequence[tuple[str, ...]]) -> bool | None:
    """Whether the first row names the columns, None if unknown."""
    first, rest = sample[0], sample[1:]
    columns = _columns(rest, len(first))
    if any(numbers.looks_like_number(cell) for cell in first):
        return _are_codes_of_columns(first) or _names_years(first, columns)
    roles = ROLES if len(first) > 1 else {"answer": ROLES["answer"]}
    if any(is_named(cell, role) for cell in first for role in roles):
        return True
    pairs = list(zip(first, columns, strict=True))
    if any(c and not _HELD.search(cell) and all(map(_HELD.search, c)) for cell, c in pairs):
        return True
    dated = [cell for cell, cells in pairs if are_of_no_question(cells)]
    if dated or any(map(_holds_numbers, columns)):
        return not any(map(_TIME.fullmatch, dated))
    # A column of one choice among several has its title in the rows that chose it.
    if any(cell in cells and ({cell} != {*cells} or len(first) == 1) for cell, cells in pairs):
        return False
    repeat = [c for c in columns if len(c) >= _CELLS_MIN and len(set(c)) <= _REPEATS * len(c)]
    return True if len(first) > 1 and repeat and all(first) else None


def _are_codes_of_columns(first: Sequence[str]) -> bool:
    """Whether a first row has codes of columns, such as of sex, beside a title of the rows."""
    codes = [cell for cell in first if numbers.looks_like_number(cell)]
    has_title = any(title_says(cell, "group", "answer") for cell in first)
    return has_title and len({*codes}) == len(codes) > 1


def _names_years(first: Sequence[str], columns: Sequence[Sequence[str]]) -> bool | None:
    """Whether a first row has years above columns of other numbers; None: perhaps, with one."""
    at = [each for each, cell in enumerate(first) if numbers.looks_like_number(cell)]
    below = [cell for each in at for cell in columns[each]]
    years = sum(_YEAR.fullmatch(cell) is not None for cell in below)
    if len(first) > 1 and [first[each] for each in at] == ["0"] and {*below} - {"0"}:
        return None  # pandas calls sizes of groups so
    is_data = len(at) == len(first) or 2 * years >= len(below)
    if is_data or not all(_YEAR.fullmatch(first[each]) for each in at):
        return False
    return True if len({first[each] for each in at}) > 1 else None


def _is_numeric(cells: Sequence[str]) -> bool:
    """Whether most cells are numbers; codes of one length, some with a leading 0, are names."""
    return _holds_numbers(cells) and not _are_codes(cells)


def _are_codes(cells: Sequence[str]) -> bool:
    length = len(cells[0])
    return (
        1 < length <= _CODE_MAX
        and any(cell.startswith("0") for cell in cells)
        and all(len(cell) == length and cell.isdecimal() for cell in cells)
    )


def are_of_no_question(cells: Sequence[str]) -> bool:
    """Whether most cells are dates, times or percentages."""
    return 2 * sum(_TIME.fullmatch(cell) is not None for cell in cells) > len(cells)


def _holds_numbers(cells: Sequence[str]) -> bool:
    """Whether cells are numbers, but for some that are hidden as official tables do."""
    found = sum(map(numbers.looks_like_number, cells))
    hidden = sum(re.fullmatch(numbers.HIDDEN, cell) is not None for cell in cells)
    return found >= max(1, _NUMBER_SHARE * (len(cells) - hidden), _HIDDEN_LEAST * len(cells))


def _numbers_rows(cells: Sequence[str]) -> bool:
    """Whether cells are 0, 1, 2 … or 1, 2, 3 …: an identifier, not people."""
    first = 0 if cells[:1] == ["0"] else 1
    serial = map(str, range(first, first + len(cells)))
    return len(cells) >= _SERIAL_MIN and list(cells) == list(serial)


def _mark_of_degrees(cells: Sequence[str]) -> numbers.DecimalMark:
    """The decimal mark of degrees, which are never thousands."""
    return "," if {sign for cell in cells for sign in cell if sign in ".,"} == {","} else "."


_WEIGHTS: Final = frozenset(numbers.WORDS["labels"]["weights"].split())
_THOUSANDS_MIN: Final = 3
"""Numbers such as 17,694 in a column of people from which marks are of thousands."""


def mark_beside_thousands(title: str, cells: Sequence[str]) -> numbers.DecimalMark | None:
    """The mark of decimals where all marks in numbers of people are of thousands; else None.

    People are whole, so that 17,694 and 5,725 are thousands; weights such as 1.204 may not be.
    """
    unclear = [cell for cell in cells if numbers.detect_mark([cell]) is None]
    signs = {sign for cell in unclear for sign in cell if sign in ".,"}
    is_large = any(re.match(r"[-+]?\d{2}", cell) for cell in unclear)
    # Beside whole numbers such as 818 and 440 a number such as 1,182 is one as well.
    hundreds = [cell for cell in cells if re.fullmatch(r"[1-9]\d\d", cell.strip())]
    others = [cell for cell in cells if cell not in unclear]
    are_whole = len(hundreds) > 1 and all(cell.strip().isdecimal() for cell in others)
    if len(signs) != 1 or (len(unclear) < _THOUSANDS_MIN - is_large and not are_whole):
        return None
    if not {normalize_name(title)}.isdisjoint(_WEIGHTS):
        return None
    return "." if signs == {","} else ","


def _degrees(cells: Sequence[str]) -> list[float]:
    """The numbers of a column that may be degrees."""
    mark = numbers.detect_mark(cells) or _mark_of_degrees(cells)
    return [number for cell in cells if (number := numbers.parse_number(cell, mark)) is not None]


@dataclass(frozen=True)
class _Sample:
    """The filled cells of each column, and the titles; None without a header."""

    columns: Sequence[Sequence[str]]
    titles: Sequence[str] | None
    header: bool | None

    @property
    def numeric(self) -> list[int]:
        """The columns of numbers."""
        return [at for at, cells in enumerate(self.columns) if _is_numeric(cells)]

    def _called(self, role: str) -> int | None:
        return None if self.titles is None else find_column(self.titles, role)

    def _counts(self) -> int | None:
        """The column of people by its name; one called “n” or “number” may number the rows."""
        pairs = zip(self.titles or (), self.columns, strict=False)
        numeric = [t if any(map(numbers.looks_like_number, c)) else "" for t, c in pairs]
        at = find_column(numeric, "count")
        if self.titles is None or at is None:
            return None
        may_be_serial = may_number_rows(self.titles[at])
        return None if may_be_serial and _numbers_rows(self.columns[at]) else at

    def places(self) -> Layout:
        """Coordinates by name, else by content; without a header perhaps a number of people."""
        at = (self._called("latitude"), self._called("longitude"))
        count = self._counts()
        if None in at:
            at = self._pair()
        if self.titles is None and at in ((0, 1), (1, 0)) and len(self.columns) == 3:
            count = next((each for each in self.numeric if each not in at), None)
        degrees = [cell for each in at if each is not None for cell in self.columns[each]]
        mark = numbers.detect_mark([*degrees, *(self.columns[count] if count is not None else [])])
        mark = mark or (_mark_of_degrees(degrees) if degrees else None)
        cell, person = self._called("cell"), self._called("person")
        return Layout(self.header, mark, *at, count=count, cell=cell, person=person)

    def _pair(self) -> tuple[int | None, int | None]:
        """Latitude and longitude: the only two columns with decimals of degrees.

        Of at most three columns without a header the first two that may be degrees.
        """
        degrees = {at: _degrees(self.columns[at]) for at in self.numeric}
        able = [at for at, found in degrees.items() if all(abs(each) <= 180 for each in found)]
        fine = [at for at in able if any(not number.is_integer() for number in degrees[at])]
        if len(fine) != 2 and self.titles is None and len(self.columns) <= 3:
            fine = able[:2]
        if len(fine) != 2:
            return None, None
        first, second = fine
        beyond = any(abs(number) > 90 for number in degrees[first])
        return (second, first) if beyond else (first, second)

    def answers(self) -> Layout:
        """Answer, count and group by name, else by content: texts before numbers."""
        count, group, answer = self._counts(), self._called("group"), self._called("answer")
        numeric = self.numeric
        if group in numeric and any("." in cell or "," in cell for cell in self.columns[group]):
            group = None  # “Noise in blocks” holds an estimate, no names of blocks
        texts = [at for at, cells in enumerate(self.columns) if cells and at not in numeric]
        if answer is None or self._holds_no_answers(answer):
            other = [at for at in numeric if len(self.columns) == 1 or at != count]
            free = [at for at in (*texts, *other) if at not in (count, group)]
            # A label that is written once for several rows is less filled than the answers.
            filled = [0 if count is None else len(cells) for cells in self.columns]
            ranks = {at: (self._holds_no_answers(at), at in other, -filled[at]) for at in free}
            answer = min(free, key=ranks.__getitem__, default=answer)
        labels = [*{*texts}.difference(service_columns(self.titles or ()))]
        if count is None and answer in numeric and labels:  # a value of each, as offices list
            label = min(labels, key=lambda at: (self._holds_no_answers(at), at))
            count = self._counts_beside(label)
            answer = label if count is not None and count == answer else answer
        elif count is None and answer is not None:
            count = self._counts_beside(answer)
        if self.titles and count is not None and group is not None and answer in numeric:
            is_mean = has_word(self.titles[answer], RATES)  # of each group, which is the answer
            answer, group = (group, None) if is_mean else (answer, group)
        if group is None and count is not None and sum(map(bool, self.columns)) == 3:
            rest = [at for at in texts if at not in (answer, count)]
            # A group of its own for each answer is none: it may be a margin of error.
            names = self.titles or [""] * len(self.columns)
            able = [at for at in rest if not has_word(names[at], RATES)]
            able = [at for at in able if not is_named(names[at], "period")]
            several = [at for at in able if len({*self.columns[at]}) < len(self.columns[at])]
            group = next(iter(rest if self.titles is None else several), None)
        read = numeric if count is None else [count]
        mark = numbers.detect_mark(cell for at in read for cell in self.columns[at])
        if mark is None and count is not None and self.titles is not None:
            mark = mark_beside_thousands(self.titles[count], self.columns[count])
        person = self._called("person")
        return Layout(self.header, mark, answer=answer, count=count, group=group, person=person)

    def _holds_no_answers(self, column: int) -> bool:
        """Whether a column numbers or dates rows, or has percentages or one text alone."""
        cells, titles = self.columns[column], self.titles
        named_so = titles is not None and (
            is_identifier(titles[column])
            or len(set(cells)) < 2
            or column in service_columns(titles)
        )
        return named_so or are_of_no_question(cells)

    def _counts_beside(self, answer: int) -> int | None:
        """The column of counts beside answers that do not repeat: the only one of numbers."""
        titles = self.titles or [""] * len(self.columns)
        able = [
            at for at in self.numeric if at != answer and not is_no_number_of_people(titles[at])
        ]
        others = [at for at in able if not _numbers_rows(self.columns[at])]
        others = [at for at in others if not is_share(titles[at])] or others
        if (named := self._called("answer")) in others:  # “Value” beside codes and footnotes
            others = [named]
        if len(others) != 1 or (self.titles is None and sum(map(bool, self.columns)) > 3):
            return None
        texts = [cells for at, cells in enumerate(self.columns) if at not in others and cells]
        distinct = len(set(zip(*texts, strict=False))) >= _REPEATS * len(self.columns[answer])
        return others[0] if distinct else None
