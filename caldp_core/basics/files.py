"""Files: small ones read and written as a whole, others read aside or by DuckDB within bounds.

Numbers in links, areas and runs have one spelling: Python's int and float also read 1_0, spaces and
the digits of every script, which would make one scenario out of many texts.

A hostile file is read in a process of its own: memory by the gigabyte, a crash, or many seconds
with the interpreter's lock stay with that process, which has bounds of its own. Only what was read
comes back. One reads at a time, after all that others of the machine want of the processor: two
would leave a server of two cores without one.

DuckDB is connected here alone, and works after all others, too. Nothing spills to disk, nothing is
downloaded, and no file is open to it but those that the caller names.
"""

import csv
import errno
import gc
import io
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from functools import cache
from math import inf
from pathlib import Path
from threading import Lock, get_native_id
from time import monotonic
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from caldp_core.basics.errors import CaldpError, quoted, require
from caldp_core.basics.extras import explain_missing
from caldp_core.basics.types import Progress, no_progress

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from fsspec.spec import AbstractFileSystem

BYTE_ORDER_MARK: Final = "\ufeff"
"""What editors on Windows begin a text in UTF-8 with."""
_ADDRESS: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/+(?=[^/])")


def refuse_address(path: str | Path) -> None:
    """Raise `CaldpError` for the address of a store, of which a `Path` keeps one slash alone."""
    whole = _ADDRESS.sub(r"\1://", str(path), count=1)
    require(
        not _ADDRESS.match(str(path)) or Path(path).exists(),
        f"{whole!r} is an address, and caldp reads and writes files of this machine; copy it here "
        "and name the copy.",
    )


def is_standard_output(path: Path | None) -> bool:
    """Whether a path is where standard output goes, such as /dev/stdout."""
    if path is None or sys.__stdout__ is None:
        return False
    try:
        return os.path.samestat(path.stat(), os.fstat(sys.__stdout__.fileno()))
    except (OSError, ValueError):  # no such file, or a closed standard output
        return False


def is_stream(path: Path) -> bool:
    """Whether what is written there goes on at once: a device, a pipe or standard output."""
    return (path.exists() and not path.is_file()) or is_standard_output(path)


def read_text(path: str | Path, name: str, most: int, advice: str) -> str:
    """The text of a file in UTF-8, of at most `most` bytes; a device without an end is refused.

    `name`: what the file should be, such as "The protocol"; `advice`: what to do about a file that
    is something else. Raises `CaldpError` where it can't be read, is longer, or no text in UTF-8.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(most + 1)
    except TypeError:
        raise CaldpError(
            f"{name} is read from a file; give its path, got one of type {type(path).__name__}."
        ) from None
    except (OSError, ValueError) as error:  # a path with a null character is a ValueError
        refuse_address(path)
        reason = getattr(error, "strerror", None) or error
        raise CaldpError(f"{name} {quoted(path)} can't be read: {reason}.") from None
    return decode_text(data, f"{name} {quoted(path)}", most, advice)


def decode_text(data: bytes, name: str, most: int, advice: str) -> str:
    """The text in UTF-8 that these bytes are; raises `CaldpError` for more, and for no text.

    `name`, `most`, `advice`: as for `read_text`; `name` with that of the file.
    """
    require(len(data) <= most, f"{name} may have at most {most:,} bytes; {advice}.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise CaldpError(f"{name} must be text in UTF-8; {advice}.") from None


def unique_keys(sentence: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; raises `CaldpError`, the `sentence`, for a key that is there twice."""
    result = dict(pairs)
    if len(result) < len(pairs):
        ((twice, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise CaldpError(sentence.format(repr(twice)))
    return result


def check_output(path: Path, *inputs: str | Path | None) -> None:
    """Raise `CaldpError` where a file can't be written, or would replace one of the inputs.

    Asked before long work, whose result would have no place.
    """
    for each in (Path(given) for given in inputs if given is not None):
        require(
            not (path.is_file() and each.exists() and path.samefile(each)),
            f"The file {quoted(path)} is read by this command and would be lost; name another one.",
        )
    with _reasons(path):
        _check_writable(path)


def _check_writable(path: Path) -> None:
    """Raise `OSError` where the file is there and may not be written, or its folder may not."""
    folder = path.resolve().parent
    folder.stat()
    if path.is_file():
        path.open("ab").close()
    elif not path.exists() and not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A path to write to, which is `path` as a whole once all went well; else nothing has changed.

    A device is written to as it is, and a link stays one. Raises `CaldpError` where that can't be
    done.
    """
    with _reasons(path):
        if is_stream(path):
            yield path
            return
        _check_writable(path)
        target = path.resolve()
        temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
        try:
            yield temporary
            if target.exists():
                shutil.copymode(target, temporary)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)


def write_whole(path: Path, text: str) -> None:
    """Write a text file that is there as a whole or not at all, even if interrupted.

    Raises `CaldpError` where that can't be done.
    """
    with (
        whole_file(path) as part,
        part.open("a" if part == path else "w", encoding="utf-8", newline="") as file,
    ):
        file.write(text)
        file.flush()
        if part != path:
            os.fsync(file.fileno())


@contextmanager
def hold_file(path: Path) -> Iterator[None]:
    """Wait until no other process holds this file, and hold it; on Windows nobody waits.

    For what is read and then written anew. Raises `CaldpError` where it can't be written.
    """
    if sys.platform == "win32" or is_stream(path):
        yield
        return
    # A file that is written as a whole is another one each time, so that one beside it is locked.
    beside = path.resolve().with_name(f".{path.resolve().name}.lock")
    with _reasons(path):
        _check_writable(path)
        file = _open_locked(beside)
    try:
        yield
    finally:
        with suppress(OSError):
            beside.unlink()
        file.close()


def _open_locked(path: Path) -> BinaryIO:
    while True:
        file = path.open("ab")
        lock(file)
        # Its holder has removed it: others may hold a new one by now.
        with suppress(FileNotFoundError):
            if os.path.samestat(path.stat(), os.fstat(file.fileno())):
                return file
        file.close()


def lock(file: BinaryIO) -> None:
    """Wait until no other process has locked this open file; Windows has no such lock."""
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX)


@contextmanager
def _reasons(path: Path) -> Iterator[None]:
    """Turn `OSError` into one sentence."""
    try:
        yield
    except OSError as error:
        refuse_address(path)
        raise CaldpError(f"The file {quoted(path)} can't be written: {error.strerror}.") from None


FORMULA_PREFIXES: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_GUARD: Final = "'"


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Rows as a table by RFC 4180."""
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    return out.getvalue()


def escape_formula(text: str) -> str:
    """A text that begins like a formula behind an apostrophe; another as it is.

    Source: OWASP, CSV injection.
    """
    return f"{_GUARD}{text}" if text.startswith(FORMULA_PREFIXES) else text


def unescape_formula(text: str) -> str:
    """The text of which `escape_formula` made this one."""
    return text[1:] if text.startswith(_GUARD) and text[1:].startswith(FORMULA_PREFIXES) else text


_WHOLE: Final = re.compile(r"-?[0-9]{1,4000}")
"""Python refuses to read more than 4300 digits."""
_NUMBER: Final = re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")


def parse_int(text: str) -> int | None:
    """The whole number that `text` spells, None if it spells none."""
    return int(text) if _WHOLE.fullmatch(text) else None


def parse_float(text: str) -> float | None:
    """The number that `text` spells, such as "-1", "0.5" or "1e-3"; None if it spells none."""
    return float(text) if _NUMBER.fullmatch(text) else None


REFUSED: Final = 3
"""The code with which a reader ends that has refused the file; what it wrote is the sentence."""
_PRIORITY: Final = 10
"""Beside one that wants all of a processor, such a process or thread gets a tenth of it."""
_ROOT: Final = str(Path(__file__).parents[2])


class ReaderFailedError(Exception):
    """A reader that ended without a result; the message says why, as a verb's phrase."""


def read_aside(
    reader: Path, arguments: Sequence[str], data: bytes, megabytes: int, seconds: float | None
) -> bytes:
    """What a program (see `run_reader`) writes for these bytes, within bounds of memory and time.

    Raises `CaldpError` with the reader's own sentence, `ReaderFailedError` where it gives none.
    """
    command = [sys.executable, "-P", str(reader), str(megabytes), *arguments]
    variables = {**os.environ, "PYTHONPATH": _ROOT, "OPENBLAS_NUM_THREADS": "1"}
    try:
        with _turn(), _pipe_of(data) as pipe:
            process = subprocess.run(
                command,
                stdin=pipe,
                capture_output=True,
                timeout=seconds,
                check=False,
                env=variables,
            )
    except subprocess.TimeoutExpired:
        raise ReaderFailedError("takes too long") from None
    if process.returncode == REFUSED:
        raise CaldpError(process.stdout.decode())
    if process.returncode:
        raise ReaderFailedError("is damaged or too large")
    return process.stdout


@contextmanager
def _pipe_of(data: bytes) -> Iterator[int]:
    """A pipe from which these bytes are read, written in one call of the system.

    `subprocess` would write 4 kB at a time, and compete for the interpreter at each.
    """
    read_end, write_end = os.pipe()
    with ThreadPoolExecutor(1) as writer:
        writer.submit(_write, write_end, data)
        try:
            yield read_end
        finally:
            os.close(read_end)  # a writer whose reader has ended would wait


def _write(end: int, data: bytes) -> None:
    with suppress(BrokenPipeError), open(end, "wb") as file:
        file.write(data)


@cache
def _turn() -> Lock:
    return Lock()


def run_reader(read: Callable[[bytes], bytes]) -> int:
    """Be such a process: bound it, read standard input, write; returns its exit code.

    Nothing is collected: of a million lists that stay, the collector would look through all.
    """
    _bound(int(sys.argv[1]))
    gc.disable()
    try:
        result, code = read(sys.stdin.buffer.read()), 0
    except CaldpError as error:
        result, code = str(error).encode(), REFUSED
    sys.stdout.buffer.write(result)
    sys.stdout.buffer.flush()
    return code


def _bound(megabytes: int) -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (megabytes * 2**20, megabytes * 2**20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(_PRIORITY)


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
    memory_mb: int, files: "AbstractFileSystem | None" = None, folders: Sequence[Path] = ()
) -> Iterator["DuckDBPyConnection"]:
    """A database in memory, closed at the end.

    `memory_mb`: megabytes that it may take; `files`: a file system whose paths it may open, such as
    data in memory; `folders`: in which it may read and write. Its settings can't be changed after.
    """
    with explain_missing("Reading files"):
        import duckdb

    config = {**_SETTINGS, "memory_limit": f"{memory_mb}MB", "threads": THREADS}
    with ThreadPoolExecutor(1, initializer=_step_back) as opener:  # its threads keep this priority
        connection = opener.submit(duckdb.connect, ":memory:", config=config).result()
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


def _step_back() -> None:
    """Have this thread, and those that it starts, run after others: pages go before files."""
    if sys.platform == "linux":  # elsewhere threads have no priority of their own
        behind = max(os.getpriority(os.PRIO_PROCESS, 0), _PRIORITY)
        os.setpriority(os.PRIO_PROCESS, get_native_id(), behind)


def exact_pattern(path: Path) -> str:
    """A pattern that DuckDB's readers expand to this file alone, also if its name has *, ? or [."""
    return re.sub(r"[*?[]", r"[\g<0>]", str(path.resolve()))


_REASON_MAX: Final = 200
_KIND: Final = re.compile(r"^[A-Z][A-Za-z ]* Error: ")
_OWN_FILE: Final = re.compile(r" in file \"[a-z]+://[^\"]*\"")


def engine_reason(message: str) -> str:
    """Why DuckDB could not do what it was told, for readers: without its SQL and its own words.

    Its first line says why, the next ones are a part of the query, which is nobody's but ours.
    """
    first = " ".join(message.partition("\n")[0].split())
    reason = _OWN_FILE.sub("", _KIND.sub("", first))[:_REASON_MAX]
    return reason or "no reason given"


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
    with ThreadPoolExecutor(1, initializer=_step_back) as worker:
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
