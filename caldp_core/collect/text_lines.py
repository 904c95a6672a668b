"""SQL by which DuckDB reads a text file line by line, and a line of CSV as its fields.

DuckDB's own reader of quotes lets a broken one swallow all lines up to the next, a million of them.
"""

from collections.abc import Sequence
from typing import Final

_READ: Final = ("report", "protocol", "batch", "n")
"""The columns of CSV that are read: of reports, and of their histogram."""
_FIELD: Final = '(?:"(?:[^"]|"")*"|[^",][^,]*|)'
"""A field of CSV (RFC 4180) as a regular expression; a quote within an unquoted one is a sign."""


def lines_sql(header: bool, options: str) -> str:
    r"""SQL of a text file's lines that are not empty; without the first if it is a `header`.

    Quotes mean nothing here, so that a broken one spoils its own line and no other. Where lines end
    in \r\r\n they begin with a \n that is left over.
    """
    reader = (
        "read_csv($path, columns = {'line': 'VARCHAR'}, delim = '\n', quote = '', escape = '', "
        f"auto_detect = false, strict_mode = false, header = {header}, {options})"
    )
    return f"(FROM {reader} WHERE trim(line) <> '' AND line <> '\n')"


def fields_sql(columns: Sequence[str], options: str) -> str:
    """SQL of a CSV file's columns that are read; in a line with other fields all are NULL."""
    names = [name for name in columns if name in _READ]
    pattern = ",".join(f"({_FIELD})" if name in _READ else _FIELD for name in columns)
    # Most lines have no quotes, and are split in a third of the time.
    parts = (
        "CASE WHEN NOT contains(line, '\"') THEN string_split(replace(line, '\n', ''), ',') END "
        "AS plain, CASE WHEN contains(line, '\"') "
        f"THEN regexp_extract(line, '^\\n?{pattern}$', {names}) END AS quoted"
    )
    values = ", ".join(f"{_value_sql(name, columns)} AS {name}" for name in names)
    return f"(SELECT {values} FROM (SELECT {parts} FROM {lines_sql(True, options)}))"


def _value_sql(name: str, columns: Sequence[str]) -> str:
    field, plain = f"quoted.{name}", f"plain[{columns.index(name) + 1}]"
    return (
        f"nullif(CASE WHEN len(plain) = {len(columns)} THEN {plain} WHEN starts_with({field}, "
        f"'\"') THEN replace({field}[2:-2], '\"\"', '\"') ELSE {field} END, '')"
    )
