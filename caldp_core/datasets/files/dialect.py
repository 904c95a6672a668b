"""What sets the cells of a text apart, and where its rows begin.

DuckDB's own sniffing skips rows that do not fit, and takes a short list with commas for something
else; here nothing is skipped silently.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from caldp_core.basics.errors import CaldpError, count_text, excerpt, require
from caldp_core.datasets.files.numbers import looks_like_number

HEAD_BYTES: Final = 2**18
"""Bytes of a text by which it is looked at."""
COLUMNS_MAX: Final = 1_000
CELL_MAX: Final = 100_000
"""Most characters of a cell at the beginning of a file."""
NO_DELIMITER: Final = "\x1f"
DELIMITERS: Final = {"\t": "tabs", ";": "semicolons", ",": "commas", "|": "bars"}
"""In the order of preference where several fit equally well: a comma may be within numbers."""
_SEPARATOR_LINE: Final = re.compile(r'"?sep=([\t;,|])"?\r?\n', re.IGNORECASE)
"""Excel's first line, which says what sets cells apart."""
_TITLE_ABOVE: Final = re.compile(
    r'((?:[^\n"]+\n){1,4}?)[ ,;\t]*\r?\n(?=[^\n]*[,;\t|][^\n]*\n(?:[^\n]*[^\s][^\n]*(?:\n|$)){2})'
)
"""One to four lines above an empty one and a table: its title."""
_NUMBER_IN_TITLE: Final = re.compile(r"(?m)\d[,;\t]|[,;\t]\d+\s*$|[;\t]")
"""What says that lines above an empty one are rows themselves; a year behind a comma is none."""
_COMMENT: Final = re.compile(r"\s*#(\s|#|!|[\w -]+[:=]|$)")
"""Lines above a table that are not rows of it."""
COMPOUND: Final = re.compile(r"[\w,]+\\\w+")
"""Eurostat's first title, such as “unit,geo\\time”: several columns, and what the others are."""
_QUALTRICS: Final = re.compile(r'\{\s*"ImportId"')
"""What the third row of Qualtrics begins with, below short names and the text of questions."""
_ROWS: Final = 1_000
_FILLED_MIN: Final = 0.5
"""Of the rows of a table, those with several cells, where rows above with a single one are none."""
_FIT_MIN: Final = 0.5
_THOUSANDS: Final = r"(?<![^,])[-+]?[1-9]\d{0,2}(?:,\d{3})+(?![^,])"
_DECIMALS: Final = r"(?<![^,])[-+]?\d+,\d{1,2}(?![^,])"
"""Neighbouring cells that may be one number, within the cells of a row with commas between them."""
_RULE: Final = re.compile(r"[|+]?\s*:?-{2,}[-:=+|\s]*")
_Rows: TypeAlias = list[tuple[int, list[str]]]
"""Rows by their number from 1."""
_YEAR: Final = re.compile(r"(19|20)\d\d")
_UNIT_MIN: Final = 2
"""Letters that the unit of a column of numbers has more of; fewer may stand for no number."""


@dataclass(frozen=True)
class TableDialect:
    """`delimiter` between the `width` cells of a row; data begin after `skip` rows.

    `skip_with_header`: rows until the end of the first, for where it is the header; a cell may hold
    line breaks, so that these are rows and no lines. `titles`: names of the columns that are known
    for sure, () where they are not: then both numbers are equal; `remark`: what names them.
    `notes`: rows above the table, and texts that stand alone in theirs.
    """

    delimiter: str
    width: int
    skip: int
    skip_with_header: int
    titles: tuple[str, ...] = ()
    remark: str = ""
    notes: tuple[str, ...] = ()

    def describe(self) -> str:
        """What sets the cells of a text apart, and what is skipped, in words."""
        between = ""
        if self.width > 1:
            between = f" with {DELIMITERS[self.delimiter]} between them"
        return self._describe(between, "other line", "other lines")

    def describe_sheet(self) -> str:
        """The columns of a workbook's sheet, and what is skipped, in words."""
        return self._describe("", "other row", "other rows")

    def _describe(self, between: str, one: str, many: str) -> str:
        columns = f"{self.width:,} columns"
        if self.width == 1:
            columns = "one column"
        above = ""
        if self.skip:
            above = f", below {count_text(self.skip, one, many)}"
        return f"{columns}{between}{self.remark or above}"


def is_drawn(head: str) -> bool:
    """Whether a text draws a table with bars and lines of dashes, as Markdown and databases do."""
    lines = [line.strip() for line in head.splitlines()[:_ROWS]]
    rules = [line for line in lines if _is_rule(line)]
    return bool(rules) and any("|" in line and not _is_rule(line) for line in lines)


def _is_rule(line: str) -> bool:
    """Whether a line is drawn, such as “|---|---|” or “+-----+”."""
    return _RULE.fullmatch(line) is not None and ("|" in line or "+" in line)


def without_drawing(text: str) -> str:
    """A table that is drawn as one with bars between its cells; lines keep their numbers."""
    bare = []
    for drawn_line in text.splitlines():
        line = drawn_line.strip().replace("**", "")
        if not _is_rule(line):
            bare.append(line.removeprefix("|").removesuffix("|"))
        # A rule between columns stays as an empty line, one that is drawn around all goes.
        elif {*line[1:-1]} & {*"|+"}:
            bare.append("")
    return "\n".join(bare) + "\n"


def detect_dialect(head: str, name: str, delimiter: str = "") -> TableDialect:
    """The dialect of a text by its beginning; `delimiter`: where it is known.

    Raises `CaldpError` if the text is not a table.
    """
    most = 0
    for line in head.splitlines()[:_ROWS]:
        most = max(most, *(line.count(sign) for sign in DELIMITERS))
    require(
        most < COLUMNS_MAX,
        f"A table may have up to {COLUMNS_MAX:,} columns, {excerpt(name)} has {most + 1:,}; keep "
        "those that are needed.",
    )

    # 1. Excel's first line, or a title above an empty line: what is below them is looked at alone.
    separator = _SEPARATOR_LINE.match(head)
    if separator is not None:
        found = detect_dialect(head[separator.end() :], name, delimiter or separator[1])
        skip, then = found.skip + 1, found.skip_with_header + 1
        return replace(found, skip=skip, skip_with_header=then)
    title = _TITLE_ABOVE.match(head)
    if title is not None and not _NUMBER_IN_TITLE.search(title[1]):
        found = detect_dialect(head[title.end() :], name, delimiter)
        above = head[: title.end()].count("\n")
        skip, then = found.skip + above, found.skip_with_header + above
        notes = [line.strip() for line in title[1].splitlines() if line.strip()]
        return replace(found, skip=skip, skip_with_header=then, notes=(*notes, *found.notes))

    # 2. Of all signs that there are the one by which most rows have equally many cells; without
    # one that fits half of the rows the text is one column.
    is_cut = len(head) >= HEAD_BYTES // 4  # characters have up to four bytes
    signs = [sign for sign in DELIMITERS if sign in head]
    if delimiter:
        signs = [delimiter]
    candidates = []
    for sign in signs:
        candidate = _dialect_of(_rows(head, sign, name), sign, is_cut)
        if delimiter or candidate[0] >= _FIT_MIN:
            candidates.append(candidate)
    if not candidates:
        candidates.append(_dialect_of(_rows(head, NO_DELIMITER, name), NO_DELIMITER, is_cut))
    _, _, best = max(candidates, key=lambda candidate: candidate[:2])

    # 3. Commas may stand within numbers as well: then nobody can say what is meant.
    if "," in signs and best.delimiter in (",", NO_DELIMITER):
        _check_commas(_rows(head, ",", name), name)
    return best


def _rows(head: str, delimiter: str, name: str) -> _Rows:
    """The first rows with a filled cell, and their numbers; raises `CaldpError` for none."""
    rows: _Rows = []
    reader = csv.reader(io.StringIO(head, newline=""), delimiter=delimiter)
    try:
        for number, cells in enumerate(reader, start=1):
            if any(cell.strip() for cell in cells):
                if max(map(len, cells)) > CELL_MAX:
                    raise _too_long(name)
                rows.append((number, cells))
            if len(rows) >= _ROWS:
                break
    except csv.Error:
        raise _too_long(name) from None
    require(bool(rows), f"There is nothing to read in {excerpt(name)}; give rows of data.")
    return rows


def _dialect_of(rows: _Rows, delimiter: str, is_cut: bool) -> tuple[float, bool, TableDialect]:
    """Share of rows with the commonest number of cells, 0 if that is one; preference; dialect.

    `is_cut`: whether the text goes on, so that its last row here may be a part of one.
    """
    whole = rows
    if is_cut and 2 < len(rows) < _ROWS:
        whole = rows[:-1]
    all_cells = [cells for _, cells in whole]
    without_comments = [cells for cells in all_cells if not _COMMENT.match(",".join(cells))]
    widths = [len(cells) for cells in without_comments or all_cells]
    ((width, times),) = Counter(widths).most_common(1)
    first = _first_of_table(all_cells, width)
    first_number = rows[first][0]
    fits = 0.0
    notes = []
    if width > 1:
        fits = times / len(widths)
        # What stands above the table, or alone in its row, says what the table is.
        for place, (_, cells) in enumerate(rows):
            filled = [cell for cell in cells if cell.strip()]
            if place < first or len(filled) == 1:
                notes.append(",".join(filled))
    dialect = TableDialect(delimiter, width, first_number - 1, first_number, notes=tuple(notes))
    return fits, delimiter != ",", _with_known_titles(dialect, rows, first)


def _check_commas(rows: _Rows, name: str) -> None:
    """Raise `CaldpError` where rows are longer by the pieces of numbers such as 1,234 or 45,3."""
    bare = [(line, _without_ends(cells)) for line, cells in rows]
    widths = [len(cells) for _, cells in bare]
    possible_widths = {*widths}
    # A single cell below wider rows is a note rather than a narrower table.
    if widths[0] > 1:
        possible_widths.discard(1)
    for width in sorted(possible_widths):
        below = bare[widths.index(width) :]
        wide = [(line, cells) for line, cells in below if len(cells) > width]
        of_titles = width not in widths[1:]
        found = _numbers_in_pieces(wide, width, has_decimals=of_titles and width == 2)
        # Most of the longer rows must be explained by such numbers, and the first of them.
        if not found or 2 * len(found) < len(wide) or wide[0][0] not in found:
            continue
        line, cells = wide[0]
        title_advice = ""
        if of_titles and len(cells) == width + 1 > 2:
            title_advice = ", or write a title above each column"
        raise CaldpError(
            f"Line {line:,} of {excerpt(name)}, {excerpt(','.join(cells))}, has {len(cells):,} "
            f"cells, not {width:,}: {found[line]} is probably one number, with a comma but without "
            "quotation marks; write numbers without commas, or save the file with semicolons "
            f"between its cells{title_advice}."
        )


def _numbers_in_pieces(rows: _Rows, width: int, has_decimals: bool) -> dict[int, str]:
    """By line the first number in neighbouring cells, of rows that such numbers make too long.

    `has_decimals`: whether 45,3 may be one; more cells than titles may be integers beside names.
    """
    first_cells = [cells[0] for _, cells in rows]
    # R numbers the rows, without a title above the numbers.
    if width > 1 and first_cells == [str(number) for number in range(1, len(rows) + 1)]:
        return {}
    patterns = [_THOUSANDS]
    if has_decimals and not any(map(looks_like_number, first_cells)):
        patterns.append(_DECIMALS)
    found: dict[int, str] = {}
    for pattern in patterns:
        for line, cells in rows:
            # A comma within a cell, which was quoted, sets nothing apart.
            numbers = re.findall(pattern, ",".join(cell.replace(",", ".") for cell in cells))
            comma_count = sum(number.count(",") for number in numbers)
            if comma_count >= len(cells) - width:
                found.setdefault(line, numbers[0])
    return found


def _without_ends(cells: list[str]) -> list[str]:
    """The cells of a row without empty ones at its end."""
    end = len(cells)
    while end and not cells[end - 1].strip():
        end -= 1
    return cells[:end]


def _first_of_table(rows: Sequence[list[str]], width: int) -> int:
    """The first row with all cells, without comments and titles above a table that is filled."""
    start = 0
    for place, cells in enumerate(rows):
        if not _COMMENT.match(",".join(cells)):
            start = place
            break
    # The titles may stand behind the sign of comments.
    if start and len(rows[start - 1]) == width > 1 and _is_data(rows[start:]):
        start -= 1
    whole = []
    filled = []
    for place in range(start, len(rows)):
        if len(rows[place]) != width:
            continue
        whole.append(place)
        if sum(cell.strip() != "" for cell in rows[place]) > 1:
            filled.append(place)
    if len(filled) >= _FILLED_MIN * len(whole):
        return filled[0]
    return whole[0]


def _two_headers(rows: Sequence[list[str]]) -> tuple[str, ...]:
    """Titles out of two rows; () for one row.

    Names of groups of columns, or questions, above those of columns or choices; or codes above
    labels, such as “ResponseId” above “Response ID”.
    """
    top, below, *data = rows
    if any(looks_like_number(title) and not _YEAR.fullmatch(title) for title in (*top, *below)):
        return ()
    pairs = list(zip(top, below, strict=True))
    numeric = set()
    chosen = set()
    for column, cells in enumerate(zip(*data, strict=True)):
        if 2 * sum(map(looks_like_number, cells)) > len(data):
            numeric.add(column)
        # A choice among several has its own title in the rows that chose it.
        if {"", below[column]} >= {*cells}:
            chosen.add(column)

    # 1. A title above spans the columns behind it, which hold numbers or choices.
    spanned = {column for column, (above, title) in enumerate(pairs) if title and not above}
    if spanned and spanned <= numeric | chosen:
        titles = []
        group = ""
        for above, title in pairs:
            group = above or group
            if title in ("", above):
                titles.append(above)
            else:
                titles.append(f"{group} {title}")
        return tuple(titles)

    # 2. Each column has two titles: a code and its label, a unit below, or the Census' “!!”.
    if not all(below):
        return ()
    are_codes = any(above != title and _letters(above) == _letters(title) for above, title in pairs)
    unit_count = sum(len(below[column]) > _UNIT_MIN for column in numeric)
    if are_codes or unit_count > 1 or any("!!" in title for title in below):
        return tuple(map(_joined_title, top, below))
    return ()


def _joined_title(above: str, title: str) -> str:
    """One title out of two, which may be the same."""
    if above == title:
        return above
    return f"{above} {title}"


def _letters(title: str) -> str:
    """A title without signs and capital letters."""
    return re.sub(r"\W", "", title.casefold())


def _with_known_titles(dialect: TableDialect, rows: _Rows, first: int) -> TableDialect:
    """The dialect with the titles of Qualtrics, or of a header that is a cell too short.

    R leaves out the title above its names of rows; a comma may end every other row.
    """
    below = [cells for _, cells in rows[first:]]
    if COMPOUND.fullmatch(below[0][0].strip()):
        titles, end = tuple(title.strip() for title in below[0]), rows[first][0]
        return replace(dialect, skip=end, titles=titles, remark=", titles as of Eurostat")
    if len(below) > 2 and any(map(_QUALTRICS.match, below[2])):
        titles = tuple(text.strip() or code for code, text in zip(*below[:2], strict=False))
        end = rows[first + 2][0]
        return replace(
            dialect, skip=end, skip_with_header=end, titles=titles, remark=", Qualtrics’ titles"
        )
    if len(below) > 2 and len({dialect.width, *map(len, below)}) == 1:
        titles, end = _two_headers(below), rows[first + 1][0]
        if titles:
            two = replace(dialect, skip=end, skip_with_header=end, titles=titles)
            return replace(two, remark=", two rows of titles")
    above = rows[first - 1][1] if first else []
    if len(above) == dialect.width + 1 > 2 and not above[-1].strip() and all(above[:-1]):
        titles = tuple(cell.strip() for cell in above[:-1])
        remark = ", one more above them"
        return replace(dialect, skip_with_header=dialect.skip, titles=titles, remark=remark)
    is_header = len(above) == dialect.width - 1 > 1 and all(cell.strip() for cell in above)
    if not is_header or any(map(looks_like_number, above)) or not _is_data(below):
        return dialect
    is_last_empty = not any(cells[-1].strip() for cells in below)
    titles = (*above, "") if is_last_empty else ("", *above)
    return replace(
        dialect, skip_with_header=dialect.skip, titles=titles, remark=", one without a title"
    )


def _is_data(rows: Sequence[list[str]]) -> bool:
    """Whether the first of some rows has a number, or a cell that a row below has, too."""
    first, *others = rows
    for cell in first:
        if looks_like_number(cell):
            return True
        if cell and any(cell in row for row in others):
            return True
    return False


def _too_long(name: str) -> CaldpError:
    return CaldpError(
        f"A cell at the beginning of {excerpt(name)} has more than {CELL_MAX:,} characters; a "
        "quotation mark may be open there: close it, or take it out."
    )
