"""The commands of a collection, from `caldp protocol` to `caldp registry`, and `schema`.

docs/collect.md explains what they are for.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click
import numpy as np
from click.core import ParameterSource

from caldp_core.basics.errors import CaldpError, count_text, quoted, require
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
    check_counts_of_reports,
    merge_tallies,
    report_counts,
)
from caldp_core.collect.collector import Collector, tally_files
from caldp_core.collect.json_files import NAME, format_json, read_json_object
from caldp_core.collect.protocol import PROTOCOL_KEY, Protocol, protocol_schema, unprotected_text
from caldp_core.collect.questions import Questions, protocols_by_name, read_protocol
from caldp_core.collect.servers import DIALECTS, tally_query
from caldp_core.datasets.base import from_weights
from caldp_core.datasets.own import check_line, remove_unseen
from caldp_core.datasets.public_map import NoPrior, PublicMap
from caldp_core.domain.domains import Domain
from caldp_core.estimation.estimators import ESTIMATORS, GroupShare, Quantile
from caldp_core.estimation.evidence import KNOWING_MAP, Options, default_estimator
from caldp_core.estimation.intervals import every_look, one_look
from caldp_core.experiments.run import prepare
from caldp_core.experiments.table import as_csv, cells_as_geojson, map_for_geojson
from caldp_core.scenarios.scenario import schema
from caldp_core.theory.mixing import DELTA

_REFUSED_MAX: Final = 0.1
"""Share of refused reports above which a tally fails and an estimate warns."""
_NAMES_MAX_BYTES: Final = 64 << 20
_SCHEMAS: Final = {"scenario": schema, "protocol": protocol_schema}
_TYPES: Final = {
    "budget": terminal.Number(min=0),
    "delta": terminal.Number(1e-15, 0.5),
    "dialect": click.Choice(list(DIALECTS)),
    "epsilon": terminal.Number(0.001, 20),
    "folder": click.Path(file_okay=False, path_type=Path),
    "estimator": click.Choice(list(ESTIMATORS)),
    "level": terminal.Number(CONFIDENCE_MIN, CONFIDENCE_MAX),
    "people": click.IntRange(1, N_MAX),
    "repetition": click.Choice(list(device.REPETITIONS)),
    "reports": click.IntRange(1, 1_000_000),
    "schema": click.Choice(list(_SCHEMAS)),
    "share": terminal.Number(0, 1),
}


@terminal.command("protocol", _TYPES, reports=records.YEAR)
def protocol_command(path: str | None, output: Path | None, **options: Any) -> None:
    """Make the protocol of a collection: what its devices and its collector share, and no data."""
    questions: Path | None = options.pop("questions")
    require(
        (path is None) != (questions is None),
        "A protocol is made of a scenario, or of the protocols of several questions; give one.",
    )
    _check_used(options, questions)
    if output is not None:
        check_output(output, path, options["names"])
    made: Protocol | Questions
    if questions is None:
        made = _of_scenario(path, **options)
    else:
        made = _of_folder(questions)
    terminal.write_or_print(output, made.to_json())


_PLANS_OF: Final = {
    "reports": ("budget", "noisy-memo"),
    "a_day": ("budget",),
    "change_epsilon": ("noisy-memo",),
}
"""The plans of repetition that an option is for."""


def _check_used(options: Mapping[str, Any], questions: Path | None) -> None:
    """Raise `CaldpError` for an option that was given and that nothing would look at."""
    source_of = click.get_current_context().get_parameter_source
    plan = options["repeat"]
    where = "without --repeat"
    if plan:
        where = f"with --repeat {plan}"
    if questions:
        where = "with --questions"
    for name in options:
        # An option that `_PLANS_OF` does not list is used with every plan, and without one.
        is_used = questions is None and plan in _PLANS_OF.get(name, (plan,))
        is_given = source_of(name) is not ParameterSource.DEFAULT
        does_nothing = f"--{name.replace('_', '-')} does nothing {where}; leave it out."
        require(is_used or not is_given, does_nothing)


def _of_folder(folder: Path) -> Questions:
    """The protocols in a folder as one; says on standard error what all cost a person."""
    found = records.read_protocols(folder)
    made = Questions({name.removesuffix(".json"): protocol for name, protocol in found.items()})
    once = records.make_account(made.protocols, reports=1)["epsilon"]["any_history"]
    number = count_text(len(found), "question", "questions")
    click.echo(f"{number} in one report: ε = {_level_text(once)} for a person.", err=True)
    return made


def _of_scenario(
    path: str | None,
    *,
    question: str,
    names: Path | None,
    allow_unprotected: bool,
    repeat: str | None,
    reports: int,
    a_day: int,
    change_epsilon: float,
) -> Protocol:
    """The protocol of a scenario; its answers are those of its data, or those that `names` lists.

    Says on standard error which answers nothing protects.
    """
    scenario = replace(terminal.read_scenario(path or ""), n=1)  # nobody is asked anything
    with terminal.progress_bar("loading") as progress:
        if names is None:
            setup = prepare(scenario, progress)
        else:
            # A protocol needs the list of answers alone, so that the data may stay where it is.
            domain = _read_names(names)
            nobody = from_weights(names.name, "", domain, np.ones(domain.k))
            setup = prepare(scenario, progress, load=lambda *_: nobody)
    made = Protocol.of(setup, question, allow_unprotected=allow_unprotected)
    terminal.warn_of_areas(setup)
    unprotected = unprotected_text(setup)
    if unprotected:
        click.echo(f"{unprotected}.", err=True)

    # Two plans of repetition have numbers of their own, the others are made without any.
    if not repeat:
        return made
    if repeat == "budget":
        return made.repeated(device.Budget(reports, a_day))
    if repeat == "noisy-memo":
        outputs = made.mechanism.outputs
        return made.repeated(device.NoisyMemo.of(change_epsilon, outputs, reports))
    return made.repeated(device.REPETITIONS[repeat]())


def _read_names(path: Path) -> Domain:
    """The answers that a file lists; raises `CaldpError` for one that is there twice."""
    advice = "write one name a line, saved as UTF-8"
    text = read_text(path, "The file of names", _NAMES_MAX_BYTES, advice)
    names = []
    for line in text.removeprefix(BYTE_ORDER_MARK).splitlines():
        name = line.strip()
        if name:
            names.append(check_line("names", remove_unseen(name)))
    require(bool(names), f"The file {quoted(path)} holds no names; {advice}.")
    return Domain.of(names)


@terminal.command("account", _TYPES, reports=records.YEAR)
def account_command(
    path: Path, budget: float | None, reports: int, people: int | None, *, as_json: bool
) -> None:
    """Add up what the protocols in a folder, or a file's questions, cost who answers all."""
    found = records.make_account(records.read_protocols(path), budget, reports, people)
    if as_json:
        click.echo(format_json(found))
    else:
        click.echo("\n".join(_account_lines(found)))


_ROW: Final = "{:<28} {:<10} {:>7} {:>14} {:>12} {:>13}".format


def _account_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """An account as a table of ε, and what is left."""
    yield _ROW("protocol", "plan", "reports", "value stays", "one change", "any history")
    # 1. What each protocol costs, and what all of them.
    for protocol in found["protocols"]:
        plan = protocol["plan"].get("kind", "none")
        levels = [_level_text(**protocol[name]) for name in ("value", "change", "history")]
        yield _ROW(protocol["file"], plan, protocol["reports"], *levels)
    for key, title in (("epsilon", "all together"), ("left", "left of the budget")):
        # What is left is only known of a budget that was named.
        if found.get(key):
            value_stays, any_history = [_level_text(level) for level in found[key].values()]
            yield _ROW(title, "", "", value_stays, "", any_history)

    # 2. What the collector gets for it, where the number of people was named.
    people = found.get("people")
    if not people:
        return
    asked = f"{count_text(people, 'person', 'people')}, as many with each answer"
    yield f"\nPercentage points that 95 of 100 estimates are off at most, of {asked}:"
    yield _ROW("protocol", "plan", "", "one report", "", "value stays")
    for protocol in found["protocols"]:
        plan = protocol["plan"].get("kind", "none")
        # 1.96 standard deviations, in percentage points.
        one_report, all_reports = [
            f"± {196 * protocol['accuracy'][name]:.3g}" for name in ("one", "all")
        ]
        yield _ROW(protocol["file"], plan, protocol["reports"], one_report, "", all_reports)


def _level_text(epsilon: float | None, **how: str) -> str:
    """An ε as the account writes it, and that it is an upper bound where that is all one knows."""
    if epsilon is None:
        return "no limit"
    if how == {"is": "bound"}:
        return f"≤ {epsilon}"
    return str(epsilon)


@terminal.command("tally", _TYPES, max_refused=_REFUSED_MAX)
def tally_command(protocol: str, files: tuple[Path, ...], output: Path, max_refused: float) -> None:
    """Add up files of reports: Parquet, CSV or JSON lines.

    Files that are in the tally already are left out, so an interrupted run continues. Of several
    questions the output is a folder, with a tally of each.
    """
    asked = read_protocol(protocol)
    outputs = _outputs(asked, output, ".tally.json")
    summaries: dict[str, Any] = {}
    refused_share = 0.0
    for name, asked_protocol in protocols_by_name(asked).items():
        with terminal.progress_bar(f"tallying {name}".strip()) as progress:
            collector = Collector(asked_protocol, name, asked.fingerprint)
            result = tally_files(asked_protocol, files, outputs[name], progress, collector)
        summaries[name] = {
            "files_counted": result.files_counted,
            "files_counted_before": result.files_skipped,
            **_tally_summary(result.collected),
            "report_counts": report_counts(asked_protocol, result.collected),
        }
        refused_share = max(refused_share, result.refused_share)
        _warn_of_counts(asked_protocol, result.collected)

    # A single question has no name: its summary is printed as it is.
    terminal.print_summary(summaries.get("", summaries), output)
    # The tallies are written by now: those who know why reports were refused may go on with them.
    if refused_share > max_refused:
        sentence = (
            f"{refused_share:.1%} of the reports were refused, and --max-refused is "
            f"{max_refused:.1%}; the others are in {quoted(output)}, look at the reasons before "
            "you estimate."
        )
        raise TooManyRefusedError(sentence.replace("%", " %"))


def _warn_of_counts(protocol: Protocol, collected: CollectedTally) -> None:
    """Say on standard error which counts no answers of honest devices explain."""
    texts = records.TEXTS["alarm"]
    for check in check_counts_of_reports(protocol, collected):
        if check.is_alarm:
            reports = count_text(check.reports, "report", "reports")
            counted = texts[check.of].format(check=check, reports=reports)
            sentence = texts["sentence"].format(check=check, counted=counted)
            click.echo(f"Warning: {sentence}", err=True)


def _outputs(asked: Protocol | Questions, output: Path | None, ending: str) -> dict[str, Path]:
    """Each question's file in the folder `output`, which is made; of a single one `output`."""
    if isinstance(asked, Protocol):
        if output is None:
            return {}
        return {"": output}
    if output is None or (output.exists() and not output.is_dir()):
        raise CaldpError("Of several questions -o must name a folder, for a file of each.")
    output.mkdir(parents=True, exist_ok=True)
    return {name: output / f"{name}{ending}" for name in asked.protocols}


def _tally_summary(collected: CollectedTally) -> dict[str, Any]:
    return {
        "reports": collected.tally.n,
        "refused": dict(collected.refused),
        "protocol": collected.protocol,
    }


@terminal.command("merge", _TYPES)
def merge_command(tallies: tuple[str, ...], output: Path, protocol: str | None) -> None:
    """Add tallies of one protocol, in any order, if no two of them share a batch."""
    with hold_file(output):
        read = [CollectedTally.from_file(tally) for tally in tallies]
        if protocol is not None:
            asked = Protocol.from_file(protocol)
            read = [tally.with_plan_of(asked) for tally in read]
        total = merge_tallies(read)
        total.write(output)
    terminal.print_summary(_tally_summary(total), output)


@terminal.command("estimate", _TYPES, usual=default_estimator(), knowing_map=KNOWING_MAP)
def estimate_command(
    protocol: str,
    tally: str | None,
    histogram: Path | None,
    output: Path | None,
    record: Path | None,
    **options: Any,
) -> None:
    """Estimate shares and their intervals from a tally, one row per value.

    Of several questions TALLY.json is the folder of their tallies, and -o one for their tables.
    """
    require(
        (tally is None) != (histogram is None),
        "An estimate is made of one tally, or of a histogram; give one of them.",
    )
    protocol, tally = _protocol_first(protocol, tally)
    inputs = (protocol, tally, histogram, options["prior"])
    asked = read_protocol(protocol)
    outputs = _outputs(asked, output, ".csv")
    made: dict[str, dict[str, Any]] = {}
    if record is not None:
        is_one = output is not None and record.resolve() == output.resolve()
        require(not is_one, "The table and its record need a file each; name two.")
        check_output(record, *inputs)
    for name, asked_protocol in protocols_by_name(asked).items():
        table = outputs.get(name)
        terminal.check_shares_output(table, *inputs)
        if tally is None:
            collected = estimate.collected_from_histogram(asked_protocol, histogram or Path())
        elif name:
            # Of several questions `tally` is the folder that `caldp tally` has made.
            path = Path(tally, f"{name}.tally.json")
            collected = CollectedTally.from_file(path, asked_protocol)
        else:
            collected = CollectedTally.from_file(tally, asked_protocol)
        made[name] = _estimate(asked_protocol, collected, table, **options)
    if record is not None:
        whole: Mapping[str, Any]
        if isinstance(asked, Questions):
            whole = records.make_questions_record(asked, made)
        else:
            whole = made[""]
        write_whole(record, format_json(whole))


def _protocol_first(protocol: str, tally: str | None) -> tuple[str, str | None]:
    """The protocol and the tally, in whichever order they were given."""
    if tally is None or Path(tally).is_dir() or not Path(tally).is_file():
        return protocol, tally
    if Path(protocol).is_file() and PROTOCOL_KEY in read_json_object(protocol, NAME):
        return protocol, tally
    if PROTOCOL_KEY in read_json_object(tally, NAME):
        return tally, protocol
    # Neither is a protocol: who reads them next says so, by the order in which they were given.
    return protocol, tally


def _estimate(
    protocol: Protocol,
    collected: CollectedTally,
    output: Path | None,
    *,
    level: float,
    running: bool,
    estimator: str | None,
    prior: Path | None,
    q: float | None,
) -> dict[str, Any]:
    """Write or print the estimate and its sentences; returns its record."""
    # 1. What is wrong with the options is said before anything is computed.
    as_geojson = terminal.is_geojson(output)
    if as_geojson:
        map_for_geojson(protocol.domain)
    known: PublicMap | NoPrior = NoPrior()
    if prior is not None:
        known = terminal.read_prior(prior, protocol.domain)
    options = Options(known.shares_on(protocol.domain), q)
    name = estimator or default_estimator(options.prior)
    require(
        prior is None or name == KNOWING_MAP,
        f"--prior is for the estimator {KNOWING_MAP}, got {name}; leave one of them out.",
    )
    terminal.check_q(q, name)

    # 2. The table, and the record of how it was made.
    looks = every_look if running else one_look
    table = estimate.estimate_table(protocol, collected, level, name, options, looks=looks)
    if as_geojson:
        text = cells_as_geojson(protocol.domain, table, np.array(table["estimated share"]))
    else:
        text = as_csv(table)
    error = estimate.error_of(protocol, collected, name, options)
    made = records.make_record(
        protocol, collected, level, name, prior=known, false_share=q, error=error, looks=looks
    )

    # 3. What speaks against publishing it comes before what it says.
    _warn_of_counts(protocol, collected)
    refused = sum(collected.refused.values())
    arrived = refused + collected.tally.n
    if refused > _REFUSED_MAX * arrived:
        share = f"{refused:,} of {count_text(arrived, 'report', 'reports')}"
        advice = "look at the reasons before you publish this"
        click.echo(f"Warning: {share} were refused; {advice}.", err=True)
    terminal.write_or_print(output, text)
    sentences = []
    if error is not None:
        sentences.append(estimate.error_sentence(protocol, error))
    for quartile in made["quartiles"]:
        sentences.append(Quantile(**quartile).sentence)
    for group in made["groups"]:
        sentences.append(GroupShare(**group).sentence)
    for sentence in sentences:
        click.echo(sentence, err=output is None or is_standard_output(output))
    return made


@terminal.command("sql", _TYPES)
def sql_command(protocol: str, dialect: str, batch_column: str) -> None:
    """Print the query that counts a table of reports, where reports are numbers."""
    click.echo(tally_query(Protocol.from_file(protocol), dialect, batch_column), nl=False)


@terminal.command("client", _TYPES)
def client_command(output: Path | None) -> None:
    """Write the JavaScript client: one file for browsers and Node, without dependencies."""
    terminal.write_or_print(output, (Path(js.__file__).parent / "client.js").read_text("utf-8"))


@terminal.command("mixed", _TYPES, delta=DELTA)
def mixed_command(protocol: str, people: tuple[int, ...], delta: float) -> None:
    """Print the smaller ε of each block if a shuffler mixes its reports."""
    loaded = Protocol.from_file(protocol)
    with terminal.progress_bar("mixing") as progress:
        found = records.mixed_privacy_by_crowd(loaded, people, delta, progress)
    click.echo(format_json(found), nl=False)


@terminal.command("registry", _TYPES)
def registry_command(protocol: str, record: str, **about: str) -> None:
    """Print an entry for OpenDP's registry of deployments, from a record that estimate wrote."""
    loaded, parsed = Protocol.from_file(protocol), read_json_object(record, "The record")
    entry = records.registry_entry(loaded, parsed, records.About(**about))
    click.echo(format_json(entry), nl=False)


@terminal.command("schema", _TYPES)
def schema_command(kind: str) -> None:
    """Print the JSON Schema of scenario files, or of protocols, for editors."""
    click.echo(json.dumps(_SCHEMAS[kind](), indent=2, ensure_ascii=False))
