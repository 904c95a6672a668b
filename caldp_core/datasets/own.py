"""A user's table, places or survey, as whole records: a scenario file needs no other file.

What a person pastes or uploads is read by `reading.py` and `files/`. Of places cells are kept and
nothing finer; of a survey each question's counts, not who gave which answers together: a record of
ten answers is often one person's alone.
"""

import re
import unicodedata
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final, Self

import numpy as np

from caldp_core.basics.errors import (
    DIRECTION_MARKS,
    CaldpError,
    check_counts,
    check_list,
    check_whole,
    count_text,
    excerpt,
    require,
)
from caldp_core.basics.limits import N_MAX, OWN_ANSWERS_MAX, OWN_NAME_MAX, OWN_QUESTIONS_MAX
from caldp_core.basics.types import Ints, Progress, no_progress
from caldp_core.datasets.base import Dataset, from_counts, with_larger_cells
from caldp_core.datasets.base_map import area_parts
from caldp_core.domain.domains import Area, Domain, GridDomain
from caldp_core.domain.partitions import LargerCells

_NO_TEXT = ("Cc", "Cs", "Zl", "Zp")
"""Unicode's categories of what is not text on a line: controls, half characters, line ends."""
READING_MAX: Final = 1_000
_UNSEEN = re.compile(rf"[\u200b\u2060-\u2064\ufeff{DIRECTION_MARKS}]")
"""Invisible characters that make different names look equal. The joiners U+200C and U+200D are part
of Persian and Indian words and of emoji, and stay."""


_UNIT: Final = re.compile(r"(?=.{0,40}$)(?:[^\W\d_]+(?:[ -][^\W\d_]+)*)?")
"""Letters alone: the word stands in many sentences."""
_SINGULARS: Final = {"people": "person", "children": "child", "women": "woman", "men": "man"}


@dataclass(frozen=True, kw_only=True)
class CountedRows:
    """What a row of a user's file is, and which rows are of one person.

    `unit`: what is counted, in the plural, such as "trips"; "" for people, or for rows where a
    person has several. `person_rows`: how many people the rows are of, and the median and the
    largest number of rows of one of them; () where no column of ids was named. `cap`: the most rows
    that were kept of each person, 0 for all. Raises `CaldpError` for anything else.
    """

    unit: str = ""
    person_rows: tuple[int, ...] = ()
    cap: int = 0

    @property
    def nouns(self) -> tuple[str, str]:
        """What a row is, one and many: "trip" and "trips"."""
        several = self.person_rows[2:] not in ((), (1,))
        many = self.unit or ("rows" if several else "people")
        if many.endswith("ies"):
            return f"{many[:-3]}y", many
        return _SINGULARS.get(many, many.removesuffix("s")), many

    def _check_record(self, title: str, reading: object) -> None:
        check_line("title", title)
        fits = isinstance(reading, str) and len(reading) <= READING_MAX and is_line(reading)
        require(fits, f"reading must be a text of up to {READING_MAX:,} characters.")
        unit: object = self.unit
        require(
            isinstance(unit, str) and _UNIT.fullmatch(unit) is not None,
            f"unit must be a word or a few, of up to 40 letters, got {excerpt(unit)}.",
        )
        rows = check_list("person_rows", self.person_rows)
        require(
            len(rows) in (0, 3),
            f"person_rows must be people, median and largest number of rows, got {len(rows)}.",
        )
        whole = tuple(check_whole("each of person_rows", number, 0, N_MAX) for number in rows)
        object.__setattr__(self, "person_rows", whole)
        check_whole("cap", self.cap, 0, N_MAX)

    def counted_as(self, other: "CountedRows") -> Self:
        """These data with rows of the same unit and people as others."""
        return replace(self, unit=other.unit, person_rows=other.person_rows, cap=other.cap)


@dataclass(frozen=True)
class OwnTable(CountedRows):
    """A user's table: people may be taken as they are or drawn from it.

    `names`: 2 to 2,000 different answers, each one line of up to 120 characters; `counts`: people
    who gave each, whole numbers from 0; `groups`: the group that each answer is in, or none.
    `title`: what the table is called. `reading`: how its file was read, where that was asked; up to
    1,000 characters. `areas`: where answers are areas, the place of each on the map: "Bayern,
    Germany", "Germany" or a polygon as `PolygonBlocks` writes it. Raises `CaldpError` for anything
    else.
    """

    names: tuple[str, ...]
    counts: tuple[int, ...]
    groups: tuple[str, ...] = ()
    title: str = "Own table"
    reading: str = ""
    areas: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._check_record(self.title, self.reading)
        for field in ("names", "counts", "groups", "areas"):
            # Records are keys of caches, which lists can't be.
            object.__setattr__(self, field, tuple(check_list(field, getattr(self, field))))
        require(
            2 <= len(self.names) <= OWN_ANSWERS_MAX,
            f"names must be 2 to {OWN_ANSWERS_MAX:,} answers, got {len(self.names):,}; "
            "where there are more, put rare ones together.",
        )
        for field in ("names", "groups"):
            for text in getattr(self, field):
                check_line(field, text)
        for area in self.areas:
            area_parts(area)
        self._check_counts()

    def _check_counts(self) -> None:
        k = len(self.names)
        for field in ("counts", "groups", "areas"):
            size = len(getattr(self, field))
            require(
                size == k or (field != "counts" and size == 0),
                f"{field} must be one for each of the {k:,} answers, got {size:,}.",
            )
        counts = tuple(check_whole("each of counts", count, 0, N_MAX) for count in self.counts)
        require(
            1 <= sum(counts) <= N_MAX,
            f"counts must add up to 1 to {N_MAX:,} people, got {sum(counts):,}.",
        )
        object.__setattr__(self, "counts", counts)
        names_so_far: set[str] = set()
        for name in self.names:
            require(name not in names_so_far, f"names must differ, {excerpt(name)} is there twice.")
            names_so_far.add(name)

    def load(self, progress: Progress = no_progress) -> Dataset:
        """The people of the table."""
        progress(1.0)
        note = (
            f"A user's table, {count_text(sum(self.counts), *self.nouns)} and "
            f"{len(self.names):,} answers: "
            f"nobody has checked it.{_reading_text(self.reading)}"
        )
        domain = Domain(len(self.names), self.names, self.groups)
        return from_counts(self.title, note, domain, np.array(self.counts, dtype=np.int64))


def _reading_text(reading: str) -> str:
    return f" Its file was read so: {reading}." if reading else ""


def check_line(name: str, text: object) -> str:
    """Return a text of one line that is not empty and not too long, or raise `CaldpError`."""
    fits = isinstance(text, str) and 1 <= len(text) <= OWN_NAME_MAX and text == text.strip()
    require(
        not fits or _UNSEEN.search(str(text)) is None,
        f"{name} must not have unseen marks, such as those that turn the direction of writing, got "
        f"{excerpt(text)}; type the text anew.",
    )
    require(
        fits and is_line(str(text)),
        f"{name} must be texts of one line, 1 to {OWN_NAME_MAX} characters without spaces around "
        f"them, got {excerpt(text)}.",
    )
    return str(text)


def is_line(text: str) -> bool:
    """Whether a text has no unseen marks, controls or line ends; joiners are no unseen marks."""
    is_text = not any(unicodedata.category(sign) in _NO_TEXT for sign in text)
    return is_text and _UNSEEN.search(text) is None


def remove_unseen(text: str) -> str:
    """A text without unseen marks, in composed letters (NFC): what looks equal is equal."""
    return unicodedata.normalize("NFC", _UNSEEN.sub("", text).replace("\u00ad", ""))


def one_line(text: str) -> str:
    """A text without unseen marks, and one space where it has spaces of any kind or line ends."""
    return " ".join(remove_unseen(text).split())


_PAIR: Final = re.compile(r"([0-9]{1,7}):([0-9]{1,13})")
_PAIRS: Final = re.compile(r"[0-9]{1,7}:[0-9]{1,13}(?: [0-9]{1,7}:[0-9]{1,13})*")


@dataclass(frozen=True)
class OwnPlaces(CountedRows):
    """A user's places, counted on a map: people may be taken as they are or drawn from it.

    `people`: the cells with people, ascending, as "cell:people" with spaces between them: "17:3
    25:1". `area`: the map, "south,north,west,east" in degrees; `cell`: side of a cell in degrees;
    at most 2²⁰ cells. `title`: what the places are called. `part`: what of the map is taken, cut
    between cells, all of it if empty; `together`: cells along the side of a larger one. `reading`:
    how its file was read, where that was asked. Raises `CaldpError` for anything else.
    """

    people: str
    area: str
    cell: float = 0.2
    title: str = "Own places"
    part: str = ""
    together: int = 1
    reading: str = ""

    def __post_init__(self) -> None:
        self._check_record(self.title, self.reading)
        self.counts()
        LargerCells(self.selected_grid(), self.together)

    def grid(self) -> GridDomain:
        """The whole map."""
        return GridDomain.from_area(Area.parse(self.area), self.cell)

    def selected_grid(self) -> GridDomain:
        """The part of the map that is taken."""
        return self.grid().subgrid(Area.parse(self.part)) if self.part else self.grid()

    def counts(self) -> Ints:
        """(k,) people in each cell of `grid`."""
        counts = np.zeros(self.grid().k, dtype=np.int64)
        cells, people = parse_cells("people", self.people, counts.size)
        counts[cells] = people
        require(bool(counts.any()), "people must be at least one person, got none.")
        return check_counts("people", counts, counts.size)

    def load(self, progress: Progress = no_progress) -> Dataset:
        """The people of the part, in its larger cells."""
        whole, grid, counts = self.grid(), self.selected_grid(), self.counts()
        if grid != whole:
            counts = counts[whole.area_mask(grid.area)]
        progress(1.0)
        note = (
            f"A user's places, {count_text(int(counts.sum()), *self.nouns)} in "
            f"{int((counts > 0).sum()):,} of "
            f"{grid.k:,} cells of {grid.cell:g}°: nobody has checked "
            f"them.{_reading_text(self.reading)}"
        )
        return with_larger_cells(from_counts(self.title, note, grid, counts), self.together)


def parse_cells(name: str, text: str, k: int) -> tuple[Ints, Ints]:
    """Cells, ascending in [0, k), and the number of each, from "17:3 25:1".

    Raises `CaldpError`, calling it `name`, for any other text.
    """
    if _PAIRS.fullmatch(text):
        cells, numbers = np.array(re.split("[ :]", text), dtype=np.int64).reshape(-1, 2).T
        if int(cells[-1]) < k and bool((np.diff(cells) > 0).all()):
            return cells, numbers
    before = -1
    for pair in text.split(" "):
        match = _PAIR.fullmatch(pair)
        if match is None or not before < int(match[1]) < k:
            break
        before = int(match[1])
    raise CaldpError(
        f"{name} must be cells and their {name} such as '17:3 25:1', cells ascending "
        f"below {k:,}, got {excerpt(pair)}."
    )


def format_cells(numbers: Ints) -> str:
    """(k,) whole numbers of cells as a text such as "17:3 25:1", without cells that have 0."""
    cells = np.flatnonzero(numbers)
    pairs = zip(cells.tolist(), numbers[cells].tolist(), strict=True)
    return " ".join(f"{cell}:{number}" for cell, number in pairs)


def places_from_counts(counts: Ints, grid: GridDomain, title: str) -> OwnPlaces:
    """The record of (k,) people in each cell of a map."""
    return OwnPlaces(format_cells(counts), str(grid.area), grid.cell, title)


@dataclass(frozen=True)
class OwnSurvey(CountedRows):
    """Counts of 2 to 10 questions that the same people answered.

    `questions`, `names`, `counts`: a row for each answer to each question, question by question:
    the question, the answer, and how many people gave it. `selected`: the number, from 0, of the
    question that `load` gives. `title`: what the survey is called; `reading`: how its file was
    read, where that was asked. Raises `CaldpError` for questions that can't be an `OwnTable` each,
    and for rows of one that are apart.
    """

    questions: tuple[str, ...]
    names: tuple[str, ...]
    counts: tuple[int, ...]
    selected: int = 0
    title: str = "Own survey"
    reading: str = ""

    def __post_init__(self) -> None:
        self._check_record(self.title, self.reading)
        for field in ("names", "counts"):
            size = len(getattr(self, field))
            require(
                size == len(self.questions),
                f"{field} must be one for each of the {len(self.questions):,} rows of questions, "
                f"got {size:,}.",
            )
        titles = [question for question, _ in groupby(self.questions)]
        require(
            2 <= len(titles) <= OWN_QUESTIONS_MAX,
            f"questions must name 2 to {OWN_QUESTIONS_MAX} questions, got {len(titles):,}; a "
            "single question is a table.",
        )
        twice = next((title for title in titles if titles.count(title) > 1), None)
        require(
            twice is None,
            f"All rows of a question must follow each other, those of {excerpt(twice)} do not.",
        )
        check_whole("selected", self.selected, 0, len(titles) - 1)
        counts = tuple(count for table in self.tables() for count in table.counts)
        object.__setattr__(self, "counts", counts)  # whole numbers of Python's own

    @classmethod
    def of(cls, tables: tuple[OwnTable, ...], title: str) -> "OwnSurvey":
        """The survey whose questions are these tables, each called by its title."""
        return cls(
            tuple(table.title for table in tables for _ in table.names),
            tuple(name for table in tables for name in table.names),
            tuple(count for table in tables for count in table.counts),
            title=title,
        )

    def tables(self) -> tuple[OwnTable, ...]:
        """One table for each question, in order."""
        rows = zip(self.questions, self.names, self.counts, strict=True)
        tables = []
        for question, part in groupby(rows, key=lambda row: row[0]):
            _, names, counts = zip(*part, strict=True)
            tables.append(OwnTable(names, counts, title=question).counted_as(self))
        return tuple(tables)

    def load(self, progress: Progress = no_progress) -> Dataset:
        """The people of the selected question."""
        return self.tables()[self.selected].load(progress)
