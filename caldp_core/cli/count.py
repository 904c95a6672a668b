"""The command `count`: a file of any size becomes counts, so that its rows need go nowhere else."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from caldp_core.basics.errors import quoted, require
from caldp_core.basics.files import check_output, write_whole
from caldp_core.cli.terminal import SentenceError, plain_errors, progress_bar
from caldp_core.datasets.files.answers import count_answers, count_questions
from caldp_core.datasets.files.checks.record import KEEP, Check, Resolved, resolve
from caldp_core.datasets.files.checks.run import CHECKS
from caldp_core.datasets.files.counts_export import check_ending, write_counts
from caldp_core.datasets.files.layout_detection import DetectedFile, Layout
from caldp_core.datasets.files.maps import MapRequest
from caldp_core.datasets.files.numbers import NumberSteps
from caldp_core.datasets.files.places import count_places
from caldp_core.datasets.files.refused_rows import RefusedRows
from caldp_core.datasets.files.source import COMMAND_BOUNDS
from caldp_core.datasets.own import OwnPlaces, OwnSurvey, OwnTable
from caldp_core.datasets.reading import inspect_data
from caldp_core.domain.grid import Area
from caldp_core.scenarios.blocks import OneBlock
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario

_PLACE_COLUMNS = ("latitude", "longitude")
_COLUMNS = (*_PLACE_COLUMNS, "count", "answer", "group")
_MEANT = {
    "count": ("people", "crosstab"),
    "answer": ("metres", "ten-millionths", "one-column", "own-answers"),
}
"""Checks that a named column answers, by its role."""


def _columns(command: Any) -> Any:
    """An option for each kind of column."""
    for role in reversed(_COLUMNS):
        help_text = f"Name of the column of the {role}; “-” for none.  [default: by its name]"
        command = click.option(f"--{role}", metavar="COLUMN", help=help_text)(command)
    return command


@click.command("count")
@click.argument("path", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to write the counts: a .csv or .parquet file; of several questions a .json file.",
)
@click.option(
    "--question",
    "questions",
    metavar="COLUMN",
    multiple=True,
    help="A column that is a question of a survey; give it twice to ten times.",
)
@_columns
@click.option("--step", type=float, metavar="WIDTH", help="Put numbers together in steps so wide.")
@click.option(
    "--from",
    "start",
    type=float,
    metavar="NUMBER",
    help="Where steps begin: smaller numbers count in the first.  [default: the least number]",
)
@click.option(
    "--to",
    "end",
    type=float,
    metavar="NUMBER",
    help="Where steps end: larger numbers count in the last.  [default: the largest number]",
)
@click.option("--header/--no-header", default=None, help="Whether the first row names the columns.")
@click.option("--decimal", type=click.Choice([".", ","]), help="What is before decimals.")
@click.option(
    "--accept",
    metavar="NAME",
    multiple=True,
    help="Answer a check of the file: NAME takes its first offer, NAME=OFFER another, NAME=keep "
    "leaves the file as it is. May be given several times.",
)
@click.option("--area", metavar="S,N,W,E", help="Edges of the map in degrees.")
@click.option("--cell", type=float, metavar="DEGREES", help="Side of a cell.")
def count_command(
    *,
    path: Path,
    output: Path,
    header: bool | None,
    decimal: Any,
    area: str | None,
    cell: float | None,
    step: float | None,
    start: float | None,
    end: float | None,
    questions: tuple[str, ...],
    accept: tuple[str, ...],
    **columns: str | None,
) -> None:
    """Count a file of places or answers; the dashboard opens the counts with “Your data”.

    CSV (with commas, semicolons, tabs or bars), gzip, zip, Parquet, Excel and GeoJSON, of any size.
    Prints which columns were read, and how many rows were not counted and why. Several questions
    that the same people answered become a scenario file, each counted by itself. Ends with 2 where
    the file can be read in two ways and --accept says neither.
    """
    on_map: dict[str, Any] = {"area": area, "cell": cell}
    on_map |= {name: columns[name] for name in _PLACE_COLUMNS}
    with plain_errors():
        check_output(output, path)
        steps = _steps(step, start, end, questions)
        if questions:
            others = {name: columns[name] for name in ("answer", "group")}
            _require_unused(on_map | others, "questions")
            _check_survey_ending(output)
        elif not accept:
            check_ending(output)
        answers = _accepted(accept)
        file = inspect_data(path, bounds=COMMAND_BOUNDS, header=header, answers=answers)
        if questions:
            layout = _questions_layout(file, questions, columns["count"])
        elif _holds_places(file, columns, steps):
            layout = _with_named_columns(file, file.places, columns)
        else:
            layout = _with_named_columns(file, file.answers, columns)
            if columns["answer"] and not columns["count"] and file.repeats(layout.answer):
                layout = replace(layout, count=file.named_weights).with_questions_alone()
            layout = replace(layout, steps=steps)
        wanted = MapRequest(cell, Area.parse(area) if area else None)
        layout = replace(layout, mark=decimal or layout.mark, wanted=wanted)
        checked = _check_file(file, layout, answers, columns)
        file, layout = checked.reading.file, checked.reading.layout
        if layout.latitude is None:
            _require_unused(on_map, "answers")
        summary = _count(file, layout, output)
    checks = {"checks": dict(checked.remarks)} if checked.remarks else {}
    summary = {"file": file.table.kind, **summary, **checks, "written": str(output)}
    click.echo(json.dumps(summary, indent=2, ensure_ascii=False))


def _steps(
    width: float | None, start: float | None, end: float | None, questions: tuple[str, ...]
) -> NumberSteps | None:
    """The steps of --step, --from and --to; raises `CaldpError` for ends without steps."""
    if width is None:
        require(
            start is None and end is None,
            "--from and --to say where steps begin and end; say by --step how wide they are.",
        )
        return None
    require(
        not questions,
        "--step is for one question, got --question; steps of several are chosen by themselves.",
    )
    return NumberSteps(width, start, end)


def _require_unused(options: dict[str, Any], counted: str) -> None:
    """Raise `CaldpError` for an option, None or "-" if it was not given, that would do nothing."""
    given = next((name for name, value in options.items() if value not in (None, "-")), None)
    require(
        given is None,
        f"--{given} does nothing where {counted} are counted; leave it out.",
    )


def _check_survey_ending(output: Path) -> None:
    require(
        output.suffix.lower() == ".json",
        "Several questions become a scenario file; -o must end in .json, got "
        f"{quoted(output.name)}.",
    )


def _holds_places(
    file: DetectedFile, columns: dict[str, str | None], steps: NumberSteps | None
) -> bool:
    """Whether rows are places: where no column of answers, and no steps of numbers, are named."""
    is_answered = columns["answer"] or columns["group"] or steps is not None
    return not is_answered and (file.has_places or bool(columns["latitude"]))


def _questions_layout(
    file: DetectedFile, questions: tuple[str, ...], weights: str | None
) -> Layout:
    """The layout of several questions; raises `CaldpError` for columns that can't be."""
    layout = replace(file.answers, count=file.named_weights, group=None)
    first, *others = (
        _with_named_columns(file, layout, {"answer": name}, "question").answer for name in questions
    )
    require(None not in (first, *others), "--question must name a column, got '-'.")
    layout = replace(layout, answer=first, others=tuple(at for at in others if at is not None))
    require(
        weights not in questions,
        f"--count names {weights!r}, which is a question: answers are no people; leave it out.",
    )
    return _with_named_columns(file, layout.with_questions_alone(), {"count": weights})


def _accepted(accept: tuple[str, ...]) -> dict[str, str]:
    """Answers to checks by their names; raises `CaldpError` for names that no check has."""
    answers = {name: answer for name, _, answer in (each.partition("=") for each in accept)}
    unknown = next((name for name in answers if name not in CHECKS), None)
    require(
        unknown is None, f"--accept must name a check, one of {', '.join(CHECKS)}; got {unknown!r}."
    )
    return answers


def _check_file(
    file: DetectedFile, layout: Layout, answers: dict[str, str], columns: dict[str, str | None]
) -> Resolved:
    """The file with all checks answered; raises `CaldpError` with the sentences of others.

    A column that is named for a role is meant as it is, and not asked about.
    """
    meant = [name for role, names in _MEANT.items() if columns[role] for name in names]
    checks = [look for name, look in CHECKS.items() if name not in meant]
    checked = resolve(file, layout, checks, answers)
    if checked.unanswered:
        ways = [f"{check.sentence} {_ways(check)}" for check in checked.unanswered]
        raise SentenceError("\n".join(ways))
    return checked


def _ways(check: Check) -> str:
    """How a check is answered on the command line."""
    offers = [f"--accept {check.name}={offer.name} ({offer.label})" for offer in check.offers]
    people = (
        [f"--accept {check.name}=NUMBER ({check.people_label.lower()})"] if check.of_people else []
    )
    return ", ".join([*offers, *people, f"--accept {check.name}={KEEP} ({check.keep})"]) + "."


def _count(file: DetectedFile, layout: Layout, output: Path) -> dict[str, Any]:
    """Count a file, write the counts, and return a summary."""
    on_map = layout.latitude is not None
    if not on_map and (layout.others or output.suffix.lower() == ".json"):
        _check_survey_ending(output)
        return _count_questions(file, layout, output)
    facts: dict[str, Any]
    with progress_bar("counting") as progress:
        if on_map:
            found = count_places(file, layout, OwnPlaces.title, progress)
            places, refused = found.places, found.refused
            write_counts(places, output)
            facts = {"people": int(places.counts().sum()), "cell_degrees": places.cell}
            facts["cells_with_people"] = len(places.people.split())
        else:
            counted = count_answers(file, layout, OwnTable.title, progress)
            table, refused = counted.table, counted.refused
            write_counts(table, output)
            facts = {"people": sum(table.counts), "answers": len(table.names)}
            facts |= {} if layout.steps is None else {"beyond_the_steps": counted.clamped_rows}
    return {"columns": _read(file, layout), **facts, **_rows(refused)}


def _count_questions(file: DetectedFile, layout: Layout, output: Path) -> dict[str, Any]:
    """Count the questions, write the scenario that hides all answers, and return a summary."""
    with progress_bar("counting") as progress:
        counted = count_questions(file, layout, OwnSurvey.title, progress)
    scenario = Scenario(dataset=counted.survey, policy=ContextPolicy(OneBlock()))
    write_whole(output, json.dumps(scenario.to_dict(), indent=2, ensure_ascii=False) + "\n")
    return {
        "columns": {"count": file.names[layout.count]} if layout.count is not None else {},
        "questions": {
            table.title: {"people": sum(table.counts), "answers": len(table.names)}
            for table in counted.survey.tables()
        },
        **_rows(counted.refused),
    }


def _rows(refused: RefusedRows) -> dict[str, Any]:
    """How many rows were read, and how many were not counted for which reason."""
    return {"rows": refused.rows, "not_counted": dict(refused.reasons)}


def _with_named_columns(
    file: DetectedFile, layout: Layout, columns: dict[str, str | None], option: str | None = None
) -> Layout:
    """The layout with columns by name, "-" for none; a named column has no other role.

    Raises `CaldpError` for unknown names, and for one that is named twice.
    """
    named = [name for name in columns.values() if name not in (None, "-")]
    twice = next((name for name in named if named.count(name) > 1), None)
    require(twice is None, f"Two options name the column {twice!r}; a column has one role.")
    for role in _COLUMNS:
        at = getattr(layout, role)
        if at is not None and file.names[at] in named:
            free: dict[str, Any] = {role: None}
            layout = replace(layout, **free)
    for role, name in columns.items():
        if name is not None:
            require(
                name == "-" or name in file.names,
                f"--{option or role} must name a column, one of {', '.join(file.names)[:300]}; "
                f"got {name!r}.",
            )
            change: dict[str, Any] = {role: None if name == "-" else file.names.index(name)}
            layout = replace(layout, **change)
    return layout


def _read(file: DetectedFile, layout: Layout) -> dict[str, str]:
    """Role → name of the column that was read for it."""
    at = {role: getattr(layout, role) for role in _COLUMNS}
    return {role: file.names[column] for role, column in at.items() if column is not None}
