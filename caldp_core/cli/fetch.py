"""The command `fetch`: download data that is too large to ship.

The transfer itself is in `datasets/snap.py`.
"""

import json
from dataclasses import asdict
from pathlib import Path

import click

from caldp_core.cli.terminal import plain_errors, progress_bar
from caldp_core.datasets.snap import GOWALLA_URL, Snap, cache_folder, fetch_gowalla


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
def gowalla(folder: Path | None, url: str) -> None:
    """Fetch SNAP's 6.4 million Gowalla check-ins (about 100 MB)."""
    with plain_errors(), progress_bar("Fetching") as progress:
        path = fetch_gowalla(url, folder, progress)
    scenario = {"kind": "snap", **asdict(Snap(str(path.resolve())))}
    click.echo(f"The check-ins are in {path}")
    click.echo(f'Use them in a scenario file with: "dataset": {json.dumps(scenario)}')
