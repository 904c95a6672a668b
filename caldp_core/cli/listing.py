"""The command `list`: what is registered; nothing is written down here."""

from dataclasses import fields

import click

from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.mechanisms import catalogue
from caldp_core.scenarios.scenario import SLOTS


@click.command("list")
def list_command() -> None:
    """List mechanisms, with the policies that they keep, and estimators."""
    click.echo("Mechanisms")
    _line("best", "In scenarios: the most accurate of those below that is quick for the policy")
    for name, entry in catalogue.MECHANISMS.items():
        _line(name, f"{entry.title}. {entry.source}")
        names = [field.name for field in fields(entry.spec)]  # type: ignore[arg-type]
        parameters = f"; parameter: {', '.join(names)}" if names else ""
        _line("", f"keeps: {', '.join(policy_kinds(entry))}{parameters}")
    others = ", ".join(catalogue.installed_mechanisms()) or "there are none"
    _line(catalogue.INSTALLED, f"In scenarios: one of another package, by its name: {others}")
    click.echo("Policies")
    for kind, policy in SLOTS["policy"][1].items():
        _line(kind, (policy.__doc__ or "").splitlines()[0])
    click.echo("Estimators")
    for name, estimator in ESTIMATORS.items():
        _line(name, f"{estimator.title}: {estimator.sentence}")


def policy_kinds(entry: catalogue.MechanismEntry) -> list[str]:
    """The kinds of a scenario's policies that a mechanism keeps."""
    return [
        kind
        for kind, spec in SLOTS["policy"][1].items()
        if issubclass(spec.matrix, entry.policies)  # type: ignore[attr-defined]
    ]


def _line(name: str, text: str) -> None:
    click.echo(f"  {name:<24}{text}")
