"""A measurement: the values of several runs, compared with a bar by their median."""

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final, Literal

_HOLDS: Final = {"≤": operator.le, "≥": operator.ge}


@dataclass(frozen=True)
class Bar:
    """A figure's target: at most (≤) or at least (≥) a `limit`, in the figure's unit."""

    sense: Literal["≤", "≥"]
    limit: float

    def holds(self, value: float) -> bool:
        """Whether `value` is on the right side."""
        return bool(_HOLDS[self.sense](value, self.limit))

    def __str__(self) -> str:
        return f"{self.sense} {self.limit:g}"


@dataclass(frozen=True)
class Figure:
    """One line of the table: a value per run; without any it was skipped, and `note` says why."""

    work: str
    unit: str
    values: Sequence[float]
    bar: Bar | None = None
    note: str = ""

    @property
    def median(self) -> float:
        """The median of all runs, so that one lucky run passes nothing; NaN without any."""
        return median(self.values) if self.values else float("nan")

    @property
    def verdict(self) -> str:
        """Says "ok" or "MISSED" for a bar, "skipped" without runs, else nothing."""
        if not self.values:
            return "skipped"
        if self.bar is None:
            return ""
        return "ok" if self.bar.holds(self.median) else "MISSED"
