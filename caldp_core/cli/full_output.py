"""What commands do where they are cut short: by Ctrl-C, a full standard output, or a closed one."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

import click

_NO_PLACE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
_INTERRUPTED: Final = 130
_PIPE_CLOSED: Final = 141
"""Exit codes of shells: 128 and the signal's number. 1 would say that an audit does not hold."""


class _OutputError(click.ClickException):
    exit_code = 2


@contextmanager
def own_exit_codes() -> Iterator[None]:
    """End with an exit code of its own after Ctrl-C, and where standard output takes no more."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo("Interrupted.", err=True)
        raise click.exceptions.Exit(_INTERRUPTED) from None
    except OSError as error:
        if error.errno == errno.EPIPE:
            _forget_output()
            raise click.exceptions.Exit(_PIPE_CLOSED) from None
        if error.errno not in _NO_PLACE or error.filename is not None:
            raise
        _forget_output()
        raise _OutputError(
            f"Standard output can't be written: {error.strerror}; write to another place."
        ) from None


def _forget_output() -> None:
    """Lead standard output nowhere: Python would fail again as it writes the rest at its end."""
    with suppress(OSError):  # of a stream that is no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
