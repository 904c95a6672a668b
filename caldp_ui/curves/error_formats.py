"""The title, unit and sentence of each measure of error."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.measures import BOXES, KM, LARGEST, TV, AnyDomain, box_side
from caldp_core.experiments.metrics import number_of_largest
from caldp_ui.charts.errors import ErrorScale, error_scale
from caldp_ui.words import formats
from caldp_ui.words.vocabulary import PLACES, VALUES, Vocabulary


@dataclass(frozen=True)
class ErrorFormat:
    """An error in words. `unit`: on the axis. `describe(error)`: what a curve does.

    `number_text(error)`: the number alone, where a sentence has said the rest.
    """

    unit: ErrorScale
    describe: Callable[[float], str]
    number_text: Callable[[float], str]


def nouns(domain: AnyDomain) -> Vocabulary:
    """The nouns of the data: places on a map, else values."""
    return PLACES if isinstance(domain, GridDomain) else VALUES


def error_title(name: str, domain: AnyDomain) -> str:
    """The title of the error in the menu."""
    vocabulary = nouns(domain)
    return {
        TV: f"People {vocabulary.wrong}",
        BOXES: f"People {_box(domain)}",
        LARGEST: f"The {number_of_largest(domain.k)} largest {vocabulary.units}",
        KM: "Kilometres that people are misplaced by",
    }[name]


def error_format(name: str, domain: AnyDomain, shares: bool) -> ErrorFormat:
    """The error in words; `shares`: whether all estimates are made of shares."""
    if name == KM:
        return _KILOMETRES
    if name == LARGEST:
        return _largest(domain)
    if not shares:
        return _TOTAL_VARIATION
    wrong = _box(domain) if name == BOXES else nouns(domain).wrong
    return ErrorFormat(
        error_scale(wrong),
        lambda tv: f"puts {formats.of_hundred(min(tv, 1.0))} people {wrong}",
        lambda tv: formats.per_hundred(min(tv, 1.0)),
    )


def _box(domain: AnyDomain) -> str:
    side = box_side(domain)
    return f"in the wrong box of {side} × {side} cells"


def _largest(domain: AnyDomain) -> ErrorFormat:
    number, units = number_of_largest(domain.k), nouns(domain).units

    def of_them(error: float) -> str:
        return formats.digits(error * number)

    return ErrorFormat(
        ErrorScale(
            f"missed of the {number} largest {units}",
            of_them,
            lambda error: f"misses {of_them(error)} of {number} (F1 {1 - error:.2f})",
        ),
        lambda error: f"misses {of_them(error)} of the {number} largest {units}",
        of_them,
    )


_TOTAL_VARIATION: Final = ErrorFormat(
    error_scale(None), lambda tv: f"has an expected error of {formats.share(tv)}", formats.share
)
_KILOMETRES: Final = ErrorFormat(
    ErrorScale(
        "km that people are misplaced by, on average",
        formats.digits,
        formats.length,
    ),
    lambda km: f"misplaces people by {formats.length(km)} on average",
    lambda km: f"by {formats.length(km)}",
)
