"""The commands `reproduce`, for the paper's results, and `fetch`, for data too large to ship."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from caldp_core.basics import limits
from caldp_core.cli.terminal import add_options, plain_errors, progress_bar
from caldp_core.datasets.snap import GOWALLA_URL, Snap, cache_folder, fetch_gowalla
from caldp_core.experiments.reproduce import FIGURE_RUNS, PAPER, Rows, figure_2, figure_3, table_1
from caldp_core.experiments.table import as_csv
from caldp_core.scenarios.scenario import Scenario


@click.group("reproduce")
def reproduce_command() -> None:
    """Recompute the paper's results."""


def _add(name: str, make_rows: Callable[..., Rows], *options: click.Option) -> click.Command:
    """Add the command that prints these rows; `options` have the names of arguments."""
    text = (make_rows.__doc__ or "").partition("\n")[0]

    @reproduce_command.command(name, help=text, params=list(options))
    @add_options("reproduce", {"seed": click.IntRange(0, limits.SEED_MAX)})
    def command(seed: int, as_json: bool, scenario: str | None, **arguments: Any) -> None:
        with plain_errors(), progress_bar(name) as progress:
            base = replace(Scenario.from_file(scenario) if scenario else PAPER, seed=seed)
            rows = make_rows(base=base, progress=progress, **arguments)
        if as_json:
            click.echo(json.dumps(rows, indent=2))
        else:
            click.echo(as_csv({key: [row[key] for row in rows] for key in rows[0]}), nl=False)

    return command


def _runs(default: int) -> click.Option:
    number = click.IntRange(1, limits.TRIALS_MAX)
    return click.Option(["--runs"], type=number, default=default, show_default=True)


table1_command = _add("table1", table_1, _runs(100))
figure2_command = _add("figure2", figure_2, _runs(FIGURE_RUNS))
figure3_command = _add("figure3", figure_3)


@click.group("fetch")
def fetch_command() -> None:
    """Fetch data sets that are too large to ship with the project."""


@fetch_command.command("gowalla")
@add_options(
    "gowalla",
    {"folder": click.Path(file_okay=False, path_type=Path)},
    url=GOWALLA_URL,
    kept_in=cache_folder(),
)
def gowalla(folder: Path | None, url: str) -> None:
    """Fetch SNAP's 6.4 million Gowalla check-ins (about 100 MB)."""
    with plain_errors(), progress_bar("Fetching") as progress:
        path = fetch_gowalla(url, folder, progress)
    scenario = {"kind": "snap", **asdict(Snap(str(path.resolve())))}
    click.echo(f"The check-ins are in {path}")
    click.echo(f'Use them in a scenario file with: "dataset": {json.dumps(scenario)}')
