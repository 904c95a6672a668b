"""The commands of a collection, from `caldp protocol` to `caldp registry`, and `schema`.

docs/collect.md explains what they are for.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click
import numpy as np

from caldp_core.basics.counted import count_text
from caldp_core.basics.errors import quoted, require
from caldp_core.basics.files import check_output, hold_file, is_standard_output, write_whole
from caldp_core.basics.limits import CONFIDENCE_MAX, CONFIDENCE_MIN, N_MAX
from caldp_core.cli.estimate_options import prior_option, q_option, read_prior
from caldp_core.cli.terminal import (
    TooManyRefusedError,
    check_shares_output,
    is_geojson,
    plain_errors,
    print_summary,
    progress_bar,
    warn_of_areas,
    write_or_print,
)
from caldp_core.collect import js
from caldp_core.collect.collected_tally import (
    CollectedTally,
    LawCheck,
    check_counts_of_reports,
    merge_tallies,
    report_counts,
)
from caldp_core.collect.collector import tally_files
from caldp_core.collect.estimate import (
    collected_from_histogram,
    error_of,
    error_sentence,
    estimate_table,
)
from caldp_core.collect.json_files import format_json, read_json_object
from caldp_core.collect.protocol import Protocol, protocol_schema, unprotected_text
from caldp_core.collect.record import About, make_record, mixed_privacy_by_crowd, registry_entry
from caldp_core.collect.servers import DIALECTS, dap_configuration, tally_query
from caldp_core.datasets.public_map import NoPrior
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.estimation.evidence import KNOWING_MAP, Options, default_estimator
from caldp_core.experiments.run import prepare
from caldp_core.experiments.table import Columns, as_csv, cells_as_geojson, map_for_geojson
from caldp_core.scenarios.scenario import Scenario, schema
from caldp_core.theory.mixing import DELTA

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command("protocol")
@click.argument("path", metavar="SCENARIO.json")
@click.option("-o", "--output", type=_FILE, help="Write it to this file; else it is printed.")
@click.option("--question", default="", help="What people are asked, for them to read.")
@click.option(
    "--allow-unprotected",
    is_flag=True,
    help="Make it although a sensitive value is protected by nothing, or nobody is protected.",
)
def protocol_command(
    path: str, output: Path | None, question: str, *, allow_unprotected: bool
) -> None:
    """Make the protocol of a collection: what its devices and its collector share, and no data."""
    with plain_errors():
        if output is not None:
            check_output(output, path)
        scenario = Scenario.from_file(path)
        with progress_bar("loading") as progress:
            setup = prepare(replace(scenario, n=1), progress)  # nobody is asked anything
        made = Protocol.of(setup, question, allow_unprotected=allow_unprotected)
        warn_of_areas(setup)
        if unprotected := unprotected_text(setup):
            click.echo(f"{unprotected}.", err=True)
        write_or_print(output, made.to_json())


@click.command("tally")
@click.argument("protocol", metavar="PROTOCOL.json")
@click.argument("files", metavar="REPORTS...", nargs=-1, required=True, type=_FILE)
@click.option(
    "-o", "--output", type=_FILE, required=True, help="The tally; if it exists, the run adds to it."
)
@click.option("--max-refused", type=click.FloatRange(0, 1), default=0.1, show_default=True,
              help="Share of refused reports above which it ends with exit code 3.")  # fmt: skip
def tally_command(protocol: str, files: tuple[Path, ...], output: Path, max_refused: float) -> None:
    """Add up files of reports: Parquet, CSV or JSON lines.

    Files that are in the tally already are left out, so an interrupted run continues.
    """
    with plain_errors(), progress_bar("tallying") as progress:
        loaded = Protocol.from_file(protocol)
        result = tally_files(loaded, files, output, progress)
    summary = {"files_counted": result.files_counted, "files_counted_before": result.files_skipped}
    checks = {"report_counts": report_counts(loaded, result.collected)}
    print_summary(summary | _tally_summary(result.collected) | checks, output)
    for check in check_counts_of_reports(loaded, result.collected):
        if check.is_alarm:
            click.echo(f"Warning: {_alarm_sentence(check)}", err=True)
    if result.refused_share > max_refused:
        raise TooManyRefusedError(
            f"{result.refused_share:.1%} of the reports were refused, and --max-refused is "
            f"{max_refused:.1%}; the others are in {quoted(output)}, look at the reasons before "
            "you estimate.".replace("%", " %")
        )


def _alarm_sentence(check: LawCheck) -> str:
    """What reports that are unlike honest ones look like."""
    reports = count_text(check.reports, "report", "reports")
    counted = {
        "report": f"report {check.number:,} came",
        "value": f"value {check.number:,} is included",
        "bucket": f"of {reports}, those in one of {check.counts:,} parts came",
    }
    return (
        f"{counted[check.of]} {check.count:,} times, and from honest devices {check.low:,.0f} to "
        f"{check.high:,.0f} times on average, whatever people answer; reports were repeated or "
        "chosen, so look at where they come from before you estimate."
    )


def _tally_summary(collected: CollectedTally) -> dict[str, Any]:
    return {
        "reports": collected.tally.n,
        "refused": dict(collected.refused),
        "protocol": collected.protocol,
    }


@click.command("merge")
@click.argument("tallies", metavar="TALLY.json...", nargs=-1, required=True)
@click.option("-o", "--output", type=_FILE, required=True, help="The sum of the tallies.")
def merge_command(tallies: tuple[str, ...], output: Path) -> None:
    """Add tallies of one protocol, in any order, if no two of them share a batch."""
    with plain_errors(), hold_file(output):
        total = merge_tallies(map(CollectedTally.from_file, tallies))
        total.write(output)
    print_summary(_tally_summary(total), output)


@click.command("estimate")
@click.argument("protocol", metavar="PROTOCOL.json")
@click.argument("tally", metavar="[TALLY.json]", required=False)
@click.option("--histogram", type=_FILE, help="Instead of a tally: what caldp sql counted.")
@click.option(
    "--level",
    type=click.FloatRange(CONFIDENCE_MIN, CONFIDENCE_MAX),
    default=0.95,
    show_default=True,
    help="Chance that an interval holds its share.",
)
@click.option("--estimator", type=click.Choice(list(ESTIMATORS)),
              help=f"[default: {default_estimator()}, with --prior {KNOWING_MAP}]")  # fmt: skip
@prior_option
@q_option
@click.option("-o", "--output", type=_FILE, help="Write the table here: CSV, or cells as .geojson.")
@click.option("--record", type=_FILE, help="Write what was asked, promised and collected.")
def estimate_command(
    *,
    protocol: str,
    tally: str | None,
    histogram: Path | None,
    level: float,
    estimator: str | None,
    prior: Path | None,
    q: float | None,
    output: Path | None,
    record: Path | None,
) -> None:
    """Estimate shares and their intervals from a tally, one row per value."""
    with plain_errors():
        require(
            (tally is None) != (histogram is None),
            "An estimate is made of one tally, or of a histogram; give one of them.",
        )
        inputs = (protocol, tally, histogram, prior)
        check_shares_output(output, *inputs)
        if record is not None:
            check_output(record, *inputs)
        loaded = Protocol.from_file(protocol)
        if is_geojson(output):
            map_for_geojson(loaded.domain)
        collected = (
            CollectedTally.from_file(tally, loaded)
            if tally is not None
            else collected_from_histogram(loaded, histogram or Path())
        )
        known = NoPrior() if prior is None else read_prior(prior, loaded.domain)
        options = Options(known.shares_on(loaded.domain), q)
        name = estimator or default_estimator(options.prior)
        require(
            prior is None or name == KNOWING_MAP,
            f"--prior is for the estimator {KNOWING_MAP}, got {name}; leave one of them out.",
        )
        table = estimate_table(loaded, collected, level, name, options)
        text = _format_table(loaded, table, output)
        error = error_of(loaded, collected, name, options)
        if record is not None:
            made = make_record(
                loaded, collected, level, name, prior=known, false_share=q, error=error
            )
            write_whole(record, format_json(made))
        write_or_print(output, text)
        if error is not None:
            beside_table = output is None or is_standard_output(output)
            click.echo(error_sentence(loaded, error), err=beside_table)


def _format_table(protocol: Protocol, table: Columns, output: Path | None) -> str:
    """The table in the format of its file's name; raises `CaldpError` for GeoJSON without a map."""
    if not is_geojson(output):
        return as_csv(table)
    return cells_as_geojson(protocol.domain, table, np.array(table["estimated share"]))


@click.command("sql")
@click.argument("protocol", metavar="PROTOCOL.json")
@click.option("--dialect", type=click.Choice(list(DIALECTS)), default="duckdb", show_default=True)
@click.option("--batch-column", default="", help="Column that names deliveries, if there is one.")
def sql_command(protocol: str, dialect: str, batch_column: str) -> None:
    """Print the query that counts a table of reports, where reports are numbers."""
    with plain_errors():
        query = tally_query(Protocol.from_file(protocol), dialect, batch_column)
    click.echo(query, nl=False)


@click.command("client")
@click.option("-o", "--output", type=_FILE, help="Write it to this file; else it is printed.")
def client_command(output: Path | None) -> None:
    """Write the JavaScript client: one file for browsers and Node, without dependencies."""
    with plain_errors():
        write_or_print(output, (Path(js.__file__).parent / "client.js").read_text("utf-8"))


@click.command("mixed")
@click.argument("protocol", metavar="PROTOCOL.json")
@click.option(
    "--people",
    type=click.IntRange(1, N_MAX),
    multiple=True,
    default=(1_000, 10_000, 100_000, 1_000_000),
    show_default=True,
    help="Reports that are mixed in a block; may be given several times.",
)
@click.option("--delta", type=click.FloatRange(1e-15, 0.5), default=DELTA, show_default=True,
              help="δ: probability by which ε may be exceeded at most.")  # fmt: skip
def mixed_command(protocol: str, people: tuple[int, ...], delta: float) -> None:
    """Print the smaller ε of each block if a shuffler mixes its reports."""
    with plain_errors():
        loaded = Protocol.from_file(protocol)
        with progress_bar("mixing") as progress:
            text = format_json(mixed_privacy_by_crowd(loaded, people, delta, progress))
    click.echo(text, nl=False)


@click.command("dap")
@click.argument("protocol", metavar="PROTOCOL.json")
def dap_command(protocol: str) -> None:
    """Print a task of the Distributed Aggregation Protocol, and how its sums are debiased."""
    with plain_errors():
        text = format_json(dap_configuration(Protocol.from_file(protocol)))
    click.echo(text, nl=False)


@click.command("registry")
@click.argument("protocol", metavar="PROTOCOL.json")
@click.argument("record", metavar="RECORD.json")
@click.option("--name", required=True, help="Of what is published.")
@click.option("--curator", required=True, help="Who publishes it.")
@click.option("--use", required=True, help="What it is for.")
@click.option("--region", required=True, help="Whom it describes, or whose laws apply.")
@click.option("--published", required=True, help="The day, as 2026-11-23.")
@click.option("--author", required=True, help="Who writes this entry.")
def registry_command(protocol: str, record: str, **about: str) -> None:
    """Print an entry for OpenDP's registry of deployments, from a record that estimate wrote."""
    with plain_errors():
        loaded, parsed = Protocol.from_file(protocol), read_json_object(record, "The record")
        text = format_json(registry_entry(loaded, parsed, About(**about)))
    click.echo(text, nl=False)


_SCHEMAS: Final = {"scenario": schema, "protocol": protocol_schema}


@click.command("schema")
@click.argument("kind", type=click.Choice(list(_SCHEMAS)), default="scenario")
def schema_command(kind: str) -> None:
    """Print the JSON Schema of scenario files, or of protocols, for editors."""
    click.echo(json.dumps(_SCHEMAS[kind](), indent=2, ensure_ascii=False))
