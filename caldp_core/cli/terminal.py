"""What every command shows on a terminal: a progress bar, and errors as one sentence."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Progress

_STEPS: Final = 1000


class SentenceError(click.ClickException):
    """An error of ours: its one sentence on standard error, exit code 2."""

    exit_code = 2


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn `CaldpError` into one sentence without a traceback."""
    try:
        yield
    except CaldpError as error:
        raise SentenceError(str(error)) from None


@contextmanager
def progress_bar(label: str) -> Iterator[Progress]:
    """A progress bar on standard error, shown only on a terminal."""
    hidden = not sys.stderr.isatty()
    with click.progressbar(length=_STEPS, label=label, file=sys.stderr, hidden=hidden) as bar:

        def progress(share: float) -> None:
            bar.update(max(0, int(share * _STEPS) - bar.pos))

        yield progress


def write_text(path: Path, text: str) -> None:
    """Write a file; raises `CaldpError` where that can't be done."""
    try:
        path.write_text(text, "utf-8", newline="")
    except OSError as error:
        raise CaldpError(f"The file {str(path)!r} can't be written: {error.strerror}.") from None


def write_or_print(path: Path | None, text: str) -> None:
    """Write a file as `write_text` does, or print the text where none is named."""
    if path is None:
        click.echo(text, nl=False)
    else:
        write_text(path, text)
