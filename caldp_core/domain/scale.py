"""Answers that are numbers, or ranges of them: how they are written, and their numbers."""

import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from caldp_core.basics.types import Floats, read_only
from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import GridDomain

_NUMBER: Final = r"(-?\d[\d,]*(?:\.\d+)?)"
_ANSWER: Final = re.compile(rf"{_NUMBER}(?:(?: to under | to |–|-){_NUMBER})?")
_NUMBERS_MIN: Final = 3
"""Fewer numbers are codes, such as 1 for yes and 2 for no."""


def bin_name(number: int, width: float, whole: bool, start: float = 0.0) -> str:
    """The name of the bin of numbers that begins at start + `number`·width.

    `whole`: all numbers are whole ones.
    """
    low, high = start + number * width, start + (number + 1) * width
    if not whole or width != int(width) or start != int(start):
        return f"{low:,.10g} to under {high:,.10g}"
    return f"{low:,.10g}" if width == 1 else f"{low:,.10g} to {high - 1:,.10g}"


def is_scale(domain: Domain | GridDomain) -> bool:
    """Whether the values of a domain are numbers that rise, see `scale_of`."""
    return isinstance(domain, Domain) and scale_of(domain.names) is not None


def scale_of(names: Sequence[str]) -> Floats | None:
    """(k,) the number that each answer stands for, of a range its middle; they rise.

    None where an answer is no number, where they do not rise, and where there are fewer than three.
    """
    matches = [_ANSWER.fullmatch(name) for name in names]
    if len(names) < _NUMBERS_MIN or None in matches:
        return None
    ends = [
        [float(end.replace(",", "")) for end in each.groups() if end] for each in matches if each
    ]
    middles = np.array([sum(each) / len(each) for each in ends])
    return read_only(middles) if bool((np.diff(middles) > 0).all()) else None
