"""Columns of numbers in bins of one width: which widths are offered, and SQL of a number's bin."""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from caldp_core.basics.errors import require
from caldp_core.basics.limits import OWN_ANSWERS_MAX
from caldp_core.datasets.files import numbers
from caldp_core.datasets.files.numbers import Mark, number_of
from caldp_core.domain.scale import bin_name

_FEW: Final = 30
"""As many different numbers are answers by themselves."""
_BINS: Final = 20
_MOST: Final = 200
_LEAST: Final = 4
NO_NUMBER: Final = "no number"
"""Stands for the bin of a cell that says none."""


def widths(cells: Sequence[str], mark: Mark) -> tuple[float, ...]:
    """Widths of 1, 2 or 5 times a power of ten that make 4 to 200 bins of most of the numbers."""
    span = _span(cells, mark)
    if span <= 0:
        return ()
    powers = range(math.floor(math.log10(span / _MOST)), math.ceil(math.log10(span / _LEAST)) + 1)
    made = [float(f"{part}e{power}") for power in powers for part in (1, 2, 5)]
    return tuple(width for width in made if _LEAST <= span / width <= _MOST)


def width_for(cells: Sequence[str], mark: Mark) -> float | None:
    """The width that makes up to 20 bins of most of the numbers; None where they are few."""
    if len({number_of(cell, mark) for cell in cells}) <= _FEW:
        return None
    span = _span(cells, mark)
    return next((width for width in widths(cells, mark) if span / width <= _BINS), None)


def _span(cells: Sequence[str], mark: Mark) -> float:
    """From the number that 1 % are below to the one that 99 % are."""
    found = [number for cell in cells if (number := number_of(cell, mark)) is not None]
    if not found:
        return 0.0
    low, high = np.quantile(found, (0.01, 0.99))
    return float(high - low)


def sql(column: str, width: float, mark: Mark) -> str:
    """SQL of the number of a cell's bin as a text: "" where it is empty, `NO_NUMBER` where none."""
    number = numbers.sql(column, mark)
    # By rounding 0.3 is in the fourth bin of width 0.1, though 0.3 / 0.1 is below 3.
    place = f"TRY_CAST(floor(round(({number}) / {width!r}, 9)) AS BIGINT)"
    return (
        f"CASE WHEN trim(coalesce({column}, ''), ' \t\r\n\u00a0') = '' THEN '' "
        f"ELSE coalesce(({place})::VARCHAR, '{NO_NUMBER}') END"
    )


def whole_sql(column: str, mark: Mark) -> str:
    """SQL of whether a cell says a whole number."""
    number = numbers.sql(column, mark)
    return f"(({number}) = floor({number}))"


def named(places: Sequence[int], width: float, whole: bool) -> dict[int, str]:
    """Names of all bins from the first to the last, those without anybody among them.

    Raises `CaldpError` where that is too many.
    """
    first, last = min(places), max(places)
    require(
        last - first < OWN_ANSWERS_MAX,
        f"Numbers from {first * width:g} to {(last + 1) * width:g} would be {last - first + 1:,} "
        f"steps of {width:g}, and a table may have up to {OWN_ANSWERS_MAX:,} answers; take wider "
        "steps, or leave out numbers that stand for “no answer”.",
    )
    return {place: bin_name(place, width, whole) for place in range(first, last + 1)}
