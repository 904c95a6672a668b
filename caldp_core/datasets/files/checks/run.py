"""All checks of a file, the worst first, beginning with how it is opened."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from caldp_core.basics.types import Progress, no_progress
from caldp_core.datasets.files.answers import Cells
from caldp_core.datasets.files.checks import answers as on_answers
from caldp_core.datasets.files.checks import people, places, questions, record, structure
from caldp_core.datasets.files.checks.answers import codes, parse_words, with_words
from caldp_core.datasets.files.layout_detection import DetectedFile, Layout
from caldp_core.datasets.files.numbers import WORDS
from caldp_core.datasets.files.table import Chosen


def opening(name: str, reading: record.Reading) -> record.Check | None:
    """The check of that name; its answer was known when the file was opened."""
    table = reading.file.table
    if table.asks != name:
        return None
    offers = tuple(
        record.Offer(way, label, f"{name} {way}", lambda read: read) for way, label in table.ways
    )
    return replace(record.ask(name), offers=offers)


CHECKS: Final[Mapping[str, record.CheckFunction]] = {
    "sheet": partial(opening, "sheet"),
    "encoding": partial(opening, "encoding"),
    "ten-millionths": places.ten_millionths,
    "metres": places.metres,
    "minutes": places.minutes,
    "one-column": places.one_column,
    "several-places": places.several_places,
    "exchanged": places.exchanged,
    "longitudes-360": places.turned_longitudes,
    "brackets": people.brackets,
    "marks": people.marks,
    "multiples": people.multiples,
    "crosstab": people.crosstab,
    "people": people.people_column,
    "several-points": people.several_points,
    "thousands": people.thousands,
    "shares": people.shares,
    "second-table": people.second_table,
    "questions": questions.questions,
    **dict.fromkeys(structure.NAMES, structure.structure),
    "previews": people.previews,
    "notes": on_answers.notes,
    "no-answer-codes": on_answers.no_answer_codes,
    "codes": codes,
    "bands-as-dates": on_answers.bands_as_dates,
    "option-columns": on_answers.option_columns,
    "several-choices": on_answers.several_choices,
    "areas": places.areas,
    "unknown-areas": places.unknown_areas,
    "people-of-areas": places.people_of_areas,
    "spellings": on_answers.spellings,
    "own-answers": on_answers.own_answers,
}
"""By name, the worst first."""


def read_as_chosen(
    file: DetectedFile,
    guess: Layout,
    chosen: Chosen,
    answers: Mapping[str, str],
    progress: Progress = no_progress,
) -> record.Resolved:
    """The file with a user's choices in place of what was guessed, and its checks.

    What was chosen is not asked about unless `answers` name the check. `progress`: as `resolve` has
    it.
    """
    layout = replace(chosen.layout(file, guess), reading=chosen.describe(file.names))
    if chosen.only:
        file = record.with_rows_only(file, layout, chosen.only)
    known = chosen.answered() - answers.keys()
    checks = [look for name, look in CHECKS.items() if name not in known]
    done = record.resolve(file, layout, checks, answers, progress)
    if not chosen.words:
        return done
    questions = [at for at in (layout.answer, *layout.others) if at is not None]
    return replace(done, reading=with_words(parse_words(chosen.words), questions, done.reading))


_OF_CELLS: Final = WORDS["labels"]["of_cells"].split()
"""Checks that single cells of a long file may call for, wherever they are."""


def with_met_rows(
    file: DetectedFile, seen: record.Reading, met: Cells, answers: Mapping[str, str]
) -> DetectedFile | None:
    """The `file` with rows that counting met, where a check may ask of them; else None.

    `seen`: how it was read and counted; `met`: cells that are counted and that checks have not
    seen there. What `answers` leave as it is is not asked again.
    """
    width, layout = seen.file.table.width, seen.layout
    rows = (tuple(cell if at == column else "" for at in range(width)) for column, cell in met)
    more = replace(seen.file, rows=(*seen.file.rows, *rows))
    unknown = tuple((cell, "") for at, cell in met if at == layout.answer and layout.areas)
    reading = record.Reading(more, replace(layout, areas=(*layout.areas, *unknown)))
    for name in _OF_CELLS if met else ():
        look = {**CHECKS, **structure.OF_RECORDS}[name]
        after = None if answers.get(name) == record.KEEP else look(reading)
        before = look(seen) if after else None
        assert not isinstance(after, record.Joint)
        assert not isinstance(before, record.Joint)
        if after and (before is None or before.sentence != after.sentence):
            return record.with_rows_of(file, bool(layout.header), [cell for _, cell in met])
    return None
