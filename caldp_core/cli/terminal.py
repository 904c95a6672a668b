"""What every command shows on a terminal: a progress bar, and errors as one sentence."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click

from caldp_core.basics.errors import CaldpError, quoted, require
from caldp_core.basics.files import check_output, is_standard_output, is_stream, write_whole
from caldp_core.basics.types import Progress
from caldp_core.experiments.run import Setup
from caldp_core.privacy.coverage import coverage, value_names
from caldp_core.scenarios.blocks import PolygonBlocks, describe_areas

_GEOJSON: Final = ".geojson"
_SHARES_ENDINGS: Final = (".csv", _GEOJSON)
_STEPS: Final = 1000


class SentenceError(click.ClickException):
    """An error of ours: its one sentence on standard error, exit code 2."""

    exit_code = 2


class TooManyRefusedError(SentenceError):
    """Reports were counted, and too many refused: exit code 3."""

    exit_code = 3


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


def write_or_print(path: Path | None, text: str) -> None:
    """Write a file as `write_whole` does, or print the text where none is named."""
    if path is None:
        click.echo(text, nl=False)
    else:
        write_whole(path, text)


def print_summary(summary: dict[str, Any], output: Path | None) -> None:
    """Print JSON; on standard error where the file that was written is standard output."""
    click.echo(json.dumps(summary, indent=2), err=is_standard_output(output))


def warn_of_areas(setup: Setup) -> dict[str, list[str]]:
    """Say on standard error how blocks differ from areas as drawn; the same for what is printed."""
    blocks = getattr(setup.scenario.policy, "blocks", None)
    if not isinstance(blocks, PolygonBlocks):
        return {}
    sentences = list(describe_areas(blocks, setup.dataset))
    for sentence in sentences:
        click.echo(f"Warning: {sentence}", err=True)
    return {"areas": sentences} if sentences else {}


def unprotected_values(setup: Setup) -> dict[str, Any]:
    """Values that should be protected and are not, by name, and how many more are not."""
    found = coverage(setup.policy)
    return {
        "protected_by_nothing": value_names(setup.dataset.domain, found.exposed),
        "other_unprotected_values": int((~found.protected & ~found.exposed).sum()),
    }


def is_geojson(path: Path | None) -> bool:
    """Whether a table of shares is to be written as GeoJSON, by the ending of its file."""
    return path is not None and path.suffix.lower() == _GEOJSON


def check_shares_output(path: Path | None, *inputs: str | Path | None) -> None:
    """Raise `CaldpError`, before long work, for a file in which a table of shares has no place.

    `inputs`: files that the command reads; None where there is no such file.
    """
    if path is None:
        return
    require(
        is_stream(path) or path.suffix.lower() in _SHARES_ENDINGS,
        f"A table of shares must end in {' or '.join(_SHARES_ENDINGS)}, got {quoted(path.name)}; "
        "rename it.",
    )
    check_output(path, *inputs)
