"""The command that lists what there is: `python -m caldp_core list`.

Room: the front door for terminals. What is registered is listed; nothing is written down here.
"""

import click

from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.mechanisms.catalogue import MECHANISMS


@click.command("list")
def list_command() -> None:
    """List mechanisms, by the policy that they keep, and estimators."""
    policies = dict.fromkeys(policy for entry in MECHANISMS.values() for policy in entry.policies)
    for policy in policies:
        click.echo(f"Mechanisms for {policy.__name__}")
        for entry in MECHANISMS.values():
            if policy in entry.policies:
                click.echo(f"  {entry.name:<24}{entry.title}. {entry.source}")
    click.echo("Estimators")
    for name, estimator in ESTIMATORS.items():
        click.echo(f"  {name:<24}{estimator.title}: {estimator.sentence}")
