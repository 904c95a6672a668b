"""All checks of a file, the worst first."""

from collections.abc import Mapping
from functools import partial
from typing import Final

from caldp_core.datasets.files.checks import answers as on_answers
from caldp_core.datasets.files.checks import areas, people, places
from caldp_core.datasets.files.checks.opening import opening
from caldp_core.datasets.files.checks.record import CheckFunction

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
