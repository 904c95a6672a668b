"""DuckDB, embedded: connected within bounds of memory, threads and time, and to named files alone.

The one place where it is connected. Nothing spills to disk, nothing is downloaded, and no file is
open to it but those that the caller names.
"""

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from math import inf
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.types import Progress, no_progress

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from fsspec.spec import AbstractFileSystem

THREADS: Final = 2
_POLL_S: Final = 0.02
_INTERRUPTED: Final = "Query interrupted"
_SETTINGS: Final[dict[str, str | bool | int | float | list[str]]] = {
    "temp_directory": "",
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "python_enable_replacements": False,
    "enable_external_file_cache": False,
}


@contextmanager
def connect(
    memory_mb: int,
    files: "AbstractFileSystem | None" = None,
    folders: Sequence[Path] = (),
) -> Iterator["DuckDBPyConnection"]:
    """A database in memory, closed at the end.

    `memory_mb`: megabytes that it may take; `files`: a file system whose paths it may open, such as
    data in memory; `folders`: in which it may read and write. Its settings can't be changed after.
    """
    import duckdb

    config = {**_SETTINGS, "memory_limit": f"{memory_mb}MB", "threads": THREADS}
    connection = duckdb.connect(":memory:", config=config)
    try:
        open_to = [str(folder.resolve()) for folder in folders]
        if files is not None:
            connection.register_filesystem(files)
            open_to.append(f"{files.protocol}://")
        listed = ", ".join(f"'{each.replace(chr(39), 2 * chr(39))}'" for each in open_to)
        connection.execute(f"SET allowed_directories = [{listed}]")
        connection.execute("SET enable_external_access = false")
        # A long query would print its progress among what a command prints.
        connection.execute("SET enable_progress_bar_print = false")
        connection.execute("SET lock_configuration = true")
        yield connection
    except RuntimeError as error:
        # So DuckDB names the interrupt (Ctrl-C) that it sees in mid-query.
        if str(error) != _INTERRUPTED:
            raise
        raise KeyboardInterrupt from None
    finally:
        connection.close()


def exact_pattern(path: Path) -> str:
    """A pattern that DuckDB's readers expand to this file alone, also if its name has *, ? or [."""
    return re.sub(r"[*?[]", r"[\g<0>]", str(path.resolve()))


def fetch_rows(
    connection: "DuckDBPyConnection",
    sql: str,
    parameters: Sequence[Any] = (),
    seconds: float | None = None,
    progress: Progress = no_progress,
) -> list[tuple[Any, ...]]:
    """The rows of a query's result.

    `seconds`: after which it is interrupted, None for never; `progress` is called with its share
    now and then, and may raise `Cancelled`. Raises `CaldpError` where time or memory is not enough,
    and DuckDB's own errors.
    """
    import duckdb

    end = inf if seconds is None else monotonic() + seconds
    # By a thread of its own: a long task of DuckDB's hears no Ctrl-C, but the one that waits does.
    with ThreadPoolExecutor(1) as worker:
        query = worker.submit(lambda: connection.execute(sql, parameters).fetchall())
        try:
            while wait([query], _POLL_S).not_done:
                require(
                    monotonic() <= end,
                    f"The data must be read within {seconds or 0:g} seconds, and take longer; give "
                    "a part.",
                )
                progress(min(max(connection.query_progress(), 0.0), 100.0) / 100)
        except BaseException:
            while wait([query], _POLL_S).not_done:
                connection.interrupt()  # again, where it had not begun
            raise
    try:
        return query.result()
    except duckdb.OutOfMemoryException:
        raise CaldpError(
            "The data need more memory than they may take, as too many different values must be "
            "told apart; round them, or give a part."
        ) from None
