"""A result as files and code that others can open, run and check.

The snippet and the command give the digits that the page shows; a test runs them.
"""

import io
import json
from collections.abc import Mapping, Sequence
from pprint import pformat
from typing import TYPE_CHECKING, Final, TypeAlias

from caldp_core.collect.protocol import Protocol
from caldp_core.datasets.public_map import PublicMap
from caldp_core.experiments.run import Result
from caldp_core.experiments.table import as_cell, as_csv, columns_of
from caldp_core.scenarios.blocks import PolygonBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute.runs import is_own

if TYPE_CHECKING:
    import pandas as pd

_RUN: Final = "python -m caldp_core run"
FILE: Final = "scenario.json"
INTERNAL_FILE: Final = "scenario-internal.json"
"""The file of a scenario that holds a visitor's own data."""
Table: TypeAlias = "Sequence[Mapping[str, object]] | Mapping[str, object] | pd.DataFrame"
_LONG: Final = 4_000
"""Characters of a file that is too long for code and for a sheet of paper."""


def scenario_json(scenario: Scenario) -> str:
    """The scenario as a file, for people and for the command line."""
    return json.dumps(scenario.to_dict(), indent=2, ensure_ascii=False)


def scenario_file(scenario: Scenario) -> str:
    """The name of a scenario's file."""
    return INTERNAL_FILE if is_own(scenario.dataset) else FILE


def command(scenario: Scenario) -> str:
    """The command that runs a scenario's file."""
    return f"{_RUN} {scenario_file(scenario)}"


def is_in_file(scenario: Scenario) -> bool:
    """True where only a file holds the scenario: a visitor's data, or areas that fill a page."""
    blocks = getattr(scenario.policy, "blocks", None)
    is_brought = isinstance(blocks, PolygonBlocks) or isinstance(scenario.prior, PublicMap)
    return is_own(scenario.dataset) or (is_brought and len(scenario_json(scenario)) > _LONG)


def snippet(scenario: Scenario) -> str:
    """Python that runs the scenario and prints the error that the page shows."""
    return (
        "from caldp_core import Scenario, prepare, run\n\n"
        f"scenario = {literal(scenario)}\n"
        "result = run(prepare(scenario))\n"
        "print(result.first.errors.tv)\n"
    )


def literal(scenario: Scenario) -> str:
    """The scenario as a Python expression: whole, or from its file (see `is_in_file`)."""
    if is_in_file(scenario):
        return f'Scenario.from_file("{scenario_file(scenario)}")'
    return f"Scenario.from_dict(\n{pformat(scenario.to_dict(), sort_dicts=False)}\n)"


def protocol_json(result: Result) -> bytes:
    """The protocol that devices and collector of a real collection share, as JSON.

    Also where it leaves values unprotected: the caller has asked.
    """
    return Protocol.of(result.setup, allow_unprotected=True).to_json().encode()


def csv(table: Table) -> bytes:
    """A table as a CSV file: rows, columns by name, or a frame without its index.

    Texts that a spreadsheet would run are escaped, see `as_cell`.
    """
    import pandas as pd

    frame = pd.DataFrame(table).rename(columns=as_cell)
    buffer = io.StringIO()
    # By RFC 4180; with "\n" alone a "\r" in a cell is not quoted, and begins a line.
    frame.map(as_cell).to_csv(buffer, index=False, lineterminator="\r\n")
    return buffer.getvalue().encode()


def estimate_csv(result: Result) -> bytes:
    """One row a cell or answer: where it is, its block, its estimated share, and how far off."""
    return as_csv(columns_of(result)).encode()
