"""The command `count`: a file of any size becomes counts, so that its rows need go nowhere else."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import click

from caldp_core.basics.errors import CaldpError, count_text, quoted, require
from caldp_core.basics.files import check_output, write_whole
from caldp_core.cli import terminal
from caldp_core.cli.commands import SentenceError
from caldp_core.datasets.files import answers as file_answers
from caldp_core.datasets.files.checks.record import KEEP, ROWS, Check, Reading, Resolved
from caldp_core.datasets.files.checks.run import CHECKS, read_as_chosen, with_met_rows
from caldp_core.datasets.files.counts_export import check_ending, write_counts
from caldp_core.datasets.files.dialect import DELIMITERS, NO_DELIMITER
from caldp_core.datasets.files.layout_detection import DetectedFile, Layout
from caldp_core.datasets.files.maps import MapRequest
from caldp_core.datasets.files.numbers import NumberSteps
from caldp_core.datasets.files.places import CountedPlaces, count_places
from caldp_core.datasets.files.source import COMMAND_BOUNDS, ENCODINGS
from caldp_core.datasets.files.table import COLUMN_TYPES, Chosen
from caldp_core.datasets.own import OwnPlaces, OwnSurvey, OwnTable
from caldp_core.datasets.reading import inspect_data
from caldp_core.domain.domains import Area
from caldp_core.scenarios.blocks import OneBlock
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario

_PLACE_COLUMNS = ("latitude", "longitude")
_COLUMNS = (*_PLACE_COLUMNS, "count", "answer", "group", "person")
_OF_PEOPLE = ("people_with_rows", "median_rows_of_a_person", "most_rows_of_a_person")
_SIGNS = {"tab": "\t", "none": NO_DELIMITER}
_DELIMITERS = (*(sign for sign in DELIMITERS if sign != "\t"), *_SIGNS)
_TYPES = {
    "number": float,
    "whole": click.IntRange(min=1),
    "mark": click.Choice([".", ","]),
    "encoding": click.Choice(["", *ENCODINGS]),
    "delimiter": click.Choice(_DELIMITERS),
}


@terminal.command("count", _TYPES, column_types=", ".join(COLUMN_TYPES))
def count_command(
    *,
    path: Path,
    output: Path,
    header: bool | None,
    decimal: Any,
    sheet: str,
    encoding: str,
    delimiter: str | None,
    types: tuple[str, ...],
    area: str | None,
    cell: float | None,
    step: float | None,
    start: float | None,
    end: float | None,
    questions: tuple[str, ...],
    accept: tuple[str, ...],
    words: str,
    only: tuple[str, ...],
    most_rows: int | None,
    unit: str,
    **columns: str | None,
) -> None:
    """Count a file of places or answers; the dashboard opens the counts with “Your data”.

    CSV (with commas, semicolons, tabs or bars), gzip, zip, Parquet, Excel, LibreOffice, JSON
    records, GeoJSON and WKT, of any size. One person may have several rows: name the column that
    says whose a row is with --column NAME=person-id and bound the rows with --most-rows.

    Prints which columns were read, and how many rows were not counted and why. Several questions
    that the same people answered become a scenario file, each counted separately. Ends with 2 where
    the file can be read in two ways and --accept says neither, and where --accept answers what
    nothing asks for.
    """
    # 1. What is wrong with the options is said before a file, which may be large, is looked at.
    check_output(output, path)
    on_map: dict[str, Any] = {"area": area, "cell": cell}
    for role in _PLACE_COLUMNS:
        on_map[role] = columns[role]
    named = _named_columns(columns, questions, types)
    of_several = any(kind == "question" for _, _, kind in named)
    steps = _steps(step, start, end, of_several)
    if questions:
        of_one_answer = {"answer": columns["answer"], "group": columns["group"]}
        _require_unused(on_map | of_one_answer, "questions")
    # An accepted answer may yet make one question several, which the ending then has to fit.
    if of_several:
        _check_survey_ending(output)
    elif not accept:
        check_ending(output)
    answers = _accepted(accept)

    # 2. How the file is probably meant, and what options say of it.
    sign = _SIGNS.get(delimiter or "", delimiter or "")
    chosen = Chosen(sheet, encoding, sign, header, decimal, words=words)
    file = inspect_data(path, COMMAND_BOUNDS, chosen.with_answers(answers))
    guess = _guess(file, named, steps)
    chosen = _with_types(chosen, file, guess, named)
    chosen = replace(chosen, only=_only(only, file.names))
    wanted = MapRequest(cell)
    if area:
        wanted = MapRequest(cell, Area.parse(area))
    guess = replace(guess, wanted=wanted, cap=most_rows or 0, unit=unit)

    # 3. Its rows are checked and counted.
    count = partial(_count, output, on_map)
    checked, found = _count_checked(file, guess, chosen, answers, count)
    _print_counts(checked, found, output)


def _guess(file: DetectedFile, named: list["_Named"], steps: NumberSteps | None) -> Layout:
    """The layout of a file of places or of answers, by what is in it and what options say."""
    kinds = {kind for _, _, kind in named}
    is_answered = kinds & {"answer", "question", "crossed", "group"} or steps is not None
    if not is_answered and (file.has_places or "latitude" in kinds):
        return file.places
    return replace(file.answers, steps=steps)


def _steps(
    width: float | None, start: float | None, end: float | None, of_several: bool
) -> NumberSteps | None:
    """The steps of --step, --from and --to; raises `CaldpError` for ends without steps."""
    if width is None:
        require(
            start is None and end is None,
            "--from and --to say where steps begin and end; say by --step how wide they are.",
        )
        return None
    require(
        not of_several,
        "--step is for one question, got --question; steps of several are chosen by themselves.",
    )
    return NumberSteps(width, start, end)


def _require_unused(options: dict[str, Any], counted: str) -> None:
    """Raise `CaldpError` for an option, None or "-" if it was not given, that would do nothing."""
    for name, value in options.items():
        require(
            value in (None, "-"),
            f"--{name} does nothing where {counted} are counted; leave it out.",
        )


def _check_survey_ending(output: Path) -> None:
    require(
        _is_scenario(output),
        "Several questions become a scenario file; -o must end in .json, got "
        f"{quoted(output.name)}.",
    )


_Named: TypeAlias = tuple[str, str, str]
"""An option, the column that it names ("-" for none), and the column's type."""


def _named_columns(
    columns: dict[str, str | None], questions: tuple[str, ...], types: tuple[str, ...]
) -> list[_Named]:
    """The columns that options name; raises `CaldpError` for one that is named twice."""
    named = []
    for role, column in columns.items():
        if column:
            kind = role
            # Types of columns are called like the options for them, but for this one.
            if role == "count":
                kind = "people"
            named.append((f"--{role}", column, kind))
    for column in questions:
        named.append(("--question", column, "question"))
    for text in types:
        column, _, kind = text.rpartition("=")
        require(
            kind in COLUMN_TYPES,
            f"--column must be NAME=TYPE, the type one of {', '.join(COLUMN_TYPES)}; got {text!r}.",
        )
        named.append(("--column", column, kind))

    names = [column for _, column, _ in named if column != "-"]
    for column in names:
        require(
            names.count(column) == 1,
            f"Two options name the column {column!r}; a column has one role.",
        )
    return named


def _with_types(chosen: Chosen, file: DetectedFile, guess: Layout, named: list[_Named]) -> Chosen:
    """The choices with the types of columns that options name; the first question is the answer.

    Raises `CaldpError` for unknown names.
    """
    has_answer = any(kind == "answer" for _, _, kind in named)
    for option, name, kind in named:
        # "-" means that the file has no such column, so the guessed one is dropped.
        if name == "-" and kind != "question":
            guessed_column: int | None = getattr(guess, COLUMN_TYPES[kind])
            if guessed_column is not None:
                chosen = chosen.with_column(guessed_column, "leave-out")
            continue
        require(
            name in file.names,
            f"{option} must name a column, one of {', '.join(file.names)[:300]}; got {name!r}.",
        )
        column_type = kind
        if kind == "question" and not has_answer:
            column_type = "answer"
            has_answer = True
        chosen = chosen.with_column(file.names.index(name), column_type)
    return chosen


def _only(only: tuple[str, ...], names: tuple[str, ...]) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """By column the cells of --only; raises `CaldpError` for columns that the file has not."""
    cells: dict[int, tuple[str, ...]] = {}
    for text in only:
        name, sign, cell = text.partition("=")
        require(
            bool(sign) and name in names,
            f"--only must be COLUMN=CELL, the column one of {', '.join(names)[:300]}; got "
            f"{text!r}.",
        )
        column = names.index(name)
        cells[column] = (*cells.get(column, ()), " ".join(cell.split()))
    return tuple(cells.items())


def _accepted(accept: tuple[str, ...]) -> dict[str, str]:
    """Answers to checks by their names; raises `CaldpError` for names that no check has."""
    answers = {}
    for text in accept:
        name, _, answer = text.partition("=")
        require(
            name in CHECKS,
            f"--accept must name a check, one of {', '.join(CHECKS)}; got {name!r}.",
        )
        answers[name] = answer
    return answers


def _ways(check: Check) -> str:
    """How a check is answered on the command line."""
    option = f"--accept {check.name}"
    ways = [f"{option}={offer.name} ({offer.label})" for offer in check.offers]
    if check.of_people:
        ways.append(f"{option}=NUMBER ({check.people_label.lower()})")
    ways.append(f"{option}={KEEP} ({check.keep})")
    return ", ".join(ways) + "."


_Found: TypeAlias = CountedPlaces | file_answers.CountedAnswers | file_answers.CountedQuestions


def _count_checked(
    file: DetectedFile,
    guess: Layout,
    chosen: Chosen,
    answers: dict[str, str],
    count: Callable[[Reading], _Found],
) -> tuple[Resolved, _Found]:
    """How a file is read, and its counts; rows that only counting met are looked at as well."""
    checked = _read(file, guess, chosen, answers)
    found = count(checked.reading)
    further = with_met_rows(file, checked.reading, found.met, answers)
    if further is not None:
        return _count_checked(further, guess, chosen, answers, count)
    _require_asked(answers, checked)
    return checked, found


def _require_asked(answers: dict[str, str], checked: Resolved) -> None:
    """Raise `CaldpError` for an answer that nothing asks for, as it would change nothing."""
    is_long = len(checked.reading.file.rows) >= ROWS
    asked = ", ".join(sorted(checked.names)) or "nothing"
    for name in sorted(answers.keys() - checked.names):
        # Of a long file rows that only counting meets may be kept as they are without a question.
        if is_long and answers[name] == KEEP:
            continue
        raise CaldpError(
            f"--accept {name} answers what nothing asks for in this file; leave it out. Asked is "
            f"{asked}."
        )


def _read(file: DetectedFile, guess: Layout, chosen: Chosen, answers: dict[str, str]) -> Resolved:
    """The file as it is meant, of places or answers; raises `SentenceError` for open questions."""
    checked = read_as_chosen(file, guess, chosen, answers)
    if checked.unanswered:
        raise SentenceError("\n".join(_asked(checked, answers)))
    layout = replace(checked.reading.layout, cap=guess.cap, unit=guess.unit)
    require(
        not layout.cap or layout.people_column is not None,
        "--most-rows needs ids of people; name their column by --column NAME=person-id.",
    )
    return replace(checked, reading=replace(checked.reading, layout=layout))


def _asked(checked: Resolved, answers: dict[str, str]) -> list[str]:
    """What must be said, the gravest first, what was taken unasked, and what people these are."""
    lines = []
    for check in checked.unanswered:
        lines.append(f"{check.sentence}{_effect_text(check)} {_ways(check)}")
    for check in checked.told:
        lines.append(f"Taken unasked: {_told(check)}")
    if checked.reading.model is not None:
        lines.append(f"By the first way of each: {checked.reading.model.describe()}")
    for name in sorted(answers.keys() - checked.names):
        lines.append(f"--accept {name} answers what nothing asks for as yet.")
    return lines


def _count(output: Path, on_map: dict[str, Any], reading: Reading) -> _Found:
    """The counts of a file: of places, of several questions, or of answers."""
    file, layout = reading.file, reading.layout
    with terminal.progress_bar("counting") as progress:
        if layout.latitude is not None:
            return count_places(file, layout, OwnPlaces.title, progress)
        _require_unused(on_map, "answers")
        if layout.others or (_is_scenario(output) and not layout.areas):
            _check_survey_ending(output)
            return file_answers.count_questions(file, layout, OwnSurvey.title, progress)
        return file_answers.count_answers(file, layout, OwnTable.title, progress)


def _print_counts(checked: Resolved, found: _Found, output: Path) -> None:
    """Write the counts or a scenario, and print which columns and how many people were read."""
    file, layout = checked.reading.file, checked.reading.layout
    columns = _names_by_role(file, layout)

    # What was counted: people on a map, of several questions, or of the answers to one.
    facts: dict[str, Any]
    data: OwnPlaces | OwnSurvey | OwnTable
    if isinstance(found, CountedPlaces):
        data = found.places
        facts = {
            "people": int(found.places.counts().sum()),
            "cell_degrees": found.places.cell,
            "cells_with_people": len(found.places.people.split()),
        }
    elif isinstance(found, file_answers.CountedQuestions):
        data = found.survey
        # The columns of answers are the questions, which are listed by their names below.
        columns = {role: name for role, name in columns.items() if role == "count"}
        facts = {"questions": {}}
        for table in found.survey.tables():
            size = {"people": sum(table.counts), "answers": len(table.names)}
            facts["questions"][table.title] = size
    else:
        data = found.table
        facts = {"people": sum(found.table.counts), "answers": len(found.table.names)}
        if layout.areas:
            facts["people_not_on_the_map"] = found.off_map
        if layout.steps is not None:
            facts["beyond_the_steps"] = found.clamped_rows

    if isinstance(data, OwnSurvey) or (isinstance(data, OwnTable) and _is_scenario(output)):
        scenario = Scenario(dataset=data, policy=ContextPolicy(OneBlock()))
        write_whole(output, scenario.to_json() + "\n")
    else:
        write_counts(data, output)

    summary: dict[str, Any] = {"file": file.table.kind, "columns": columns, **facts}
    # These are () where no column says whose a row is.
    summary |= zip(_OF_PEOPLE, data.person_rows, strict=False)
    summary["unit"] = data.nouns[1]
    summary["rows"] = found.refused.rows
    summary["not_counted"] = dict(found.refused.reasons)
    if checked.remarks:
        summary["checks"] = dict(checked.remarks)
    if checked.told:
        summary["taken_unasked"] = {check.name: _told(check) for check in checked.told}
    if checked.reading.model is not None:
        summary["reading"] = checked.reading.model.describe()
    summary["written"] = str(output)
    click.echo(json.dumps(summary, indent=2, ensure_ascii=False))


def _names_by_role(file: DetectedFile, layout: Layout) -> dict[str, str]:
    """The titles of the columns that were read, by what they were read as."""
    names = {}
    for role in _COLUMNS:
        column = getattr(layout, role)
        if column is not None:
            names[role] = file.names[column]
    return names


def _effect_text(check: Check) -> str:
    """What the first answer to a check does to the number of people; "" for nothing."""
    people = round(check.effect)
    if people == 0 or not check.offers:
        return ""
    number = count_text(abs(people), "person", "people")
    if people < 0:
        return f" (By the first way {number} fewer.)"
    return f" (By the first way {number} more.)"


def _told(check: Check) -> str:
    """What was taken unasked, and how it is answered otherwise."""
    return f"{check.sentence} {_ways(check)}"


def _is_scenario(output: Path) -> bool:
    return output.suffix.lower() == ".json"
