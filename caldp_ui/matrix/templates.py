"""Example matrices, each for a level ε."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from caldp_core.basics.types import Floats
from caldp_core.privacy.context import Context, dense

Rows: TypeAlias = tuple[tuple[float, ...], ...]
INF: Final = math.inf


@dataclass(frozen=True)
class Template:
    """A kind of protection: a `title`, one `sentence`, names of values, and E for a level ε."""

    title: str
    sentence: str
    names: tuple[str, ...]
    build: Callable[[float], Floats]

    def levels(self, epsilon: float) -> Rows:
        """E as rows, row = the value that is protected."""
        return rows_of(self.build(epsilon))


def rows_of(levels: Floats) -> Rows:
    """(k, k) levels as tuples."""
    return tuple(map(tuple, levels.tolist()))


def _line(k: int) -> Floats:
    return np.abs(np.subtract.outer(np.arange(k), np.arange(k))).astype(np.float64)


def _context(blocks: list[int], sensitive: list[int]) -> Callable[[float], Floats]:
    flags = np.isin(np.arange(len(blocks)), sensitive)
    return lambda epsilon: dense(Context.of(np.array(blocks), flags, epsilon))


def _hospital(epsilon: float) -> Floats:
    """Rows: healthy may be known; flu and a broken leg matter a little, the last three a lot."""
    levels = np.full((6, 6), INF)
    levels[1:3] = 2 * epsilon
    levels[3:] = epsilon / 2
    np.fill_diagonal(levels, 0.0)
    return levels


def _neighbours(epsilon: float) -> Floats:
    steps = _line(5)
    return np.where(steps == 0, 0.0, np.where(steps == 1, epsilon, INF))


_DRUGS: Final = ("Alcohol", "Tobacco", "None", "Cannabis", "Cocaine")
_AREAS: Final = ("North: home", "North: work", "North: clinic", "South: home", "South: clinic")
TEMPLATES: Final = {
    "hospital": Template(
        "Hospital",
        "A few diagnoses are very delicate, some a little, and “healthy” is no secret.",
        ("Healthy", "Flu", "Broken leg", "HIV", "Depression", "Cancer"),
        _hospital,
    ),
    "ldp": Template(
        "Plain LDP",
        "Every answer is hidden from every other.",
        ("Red", "Green", "Blue", "Other", "None"),
        _context([0] * 5, list(range(5))),
    ),
    "drug": Template(
        "Drug survey (Mangat)",
        "No report may prove yes; a report may prove no.",
        ("Yes", "No"),
        _context([0, 0], [0]),
    ),
    "high-low": Template(
        "High-low",
        "Some answers are sensitive and hide among all; the others need not hide.",
        _DRUGS,
        _context([0] * 5, [3, 4]),
    ),
    "blocks": Template(
        "Blocks",
        "A report may show the area, but not the place in it.",
        _AREAS,
        _context([0, 0, 0, 1, 1], list(range(5))),
    ),
    "both": Template(
        "Blocks and a sensitive set",
        "A report may show the area; only the clinic hides, among the places of its area.",
        _AREAS,
        _context([0, 0, 0, 1, 1], [2, 4]),
    ),
    "line": Template(
        "A line",
        "The nearer two ages, the better hidden: ε for each step.",
        ("20s", "30s", "40s", "50s", "60s", "70s"),
        lambda epsilon: epsilon * _line(6),
    ),
    "neighbours": Template(
        "Only neighbours",
        "Limits for neighbours alone: what do they imply for the others?",
        ("20s", "30s", "40s", "50s", "60s"),
        _neighbours,
    ),
}
"""By their names in links; the first is the page's first."""
