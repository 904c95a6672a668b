"""The layout of a file, detected, also by names in the usual languages: header, roles of columns.

What can't be detected is None, and people are asked.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from caldp_core.basics.errors import excerpt, require
from caldp_core.basics.types import Floats
from caldp_core.datasets.files.maps import MapRequest
from caldp_core.datasets.files.numbers import (
    DecimalMark,
    NumberSteps,
    detect_mark,
    looks_like_number,
    parse_degrees,
    parse_number,
)
from caldp_core.datasets.files.table import Table

_NAMES: Final = {
    "latitude": """
        lat lati latitude latitud latitudine latitudes latitudinal breite breitengrad geobreite
        breddegrad breddgrad leveysaste leveyspiiri szerokosc sirka enlem breedtegraad
        широта 纬度 緯度 위도 y ycoord wgs84lat decimallatitude
    """,
    "longitude": """
        lon lng long longi longitude longitud longitudine laenge lange langengrad laengengrad
        geolaenge lengdegrad laengdgrad langdgrad pituusaste dlugosc delka boylam lengtegraad
        долгота 经度 經度 経度 경도 x xcoord wgs84lon decimallongitude
    """,
    "count": """
        count counts frequency freq n number total sum people persons population pop inhabitants
        residents respondents users visits visitors checkins cases quantity
        anzahl haufigkeit haeufigkeit einwohner einwohnerzahl personen bevolkerung bevoelkerung
        bewohner menschen zahl falle faelle besuche nutzer befragte
        nombre effectif effectifs habitants personnes repondants visites frequence
        numero cantidad habitantes personas poblacion frecuencia encuestados casos visitas
        quantidade pessoas populacao frequencia contagem
        abitanti persone popolazione frequenza conteggio rispondenti
        aantal inwoners bevolking antal invanare indbyggere liczba ludnosc osoby
        человек население количество 人口 人数 数量 件数 인구
        weight weights wt wgt gewicht gewichte gewichtung poids ponderation peso ponderacion
        ponderacao hochrechnungsfaktor
    """,
    "answer": """
        answer answers category response responses value values choice reply
        antwort antworten kategorie wert angabe auspragung auspraegung
        reponse reponses categorie valeur choix
        respuesta respuestas categoria valor opcion resposta respostas opcao
        risposta risposte valore antwoord svar odpowiedz ответ 回答 答え 답변
    """,
    "group": """
        group groups block blocks stratum
        gruppe gruppen schicht groupe groupes grupo grupos gruppo gruppi groep grupp grupa
        группа 组 組 グループ 그룹
    """,
    "cell": "cell_degrees",
    "identifier": """
        id ids uid uuid guid key nr no index idx serial respondent respondentid responseid recordid
        respondentno caseid rowid fid objectid kennung laufnummer kennziffer plz zip zipcode
        postcode postleitzahl fips timestamp starttime completiontime startdate enddate
        recordeddate zeitstempel startzeit datum date time uhrzeit horodateur marcatemporal
        token status progress ipaddress finished recipientemail email locationlatitude
        locationlongitude distributionchannel userlanguage durationinseconds
    """,
    "measure": """
        age alter edad eta idade leeftijd wiek alder возраст 年龄 年齢 year jahr annee ano anno
        height size groesse grosse taille kg cm lb bmi income salary einkommen gehalt einkunfte
        revenu ingreso reddito temperature price preis prix easting northing rechtswert hochwert
        e utm utme utmn latitudee7 longitudee7
    """,
}
_OURS: Final = {"count": "estimated people"}
"""Its name in files of ours, which have a `number` of each cell beside it."""
ROLES: Final = {role: frozenset(names.split()) for role, names in _NAMES.items()}
"""Names by what is in the column, in lower case and without accents."""
_ALONE: Final = {
    "x",
    "y",
    "n",
    "long",
    "value",
    "values",
    "number",
    "total",
    "sum",
    "group",
    "block",
}
"""Names that mean nothing as a part of a longer one."""


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


def is_no_number_of_people(name: str) -> bool:
    """True of an identifier, and of what is measured of a person or place: an age, a northing."""
    return is_named(name, "identifier") or is_named(name, "measure")


def may_number_rows(name: str) -> bool:
    """True of a name of people that an identifier may have as well."""
    return normalize_name(name) in {"n", "number", "numero"}


def find_column(names: Sequence[str], role: str) -> int | None:
    """The number of the column with that role: by its whole name, else by a word of it."""
    ours = [at for at, name in enumerate(names) if name == _OURS.get(role)]
    exact = [at for at, name in enumerate(names) if is_named(name, role)]
    known = ROLES[role] - _ALONE
    parts = [
        at
        for at, name in enumerate(names)
        if known & set(re.split(r"[\s_]+", normalize_name(name)))
    ]
    return next(iter([*ours, *exact, *parts]), None)


_SAMPLE: Final = 1_000
_NUMBER_SHARE: Final = 0.6
"""Of the cells of a column of numbers; the others are refused, and reported."""
_REPEATS: Final = 0.5
_CELLS_MIN: Final = 10
_CODE_MAX: Final = 15
"""Digits of a code, such as a ZIP's five."""
_SERIAL_MIN: Final = 4
"""Rows from which 1, 2, 3 … is not taken for people."""
_DEGREES: Final = ("latitude", "longitude")


@dataclass(frozen=True)
class Layout:
    """How a table is meant: whether its first row is a header, its decimal mark, and its columns.

    Columns are numbers from 0; None: there is none. `header` and `mark` None: not known yet.
    `wanted`: the map to count places on.
    `others`: columns of further questions, beside `answer`, of one survey.
    `steps`: in which numbers of `answer` are put together; None: each answer stands by itself.
    `left_out`: by column the cells, with single spaces, whose rows are not counted; `reading`: how
    checks of the file were answered. `areas`: where answers are areas of a map, by cell the area as
    in `OwnTable`, "" for one that is not on the map.
    """

    header: bool | None
    mark: DecimalMark | None
    latitude: int | None = None
    longitude: int | None = None
    count: int | None = None
    answer: int | None = None
    group: int | None = None
    cell: int | None = None
    wanted: MapRequest = MapRequest()
    others: tuple[int, ...] = ()
    steps: NumberSteps | None = None
    left_out: tuple[tuple[int, str], ...] = ()
    reading: str = ""
    areas: tuple[tuple[str, str], ...] = ()

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
        unclear = next((cell for cell in cells if detect_mark([cell]) is None), "")
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
        read = [[parse_degrees(row[each], mark) for each in at] for row in self.rows]
        return np.array([each for each in read if None not in each], np.float64).reshape(-1, 2)

    def is_numeric(self, column: int) -> bool:
        """Whether most of the first cells of a column are numbers."""
        return _is_numeric(self.cells(column))

    @property
    def has_places(self) -> bool:
        """Whether two columns are called latitude and longitude, or hold decimals of degrees."""
        named = [find_column(self.names, role) is not None for role in _DEGREES]
        at = [each for each in (self.places.latitude, self.places.longitude) if each is not None]
        cells = [cell for each in at for cell in self.cells(each)]
        is_fine = len(at) == 2 and any(sign in cell for cell in cells for sign in ".,")
        return is_fine or bool(self.places.header and all(named))


def detect_layouts(table: Table, header: bool | None = None) -> DetectedFile:
    """The detected layouts of a table; `header`: whether it has one, None if not known.

    Raises `CaldpError` for a table without rows.
    """
    with table.open_reader() as reader:
        rows = reader.fetch_rows(f"SELECT * FROM {table.relation_sql(False)} LIMIT {_SAMPLE}")
    sample = [tuple(" ".join((cell or "").split()) for cell in row) for row in rows]
    require(bool(sample), f"There is no row that can be read in {excerpt(table.source.name)}.")
    if table.names:
        titles: tuple[str, ...] | None = tuple(" ".join(name.split()) for name in table.names)
        header = True
    else:
        header = _has_header(sample) if header is None else header
        titles = sample[0] if header else None
        sample = sample[1:] if header else sample
    columns = _columns(sample, table.width)
    names = _unique_titles(titles, table.width)
    if titles is not None and sample:  # an empty column is nothing, whatever it is called
        titles = tuple(t if cells else "" for t, cells in zip(titles, columns, strict=True))
    found = _Sample(columns, titles, header)
    places, answers = found.places(), found.answers()
    if table.dialect is None:  # what has numbers writes them in one way
        places, answers = replace(places, mark="."), replace(answers, mark=".")
    return DetectedFile(table, places, answers, names, tuple(sample))


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
    """Whether the first row names the columns, None if that can't be told."""
    first, rest = sample[0], sample[1:]
    if any(looks_like_number(cell) for cell in first):
        return False
    roles = ROLES if len(first) > 1 else {"answer": ROLES["answer"]}
    if any(is_named(cell, role) for cell in first for role in roles):
        return True
    columns = _columns(rest, len(first))
    if any(_holds_numbers(cells) for cells in columns):
        return True
    if any(cell and cell in cells for cell, cells in zip(first, columns, strict=True)):
        return False
    repeat = [c for c in columns if len(c) >= _CELLS_MIN and len(set(c)) <= _REPEATS * len(c)]
    return True if len(first) > 1 and repeat and all(first) else None


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


def _holds_numbers(cells: Sequence[str]) -> bool:
    return bool(cells) and sum(map(looks_like_number, cells)) >= _NUMBER_SHARE * len(cells)


def _numbers_rows(cells: Sequence[str]) -> bool:
    """Whether cells are 0, 1, 2 … or 1, 2, 3 …: an identifier, not people."""
    first = 0 if cells[:1] == ["0"] else 1
    return len(cells) >= _SERIAL_MIN and list(cells) == [
        str(number) for number in range(first, first + len(cells))
    ]


def _mark_of_degrees(cells: Sequence[str]) -> DecimalMark:
    """The decimal mark of degrees, which are never thousands."""
    return "," if {sign for cell in cells for sign in cell if sign in ".,"} == {","} else "."


def _degrees(cells: Sequence[str]) -> list[float]:
    """The numbers of a column that may be degrees."""
    mark = detect_mark(cells) or _mark_of_degrees(cells)
    return [number for cell in cells if (number := parse_number(cell, mark)) is not None]


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
        at = self._called("count")
        if self.titles is None or at is None or not may_number_rows(self.titles[at]):
            return at
        return None if _numbers_rows(self.columns[at]) else at

    def places(self) -> Layout:
        """Coordinates by name, else by content; without a header perhaps a number of people."""
        at = (self._called("latitude"), self._called("longitude"))
        count = self._counts()
        if None in at:
            at = self._pair()
        if None not in at and self.titles is None:
            count = next((each for each in self.numeric if each not in at), None)
        degrees = [cell for each in at if each is not None for cell in self.columns[each]]
        mark = detect_mark([*degrees, *(self.columns[count] if count is not None else [])])
        mark = mark or (_mark_of_degrees(degrees) if degrees else None)
        return Layout(self.header, mark, *at, count=count, cell=self._called("cell"))

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
        if answer is None:
            other = [at for at in numeric if len(self.columns) == 1 or at != count]
            free = [at for at in (*texts, *other) if at not in (count, group)]
            if self.titles is not None:
                free.sort(key=lambda at: is_named((self.titles or [])[at], "identifier"))
            answer = next(iter(free), None)
        if count is None and answer is not None:
            count = self._counts_beside(answer)
        if group is None and count is not None and sum(map(bool, self.columns)) == 3:
            rest = set(texts) - {answer, count}
            group = rest.pop() if len(rest) == 1 else None
        read = numeric if count is None else [count]
        mark = detect_mark(cell for at in read for cell in self.columns[at])
        return Layout(self.header, mark, answer=answer, count=count, group=group)

    def _counts_beside(self, answer: int) -> int | None:
        """The column of counts beside answers that do not repeat: the only one of numbers."""
        titles = self.titles or [""] * len(self.columns)
        able = [
            at for at in self.numeric if at != answer and not is_no_number_of_people(titles[at])
        ]
        others = [at for at in able if not _numbers_rows(self.columns[at])]
        if len(others) != 1 or sum(map(bool, self.columns)) > 3:
            return None
        texts = [cells for at, cells in enumerate(self.columns) if at not in others and cells]
        distinct = len(set(zip(*texts, strict=False))) >= _REPEATS * len(self.columns[answer])
        return others[0] if distinct else None
