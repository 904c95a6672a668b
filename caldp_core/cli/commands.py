"""The command line: `caldp run | audit | reproduce | count | fetch | list | schema | dashboard`.

The front door for terminals. Each command is in a module beside this one, which is imported when
the command runs: importing all of them would take most of the time of a start.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Final

import click

import caldp_core
from caldp_core.cli.full_output import own_exit_codes

_HOMES: Final = {
    "audit": "audit:audit_command",
    "client": "collect:client_command",
    "count": "count:count_command",
    "dap": "collect:dap_command",
    "dashboard": "dashboard:dashboard_command",
    "estimate": "collect:estimate_command",
    "fetch": "fetch:fetch_command",
    "list": "listing:list_command",
    "merge": "collect:merge_command",
    "mixed": "collect:mixed_command",
    "protocol": "collect:protocol_command",
    "registry": "collect:registry_command",
    "reproduce": "reproduce:reproduce_command",
    "run": "run:run_command",
    "schema": "schema:schema_command",
    "sql": "collect:sql_command",
    "tally": "collect:tally_command",
}
"""The name of a command → its module in this folder, and its function there."""


class Commands(Mapping[str, click.Command]):
    """The commands by their names, each imported when it is looked up; click only reads them."""

    def __getitem__(self, name: str) -> click.Command:
        module, _, attribute = _HOMES[name].partition(":")
        command: click.Command = getattr(import_module(f"caldp_core.cli.{module}"), attribute)
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
        """As click's, with exit codes of its own where the command is cut short."""
        with own_exit_codes():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """As click's, with exit codes of its own where the command is cut short."""
        with own_exit_codes():
            return super().invoke(ctx)


@click.group(cls=CommandGroup, commands=Commands())
@click.version_option(caldp_core.__version__, prog_name="caldp")
def main() -> None:
    """Context-aware local differential privacy: run scenarios and reproduce the paper."""
