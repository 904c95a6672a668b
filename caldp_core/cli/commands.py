"""The command line: `caldp run | audit | plan | reproduce | count | release | fetch | list | …`.

Each command is in a module beside this one, which is imported when the command runs: importing all
of them would take most of the time of a start.
"""

import errno
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, Final

import click

import caldp_core

_NO_PLACE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
_INTERRUPTED: Final = 130
_PIPE_CLOSED: Final = 141
"""Exit codes of shells: 128 and the signal's number. 1 would say that an audit does not hold."""


class SentenceError(click.ClickException):
    """An error of ours: its one sentence on standard error, exit code 2."""

    exit_code = 2


class TooManyRefusedError(SentenceError):
    """Reports were counted, and too many refused: exit code 3."""

    exit_code = 3


@contextmanager
def own_exit_codes() -> Iterator[None]:
    """End with one sentence where we raise `CaldpError`, and by an exit code of our own.

    So after Ctrl-C, and where standard output takes no more.
    """
    try:
        yield
    except ValueError as error:
        # It brings NumPy, which a start can do without.
        from caldp_core.basics.errors import CaldpError

        if not isinstance(error, CaldpError):
            raise
        raise SentenceError(str(error)) from None
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
        raise SentenceError(
            f"Standard output can't be written: {error.strerror}; write to another place."
        ) from None


def _forget_output() -> None:
    """Lead standard output nowhere: Python would fail again as it writes the rest at its end."""
    with suppress(OSError):  # the stream may not be a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_REPORTS: Final = ("account", "client", "estimate", "protocol", "schema", "sql")
_TALLIES: Final = ("merge", "mixed", "registry", "tally")
_HOMES: Final = {
    **{name: name for name in ("count", "dashboard", "release", "run")},
    "list": "listing",
    **dict.fromkeys(_REPORTS + _TALLIES, "collect"),
    **dict.fromkeys(("audit", "fetch", "plan", "reproduce"), "run"),
}
"""The name of a command → its module in this folder, where it is the function `…_command`."""


class Commands(Mapping[str, click.Command]):
    """The commands by their names, each imported when it is looked up; click only reads them."""

    def __getitem__(self, name: str) -> click.Command:
        module = import_module(f"caldp_core.cli.{_HOMES[name]}")
        command: click.Command = getattr(module, f"{name}_command")
        return command

    def __contains__(self, name: object) -> bool:
        return name in _HOMES

    def __iter__(self) -> Iterator[str]:
        return iter(_HOMES)

    def __len__(self) -> int:
        return len(_HOMES)


class CommandGroup(click.Group):
    """The group of all commands; help and versions are printed as its context is made."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """As click's, within `own_exit_codes`."""
        with own_exit_codes():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """As click's, within `own_exit_codes`."""
        with own_exit_codes():
            return super().invoke(ctx)


@click.group(cls=CommandGroup, commands=Commands())
@click.version_option(caldp_core.__version__, prog_name="caldp")
def main() -> None:
    """Context-aware local differential privacy: run scenarios and reproduce the paper."""
