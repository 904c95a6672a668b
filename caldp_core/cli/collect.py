"""The commands of a collection: `caldp protocol`.

docs/collect.md tells what they are for.
"""

from dataclasses import replace
from pathlib import Path

import click

from caldp_core.cli.terminal import plain_errors, progress_bar, write
from caldp_core.collect.protocol import Protocol
from caldp_core.experiments.run import prepare
from caldp_core.scenarios.scenario import Scenario

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command("protocol")
@click.argument("path", metavar="SCENARIO.json")
@click.option("-o", "--output", type=_FILE, help="Write it to this file; else it is printed.")
@click.option("--question", default="", help="What people are asked, for them to read.")
def protocol_command(path: str, output: Path | None, question: str) -> None:
    """Make the protocol of a collection: what its devices and its collector share, and no data."""
    with plain_errors():
        scenario = Scenario.from_file(path)
        with progress_bar("loading") as progress:
            setup = prepare(replace(scenario, n=1), progress)  # nobody is asked anything
        text = Protocol.of(setup, question).to_json()
        if output is not None:
            write(output, text)
    if output is None:
        click.echo(text, nl=False)


COMMANDS = (protocol_command,)
