"""Reads files in a process of their own: what a hostile file does to its reader, it does there.

Memory by the gigabyte, a crash, or many seconds with the interpreter's lock stay with that process,
which has bounds of its own. Only what was read comes back. One reads at a time, after all that
others of the machine want of the processor: two would leave a server of two cores without one.
"""

import gc
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Final

from caldp_core.basics.errors import CaldpError

REFUSED: Final = 3
"""The code with which a reader ends that has refused the file; what it wrote is the sentence."""
_PRIORITY: Final = 10
"""Beside one process that wants all of a processor, such a reader gets a tenth of it."""
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
        with _turn():
            process = subprocess.run(
                command,
                input=data,
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
