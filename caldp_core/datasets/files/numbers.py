"""Numbers as people write them: with a decimal point or comma, and with groups of three digits.

Columns of numbers in bins of one width: which widths are offered, and SQL of a number's bin.
"""

import math
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from caldp_core.basics.errors import require
from caldp_core.basics.limits import OWN_ANSWERS_MAX
from caldp_core.domain.domains import bin_name

DecimalMark: TypeAlias = Literal[".", ","]
"""The mark before decimals; the other, spaces and apostrophes may be between groups of digits."""
_PLAIN: Final = re.compile(r"[-+]?(\d+|\d*\.\d+|\d+\.)([eE][-+]?\d{1,3})?", re.ASCII)
_DIGIT: Final = re.compile(r"\d")
_DIGITS: Final = "٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९০১২৩৪৫৬৭৮৯๐๑๒๓๔๕๖๗๘๙０１２３４５６７８９٫"
_AS_ASCII: Final = 6 * "0123456789" + "."
_TO_ASCII: Final = str.maketrans(_DIGITS, _AS_ASCII, "٬")
"""Digits of other scripts, and the Arabic marks of decimals and thousands."""
SPACES: Final = " '’\u00a0\u2009\u202f"
_EVIDENCE: Final = {
    mark: re.compile(
        rf"[-+]?\d{{1,3}}(\{other}\d{{3}})+\{mark}\d+|[-+]?\d{{1,3}}(\{other}\d{{3}}){{2,}}"
        rf"|[-+]?0*\{mark}\d+|[-+]?\d{{4,}}\{mark}\d+|[-+]?\d+\{mark}(\d{{1,2}}|\d{{4,}})"
        rf"|[-+]?\d{{1,2}}(\{other}\d\d)+\{other}\d{{3}}(\{mark}\d*)?"
    )
    for mark, other in ((".", ","), (",", "."))
}
"""Numbers that only one mark explains; "1.204" and "1,204" are numbers by either."""
_IN_GROUPS: Final = {
    mark: re.compile(
        rf"[-+]?[1-9]\d{{0,2}}(([{SPACES}]\d{{3}})+|([{other}]\d{{3}})+"
        rf"|([{other}]\d\d)+[{other}]\d{{3}})([{mark}]\d*)?"
    )
    for mark, other in ((".", ","), (",", "."))
}
"""Numbers in groups of three digits, in India of two before the last three."""
_MINUS: Final = "\u2212\u2013\u2014\ufe63\uff0d"
"""Signs that stand for a minus before a number: a dash, too, and wide ones."""
_MINUS_TO_ASCII: Final = str.maketrans(dict.fromkeys(_MINUS, "-"))
_UNSEEN: Final = "[\\\\\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
"""Unseen marks, and the backslash before a quotation mark, as a pattern."""
_PART: Final = r"(\d+(?:[.,]\d+)?)"
_DEGREES: Final = (
    rf"(?i)([NSEW]?)\s*([-+]?)\s*{_PART}\s*"
    rf"(?:[°º]\s*(?:{_PART}\s*['′’]\s*(?:{_PART}\s*(?:\"|″|”|'')?\s*)?)?)?([NSEW]?)"
)
_DEGREE_SIGN: Final = "[°ºNSEWnsew]"
"""Degrees, perhaps with minutes and seconds, and N, S, E or W before or behind them."""
WORDS: Final[Mapping[str, Any]] = tomllib.loads(
    Path(__file__).with_name("words.toml").read_text("utf-8")
)
"""Names of columns and labels in the usual languages, by subject."""
HIDDEN: Final = rf"(?i){WORDS['labels']['hidden']}"
"""What stands for a number of people that is too small to be published, as a pattern."""
_UNCLEAR: Final = re.compile(r"[-+]?[1-9]\d{0,2}[.,]\d{3}")


def parse_number(text: str, mark: DecimalMark) -> float | None:
    """The number in a cell, None if there is none."""
    cell = _bare(text)
    other = _other(mark)
    if _IN_GROUPS[mark].fullmatch(cell):
        cell = re.sub(f"[{SPACES}{other}]", "", cell)
    elif other in cell:
        return None
    cell = cell.replace(mark, ".")
    if _PLAIN.fullmatch(cell) is None:
        return None
    return float(cell)


def _bare(text: str) -> str:
    """A cell without unseen marks, with a plain minus sign and the digits 0 to 9."""
    cell = text.strip()
    if cell.isascii():
        return cell
    return re.sub(_UNSEEN, "", cell).strip().translate(_MINUS_TO_ASCII).translate(_TO_ASCII)


def parse_degrees(text: str, mark: DecimalMark) -> float | None:
    """The degrees in a cell: a number, or with signs, minutes, seconds or N, S, E, W; or None."""
    number = parse_number(text, mark)
    if number is not None:
        return number
    cell = _bare(text)
    match = re.fullmatch(_DEGREES, cell)
    if match is None or not has_degree_signs(cell):
        return None
    # Groups that are not there are None; minutes and seconds are 0 then.
    ahead, sign, *parts, behind = (part or "" for part in match.groups())
    degrees, minutes, seconds = (float(part.replace(",", ".") or 0) for part in parts)
    found = degrees + minutes / 60 + seconds / 3600
    if sign == "-" or (ahead + behind).upper() in ("S", "W"):
        return -found
    return found


def has_degree_signs(text: str) -> bool:
    """True of a cell with a degree sign or a letter of a direction."""
    return re.search(_DEGREE_SIGN, text) is not None


def looks_like_number(text: str) -> bool:
    """True of a number by either mark."""
    if _DIGIT.search(text) is None:
        return False
    return parse_number(text, ".") is not None or parse_number(text, ",") is not None


def detect_mark(cells: Iterable[str]) -> DecimalMark | None:
    """Which mark is before decimals; None where the cells could mean either."""
    points = 0
    commas = 0
    has_unclear = False
    for cell in cells:
        text = re.sub(rf"(?<=\d)[{SPACES}](?=\d{{3}})", "", _bare(cell))
        points += _EVIDENCE["."].fullmatch(text) is not None
        commas += _EVIDENCE[","].fullmatch(text) is not None
        has_unclear |= _UNCLEAR.fullmatch(text) is not None
    if commas > points:
        return ","
    # Only where nothing speaks for either mark does a number such as 1.204 need a question.
    if points == 0 and has_unclear:
        return None
    return "."


def single_spaced_sql(cell: str) -> str:
    """SQL of a cell, itself SQL, with single spaces, as checks see it."""
    return f"trim(regexp_replace({cell}, '\\s+', ' ', 'g'))"


def number_sql(column: str, mark: DecimalMark) -> str:
    """A column of texts as numbers, NULL for one without a number; NaN and ∞ are none."""
    pattern = _IN_GROUPS[mark].pattern.replace("'", "''")
    plain = column
    if mark == ",":
        plain = f"CASE WHEN NOT contains({column}, '.') THEN replace({column}, ',', '.') END"
    signs = f"{SPACES}{_other(mark)}".replace("'", "''")
    bare = f"regexp_replace({column}, '[{signs}]', '', 'g')"
    in_groups = (
        f"CASE WHEN regexp_full_match(trim({column}), '{pattern}') "
        f"THEN TRY_CAST(replace({bare}, ',', '.') AS DOUBLE) END"
    )
    # What can't be read at first glance is looked at again: few cells, so that it costs nothing.
    seen = f"TRY_CAST({_bare_sql(plain)} AS DOUBLE)"
    value = f"coalesce(TRY_CAST({plain} AS DOUBLE), {in_groups}, {seen})"
    return f"(CASE WHEN isfinite({value}) THEN {value} END)"


def _bare_sql(text: str) -> str:
    """SQL of what `_bare` makes of a text, which is SQL itself."""
    plain = f"regexp_replace({text}, '{_UNSEEN}|٬', '', 'g')"
    return f"translate({plain}, '{_MINUS}{_DIGITS}', '{'-' * len(_MINUS)}{_AS_ASCII}')"


def degrees_sql(column: str, mark: DecimalMark) -> str:
    """A column of texts as degrees, as `parse_degrees` reads them; NULL for none."""
    pattern = _DEGREES.replace("'", "''")
    ahead, sign, degrees, minutes, seconds, behind = (
        f"regexp_extract(cell, '{pattern}', {group})" for group in range(1, 7)
    )
    parts = []
    for part, unit in ((degrees, 1), (minutes, 60), (seconds, 3600)):
        parts.append(f"coalesce(TRY_CAST(replace({part}, ',', '.') AS DOUBLE), 0) / {unit}")
    is_negative = f"{sign} = '-' OR upper({ahead} || {behind}) IN ('S', 'W')"
    signed = f"({' + '.join(parts)}) * CASE WHEN {is_negative} THEN -1 ELSE 1 END"
    is_written = f"regexp_matches(cell, '{_DEGREE_SIGN}')"
    written = f"CASE WHEN {is_written} AND regexp_full_match(cell, '{pattern}') THEN {signed} END"
    # Within a lambda nothing is computed ahead for cells that are plain numbers.
    looked_at = f"list_transform([trim({_bare_sql(column)})], lambda cell: {written})[1]"
    return f"coalesce({number_sql(column, mark)}, {looked_at})"


def _other(mark: DecimalMark) -> DecimalMark:
    """The mark that is not before decimals, and may be between groups of digits."""
    return "," if mark == "." else "."


_ANSWERS_MAX: Final = 30
"""As many different numbers are answers by themselves."""
_BINS: Final = 20
_BINS_MAX: Final = 200
_BINS_MIN: Final = 4


@dataclass(frozen=True)
class NumberSteps:
    """Steps of `width` in which numbers are put together, from `start` on and below `end`.

    Without a start steps begin at multiples of the width; without either end they reach as far as
    there are numbers, so that the least and the largest number show. Numbers beyond an end that is
    given count in the step there.
    """

    width: float
    start: float | None = None
    end: float | None = None

    def check(self) -> None:
        """Raise `CaldpError` unless these make 2 bins or more, and as many as a table may have."""
        ends = {"The width of steps": self.width, "From": self.start, "To": self.end}
        for name, number in ends.items():
            require(number is None or math.isfinite(number), f"{name} must be a number.")
        require(self.width > 0, f"The width of steps must be above 0, got {self.width:g}.")
        if self.start is None or self.end is None:
            return
        require(
            self.start < self.end,
            f"Steps must go from a number to a larger one, got {self.start:g} to {self.end:g}.",
        )
        bins = (self.end - self.start) / self.width
        require(
            1 < bins <= OWN_ANSWERS_MAX,
            f"From {self.start:g} to {self.end:g} there must be 2 to {OWN_ANSWERS_MAX:,} steps, "
            f"got {math.ceil(bins):,} of {self.width:g}; take another width.",
        )

    @property
    def last(self) -> int | None:
        """Number of the last bin, if there is an end."""
        if self.end is None:
            return None
        return math.ceil(round((self.end - (self.start or 0.0)) / self.width, 9)) - 1


def width_choices(cells: Sequence[str], mark: DecimalMark) -> tuple[float, ...]:
    """Widths of 1, 2 or 5 times a power of ten that make 4 to 200 bins of most of the numbers."""
    span = _span(cells, mark)
    if span <= 0:
        return ()
    least_power = math.floor(math.log10(span / _BINS_MAX))
    largest_power = math.ceil(math.log10(span / _BINS_MIN))
    widths = []
    for power in range(least_power, largest_power + 1):
        for digit in (1, 2, 5):
            # Read from a text, 0.1 is the number that people write, which 10 ** -1 need not be.
            width = float(f"{digit}e{power}")
            if _BINS_MIN <= span / width <= _BINS_MAX:
                widths.append(width)
    return tuple(widths)


def default_width(cells: Sequence[str], mark: DecimalMark) -> float | None:
    """The width that makes up to 20 bins of most of the numbers; None where they are few."""
    if len({parse_number(cell, mark) for cell in cells}) <= _ANSWERS_MAX:
        return None
    span = _span(cells, mark)
    for width in width_choices(cells, mark):
        if span / width <= _BINS:
            return width
    return None


def _span(cells: Sequence[str], mark: DecimalMark) -> float:
    """From the number that 1 % are below to the one that 99 % are."""
    numbers = []
    for cell in cells:
        number = parse_number(cell, mark)
        if number is not None:
            numbers.append(number)
    if not numbers:
        return 0.0
    low, high = np.quantile(numbers, (0.01, 0.99))
    return float(high - low)


def steps_sql(column: str, steps: NumberSteps, mark: DecimalMark) -> str:
    """SQL of a cell's number `v`, its step were there no first and last one, and its `step`.

    All are NULL for a cell without a number.
    """
    step = "unbound"
    if steps.start is not None:
        step = f"greatest({step}, 0)"
    if steps.last is not None:
        step = f"least({step}, {steps.last})"
    # By rounding 0.3 is in the fourth bin of width 0.1, though 0.3 / 0.1 is below 3.
    place = f"(v - {float(steps.start or 0.0)!r}) / {float(steps.width)!r}"
    return (
        f"{number_sql(column, mark)} AS v, "
        f"TRY_CAST(floor(round({place}, 9)) AS BIGINT) AS unbound, "
        f"CASE WHEN unbound IS NOT NULL THEN {step} END AS step"
    )


def bin_names(places: Sequence[int], steps: NumberSteps, whole: bool) -> dict[int, str]:
    """Names of all bins from the first to the last, empty ones included.

    Raises `CaldpError` where that is too many.
    """
    # An end that is given shows all bins up to it, else they reach as far as there are numbers.
    first = 0
    if steps.start is None:
        first = min(places)
    last = steps.last
    if last is None:
        last = max(places)
    width = steps.width
    start = steps.start or 0.0
    require(
        last - first < OWN_ANSWERS_MAX,
        f"Numbers from {start + first * width:g} to {start + (last + 1) * width:g} would be "
        f"{last - first + 1:,} steps of {width:g}, and a table may have up to "
        f"{OWN_ANSWERS_MAX:,} answers; take wider steps, or say from where to where they go.",
    )
    return {place: bin_name(place, width, whole, start) for place in range(first, last + 1)}
