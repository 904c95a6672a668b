"""The command `schema`: the JSON Schemas of our files, for editors."""

import json
from typing import Final

import click

from caldp_core.collect.schema import protocol_schema
from caldp_core.scenarios.scenario import schema

_SCHEMAS: Final = {"scenario": schema, "protocol": protocol_schema}


@click.command("schema")
@click.argument("kind", type=click.Choice(list(_SCHEMAS)), default="scenario")
def schema_command(kind: str) -> None:
    """Print the JSON Schema of scenario files, or of protocols, for editors."""
    click.echo(json.dumps(_SCHEMAS[kind](), indent=2, ensure_ascii=False))
