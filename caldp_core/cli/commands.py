"""The command line: `caldp run | audit | reproduce | count | fetch | list | schema | dashboard`.

The front door for terminals; it only reads arguments and prints.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from statistics import mean, stdev
from time import perf_counter
from typing import Any, Final

import click

from caldp_core.audit.blockwise import LargeAudit, PairClass, worst_of
from caldp_core.audit.mechanisms import audit_mechanism
from caldp_core.basics import limits
from caldp_core.cli.collect import COMMANDS
from caldp_core.cli.count import count_command
from caldp_core.cli.dashboard import dashboard_command
from caldp_core.cli.estimating import prior_option, q_option, read_prior
from caldp_core.cli.fetch import fetch_command
from caldp_core.cli.listing import list_command
from caldp_core.cli.terminal import plain_errors, progress_bar, write
from caldp_core.collect.schema import protocol_schema
from caldp_core.estimation.options import KNOWING_MAP
from caldp_core.experiments.forecast import Forecast, forecast
from caldp_core.experiments.geojson import as_geojson
from caldp_core.experiments.judged import is_judged, not_judged
from caldp_core.experiments.means import mean_in
from caldp_core.experiments.processes import in_processes
from caldp_core.experiments.reproduce import PAPER, Recomputed, table_1
from caldp_core.experiments.run import Result, prepare, run
from caldp_core.experiments.table import as_csv, columns_of
from caldp_core.mechanisms import Mechanism
from caldp_core.mechanisms.offers import report_bits
from caldp_core.scenarios.scenario import Scenario
from caldp_core.scenarios.schema import schema


@click.group()
def main() -> None:
    """Context-aware local differential privacy: run scenarios and reproduce the paper."""


main.add_command(count_command)
main.add_command(dashboard_command)
main.add_command(fetch_command)
main.add_command(list_command)
for command in COMMANDS:
    main.add_command(command)
_SCHEMAS: Final = {"scenario": schema, "protocol": protocol_schema}


@main.command("schema")
@click.argument("kind", type=click.Choice(list(_SCHEMAS)), default="scenario")
def schema_command(kind: str) -> None:
    """Print the JSON Schema of scenario files, or of protocols, for editors."""
    click.echo(json.dumps(_SCHEMAS[kind](), indent=2, ensure_ascii=False))


@main.command("run")
@click.argument("path", metavar="SCENARIO.json")
@click.option(
    "--estimate",
    "estimate",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the first trial's shares to this file, a row a value, as CSV or as .geojson.",
)
@prior_option
@q_option
def run_command(path: str, estimate: Path | None, prior: Path | None, q: float | None) -> None:
    """Run a scenario file and print errors, expected errors, timing and seed as JSON."""
    with plain_errors():
        scenario = Scenario.from_file(path)
        if q is not None:
            scenario = replace(scenario, false_share=q)
        with progress_bar("loading") as progress:
            if prior is not None:
                known = read_prior(prior, scenario.dataset.load(progress).domain)
                scenario = replace(scenario, estimator=KNOWING_MAP, prior=known)
            setup = prepare(scenario, progress)
        with progress_bar("running") as progress:
            result = run(setup, progress)
        with progress_bar("forecasting") as progress:
            expected = forecast(setup, progress=progress) if is_judged(setup) else None
        if estimate is not None:
            is_map = estimate.suffix.lower() == ".geojson"
            write(estimate, as_geojson(result) if is_map else as_csv(columns_of(result)))
    click.echo(json.dumps(summary(result, expected), indent=2))


@main.command("audit")
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
    told: dict[str, Any] = {
        "scenario": scenario.to_dict(),
        "mechanism": setup.mechanism_name,
        "k": setup.mechanism.k,
        "blocks": setup.partition.m,
        "outputs": _countable(setup.mechanism),
    }
    told |= verdict(audit) | {"seconds": round(perf_counter() - started, 4)}
    click.echo(json.dumps(told, indent=2))
    context.exit(0 if audit.holds else 1)


def _countable(mechanism: Mechanism) -> int | None:
    """Number of different reports, None where they are too many to be told."""
    outputs = mechanism.outputs
    return outputs if outputs < limits.OUTPUTS_MAX else None


def verdict(audit: LargeAudit) -> dict[str, Any]:
    """What `audit` prints of the audit: JSON-ready, the classes of one kind told together."""
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


def summary(result: Result, expected: Forecast | None) -> dict[str, Any]:
    """What `run` prints: JSON-ready; a number that is infinite or unknown is null.

    `expected` is None where errors mean nothing: then they are null, and `not_judged` says why.
    """
    setup = result.setup
    errors = {"errors": _gathered([asdict(each) for each in result.errors])}
    judged = {"errors": None, "not_judged": not_judged(setup)} if expected is None else errors
    return {
        "scenario": setup.scenario.to_dict(),
        "dataset": setup.dataset.name,
        "note": setup.dataset.note,
        "k": setup.mechanism.k,
        "blocks": setup.partition.m,
        "n": setup.n,
        "mechanism": setup.mechanism_name,
        "bits_per_report": report_bits(setup.mechanism),
        **judged,
        "expected": expected and _expected(expected),
        "mean": _mean_told(result),
        "seed": setup.scenario.seed,
        "seconds": round(result.seconds, 4),
    }


def _expected(found: Forecast) -> dict[str, Any]:
    return {
        "tv": found.error,
        "tv_standard_deviation": found.deviation,
        "tv_standard_error": found.standard_error,
        "method": found.way,
    }


def _gathered(values: Sequence[Any]) -> Any:
    """Of like-built errors of several trials the mean of every number, but counts as they are."""
    first = values[0]
    if isinstance(first, dict):
        return {name: _gathered([each[name] for each in values]) for name in first}
    if isinstance(first, tuple):
        return [_gathered(each) for each in zip(*values, strict=True)]
    return first if isinstance(first, int) else _mean(values)


def _mean_told(result: Result) -> dict[str, float] | None:
    found = mean_in(result)
    return None if found is None else asdict(found)


def _mean(values: Sequence[float | None]) -> dict[str, float | None]:
    known = [v for v in values if v is not None and v < float("inf")]
    if len(known) < len(values):
        return {"mean": None, "standard_error": None}
    error = stdev(known) / len(known) ** 0.5 if len(known) > 1 else None
    return {"mean": mean(known), "standard_error": error}


@main.group("reproduce")
def reproduce_group() -> None:
    """Recompute the paper's results."""


@reproduce_group.command("table1")
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
            columns = table_1(runs, seed, base, progress, in_processes)
    if as_json:
        click.echo(json.dumps([column.to_dict() for column in columns], indent=2))
        return
    click.echo(_table(columns))


def _table(columns: Sequence[Recomputed]) -> str:
    head = f"{'(m1, m2)':>10} {'TV':>8} {'± s.e.':>9} {'expected':>9} {'paper':>7}"
    lines = [f"{head} {'seconds':>8}"]
    for c in columns:
        error = "" if c.standard_error is None else f"{c.standard_error:.5f}"
        lines.append(
            f"{c.title:>10} {c.mean:8.4f} {error:>9} {c.expected:9.4f} {c.paper:7.3f} "
            f"{c.seconds:8.1f}"
        )
    return "\n".join(lines)
