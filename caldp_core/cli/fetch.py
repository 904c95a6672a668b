"""The command `fetch`: bring data that is too large to ship.

Room: datasets, the command line's edge of it. The package's command line mounts `fetch_command`.
"""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import click

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets.fetch import GOWALLA_URL, cache_folder, fetch_gowalla
from caldp_core.datasets.snap import Snap

_STEPS = 1000


@click.group("fetch")
def fetch_command() -> None:
    """Fetch data sets that are too large to ship with the project."""


@fetch_command.command("gowalla")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help=f"Where to keep the file.  [default: {cache_folder()}]",
)
@click.option("--url", default=GOWALLA_URL, show_default=True, help="Where to get it.")
@click.pass_context
def gowalla(context: click.Context, folder: Path | None, url: str) -> None:
    """Fetch SNAP's 6.4 million Gowalla check-ins (about 100 MB).

    A fetch that was interrupted goes on where it stopped.
    """
    try:
        path = _fetch_with_bar(folder, url)
    except CaldpError as error:
        click.echo(str(error), err=True)
        context.exit(2)
    click.echo(f"The check-ins are in {path}")
    click.echo(f'Use them in a scenario file with: "dataset": {json.dumps(_slot(path))}')


def _slot(path: Path) -> dict[str, object]:
    """What a scenario file says to read the check-ins from `path`."""
    return {"kind": "snap", **asdict(Snap(str(path.resolve())))}


def _fetch_with_bar(folder: Path | None, url: str) -> Path:
    with click.progressbar(length=_STEPS, label="Fetching", file=sys.stderr) as bar:

        def show(share: float) -> None:
            bar.update(int(share * _STEPS) - bar.pos)

        return fetch_gowalla(url, folder, show)
