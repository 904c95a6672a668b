"""All checks of a file, the worst first."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from caldp_core.datasets.files.by_hand import Chosen
from caldp_core.datasets.files.checks import answers as on_answers
from caldp_core.datasets.files.checks import areas, people, places
from caldp_core.datasets.files.checks.opening import opening
from caldp_core.datasets.files.checks.record import CheckFunction, Resolved, resolve
from caldp_core.datasets.files.layout_detection import DetectedFile, Layout

CHECKS: Final[Mapping[str, CheckFunction]] = {
    "sheet": partial(opening, "sheet"),
    "encoding": partial(opening, "encoding"),
    "ten-millionths": places.ten_millionths,
    "metres": places.metres,
    "one-column": places.one_column,
    "exchanged": places.exchanged,
    "longitudes-360": places.turned_longitudes,
    "crosstab": people.crosstab,
    "people": people.people_column,
    "several-points": people.several_points,
    "thousands": people.thousands,
    "shares": people.shares,
    "hidden-counts": people.hidden_counts,
    "total-row": people.total_row,
    "no-answer-codes": on_answers.no_answer_codes,
    "bands-as-dates": on_answers.bands_as_dates,
    "several-choices": on_answers.several_choices,
    "areas": areas.areas,
    "unknown-areas": areas.unknown_areas,
    "people-of-areas": areas.people_of_areas,
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
    return resolve(file, layout, checks, answers)
