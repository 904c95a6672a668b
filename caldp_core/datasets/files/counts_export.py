"""Counts as a file: CSV or Parquet, which the dashboard and `inspect_data` read back unchanged."""

from pathlib import Path
from typing import Final

from caldp_core.basics.errors import CaldpError, quoted, require
from caldp_core.basics.extras import explain_missing
from caldp_core.basics.files import (
    connect,
    csv_text,
    engine_reason,
    escape_formula,
    fetch_rows,
    whole_file,
)
from caldp_core.datasets.files.places import people_at_centres
from caldp_core.datasets.files.source import PROTOCOL, file_system, source_from_bytes
from caldp_core.datasets.own import OwnPlaces, OwnTable

_MEMORY_MB: Final = 200
_NUMBERS: Final = ("latitude", "longitude", "cell_degrees")
ENDINGS: Final = (".csv", ".parquet")


def check_ending(path: Path) -> None:
    """Raise `CaldpError` for a name of no format in which counts are written."""
    require(
        path.suffix.lower() in ENDINGS,
        f"The file of counts must end in .csv or .parquet, got {quoted(path.name)}; rename it.",
    )


def write_counts(counts: OwnTable | OwnPlaces, path: Path) -> None:
    """Write counts: a row a cell with people, or an answer, and nothing finer.

    Cells by `latitude` and `longitude` of their centre, `people` and `cell_degrees`, the side of
    every cell; answers by `answer`, `people` and `group` where there are groups. Raises
    `CaldpError` where the file can't be written, or ends neither in .csv nor in .parquet.
    """
    check_ending(path)
    ending = path.suffix.lower()
    with whole_file(path) as part:
        if ending == ".csv":
            part.write_bytes(_csv(counts, escape_formulas=True))
        else:
            _write_parquet(counts, part)


def _rows(counts: OwnTable | OwnPlaces) -> tuple[list[str], list[tuple[object, ...]]]:
    if isinstance(counts, OwnPlaces):
        rows: list[tuple[object, ...]] = [
            (*each, counts.cell) for each in people_at_centres(counts)
        ]
        return ["latitude", "longitude", "people", "cell_degrees"], rows
    names = ["answer", "people", "group"] if counts.groups else ["answer", "people"]
    columns = [counts.names, counts.counts, counts.groups][: len(names)]
    return names, list(zip(*columns, strict=True))


def _csv(counts: OwnTable | OwnPlaces, escape_formulas: bool) -> bytes:
    names, rows = _rows(counts)
    if escape_formulas:
        rows = [tuple(escape_formula(c) if isinstance(c, str) else c for c in row) for row in rows]
    return csv_text([names, *rows]).encode()


def _write_parquet(counts: OwnTable | OwnPlaces, path: Path) -> None:
    with explain_missing("Parquet"):
        import duckdb

    names, _ = _rows(counts)
    kinds = {name: "DOUBLE" if name in _NUMBERS else "VARCHAR" for name in names}
    kinds["people"] = "BIGINT"
    columns = ", ".join(f"'{name}': '{kind}'" for name, kind in kinds.items())
    where = str(path.resolve()).replace("'", "''")
    source = source_from_bytes(_csv(counts, escape_formulas=False), path.name)
    with (
        file_system(source) as files,
        connect(_MEMORY_MB, files=files, folders=[path.resolve().parent]) as connection,
    ):
        try:
            fetch_rows(
                connection,
                f"COPY (FROM read_csv('{PROTOCOL}://file', auto_detect = false, header = true, "
                f"delim = ',', quote = '\"', escape = '\"', columns = {{{columns}}})) "
                f"TO '{where}' (FORMAT parquet)",
            )
        except duckdb.Error as error:
            why = engine_reason(str(error))
            raise CaldpError(f"The file {quoted(path)} can't be written: {why}") from None
