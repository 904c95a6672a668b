"""The commands `run`, for a scenario's errors and shares, and `audit`, for what it promises.

Also `plan`, for an ε against an attacker, `reproduce`, for the paper's results, and `fetch`, for
data too large to ship.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from statistics import mean, stdev
from time import perf_counter
from typing import Any, Final

import click

from caldp_core.audit.mechanisms import audit_mechanism
from caldp_core.audit.pairwise import LargeAudit, PairClass, worst_of
from caldp_core.basics import limits
from caldp_core.basics.files import write_whole
from caldp_core.cli import terminal
from caldp_core.datasets.snap import GOWALLA_URL, Snap, cache_folder, fetch_gowalla
from caldp_core.estimation.evidence import KNOWING_MAP
from caldp_core.experiments.forecast import (
    epsilon_against_guesses,
    forecast,
    has_valid_errors,
    invalid_error_reason,
)
from caldp_core.experiments.questions import mean_in
from caldp_core.experiments.reproduce import FIGURE_RUNS, PAPER, Rows, figure_2, figure_3, table_1
from caldp_core.experiments.run import Errors, Result, prepare, run
from caldp_core.experiments.table import as_csv, as_geojson, columns_of, map_for_geojson
from caldp_core.mechanisms.capabilities import report_bits
from caldp_core.theory.expected_error import Forecast

_TYPES: Final = {
    "folder": click.Path(file_okay=False, path_type=Path),
    "share": terminal.Number(0.0, 1.0, min_open=True),
    "runs": click.IntRange(1, limits.TRIALS_MAX),
    "seed": click.IntRange(0, limits.SEED_MAX),
}


@terminal.command("run", _TYPES)
def run_command(path: str, estimate: Path | None, prior: Path | None, q: float | None) -> None:
    """Run a scenario file and print errors, expected errors, timing and seed as JSON."""
    terminal.check_shares_output(estimate, path, prior)
    scenario = terminal.read_scenario(path)
    if q is not None:
        scenario = replace(scenario, false_share=q)
    with terminal.progress_bar("loading") as progress:
        if prior is not None:
            known = terminal.read_prior(prior, scenario.dataset.load(progress).domain)
            scenario = replace(scenario, estimator=KNOWING_MAP, prior=known)
        terminal.check_q(q, scenario.estimator)
        setup = prepare(scenario, progress)
    # The run may take long, so a missing map is reported before it.
    if terminal.is_geojson(estimate):
        map_for_geojson(setup.dataset.domain)
    with terminal.progress_bar("running") as progress:
        result = run(setup, progress)
    expected = None
    if has_valid_errors(setup):
        with terminal.progress_bar("forecasting") as progress:
            expected = forecast(setup, progress=progress)
    if estimate is not None:
        text = as_geojson(result) if terminal.is_geojson(estimate) else as_csv(columns_of(result))
        write_whole(estimate, text)
    terminal.print_summary(summary(result, expected) | terminal.warn_of_areas(setup), estimate)


def summary(result: Result, expected: Forecast | None) -> dict[str, Any]:
    """What `run` prints: JSON-ready; a number that is infinite or unknown is null.

    `expected` is None where errors mean nothing: then they are null, and `not_judged` says why.
    """
    setup, average = result.setup, mean_in(result)
    judged: dict[str, Any] = {"errors": None, "not_judged": invalid_error_reason(setup)}
    if expected is not None:
        judged = {"errors": _mean_errors([_by_name(errors) for errors in result.errors])}
    return {
        "scenario": setup.scenario.to_dict(),
        "dataset": setup.dataset.name,
        "note": setup.dataset.note,
        "k": setup.mechanism.k,
        "blocks": setup.partition.m,
        **terminal.unprotected_values(setup),
        "n": setup.n,
        "mechanism": setup.mechanism_name,
        "bits_per_report": report_bits(setup.mechanism),
        **judged,
        "expected": expected and _expected(expected),
        "mean": average and asdict(average),
        "seed": setup.scenario.seed,
        "seconds": round(result.seconds, 4),
    }


def _by_name(errors: Errors) -> dict[str, Any]:
    """The errors of one trial by their names, with the kilometres that are computed for it here."""
    named = asdict(replace(errors, maps=None))
    del named["maps"]
    return named | {"earth_movers_km": errors.earth_movers_km}


def _expected(found: Forecast) -> dict[str, Any]:
    return {
        "tv": found.error,
        "tv_standard_deviation": found.deviation,
        "tv_standard_error": found.standard_error,
        "method": found.method,
        "trials": found.trials,
    }


def _mean_errors(values: Sequence[Any]) -> Any:
    """Of like-built errors of several trials the mean of every number, but counts as they are."""
    first = values[0]
    if isinstance(first, dict):
        means = {}
        for name in first:
            means[name] = _mean_errors([trial[name] for trial in values])
        return means
    if isinstance(first, tuple):
        return [_mean_errors(of_trials) for of_trials in zip(*values, strict=True)]
    if isinstance(first, int):
        return first
    return _mean(values)


def _mean(values: Sequence[float | None]) -> dict[str, float | None]:
    """Mean and standard error; both null if a trial has no finite number."""
    known = [value for value in values if value is not None and value < float("inf")]
    if len(known) < len(values):
        return {"mean": None, "standard_error": None}
    error = None
    if len(known) > 1:
        error = stdev(known) / len(known) ** 0.5
    return {"mean": mean(known), "standard_error": error}


@terminal.command("plan", _TYPES)
def plan_command(path: str, right: float) -> None:
    """Print the largest ε at which an attacker guesses so few people right, and the error there.

    The attacker reads one report and holds all protected values of its block for equally likely.
    The block where guessing is easiest counts. "limit" is "found" where there is such an ε;
    "unreachable" where no ε is small enough; "unlimited" where even the largest ε that caldp
    accepts keeps the share, so this goal sets no limit: choose ε by another one. In the last two
    cases "epsilon" and "expected" are null.
    """
    setup = prepare(terminal.read_scenario(path))
    with terminal.progress_bar("planning") as progress:
        largest = epsilon_against_guesses(setup, right, progress)
    limit, epsilon = _limit_by_guesses(largest)
    expected = None
    if epsilon is not None:
        planned = prepare(setup.scenario.with_epsilon(epsilon))
        if has_valid_errors(planned):
            expected = _expected(forecast(planned))
    found = {"right_at_most": right, "limit": limit, "epsilon": epsilon, "expected": expected}
    unprotected = terminal.unprotected_values(setup) | terminal.warn_of_areas(setup)
    click.echo(json.dumps(unprotected | found, indent=2))


def _limit_by_guesses(largest: float | None) -> tuple[str, float | None]:
    """The word for how a goal of right guesses limits ε, and that ε; see `plan_command`."""
    if largest is None:
        return "unreachable", None
    # The search ends at the largest ε accepted: printed as a number, it would look like advice.
    if largest == limits.EPSILON_MAX:
        return "unlimited", None
    return "found", largest


_NOTHING_PROMISED: Final = 3
"""Exit code where no pair of values has a limit, so that nothing could be broken."""
_NOTHING: Final = "No two values have a limit: there is nothing to hold, and nobody is protected."


@terminal.command("audit", _TYPES)
@click.pass_context
def audit_command(context: click.Context, path: str) -> None:
    """Check whether a scenario's mechanism keeps the policy's limits.

    Exit code 0 if it holds, 1 if it does not, 3 if nothing is promised.
    """
    scenario = terminal.read_scenario(path)
    with terminal.progress_bar("loading") as progress:
        setup = prepare(replace(scenario, n=1), progress)  # nobody is asked anything
    started = perf_counter()
    with terminal.progress_bar("auditing") as progress:
        audit = audit_mechanism(setup.mechanism, setup.policy, progress)
    output: dict[str, Any] = {
        "scenario": scenario.to_dict(),
        "mechanism": setup.mechanism_name,
        "k": setup.mechanism.k,
        "blocks": setup.partition.m,
        "outputs": None,
    }
    # From here on there are too many to list.
    if setup.mechanism.outputs < limits.OUTPUTS_MAX:
        output["outputs"] = setup.mechanism.outputs
    output |= terminal.unprotected_values(setup)
    output |= terminal.warn_of_areas(setup)
    output |= audit_summary(audit)
    output["seconds"] = round(perf_counter() - started, 4)
    click.echo(json.dumps(output, indent=2))

    # Scripts read only the exit code: what promises nothing must not look like what holds.
    if not audit.holds:
        context.exit(1)
    if audit.nothing_promised:
        context.exit(_NOTHING_PROMISED)


def audit_summary(audit: LargeAudit) -> dict[str, Any]:
    """What `audit` prints of the audit: JSON-ready, the classes of one kind together."""
    classes_by_kind: dict[str, list[PairClass]] = {}
    for pair_class in audit.classes:
        classes_by_kind.setdefault(pair_class.kind, []).append(pair_class)

    summary: dict[str, Any] = {"holds": audit.holds}
    if audit.nothing_promised:
        # Nothing was broken, but "holds: true" would be read as protection.
        if audit.holds:
            summary["holds"] = None
        summary["nothing_promised"] = _NOTHING
    summary["method"] = audit.method
    summary["faulty_value"] = audit.faulty_row
    summary["pairs"] = [_kind(classes) for classes in classes_by_kind.values()]
    return summary


def _kind(classes: Sequence[PairClass]) -> dict[str, Any]:
    """What `audit` prints of the classes of one kind: how many hold, and the worst pair."""
    worst = worst_of(classes)
    assert worst is not None  # a kind is only there because of its classes
    pair: dict[str, Any] = {
        "block": worst.block,
        "value": worst.x,
        "other_value": worst.x_other,
        "output": worst.output,
        "privacy_loss": None,
        "epsilon": worst.epsilon,
    }
    # Without a ratio the loss is infinite, which JSON has no number for.
    if worst.ratio is not None:
        pair["privacy_loss"] = worst.privacy_loss
        if not worst.holds:
            pair["above_epsilon_by"] = worst.excess
    pair["holds"] = worst.holds
    return {
        "kind": worst.kind,
        "blocks": len(classes),
        "blocks_that_hold": sum(pair_class.holds for pair_class in classes),
        "pairs": sum(pair_class.pairs for pair_class in classes),
        "worst": pair,
    }


@click.group("reproduce")
def reproduce_command() -> None:
    """Recompute the paper's results."""


def _add(name: str, make_rows: Callable[..., Rows], **defaults: int) -> click.Command:
    """Add the command that prints these rows; its options have the names of arguments."""
    text = (make_rows.__doc__ or "").partition("\n")[0]

    @reproduce_command.command(name, terminal.OptionsOnce, help=text)
    @terminal.add_options(name, _TYPES, **defaults)
    def command(seed: int, as_json: bool, scenario: str | None, **arguments: Any) -> None:
        with terminal.progress_bar(name) as progress:
            base = PAPER
            if scenario:
                base = terminal.read_scenario(scenario)
            base = replace(base, seed=seed)
            rows = make_rows(base=base, progress=progress, **arguments)
        if as_json:
            click.echo(json.dumps(rows, indent=2))
            return
        columns = {}
        for title in rows[0]:
            columns[title] = [row[title] for row in rows]
        click.echo(as_csv(columns), nl=False)

    return command


table1_command = _add("table1", table_1, runs=100)
figure2_command = _add("figure2", figure_2, runs=FIGURE_RUNS)
figure3_command = _add("figure3", figure_3)


@click.group("fetch")
def fetch_command() -> None:
    """Fetch data sets that are too large to ship with the project."""


@fetch_command.command("gowalla", terminal.OptionsOnce)
@terminal.add_options("gowalla", _TYPES, url=GOWALLA_URL, kept_in=cache_folder())
def gowalla(folder: Path | None, url: str) -> None:
    """Fetch SNAP's 6.4 million Gowalla check-ins (about 100 MB)."""
    with terminal.progress_bar("Fetching") as progress:
        path = fetch_gowalla(url, folder, progress)
    scenario = {"kind": "snap", **asdict(Snap(str(path.resolve())))}
    click.echo(f"The check-ins are in {path}")
    click.echo(f'Use them in a scenario file with: "dataset": {json.dumps(scenario)}')
