"""The command `audit`: whether a scenario's mechanism keeps what it promises."""

import json
from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any, Final

import click

from caldp_core.audit.blockwise import LargeAudit, PairClass, worst_of
from caldp_core.audit.mechanisms import audit_mechanism
from caldp_core.basics import limits
from caldp_core.cli.terminal import (
    plain_errors,
    progress_bar,
    unprotected_values,
    warn_of_areas,
)
from caldp_core.experiments.run import prepare
from caldp_core.scenarios.scenario import Scenario

_NOTHING_PROMISED: Final = 3
"""Exit code where no pair of values has a limit, so that nothing could be broken."""
_NOTHING: Final = "No two values have a limit: there is nothing to hold, and nobody is protected."


@click.command("audit")
@click.argument("path", metavar="SCENARIO.json")
@click.pass_context
def audit_command(context: click.Context, path: str) -> None:
    """Hold a scenario's mechanism against what it promises.

    Exit code 0 if it holds, 1 if it does not, 3 if nothing is promised.
    """
    with plain_errors():
        scenario = Scenario.from_file(path)
        with progress_bar("loading") as progress:
            setup = prepare(replace(scenario, n=1), progress)  # nobody is asked anything
        started = perf_counter()
        with progress_bar("auditing") as progress:
            audit = audit_mechanism(setup.mechanism, setup.policy, progress)
    outputs = setup.mechanism.outputs
    output: dict[str, Any] = {
        "scenario": scenario.to_dict(),
        "mechanism": setup.mechanism_name,
        "k": setup.mechanism.k,
        "blocks": setup.partition.m,
        "outputs": outputs if outputs < limits.OUTPUTS_MAX else None,  # None: too many to list
    }
    output |= unprotected_values(setup) | warn_of_areas(setup) | audit_summary(audit)
    output["seconds"] = round(perf_counter() - started, 4)
    click.echo(json.dumps(output, indent=2))
    context.exit(1 if not audit.holds else _NOTHING_PROMISED if audit.nothing_promised else 0)


def audit_summary(audit: LargeAudit) -> dict[str, Any]:
    """What `audit` prints of the audit: JSON-ready, the classes of one kind together."""
    kinds = dict.fromkeys(each.kind for each in audit.classes)
    groups = [[each for each in audit.classes if each.kind == kind] for kind in kinds]
    return {
        "holds": None if audit.holds and audit.nothing_promised else audit.holds,
        **({"nothing_promised": _NOTHING} if audit.nothing_promised else {}),
        "method": audit.method,
        "faulty_value": audit.faulty_row,
        "pairs": [_kind(group) for group in groups],
    }


def _kind(group: Sequence[PairClass]) -> dict[str, Any]:
    worst = worst_of(group)
    assert worst is not None  # a kind is only there because of its classes
    return {
        "kind": worst.kind,
        "blocks": len(group),
        "blocks_that_hold": sum(each.holds for each in group),
        "pairs": sum(each.pairs for each in group),
        "worst": {
            "block": worst.block,
            "value": worst.x,
            "other_value": worst.x_other,
            "output": worst.output,
            "privacy_loss": None if worst.ratio is None else worst.privacy_loss,
            "epsilon": worst.epsilon,
            **({} if worst.holds or worst.ratio is None else {"above_epsilon_by": worst.excess}),
            "holds": worst.holds,
        },
    }
