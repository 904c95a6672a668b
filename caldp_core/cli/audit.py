"""The command `audit`: whether a scenario's mechanism keeps what it promises."""

import json
from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

import click

from caldp_core.audit.blockwise import LargeAudit, PairClass, worst_of
from caldp_core.audit.mechanisms import audit_mechanism
from caldp_core.basics import limits
from caldp_core.cli.terminal import plain_errors, progress_bar
from caldp_core.experiments.run import prepare
from caldp_core.mechanisms import Mechanism
from caldp_core.scenarios.scenario import Scenario


@click.command("audit")
@click.argument("path", metavar="SCENARIO.json")
@click.pass_context
def audit_command(context: click.Context, path: str) -> None:
    """Hold a scenario's mechanism against what it promises; exit code 1 if it does not hold."""
    with plain_errors():
        scenario = Scenario.from_file(path)
        with progress_bar("loading") as progress:
            setup = prepare(replace(scenario, n=1), progress)  # nobody is asked anything
        started = perf_counter()
        with progress_bar("auditing") as progress:
            audit = audit_mechanism(setup.mechanism, setup.policy, progress)
    output: dict[str, Any] = {
        "scenario": scenario.to_dict(),
        "mechanism": setup.mechanism_name,
        "k": setup.mechanism.k,
        "blocks": setup.partition.m,
        "outputs": _countable(setup.mechanism),
    }
    output |= audit_summary(audit) | {"seconds": round(perf_counter() - started, 4)}
    click.echo(json.dumps(output, indent=2))
    context.exit(0 if audit.holds else 1)


def _countable(mechanism: Mechanism) -> int | None:
    """Number of different reports, None where they are too many to list."""
    outputs = mechanism.outputs
    return outputs if outputs < limits.OUTPUTS_MAX else None


def audit_summary(audit: LargeAudit) -> dict[str, Any]:
    """What `audit` prints of the audit: JSON-ready, the classes of one kind together."""
    kinds = dict.fromkeys(each.kind for each in audit.classes)
    groups = [[each for each in audit.classes if each.kind == kind] for kind in kinds]
    return {
        "holds": audit.holds,
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
            "holds": worst.holds,
        },
    }
