"""All checks of a file, the worst first, beginning with how it is opened."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from caldp_core.datasets.files.checks import answers as on_answers
from caldp_core.datasets.files.checks import people, places
from caldp_core.datasets.files.checks.answers import codes, with_words
from caldp_core.datasets.files.checks.record import (
    Check,
    CheckFunction,
    Offer,
    Reading,
    Resolved,
    resolve,
)
from caldp_core.datasets.files.layout_detection import DetectedFile, Layout
from caldp_core.datasets.files.numbers import WORDS
from caldp_core.datasets.files.table import Chosen, parse_words


def opening(name: str, reading: Reading) -> Check | None:
    """The check of that name; its answer was known when the file was opened."""
    table = reading.file.table
    if table.asks != name:
        return None
    offers = tuple(
        Offer(way, label, f"{name} {way}", lambda read: read) for way, label in table.ways
    )
    sentence, keep = WORDS["opening"][name]
    return Check(name, sentence, offers, keep)


CHECKS: Final[Mapping[str, CheckFunction]] = {
    "sheet": partial(opening, "sheet"),
    "encoding": partial(opening, "encoding"),
    "ten-millionths": places.ten_millionths,
    "metres": places.metres,
    "one-column": places.one_column,
    "exchanged": places.exchanged,
    "longitudes-360": places.turned_longitudes,
    "marks": people.marks,
    "multiples": people.multiples,
    "crosstab": people.crosstab,
    "people": people.people_column,
    "several-points": people.several_points,
    "thousands": people.thousands,
    "shares": people.shares,
    "periods": people.periods,
    "hidden-counts": people.hidden_counts,
    "total-row": people.total_row,
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
    file: DetectedFile, guess: Layout, chosen: Chosen, answers: Mapping[str, str]
) -> Resolved:
    """The file with a user's choices in place of what was guessed, and its checks.

    What was chosen is not asked about unless `answers` name the check.
    """
    layout = replace(chosen.layout(file, guess), reading=chosen.describe(file.names))
    known = chosen.answered() - answers.keys()
    checks = [look for name, look in CHECKS.items() if name not in known]
    done = resolve(file, layout, checks, answers)
    if not chosen.words:
        return done
    questions = [at for at in (layout.answer, *layout.others) if at is not None]
    return replace(done, reading=with_words(parse_words(chosen.words), questions, done.reading))
