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

from caldp_core.basics.errors import CaldpError, excerpt, require
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
    ours = _OURS.get(role)
    for column, name in enumerate(names):
        if name == ours:
            return column
    for column, name in enumerate(names):
        if is_named(name, role):
            return column
    # A word such as “x” says nothing inside a longer name; “long” does beside a latitude.
    known = ROLES[role] - _ALONE
    if role == "longitude" and any(has_word(name, {"lat"}) for name in names):
        known = ROLES[role] - (_ALONE - {"long"})
    for column, name in enumerate(names):
        if has_word(name, known) and not is_identifier(name):
            return column
    return None


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
        first = ""
        if file.rows:
            first = file.rows[0][self.answer or 0]
        require(
            self.header is not None,
            f"The first row, {excerpt(first)}, may be a title or an answer; say which (on the "
            "command line by --header or --no-header), or write “answer” above the answers.",
        )

        # The decimal mark matters only where numbers are read: of people, and in steps.
        number_columns = []
        if self.count is not None:
            number_columns.append(self.count)
        if self.steps is not None and self.answer is not None:
            number_columns.append(self.answer)
        if self.mark is not None or not number_columns or not file.rows:
            return
        unclear = ""
        for column in number_columns:
            for row in file.rows:
                if not unclear and numbers.detect_mark([row[column]]) is None:
                    unclear = row[column]
        raise CaldpError(
            f"Numbers such as {excerpt(unclear)} may have decimals or thousands; say which (on "
            "the command line by --decimal), or write them in digits alone."
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
        if self.answers.count == find_column(self.names, "count"):
            return self.answers.count
        return None

    def repeats(self, column: int | None) -> bool:
        """Whether a cell of a column comes twice in the first rows, as in records of people."""
        if column is None:
            return False
        cells = self.cells(column)
        return len(set(cells)) < len(cells)

    def cells(self, column: int) -> list[str]:
        """The cells of a column in the first rows, without empty ones."""
        return [row[column] for row in self.rows if row[column]]

    def labels(self, columns: Collection[int]) -> list[tuple[str, ...]]:
        """The cells of these columns in each of the first rows, empty ones too."""
        found = []
        for row in self.rows:
            found.append(tuple(row[column] for column in columns))
        return found

    def first_places(self, layout: Layout) -> Floats:
        """(rows, 2) latitude and longitude of the first rows that have both."""
        mark = layout.mark or "."
        places = []
        for row in self.rows:
            latitude = numbers.parse_degrees(row[layout.latitude or 0], mark)
            longitude = numbers.parse_degrees(row[layout.longitude or 0], mark)
            if latitude is not None and longitude is not None:
                places.append((latitude, longitude))
        return np.array(places, np.float64).reshape(-1, 2)

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
        has_header = bool(self.places.header)
        if has_header and all(find_column(self.names, role) is not None for role in _DEGREES):
            return True
        latitude, longitude = self.places.latitude, self.places.longitude
        if latitude is None or longitude is None:
            return False
        cells = [*self.cells(latitude), *self.cells(longitude)]
        # Titles that name no place may stand above means and deviations as well, so that most
        # cells must be as fine as degrees are; and 176,637 may be people in thousands.
        digits = 1
        if has_header:
            digits = _FINE_DIGITS
            if all(map(_UNCLEAR.fullmatch, cells)):
                return False
        fine_count = 0
        for cell in cells:
            if re.search(rf"[.,]\d{{{digits}}}", cell):
                fine_count += 1
        if has_header:
            return 2 * fine_count > len(cells)
        return fine_count > 0


def detect_layouts(table: Table, header: bool | None = None) -> DetectedFile:
    """The detected layouts of a table; `header`: whether it has one, None if not known.

    Raises `CaldpError` for a table without rows.
    """
    with table.open_reader() as reader:
        rows = reader.fetch_rows(f"SELECT * FROM {table.relation_sql(False)} LIMIT {_SAMPLE}")
    sample = []
    for row in rows:
        sample.append(tuple(" ".join((cell or "").split()) for cell in row))
    require(bool(sample), f"There is no row that can be read in {excerpt(table.source.name)}.")

    # Titles: those that the format itself has, else the first row, if it is a header.
    titles: tuple[str, ...] | None = None
    if table.names:
        titles = table.names
        header = True
    else:
        if header is None:
            header = _has_header(sample)
        if header:
            titles = sample[0]
            sample = sample[1:]
    if titles:
        titles = tuple(map(one_line, titles))
    columns = _columns(sample, table.width)
    names = _unique_titles(titles, table.width)

    # An empty column has no role, whatever it is called.
    if titles is not None and sample:
        titles = tuple(t if cells else "" for t, cells in zip(titles, columns, strict=True))
    found = _Sample(columns, titles, header)
    places, answers = found.places(), found.answers()
    # What is not text, such as Parquet or a workbook, has numbers, and writes them in one way.
    if table.dialect is None:
        places = replace(places, mark=".")
        answers = replace(answers, mark=".")
    return DetectedFile(table, places, answers, names, tuple(sample))


def detect_again(file: DetectedFile, before: Layout) -> Layout:
    """The layout of answers after cells were changed, opened and asked for as `before`."""
    titles = None
    if before.header:
        titles = file.names
    found = _Sample(_columns(file.rows, file.table.width), titles, before.header).answers()
    return replace(found, wanted=before.wanted, steps=before.steps, reading=before.reading)


def _columns(sample: Sequence[Sequence[str]], width: int) -> list[list[str]]:
    """The cells of each column that are not empty."""
    columns = []
    for column in range(width):
        columns.append([row[column] for row in sample if row[column]])
    return columns


def _unique_titles(titles: Sequence[str] | None, width: int) -> tuple[str, ...]:
    """A name for each column: its title, with its number where it has none or has a double's."""
    unique: list[str] = []
    for column in range(width):
        title = ""
        if titles:
            title = titles[column][:60]
        if not title:
            title = f"column {column + 1}"
        if title in unique:
            title = f"{title} (column {column + 1})"
        unique.append(title)
    return tuple(unique)


def _has_header(sample: Sequence[tuple[str, ...]]) -> bool | None:
    """Whether the first row names the columns, None if unknown.

    The surest sign that is there decides, so that the order of the steps matters.
    """
    first, rest = sample[0], sample[1:]
    columns = _columns(rest, len(first))
    pairs = list(zip(first, columns, strict=True))

    # 1. A row with numbers is data, unless these are codes or years as titles.
    if any(numbers.looks_like_number(cell) for cell in first):
        return _are_codes_of_columns(first) or _names_years(first, columns)
    # 2. A known name is a title; in a single column “name” or “sex” may be an answer.
    if _has_known_name(first):
        return True
    # 3. Places, decimals or addresses below a cell that is none of these: it is their title.
    for cell, cells in pairs:
        if cells and not _HELD.search(cell) and all(map(_HELD.search, cells)):
            return True
    # 4. The same for dates and for numbers, if the cells above are no dates.
    dated = [cell for cell, cells in pairs if are_of_no_question(cells)]
    if dated or any(map(_holds_numbers, columns)):
        return not any(map(_TIME.fullmatch, dated))
    # 5. An answer comes again below. A column of one choice among several is no sign of that: it
    # has its title in the rows that chose it.
    for cell, cells in pairs:
        if cell in cells and ({cell} != {*cells} or len(first) == 1):
            return False
    # 6. Where cells below repeat each other, but never the first one, it is a title.
    if len(first) > 1 and all(first):
        for cells in columns:
            if len(cells) >= _CELLS_MIN and len(set(cells)) <= _REPEATS * len(cells):
                return True
    return None


def _has_known_name(first: Sequence[str]) -> bool:
    """Whether a cell of a first row is a known title; of a single one only that of answers."""
    roles = ["answer"]
    if len(first) > 1:
        roles = list(ROLES)
    for cell in first:
        if any(is_named(cell, role) for role in roles):
            return True
    return False


def _are_codes_of_columns(first: Sequence[str]) -> bool:
    """Whether a first row has codes of columns, such as of sex, beside a title of the rows."""
    codes = [cell for cell in first if numbers.looks_like_number(cell)]
    has_title = any(title_says(cell, "group", "answer") for cell in first)
    return has_title and len({*codes}) == len(codes) > 1


def _names_years(first: Sequence[str], columns: Sequence[Sequence[str]]) -> bool | None:
    """Whether a first row has years above columns of other numbers; None: perhaps, with one."""
    numeric_titles = []
    below: list[str] = []
    for title, cells in zip(first, columns, strict=True):
        if numbers.looks_like_number(title):
            numeric_titles.append(title)
            below += cells
    # pandas calls the sizes of groups 0.
    if len(first) > 1 and numeric_titles == ["0"] and {*below} - {"0"}:
        return None
    # A row of numbers alone is data; so is one above years.
    year_count = 0
    for cell in below:
        if _YEAR.fullmatch(cell):
            year_count += 1
    if len(numeric_titles) == len(first) or 2 * year_count >= len(below):
        return False
    if not all(map(_YEAR.fullmatch, numeric_titles)):
        return False
    if len(set(numeric_titles)) > 1:
        return True
    return None


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
    if _signs_in(cells) == {","}:
        return ","
    return "."


def _signs_in(cells: Sequence[str]) -> set[str]:
    """Which of point and comma stand in cells."""
    text = "".join(cells)
    return {sign for sign in ".," if sign in text}


_WEIGHTS: Final = frozenset(numbers.WORDS["labels"]["weights"].split())
_THOUSANDS_MIN: Final = 3
"""Numbers such as 17,694 in a column of people from which marks are of thousands."""


def mark_beside_thousands(title: str, cells: Sequence[str]) -> numbers.DecimalMark | None:
    """The mark of decimals where all marks in numbers of people are of thousands; else None.

    People are whole, so that 17,694 and 5,725 are thousands; weights such as 1.204 may not be.
    """
    if normalize_name(title) in _WEIGHTS:
        return None
    unclear = []
    others = []
    for cell in cells:
        if numbers.detect_mark([cell]) is None:
            unclear.append(cell)
        else:
            others.append(cell)
    signs = _signs_in(unclear)
    if len(signs) != 1:
        return None

    # Three such numbers are enough, two if one is as large as 17,694.
    needed = _THOUSANDS_MIN
    if any(re.match(r"[-+]?\d{2}", cell) for cell in unclear):
        needed -= 1
    # Beside whole numbers such as 818 and 440 a number such as 1,182 is one as well.
    hundreds = [cell for cell in cells if re.fullmatch(r"[1-9]\d\d", cell.strip())]
    are_whole = len(hundreds) > 1 and all(cell.strip().isdecimal() for cell in others)
    if len(unclear) < needed and not are_whole:
        return None
    if signs == {","}:
        return "."
    return ","


def _degrees(cells: Sequence[str]) -> list[float]:
    """The numbers of a column that may be degrees."""
    mark = numbers.detect_mark(cells) or _mark_of_degrees(cells)
    degrees = []
    for cell in cells:
        number = numbers.parse_number(cell, mark)
        if number is not None:
            degrees.append(number)
    return degrees


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
        """The column with the title of a role; None without titles."""
        if self.titles is None:
            return None
        return find_column(self.titles, role)

    def _counts(self) -> int | None:
        """The column of people by its name; one called “n” or “number” may number the rows."""
        if self.titles is None:
            return None
        # A column without any number cannot hold people, whatever it is called.
        numeric_titles = []
        for title, cells in zip(self.titles, self.columns, strict=False):
            if any(map(numbers.looks_like_number, cells)):
                numeric_titles.append(title)
            else:
                numeric_titles.append("")
        column = find_column(numeric_titles, "count")
        if column is None:
            return None
        if may_number_rows(self.titles[column]) and _numbers_rows(self.columns[column]):
            return None
        return column

    def places(self) -> Layout:
        """Coordinates by name, else by content; without a header perhaps a number of people."""
        latitude, longitude = self._called("latitude"), self._called("longitude")
        if latitude is None or longitude is None:
            latitude, longitude = self._pair()
        count = self._counts()
        # Three columns without titles: a place and, perhaps, its people.
        if self.titles is None and {latitude, longitude} == {0, 1} and len(self.columns) == 3:
            count = None
            if 2 in self.numeric:
                count = 2

        degrees: list[str] = []
        for column in (latitude, longitude):
            if column is not None:
                degrees += self.columns[column]
        people: Sequence[str] = []
        if count is not None:
            people = self.columns[count]
        mark = numbers.detect_mark([*degrees, *people])
        if mark is None and degrees:
            mark = _mark_of_degrees(degrees)
        return Layout(
            self.header,
            mark,
            latitude,
            longitude,
            count=count,
            cell=self._called("cell"),
            person=self._called("person"),
        )

    def _pair(self) -> tuple[int | None, int | None]:
        """Latitude and longitude: the only two columns with decimals of degrees.

        Of at most three columns without a header the first two that may be degrees.
        """
        degrees: dict[int, list[float]] = {}
        for column in self.numeric:
            values = _degrees(self.columns[column])
            if all(abs(value) <= 180 for value in values):
                degrees[column] = values
        pair = []
        for column, values in degrees.items():
            if not all(value.is_integer() for value in values):
                pair.append(column)
        if len(pair) != 2 and self.titles is None and len(self.columns) <= 3:
            pair = list(degrees)[:2]
        if len(pair) != 2:
            return None, None
        # Only a longitude goes beyond 90 degrees; otherwise the latitude comes first.
        first, second = pair
        if any(abs(value) > 90 for value in degrees[first]):
            return second, first
        return first, second

    def answers(self) -> Layout:
        """Answer, count and group by name, else by content: texts before numbers."""
        numeric = self.numeric
        texts = []
        for column, cells in enumerate(self.columns):
            if cells and column not in numeric:
                texts.append(column)

        count, group, answer = self._counts(), self._called("group"), self._called("answer")
        # “Noise in blocks” holds an estimate, no names of blocks.
        if group is not None and group in numeric and _signs_in(self.columns[group]):
            group = None
        if answer is None or self._holds_no_answers(answer):
            answer = self._likeliest_answer(texts, count, group, answer)
        if count is None:
            answer, count = self._answer_and_count(texts, answer)
        # A “mean age” beside people is one of each group, which is the answer then.
        if self.titles and answer is not None and answer in numeric:
            is_mean = has_word(self.titles[answer], RATES)
            if is_mean and count is not None and group is not None:
                answer, group = group, None
        if group is None and count is not None:
            group = self._group_beside(texts, answer, count)
        mark = self._mark_of_answers(count)
        return Layout(
            self.header,
            mark,
            answer=answer,
            count=count,
            group=group,
            person=self._called("person"),
        )

    def _likeliest_answer(
        self, texts: Sequence[int], count: int | None, group: int | None, named: int | None
    ) -> int | None:
        """The column of answers by content: texts before numbers; `named` if there is no other."""
        candidates = [column for column in texts if column not in (count, group)]
        others = []
        for column in self.numeric:
            if column not in (count, group):
                others.append(column)

        def rank(column: int) -> tuple[bool, bool, int]:
            # A label that is written once for several rows is less filled than the answers.
            filled = 0
            if count is not None:
                filled = len(self.columns[column])
            return self._holds_no_answers(column), column in others, -filled

        return min([*candidates, *others], key=rank, default=named)

    def _answer_and_count(
        self, texts: Sequence[int], answer: int | None
    ) -> tuple[int | None, int | None]:
        """The answer, and the people beside it by content, where no title says people."""
        if answer is None:
            return None, None
        labels = sorted({*texts}.difference(service_columns(self.titles or ())))
        if answer not in self.numeric or not labels:
            return answer, self._counts_beside(answer)
        # Numbers that are called “value” or the like, beside labels: offices list people so.
        label = min(labels, key=lambda column: (self._holds_no_answers(column), column))
        count = self._counts_beside(label)
        if count is not None and count == answer:
            return label, count
        return answer, count

    def _group_beside(self, texts: Sequence[int], answer: int | None, count: int) -> int | None:
        """The group by content: the third filled column beside an answer and its people."""
        filled = [column for column, cells in enumerate(self.columns) if cells]
        if len(filled) != 3:
            return None
        rest = [column for column in texts if column not in (answer, count)]
        if self.titles is None:
            return next(iter(rest), None)
        for column in rest:
            title, cells = self.titles[column], self.columns[column]
            # A group of its own for each answer is none: it may be a margin of error.
            repeats = len(set(cells)) < len(cells)
            if repeats and not has_word(title, RATES) and not is_named(title, "period"):
                return column
        return None

    def _mark_of_answers(self, count: int | None) -> numbers.DecimalMark | None:
        """The decimal mark: of people, or else of all numbers; None where it is unclear."""
        read = self.numeric
        if count is not None:
            read = [count]
        cells: list[str] = []
        for column in read:
            cells += self.columns[column]
        mark = numbers.detect_mark(cells)
        if mark is None and count is not None and self.titles is not None:
            mark = mark_beside_thousands(self.titles[count], self.columns[count])
        return mark

    def _holds_no_answers(self, column: int) -> bool:
        """Whether a column numbers or dates rows, or has percentages or one text alone."""
        cells = self.columns[column]
        if are_of_no_question(cells):
            return True
        if self.titles is None:
            return False
        return (
            is_identifier(self.titles[column])
            or len(set(cells)) < 2
            or column in service_columns(self.titles)
        )

    def _counts_beside(self, answer: int) -> int | None:
        """The column of counts beside answers that do not repeat: the only one of numbers."""
        titles = self.titles or [""] * len(self.columns)
        candidates = []
        for column in self.numeric:
            is_other = column == answer or is_no_number_of_people(titles[column])
            if not is_other and not _numbers_rows(self.columns[column]):
                candidates.append(column)
        # Shares stand beside people in many tables; alone they may be what was meant.
        without_shares = [column for column in candidates if not is_share(titles[column])]
        if without_shares:
            candidates = without_shares
        # “Value” stands beside codes and footnotes.
        named = self._called("answer")
        if named is not None and named in candidates:
            candidates = [named]
        if len(candidates) != 1:
            return None
        # Without titles a wider table than answer, group and people is not read as counts.
        filled = [column for column, cells in enumerate(self.columns) if cells]
        if self.titles is None and len(filled) > 3:
            return None

        # Labels that repeat much are those of records: the number is an answer there.
        texts = [self.columns[column] for column in filled if column not in candidates]
        distinct_count = len(set(zip(*texts, strict=False)))
        if distinct_count < _REPEATS * len(self.columns[answer]):
            return None
        return candidates[0]
