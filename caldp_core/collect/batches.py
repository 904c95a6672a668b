"""Batches: the books by which no report counts twice, whichever engine counts it.

A *batch* is a delivery: all reports with one name in their column `batch`. One run counts it, be it
of files, of a frame or of a query, and no other does: a tally's books name its batches, and tallies
with a batch in common are not added. Files of one run that share a batch are its parts: each report
is in one of them, and parts that hold the same reports are refused. A file is in the books by its
contents as well, so that a run that broke off goes on where it was. Reports without a batch are
known by their file, or by the name that their frame is given.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from caldp_core.basics.errors import require
from caldp_core.collect.report_files import ReportFile

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

BATCH_PREFIX: Final = "batch:"
"""How a delivery's name in the books begins; a file's with `FILE_PREFIX`."""
BATCHES_MAX: Final = 1_000
"""Most batches of one file or frame: a batch is a delivery, not a report."""
Parts: TypeAlias = Callable[[], Mapping[str, Sequence[Path]]]
"""The batches that files of this run have brought into the tally, with those files."""


def book_names(names: Iterable[str], source: str) -> frozenset[str]:
    """Names of deliveries as books have them; raises `CaldpError` where `source` has too many."""
    found = frozenset(f"{BATCH_PREFIX}{name}" for name in names)
    require(
        len(found) <= BATCHES_MAX,
        f"{source} names more than {BATCHES_MAX:,} batches; a batch is a delivery of many reports.",
    )
    return found


def batches_of_file(connection: "DuckDBPyConnection", source: ReportFile) -> frozenset[str]:
    """The deliveries in a file, as books name them; raises `CaldpError` as `book_names` does."""
    if not source.has_batches:
        return frozenset()
    sql = f"SELECT DISTINCT batch FROM ({source.rows_sql}) WHERE batch IS NOT NULL"
    rows = connection.execute(f"{sql} LIMIT {BATCHES_MAX + 1}", source.sql_parameters).fetchall()
    return book_names((name for (name,) in rows), f"The file {str(source.path)!r}")


def batch_content(
    connection: "DuckDBPyConnection", source: ReportFile, report_sql: str, name: str
) -> tuple[int, int]:
    """(reports, sum of their hashes) of a batch in a file: equal where it holds the same reports.

    `report_sql`: a report, the same in files of all forms; `name`: of the batch in the books.
    """
    rows_sql = f"SELECT {report_sql} AS sent, batch FROM ({source.rows_sql})"
    sql = f"SELECT count(*), coalesce(sum(hash(sent)), 0) FROM ({rows_sql}) WHERE batch = $batch"
    parameters = {**source.sql_parameters, "batch": name.removeprefix(BATCH_PREFIX)}
    ((n, total),) = connection.execute(sql, parameters).fetchall()
    return n, total


def check_new_batches(
    path: Path, batches: Collection[str], known: Mapping[str, Sequence[Path]],
    is_copy: Callable[[str, Path], bool],
) -> None:  # fmt: skip
    """Raise `CaldpError` for batches of the tally that `path` may not add to.

    `batches`: those of the file that are in the tally; `known`: with the files of this run that
    brought them; `is_copy`: whether such a file holds the same reports of a batch.
    """
    for name in sorted(batches):
        short = name.removeprefix(BATCH_PREFIX)
        require(
            name in known,
            f"The batch {short!r} of {str(path)!r} was counted before; take its reports out of the "
            "file, or name all files of the batch in one run.",
        )
        copy = next((other for other in known[name] if is_copy(name, other)), None)
        require(
            copy is None,
            f"The files {str(path)!r} and {str(copy)!r} hold the same reports of the batch "
            f"{short!r}; name one of them, or put parts that happen to be alike into one file.",
        )
