"""Numbers as people write them: with a decimal point or comma, and with groups of three digits."""

import re
from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

DecimalMark: TypeAlias = Literal[".", ","]
"""The mark before decimals; the other, spaces and apostrophes may be between groups of digits."""
_PLAIN: Final = re.compile(r"[-+]?(\d+|\d*\.\d+|\d+\.)([eE][-+]?\d{1,3})?")
_SPACES: Final = " '’\u00a0\u202f"
_EVIDENCE: Final = {
    mark: re.compile(
        rf"[-+]?\d{{1,3}}(\{other}\d{{3}})+\{mark}\d+|[-+]?\d{{1,3}}(\{other}\d{{3}}){{2,}}"
        rf"|[-+]?0*\{mark}\d+|[-+]?\d{{4,}}\{mark}\d+|[-+]?\d+\{mark}(\d{{1,2}}|\d{{4,}})"
    )
    for mark, other in ((".", ","), (",", "."))
}
"""Numbers that only one mark explains; "1.204" and "1,204" are numbers by either."""
_UNCLEAR: Final = re.compile(r"[-+]?[1-9]\d{0,2}[.,]\d{3}")


def parse_number(text: str, mark: DecimalMark) -> float | None:
    """The number in a cell, None if there is none."""
    cell = text.strip()
    if re.fullmatch(grouped_pattern(mark), cell):
        cell = re.sub(f"[{_SPACES}{_other(mark)}]", "", cell)
    elif _other(mark) in cell:
        return None
    cell = cell.replace(mark, ".")
    return float(cell) if _PLAIN.fullmatch(cell) else None


def looks_like_number(text: str) -> bool:
    """True of a number by either mark."""
    return parse_number(text, ".") is not None or parse_number(text, ",") is not None


def detect_mark(cells: Iterable[str]) -> DecimalMark | None:
    """Which mark is before decimals; None where the cells could mean either."""
    point, comma, unclear = 0, 0, False
    for cell in cells:
        text = cell.strip()
        point += _EVIDENCE["."].fullmatch(text) is not None
        comma += _EVIDENCE[","].fullmatch(text) is not None
        unclear |= _UNCLEAR.fullmatch(text) is not None
    if point or comma:
        return "." if point >= comma else ","
    return None if unclear else "."


def grouped_pattern(mark: DecimalMark) -> str:
    """The pattern of a number in groups of three digits."""
    in_threes = "|".join(rf"([{sign}]\d{{3}})+" for sign in (_SPACES, _other(mark)))
    return rf"[-+]?[1-9]\d{{0,2}}({in_threes})([{mark}]\d*)?"


def number_sql(column: str, mark: DecimalMark) -> str:
    """A column of texts as numbers, NULL for one without a number; NaN and ∞ are none."""
    pattern = grouped_pattern(mark).replace("'", "''")
    plain = column
    if mark == ",":
        plain = f"CASE WHEN NOT contains({column}, '.') THEN replace({column}, ',', '.') END"
    signs = f"{_SPACES}{_other(mark)}".replace("'", "''")
    bare = f"regexp_replace({column}, '[{signs}]', '', 'g')"
    in_groups = (
        f"CASE WHEN regexp_full_match(trim({column}), '{pattern}') "
        f"THEN TRY_CAST(replace({bare}, ',', '.') AS DOUBLE) END"
    )
    # What can't be read at first glance is looked at again: few cells, so that it costs nothing.
    value = f"coalesce(TRY_CAST({plain} AS DOUBLE), {in_groups})"
    return f"(CASE WHEN isfinite({value}) THEN {value} END)"


def _other(mark: DecimalMark) -> DecimalMark:
    return "," if mark == "." else "."
