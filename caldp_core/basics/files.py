"""Small text files, written as a whole or not at all; texts of cells and numbers.

Numbers in links, areas and runs have one spelling: Python's int and float also read 1_0, spaces and
the digits of every script, which would make one scenario out of many texts.
"""

import errno
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from caldp_core.basics.errors import CaldpError, quoted, require

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
        # Whoever held it has removed it: others may hold a new one by now.
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
