"""What is printed where there is no place for it: one sentence, as for a file."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

import click

_NO_PLACE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


@contextmanager
def sentence_if_full() -> Iterator[None]:
    """Turn an `OSError` of a full standard output into click's exception of exit code 1."""
    try:
        yield
    except OSError as error:
        if error.errno not in _NO_PLACE or error.filename is not None:
            raise
        _forget_output()
        raise click.ClickException(
            f"Standard output can't be written: {error.strerror}; write to another place."
        ) from None


def _forget_output() -> None:
    """Lead standard output nowhere: Python would fail again as it writes the rest at its end."""
    with suppress(OSError):  # of a stream that is no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
