"""What a file seems to hold: its header, its numbers, and which column is what; all can be changed.

What nobody can tell from the file is None, and asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from caldp_core.basics.errors import require
from caldp_core.datasets.files import names
from caldp_core.datasets.files.bins import Steps
from caldp_core.datasets.files.maps import MapWanted
from caldp_core.datasets.files.numbers import Mark, looks_like_number, mark_of, number_of
from caldp_core.datasets.files.table import Table
from caldp_core.datasets.own import quoted

_SAMPLE: Final = 1_000
_MOSTLY: Final = 0.6
"""Of the cells of a column of numbers; the others are refused, and told."""
_REPEATS: Final = 0.5
_ENOUGH: Final = 10
_DEGREES: Final = ("latitude", "longitude")


@dataclass(frozen=True)
class Layout:
    """How a table is meant: whether its first row is a header, its decimal mark, and its columns.

    Columns are numbers from 0; None: there is none. `header` and `mark` None: not known yet.
    `wanted`: the map to count places on.
    `others`: columns of further questions, beside `answer`, of one survey.
    `steps`: in which numbers of `answer` are put together; None: each answer stands by itself.
    """

    header: bool | None
    mark: Mark | None
    latitude: int | None = None
    longitude: int | None = None
    count: int | None = None
    answer: int | None = None
    group: int | None = None
    cell: int | None = None
    wanted: MapWanted = MapWanted()
    others: tuple[int, ...] = ()
    steps: Steps | None = None

    def check_answered(self, seen: "Understood", *roles: str) -> None:
        """Raise `CaldpError` where a column of `roles`, or how the file is meant, is not known."""
        for role in roles:
            require(
                getattr(self, role) is not None,
                f"No column of {quoted(seen.table.source.name)} is known to be the {role}, got "
                f"{quoted(' | '.join(seen.names))}; name one “{role}”, or say which it is.",
            )
        first = seen.rows[0][self.answer or 0] if seen.rows else ""
        require(
            self.header is not None,
            f"The first row, {quoted(first)}, may be a title or an answer; say which: if it is a "
            "title, write “answer” instead, and if it is an answer, “answer” above it.",
        )
        read = [self.count, self.answer if self.steps is not None else None]
        cells = [row[at] for at in read if at is not None for row in seen.rows]
        unclear = next((cell for cell in cells if mark_of([cell]) is None), "")
        require(
            self.mark is not None or not cells,
            f"Numbers such as {quoted(unclear)} may have decimals or thousands; say which, or "
            "write them in digits alone.",
        )


@dataclass(frozen=True)
class Understood:
    """A file, what it seems to be as `places` and as `answers`, and its first rows.

    `rows`: as texts, without the header if there is one; `names`: of the columns, all different.
    """

    table: Table
    places: Layout
    answers: Layout
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def cells(self, column: int) -> list[str]:
        """What the first rows have in a column, without empty cells."""
        return [row[column] for row in self.rows if row[column]]

    def is_numeric(self, column: int) -> bool:
        """Whether most of them are numbers."""
        return _is_of_numbers(self.cells(column))

    @property
    def is_of_places(self) -> bool:
        """Whether two columns are called latitude and longitude, or hold decimals of degrees."""
        at = (self.places.latitude, self.places.longitude)
        if self.places.header and all(
            names.find(self.names, role) is not None for role in _DEGREES
        ):
            return True
        return None not in at and any(
            sign in row[each or 0] for row in self.rows for each in at for sign in ".,"
        )


def understood(table: Table, header: bool | None = None) -> Understood:
    """What a table seems to hold; `header`: whether it has one, where somebody has said so.

    Raises `CaldpError` for a table without rows.
    """
    with table.reading() as reader:
        found = reader.rows(f"SELECT * FROM {table.relation(False)} LIMIT {_SAMPLE}")
    sample = [tuple(" ".join((cell or "").split()) for cell in row) for row in found]
    require(bool(sample), f"There is no row that can be read in {quoted(table.source.name)}.")
    if table.dialect is None:
        titles: tuple[str, ...] | None = table.names
        header = True
    else:
        header = _has_header(sample) if header is None else header
        titles = sample[0] if header else None
        sample = sample[1:] if header else sample
    columns = _columns(sample, table.width)
    shown = _different(titles, table.width)
    if titles is not None and sample:  # an empty column is nothing, whatever it is called
        titles = tuple(t if cells else "" for t, cells in zip(titles, columns, strict=True))
    numeric = [at for at, cells in enumerate(columns) if _is_of_numbers(cells)]
    places = _places(columns, numeric, titles, header)
    answers = _answers(columns, numeric, titles, header)
    if table.dialect is None:  # what has numbers writes them in one way
        places, answers = replace(places, mark="."), replace(answers, mark=".")
    return Understood(table, places, answers, shown, tuple(sample))


def _columns(sample: Sequence[Sequence[str]], width: int) -> list[list[str]]:
    """The cells of each column that are not empty."""
    return [[row[at] for row in sample if row[at]] for at in range(width)]


def _different(titles: Sequence[str] | None, width: int) -> tuple[str, ...]:
    found: list[str] = []
    for at in range(width):
        title = (titles[at][:60] if titles else "") or f"column {at + 1}"
        found.append(title if title not in found else f"{title} (column {at + 1})")
    return tuple(found)


def _has_header(sample: Sequence[tuple[str, ...]]) -> bool | None:
    """Whether the first row names the columns, None if nobody can tell."""
    first, rest = sample[0], sample[1:]
    if any(looks_like_number(cell) for cell in first):
        return False
    roles = names.ROLES if len(first) > 1 else {"answer": names.ROLES["answer"]}
    if any(names.is_named(cell, role) for cell in first for role in roles):
        return True
    columns = _columns(rest, len(first))
    if any(_is_of_numbers(cells) for cells in columns):
        return True
    if any(cell and cell in cells for cell, cells in zip(first, columns, strict=True)):
        return False
    repeat = [c for c in columns if len(c) >= _ENOUGH and len(set(c)) <= _REPEATS * len(c)]
    return True if len(first) > 1 and repeat and all(first) else None


def _is_of_numbers(cells: Sequence[str]) -> bool:
    return bool(cells) and sum(map(looks_like_number, cells)) >= _MOSTLY * len(cells)


def _named(titles: Sequence[str] | None, role: str) -> int | None:
    return None if titles is None else names.find(titles, role)


def _places(
    columns: Sequence[Sequence[str]],
    numeric: Sequence[int],
    titles: Sequence[str] | None,
    header: bool | None,
) -> Layout:
    """Coordinates by name, else by content; beside them, without a header, a number of people."""
    at = (_named(titles, "latitude"), _named(titles, "longitude"))
    count, cell = _named(titles, "count"), _named(titles, "cell")
    if None in at:
        at = _pair(columns, numeric, titles is None)
    if None not in at and titles is None:
        count = next((each for each in numeric if each not in at), None)
    used = [each for each in at if each is not None]
    return Layout(header, _mark(columns, used, count), *at, count=count, cell=cell)


def _answers(
    columns: Sequence[Sequence[str]],
    numeric: Sequence[int],
    titles: Sequence[str] | None,
    header: bool | None,
) -> Layout:
    """Answer, count and group by name, else by content: texts before numbers."""
    count, group = _named(titles, "count"), _named(titles, "group")
    answer = _named(titles, "answer")
    texts = [at for at, cells in enumerate(columns) if cells and at not in numeric]
    if answer is None:
        other = [at for at in numeric if len(columns) == 1 or at != count]
        free = [at for at in (*texts, *other) if at not in (count, group)]
        answer = next(iter(free), None)
    if count is None and answer is not None:
        count = _counts(columns, numeric, answer)
    if group is None and count is not None and sum(map(bool, columns)) == 3:
        rest = set(texts) - {answer, count}
        group = rest.pop() if len(rest) == 1 else None
    read = numeric if count is None else [count]
    mark = mark_of(cell for at in read for cell in columns[at])
    return Layout(header, mark, answer=answer, count=count, group=group)


def _counts(columns: Sequence[Sequence[str]], numeric: Sequence[int], answer: int) -> int | None:
    """The column of counts beside answers that do not repeat: the only one of numbers."""
    others = [at for at in numeric if at != answer]
    if len(others) != 1 or sum(map(bool, columns)) > 3:
        return None
    texts = [cells for at, cells in enumerate(columns) if at not in others and cells]
    told_apart = len(set(zip(*texts, strict=False))) >= _REPEATS * len(columns[answer])
    return others[0] if told_apart else None


def _degrees(cells: Sequence[str]) -> list[float]:
    """The numbers of a column, by the decimal mark that keeps them small."""
    marks: tuple[Mark, Mark] = (".", ",")
    found = [[n for cell in cells if (n := number_of(cell, mark)) is not None] for mark in marks]
    return max(found, key=lambda numbers: (sum(abs(n) <= 180 for n in numbers), len(numbers)))


def _pair(
    columns: Sequence[Sequence[str]], numeric: Sequence[int], bare: bool
) -> tuple[int | None, int | None]:
    """Latitude and longitude: the only two columns with decimals of degrees.

    Of at most three columns without a header (`bare`) the first two that may be degrees.
    """
    degrees = {at: _degrees(columns[at]) for at in numeric}
    able = [at for at in numeric if all(abs(number) <= 180 for number in degrees[at])]
    fine = [at for at in able if any(not number.is_integer() for number in degrees[at])]
    if len(fine) != 2 and bare and len(columns) <= 3:
        fine = able[:2]
    if len(fine) != 2:
        return None, None
    first, second = fine
    beyond = any(abs(number) > 90 for number in degrees[first])
    return (second, first) if beyond else (first, second)


def _mark(
    columns: Sequence[Sequence[str]], places: Sequence[int], count: int | None
) -> Mark | None:
    """The decimal mark of places and counts; degrees are never thousands."""
    used = [*places, *([count] if count is not None else [])]
    cells = [cell for at in used for cell in columns[at]]
    mark = mark_of(cells)
    if mark is None and places:
        marks = {sign for at in places for cell in columns[at] for sign in cell if sign in ".,"}
        return "," if marks == {","} else "."
    return mark
