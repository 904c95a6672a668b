"""The commands `reproduce`, for the paper's results, and `fetch`, for data too large to ship."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from caldp_core.basics import limits
from caldp_core.cli.terminal import plain_errors, progress_bar
from caldp_core.datasets.snap import GOWALLA_URL, Snap, cache_folder, fetch_gowalla
from caldp_core.experiments.reproduce import PAPER, Recomputed, run_in_processes, table_1
from caldp_core.scenarios.scenario import Scenario


@click.group("reproduce")
def reproduce_command() -> None:
    """Recompute the paper's results."""


@reproduce_command.command("table1")
@click.option("--runs", type=click.IntRange(1, limits.TRIALS_MAX), default=100, show_default=True)
@click.option("--seed", type=click.IntRange(0, limits.SEED_MAX), default=1, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
@click.option(
    "--scenario", help="Take dataset, ε, mechanism and estimator from this scenario file."
)
def table1_command(runs: int, seed: int, as_json: bool, scenario: str | None) -> None:
    """Table 1: TV under LDP and block-structured LDP, beside the printed numbers."""
    with plain_errors():
        base = Scenario.from_file(scenario) if scenario else PAPER
        with progress_bar("Table 1") as progress:
            columns = table_1(runs, seed, base, progress, run_in_processes)
    if as_json:
        click.echo(json.dumps([column.to_dict() for column in columns], indent=2))
        return
    click.echo(_table(columns))


def _table(columns: Sequence[Recomputed]) -> str:
    head = f"{'(m1, m2)':>10} {'TV':>8} {'s.e.':>9} {'expected':>9} {'paper':>7}"
    lines = [f"{head} {'seconds':>8}"]
    for c in columns:
        error = "" if c.standard_error is None else f"{c.standard_error:.5f}"
        lines.append(
            f"{c.title:>10} {c.mean:8.4f} {error:>9} {c.expected:9.4f} {c.paper:7.3f} "
            f"{c.seconds:8.1f}"
        )
    return "\n".join(lines)


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
