"""The commands of a collection, from `caldp protocol` to `caldp registry`, and `schema`.

docs/collect.md explains what they are for.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import click
import numpy as np

from caldp_core.basics.errors import count_text, quoted, require
from caldp_core.basics.files import (
    BYTE_ORDER_MARK,
    check_output,
    hold_file,
    is_standard_output,
    read_text,
    write_whole,
)
from caldp_core.basics.limits import CONFIDENCE_MAX, CONFIDENCE_MIN, N_MAX
from caldp_core.cli import terminal
from caldp_core.cli.commands import TooManyRefusedError
from caldp_core.collect import device, estimate, js
from caldp_core.collect import record as records
from caldp_core.collect.collected_tally import (
    CollectedTally,
    LawCheck,
    check_counts_of_reports,
    merge_tallies,
    report_counts,
)
from caldp_core.collect.collector import tally_files
from caldp_core.collect.json_files import format_json, read_json_object
from caldp_core.collect.protocol import Protocol, protocol_schema, unprotected_text
from caldp_core.collect.servers import DIALECTS, dap_configuration, tally_query
from caldp_core.datasets.base import from_weights
from caldp_core.datasets.own import check_line, remove_unseen
from caldp_core.datasets.public_map import NoPrior
from caldp_core.domain.domains import Domain
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.estimation.evidence import KNOWING_MAP, Evidence, Options, default_estimator
from caldp_core.estimation.intervals import every_look, one_look
from caldp_core.estimation.shares import compare_groups, quantiles
from caldp_core.experiments.run import prepare
from caldp_core.experiments.table import as_csv, cells_as_geojson, map_for_geojson
from caldp_core.scenarios.scenario import Scenario, schema
from caldp_core.theory.mixing import DELTA

_FILE = click.Path(dir_okay=False, path_type=Path)
_NAMES_MAX_BYTES: Final = 64 << 20
_TYPES: Final = {
    "budget": click.FloatRange(min=0),
    "delta": click.FloatRange(1e-15, 0.5),
    "dialect": click.Choice(list(DIALECTS)),
    "epsilon": click.FloatRange(0.001, 20),
    "estimator": click.Choice(list(ESTIMATORS)),
    "level": click.FloatRange(CONFIDENCE_MIN, CONFIDENCE_MAX),
    "people": click.IntRange(1, N_MAX),
    "repetition": click.Choice(list(device.REPETITIONS)),
    "reports": click.IntRange(1, 1_000_000),
    "share": click.FloatRange(0, 1),
}


@click.command("protocol")
@click.argument("path", metavar="SCENARIO.json")
@terminal.add_options("protocol", _TYPES, reports=records.YEAR)
def protocol_command(
    *,
    path: str,
    output: Path | None,
    question: str,
    names: Path | None,
    allow_unprotected: bool,
    repeat: str | None,
    reports: int,
    a_day: int,
    change_epsilon: float,
) -> None:
    """Make the protocol of a collection: what its devices and its collector share, and no data."""
    if output is not None:
        check_output(output, path, names)
    scenario = replace(Scenario.from_file(path), n=1)  # nobody is asked anything
    with terminal.progress_bar("loading") as progress:
        if names is None:
            setup = prepare(scenario, progress)
        else:
            domain = _read_names(names)
            nobody = from_weights(names.name, "", domain, np.ones(domain.k))
            setup = prepare(scenario, progress, load=lambda *_: nobody)
    made = Protocol.of(setup, question, allow_unprotected=allow_unprotected)
    outputs = made.mechanism.outputs
    plans: dict[str, Callable[[], device.Repetition]] = {
        **device.REPETITIONS,
        "budget": partial(device.Budget, reports, a_day),
        "noisy-memo": partial(device.NoisyMemo.of, change_epsilon, outputs, reports),
    }
    made = made.repeated(plans[repeat]()) if repeat else made
    terminal.warn_of_areas(setup)
    if unprotected := unprotected_text(setup):
        click.echo(f"{unprotected}.", err=True)
    terminal.write_or_print(output, made.to_json())


def _read_names(path: Path) -> Domain:
    """The answers that a file lists; raises `CaldpError` for one that is there twice."""
    advice = "write one name a line, saved as UTF-8"
    text = read_text(path, "The file of names", _NAMES_MAX_BYTES, advice)
    lines = text.removeprefix(BYTE_ORDER_MARK).splitlines()
    return Domain.of(check_line("names", remove_unseen(e.strip())) for e in lines if e.strip())


@click.command("account")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@terminal.add_options("account", _TYPES, reports=records.YEAR)
def account_command(folder: Path, budget: float | None, reports: int, *, as_json: bool) -> None:
    """Add up what the protocols in a folder cost a person who answers all of them."""
    found = records.make_account(records.read_protocols(folder), budget, reports)
    click.echo(format_json(found) if as_json else "\n".join(_account_lines(found)))


_ROW: Final = "{:<28} {:<10} {:>7} {:>14} {:>12} {:>13}".format


def _account_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """An account as a table of ε, and what is left."""
    yield _ROW("protocol", "plan", "reports", "value stays", "one change", "any history")
    for each in found["protocols"]:
        levels = (_level_text(**each[name]) for name in ("value", "change", "history"))
        yield _ROW(each["file"], each["plan"].get("kind", "none"), each["reports"], *levels)
    for key, title in (("epsilon", "all together"), ("left", "left of the budget")):
        total = [_level_text(level) for level in found.get(key, {}).values()]
        yield from [_ROW(title, "", "", total[0], "", total[1])] if total else []


def _level_text(epsilon: float | None, **how: str) -> str:
    if epsilon is None:
        return "no limit"
    return f"≤ {epsilon}" if how == {"is": "bound"} else str(epsilon)


@click.command("tally")
@click.argument("protocol", metavar="PROTOCOL.json")
@click.argument("files", metavar="REPORTS...", nargs=-1, required=True, type=_FILE)
@terminal.add_options("tally", _TYPES)
def tally_command(protocol: str, files: tuple[Path, ...], output: Path, max_refused: float) -> None:
    """Add up files of reports: Parquet, CSV or JSON lines.

    Files that are in the tally already are left out, so an interrupted run continues.
    """
    with terminal.progress_bar("tallying") as progress:
        loaded = Protocol.from_file(protocol)
        result = tally_files(loaded, files, output, progress)
    summary = {"files_counted": result.files_counted, "files_counted_before": result.files_skipped}
    checks = {"report_counts": report_counts(loaded, result.collected)}
    terminal.print_summary(summary | _tally_summary(result.collected) | checks, output)
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
    counted = records.TEXTS["alarm"][check.of].format(check=check, reports=reports)
    sentence: str = records.TEXTS["alarm"]["sentence"].format(check=check, counted=counted)
    return sentence


def _tally_summary(collected: CollectedTally) -> dict[str, Any]:
    return {
        "reports": collected.tally.n,
        "refused": dict(collected.refused),
        "protocol": collected.protocol,
    }


@click.command("merge")
@click.argument("tallies", metavar="TALLY.json...", nargs=-1, required=True)
@terminal.add_options("merge", _TYPES)
def merge_command(tallies: tuple[str, ...], output: Path) -> None:
    """Add tallies of one protocol, in any order, if no two of them share a batch."""
    with hold_file(output):
        total = merge_tallies(map(CollectedTally.from_file, tallies))
        total.write(output)
    terminal.print_summary(_tally_summary(total), output)


@click.command("estimate")
@click.argument("protocol", metavar="PROTOCOL.json")
@click.argument("tally", metavar="[TALLY.json]", required=False)
@terminal.add_options("estimate", _TYPES, usual=default_estimator(), knowing_map=KNOWING_MAP)
def estimate_command(
    *,
    protocol: str,
    tally: str | None,
    histogram: Path | None,
    level: float,
    running: bool,
    estimator: str | None,
    prior: Path | None,
    q: float | None,
    output: Path | None,
    record: Path | None,
) -> None:
    """Estimate shares and their intervals from a tally, one row per value."""
    inputs = (protocol, tally, histogram, prior)
    terminal.check_shares_output(output, *inputs)
    if record is not None:
        check_output(record, *inputs)
    loaded = Protocol.from_file(protocol)
    as_geojson = terminal.is_geojson(output)
    if as_geojson:
        map_for_geojson(loaded.domain)
    collected = _collected(loaded, tally, histogram)
    known = NoPrior() if prior is None else terminal.read_prior(prior, loaded.domain)
    options = Options(known.shares_on(loaded.domain), q)
    name = estimator or default_estimator(options.prior)
    require(
        prior is None or name == KNOWING_MAP,
        f"--prior is for the estimator {KNOWING_MAP}, got {name}; leave one of them out.",
    )
    looks = every_look if running else one_look
    table = estimate.estimate_table(loaded, collected, level, name, options, looks=looks)
    shares = np.array(table["estimated share"])
    text = cells_as_geojson(loaded.domain, table, shares) if as_geojson else as_csv(table)
    error = estimate.error_of(loaded, collected, name, options)
    evidence = Evidence.of(loaded.mechanism, collected.tally, domain=loaded.domain)
    alone = looks(level, evidence.n, 1)
    groups, quartiles = compare_groups(evidence, alone), quantiles(evidence, level=alone)
    if record is not None:
        made = records.make_record(
            loaded, collected, level, name, prior=known, false_share=q, error=error, looks=looks
        )
        lists = {"groups": list(map(asdict, groups)), "quartiles": list(map(asdict, quartiles))}
        write_whole(record, format_json(made | lists))
    terminal.write_or_print(output, text)
    beside_table = output is None or is_standard_output(output)
    sentences = [] if error is None else [estimate.error_sentence(loaded, error)]
    sentences += [each.sentence for each in quartiles] + [each.sentence for each in groups]
    for sentence in sentences:
        click.echo(sentence, err=beside_table)


def _collected(protocol: Protocol, tally: str | None, histogram: Path | None) -> CollectedTally:
    """What was collected, from the one file that is given; `CaldpError` for none or both."""
    require(
        (tally is None) != (histogram is None),
        "An estimate is made of one tally, or of a histogram; give one of them.",
    )
    if histogram is not None:
        return estimate.collected_from_histogram(protocol, histogram)
    return CollectedTally.from_file(str(tally), protocol)


@click.command("sql")
@click.argument("protocol", metavar="PROTOCOL.json")
@terminal.add_options("sql", _TYPES)
def sql_command(protocol: str, dialect: str, batch_column: str) -> None:
    """Print the query that counts a table of reports, where reports are numbers."""
    query = tally_query(Protocol.from_file(protocol), dialect, batch_column)
    click.echo(query, nl=False)


@click.command("client")
@terminal.add_options("client", _TYPES)
def client_command(output: Path | None) -> None:
    """Write the JavaScript client: one file for browsers and Node, without dependencies."""
    terminal.write_or_print(output, (Path(js.__file__).parent / "client.js").read_text("utf-8"))


@click.command("mixed")
@click.argument("protocol", metavar="PROTOCOL.json")
@terminal.add_options("mixed", _TYPES, delta=DELTA)
def mixed_command(protocol: str, people: tuple[int, ...], delta: float) -> None:
    """Print the smaller ε of each block if a shuffler mixes its reports."""
    loaded = Protocol.from_file(protocol)
    with terminal.progress_bar("mixing") as progress:
        text = format_json(records.mixed_privacy_by_crowd(loaded, people, delta, progress))
    click.echo(text, nl=False)


@click.command("dap")
@click.argument("protocol", metavar="PROTOCOL.json")
def dap_command(protocol: str) -> None:
    """Print a task of the Distributed Aggregation Protocol, and how its sums are debiased."""
    text = format_json(dap_configuration(Protocol.from_file(protocol)))
    click.echo(text, nl=False)


@click.command("registry")
@click.argument("protocol", metavar="PROTOCOL.json")
@click.argument("record", metavar="RECORD.json")
@terminal.add_options("registry", _TYPES)
def registry_command(protocol: str, record: str, **about: str) -> None:
    """Print an entry for OpenDP's registry of deployments, from a record that estimate wrote."""
    loaded, parsed = Protocol.from_file(protocol), read_json_object(record, "The record")
    text = format_json(records.registry_entry(loaded, parsed, records.About(**about)))
    click.echo(text, nl=False)


_SCHEMAS: Final = {"scenario": schema, "protocol": protocol_schema}


@click.command("schema")
@click.argument("kind", type=click.Choice(list(_SCHEMAS)), default="scenario")
def schema_command(kind: str) -> None:
    """Print the JSON Schema of scenario files, or of protocols, for editors."""
    click.echo(json.dumps(_SCHEMAS[kind](), indent=2, ensure_ascii=False))
